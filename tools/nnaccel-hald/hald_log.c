// SPDX-License-Identifier: Apache-2.0
#include "hald_log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_clock.h"

/* Lines of one worker in a period; a client can make its worker write. */
#define MOST_LINES 100
#define PERIOD_NS (10 * NNUTIL_NS_PER_S)

void hald_log(const char *format, ...)
{
	static const char prefix[] = "nnaccel-hald: ";
	char line[1024];
	size_t length = sizeof(prefix) - 1;
	va_list args;
	int n;

	memcpy(line, prefix, length);
	va_start(args, format);
	n = vsnprintf(line + length, sizeof(line) - length - 1, format, args);
	va_end(args);
	if (n > 0)
		length += (size_t)n < sizeof(line) - length - 1 ? (size_t)n
								: sizeof(line) - length - 2;
	line[length++] = '\n';
	/* nobody may read it; there is nobody to tell */
	if (write(STDERR_FILENO, line, length) < 0)
		return;
}

static void print(struct hald_lines *l)
{
	const int64_t now = nnutil_monotonic_ns();

	if (now - l->since >= PERIOD_NS) {
		if (l->skipped)
			hald_log("worker %d of user %u: %u lines are left out", (int)l->pid,
				 l->user, l->skipped);
		l->since = now;
		l->count = l->skipped = 0;
	}
	if (l->count++ < MOST_LINES)
		hald_log("worker %d of user %u: %.*s", (int)l->pid, l->user, (int)l->length,
			 l->line);
	else
		l->skipped++;
	l->length = 0;
}

static void take(struct hald_lines *l, char c)
{
	if (c == '\n') {
		if (l->length)
			print(l);
		l->cut = false;
		return;
	}
	if (l->cut)
		return;
	/* nothing that a terminal would obey */
	l->line[l->length++] = (c >= ' ' && c < 0x7f) || c == '\t' || (c & 0x80) ? c : '?';
	if (l->length == sizeof(l->line)) {
		print(l);
		l->cut = true;
	}
}

bool hald_lines_read(struct hald_lines *lines, int fd)
{
	char bytes[4096];
	ssize_t got;

	do
		got = read(fd, bytes, sizeof(bytes));
	while (got < 0 && errno == EINTR);
	for (ssize_t i = 0; i < got; i++)
		take(lines, bytes[i]);
	return got > 0;
}

void hald_lines_end(struct hald_lines *lines)
{
	if (lines->length)
		print(lines);
}
