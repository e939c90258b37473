// SPDX-License-Identifier: Apache-2.0
/* Units of four: a vector has those of 8 columns, and a product of it with ones is their sums. */
#define UNIT NNFW_Q8_AVXVNNI_UNIT
#include "q8_gemm/pack_avx2.h"

/* The units of columns 0 to 7 and of 8 to 15. */
INLINE void put_units(struct lanes *l, __m256i low, __m256i high)
{
	const __m256i ones = _mm256_set1_epi8(1);

	put(l, low);
	put(l, high);
	l->sums[0] = _mm256_dpbusd_avx_epi32(l->sums[0], ones, low);
	l->sums[1] = _mm256_dpbusd_avx_epi32(l->sums[1], ones, high);
}

/* Unit i of v[c], and of its upper half, becomes unit c of v[i] and of its upper half. */
INLINE void turn_units(__m256i v[4])
{
	const __m256i a = _mm256_unpacklo_epi32(v[0], v[1]), b = _mm256_unpackhi_epi32(v[0], v[1]);
	const __m256i c = _mm256_unpacklo_epi32(v[2], v[3]), d = _mm256_unpackhi_epi32(v[2], v[3]);

	v[0] = _mm256_unpacklo_epi64(a, c);
	v[1] = _mm256_unpackhi_epi64(a, c);
	v[2] = _mm256_unpacklo_epi64(b, d);
	v[3] = _mm256_unpackhi_epi64(b, d);
}

INLINE void put_square(struct lanes *l, const uint8_t *const from[16], size_t at, size_t n)
{
	__m256i v[8];

#pragma GCC unroll 8
	for (size_t c = 0; c < 8; c++)
		v[c] = _mm256_xor_si256(l->flip,
					_mm256_loadu2_m128i((const void *)(from[8 + c] + at),
							    (const void *)(from[c] + at)));
	/* columns 0 to 3 and 8 to 11; 4 to 7 and 12 to 15 */
	turn_units(v);
	turn_units(v + 4);
#pragma GCC unroll 4
	for (size_t i = 0; i < 4; i++) {
		if (4 * i >= n)
			break;
		put_units(l, _mm256_permute2x128_si256(v[i], v[4 + i], 0x20),
			  _mm256_permute2x128_si256(v[i], v[4 + i], 0x31));
	}
}

INLINE void put_elements(struct lanes *l, const __m128i e[UNIT])
{
	const __m128i a = _mm_unpacklo_epi8(e[0], e[1]), b = _mm_unpacklo_epi8(e[2], e[3]);
	const __m128i c = _mm_unpackhi_epi8(e[0], e[1]), d = _mm_unpackhi_epi8(e[2], e[3]);

	put_units(l, _mm256_set_m128i(_mm_unpackhi_epi16(a, b), _mm_unpacklo_epi16(a, b)),
		  _mm256_set_m128i(_mm_unpackhi_epi16(c, d), _mm_unpacklo_epi16(c, d)));
}

void nnfw_q8_avxvnni_pack(const struct nnfw_q8_packing *p)
{
	pack(p);
}
