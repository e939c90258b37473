// SPDX-License-Identifier: Apache-2.0
/* Sums of some pixels and vectors of channels in registers over the taps. */
#include "f32_depthwise/f32_depthwise.h"
#include "simd/simd_avx2.h"

#define LANES 8

typedef __m256 vector;
typedef __m256i integers;
/* @some: integers that are -1 where there is a lane. */
typedef struct {
	bool whole;
	__m256i some;
} lanes;

INLINE lanes lanes_first(size_t n)
{
	return (lanes){ n == LANES, mask_8(n) };
}

INLINE vector load(const float *p, lanes k)
{
	return k.whole ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, k.some);
}

INLINE void store(float *p, vector a, lanes k)
{
	if (k.whole)
		_mm256_storeu_ps(p, a);
	else
		_mm256_maskstore_ps(p, k.some, a);
}

INLINE integers integers_load(const int *p)
{
	return _mm256_loadu_si256((const void *)p);
}

INLINE vector gather(const float *p, integers index, lanes k)
{
	return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), p, index, _mm256_castsi256_ps(k.some),
					sizeof(float));
}

INLINE vector multiply_add(vector a, vector b, vector sum)
{
	return _mm256_fmadd_ps(a, b, sum);
}

/* A NaN is the second operand, which is what they give. */
INLINE vector clamp(vector a, float lo, float hi)
{
	return _mm256_min_ps(_mm256_set1_ps(hi), _mm256_max_ps(_mm256_set1_ps(lo), a));
}

#define IN_REGISTER "+x"
#include "f32_depthwise/f32_depthwise_near.h"
#include "f32_depthwise/f32_depthwise_tile.h"

static void f32_depthwise_pixels(const struct nnfw_f32_depthwise *d)
{
	size_t i = near_pixels(d);

	for (; i + PIXELS <= d->pixels; i += PIXELS)
		channels(d, i, PIXELS, 1);
	for (; i + 4 <= d->pixels; i += 4)
		channels(d, i, 4, 2);
	switch (d->pixels - i) {
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

const struct nnfw_f32_depthwise_kernels nnfw_f32_depthwise_avx2 = { .pixels =
									    f32_depthwise_pixels };
