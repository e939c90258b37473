// SPDX-License-Identifier: Apache-2.0
#include "kernels/requant.h"
#include "q8_softmax/q8_softmax.h"
#include "simd/simd_avx512.h"

static uint8_t max_of(const uint8_t *src, size_t n, uint8_t flip, uint8_t max)
{
	const __m512i flips = _mm512_set1_epi8((char)flip);
	__m512i most = _mm512_set1_epi8((char)max);

	for (size_t i = 0; i < n; i += 64) {
		__mmask64 mask = mask_64(n - i);
		__m512i x = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, src + i), flips);

		most = _mm512_mask_max_epu8(most, mask, most, x);
	}
	return (uint8_t)_mm_cvtsi128_si32(bytes_greatest_512(most));
}

static void q8_softmax_results(uint8_t *to, const uint32_t *table, double factor,
			       const struct nnfw_requant *q)
{
	const __m512d lo = _mm512_set1_pd(q->lo), hi = _mm512_set1_pd(q->hi),
		      factors = _mm512_set1_pd(factor);
	const __m256i zero = _mm256_set1_epi32(q->zero_point);

	for (uint32_t d = 0; d < 256; d += 8) {
		__m256i e = _mm256_loadu_si256((const void *)(table + d));
		__m512d r = _mm512_mul_pd(_mm512_cvtepi32_pd(e), factors);

		r = _mm512_min_pd(_mm512_max_pd(r, lo), hi);
		e = _mm256_add_epi32(_mm512_cvtpd_epi32(r), zero);
		_mm_storel_epi64((void *)(to + d), _mm256_cvtepi32_epi8(e));
	}
}

const struct nnfw_q8_softmax_kernels nnfw_q8_softmax_avx512 = { .max = max_of,
								.results = q8_softmax_results };
