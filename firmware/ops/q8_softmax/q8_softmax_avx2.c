// SPDX-License-Identifier: Apache-2.0
#include "kernels/requant.h"
#include "q8_softmax/q8_softmax.h"
#include "simd/simd_avx2.h"

static uint8_t max_of(const uint8_t *src, size_t n, uint8_t flip, uint8_t max)
{
	const __m256i flips = _mm256_set1_epi8((char)flip);
	__m256i most = _mm256_set1_epi8((char)max);
	size_t i = 0;

	for (; n - i >= 32; i += 32)
		most = _mm256_max_epu8(
			most, _mm256_xor_si256(_mm256_loadu_si256((const void *)(src + i)), flips));
	max = (uint8_t)_mm_cvtsi128_si32(bytes_greatest(most));
	for (; i < n; i++)
		max = (src[i] ^ flip) > max ? src[i] ^ flip : max;
	return max;
}

static void q8_softmax_results(uint8_t *to, const uint32_t *table, double factor,
			       const struct nnfw_requant *q)
{
	const __m256d lo = _mm256_set1_pd(q->lo), hi = _mm256_set1_pd(q->hi),
		      factors = _mm256_set1_pd(factor);
	const __m128i zero = _mm_set1_epi32(q->zero_point), bytes = _mm_set1_epi32(0x0c080400);

	for (uint32_t d = 0; d < 256; d += 4) {
		__m128i e = _mm_loadu_si128((const void *)(table + d));
		__m256d r = _mm256_mul_pd(_mm256_cvtepi32_pd(e), factors);

		r = _mm256_min_pd(_mm256_max_pd(r, lo), hi);
		e = _mm_add_epi32(_mm256_cvtpd_epi32(r), zero);
		_mm_storeu_si32(to + d, _mm_shuffle_epi8(e, bytes));
	}
}

const struct nnfw_q8_softmax_kernels nnfw_q8_softmax_avx2 = { .max = max_of,
							      .results = q8_softmax_results };
