/* SPDX-License-Identifier: Apache-2.0 */
/* For the kernels on AVX2: the rule on vectors of sums, and what AVX-VNNI has from AVX2. */
#ifndef NNFW_Q8_DEPTHWISE_AVX2_H
#define NNFW_Q8_DEPTHWISE_AVX2_H

#include "q8_depthwise/q8_depthwise.h"
#include "simd/simd_avx2.h"

/* As of struct nnfw_q8_depthwise_kernels. */
void nnfw_q8dw_avx2_weave(uint8_t *to, const uint8_t *const rows[NNFW_Q8DW_TAPS],
			  const size_t steps[NNFW_Q8DW_TAPS], size_t n, uint8_t fill, uint8_t flip);

struct constants {
	__m256i zero_point;
	__m128i lo, hi;
	__m256 top;
	bool is_signed;
};

INLINE struct constants constants_of(const struct nnfw_q8dw_finish *f)
{
	return (struct constants){
		.zero_point = _mm256_set1_epi16((short)f->zero_point),
		.lo = _mm_set1_epi8((char)f->lo),
		.hi = _mm_set1_epi8((char)f->hi),
		.top = _mm256_set1_ps((float)(f->hi - f->zero_point)),
		.is_signed = f->is_signed,
	};
}

/* A unit's results in natural order. */
INLINE __m128i finish(const struct constants *k, const struct nnfw_q8dw_unit *unit,
		      const __m256i acc[2])
{
	__m256i q[2], x;
	__m128i y;

	for (int h = 0; h < 2; h++) {
		__m256 r = _mm256_mul_ps(_mm256_cvtepi32_ps(acc[h]),
					 _mm256_loadu_ps(unit->multipliers + 8 * h));

		/* a NaN stays one; conversions make the least integer of it */
		q[h] = _mm256_cvtps_epi32(_mm256_round_ps(
			_mm256_min_ps(k->top, r), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
	}
	x = _mm256_permute4x64_epi64(_mm256_packs_epi32(q[0], q[1]), 0xd8);
	x = _mm256_adds_epi16(x, k->zero_point);
	if (k->is_signed) {
		y = _mm_packs_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
		return _mm_min_epi8(_mm_max_epi8(y, k->lo), k->hi);
	}
	y = _mm_packus_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
	return _mm_min_epu8(_mm_max_epu8(y, k->lo), k->hi);
}

/* Unit @j of @vectors of @rows from vector @i. */
typedef void block_fn(const struct nnfw_q8dw_run *run, const struct constants *k, size_t i,
		      size_t j, const int vectors, const int rows);

/* All units: two vectors of two rows at a time, or @most of one. */
INLINE void product_of_blocks(const struct nnfw_q8dw_run *run, block_fn *block, const int most)
{
	const struct constants k = constants_of(run->finish);

	for (size_t j = 0; NNFW_Q8DW_LANES * j < run->bytes; j++) {
		size_t i = 0;

		if (run->rows > 1) {
			for (; i + 2 <= run->n; i += 2)
				block(run, &k, i, j, 2, 2);
			for (; i < run->n; i++)
				block(run, &k, i, j, 1, 2);
		} else {
			for (; i + (size_t)most <= run->n; i += (size_t)most)
				block(run, &k, i, j, most, 1);
			for (; i < run->n; i++)
				block(run, &k, i, j, 1, 1);
		}
	}
}

#endif
