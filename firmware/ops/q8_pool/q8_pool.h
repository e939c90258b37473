/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of 8-bit pooling: one output pixel, channels beside each other. */
#ifndef NNFW_Q8_POOL_H
#define NNFW_Q8_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most pixels of a window: sums, and quotients by reciprocals, are exact up to here. */
#define NNFW_Q8_POOL_PIXELS 4096u

struct nnfw_q8_window {
	const uint8_t *in; /* the first channel of the first pixel */
	size_t rows, columns; /* at least 1 pixel, at most NNFW_Q8_POOL_PIXELS */
	size_t row_pitch, pixel_pitch; /* bytes */
	size_t channels;
	bool is_signed; /* int8 */
	int32_t lo, hi; /* bounds of the results */
};

struct nnfw_q8_pool_kernels {
	/** (sum + n / 2) / n of n pixels, away from zero for negative sums. */
	void (*average)(const struct nnfw_q8_window *w, uint8_t *out);
	void (*max)(const struct nnfw_q8_window *w, uint8_t *out);
};

#endif
