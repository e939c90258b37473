// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "f32_math/f32_math_kernels.h"

#define INLINE static inline __attribute__((always_inline))
#define LANES 16

/*
 * exp(x) = *power * (1 + result) of |x| up to 88, *power a power of 2: x = k ln 2 + r, and the
 * series of exp(r) - 1, |r| <= ln 2 / 2, to the seventh power.
 */
INLINE __m512 exp_parts(__m512 x, __m512 *power)
{
	const __m512 k = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 0);
	/* ln 2 in two parts, the first with zeros at its end */
	__m512 r = _mm512_fnmadd_ps(k, _mm512_set1_ps(0.693359375f), x);
	__m512 p = _mm512_set1_ps(1.0f / 5040);

	r = _mm512_fnmadd_ps(k, _mm512_set1_ps(-2.12194440e-4f), r);
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f / 720));
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f / 120));
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f / 24));
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f / 6));
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f / 2));
	*power = _mm512_scalef_ps(_mm512_set1_ps(1), k);
	return _mm512_fmadd_ps(p, _mm512_mul_ps(r, r), r);
}

INLINE __m512 sigmoid_of(__m512 x)
{
	const __m512 one = _mm512_set1_ps(1);
	__m512 power, p;

	/* NaN is the second operand, which stays */
	x = _mm512_min_ps(_mm512_set1_ps(88), _mm512_max_ps(_mm512_set1_ps(-88), x));
	p = exp_parts(_mm512_sub_ps(_mm512_setzero_ps(), x), &power);
	return _mm512_div_ps(one, _mm512_add_ps(one, _mm512_fmadd_ps(power, p, power)));
}

/* With e = exp(-2 |x|) - 1: -e / (2 + e) and the sign of x. */
INLINE __m512 tanh_of(__m512 x)
{
	const __m512 sign = _mm512_and_ps(x, _mm512_set1_ps(-0.0f)), one = _mm512_set1_ps(1);
	__m512 size = _mm512_min_ps(_mm512_set1_ps(20), _mm512_abs_ps(x)), power, p, e;

	p = exp_parts(_mm512_mul_ps(size, _mm512_set1_ps(-2)), &power);
	e = _mm512_fmadd_ps(power, p, _mm512_sub_ps(power, one));
	e = _mm512_div_ps(e, _mm512_add_ps(e, _mm512_set1_ps(2)));
	/* not positive, but a NaN */
	return _mm512_or_ps(_mm512_abs_ps(e), sign);
}

INLINE void each(float *x, size_t n, __m512 (*f)(__m512))
{
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		_mm512_storeu_ps(x + i, f(_mm512_loadu_ps(x + i)));
	if (i < n) {
		const __mmask16 last = (__mmask16)(0xffff >> (LANES - (n - i)));

		_mm512_mask_storeu_ps(x + i, last, f(_mm512_maskz_loadu_ps(last, x + i)));
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

const struct nnfw_f32_math_kernels nnfw_f32_math_vnni = { .sigmoid = sigmoids, .tanh = tanhs };
