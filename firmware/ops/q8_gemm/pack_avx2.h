/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packing of 16 columns for AVX2 and AVX-VNNI: panels of 16 columns, and in a panel, for each UNIT
 * elements of a row, UNIT bytes of each column. The file that includes this defines UNIT,
 * put_square() and put_elements(), which know how a unit lies.
 */
#include "q8_gemm/avx2.h"

/* Elements of a column that are turned together. */
#define DEPTH 16u

/* 16 columns, or what there is of them. */
struct lanes {
	const struct nnfw_q8_packing *p;
	struct nnfw_q8_depth depth;
	size_t first, have; /* columns */
	uint8_t *to; /* the next units */
	/* what takes the place of a code that is not there: it is flipped to 0 */
	__m256i flip;
	__m256i sums[2]; /* of 8 columns each */
};

/* @n elements of each column from @at, up to DEPTH, all of which may be read. */
INLINE void put_square(struct lanes *l, const uint8_t *const from[16], size_t at, size_t n);
/* UNIT elements of each column, flipped. */
INLINE void put_elements(struct lanes *l, const __m128i elements[UNIT]);

INLINE void put(struct lanes *l, __m256i codes)
{
	_mm256_storeu_si256((void *)l->to, codes);
	l->to += 32;
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
	const __m128i flip = _mm256_castsi256_si128(l->flip);
	const size_t step = l->p->codes.element, length = l->depth.length;
	const uint8_t *from = nnfw_q8_column(&l->p->codes, l->first);

	for (size_t s = 0; s < l->depth.segments; s++, from += length * step) {
		struct lanes now = *l;

		for (size_t i = 0; i < length; i += UNIT) {
			__m128i unit[UNIT];

#pragma GCC unroll 4
			for (size_t k = 0; k < UNIT; k++) {
				unit[k] = i + k < length ? element(l, from + (i + k) * step) : flip;
				unit[k] = _mm_xor_si128(unit[k], flip);
			}
			put_elements(&now, unit);
		}
		*l = now;
	}
}

static void pack(const struct nnfw_q8_packing *p)
{
	const size_t k = nnfw_q8_avx2_depth(p->depth, UNIT);

	for (size_t c = p->first; c < p->end; c += 16) {
		struct lanes l = {
			.p = p,
			.depth = nnfw_q8_joined(p->depth, UNIT),
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
