/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a model's input from a file: raw bytes, .npy, PNG or JPEG. */
#ifndef NNCTL_INPUT_H
#define NNCTL_INPUT_H

#include "session/session.h"

/** real = (pixel - mean) / std, for pictures on models with float input. */
struct input_options {
	double mean, std;
};

/**
 * Load @path into @t. Pictures are scaled bilinearly to the input's height and width; 8-bit inputs
 * take pixels as they are (int8: minus 128), float inputs by @options. .npy must have the input's
 * shape and type (npy.h). Anything else is raw, of exactly the input's size. 0, or -1 after a
 * complaint.
 */
int input_load(struct session_tensor *t, const char *path, const struct input_options *options);

#endif
