// SPDX-License-Identifier: Apache-2.0
#include "q8_dot/q8_dot.h"
#include "simd/simd_avx2.h"

/* Codes in 16 bits, whose products in pairs fit into 32; sums of weights take the zero point. */
struct sums {
	__m256i products, weights;
};

INLINE void add_16(struct sums *s, const int8_t *x, const int8_t *w)
{
	const __m256i a = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)x));
	const __m256i b = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)w));

	s->products = _mm256_add_epi32(s->products, _mm256_madd_epi16(a, b));
	s->weights = _mm256_add_epi32(s->weights, _mm256_madd_epi16(_mm256_set1_epi16(1), b));
}

static uint32_t lanes_sum(__m256i v)
{
	uint32_t lanes[8], sum = 0;

	_mm256_storeu_si256((void *)lanes, v);
	for (size_t k = 0; k < 8; k++)
		sum += lanes[k];
	return sum;
}

static uint32_t dot_product(const int8_t *x, const int8_t *w, size_t n, int32_t zero)
{
	struct sums s[2] = { 0 };
	uint32_t sum;
	size_t i = 0;

	for (; i + 32 <= n; i += 32) {
		add_16(&s[0], x + i, w + i);
		add_16(&s[1], x + i + 16, w + i + 16);
	}
	sum = lanes_sum(_mm256_add_epi32(s[0].products, s[1].products)) -
	      (uint32_t)zero * lanes_sum(_mm256_add_epi32(s[0].weights, s[1].weights));
	for (; i < n; i++)
		sum += ((uint32_t)x[i] - (uint32_t)zero) * (uint32_t)w[i];
	return sum;
}

const struct nnfw_q8_dot_kernels nnfw_q8_dot_avx2 = { .dot = dot_product };
