// SPDX-License-Identifier: Apache-2.0
/* Waiting for a descriptor. */
#include "nnutil_clock.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>

int64_t nnutil_deadline(int64_t limit_ns)
{
	int64_t deadline_ns;

	if (limit_ns < 0)
		return -1;
	return __builtin_add_overflow(nnutil_monotonic_ns(), limit_ns, &deadline_ns) ? INT64_MAX
										     : deadline_ns;
}

int nnutil_wait_fd(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = events };
	struct timespec left = { 0 };
	int64_t ns;
	int ready;

	for (;;) {
		if (deadline_ns >= 0) {
			ns = deadline_ns - nnutil_monotonic_ns();
			left = nnutil_timespec(ns > 0 ? ns : 0);
		}
		ready = ppoll(&p, 1, deadline_ns >= 0 ? &left : NULL, NULL);
		if (ready >= 0)
			return ready ? 0 : -ETIME;
		if (errno != EINTR)
			return -errno;
	}
}
