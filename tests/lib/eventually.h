/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EVENTUALLY(condition): wait until it holds. A test that waits for an event has no idea of how
 * long the event takes on a loaded machine: it polls every millisecond, and two minutes are the
 * limit of a test that is wrong. False: it never held.
 */
#ifndef TESTS_UNIT_EVENTUALLY_H
#define TESTS_UNIT_EVENTUALLY_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#define EVENTUALLY(condition)                                                       \
	({                                                                          \
		bool holds_ = false;                                                \
		for (int left_ = 120000; !(holds_ = (condition)) && left_; left_--) \
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);  \
		holds_;                                                             \
	})

/**
 * Whether thread @tid of this process sleeps in the kernel: it has come to what it waits for. For
 * tests in which a thread must wait before the event comes.
 */
static inline bool thread_asleep(pid_t tid)
{
	char path[64], line[256] = "";
	const char *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	state = strrchr(line, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

#endif
