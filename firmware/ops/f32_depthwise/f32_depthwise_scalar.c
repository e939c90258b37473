// SPDX-License-Identifier: Apache-2.0
#include "f32_depthwise/f32_depthwise.h"
#include "kernels/kernel.h"

static void f32_depthwise_pixel(const struct nnfw_f32_depthwise *d, const float *in, float *out)
{
	const size_t m = d->multiplier;

	for (size_t c = d->first; c < d->end; c++)
		out[c] = d->more ? out[c] : d->bias[c];
	for (size_t y = 0; y < d->rows; y++) {
		for (size_t x = 0; x < d->columns; x++) {
			const float *from = in + y * d->row + x * d->column;
			const float *taps = d->taps + y * d->tap_row + x * d->tap_column;

			if (m == 1) {
				for (size_t c = d->first; c < d->end; c++)
					out[c] += from[c] * taps[c];
				continue;
			}
			for (size_t c = d->first, k = c / m, q = c % m; c < d->end; c++) {
				out[c] += from[k] * taps[c];
				q = q + 1 == m ? 0 : q + 1;
				k += !q;
			}
		}
	}
	for (size_t c = d->first; c < d->end; c++)
		out[c] = nnfw_clampf(out[c], d->lo, d->hi);
}

static void f32_depthwise_pixels(const struct nnfw_f32_depthwise *d)
{
	for (size_t i = 0; i < d->pixels; i++)
		f32_depthwise_pixel(d, d->in + i * d->pixel, d->out + i * d->out_pixel);
}

const struct nnfw_f32_depthwise_kernels nnfw_f32_depthwise_scalar = {
	.pixels = f32_depthwise_pixels
};
