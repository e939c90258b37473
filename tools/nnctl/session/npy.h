/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's files of one array. */
#ifndef NNCTL_NPY_H
#define NNCTL_NPY_H

#include "session/session.h"

/** Whether the file begins like one. */
bool npy_is(const uint8_t *bytes, size_t size);

/**
 * Load an array into an input. Its shape must be the input's; a leading dimension of 1, the batch,
 * may be missing or be there in addition. Its type must be the input's; for a quantized input it
 * may also be floats, which are quantized and must not be NaN. 0, or -1 after a complaint.
 */
int npy_load(struct session_tensor *t, const uint8_t *bytes, size_t size, const char *path);

#endif
