// SPDX-License-Identifier: Apache-2.0
/* Sums of some pixels and vectors of channels in registers over the taps. */
#include "f32_depthwise/f32_depthwise.h"
#include "simd/simd_avx512.h"

#define LANES 16

typedef __m512 vector;
typedef __m512i integers;
typedef __mmask16 lanes;

INLINE lanes lanes_first(size_t n)
{
	return (__mmask16)(0xffff >> (LANES - n));
}

INLINE vector load(const float *p, lanes k)
{
	return _mm512_maskz_loadu_ps(k, p);
}

INLINE void store(float *p, vector a, lanes k)
{
	_mm512_mask_storeu_ps(p, k, a);
}

INLINE integers integers_load(const int *p)
{
	return _mm512_loadu_si512(p);
}

INLINE vector gather(const float *p, integers index, lanes k)
{
	return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), k, index, p, sizeof(float));
}

INLINE vector multiply_add(vector a, vector b, vector sum)
{
	return _mm512_fmadd_ps(a, b, sum);
}

/* A NaN is the second operand, which is what they give. */
INLINE vector clamp(vector a, float lo, float hi)
{
	return _mm512_min_ps(_mm512_set1_ps(hi), _mm512_max_ps(_mm512_set1_ps(lo), a));
}

#define IN_REGISTER "+v"
#include "f32_depthwise/f32_depthwise_near.h"
#include "f32_depthwise/f32_depthwise_tile.h"

static void f32_depthwise_pixels(const struct nnfw_f32_depthwise *d)
{
	size_t i = near_pixels(d);

	for (; i + PIXELS <= d->pixels; i += PIXELS)
		channels(d, i, PIXELS, 1);
	switch (d->pixels - i) {
	case 7:
		channels(d, i, 7, 1);
		break;
	case 6:
		channels(d, i, 6, 1);
		break;
	case 5:
		channels(d, i, 5, 2);
		break;
	case 4:
		channels(d, i, 4, 2);
		break;
	case 3:
		channels(d, i, 3, 2);
		break;
	case 2:
		channels(d, i, 2, 4);
		break;
	case 1:
		channels(d, i, 1, 4);
		break;
	default:
		break;
	}
}

const struct nnfw_f32_depthwise_kernels nnfw_f32_depthwise_avx512 = {
	.pixels = f32_depthwise_pixels
};
