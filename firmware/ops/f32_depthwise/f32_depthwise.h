/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolutions of floats, per instruction set. Each element of a result is one chain of
 * multiplications and additions, from its bias in the order of the taps: a row of the table gives
 * the same bits however the work is cut.
 */
#ifndef NNFW_F32_DEPTHWISE_H
#define NNFW_F32_DEPTHWISE_H

#include <stdbool.h>
#include <stddef.h>

/** Output pixels of a row which have the same taps in the image, and some of their channels. */
struct nnfw_f32_depthwise {
	/** The first pixel's first tap. Strides are floats. */
	const float *in;
	size_t pixel, row, column; /* from pixel to pixel; from tap to tap, down and right */
	const float *taps;
	size_t tap_row, tap_column;
	size_t rows, columns; /* taps */
	size_t first, end; /* output channels */
	size_t multiplier; /* output channels of an input channel */
	const float *bias;
	bool more; /* @out has sums, which take the place of @bias */
	float lo, hi; /* NaN passes */
	float *out;
	size_t pixels, out_pixel;
};

struct nnfw_f32_depthwise_kernels {
	void (*pixels)(const struct nnfw_f32_depthwise *d);
};

#endif
