// SPDX-License-Identifier: Apache-2.0
/* Units of pairs. Columns are turned by 16 elements; a product of a vector with ones is 16 sums. */
#define UNIT NNFW_Q8_AVX2_UNIT
#include "q8_gemm/pack_avx2.h"

/* Sums of 16 pairs, which fit. */
INLINE __m256i pair_sums(__m256i codes)
{
	return _mm256_maddubs_epi16(_mm256_set1_epi8(1), codes);
}

/* sums += 16 sums of 16 bits. */
INLINE void add(struct lanes *l, __m256i sums)
{
	l->sums[0] =
		_mm256_add_epi32(l->sums[0], _mm256_cvtepi16_epi32(_mm256_castsi256_si128(sums)));
	l->sums[1] = _mm256_add_epi32(l->sums[1],
				      _mm256_cvtepi16_epi32(_mm256_extracti128_si256(sums, 1)));
}

/* Pair i of v[c] and of its upper half becomes pair c of v[i] and of its upper half. */
INLINE void turn_pairs(__m256i v[8])
{
	__m256i t[8];

#pragma GCC unroll 4
	for (size_t i = 0; i < 8; i += 2) {
		t[i] = _mm256_unpacklo_epi16(v[i], v[i + 1]);
		t[i + 1] = _mm256_unpackhi_epi16(v[i], v[i + 1]);
	}
#pragma GCC unroll 2
	for (size_t i = 0; i < 8; i += 4) {
		v[i] = _mm256_unpacklo_epi32(t[i], t[i + 2]);
		v[i + 1] = _mm256_unpackhi_epi32(t[i], t[i + 2]);
		v[i + 2] = _mm256_unpacklo_epi32(t[i + 1], t[i + 3]);
		v[i + 3] = _mm256_unpackhi_epi32(t[i + 1], t[i + 3]);
	}
#pragma GCC unroll 4
	for (size_t i = 0; i < 4; i++) {
		t[2 * i] = _mm256_unpacklo_epi64(v[i], v[4 + i]);
		t[2 * i + 1] = _mm256_unpackhi_epi64(v[i], v[4 + i]);
	}
#pragma GCC unroll 8
	for (size_t i = 0; i < 8; i++)
		v[i] = t[i];
}

INLINE void put_square(struct lanes *l, const uint8_t *const from[16], size_t at, size_t n)
{
	__m256i v[8], sums = _mm256_setzero_si256();

#pragma GCC unroll 8
	for (size_t c = 0; c < 8; c++)
		v[c] = _mm256_xor_si256(l->flip,
					_mm256_loadu2_m128i((const void *)(from[8 + c] + at),
							    (const void *)(from[c] + at)));
	turn_pairs(v);
#pragma GCC unroll 8
	for (size_t i = 0; i < 8; i++) {
		if (2 * i >= n)
			break;
		put(l, v[i]);
		sums = _mm256_add_epi16(sums, pair_sums(v[i]));
	}
	add(l, sums);
}

INLINE void put_elements(struct lanes *l, const __m128i pair[UNIT])
{
	const __m256i v = _mm256_set_m128i(_mm_unpackhi_epi8(pair[0], pair[1]),
					   _mm_unpacklo_epi8(pair[0], pair[1]));

	put(l, v);
	add(l, pair_sums(v));
}

void nnfw_q8_avx2_pack(const struct nnfw_q8_packing *p)
{
	pack(p);
}
