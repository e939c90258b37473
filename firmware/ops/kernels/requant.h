/* SPDX-License-Identifier: Apache-2.0 */
/* Requantization. */
#ifndef NNACCEL_REQUANT_H
#define NNACCEL_REQUANT_H

#include <stdint.h>

#include "nnfw_op.h"
#include "nnprog_shape.h"

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

/* requant.c: requantization: parameters of the rule (kernels/requant.h), and tables. */

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

/** Bounds of a fused activation for floats; NONE is the finite range. */
void nnfw_activation_range(uint32_t activation, float *lo, float *hi);

/*
 * fixedpoint.c: fixed-point arithmetic of NNAPI's quantized recurrent operations. Qm is a number
 * with m integer bits: in 16 bits it has 15 - m fraction bits. Every function gives the same bits
 * for every input; results outside the range wrap, unless the function saturates.
 */

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
