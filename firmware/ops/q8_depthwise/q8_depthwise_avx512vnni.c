// SPDX-License-Identifier: Apache-2.0
#include "q8_depthwise/q8_depthwise.h"
#include "simd/simd_avx512.h"

/* 64 elements of four rows; their dwords come in an order that unpacking turns into the natural. */
INLINE void weave_vector(uint8_t *to, __m512i a, __m512i b, __m512i c, __m512i d)
{
	__m512i ab, cd;

	a = dwords_turn(a);
	b = dwords_turn(b);
	c = dwords_turn(c);
	d = dwords_turn(d);
	ab = _mm512_unpacklo_epi8(a, b);
	cd = _mm512_unpacklo_epi8(c, d);
	_mm512_storeu_si512(to, _mm512_unpacklo_epi16(ab, cd));
	_mm512_storeu_si512(to + 64, _mm512_unpackhi_epi16(ab, cd));
	ab = _mm512_unpackhi_epi8(a, b);
	cd = _mm512_unpackhi_epi8(c, d);
	_mm512_storeu_si512(to + 128, _mm512_unpacklo_epi16(ab, cd));
	_mm512_storeu_si512(to + 192, _mm512_unpackhi_epi16(ab, cd));
}

static void q8_depthwise_weave(uint8_t *to, const uint8_t *const rows[NNFW_Q8DW_TAPS],
			       const size_t steps[NNFW_Q8DW_TAPS], size_t n, uint8_t fill,
			       uint8_t flip)
{
	const __m512i flips = _mm512_set1_epi8((char)flip), fills = _mm512_set1_epi8((char)fill);
	const uint8_t *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];

	for (; n >= 64; n -= 64, to += 256) {
		weave_vector(to, _mm512_xor_si512(_mm512_loadu_si512(a), flips),
			     _mm512_xor_si512(_mm512_loadu_si512(b), flips),
			     _mm512_xor_si512(_mm512_loadu_si512(c), flips),
			     _mm512_xor_si512(_mm512_loadu_si512(d), flips));
		a += steps[0];
		b += steps[1];
		c += steps[2];
		d += steps[3];
	}
	if (n) {
		const __mmask64 m = ~0ull >> (64 - n);

		weave_vector(to, _mm512_xor_si512(_mm512_mask_loadu_epi8(fills, m, a), flips),
			     _mm512_xor_si512(_mm512_mask_loadu_epi8(fills, m, b), flips),
			     _mm512_xor_si512(_mm512_mask_loadu_epi8(fills, m, c), flips),
			     _mm512_xor_si512(_mm512_mask_loadu_epi8(fills, m, d), flips));
	}
}

/*
 * The intrinsic, but written so that the compiler adds in place: gcc 12 copies the sum before and
 * after each in a loop, which costs as much as the products.
 */
INLINE __m512i dot(__m512i sum, __m512i x, __m512i w)
{
	__asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(w));
	return sum;
}

struct constants {
	__m512i zero_point, lo, hi;
	__m512 top;
	__mmask64 mask;
	bool is_signed, tame;
};

