// SPDX-License-Identifier: Apache-2.0
/* Fences: file descriptors that become readable when work has ended. */
#include <errno.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/sync_fence.h"

static bool get_info(int fd, struct sync_file_info *info)
{
	memset(info, 0, sizeof(*info));
	return ioctl(fd, SYNC_IOC_FILE_INFO, info) == 0;
}

bool nnr_is_sync_file(int fd)
{
	struct sync_file_info info;

	return get_info(fd, &info);
}

/*
 * A sync_file knows whether its work failed. Any other descriptor that becomes readable is accepted
 * as a fence too (an eventfd, a pipe).
 */
static int fence_status(int fd)
{
	struct sync_file_info info;

	return get_info(fd, &info) && info.status < 0 ? -EIO : 0;
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
	return fence_status(fd);
}
