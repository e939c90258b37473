// SPDX-License-Identifier: Apache-2.0
/* Columns are turned by 16 elements at a time; a product of a vector with ones is 16 sums. */
#include <immintrin.h>
#include <string.h>

#include "q8_gemm/q8_pack_avx2.h"

#define INLINE static inline __attribute__((always_inline))

/* Elements of a column that are turned together. */
#define DEPTH 16u

size_t nnfw_q8_avx2_size(size_t columns, struct nnfw_q8_depth depth)
{
	return ((columns + 15) & ~(size_t)15) * nnfw_q8_avx2_depth(depth);
}

/* 16 columns, or what there is of them. */
struct lanes {
	const struct nnfw_q8_packing *p;
	struct nnfw_q8_depth depth;
	size_t first, have; /* columns */
	uint8_t *to; /* the next pairs */
	/* what takes the place of a code that is not there: it is flipped to 0 */
	__m256i flip;
	__m256i sums[2]; /* of 8 columns each */
};

/* Sums of 16 pairs, which fit. */
INLINE __m256i pair_sums(__m256i codes)
{
	return _mm256_maddubs_epi16(_mm256_set1_epi8(1), codes);
}

INLINE void put(struct lanes *l, __m256i codes)
{
	_mm256_storeu_si256((void *)l->to, codes);
	l->to += 32;
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

/* @n elements of each column from @at, up to DEPTH, all of which may be read. */
INLINE void put_square(struct lanes *l, const uint8_t *const from[16], size_t at, const size_t n)
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

/* Columns whose elements are neighbours. */
static void pack_columns(struct lanes *l)
{
	const size_t length = l->depth.length;
	const uint8_t *from[16], *some[16];
	uint8_t copies[16][DEPTH];

	for (size_t c = 0; c < 16; c++) {
		from[c] = nnfw_q8_column(&l->p->codes, l->first + (c < l->have ? c : 0));
		some[c] = copies[c];
	}
	for (size_t s = 0; s < l->depth.segments; s++) {
		size_t at = s * length, end = at + length;
		struct lanes now = *l;

		for (; end - at >= DEPTH && l->have == 16; at += DEPTH)
			put_square(&now, from, at, DEPTH);
		for (size_t n; at < end; at += n) {
			n = end - at < DEPTH ? end - at : DEPTH;
			for (size_t c = 0; c < 16; c++) {
				_mm_storeu_si128((void *)copies[c],
						 _mm256_castsi256_si128(l->flip));
				if (c < l->have)
					memcpy(copies[c], from[c] + at, n);
			}
			put_square(&now, some, 0, n);
		}
		*l = now;
	}
}

/* Codes of an element. */
INLINE __m128i element(const struct lanes *l, const uint8_t *from)
{
	__m128i codes = _mm256_castsi256_si128(l->flip);

	if (l->have == 16)
		codes = _mm_loadu_si128((const void *)from);
	else
		memcpy(&codes, from, l->have);
	return codes;
}

/* Elements whose columns are neighbours. */
static void pack_elements(struct lanes *l)
{
	const size_t step = l->p->codes.element, length = l->depth.length;
	const uint8_t *from = nnfw_q8_column(&l->p->codes, l->first);

	for (size_t s = 0; s < l->depth.segments; s++, from += length * step) {
		struct lanes now = *l;

		for (size_t i = 0; i < length; i += 2) {
			__m128i even = element(l, from + i * step);
			__m128i odd = _mm256_castsi256_si128(l->flip);
			__m256i v;

			if (i + 1 < length)
				odd = element(l, from + (i + 1) * step);
			v = _mm256_set_m128i(_mm_unpackhi_epi8(even, odd),
					     _mm_unpacklo_epi8(even, odd));
			v = _mm256_xor_si256(v, l->flip);
			put(&now, v);
			add(&now, pair_sums(v));
		}
		*l = now;
	}
}

void nnfw_q8_avx2_pack(const struct nnfw_q8_packing *p)
{
	const size_t k = nnfw_q8_avx2_depth(p->depth);

	for (size_t c = p->first; c < p->end; c += 16) {
		struct lanes l = {
			.p = p,
			.depth = nnfw_q8_joined(p->depth, 2),
			.first = c,
			.have = p->end - c < 16 ? p->end - c : 16,
			.to = (uint8_t *)p->weights + c * k,
			.flip = _mm256_set1_epi8((char)p->codes.flip),
		};
		uint32_t sums[16];

		if (p->codes.element == 1)
			pack_columns(&l);
		else
			pack_elements(&l);
		_mm256_storeu_si256((void *)sums, l.sums[0]);
		_mm256_storeu_si256((void *)(sums + 8), l.sums[1]);
		for (size_t i = 0; i < l.have; i++)
			p->sums[c + i] += sums[i];
	}
}
