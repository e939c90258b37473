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
/** As nnutil_fence_status(): 1, 0, an error, or -EINVAL: a descriptor of another kind. */
int nnr_fence_status(int fd);
/** A fence of the kernel, which every driver takes. */
bool nnr_fence_is_sync_file(int fd);

#endif
