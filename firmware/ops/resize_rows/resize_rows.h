/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bilinear interpolation of rows in float32, per instruction set: no operation is fused, so the
 * same bits from all.
 */
#ifndef NNFW_RESIZE_ROWS_H
#define NNFW_RESIZE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Two neighbours along an axis and the weight of the second. */
struct nnfw_tap {
	size_t lo, hi;
	float weight;
};

struct nnfw_resize_rows_kernels {
	/** dst[x, c] = src[lo, c] * (1 - weight) + src[hi, c] * weight; lo, hi, weight: taps[x]. */
	void (*across)(float *dst, const float *src, const struct nnfw_tap *taps, size_t count,
		       size_t channels);
	/** dst[i] = top[i] * (1 - weight) + bottom[i] * weight */
	void (*down_f32)(float *dst, const float *top, const float *bottom, size_t n, float weight);
	/** The same, rounded to nearest even, within the range of int8 or uint8. */
	void (*down_q8)(uint8_t *dst, const float *top, const float *bottom, size_t n, float weight,
			bool is_signed);
};

#endif
