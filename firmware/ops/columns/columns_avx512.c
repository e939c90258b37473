// SPDX-License-Identifier: Apache-2.0
#include "columns/columns.h"
#include "kernels/requant.h"
#include "simd/simd_avx512.h"

INLINE void widen(uint32_t *sums, __m512i words, __mmask64 mask)
{
	for (int h = 0; h < 2; h++, sums += 16, mask >>= 16) {
		__m256i half = h ? _mm512_extracti64x4_epi64(words, 1)
				 : _mm512_castsi512_si256(words);
		__m512i sum = _mm512_maskz_loadu_epi32((__mmask16)mask, sums);

		_mm512_mask_storeu_epi32(sums, (__mmask16)mask,
					 _mm512_add_epi32(sum, _mm512_cvtepu16_epi32(half)));
	}
}

/* In 16 bits, which hold NNFW_COLUMNS_ROWS codes. */
static void add_q8(uint32_t *sums, const uint8_t *src, size_t stride, size_t rows, size_t columns,
		   uint8_t flip)
{
	const __m512i flips = _mm512_set1_epi8((char)flip);
	const __mmask64 mask = mask_64(columns);
	__m512i low = _mm512_setzero_si512(), high = _mm512_setzero_si512();

	for (; rows; rows--, src += stride) {
		__m512i x = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, src), flips);

		low = _mm512_add_epi16(low, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(x)));
		high = _mm512_add_epi16(high,
					_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(x, 1)));
	}
	widen(sums, low, mask);
	if (columns > 32)
		widen(sums + 32, high, mask >> 32);
}

static void add_f32(double *sums, const float *src, size_t stride, size_t rows, size_t columns)
{
	for (; columns; columns -= columns < 16 ? columns : 16, sums += 16, src += 16) {
		const __mmask16 mask = (__mmask16)mask_64(columns);
		__m512d low = _mm512_maskz_loadu_pd((__mmask8)mask, sums),
			high = _mm512_maskz_loadu_pd((__mmask8)(mask >> 8), sums + 8);
		const float *from = src;

		for (size_t r = 0; r < rows; r++, from += stride) {
			__m512 x = _mm512_maskz_loadu_ps(mask, from);

			low = _mm512_add_pd(low, _mm512_cvtps_pd(_mm512_castps512_ps256(x)));
			high = _mm512_add_pd(high, _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)));
		}
		_mm512_mask_storeu_pd(sums, (__mmask8)mask, low);
		_mm512_mask_storeu_pd(sums + 8, (__mmask8)(mask >> 8), high);
	}
}

static void store_q8(uint8_t *out, const uint32_t *sums, size_t columns, uint32_t bias,
		     float multiplier, const struct nnfw_requant *q)
{
	const __m512 scale = _mm512_set1_ps(multiplier), lo = _mm512_set1_ps(q->lo),
		     hi = _mm512_set1_ps(q->hi);
	const __m512i zero = _mm512_set1_epi32(q->zero_point),
		      less = _mm512_set1_epi32((int32_t)bias);

	for (size_t c = 0; c < columns; c += 16) {
		__mmask16 mask = (__mmask16)mask_64(columns - c);
		__m512i sum = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(mask, sums + c), less);
		__m512 r = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale);

		r = _mm512_min_ps(_mm512_max_ps(r, lo), hi);
		sum = _mm512_add_epi32(_mm512_cvtps_epi32(r), zero);
		_mm_mask_storeu_epi8(out + c, mask, _mm512_cvtepi32_epi8(sum));
	}
}

const struct nnfw_columns_kernels nnfw_columns_avx512 = {
	.add_q8 = add_q8,
	.add_f32 = add_f32,
	.store_q8 = store_q8,
};
