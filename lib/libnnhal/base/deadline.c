// SPDX-License-Identifier: Apache-2.0
/*
 * Deadlines. The HAL counts CLOCK_BOOTTIME, the kernel driver and the firmware CLOCK_MONOTONIC. A
 * deadline is converted when its job is submitted: a suspend after that delays it by its length.
 */
#include "base/nnhal_base.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>

#include "nnutil_clock.h"
#include "nnutil_fence.h"

bool nnhal_time_valid(int64_t ns)
{
	return ns >= NNHAL_NO_TIME;
}

bool nnhal_deadline_passed(int64_t deadline_ns)
{
	return deadline_ns != NNHAL_NO_TIME && nnutil_boottime_ns() >= deadline_ns;
}

int nnhal_deadline_ms(int64_t deadline_ns)
{
	int64_t left;

	if (deadline_ns == NNHAL_NO_TIME)
		return -1;
	left = deadline_ns - nnutil_boottime_ns();
	if (left <= 0)
		return 0;
	return left / NNUTIL_NS_PER_MS >= INT_MAX ? INT_MAX : (int)(left / NNUTIL_NS_PER_MS) + 1;
}

enum nnhal_status nnhal_deadline_missed(int64_t deadline_ns, int64_t call_ns)
{
	/* CLOCK_MONOTONIC first: a delay between the two makes the deadline seem earlier, never
	 * later */
	int64_t mono = nnutil_monotonic_ns();
	int64_t left = deadline_ns == NNHAL_NO_TIME ? 1 : deadline_ns - nnutil_boottime_ns();

	if (left > 0)
		return NNHAL_NONE;
	return mono + left <= call_ns ? NNHAL_MISSED_DEADLINE_PERSISTENT
				      : NNHAL_MISSED_DEADLINE_TRANSIENT;
}

uint64_t nnhal_deadline_monotonic(int64_t deadline_ns)
{
	int64_t left, mono, at;

	if (deadline_ns == NNHAL_NO_TIME)
		return 0;
	left = deadline_ns - nnutil_boottime_ns();
	mono = nnutil_monotonic_ns();
	if (__builtin_add_overflow(mono, left, &at))
		return 0;
	return at > 0 ? (uint64_t)at : 1;
}

int64_t nnhal_deadline_with_duration(int64_t deadline_ns, int64_t duration_ns)
{
	int64_t end;

	if (duration_ns == NNHAL_NO_TIME ||
	    __builtin_add_overflow(nnutil_boottime_ns(), duration_ns, &end))
		return deadline_ns;
	return deadline_ns == NNHAL_NO_TIME || end < deadline_ns ? end : deadline_ns;
}

/* ---- fences ---- */

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
