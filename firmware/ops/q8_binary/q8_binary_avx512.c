// SPDX-License-Identifier: Apache-2.0
/*
 * 64 codes at a time as four vectors of floats: a byte below the exponent of 2^23 is the number
 * 2^23 + byte, from which 2^23 + zero point is subtracted exactly. Vector @i has codes 4i to 4i + 3
 * of each 128 bits, so that packing within them restores the order.
 */
#include "q8_binary/q8_binary.h"
#include "simd/simd_avx512.h"

#define MAGIC 8388608.0f

enum function { SUM, PRODUCT, PRELU };

struct quarters {
	__m512 v[4];
};

/* Codes less the zero point, which comes with MAGIC added. */
INLINE struct quarters spread(__m512i x, __m512 zero)
{
	const __m512i magic = _mm512_castps_si512(_mm512_set1_ps(MAGIC));
	const __m512i first = _mm512_set4_epi32(3, 2, 1, 0);
	struct quarters q;

	for (int i = 0; i < 4; i++) {
		__m512i index = _mm512_add_epi32(first, _mm512_set1_epi32(4 * i));

		q.v[i] = _mm512_sub_ps(_mm512_castsi512_ps(_mm512_mask_shuffle_epi8(
					       magic, 0x1111111111111111, x, index)),
				       zero);
	}
	return q;
}

/* Rounded, with the zero point, between the bounds. */
INLINE __m512i join(const struct quarters *q, __m512i zero, __m512i lo, __m512i hi)
{
	__m512i low = _mm512_packs_epi32(_mm512_cvtps_epi32(q->v[0]), _mm512_cvtps_epi32(q->v[1])),
		high = _mm512_packs_epi32(_mm512_cvtps_epi32(q->v[2]), _mm512_cvtps_epi32(q->v[3]));

	return codes_packed_512(low, high, zero, lo, hi, false);
}

INLINE void row(const struct nnfw_q8_binary *p, const uint8_t *a, const uint8_t *b, uint8_t *out,
		size_t n, bool moves_a, bool moves_b, enum function f)
{
	const __m512i flip = _mm512_set1_epi8((char)p->flip);
	const __m512i zero = _mm512_set1_epi16((short)p->zero);
	const __m512i lo = _mm512_set1_epi8((char)p->lo), hi = _mm512_set1_epi8((char)p->hi);
	const __m512 zero_a = _mm512_set1_ps(MAGIC + (float)p->zero_a),
		     zero_b = _mm512_set1_ps(MAGIC + (float)p->zero_b);
	const __m512 scale_a = _mm512_set1_ps(p->scale_a), scale_b = _mm512_set1_ps(p->scale_b);
	const float one_a = (float)((*a ^ p->flip) - p->zero_a),
		    one_b = (float)((*b ^ p->flip) - p->zero_b);
	const __m512 fixed_a = _mm512_set1_ps(f == SUM ? one_a * p->scale_a : one_a),
		     fixed_b = _mm512_set1_ps(f == SUM ? one_b * p->scale_b : one_b);

	for (size_t i = 0; i < n; i += 64) {
		__mmask64 mask = mask_64(n - i);
		struct quarters x, y;

		if (moves_a)
			x = spread(_mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, a + i), flip),
				   zero_a);
		if (moves_b)
			y = spread(_mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, b + i), flip),
				   zero_b);
		for (int k = 0; k < 4; k++) {
			__m512 u = moves_a ? x.v[k] : fixed_a, v = moves_b ? y.v[k] : fixed_b;

			if (f == SUM) {
				u = moves_a ? _mm512_mul_ps(u, scale_a) : u;
				v = moves_b ? _mm512_mul_ps(v, scale_b) : v;
				x.v[k] = _mm512_add_ps(u, v);
			} else if (f == PRODUCT) {
				x.v[k] = _mm512_mul_ps(_mm512_mul_ps(u, v), scale_a);
			} else {
				__mmask16 below =
					_mm512_cmp_ps_mask(u, _mm512_setzero_ps(), _CMP_LT_OQ);

				x.v[k] = _mm512_mul_ps(_mm512_mask_mul_ps(u, below, u, v),
						       _mm512_mask_blend_ps(below, scale_a,
									    scale_b));
			}
		}
		_mm512_mask_storeu_epi8(out + i, mask,
					_mm512_xor_si512(join(&x, zero, lo, hi), flip));
	}
}

#define ROWS(name, f)                                                                      \
	static void name(const void *p, const void *a, const void *b, void *out, size_t n, \
			 size_t step_a, size_t step_b)                                     \
	{                                                                                  \
		if (step_a && step_b)                                                      \
			row(p, a, b, out, n, true, true, f);                               \
		else if (step_a)                                                           \
			row(p, a, b, out, n, true, false, f);                              \
		else if (step_b)                                                           \
			row(p, a, b, out, n, false, true, f);                              \
		else                                                                       \
			row(p, a, b, out, n, false, false, f);                             \
	}

ROWS(add, SUM)
ROWS(mul, PRODUCT)
ROWS(prelu, PRELU)

const struct nnfw_q8_binary_kernels nnfw_q8_binary_avx512 = { .add = add,
							      .mul = mul,
							      .prelu = prelu };
