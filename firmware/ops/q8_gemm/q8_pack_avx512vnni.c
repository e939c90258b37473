// SPDX-License-Identifier: Apache-2.0
/*
 * Packed weights of AVX512-VNNI and AMX: panels of 64 columns, the last of as many times 16 as are
 * needed; in a panel, for each 4 elements of a row, 4 bytes of each column. A vector has 4 elements
 * of 16 columns: a product of it with ones is a part of the columns' sums.
 */
#include "simd/turn_avx512.h"
#include "q8_gemm/avx512.h"

size_t nnfw_q8_avx512vnni_size(size_t columns, struct nnfw_q8_depth depth)
{
	return ((columns + 15) & ~(size_t)15) * nnfw_q8_avx512vnni_depth(depth);
}

/* 16 columns, or what there is of them. */
struct lanes {
	const struct nnfw_q8_packing *p;
	struct nnfw_q8_depth depth;
	size_t first, have; /* columns */
	uint8_t *to; /* the next vector */
	size_t pitch; /* bytes from one to the next */
	/* what takes the place of a code that is not there: it is flipped to 0 */
	__m512i flip;
	__m512i sums;
};

INLINE void put(struct lanes *l, __m512i codes)
{
	_mm512_storeu_si512(l->to, codes);
	l->to += l->pitch;
	l->sums = _mm512_dpbusd_epi32(l->sums, _mm512_set1_epi8(1), codes);
}

/* @n elements of each column from @at, up to 64: all of 16 columns, or some. */
INLINE void put_square(struct lanes *l, const uint8_t *const from[16], size_t at, size_t n,
		       const bool all)
{
	const __mmask64 some = mask_64(n);
	__m512i v[16];

#pragma GCC unroll 16
	for (size_t c = 0; c < 16; c++) {
		v[c] = all ? _mm512_loadu_si512(from[c] + at)
			   : _mm512_mask_loadu_epi8(l->flip, c < l->have ? some : 0, from[c] + at);
		v[c] = _mm512_xor_si512(v[c], l->flip);
	}
	nnfw_turn_16(v);
#pragma GCC unroll 16
	for (size_t i = 0; i < 16; i++)
		if (all || i * 4 < n)
			put(l, v[i]);
}

/* Columns whose elements are neighbours; returns their sums. */
static __m512i pack_columns(struct lanes l)
{
	const size_t length = l.depth.length;
	const uint8_t *from[16];

	for (size_t c = 0; c < 16; c++)
		from[c] = nnfw_q8_column(&l.p->codes, l.first + (c < l.have ? c : 0));
	for (size_t s = 0; s < l.depth.segments; s++) {
		size_t at = s * length, end = at + length;

		for (; end - at >= 64 && l.have == 16; at += 64)
			put_square(&l, from, at, 64, true);
		for (; at < end; at += end - at < 64 ? end - at : 64)
			put_square(&l, from, at, end - at, false);
	}
	return l.sums;
}

/* Elements whose columns are neighbours; returns the columns' sums. */
static __m512i pack_elements(struct lanes l)
{
	const __m128i flip = _mm512_castsi512_si128(l.flip);
	const __mmask16 mask = (__mmask16)((1u << l.have) - 1);
	const size_t step = l.p->codes.element, length = l.depth.length;
	const uint8_t *from = nnfw_q8_column(&l.p->codes, l.first);
	/* behind four columns of four rows in each lane: a column's elements beside each other */
	const __m512i turn = _mm512_broadcast_i32x4(
		_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));

	for (size_t s = 0; s < l.depth.segments; s++, from += length * step) {
		for (size_t i = 0; i < length; i += 4) {
			__m512i v = l.flip;

			v = _mm512_inserti32x4(v, _mm_mask_loadu_epi8(flip, mask, from + i * step),
					       0);
			if (length - i > 1)
				v = _mm512_inserti32x4(
					v, _mm_mask_loadu_epi8(flip, mask, from + (i + 1) * step),
					1);
			if (length - i > 2)
				v = _mm512_inserti32x4(
					v, _mm_mask_loadu_epi8(flip, mask, from + (i + 2) * step),
					2);
			if (length - i > 3)
				v = _mm512_inserti32x4(
					v, _mm_mask_loadu_epi8(flip, mask, from + (i + 3) * step),
					3);
			v = dwords_turn(_mm512_xor_si512(v, l.flip));
			put(&l, _mm512_shuffle_epi8(v, turn));
		}
	}
	return l.sums;
}

void nnfw_q8_avx512vnni_pack(const struct nnfw_q8_packing *p)
{
	const size_t k = nnfw_q8_avx512vnni_depth(p->depth);

	for (size_t c = p->first; c < p->end; c += 16) {
		const size_t panel = c & ~(size_t)(NNFW_Q8_PANEL - 1), have = p->end - c;
		const struct lanes l = {
			.p = p,
			.depth = nnfw_q8_joined(p->depth, 4),
			.first = c,
			.have = have < 16 ? have : 16,
			.to = (uint8_t *)p->weights + panel * k + (c - panel) * 4,
			.pitch = nnfw_q8_avx512vnni_width(p->columns, panel) * 4,
			.flip = _mm512_set1_epi8((char)p->codes.flip),
			.sums = _mm512_setzero_si512(),
		};
		const __m512i sums = p->codes.element == 1 ? pack_columns(l) : pack_elements(l);
		const __mmask16 mask = (__mmask16)((1u << l.have) - 1);

		_mm512_mask_storeu_epi32(
			p->sums + c, mask,
			_mm512_add_epi32(sums, _mm512_maskz_loadu_epi32(mask, p->sums + c)));
	}
}
