// SPDX-License-Identifier: Apache-2.0
#include "q8_map/q8_map.h"

static void q8_map_lookup(uint8_t *dst, const uint8_t *src, size_t n, const uint8_t *table)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = table[src[i]];
}

void nnfw_q8_dequantize_scalar(float *dst, const uint8_t *src, size_t n, uint8_t flip, int32_t zero,
			       float scale)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = (float)((src[i] ^ flip) - zero) * scale;
}

/*
 * nnfw_quantize() in a form that needs no call: round half away by the part that truncation drops.
 * Clamped before the rounding: bounds are integers.
 */
void nnfw_q8_quantize_scalar(uint8_t *dst, const float *src, size_t n,
			     const struct nnfw_q8_quantize *q)
{
	for (size_t i = 0; i < n; i++) {
		float x = src[i] / q->scale, rest;
		int32_t whole;

		x = x < q->hi ? x : q->hi;
		x = x > q->lo ? x : q->lo;
		whole = (int32_t)x;
		rest = x - (float)whole;
		whole += (rest >= 0.5f) - (rest <= -0.5f);
		dst[i] = (uint8_t)(whole + q->zero_point);
	}
}

const struct nnfw_q8_map_kernels nnfw_q8_map_scalar = {
	.lookup = q8_map_lookup,
	.dequantize = nnfw_q8_dequantize_scalar,
	.quantize = nnfw_q8_quantize_scalar,
};
