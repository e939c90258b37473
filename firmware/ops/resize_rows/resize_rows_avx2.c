// SPDX-License-Identifier: Apache-2.0
#include "resize_rows/resize_rows.h"
#include "simd/simd_avx2.h"

INLINE __m256 blend(__m256 a, __m256 b, __m256 wa, __m256 wb)
{
	return _mm256_add_ps(_mm256_mul_ps(a, wa), _mm256_mul_ps(b, wb));
}

INLINE void blend_row(float *dst, const float *a, const float *b, size_t n, float weight)
{
	const __m256 wa = _mm256_set1_ps(1 - weight), wb = _mm256_set1_ps(weight);
	size_t i = 0;

	for (; n - i >= 8; i += 8)
		_mm256_storeu_ps(dst + i,
				 blend(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), wa, wb));
	if (i < n) {
		__m256i mask = mask_8(n - i);

		_mm256_maskstore_ps(dst + i, mask,
				    blend(_mm256_maskload_ps(a + i, mask),
					  _mm256_maskload_ps(b + i, mask), wa, wb));
	}
}

static void down_f32(float *dst, const float *top, const float *bottom, size_t n, float weight)
{
	blend_row(dst, top, bottom, n, weight);
}

static void resize_rows_across(float *dst, const float *src, const struct nnfw_tap *taps,
			       size_t count, size_t channels)
{
	for (size_t x = 0; x < count; x++, dst += channels)
		blend_row(dst, src + taps[x].lo * channels, src + taps[x].hi * channels, channels,
			  taps[x].weight);
}

INLINE __m256i codes(const float *a, const float *b, __m256 wa, __m256 wb, bool is_signed)
{
	__m256i v[4], low, high;

	for (int k = 0; k < 4; k++)
		v[k] = _mm256_cvtps_epi32(
			blend(_mm256_loadu_ps(a + 8 * k), _mm256_loadu_ps(b + 8 * k), wa, wb));
	low = _mm256_packs_epi32(v[0], v[1]);
	high = _mm256_packs_epi32(v[2], v[3]);
	low = is_signed ? _mm256_packs_epi16(low, high) : _mm256_packus_epi16(low, high);
	return bytes_in_order_256(low);
}

static void down_q8(uint8_t *dst, const float *top, const float *bottom, size_t n, float weight,
		    bool is_signed)
{
	const __m256 wa = _mm256_set1_ps(1 - weight), wb = _mm256_set1_ps(weight);
	float last_top[32] = { 0 }, last_bottom[32] = { 0 };
	uint8_t last[32];
	size_t i = 0;

	for (; n - i >= 32; i += 32)
		_mm256_storeu_si256((void *)(dst + i),
				    codes(top + i, bottom + i, wa, wb, is_signed));
	if (i < n) {
		memcpy(last_top, top + i, (n - i) * sizeof(*top));
		memcpy(last_bottom, bottom + i, (n - i) * sizeof(*bottom));
		_mm256_storeu_si256((void *)last, codes(last_top, last_bottom, wa, wb, is_signed));
		memcpy(dst + i, last, n - i);
	}
}

const struct nnfw_resize_rows_kernels nnfw_resize_rows_avx2 = {
	.across = resize_rows_across,
	.down_f32 = down_f32,
	.down_q8 = down_q8,
};
