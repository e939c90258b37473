// SPDX-License-Identifier: Apache-2.0
/*
 * 32 codes at a time as four vectors of floats: a byte below the exponent of 2^23 is the number
 * 2^23 + byte, from which 2^23 + zero point is subtracted exactly. Unpacking and packing stay
 * within 128 bits, so that the order comes back.
 */
#include "q8_binary/q8_binary.h"
#include "simd/simd_avx2.h"

#define MAGIC 8388608.0f

enum function { SUM, PRODUCT, PRELU };

struct quarters {
	__m256 v[4];
};

/* Codes less the zero point, which comes with MAGIC added. */
INLINE struct quarters spread(__m256i x, __m256 zero)
{
	const __m256i exponent = _mm256_set1_epi16(0x4b00);
	__m256i low = _mm256_unpacklo_epi8(x, _mm256_setzero_si256()),
		high = _mm256_unpackhi_epi8(x, _mm256_setzero_si256());
	__m256i bits[4] = { _mm256_unpacklo_epi16(low, exponent),
			    _mm256_unpackhi_epi16(low, exponent),
			    _mm256_unpacklo_epi16(high, exponent),
			    _mm256_unpackhi_epi16(high, exponent) };
	struct quarters q;

	for (int i = 0; i < 4; i++)
		q.v[i] = _mm256_sub_ps(_mm256_castsi256_ps(bits[i]), zero);
	return q;
}

/* Rounded, with the zero point, between the bounds. */
INLINE __m256i join(const struct quarters *q, __m256i zero, __m256i lo, __m256i hi)
{
	__m256i low = _mm256_packs_epi32(_mm256_cvtps_epi32(q->v[0]), _mm256_cvtps_epi32(q->v[1])),
		high = _mm256_packs_epi32(_mm256_cvtps_epi32(q->v[2]), _mm256_cvtps_epi32(q->v[3]));
	__m256i codes =
		_mm256_packus_epi16(_mm256_adds_epi16(low, zero), _mm256_adds_epi16(high, zero));

	return _mm256_min_epu8(_mm256_max_epu8(codes, lo), hi);
}

INLINE void row(const struct nnfw_q8_binary *p, const uint8_t *a, const uint8_t *b, uint8_t *out,
		size_t n, bool moves_a, bool moves_b, enum function f)
{
	const __m256i flip = _mm256_set1_epi8((char)p->flip);
	const __m256i zero = _mm256_set1_epi16((short)p->zero);
	const __m256i lo = _mm256_set1_epi8((char)p->lo), hi = _mm256_set1_epi8((char)p->hi);
	const __m256 zero_a = _mm256_set1_ps(MAGIC + (float)p->zero_a),
		     zero_b = _mm256_set1_ps(MAGIC + (float)p->zero_b);
	const __m256 scale_a = _mm256_set1_ps(p->scale_a), scale_b = _mm256_set1_ps(p->scale_b);
	const float one_a = (float)((*a ^ p->flip) - p->zero_a),
		    one_b = (float)((*b ^ p->flip) - p->zero_b);
	const __m256 fixed_a = _mm256_set1_ps(f == SUM ? one_a * p->scale_a : one_a),
		     fixed_b = _mm256_set1_ps(f == SUM ? one_b * p->scale_b : one_b);
	uint8_t last_a[32], last_b[32], last_out[32];

	for (size_t i = 0; i < n; i += 32) {
		const uint8_t *from_a = a + i, *from_b = b + i;
		size_t left = n - i;
		struct quarters x, y;
		uint8_t *to = out + i;

		if (left < 32) {
			/* what lies behind them is computed too, and dropped */
			if (moves_a)
				from_a = memcpy(last_a, from_a, left);
			if (moves_b)
				from_b = memcpy(last_b, from_b, left);
			to = last_out;
		}
		if (moves_a)
			x = spread(_mm256_xor_si256(_mm256_loadu_si256((const void *)from_a), flip),
				   zero_a);
		if (moves_b)
			y = spread(_mm256_xor_si256(_mm256_loadu_si256((const void *)from_b), flip),
				   zero_b);
		for (int k = 0; k < 4; k++) {
			__m256 u = moves_a ? x.v[k] : fixed_a, v = moves_b ? y.v[k] : fixed_b;

			if (f == SUM) {
				u = moves_a ? _mm256_mul_ps(u, scale_a) : u;
				v = moves_b ? _mm256_mul_ps(v, scale_b) : v;
				x.v[k] = _mm256_add_ps(u, v);
			} else if (f == PRODUCT) {
				x.v[k] = _mm256_mul_ps(_mm256_mul_ps(u, v), scale_a);
			} else {
				__m256 below = _mm256_cmp_ps(u, _mm256_setzero_ps(), _CMP_LT_OQ);

				x.v[k] = _mm256_mul_ps(_mm256_blendv_ps(u, _mm256_mul_ps(u, v),
									below),
						       _mm256_blendv_ps(scale_a, scale_b, below));
			}
		}
		_mm256_storeu_si256((void *)to, _mm256_xor_si256(join(&x, zero, lo, hi), flip));
		if (left < 32)
			memcpy(out + i, last_out, left);
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

const struct nnfw_q8_binary_kernels nnfw_q8_binary_avx2 = { .add = add,
							    .mul = mul,
							    .prelu = prelu };
