// SPDX-License-Identifier: Apache-2.0
#include "columns/columns.h"
#include "kernels/requant.h"
#include "simd/simd_avx2.h"

INLINE void widen(uint32_t *sums, __m256i words)
{
	__m128i half[2] = { _mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1) };

	for (int h = 0; h < 2; h++, sums += 8) {
		__m256i sum = _mm256_loadu_si256((const void *)sums);

		sum = _mm256_add_epi32(sum, _mm256_cvtepu16_epi32(half[h]));
		_mm256_storeu_si256((void *)sums, sum);
	}
}

/* In 16 bits, which hold NNFW_COLUMNS_ROWS codes. */
static void add_q8(uint32_t *sums, const uint8_t *src, size_t stride, size_t rows, size_t columns,
		   uint8_t flip)
{
	const __m128i flips = _mm_set1_epi8((char)flip);
	size_t c = 0;

	for (; columns - c >= 16; c += 16) {
		const uint8_t *from = src + c;
		__m256i words = _mm256_setzero_si256();

		for (size_t r = 0; r < rows; r++, from += stride) {
			__m128i x = _mm_xor_si128(_mm_loadu_si128((const void *)from), flips);

			words = _mm256_add_epi16(words, _mm256_cvtepu8_epi16(x));
		}
		widen(sums + c, words);
	}
	for (size_t r = 0; r < rows; r++, src += stride)
		for (size_t k = c; k < columns; k++)
			sums[k] += src[k] ^ flip;
}

static void add_f32(double *sums, const float *src, size_t stride, size_t rows, size_t columns)
{
	size_t c = 0;

	for (; columns - c >= 8; c += 8) {
		__m256d low = _mm256_loadu_pd(sums + c), high = _mm256_loadu_pd(sums + c + 4);
		const float *from = src + c;

		for (size_t r = 0; r < rows; r++, from += stride) {
			low = _mm256_add_pd(low, _mm256_cvtps_pd(_mm_loadu_ps(from)));
			high = _mm256_add_pd(high, _mm256_cvtps_pd(_mm_loadu_ps(from + 4)));
		}
		_mm256_storeu_pd(sums + c, low);
		_mm256_storeu_pd(sums + c + 4, high);
	}
	for (size_t r = 0; r < rows; r++, src += stride)
		for (size_t k = c; k < columns; k++)
			sums[k] += (double)src[k];
}

static void store_q8(uint8_t *out, const uint32_t *sums, size_t columns, uint32_t bias,
		     float multiplier, const struct nnfw_requant *q)
{
	const __m256 scale = _mm256_set1_ps(multiplier), lo = _mm256_set1_ps(q->lo),
		     hi = _mm256_set1_ps(q->hi);
	const __m256i zero = _mm256_set1_epi32(q->zero_point),
		      less = _mm256_set1_epi32((int32_t)bias),
		      bytes = _mm256_set1_epi64x(0x0c080400);
	size_t c = 0;

	for (; columns - c >= 8; c += 8) {
		__m256i sum = _mm256_loadu_si256((const void *)(sums + c));
		__m256 r = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(sum, less)), scale);

		r = _mm256_min_ps(_mm256_max_ps(r, lo), hi);
		sum = _mm256_add_epi32(_mm256_cvtps_epi32(r), zero);
		sum = _mm256_shuffle_epi8(sum, bytes);
		_mm_storeu_si32(out + c, _mm256_castsi256_si128(sum));
		_mm_storeu_si32(out + c + 4, _mm256_extracti128_si256(sum, 1));
	}
	for (; c < columns; c++)
		out[c] = (uint8_t)nnfw_requantize((int32_t)(sums[c] - bias), multiplier, q);
}

const struct nnfw_columns_kernels nnfw_columns_avx2 = {
	.add_q8 = add_q8,
	.add_f32 = add_f32,
	.store_q8 = store_q8,
};
