// SPDX-License-Identifier: Apache-2.0
#include "q8_pool/q8_pool.h"
#include "simd/simd_avx2.h"

/* Channels of a block, and pixels whose codes a 16-bit sum holds. */
#define BLOCK 16u
#define SHORT_PIXELS 255u

struct divisor {
	__m256 half_more, reciprocal; /* half a count and a half: no quotient is near an integer */
};

/* The quotient of @sum, away from zero. */
INLINE __m256i divide(__m256i sum, const struct divisor *d)
{
	__m256 n = _mm256_add_ps(_mm256_cvtepi32_ps(_mm256_abs_epi32(sum)), d->half_more);

	/* a sum of 0 has the quotient 0, whose sign may be lost */
	return _mm256_sign_epi32(_mm256_cvttps_epi32(_mm256_mul_ps(n, d->reciprocal)), sum);
}

/* @n channels of a pixel; others are 0. */
INLINE __m128i load(const uint8_t *in, size_t n)
{
	uint8_t some[BLOCK] = { 0 };

	if (n >= BLOCK)
		return _mm_loadu_si128((const void *)in);
	memcpy(some, in, n);
	return _mm_loadu_si128((const void *)some);
}

/* The results @x of @n channels, within the bounds. */
INLINE void store(const struct nnfw_q8_window *w, uint8_t *out, __m128i x, const bool is_signed,
		  size_t n)
{
	const __m128i lo = _mm_set1_epi8((char)w->lo), hi = _mm_set1_epi8((char)w->hi);

	x = is_signed ? _mm_min_epi8(_mm_max_epi8(x, lo), hi)
		      : _mm_min_epu8(_mm_max_epu8(x, lo), hi);
	bytes_store(out, x, n);
}

/* Adds the 16-bit sums to the others. */
INLINE void flush(__m256i sums[2], __m256i shorts, const bool is_signed)
{
	__m128i low = _mm256_castsi256_si128(shorts), high = _mm256_extracti128_si256(shorts, 1);

	sums[0] = _mm256_add_epi32(sums[0], is_signed ? _mm256_cvtepi16_epi32(low)
						      : _mm256_cvtepu16_epi32(low));
	sums[1] = _mm256_add_epi32(sums[1], is_signed ? _mm256_cvtepi16_epi32(high)
						      : _mm256_cvtepu16_epi32(high));
}

INLINE void average_block(const struct nnfw_q8_window *w, const struct divisor *d,
			  const bool is_signed, size_t first, size_t n, uint8_t *out)
{
	__m256i sums[2] = { _mm256_setzero_si256(), _mm256_setzero_si256() };
	__m256i shorts = _mm256_setzero_si256(), x;
	size_t held = 0;

	for (size_t row = 0; row < w->rows; row++) {
		const uint8_t *in = w->in + row * w->row_pitch + first;

		for (size_t k = 0; k < w->columns; k++, in += w->pixel_pitch) {
			__m128i codes = load(in, n);

			x = is_signed ? _mm256_cvtepi8_epi16(codes) : _mm256_cvtepu8_epi16(codes);
			shorts = _mm256_add_epi16(shorts, x);
			if (++held == SHORT_PIXELS) {
				flush(sums, shorts, is_signed);
				shorts = _mm256_setzero_si256();
				held = 0;
			}
		}
	}
	flush(sums, shorts, is_signed);
	x = _mm256_packs_epi32(divide(sums[0], d), divide(sums[1], d));
	x = _mm256_permute4x64_epi64(x, 0xd8);
	x = is_signed ? _mm256_packs_epi16(x, x) : _mm256_packus_epi16(x, x);
	x = _mm256_permute4x64_epi64(x, 0xd8);
	store(w, out + first, _mm256_castsi256_si128(x), is_signed, n);
}

INLINE void max_block(const struct nnfw_q8_window *w, const bool is_signed, size_t first, size_t n,
		      uint8_t *out)
{
	__m128i most = load(w->in + first, n);

	for (size_t row = 0; row < w->rows; row++) {
		const uint8_t *in = w->in + row * w->row_pitch + first;

		for (size_t k = 0; k < w->columns; k++, in += w->pixel_pitch) {
			__m128i x = load(in, n);

			most = is_signed ? _mm_max_epi8(most, x) : _mm_max_epu8(most, x);
		}
	}
	store(w, out + first, most, is_signed, n);
}

static void q8_pool_average(const struct nnfw_q8_window *w, uint8_t *out)
{
	const int32_t count = (int32_t)(w->rows * w->columns);
	const struct divisor d = {
		.half_more = _mm256_set1_ps((float)(count / 2) + 0.5f),
		.reciprocal = _mm256_set1_ps(1.0f / (float)count),
	};

	for (size_t c = 0; c < w->channels; c += BLOCK) {
		if (w->is_signed)
			average_block(w, &d, true, c, w->channels - c, out);
		else
			average_block(w, &d, false, c, w->channels - c, out);
	}
}

static void q8_pool_max(const struct nnfw_q8_window *w, uint8_t *out)
{
	for (size_t c = 0; c < w->channels; c += BLOCK) {
		if (w->is_signed)
			max_block(w, true, c, w->channels - c, out);
		else
			max_block(w, false, c, w->channels - c, out);
	}
}

const struct nnfw_q8_pool_kernels nnfw_q8_pool_avx2 = { .average = q8_pool_average,
							.max = q8_pool_max };
