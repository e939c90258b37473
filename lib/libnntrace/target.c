// SPDX-License-Identifier: Apache-2.0
/* Targets: from the text of NNTRACE to an open descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink.h"

#define NNTRACE_DEFAULT_FILE "nntrace-%p.txt"

/*
 * The header of ftrace's text, with the columns that nntrace.c writes.
 */
static const char header[] = "# tracer: nop\n"
			     "#\n"
			     "#                                      _-----=> irqs-off\n"
			     "#                                     / _----=> need-resched\n"
			     "#                                    | / _---=> hardirq/softirq\n"
			     "#                                    || / _--=> preempt-depth\n"
			     "#                                    ||| /     delay\n"
			     "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n"
			     "#              | |        |      |   ||||       |         |\n";

static int open_marker(const char *path)
{
	static const char *const known[] = {
		"/sys/kernel/tracing/trace_marker",
		"/sys/kernel/debug/tracing/trace_marker",
	};
	int fd = -1;

	if (path) {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return fd < 0 ? -errno : fd;
	}
	for (size_t i = 0; fd < 0 && i < sizeof(known) / sizeof(known[0]); i++)
		fd = open(known[i], O_WRONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* @pattern with the process id for each %p. */
static int expand(const char *pattern, char *path, size_t size)
{
	size_t at = 0;

	while (*pattern) {
		int n;

		if (pattern[0] == '%' && pattern[1] == 'p') {
			n = snprintf(path + at, size - at, "%d", (int)getpid());
			pattern += 2;
		} else {
			n = snprintf(path + at, size - at, "%c", *pattern++);
		}
		if (n < 0 || (size_t)n >= size - at)
			return -ENAMETOOLONG;
		at += (size_t)n;
	}
	return at ? 0 : -EINVAL;
}

/*
 * Several copies of this library and several processes may append to one file. The first one, which
 * finds it empty, writes the header under a lock, so that no line comes before it.
 */
static int open_file(const char *pattern)
{
	char path[PATH_MAX];
	struct stat st;
	int fd, ret;

	ret = expand(pattern, path, sizeof(path));
	if (ret)
		return ret;
	fd = open(path,
		  O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		  0644);
	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX)) {
		if (errno != EINTR)
			goto fail;
	}
	if (fstat(fd, &st))
		goto fail;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		goto fail;
	}
	if (!st.st_size) {
		ssize_t n = write(fd, header, sizeof(header) - 1);

		if (n != (ssize_t)sizeof(header) - 1) {
			if (n >= 0)
				errno = ENOSPC;
			goto fail;
		}
	}
	flock(fd, LOCK_UN);
	return fd;
fail:
	ret = -errno;
	close(fd);
	return ret;
}

/* Whether @target is @word, or @word ":" and a path, which goes to *@path. */
static bool is_word(const char *target, const char *word, const char **path)
{
	size_t len = strlen(word);

	*path = NULL;
	if (strncmp(target, word, len))
		return false;
	if (!target[len])
		return true;
	*path = target + len + 1;
	return target[len] == ':' && target[len + 1];
}

int nntrace_target_open(const char *target, enum nntrace_sink *sink, int *fd)
{
	const char *path;
	int ret;

	*sink = NNTRACE_SINK_NONE;
	*fd = -1;
	if (!target || !*target || !strcmp(target, "off"))
		return 0;
	if (is_word(target, "marker", &path)) {
		*sink = NNTRACE_SINK_MARKER;
		ret = open_marker(path);
	} else if (is_word(target, "file", &path) && path) {
		*sink = NNTRACE_SINK_FILE;
		ret = open_file(path);
	} else if (is_word(target, "auto", &path)) {
		*sink = NNTRACE_SINK_MARKER;
		ret = open_marker(NULL);
		if (ret < 0) {
			*sink = NNTRACE_SINK_FILE;
			ret = open_file(path ? path : NNTRACE_DEFAULT_FILE);
		}
	} else {
		ret = -EINVAL;
	}
	if (ret < 0) {
		*sink = NNTRACE_SINK_NONE;
		return ret;
	}
	*fd = ret;
	return 0;
}
