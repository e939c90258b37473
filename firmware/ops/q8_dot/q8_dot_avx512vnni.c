// SPDX-License-Identifier: Apache-2.0
/*
 * VPDPBUSD wants unsigned codes on one side: x + 128. What they are too much, and the zero point,
 * is the sum of the weights times (128 + zero).
 */
#include "q8_dot/q8_dot.h"
#include "simd/simd_avx512.h"

struct sums {
	__m512i products, weights;
};

INLINE void add_64(struct sums *s, __m512i x, __m512i w)
{
	x = _mm512_xor_si512(x, _mm512_set1_epi8((char)0x80));
	s->products = _mm512_dpbusd_epi32(s->products, x, w);
	s->weights = _mm512_dpbusd_epi32(s->weights, _mm512_set1_epi8(1), w);
}

static uint32_t dot_product(const int8_t *x, const int8_t *w, size_t n, int32_t zero)
{
	struct sums s[2] = { 0 };
	size_t i = 0;

	for (; i + 128 <= n; i += 128)
		for (size_t k = 0; k < 2; k++)
			add_64(&s[k], _mm512_loadu_si512(x + i + 64 * k),
			       _mm512_loadu_si512(w + i + 64 * k));
	for (; i < n; i += 64) {
		const __mmask64 some = mask_64(n - i);

		/* weights of 0 behind the end */
		add_64(&s[0], _mm512_maskz_loadu_epi8(some, x + i),
		       _mm512_maskz_loadu_epi8(some, w + i));
	}
	s[0].products = _mm512_add_epi32(s[0].products, s[1].products);
	s[0].weights = _mm512_add_epi32(s[0].weights, s[1].weights);
	return (uint32_t)_mm512_reduce_add_epi32(s[0].products) -
	       (128 + (uint32_t)zero) * (uint32_t)_mm512_reduce_add_epi32(s[0].weights);
}

const struct nnfw_q8_dot_kernels nnfw_q8_dot_avx512vnni = { .dot = dot_product };
