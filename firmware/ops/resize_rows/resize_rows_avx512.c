// SPDX-License-Identifier: Apache-2.0
#include "resize_rows/resize_rows.h"
#include "simd/simd_avx512.h"

INLINE __m512 blend(const float *a, const float *b, __m512 wa, __m512 wb, __mmask16 mask)
{
	return _mm512_add_ps(_mm512_mul_ps(_mm512_maskz_loadu_ps(mask, a), wa),
			     _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, b), wb));
}

static void down_f32(float *dst, const float *top, const float *bottom, size_t n, float weight)
{
	const __m512 wa = _mm512_set1_ps(1 - weight), wb = _mm512_set1_ps(weight);

	for (size_t i = 0; i < n; i += 16) {
		__mmask16 mask = mask_16(n - i);

		_mm512_mask_storeu_ps(dst + i, mask, blend(top + i, bottom + i, wa, wb, mask));
	}
}

static void resize_rows_across(float *dst, const float *src, const struct nnfw_tap *taps,
			       size_t count, size_t channels)
{
	for (size_t x = 0; x < count; x++, dst += channels) {
		const float *a = src + taps[x].lo * channels, *b = src + taps[x].hi * channels;
		const __m512 wa = _mm512_set1_ps(1 - taps[x].weight),
			     wb = _mm512_set1_ps(taps[x].weight);

		for (size_t c = 0; c < channels; c += 16) {
			__mmask16 mask = mask_16(channels - c);

			_mm512_mask_storeu_ps(dst + c, mask, blend(a + c, b + c, wa, wb, mask));
		}
	}
}

static void down_q8(uint8_t *dst, const float *top, const float *bottom, size_t n, float weight,
		    bool is_signed)
{
	const __m512 wa = _mm512_set1_ps(1 - weight), wb = _mm512_set1_ps(weight);

	for (size_t i = 0; i < n; i += 16) {
		__mmask16 mask = mask_16(n - i);
		__m512i v = _mm512_cvtps_epi32(blend(top + i, bottom + i, wa, wb, mask));
		__m128i codes = is_signed ? _mm512_cvtsepi32_epi8(v)
					  : _mm512_cvtusepi32_epi8(
						    _mm512_max_epi32(v, _mm512_setzero_si512()));

		_mm_mask_storeu_epi8(dst + i, mask, codes);
	}
}

const struct nnfw_resize_rows_kernels nnfw_resize_rows_avx512 = {
	.across = resize_rows_across,
	.down_f32 = down_f32,
	.down_q8 = down_q8,
};
