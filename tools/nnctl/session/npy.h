/* SPDX-License-Identifier: Apache-2.0 */
/* .npy: NumPy's file of one array. */
#ifndef NNCTL_NPY_H
#define NNCTL_NPY_H

#include "session/session.h"

/** Whether the file begins with the magic of .npy. */
bool npy_is(const uint8_t *bytes, size_t size);

/**
 * Load an array into an input. Its shape must be the input's, but for a leading dimension of 1 (the
 * batch), which may be missing or additional. Its type must be the input's; floats are quantized
 * for a quantized input and must not be NaN. 0, or -1 after a complaint.
 */
int npy_load(struct session_tensor *t, const uint8_t *bytes, size_t size, const char *path);

#endif
