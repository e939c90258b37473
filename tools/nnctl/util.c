// SPDX-License-Identifier: Apache-2.0
#include "nnctl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void complain(const char *fmt, ...)
{
	va_list ap;

	fputs("nnctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Read until the end, so that pipes and files in /proc work, too. */
static void *read_all(int fd, size_t max, size_t *size, const char *path)
{
	size_t room = 65536, have = 0;
	char *data = malloc(room + 1), *bigger;
	ssize_t n;

	while (data) {
		if (have == room) {
			room *= 2;
			bigger = realloc(data, room + 1);
			if (!bigger)
				break;
			data = bigger;
		}
		n = read(fd, data + have, room - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			complain("%s: %s", path, strerror(errno));
			free(data);
			return NULL;
		}
		if (!n) {
			data[have] = '\0';
			*size = have;
			return data;
		}
		have += (size_t)n;
		if (have > max) {
			complain("%s: larger than %zu MiB", path, max >> 20);
			free(data);
			return NULL;
		}
	}
	complain("%s: out of memory", path);
	free(data);
	return NULL;
}

void *read_file(const char *path, size_t max, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *data;

	if (fd < 0) {
		complain("%s: %s", path, strerror(errno));
		return NULL;
	}
	data = read_all(fd, max, size, path);
	close(fd);
	return data;
}

bool parse_number(const char *text, long min, long max, long *value)
{
	char *end;

	errno = 0;
	*value = strtol(text, &end, 0);
	return !errno && end != text && !*end && *value >= min && *value <= max;
}

int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sort_doubles(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
}

double quantile(const double *sorted, size_t count, double q)
{
	size_t i;

	if (!count)
		return 0;
	i = (size_t)(q * (double)count);
	return sorted[i < count ? i : count - 1];
}

void progress_start(struct progress *p, const char *what)
{
	p->what = what;
	p->start_ns = now_ns();
	p->shown_ns = 0;
}

void progress_update(struct progress *p, size_t done, size_t total)
{
	int64_t now = now_ns();

	if (now - p->start_ns < 1000000000ll || now - p->shown_ns < 200000000ll || !isatty(2))
		return;
	p->shown_ns = now;
	fprintf(stderr, "\r\033[K%s: %zu of %zu, %.0f s", p->what, done, total,
		(double)(now - p->start_ns) / 1e9);
}

void progress_end(struct progress *p)
{
	if (p->shown_ns)
		fputs("\r\033[K", stderr);
}
