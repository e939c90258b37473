// SPDX-License-Identifier: Apache-2.0
/* Sums of some pixels and vectors of channels in registers over the taps. */
#include "f32_depthwise/f32_depthwise.h"
#include "simd/simd_avx512.h"

#define LANES 16
#define PIXELS 8
#define VECTORS 4

typedef __m512 vector;
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

INLINE vector multiply_add(vector a, vector b, vector sum)
{
	return _mm512_fmadd_ps(a, b, sum);
}

/* A NaN is the second operand, which is what they give. */
INLINE vector clamp(vector a, float lo, float hi)
{
	return _mm512_min_ps(_mm512_set1_ps(hi), _mm512_max_ps(_mm512_set1_ps(lo), a));
}

/* Input channels of output channels from @c on. */
INLINE __m512i inputs(size_t c, size_t multiplier)
{
	int index[LANES];

	for (size_t i = 0; i < LANES; i++)
		index[i] = (int)((c + i) / multiplier);
	return _mm512_loadu_si512(index);
}

/* @p pixels from pixel @i on, @v vectors of channels from @c on; the last has the lanes of @last.
 */
INLINE void tile(const struct nnfw_f32_depthwise *d, size_t i, size_t c, const size_t p,
		 const size_t v, lanes last, const bool many)
{
	const __m512i index = many ? inputs(c, d->multiplier) : _mm512_setzero_si512();
	float *out = d->out + i * d->out_pixel + c;
	const float *in[PIXELS];
	vector sums[PIXELS][VECTORS];

#pragma GCC unroll 8
	for (size_t k = 0; k < p; k++) {
		in[k] = d->in + (i + k) * d->pixel + (many ? 0 : c);
#pragma GCC unroll 4
		for (size_t j = 0; j < v; j++)
			sums[k][j] =
				load((d->more ? out + k * d->out_pixel : d->bias + c) + j * LANES,
				     j + 1 == v ? last : lanes_first(LANES));
	}
	for (size_t y = 0; y < d->rows; y++) {
		const float *taps = d->taps + y * d->tap_row + c;
		size_t at = y * d->row;

		for (size_t x = 0; x < d->columns; x++, at += d->column, taps += d->tap_column) {
#pragma GCC unroll 4
			for (size_t j = 0; j < v; j++) {
				const lanes k = j + 1 == v ? last : lanes_first(LANES);
				const vector f = load(taps + j * LANES, k);

#pragma GCC unroll 8
				for (size_t n = 0; n < p; n++) {
					const float *from = in[n] + at + j * LANES;
					const vector a = many ? _mm512_mask_i32gather_ps(
									_mm512_setzero_ps(), k,
									index, from, sizeof(float))
							      : load(from, k);

					sums[n][j] = multiply_add(a, f, sums[n][j]);
				}
			}
		}
	}
#pragma GCC unroll 8
	for (size_t k = 0; k < p; k++) {
#pragma GCC unroll 4
		for (size_t j = 0; j < v; j++)
			store(out + k * d->out_pixel + j * LANES, clamp(sums[k][j], d->lo, d->hi),
			      j + 1 == v ? last : lanes_first(LANES));
	}
}

/* All channels of @p pixels from @i on, @v vectors at a time. */
INLINE void channels(const struct nnfw_f32_depthwise *d, size_t i, const size_t p, const size_t v)
{
	size_t c = d->first;

	if (d->multiplier != 1) {
		for (; c + LANES <= d->end; c += LANES)
			tile(d, i, c, p, 1, lanes_first(LANES), true);
		if (c < d->end)
			tile(d, i, c, p, 1, lanes_first(d->end - c), true);
		return;
	}
	for (; c + v * LANES <= d->end; c += v * LANES)
		tile(d, i, c, p, v, lanes_first(LANES), false);
	for (; v > 1 && c + LANES <= d->end; c += LANES)
		tile(d, i, c, p, 1, lanes_first(LANES), false);
	if (c < d->end)
		tile(d, i, c, p, 1, lanes_first(d->end - c), false);
}

#define IN_REGISTER "+v"
#include "f32_depthwise/f32_depthwise_near.h"

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
