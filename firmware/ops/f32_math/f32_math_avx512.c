// SPDX-License-Identifier: Apache-2.0
#include "f32_math/f32_math_kernels.h"
#include "simd/simd_avx512.h"

#define LANES 16u

typedef __m512 vec;

/* Of lanes 0 to 7, and after them of 8 to 15. */
struct sums {
	__m512d all;
};

#define v_set(x) _mm512_set1_ps(x)
#define v_add(a, b) _mm512_add_ps(a, b)
#define v_sub(a, b) _mm512_sub_ps(a, b)
#define v_mul(a, b) _mm512_mul_ps(a, b)
#define v_div(a, b) _mm512_div_ps(a, b)
#define v_and(a, b) _mm512_and_ps(a, b)
#define v_or(a, b) _mm512_or_ps(a, b)
#define v_abs(a) _mm512_abs_ps(a)
#define v_fma(a, b, c) _mm512_fmadd_ps(a, b, c)
#define v_fnma(a, b, c) _mm512_fnmadd_ps(a, b, c)
#define v_min(a, b) _mm512_min_ps(a, b)
#define v_max(a, b) _mm512_max_ps(a, b)
#define v_round(a) _mm512_roundscale_ps(a, 0)
#define v_load(p) _mm512_loadu_ps(p)
#define v_store(p, v) _mm512_storeu_ps(p, v)

INLINE vec v_power(vec k)
{
	const __m512i exponent = _mm512_add_epi32(_mm512_cvtps_epi32(k), _mm512_set1_epi32(127));

	return _mm512_castsi512_ps(_mm512_slli_epi32(exponent, 23));
}

INLINE __mmask16 part(size_t n)
{
	return (__mmask16)(0xffff >> (LANES - n));
}

INLINE vec v_load_part(const float *p, size_t n)
{
	return _mm512_maskz_loadu_ps(part(n), p);
}

INLINE void v_store_part(float *p, size_t n, vec v)
{
	_mm512_mask_storeu_ps(p, part(n), v);
}

INLINE struct sums v_sums_load(const double *p)
{
	return (struct sums){ _mm512_loadu_pd(p) };
}

INLINE void v_sums_store(double *p, struct sums s)
{
	_mm512_storeu_pd(p, s.all);
}

INLINE struct sums v_sums_add(struct sums s, vec v)
{
	s.all = _mm512_add_pd(s.all, _mm512_cvtps_pd(_mm512_castps512_ps256(v)));
	s.all = _mm512_add_pd(s.all, _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1)));
	return s;
}

#include "f32_math/vectors.h"

const struct nnfw_f32_math_kernels nnfw_f32_math_avx512 = NNFW_F32_MATH_ROW;
