/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the kernels on AVX2: the requantization rule (kernels/requant.h) on vectors of sums, and
 * what AVX-VNNI has from AVX2.
 */
#ifndef NNFW_Q8_GEMM_AVX2_H
#define NNFW_Q8_GEMM_AVX2_H

#include "q8_gemm/q8_gemm_kernels.h"
#include "simd/simd_avx2.h"

/* Bytes of a column of packed weights: a multiple of @unit for each segment. */
INLINE size_t nnfw_q8_avx2_depth(struct nnfw_q8_depth depth, size_t unit)
{
	return depth.segments * ((depth.length + unit - 1) / unit * unit);
}

/* As of struct nnfw_q8_gemm_kernels, in q8_gemm_avx2.c and the files of packing. */
#define NNFW_Q8_AVX2_UNIT 2u
void nnfw_q8_avx2_pack(const struct nnfw_q8_packing *p);
void nnfw_q8_avx2_finish(const struct nnfw_q8_job *job, const uint32_t *sums, size_t stride);
void nnfw_q8_avx2_row_sums(const struct nnfw_q8_job *job, uint32_t *sums);
void nnfw_q8_avx2_copy(uint8_t *dst, const uint8_t *src, size_t n, uint8_t flip);
#define NNFW_Q8_AVXVNNI_UNIT 4u
void nnfw_q8_avxvnni_pack(const struct nnfw_q8_packing *p);

/* What the rule needs, in vectors. */
struct nnfw_q8_rule {
	__m256 lo, hi;
	__m256i zero_point; /* 16 bits */
	bool is_signed;
};

INLINE struct nnfw_q8_rule rule_of(const struct nnfw_q8_job *job)
{
	return (struct nnfw_q8_rule){
		.lo = _mm256_set1_ps(job->rule.lo),
		.hi = _mm256_set1_ps(job->rule.hi),
		.zero_point = _mm256_set1_epi16((int16_t)job->rule.zero_point),
		.is_signed = job->is_signed,
	};
}

INLINE __m256i scaled(__m256i sums, const float *multipliers, const struct nnfw_q8_rule *q)
{
	__m256 r = _mm256_mul_ps(_mm256_cvtepi32_ps(sums), _mm256_loadu_ps(multipliers));

	return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(r, q->lo), q->hi));
}

/* The codes of four vectors of sums, one vector's after the other's. */
INLINE __m256i codes_of(const __m256i sums[4], const float *const multipliers[4],
			const struct nnfw_q8_rule *q)
{
	__m256i a = _mm256_packs_epi32(scaled(sums[0], multipliers[0], q),
				       scaled(sums[1], multipliers[1], q));
	__m256i b = _mm256_packs_epi32(scaled(sums[2], multipliers[2], q),
				       scaled(sums[3], multipliers[3], q));

	a = _mm256_add_epi16(a, q->zero_point);
	b = _mm256_add_epi16(b, q->zero_point);
	a = q->is_signed ? _mm256_packs_epi16(a, b) : _mm256_packus_epi16(a, b);
	return bytes_in_order_256(a);
}

#endif
