/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc says that a thread does, of this process or of another. */
#ifndef TESTS_TASK_STATE_H
#define TESTS_TASK_STATE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/**
 * task_state() - the state of a thread
 * @pid: its process
 * @tid: the thread; @pid for the first one
 * @parent: set to the parent of the process; may be NULL
 *
 * Return: 'R', 'S', 'D', 'Z'...; 0: there is no such thread.
 */
static inline char task_state(pid_t pid, pid_t tid, pid_t *parent)
{
	char path[64], line[512] = "", state = 0;
	const char *after;
	int adopter = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	/* the name before it may have any character */
	after = strrchr(line, ')');
	if (!after || sscanf(after + 1, " %c %d", &state, &adopter) != 2)
		return 0;
	if (parent)
		*parent = adopter;
	return state;
}

/**
 * Whether thread @tid of this process sleeps in the kernel: it has come to what it waits for. For
 * tests in which a thread must wait before the event comes.
 */
static inline bool thread_asleep(pid_t tid)
{
	return task_state(getpid(), tid, NULL) == 'S';
}

/**
 * Whether process @pid has ended and was reaped. Where only init can reap it, which may take
 * seconds, the end is enough.
 */
static inline bool process_ended(pid_t pid)
{
	pid_t parent;
	const char state = task_state(pid, pid, &parent);

	return !state || (state == 'Z' && parent == 1);
}

#endif
