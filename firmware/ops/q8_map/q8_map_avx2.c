// SPDX-License-Identifier: Apache-2.0
#include "q8_map/q8_map.h"
#include "simd/simd_avx2.h"

/*
 * The table in 16 parts. A shuffle gives 0 where the index is negative: part i, which holds its
 * difference to the part before, is looked up with the code less 16 i, saturated, and all results
 * are combined. The upper eight parts have the code with the top bit flipped.
 */
static void q8_map_lookup(uint8_t *dst, const uint8_t *src, size_t n, const uint8_t *table)
{
	__m256i parts[16];
	size_t i = 0;

	if (n >= 64) {
		for (int k = 0; k < 16; k++)
			parts[k] = _mm256_broadcastsi128_si256(
				_mm_loadu_si128((const void *)(table + 16 * k)));
		for (int k = 7; k > 0; k--) {
			parts[k] = _mm256_xor_si256(parts[k], parts[k - 1]);
			parts[k + 8] = _mm256_xor_si256(parts[k + 8], parts[k + 7]);
		}
	}
	for (; n - i >= 32 && n >= 64; i += 32) {
		__m256i low = _mm256_loadu_si256((const void *)(src + i));
		__m256i high = _mm256_xor_si256(low, _mm256_set1_epi8((char)0x80));
		__m256i to = _mm256_xor_si256(_mm256_shuffle_epi8(parts[0], low),
					      _mm256_shuffle_epi8(parts[8], high));

		for (int k = 1; k < 8; k++) {
			low = _mm256_subs_epi8(low, _mm256_set1_epi8(16));
			high = _mm256_subs_epi8(high, _mm256_set1_epi8(16));
			to = _mm256_xor_si256(to, _mm256_shuffle_epi8(parts[k], low));
			to = _mm256_xor_si256(to, _mm256_shuffle_epi8(parts[k + 8], high));
		}
		_mm256_storeu_si256((void *)(dst + i), to);
	}
	for (; i < n; i++)
		dst[i] = table[src[i]];
}

static void q8_map_dequantize(float *dst, const uint8_t *src, size_t n, uint8_t flip, int32_t zero,
			      float scale)
{
	const __m256i flips = _mm256_set1_epi32(flip), zeros = _mm256_set1_epi32(zero);
	const __m256 scales = _mm256_set1_ps(scale);
	size_t i = 0;

	for (; n - i >= 8; i += 8) {
		__m256i x = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(src + i)));

		x = _mm256_sub_epi32(_mm256_xor_si256(x, flips), zeros);
		_mm256_storeu_ps(dst + i, _mm256_mul_ps(_mm256_cvtepi32_ps(x), scales));
	}
	for (; i < n; i++)
		dst[i] = (float)((src[i] ^ flip) - zero) * scale;
}

INLINE __m256i codes(const float *src, const struct nnfw_q8_quantize *q)
{
	__m256 x = _mm256_div_ps(_mm256_loadu_ps(src), _mm256_set1_ps(q->scale)), rest;
	__m256i whole, up, down;

	/* the second operand where the first is NaN */
	x = _mm256_min_ps(x, _mm256_set1_ps(q->hi));
	x = _mm256_max_ps(x, _mm256_set1_ps(q->lo));
	whole = _mm256_cvttps_epi32(x);
	rest = _mm256_sub_ps(x, _mm256_cvtepi32_ps(whole));
	up = _mm256_castps_si256(_mm256_cmp_ps(rest, _mm256_set1_ps(0.5f), _CMP_GE_OQ));
	down = _mm256_castps_si256(_mm256_cmp_ps(rest, _mm256_set1_ps(-0.5f), _CMP_LE_OQ));
	whole = _mm256_add_epi32(_mm256_sub_epi32(whole, up), down);
	whole = _mm256_add_epi32(whole, _mm256_set1_epi32(q->zero_point));
	return _mm256_and_si256(whole, _mm256_set1_epi32(0xff));
}

static void q8_map_quantize(uint8_t *dst, const float *src, size_t n,
			    const struct nnfw_q8_quantize *q)
{
	float last[32] = { 0 };
	uint8_t last_codes[32];

	for (size_t i = 0; i < n; i += 32) {
		const float *from = src + i;
		size_t left = n - i;
		__m256i low, high;

		if (left < 32)
			from = memcpy(last, from, left * sizeof(*last));
		low = _mm256_packus_epi32(codes(from, q), codes(from + 8, q));
		high = _mm256_packus_epi32(codes(from + 16, q), codes(from + 24, q));
		low = bytes_in_order_256(_mm256_packus_epi16(low, high));
		if (left < 32) {
			_mm256_storeu_si256((void *)last_codes, low);
			memcpy(dst + i, last_codes, left);
		} else {
			_mm256_storeu_si256((void *)(dst + i), low);
		}
	}
}

const struct nnfw_q8_map_kernels nnfw_q8_map_avx2 = {
	.lookup = q8_map_lookup,
	.dequantize = q8_map_dequantize,
	.quantize = q8_map_quantize,
};
