/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of columns, for means over the outer dimensions, per instruction set: 8 bits exactly, floats
 * in double and row after row, so the same bits from all.
 */
#ifndef NNFW_COLUMNS_H
#define NNFW_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

struct nnfw_requant; /* kernels/requant.h */

/** Columns of a call, and rows of one for 8 bits. */
#define NNFW_COLUMNS 64u
#define NNFW_COLUMNS_ROWS 256u

struct nnfw_columns_kernels {
	/** sums[c] += the codes of column c, flip 0x80: int8, each 128 higher. */
	void (*add_q8)(uint32_t *sums, const uint8_t *src, size_t stride, size_t rows,
		       size_t columns, uint8_t flip);
	void (*add_f32)(double *sums, const float *src, size_t stride, size_t rows, size_t columns);
	/** out[c] = the requantization rule on sums[c] - bias, modulo 2^32. */
	void (*store_q8)(uint8_t *out, const uint32_t *sums, size_t columns, uint32_t bias,
			 float multiplier, const struct nnfw_requant *q);
};

#endif
