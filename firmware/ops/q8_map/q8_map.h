/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one 8-bit or float tensor, per instruction set: the same bits from all. */
#ifndef NNFW_Q8_MAP_H
#define NNFW_Q8_MAP_H

#include <stddef.h>
#include <stdint.h>

/** NNAPI's QUANTIZE (kernels/requant.h) to a type of 8 bits. */
struct nnfw_q8_quantize {
	float scale;
	float lo, hi; /* range of the type less the zero point */
	int32_t zero_point;
};

struct nnfw_q8_map_kernels {
	/** dst[i] = table[src[i]], 256 entries; dst may be src. */
	void (*lookup)(uint8_t *dst, const uint8_t *src, size_t n, const uint8_t *table);
	/** dst[i] = (float)((src[i] ^ flip) - zero) * scale; flip 0x80: int8, zero 128 higher. */
	void (*dequantize)(float *dst, const uint8_t *src, size_t n, uint8_t flip, int32_t zero,
			   float scale);
	/** Ties away from zero, the division in float32, NaN to the upper bound. */
	void (*quantize)(uint8_t *dst, const float *src, size_t n,
			 const struct nnfw_q8_quantize *q);
};

/* The row neon has a look-up of its own, and the rest from scalar. */
void nnfw_q8_dequantize_scalar(float *dst, const uint8_t *src, size_t n, uint8_t flip, int32_t zero,
			       float scale);
void nnfw_q8_quantize_scalar(uint8_t *dst, const float *src, size_t n,
			     const struct nnfw_q8_quantize *q);

#endif
