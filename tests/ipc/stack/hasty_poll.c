// SPDX-License-Identifier: Apache-2.0
/*
 * libnnipc is linked with this one in place of ppoll(), for clients of a worker that hangs for ever
 * (hostile_worker.c, "never" and "nothing"): one second of the library's patience takes 50 ms. The
 * limits are its own, and honest workers have all of them, however slow the machine is.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HASTE 20
#define NS_PER_S 1000000000ll

int __real_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		 const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		 const sigset_t *mask);

static bool hangs(void)
{
	const char *fault = getenv("NNACCEL_WORKER_FAULT"),
		   *lie = fault ? strchr(fault, '/') : NULL;

	return lie && (!strcmp(lie, "/never") || !strcmp(lie, "/nothing"));
}

int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		 const sigset_t *mask)
{
	struct timespec less;
	long long ns;

	if (!limit || !hangs())
		return __real_ppoll(fds, count, limit, mask);
	ns = (limit->tv_sec * NS_PER_S + limit->tv_nsec) / HASTE;
	less = (struct timespec){ .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };
	return __real_ppoll(fds, count, &less, mask);
}
