/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one requantization rule, the same bits from every kernel on every processor:
 *
 *   multiplier = (float)((double)s_in * s_w / s_out)                    once per channel
 *   r = (float)acc * multiplier                                         float32, one rounding each
 *   q = clamp(zero_point + nearest_even(r), activation range)
 *
 * Bounds are integers, so clamping before the rounding gives the same and keeps the conversion to
 * an integer defined for every input.
 */
#ifndef NNFW_REQUANT_H
#define NNFW_REQUANT_H

#include "nnprog_shape.h"
#include "nnfw_op.h"

/** Where a quantized result goes. */
struct nnfw_requant {
	int32_t zero_point;
	float lo, hi; /* activation range less the zero point */
};

/**
 * Rounds |x| < 2^22 to the nearest integer, ties to even: what is below the last bit falls away.
 */
#define NNFW_ROUND_MAGIC 12582912.0f

static inline float nnfw_round_even(float x)
{
	return (x + NNFW_ROUND_MAGIC) - NNFW_ROUND_MAGIC;
}

/**
 * Real value in output steps (zero point not added) to the stored integer. NaN gives the lower
 * bound.
 */
static inline int32_t nnfw_requant_real(float r, const struct nnfw_requant *q)
{
	r = r > q->lo ? r : q->lo;
	r = r < q->hi ? r : q->hi;
	return (int32_t)nnfw_round_even(r) + q->zero_point;
}

static inline int32_t nnfw_requantize(int32_t acc, float multiplier, const struct nnfw_requant *q)
{
	return nnfw_requant_real((float)acc * multiplier, q);
}

/** out[i] = the rule on acc[i] + bias[i] (modulo 2^32) with multipliers[i]. */
void nnfw_requantize_row(const int32_t *acc, const int32_t *bias, const float *multipliers,
			 size_t n, const struct nnfw_requant *q, uint8_t *out);

/** The rule's parameters for an output tensor of 8 or 16 bits with a fused activation. */
struct nnfw_requant nnfw_requant_output(const struct nnfw_tensor *out, uint32_t activation);

/** Least and greatest value of a quantized type. */
void nnfw_type_range(uint32_t dtype, int32_t *lo, int32_t *hi);

/**
 * NNAPI's QUANTIZE: saturate(zero_point + round(x / scale)), ties away from zero, the division in
 * float32. Infinities saturate; NaN gives the upper bound.
 */
int32_t nnfw_quantize(float x, float scale, int32_t zero_point, int32_t lo, int32_t hi);

/**
 * table[code of @in] = the same real value as a code of @out, both of 8 bits:
 * saturate(round((float)(q - z) * s / s_out + z_out)), the quotient in double, ties away from zero.
 */
void nnfw_requant_table(int16_t table[256], const struct nnfw_tensor *in,
			const struct nnfw_tensor *out);

/** Reads the 8-bit code @q of a tensor as its integer: int8 or uint8. */
static inline int32_t nnfw_code(uint32_t dtype, uint8_t q)
{
	return dtype == NNPROG_INT8 ? (int8_t)q : q;
}

/** dst[i] = table[src[i]]: any function of one 8-bit tensor. */
static inline void nnfw_lookup(uint8_t *dst, const uint8_t *src, size_t n, const uint8_t *table)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = table[src[i]];
}

/** Bounds of a fused activation for floats; NONE is the finite range. */
void nnfw_activation_range(uint32_t activation, float *lo, float *hi);

#endif
