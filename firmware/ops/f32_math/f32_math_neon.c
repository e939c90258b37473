// SPDX-License-Identifier: Apache-2.0
/* Two vectors are one of eight lanes: the sums of the other rows have eight. */
#include <arm_neon.h>
#include <string.h>

#include "f32_math/f32_math_kernels.h"
#include "simd/simd.h"

#define LANES 8u

typedef struct {
	float32x4_t low, high;
} vec;

struct sums {
	float64x2_t pair[4];
};

#define EACH_HALF(f, ...) ((vec){ f(low, __VA_ARGS__), f(high, __VA_ARGS__) })
#define TWO(half, op, a, b) op((a).half, (b).half)
#define BITS(half, op, a, b) \
	vreinterpretq_f32_u32(op(vreinterpretq_u32_f32((a).half), vreinterpretq_u32_f32((b).half)))

INLINE vec v_set(float x)
{
	return (vec){ vdupq_n_f32(x), vdupq_n_f32(x) };
}

INLINE vec v_add(vec a, vec b)
{
	return EACH_HALF(TWO, vaddq_f32, a, b);
}

INLINE vec v_sub(vec a, vec b)
{
	return EACH_HALF(TWO, vsubq_f32, a, b);
}

INLINE vec v_mul(vec a, vec b)
{
	return EACH_HALF(TWO, vmulq_f32, a, b);
}

INLINE vec v_div(vec a, vec b)
{
	return EACH_HALF(TWO, vdivq_f32, a, b);
}

INLINE vec v_and(vec a, vec b)
{
	return EACH_HALF(BITS, vandq_u32, a, b);
}

INLINE vec v_or(vec a, vec b)
{
	return EACH_HALF(BITS, vorrq_u32, a, b);
}

INLINE vec v_abs(vec a)
{
	return (vec){ vabsq_f32(a.low), vabsq_f32(a.high) };
}

INLINE vec v_fma(vec a, vec b, vec c)
{
	return (vec){ vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high) };
}

INLINE vec v_fnma(vec a, vec b, vec c)
{
	return (vec){ vfmsq_f32(c.low, a.low, b.low), vfmsq_f32(c.high, a.high, b.high) };
}

/* A NaN on either side stays; only the second one can be. */
INLINE vec v_min(vec a, vec b)
{
	return EACH_HALF(TWO, vminq_f32, a, b);
}

INLINE vec v_max(vec a, vec b)
{
	return EACH_HALF(TWO, vmaxq_f32, a, b);
}

INLINE vec v_round(vec a)
{
	return (vec){ vrndnq_f32(a.low), vrndnq_f32(a.high) };
}

INLINE float32x4_t half_power(float32x4_t k)
{
	const int32x4_t exponent = vaddq_s32(vcvtnq_s32_f32(k), vdupq_n_s32(127));

	return vreinterpretq_f32_s32(vshlq_n_s32(exponent, 23));
}

INLINE vec v_power(vec k)
{
	return (vec){ half_power(k.low), half_power(k.high) };
}

INLINE vec v_load(const float *p)
{
	return (vec){ vld1q_f32(p), vld1q_f32(p + 4) };
}

INLINE void v_store(float *p, vec v)
{
	vst1q_f32(p, v.low);
	vst1q_f32(p + 4, v.high);
}

INLINE vec v_load_part(const float *p, size_t n)
{
	float lanes[LANES] = { 0 };

	memcpy(lanes, p, n * sizeof(*p));
	return v_load(lanes);
}

INLINE void v_store_part(float *p, size_t n, vec v)
{
	float lanes[LANES];

	v_store(lanes, v);
	memcpy(p, lanes, n * sizeof(*p));
}

INLINE struct sums v_sums_load(const double *p)
{
	return (struct sums){ { vld1q_f64(p), vld1q_f64(p + 2), vld1q_f64(p + 4),
				vld1q_f64(p + 6) } };
}

INLINE void v_sums_store(double *p, struct sums s)
{
	for (size_t i = 0; i < 4; i++)
		vst1q_f64(p + 2 * i, s.pair[i]);
}

INLINE struct sums v_sums_add(struct sums s, vec v)
{
	s.pair[0] = vaddq_f64(s.pair[0], vcvt_f64_f32(vget_low_f32(v.low)));
	s.pair[1] = vaddq_f64(s.pair[1], vcvt_high_f64_f32(v.low));
	s.pair[2] = vaddq_f64(s.pair[2], vcvt_f64_f32(vget_low_f32(v.high)));
	s.pair[3] = vaddq_f64(s.pair[3], vcvt_high_f64_f32(v.high));
	return s;
}

#include "f32_math/vectors.h"

const struct nnfw_f32_math_kernels nnfw_f32_math_neon = NNFW_F32_MATH_ROW;
