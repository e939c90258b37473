// SPDX-License-Identifier: Apache-2.0
#include "f32_math/f32_math_kernels.h"
#include "simd/simd_avx2.h"

#define LANES 8u

typedef __m256 vec;

/* Of lanes 0 to 3 and 4 to 7. */
struct sums {
	__m256d low, high;
};

#define v_set(x) _mm256_set1_ps(x)
#define v_add(a, b) _mm256_add_ps(a, b)
#define v_sub(a, b) _mm256_sub_ps(a, b)
#define v_mul(a, b) _mm256_mul_ps(a, b)
#define v_div(a, b) _mm256_div_ps(a, b)
#define v_and(a, b) _mm256_and_ps(a, b)
#define v_or(a, b) _mm256_or_ps(a, b)
#define v_abs(a) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a)
#define v_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define v_fnma(a, b, c) _mm256_fnmadd_ps(a, b, c)
#define v_min(a, b) _mm256_min_ps(a, b)
#define v_max(a, b) _mm256_max_ps(a, b)
#define v_round(a) _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define v_load(p) _mm256_loadu_ps(p)
#define v_store(p, v) _mm256_storeu_ps(p, v)

INLINE vec v_power(vec k)
{
	const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(k), _mm256_set1_epi32(127));

	return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
}

INLINE vec v_load_part(const float *p, size_t n)
{
	return _mm256_maskload_ps(p, mask_8(n));
}

INLINE void v_store_part(float *p, size_t n, vec v)
{
	_mm256_maskstore_ps(p, mask_8(n), v);
}

INLINE struct sums v_sums_load(const double *p)
{
	return (struct sums){ _mm256_loadu_pd(p), _mm256_loadu_pd(p + 4) };
}

INLINE void v_sums_store(double *p, struct sums s)
{
	_mm256_storeu_pd(p, s.low);
	_mm256_storeu_pd(p + 4, s.high);
}

INLINE struct sums v_sums_add(struct sums s, vec v)
{
	s.low = _mm256_add_pd(s.low, _mm256_cvtps_pd(_mm256_castps256_ps128(v)));
	s.high = _mm256_add_pd(s.high, _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
	return s;
}

#include "f32_math/vectors.h"

const struct nnfw_f32_math_kernels nnfw_f32_math_avx2 = NNFW_F32_MATH_ROW;
