/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on standard error: our own, and those of workers, which may say anything and much of it. */
#ifndef HALD_LOG_H
#define HALD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** A line "nnaccel-hald: ...", in one write. Any thread. */
void hald_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The log of one worker. Zeros, @user and @pid begin one. One thread. */
struct hald_lines {
	uid_t user;
	pid_t pid;
	/* private */
	char line[512];
	size_t length;
	bool cut; /* the rest of a line that is too long is skipped */
	int64_t since; /* begin of the period */
	uint32_t count, skipped; /* lines in it */
};
/** Read what there is and print whole lines. False: it has ended, or there is nothing. */
bool hald_lines_read(struct hald_lines *lines, int fd);
/** Print the line that has no end. */
void hald_lines_end(struct hald_lines *lines);

#endif
