// SPDX-License-Identifier: Apache-2.0
/* Fences: file descriptors that become readable when work has ended. */
#include <errno.h>
#include <poll.h>

#include "base/sync_fence.h"
#include "nnutil_fence.h"

bool nnr_fence_is_sync_file(int fd)
{
	return nnutil_fence_is_sync_file(fd);
}

int nnr_fence_status(int fd)
{
	int64_t unused;

	return nnutil_fence_status(fd, &unused);
}

int nnr_fence_wait(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	if (fd < 0)
		return -EINVAL;
	do {
		n = poll(&p, 1, timeout_ms);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n < 0)
		return -errno;
	if (!n)
		return -ETIME;
	if (p.revents & POLLNVAL)
		return -EINVAL;
	if (p.revents & POLLERR)
		return -EIO;
	if (!(p.revents & POLLIN))
		return -EIO; /* hung up without a signal */
	/*
	 * Fences know whether their work failed. Any other descriptor that becomes readable is
	 * accepted as one, too (an eventfd, a pipe).
	 */
	n = nnr_fence_status(fd);
	return n == 1 || n == -EINVAL ? 0 : -EIO;
}
