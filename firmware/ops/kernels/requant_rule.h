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
#ifndef NNFW_REQUANT_RULE_H
#define NNFW_REQUANT_RULE_H

#include <stdint.h>

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

#endif
