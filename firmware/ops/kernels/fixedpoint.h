/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixed-point arithmetic of NNAPI's quantized recurrent operations. Qm is a number with m integer
 * bits: in 16 bits it has 15 - m fraction bits. Every function gives the same bits for every input;
 * what leaves the range wraps, where it does not say that it saturates.
 */
#ifndef NNFW_FIXEDPOINT_H
#define NNFW_FIXEDPOINT_H

#include <stdint.h>

static inline int16_t nnfw_sat16(int64_t x)
{
	return (int16_t)(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
}

static inline int8_t nnfw_sat8(int64_t x)
{
	return (int8_t)(x < INT8_MIN ? INT8_MIN : x > INT8_MAX ? INT8_MAX : x);
}

/** Divide by 2^e, e in [0, 31], ties away from zero. */
static inline int32_t nnfw_rounding_shift(int32_t x, int e)
{
	int64_t half = e ? (int64_t)1 << (e - 1) : 0;

	return x < 0 ? (int32_t) - ((-(int64_t)x + half) >> e) : (int32_t)((x + half) >> e);
}

/** High half of the doubled product, rounded, ties up; saturating. */
static inline int32_t nnfw_mul_high32(int32_t a, int32_t b)
{
	int64_t ab = (int64_t)a * b;

	if (a == INT32_MIN && b == INT32_MIN)
		return INT32_MAX;
	return (int32_t)((ab + (ab >= 0 ? (int64_t)1 << 30 : 1 - ((int64_t)1 << 30))) /
			 ((int64_t)1 << 31));
}

static inline int16_t nnfw_mul_high16(int16_t a, int16_t b)
{
	int32_t ab = (int32_t)a * b;

	if (a == INT16_MIN && b == INT16_MIN)
		return INT16_MAX;
	return (int16_t)((ab + (ab >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

/** A real multiplier as q * 2^(shift - 31). */
struct nnfw_multiplier {
	int32_t q;
	int shift; /* [-31, 30] */
};

/** @real >= 0 and finite; q in [2^30, 2^31) or 0. What is too large saturates. */
struct nnfw_multiplier nnfw_multiplier_of(double real);

/** @x times the multiplier: shifted left (wrapping), multiplied, shifted right with rounding. */
int32_t nnfw_multiply(int32_t x, struct nnfw_multiplier m);

/** 1 / sqrt(@v) in units that layer normalization takes; @v of 1 and less counts as 1. */
struct nnfw_multiplier nnfw_inverse_sqrt(int32_t v);

/** Q3 to Q0. */
int16_t nnfw_logistic16(int16_t a);
/** Q@bits to Q0, bits in [0, 6]. */
int16_t nnfw_tanh16(int16_t a, int bits);

#endif
