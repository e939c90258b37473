// SPDX-License-Identifier: Apache-2.0
/* sync_files: status and waiting. */
#include <errno.h>
#include <limits.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/deadline.h"
#include "nnutil_clock.h"
#include "transport/fence.h"

#define MAX_FENCES 64u /* of one sync_file whose times are read */

int nnhal_fence_status(int fd, int64_t *signalled_ns)
{
	struct sync_fence_info fences[MAX_FENCES];
	struct sync_file_info info = { 0 };
	int32_t status;

	*signalled_ns = 0;
	if (fd < 0 || ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return -EINVAL;
	status = info.status;
	if (status < 0)
		return status == -EINVAL ? -EIO : status;
	if (status == 0 || info.num_fences > MAX_FENCES)
		return status != 0;

	memset(&info, 0, sizeof(info));
	memset(fences, 0, sizeof(fences));
	info.num_fences = MAX_FENCES;
	info.sync_fence_info = (uintptr_t)fences;
	if (ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return 1;
	for (uint32_t i = 0; i < info.num_fences && i < MAX_FENCES; i++)
		if (fences[i].timestamp_ns < INT64_MAX &&
		    (int64_t)fences[i].timestamp_ns > *signalled_ns)
			*signalled_ns = (int64_t)fences[i].timestamp_ns;
	return 1;
}

int nnhal_fence_wait(int fd, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left, ms, unused;
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
			return nnhal_fence_status(fd, &unused) == 1 ? 0 : -EIO;
	}
}
