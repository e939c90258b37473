// SPDX-License-Identifier: Apache-2.0
#include "q8_map/q8_map.h"
#include "simd/simd_avx512.h"

/* As q8_map_avx2.c does it. */
static void q8_map_lookup(uint8_t *dst, const uint8_t *src, size_t n, const uint8_t *table)
{
	__m512i parts[16];
	size_t i = 0;

	if (n >= 64) {
		for (int k = 0; k < 16; k++)
			parts[k] = _mm512_broadcast_i32x4(
				_mm_loadu_si128((const void *)(table + 16 * k)));
		for (int k = 7; k > 0; k--) {
			parts[k] = _mm512_xor_si512(parts[k], parts[k - 1]);
			parts[k + 8] = _mm512_xor_si512(parts[k + 8], parts[k + 7]);
		}
	}
	for (; n - i >= 64; i += 64) {
		__m512i low = _mm512_loadu_si512(src + i);
		__m512i high = _mm512_xor_si512(low, _mm512_set1_epi8((char)0x80));
		__m512i to = _mm512_xor_si512(_mm512_shuffle_epi8(parts[0], low),
					      _mm512_shuffle_epi8(parts[8], high));

		for (int k = 1; k < 8; k++) {
			low = _mm512_subs_epi8(low, _mm512_set1_epi8(16));
			high = _mm512_subs_epi8(high, _mm512_set1_epi8(16));
			/* the three combined */
			to = _mm512_ternarylogic_epi32(to, _mm512_shuffle_epi8(parts[k], low),
						       _mm512_shuffle_epi8(parts[k + 8], high),
						       0x96);
		}
		_mm512_storeu_si512(dst + i, to);
	}
	for (; i < n; i++)
		dst[i] = table[src[i]];
}

static void q8_map_dequantize(float *dst, const uint8_t *src, size_t n, uint8_t flip, int32_t zero,
			      float scale)
{
	const __m512i flips = _mm512_set1_epi32(flip), zeros = _mm512_set1_epi32(zero);
	const __m512 scales = _mm512_set1_ps(scale);

	for (size_t i = 0; i < n; i += 16) {
		__mmask16 mask = mask_16(n - i);
		__m512i x = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, src + i));

		x = _mm512_sub_epi32(_mm512_xor_si512(x, flips), zeros);
		_mm512_mask_storeu_ps(dst + i, mask, _mm512_mul_ps(_mm512_cvtepi32_ps(x), scales));
	}
}

static void q8_map_quantize(uint8_t *dst, const float *src, size_t n,
			    const struct nnfw_q8_quantize *q)
{
	const __m512 scale = _mm512_set1_ps(q->scale), lo = _mm512_set1_ps(q->lo),
		     hi = _mm512_set1_ps(q->hi), half = _mm512_set1_ps(0.5f),
		     minus_half = _mm512_set1_ps(-0.5f);
	const __m512i zero = _mm512_set1_epi32(q->zero_point), one = _mm512_set1_epi32(1);

	for (size_t i = 0; i < n; i += 16) {
		__mmask16 mask = mask_16(n - i);
		__m512 x = _mm512_div_ps(_mm512_maskz_loadu_ps(mask, src + i), scale), rest;
		__m512i whole;

		/* the second operand where the first is NaN */
		x = _mm512_max_ps(_mm512_min_ps(x, hi), lo);
		whole = _mm512_cvttps_epi32(x);
		rest = _mm512_sub_ps(x, _mm512_cvtepi32_ps(whole));
		whole = _mm512_mask_add_epi32(whole, _mm512_cmp_ps_mask(rest, half, _CMP_GE_OQ),
					      whole, one);
		whole = _mm512_mask_sub_epi32(
			whole, _mm512_cmp_ps_mask(rest, minus_half, _CMP_LE_OQ), whole, one);
		_mm_mask_storeu_epi8(dst + i, mask,
				     _mm512_cvtepi32_epi8(_mm512_add_epi32(whole, zero)));
	}
}

const struct nnfw_q8_map_kernels nnfw_q8_map_avx512 = {
	.lookup = q8_map_lookup,
	.dequantize = q8_map_dequantize,
	.quantize = q8_map_quantize,
};
