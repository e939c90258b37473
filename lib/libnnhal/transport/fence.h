/* SPDX-License-Identifier: Apache-2.0 */
/* sync_files: status and waiting. Private to libnnhal. */
#ifndef NNHAL_FENCE_H
#define NNHAL_FENCE_H

#include <stdint.h>

/**
 * 0: pending; 1: signalled, at *@signalled_ns (CLOCK_MONOTONIC); -EINVAL: not a sync_file; another
 * -errno: signalled with that error.
 */
int nnhal_fence_status(int fd, int64_t *signalled_ns);
/** Wait until it signals. 0; -ETIME: not before @deadline_ns (CLOCK_BOOTTIME); -EIO: it failed. */
int nnhal_fence_wait(int fd, int64_t deadline_ns);

#endif
