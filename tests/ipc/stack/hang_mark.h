/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a worker of this case hangs now: it holds a lock on the file that NNHAL_TEST_HANGS names,
 * and loses it when it is killed. The worker of the next call has all of its time until it hangs,
 * too.
 */
#ifndef HANG_MARK_H
#define HANG_MARK_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#define HANG_MARK "NNHAL_TEST_HANGS"

static inline int hang_mark_open(int flags)
{
	const char *path = getenv(HANG_MARK);

	return path ? open(path, flags | O_CLOEXEC, 0600) : -1;
}

/** In the worker, until it ends. */
static inline void hang_mark_set(void)
{
	int fd = hang_mark_open(O_RDWR | O_CREAT);

	if (fd >= 0)
		flock(fd, LOCK_SH);
}

/** In the client. */
static inline bool hang_mark_is_set(void)
{
	int fd = hang_mark_open(O_RDWR);
	bool set;

	if (fd < 0)
		return false;
	set = flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return set;
}

#endif
