// SPDX-License-Identifier: Apache-2.0
/* The mathematics are explained in vnni.c. */
#include <immintrin.h>

#include "f32_math/f32_math_kernels.h"

#define INLINE static inline __attribute__((always_inline))
#define LANES 8

INLINE __m256 exp_parts(__m256 x, __m256 *power)
{
	const __m256 k = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504f)),
					 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
	__m256 r = _mm256_fnmadd_ps(k, _mm256_set1_ps(0.693359375f), x);
	__m256 p = _mm256_set1_ps(1.0f / 5040);

	r = _mm256_fnmadd_ps(k, _mm256_set1_ps(-2.12194440e-4f), r);
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f / 720));
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f / 120));
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f / 24));
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f / 6));
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f / 2));
	*power = _mm256_castsi256_ps(_mm256_slli_epi32(
		_mm256_add_epi32(_mm256_cvtps_epi32(k), _mm256_set1_epi32(127)), 23));
	return _mm256_fmadd_ps(p, _mm256_mul_ps(r, r), r);
}

INLINE __m256 sigmoid_of(__m256 x)
{
	const __m256 one = _mm256_set1_ps(1);
	__m256 power, p;

	/* NaN is the second operand, which stays */
	x = _mm256_min_ps(_mm256_set1_ps(88), _mm256_max_ps(_mm256_set1_ps(-88), x));
	p = exp_parts(_mm256_sub_ps(_mm256_setzero_ps(), x), &power);
	return _mm256_div_ps(one, _mm256_add_ps(one, _mm256_fmadd_ps(power, p, power)));
}

INLINE __m256 tanh_of(__m256 x)
{
	const __m256 minus = _mm256_set1_ps(-0.0f), one = _mm256_set1_ps(1);
	__m256 size = _mm256_min_ps(_mm256_set1_ps(20), _mm256_andnot_ps(minus, x)), power, p, e;

	p = exp_parts(_mm256_mul_ps(size, _mm256_set1_ps(-2)), &power);
	e = _mm256_fmadd_ps(power, p, _mm256_sub_ps(power, one));
	e = _mm256_div_ps(e, _mm256_add_ps(e, _mm256_set1_ps(2)));
	/* not positive, but a NaN */
	return _mm256_or_ps(_mm256_andnot_ps(minus, e), _mm256_and_ps(x, minus));
}

INLINE void each(float *x, size_t n, __m256 (*f)(__m256))
{
	static const int lanes[2 * LANES] = { -1, -1, -1, -1, -1, -1, -1, -1 };
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		_mm256_storeu_ps(x + i, f(_mm256_loadu_ps(x + i)));
	if (i < n) {
		const __m256i last = _mm256_loadu_si256((const void *)(lanes + LANES - (n - i)));

		_mm256_maskstore_ps(x + i, last, f(_mm256_maskload_ps(x + i, last)));
	}
}

static void sigmoids(float *x, size_t n)
{
	each(x, n, sigmoid_of);
}

static void tanhs(float *x, size_t n)
{
	each(x, n, tanh_of);
}

const struct nnfw_f32_math_kernels nnfw_f32_math_avx2 = { .sigmoid = sigmoids, .tanh = tanhs };
