// SPDX-License-Identifier: Apache-2.0
/* Sums of some pixels and vectors of channels in registers over the taps. */
#include "f32_depthwise/f32_depthwise.h"
#include "simd/simd_avx2.h"

#define LANES 8
#define PIXELS 8
#define VECTORS 4

typedef __m256 vector;
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

INLINE vector multiply_add(vector a, vector b, vector sum)
{
	return _mm256_fmadd_ps(a, b, sum);
}

/* A NaN is the second operand, which is what they give. */
INLINE vector clamp(vector a, float lo, float hi)
{
	return _mm256_min_ps(_mm256_set1_ps(hi), _mm256_max_ps(_mm256_set1_ps(lo), a));
}

/* Input channels of output channels from @c on. */
INLINE __m256i inputs(size_t c, size_t multiplier)
{
	int index[LANES];

	for (size_t i = 0; i < LANES; i++)
		index[i] = (int)((c + i) / multiplier);
	return _mm256_loadu_si256((const void *)index);
}

/*
 * @p pixels from pixel @i on, @v vectors of channels from @c on, each with the lanes of @k.
 */
INLINE void tile(const struct nnfw_f32_depthwise *d, size_t i, size_t c, const size_t p,
		 const size_t v, lanes k, const bool many)
{
	const __m256i index = many ? inputs(c, d->multiplier) : _mm256_setzero_si256();
	float *out = d->out + i * d->out_pixel + c;
	const float *in[PIXELS];
	vector sums[PIXELS][VECTORS];

#pragma GCC unroll 8
	for (size_t n = 0; n < p; n++) {
		in[n] = d->in + (i + n) * d->pixel + (many ? 0 : c);
#pragma GCC unroll 4
		for (size_t j = 0; j < v; j++)
			sums[n][j] = load(
				(d->more ? out + n * d->out_pixel : d->bias + c) + j * LANES, k);
	}
	for (size_t y = 0; y < d->rows; y++) {
		const float *taps = d->taps + y * d->tap_row + c;
		size_t at = y * d->row;

		for (size_t x = 0; x < d->columns; x++, at += d->column, taps += d->tap_column) {
#pragma GCC unroll 4
			for (size_t j = 0; j < v; j++) {
				const vector f = load(taps + j * LANES, k);

#pragma GCC unroll 8
				for (size_t n = 0; n < p; n++) {
					const float *from = in[n] + at + j * LANES;
					const vector a = many ? _mm256_mask_i32gather_ps(
									_mm256_setzero_ps(), from,
									index,
									_mm256_castsi256_ps(k.some),
									sizeof(float))
							      : load(from, k);

					sums[n][j] = multiply_add(a, f, sums[n][j]);
				}
			}
		}
	}
#pragma GCC unroll 8
	for (size_t n = 0; n < p; n++) {
#pragma GCC unroll 4
		for (size_t j = 0; j < v; j++)
			store(out + n * d->out_pixel + j * LANES, clamp(sums[n][j], d->lo, d->hi),
			      k);
	}
}

/* All channels of @p pixels from @i on, @v vectors at a time. */
INLINE void channels(const struct nnfw_f32_depthwise *d, size_t i, const size_t p, const size_t v)
{
	const lanes all = lanes_first(LANES), last = lanes_first((d->end - d->first) % LANES);
	size_t c = d->first;

	if (d->multiplier != 1) {
		for (; c + LANES <= d->end; c += LANES)
			tile(d, i, c, p, 1, all, true);
		if (c < d->end)
			tile(d, i, c, p, 1, last, true);
		return;
	}
	for (; c + v * LANES <= d->end; c += v * LANES)
		tile(d, i, c, p, v, all, false);
	for (; v > 1 && c + LANES <= d->end; c += LANES)
		tile(d, i, c, p, 1, all, false);
	if (c < d->end)
		tile(d, i, c, p, 1, last, false);
}

#define IN_REGISTER "+x"
#include "f32_depthwise/f32_depthwise_near.h"

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
