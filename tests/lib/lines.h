/* SPDX-License-Identifier: Apache-2.0 */
/* What a process writes: lines that a test waits for, and lines of a file. */
#ifndef TESTS_LIB_LINES_H
#define TESTS_LIB_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "child.h"

/** A log that is read while a process writes it. */
struct lines {
	int fd; /* owned */
	pid_t writer; /* of a file; 0: @fd is a pipe */
	size_t length, next; /* of @text: what was read, what lines_next() has found */
	char text[65536]; /* when it is full, the older half makes room */
};

/** From the end of a pipe, which is ours from here on. */
void lines_open(struct lines *l, int fd);
/** From a file that process @writer appends to: the process need not wait for a reader. */
void lines_follow(struct lines *l, int fd, pid_t writer);
/** Wait until there is more. False: the log is at its end. */
bool lines_more(struct lines *l);
/** Wait until @text is in the log. False: the log ended without. */
bool lines_await(struct lines *l, const char *text);
/** The same from behind what was found last: the text behind it, or NULL. */
const char *lines_next(struct lines *l, const char *text);
/** Read the rest, of a pipe to its end, of a file as far as it is there; its last @most characters.
 */
const char *lines_rest(struct lines *l, size_t most);
void lines_close(struct lines *l);

/** Start a program that writes to @l. */
pid_t lines_execute(struct lines *l, const struct child_program *program);
/** Run a program to its end: child_wait()'s status; @l has its output, and is closed. */
int lines_run(struct lines *l, const struct child_program *program);

/** How many lines of a file have @text; NULL: all. 0: there is no such file. */
unsigned int lines_count(const char *path, const char *text);
/** The number behind @key at the beginning of a line of a file; -1: there is none. */
long lines_number(const char *path, const char *key);

#endif
