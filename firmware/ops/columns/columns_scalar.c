// SPDX-License-Identifier: Apache-2.0
#include "columns/columns.h"
#include "kernels/requant.h"

static void add_q8(uint32_t *sums, const uint8_t *src, size_t stride, size_t rows, size_t columns,
		   uint8_t flip)
{
	for (; rows; rows--, src += stride)
		for (size_t c = 0; c < columns; c++)
			sums[c] += src[c] ^ flip;
}

static void add_f32(double *sums, const float *src, size_t stride, size_t rows, size_t columns)
{
	for (; rows; rows--, src += stride)
		for (size_t c = 0; c < columns; c++)
			sums[c] += (double)src[c];
}

static void store_q8(uint8_t *out, const uint32_t *sums, size_t columns, uint32_t bias,
		     float multiplier, const struct nnfw_requant *q)
{
	for (size_t c = 0; c < columns; c++)
		out[c] = (uint8_t)nnfw_requantize((int32_t)(sums[c] - bias), multiplier, q);
}

const struct nnfw_columns_kernels nnfw_columns_scalar = {
	.add_q8 = add_q8,
	.add_f32 = add_f32,
	.store_q8 = store_q8,
};
