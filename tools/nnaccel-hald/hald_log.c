// SPDX-License-Identifier: Apache-2.0
#include "hald.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
	/* a log that cannot be written has no other place for the error */
	if (write(STDERR_FILENO, line, length) < 0)
		return;
}

static void write_line(const char *line)
{
	hald_log("%s", line);
}

struct nnipc_user_log hald_user_log = NNIPC_USER_LOG_INIT(write_line);

void hald_log_worker(const struct nnipc_log_pipe *log, const char *line)
{
	nnipc_user_log(&hald_user_log, log->payer, "worker %d of user %u: %s", (int)log->pid,
		       log->user, line);
}
