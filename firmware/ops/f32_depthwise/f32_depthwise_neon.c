// SPDX-License-Identifier: Apache-2.0
/* Sums of some pixels and vectors of channels in registers over the taps. */
#include "f32_depthwise/f32_depthwise.h"
#include "simd/simd_neon.h"

#define LANES 4
#define PIXELS 4
#define VECTORS 4

/* @p pixels from pixel @i on, @v vectors of channels from @c on; one input channel each. */
INLINE void tile(const struct nnfw_f32_depthwise *d, size_t i, size_t c, const size_t p,
		 const size_t v)
{
	const float32x4_t lo = vdupq_n_f32(d->lo), hi = vdupq_n_f32(d->hi);
	const float *in = d->in + i * d->pixel + c;
	float *out = d->out + i * d->out_pixel + c;
	float32x4_t sums[PIXELS][VECTORS];

	for (size_t k = 0; k < p; k++)
		for (size_t j = 0; j < v; j++)
			sums[k][j] = vld1q_f32((d->more ? out + k * d->out_pixel : d->bias + c) +
					       j * LANES);
	for (size_t y = 0; y < d->rows; y++) {
		const float *taps = d->taps + y * d->tap_row + c, *at = in + y * d->row;

		for (size_t x = 0; x < d->columns; x++, at += d->column, taps += d->tap_column) {
			for (size_t j = 0; j < v; j++) {
				const float32x4_t f = vld1q_f32(taps + j * LANES);

				for (size_t k = 0; k < p; k++)
					sums[k][j] = vfmaq_f32(
						sums[k][j],
						vld1q_f32(at + k * d->pixel + j * LANES), f);
			}
		}
	}
	for (size_t k = 0; k < p; k++)
		for (size_t j = 0; j < v; j++)
			vst1q_f32(out + k * d->out_pixel + j * LANES, clamp(sums[k][j], lo, hi));
}

/* One element, as a lane of tile() has it. */
static void f32_depthwise_element(const struct nnfw_f32_depthwise *d, size_t i, size_t c)
{
	float *out = d->out + i * d->out_pixel + c;
	float sum = d->more ? *out : d->bias[c];

	for (size_t y = 0; y < d->rows; y++) {
		const float *taps = d->taps + y * d->tap_row + c;
		const float *at = d->in + i * d->pixel + c / d->multiplier + y * d->row;

		for (size_t x = 0; x < d->columns; x++, at += d->column, taps += d->tap_column)
			sum = __builtin_fmaf(*at, *taps, sum);
	}
	sum = sum < d->lo ? d->lo : sum;
	*out = sum > d->hi ? d->hi : sum;
}

/* All channels of @p pixels from @i on. */
INLINE void channels(const struct nnfw_f32_depthwise *d, size_t i, const size_t p)
{
	size_t c = d->first;

	if (d->multiplier == 1) {
		for (; c + VECTORS * LANES <= d->end; c += VECTORS * LANES)
			tile(d, i, c, p, VECTORS);
		for (; c + LANES <= d->end; c += LANES)
			tile(d, i, c, p, 1);
	}
	for (; c < d->end; c++)
		for (size_t k = 0; k < p; k++)
			f32_depthwise_element(d, i + k, c);
}

static void f32_depthwise_pixels(const struct nnfw_f32_depthwise *d)
{
	size_t i = 0;

	for (; i + PIXELS <= d->pixels; i += PIXELS)
		channels(d, i, PIXELS);
	for (; i < d->pixels; i++)
		channels(d, i, 1);
}

const struct nnfw_f32_depthwise_kernels nnfw_f32_depthwise_neon = { .pixels =
									    f32_depthwise_pixels };