INLINE void finish(const struct constants *k, const __m512 multipliers[4], const __m512i acc[4],
		   uint8_t *dst)
{
	__m512i q[4], x;
	__m512 r[4];

	for (int j = 0; j < 4; j++)
		r[j] = _mm512_mul_ps(_mm512_cvtepi32_ps(acc[j]), multipliers[j]);
	/* a NaN stays one; conversions make the least integer of it, and of what is too large */
	if (!k->tame)
		for (int j = 0; j < 4; j++)
			r[j] = _mm512_min_ps(k->top, r[j]);
	for (int j = 0; j < 4; j++)
		q[j] = _mm512_cvt_roundps_epi32(r[j],
						_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
	x = codes_packed_512(_mm512_packs_epi32(q[0], q[1]), _mm512_packs_epi32(q[2], q[3]),
			     k->zero_point, k->lo, k->hi, k->is_signed);
	x = dwords_turn(x);
	if (k->mask == ~0ull)
		_mm512_storeu_si512(dst, x);
	else
		_mm512_mask_storeu_epi8(dst, k->mask, x);
}

/* @vectors of @rows from vector @i. */
INLINE void block(const struct nnfw_q8dw_run *run, const struct constants *k, size_t i,
		  const int vectors, const int rows, const size_t terms)
{
	const size_t step = run->src_step;
	const size_t *offsets = run->offsets;
	const uint8_t *x0 = run->src[0] + i * step, *x1 = run->src[1] + i * step,
		      *x2 = run->src[2] + i * step, *x3 = run->src[3] + i * step;
	const int8_t *w0 = run->units[0]->weights, *w1 = run->units[1]->weights,
		     *w2 = run->units[2]->weights, *w3 = run->units[3]->weights;
	__m512i acc[2][4][4];
	__m512 multipliers[4];

	for (int j = 0; j < 4; j++)
		for (int r = 0; r < rows; r++)
			for (int v = 0; v < vectors; v++)
				acc[r][v][j] = _mm512_loadu_si512(run->units[j]->init);
	for (size_t t = 0; t < terms; t++) {
		const uint8_t *x[4] = { x0 + offsets[t], x1 + offsets[t], x2 + offsets[t],
					x3 + offsets[t] };
		const int8_t *w[4] = { w0 + t * NNFW_Q8DW_STRIP, w1 + t * NNFW_Q8DW_STRIP,
				       w2 + t * NNFW_Q8DW_STRIP, w3 + t * NNFW_Q8DW_STRIP };

		for (int j = 0; j < 4; j++) {
			__m512i w_first = _mm512_loadu_si512(w[j]);
			__m512i w_second = rows > 1 ? _mm512_slli_epi32(w_first, 8) : w_first;

			for (int v = 0; v < vectors; v++) {
				__m512i d = _mm512_loadu_si512(x[j] + (size_t)v * step);

				acc[0][v][j] = dot(acc[0][v][j], d, w_first);
				if (rows > 1)
					acc[1][v][j] = dot(acc[1][v][j], d, w_second);
			}
		}
	}
	for (int j = 0; j < 4; j++)
		multipliers[j] = _mm512_loadu_ps(run->units[j]->multipliers);
	for (int r = 0; r < rows; r++)
		for (int v = 0; v < vectors; v++)
			finish(k, multipliers, acc[r][v],
			       run->dst[r] + (i + (size_t)v) * run->dst_step);
}

INLINE void blocks(const struct nnfw_q8dw_run *run, const struct constants *k, const size_t terms)
{
	size_t i = 0;

	if (run->rows > 1) {
		for (; i + 2 <= run->n; i += 2)
			block(run, k, i, 2, 2, terms);
		for (; i < run->n; i++)
			block(run, k, i, 1, 2, terms);
	} else {
		for (; i + 4 <= run->n; i += 4)
			block(run, k, i, 4, 1, terms);
		for (; i < run->n; i++)
			block(run, k, i, 1, 1, terms);
	}
}

static void q8_depthwise_product(const struct nnfw_q8dw_run *run)
{
	const struct nnfw_q8dw_finish *f = run->finish;
	const struct constants k = {
		.zero_point = _mm512_set1_epi16((short)f->zero_point),
		.lo = _mm512_set1_epi8((char)f->lo),
		.hi = _mm512_set1_epi8((char)f->hi),
		.top = _mm512_set1_ps((float)(f->hi - f->zero_point)),
		.mask = ~0ull >> (64 - run->bytes),
		.is_signed = f->is_signed,
		.tame = f->tame,
	};

	/* three terms, a filter of three columns, are written out */
	if (run->terms == 3)
		blocks(run, &k, 3);
	else
		blocks(run, &k, run->terms);
}

const struct nnfw_q8_depthwise_kernels nnfw_q8_depthwise_avx512vnni = {
	.weave = q8_depthwise_weave,
	.product = q8_depthwise_product,
};
