/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for fences, of either kind (nnutil_fence.h). Private to libnnhal. */
#ifndef NNHAL_FENCE_H
#define NNHAL_FENCE_H

#include <stdint.h>

/** Wait until it signals. 0; -ETIME: not before @deadline_ns (CLOCK_BOOTTIME); -EIO: it failed. */
int nnhal_fence_wait(int fd, int64_t deadline_ns);

#endif
