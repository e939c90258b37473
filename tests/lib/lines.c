// SPDX-License-Identifier: Apache-2.0
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eventually.h"

void lines_open(struct lines *l, int fd)
{
	lines_follow(l, fd, 0);
}

void lines_follow(struct lines *l, int fd, pid_t writer)
{
	l->fd = fd;
	l->writer = writer;
	l->length = l->next = 0;
	l->text[0] = '\0';
}

/* What is there. False: nothing, or of a pipe the end. */
static bool lines_read(struct lines *l)
{
	const size_t half = sizeof(l->text) / 2;
	ssize_t got;

	if (l->length == sizeof(l->text) - 1) {
		l->length -= half;
		memmove(l->text, l->text + half, l->length);
		l->next = l->next > half ? l->next - half : 0;
	}
	do
		got = read(l->fd, l->text + l->length, sizeof(l->text) - 1 - l->length);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return false;
	l->length += (size_t)got;
	l->text[l->length] = '\0';
	return true;
}

bool lines_more(struct lines *l)
{
	bool ended, more = false;

	if (!l->writer)
		return lines_read(l);
	/* after its end all that it wrote is there */
	EVENTUALLY(({
		ended = child_has_ended(l->writer);
		more = lines_read(l);
		more || ended;
	}));
	return more;
}

bool lines_await(struct lines *l, const char *text)
{
	while (!strstr(l->text, text))
		if (!lines_more(l))
			return false;
	return true;
}

const char *lines_next(struct lines *l, const char *text)
{
	const char *found;

	while (!(found = strstr(l->text + l->next, text)))
		if (!lines_more(l))
			return NULL;
	found += strlen(text);
	l->next = (size_t)(found - l->text);
	return found;
}

const char *lines_rest(struct lines *l, size_t most)
{
	while (lines_read(l))
		;
	return l->text + (l->length > most ? l->length - most : 0);
}

void lines_close(struct lines *l)
{
	close(l->fd);
	l->fd = -1;
}

pid_t lines_execute(struct lines *l, const struct child_program *program)
{
	struct child_program writes = *program;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	writes.output = ends[1];
	pid = child_execute(&writes);
	close(ends[1]);
	lines_open(l, ends[0]);
	return pid;
}

int lines_run(struct lines *l, const struct child_program *program)
{
	const pid_t pid = lines_execute(l, program);

	lines_rest(l, 0);
	lines_close(l);
	return child_wait(pid);
}

unsigned int lines_count(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	unsigned int count = 0;
	char line[8192];

	while (file && fgets(line, sizeof(line), file))
		count += !text || strstr(line, text);
	if (file)
		fclose(file);
	return count;
}

long lines_number(const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	long number = -1;
	char line[512];

	while (file && number < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			number = strtol(line + strlen(key), NULL, 10);
	if (file)
		fclose(file);
	return number;
}
