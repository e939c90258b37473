// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "kernels/requant.h"

/* A 32-bit constant's upper half, rounded. */
#define UPPER(c) ((int16_t)(((c) + ((c) < 0 ? -0x8000 : 0x8000)) / 0x10000))

#define ONE_Q0 INT16_MAX
#define ONE_Q2 ((int16_t)(1 << 13))

struct nnfw_multiplier nnfw_multiplier_of(double real)
{
	struct nnfw_multiplier m = { 0, 0 };
	int64_t q;

	if (!(real > 0))
		return m;
	q = llround(ldexp(frexp(real, &m.shift), 31));
	if (q == (int64_t)1 << 31) {
		q /= 2;
		m.shift++;
	}
	if (m.shift < -31)
		return (struct nnfw_multiplier){ 0, 0 };
	if (m.shift > 30)
		return (struct nnfw_multiplier){ INT32_MAX, 30 };
	m.q = (int32_t)q;
	return m;
}

int32_t nnfw_multiply(int32_t x, struct nnfw_multiplier m)
{
	int left = m.shift > 0 ? m.shift : 0, right = m.shift < 0 ? -m.shift : 0;

	return nnfw_rounding_shift(nnfw_mul_high32((int32_t)((uint32_t)x << left), m.q), right);
}

static int32_t shift_left_sat32(int32_t x, int by)
{
	int64_t y = (int64_t)x * ((int64_t)1 << by);

	return (int32_t)(y > INT32_MAX ? INT32_MAX : y < INT32_MIN ? INT32_MIN : y);
}

struct nnfw_multiplier nnfw_inverse_sqrt(int32_t v)
{
	const int32_t three_halves = 402653184, half_sqrt2 = 1518500250; /* Q3, Q0 */
	int shift = 11, pairs;
	int32_t half, x = 1 << 28; /* Q3 */

	if (v <= 1)
		return (struct nnfw_multiplier){ INT32_MAX, 0 };
	while (v >= 1 << 29) {
		v /= 4;
		shift++;
	}
	pairs = (__builtin_clz((uint32_t)v) - 1) / 2 - 1;
	shift -= pairs;
	v <<= 2 * pairs;
	half = nnfw_rounding_shift(v >> 1, 1);
	/* Newton: x = 3/2 x - v/2 x^3 */
	for (int i = 0; i < 5; i++) {
		int32_t cube = shift_left_sat32(nnfw_mul_high32(nnfw_mul_high32(x, x), x), 6);
		uint32_t next = (uint32_t)nnfw_mul_high32(three_halves, x) -
				(uint32_t)nnfw_mul_high32(half, cube);

		x = shift_left_sat32((int32_t)next, 3);
	}
	x = nnfw_mul_high32(x, half_sqrt2);
	if (shift < 0) {
		x = (int32_t)((uint32_t)x << -shift);
		shift = 0;
	}
	return (struct nnfw_multiplier){ x, -shift };
}

/* ---- functions of 16 bits ---- */

static int16_t shift_left_sat16(int16_t x, int by)
{
	return nnfw_sat16((int64_t)x * (1 << by));
}

static int16_t fixedpoint_add(int16_t a, int16_t b)
{
	return (int16_t)(a + b);
}

static int16_t sub(int16_t a, int16_t b)
{
	return (int16_t)(a - b);
}

/* e^a for a in [-1/4, 0), Q0: the Taylor series about -1/8. */
static int16_t exp_quarter(int16_t a)
{
	const int16_t c = UPPER(1895147668), third = UPPER(715827883); /* e^(-1/8), 1/3 */
	int16_t x = fixedpoint_add(a, 1 << 12), x2 = nnfw_mul_high16(x, x),
		x3 = nnfw_mul_high16(x2, x);
	int16_t x4 = nnfw_mul_high16(x2, x2);
	int16_t sum = fixedpoint_add((int16_t)nnfw_rounding_shift(x4, 2), x3);

	sum = (int16_t)nnfw_rounding_shift(fixedpoint_add(nnfw_mul_high16(sum, third), x2), 1);
	return nnfw_sat16((int64_t)c + nnfw_mul_high16(c, fixedpoint_add(x, sum)));
}

/* e^a for a <= 0 in Q@bits, to Q0. */
static int16_t exp_negative(int16_t a, int bits)
{
	static const int16_t powers[] = {
		/* e^(-2^(i - 2)) */
		UPPER(1672461947), UPPER(1302514674), UPPER(790015084), UPPER(290630308),
		UPPER(39332535),   UPPER(720401),     UPPER(242),
	};
	int fraction = 15 - bits, quarter = 1 << (fraction - 2);
	int part = (a & (quarter - 1)) - quarter, rest = part - a;
	int16_t result;

	if (!a)
		return ONE_Q0;
	if (bits > 5 && a < -(1 << (fraction + 5)))
		return 0;
	result = exp_quarter(shift_left_sat16((int16_t)part, bits));
	for (int e = -2; e < bits && e <= 4; e++) {
		if (rest & (1 << (fraction + e)))
			result = nnfw_mul_high16(result, powers[e + 2]);
	}
	return result;
}

/* 1 / (1 + x) * 2 for x in [0, 1] Q0, as Newton's method leaves it, Q2. */
static int16_t fixedpoint_reciprocal(int16_t x)
{
	int16_t half = (int16_t)((x + ONE_Q0 + 1) / 2);
	int16_t y = fixedpoint_add(UPPER(1515870810), nnfw_mul_high16(half, UPPER(-1010580540)));

	for (int i = 0; i < 3; i++) {
		int16_t left = sub(ONE_Q2, nnfw_mul_high16(half, y));

		y = fixedpoint_add(y, shift_left_sat16(nnfw_mul_high16(y, left), 2));
	}
	return y;
}

int16_t nnfw_logistic16(int16_t a)
{
	int16_t positive;

	if (!a)
		return 1 << 14;
	/* half of Q2 is the same number read as Q1 */
	positive = shift_left_sat16(fixedpoint_reciprocal(exp_negative(a < 0 ? a : (int16_t)-a, 3)),
				    1);
	return a > 0 ? positive : sub(ONE_Q0, positive);
}

int16_t nnfw_tanh16(int16_t a, int bits)
{
	int16_t t;

	if (!a)
		return 0;
	/* twice the argument is the same number read with one integer bit more */
	t = exp_negative(a < 0 ? a : (int16_t)-a, bits + 1);
	t = shift_left_sat16(sub(fixedpoint_reciprocal(t), ONE_Q2), 2);
	return a < 0 ? (int16_t)-t : t;
}
