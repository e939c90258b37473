// SPDX-License-Identifier: Apache-2.0
/* Waiting for fences. */
#include <errno.h>
#include <poll.h>

#include "base/nnhal_base.h"
#include "nnutil_fence.h"
#include "transport/transport.h"

int nnhal_fence_wait(int fd, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int ms, ret;

	while ((ms = nnhal_deadline_ms(deadline_ns)) != 0) {
		ret = poll(&p, 1, ms);
		if (ret < 0 && errno != EINTR)
			return -EIO;
		if (ret > 0)
			return nnutil_fence_status(fd, NULL) == 1 ? 0 : -EIO;
	}
	return -ETIME;
}
