// SPDX-License-Identifier: Apache-2.0
/*
 * libnnipc is linked with this one in place of ppoll(), for clients of a worker that hangs for ever
 * (hostile_worker.c, "never" and "nothing"): while it hangs, one second of the library's patience
 * takes 50 ms. The limits are its own, and until then the worker has all of them, however slow the
 * machine is.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hang_mark.h"

#define HASTE 20
#define NS_PER_S 1000000000ll
/* Between two looks at the worker. */
#define LOOK_NS 5000000ll

int __real_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		 const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		 const sigset_t *mask);

static bool may_hang(void)
{
	const char *fault = getenv("NNACCEL_WORKER_FAULT"),
		   *lie = fault ? strchr(fault, '/') : NULL;

	return lie && (!strcmp(lie, "/never") || !strcmp(lie, "/nothing"));
}

static int poll_for(struct pollfd *fds, nfds_t count, long long ns, const sigset_t *mask)
{
	const struct timespec limit = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };

	return __real_ppoll(fds, count, &limit, mask);
}

int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		 const sigset_t *mask)
{
	long long left, look;
	int ret = 0;

	if (!limit || !may_hang())
		return __real_ppoll(fds, count, limit, mask);
	left = limit->tv_sec * NS_PER_S + limit->tv_nsec;
	do {
		if (hang_mark_is_set())
			return poll_for(fds, count, left / HASTE, mask);
		look = left < LOOK_NS ? left : LOOK_NS;
		ret = poll_for(fds, count, look, mask);
		left -= look;
	} while (!ret && left);
	return ret;
}
