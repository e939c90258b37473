/* SPDX-License-Identifier: Apache-2.0 */
/* How many descriptors are open: a number to compare, for it counts three more. */
#ifndef TESTS_OPEN_FDS_H
#define TESTS_OPEN_FDS_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/** Of process @pid; -1: it cannot be read. */
static inline int open_fds_of(pid_t pid)
{
	char path[64];
	DIR *dir;
	int count = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static inline uint32_t open_fds(void)
{
	return (uint32_t)open_fds_of(getpid());
}

#endif
