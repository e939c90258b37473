/* SPDX-License-Identifier: Apache-2.0 */
/* Fences: file descriptors that become readable when work has ended. */
#ifndef NNR_SYNC_FENCE_H
#define NNR_SYNC_FENCE_H

#include <stdbool.h>

/**
 * Wait until the fence @fd signals. 0; -EIO: the work failed; -EINVAL: not a fence; -ETIME:
 * @timeout_ms (-1: none) has passed.
 */
int nnr_fence_wait(int fd, int timeout_ms);
/** Whether @fd is a sync_file, which drivers can wait for. */
bool nnr_is_sync_file(int fd);

#endif
