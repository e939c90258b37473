/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the kernels on AVX512: the requantization rule (kernels/requant.h) on vectors of sums,
 * and what AMX has from AVX512-VNNI.
 */
#ifndef NNFW_Q8_GEMM_AVX512_H
#define NNFW_Q8_GEMM_AVX512_H

#include "q8_gemm/q8_gemm_kernels.h"
#include "simd/simd_avx512.h"

/* Bytes of a column of packed weights. */
INLINE size_t nnfw_q8_avx512vnni_depth(struct nnfw_q8_depth depth)
{
	return depth.segments * ((depth.length + 3) & ~(size_t)3);
}

/* Columns of the panel at @first, padded. */
INLINE size_t nnfw_q8_avx512vnni_width(size_t columns, size_t first)
{
	size_t n = columns - first;

	return n < NNFW_Q8_PANEL ? (n + 15) & ~(size_t)15 : NNFW_Q8_PANEL;
}

/* As of struct nnfw_q8_gemm_kernels, in q8_pack_avx512vnni.c and q8_gemm_avx512vnni.c. */
#define NNFW_Q8_AVX512VNNI_UNIT 4u
size_t nnfw_q8_avx512vnni_size(size_t columns, struct nnfw_q8_depth depth);
void nnfw_q8_avx512vnni_pack(const struct nnfw_q8_packing *p);
void nnfw_q8_avx512vnni_multiply(const struct nnfw_q8_job *job);
void nnfw_q8_avx512vnni_add(const struct nnfw_q8_job *job, uint32_t *sums, size_t stride);
void nnfw_q8_avx512vnni_finish(const struct nnfw_q8_job *job, const uint32_t *sums, size_t stride);
void nnfw_q8_avx512vnni_row_sums(const struct nnfw_q8_job *job, uint32_t *sums);
void nnfw_q8_avx512vnni_copy(uint8_t *dst, const uint8_t *src, size_t n, uint8_t flip);

/* What the rule needs, in vectors. Codes are unsigned up to the last step. */
struct nnfw_q8_rule {
	__m512 lo, hi;
	__m512i zero_point; /* 16 bits */
	__m512i lo_code, hi_code, flip; /* 8 bits */
};

INLINE struct nnfw_q8_rule rule_of(const struct nnfw_q8_job *job)
{
	const int32_t zero = job->rule.zero_point + (job->is_signed ? 128 : 0);

	return (struct nnfw_q8_rule){
		.lo = _mm512_set1_ps(job->rule.lo),
		.hi = _mm512_set1_ps(job->rule.hi),
		.zero_point = _mm512_set1_epi16((int16_t)zero),
		.lo_code = _mm512_set1_epi8((char)((int32_t)job->rule.lo + zero)),
		.hi_code = _mm512_set1_epi8((char)((int32_t)job->rule.hi + zero)),
		.flip = _mm512_set1_epi8(job->is_signed ? (char)0x80 : 0),
	};
}

INLINE __m512i scaled(__m512i sums, const float *multipliers, const struct nnfw_q8_rule *q,
		      bool tame)
{
	__m512 r = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), _mm512_loadu_ps(multipliers));

	/* tame: below 2^31, and saturated by the packing */
	if (!tame)
		r = _mm512_min_ps(_mm512_max_ps(r, q->lo), q->hi);
	return _mm512_cvt_roundps_epi32(r, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* The codes of four vectors of sums, one vector's after the other's. */
INLINE __m512i codes_of(const __m512i sums[4], const float *const multipliers[4],
			const struct nnfw_q8_rule *q, bool tame)
{
	const __m512i a = _mm512_packs_epi32(scaled(sums[0], multipliers[0], q, tame),
					     scaled(sums[1], multipliers[1], q, tame));
	const __m512i b = _mm512_packs_epi32(scaled(sums[2], multipliers[2], q, tame),
					     scaled(sums[3], multipliers[3], q, tame));
	const __m512i codes = codes_packed_512(a, b, q->zero_point, q->lo_code, q->hi_code, false);

	return dwords_turn(_mm512_xor_si512(codes, q->flip));
}

#endif
