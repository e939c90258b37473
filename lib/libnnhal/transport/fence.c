// SPDX-License-Identifier: Apache-2.0
/* Waiting for fences. */
#include <errno.h>
#include <limits.h>
#include <poll.h>

#include "base/deadline.h"
#include "nnutil_clock.h"
#include "nnutil_fence.h"
#include "transport/fence.h"

int nnhal_fence_wait(int fd, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left, ms;
	int ret;

	for (;;) {
		ms = -1;
		if (deadline_ns != NNHAL_NO_TIME) {
			left = deadline_ns - nnutil_boottime_ns();
			if (left <= 0)
				return -ETIME;
			ms = left / 1000000 + 1;
			if (ms > INT_MAX)
				ms = INT_MAX;
		}
		ret = poll(&p, 1, (int)ms);
		if (ret < 0 && errno != EINTR)
			return -EIO;
		if (ret > 0)
			return nnutil_fence_status(fd, NULL) == 1 ? 0 : -EIO;
	}
}
