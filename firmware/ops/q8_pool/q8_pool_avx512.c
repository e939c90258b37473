// SPDX-License-Identifier: Apache-2.0
#include "q8_pool/q8_pool.h"
#include "simd/simd_avx512.h"

/* Pixels whose codes a 16-bit sum holds. */
#define SHORT_PIXELS 255u

struct divisor {
	__m512 half_more, reciprocal; /* half a count and a half: no quotient is near an integer */
};

/* The quotient of @sum, away from zero. */
INLINE __m512i divide(__m512i sum, const struct divisor *d)
{
	__m512 n = _mm512_add_ps(_mm512_cvtepi32_ps(_mm512_abs_epi32(sum)), d->half_more);
	__m512i q = _mm512_cvttps_epi32(_mm512_mul_ps(n, d->reciprocal));

	return _mm512_mask_sub_epi32(q, _mm512_movepi32_mask(sum), _mm512_setzero_si512(), q);
}

INLINE __m512i widen(__m256i x, const bool is_signed)
{
	return is_signed ? _mm512_cvtepi8_epi16(x) : _mm512_cvtepu8_epi16(x);
}

INLINE __m512i widen_again(__m256i x, const bool is_signed)
{
	return is_signed ? _mm512_cvtepi16_epi32(x) : _mm512_cvtepu16_epi32(x);
}

INLINE __m512i clamp(const struct nnfw_q8_window *w, __m512i x, const bool is_signed)
{
	const __m512i lo = _mm512_set1_epi8((char)w->lo), hi = _mm512_set1_epi8((char)w->hi);

	return codes_within_512(x, lo, hi, is_signed);
}

/* Adds the 16-bit sums to the others, and begins them again. */
INLINE void flush(__m512i sums[4], __m512i shorts[2], const bool is_signed)
{
	for (int h = 0; h < 2; h++) {
		__m256i low = _mm512_castsi512_si256(shorts[h]);
		__m256i high = _mm512_extracti64x4_epi64(shorts[h], 1);

		sums[2 * h] = _mm512_add_epi32(sums[2 * h], widen_again(low, is_signed));
		sums[2 * h + 1] = _mm512_add_epi32(sums[2 * h + 1], widen_again(high, is_signed));
		shorts[h] = _mm512_setzero_si512();
	}
}

INLINE void average_block(const struct nnfw_q8_window *w, const struct divisor *d,
			  const bool is_signed, size_t first, __mmask64 mask, uint8_t *out)
{
	__m512i sums[4], shorts[2], x;
	size_t held = 0;

	for (int j = 0; j < 4; j++)
		sums[j] = _mm512_setzero_si512();
	shorts[0] = shorts[1] = _mm512_setzero_si512();
	for (size_t row = 0; row < w->rows; row++) {
		const uint8_t *in = w->in + row * w->row_pitch + first;

		for (size_t k = 0; k < w->columns; k++, in += w->pixel_pitch) {
			x = _mm512_maskz_loadu_epi8(mask, in);
			shorts[0] = _mm512_add_epi16(shorts[0],
						     widen(_mm512_castsi512_si256(x), is_signed));
			shorts[1] = _mm512_add_epi16(
				shorts[1], widen(_mm512_extracti64x4_epi64(x, 1), is_signed));
			if (++held == SHORT_PIXELS) {
				flush(sums, shorts, is_signed);
				held = 0;
			}
		}
	}
	flush(sums, shorts, is_signed);
	for (int j = 0; j < 4; j++)
		sums[j] = divide(sums[j], d);
	sums[0] = _mm512_packs_epi32(sums[0], sums[1]);
	sums[2] = _mm512_packs_epi32(sums[2], sums[3]);
	x = is_signed ? _mm512_packs_epi16(sums[0], sums[2])
		      : _mm512_packus_epi16(sums[0], sums[2]);
	_mm512_mask_storeu_epi8(out + first, mask, clamp(w, dwords_turn(x), is_signed));
}

INLINE void max_block(const struct nnfw_q8_window *w, const bool is_signed, size_t first,
		      __mmask64 mask, uint8_t *out)
{
	__m512i most = _mm512_maskz_loadu_epi8(mask, w->in + first);

	for (size_t row = 0; row < w->rows; row++) {
		const uint8_t *in = w->in + row * w->row_pitch + first;

		for (size_t k = 0; k < w->columns; k++, in += w->pixel_pitch) {
			__m512i x = _mm512_maskz_loadu_epi8(mask, in);

			most = is_signed ? _mm512_max_epi8(most, x) : _mm512_max_epu8(most, x);
		}
	}
	_mm512_mask_storeu_epi8(out + first, mask, clamp(w, most, is_signed));
}

static void q8_pool_average(const struct nnfw_q8_window *w, uint8_t *out)
{
	const int32_t count = (int32_t)(w->rows * w->columns);
	const struct divisor d = {
		.half_more = _mm512_set1_ps((float)(count / 2) + 0.5f),
		.reciprocal = _mm512_set1_ps(1.0f / (float)count),
	};

	for (size_t c = 0; c < w->channels; c += 64) {
		if (w->is_signed)
			average_block(w, &d, true, c, mask_64(w->channels - c), out);
		else
			average_block(w, &d, false, c, mask_64(w->channels - c), out);
	}
}

static void q8_pool_max(const struct nnfw_q8_window *w, uint8_t *out)
{
	for (size_t c = 0; c < w->channels; c += 64) {
		if (w->is_signed)
			max_block(w, true, c, mask_64(w->channels - c), out);
		else
			max_block(w, false, c, mask_64(w->channels - c), out);
	}
}

const struct nnfw_q8_pool_kernels nnfw_q8_pool_avx512 = { .average = q8_pool_average,
							  .max = q8_pool_max };
