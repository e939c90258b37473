/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a model's input from a file: raw bytes, .npy, PNG or JPEG. */
#ifndef NNCTL_INPUT_H
#define NNCTL_INPUT_H

#include "session.h"

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

/** A decoded picture: 8-bit RGB, row by row. */
struct picture {
	uint32_t width, height;
	uint8_t *rgb;
};
/** 0, or -1 after a complaint. */
int picture_read_png(const void *bytes, size_t size, const char *name, struct picture *p);
int picture_read_jpeg(const void *bytes, size_t size, const char *name, struct picture *p);

#endif
