// SPDX-License-Identifier: Apache-2.0
#include "host/nnipc_host.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "nnutil_clock.h"

void nnipc_latch_open(atomic_uint *latch)
{
	atomic_store(latch, 1);
	syscall(SYS_futex, latch, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

bool nnipc_latch_wait(atomic_uint *latch, int64_t timeout_ns)
{
	const int64_t start_ns = timeout_ns < 0 ? 0 : nnutil_monotonic_ns();

	while (!atomic_load(latch)) {
		struct timespec left = { 0 };

		if (timeout_ns >= 0) {
			int64_t gone_ns = nnutil_monotonic_ns() - start_ns;

			if (gone_ns >= timeout_ns)
				return false;
			left = nnutil_timespec(timeout_ns - gone_ns);
		}
		syscall(SYS_futex, latch, FUTEX_WAIT_PRIVATE, 0, timeout_ns < 0 ? NULL : &left,
			NULL, 0);
	}
	return true;
}
