// SPDX-License-Identifier: Apache-2.0
#include "kernels/requant.h"
#include "resize_rows/resize_rows.h"

static void down_f32(float *dst, const float *top, const float *bottom, size_t n, float weight)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = top[i] * (1 - weight) + bottom[i] * weight;
}

static void resize_rows_across(float *dst, const float *src, const struct nnfw_tap *taps,
			       size_t count, size_t channels)
{
	for (size_t x = 0; x < count; x++, dst += channels)
		down_f32(dst, src + taps[x].lo * channels, src + taps[x].hi * channels, channels,
			 taps[x].weight);
}

static void down_q8(uint8_t *dst, const float *top, const float *bottom, size_t n, float weight,
		    bool is_signed)
{
	const struct nnfw_requant q = { 0, is_signed ? -128 : 0, is_signed ? 127 : 255 };

	for (size_t i = 0; i < n; i++)
		dst[i] = (uint8_t)nnfw_requant_real(top[i] * (1 - weight) + bottom[i] * weight, &q);
}

const struct nnfw_resize_rows_kernels nnfw_resize_rows_scalar = {
	.across = resize_rows_across,
	.down_f32 = down_f32,
	.down_q8 = down_q8,
};
