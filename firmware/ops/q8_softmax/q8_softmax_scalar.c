// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "kernels/requant.h"
#include "q8_softmax/q8_softmax.h"

static uint8_t max_of(const uint8_t *src, size_t n, uint8_t flip, uint8_t max)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t x = src[i] ^ flip;

		max = x > max ? x : max;
	}
	return max;
}

static void q8_softmax_results(uint8_t *to, const uint32_t *table, double factor,
			       const struct nnfw_requant *q)
{
	double lo = q->lo, hi = q->hi;

	for (uint32_t d = 0; d < 256; d++) {
		double r = table[d] * factor;

		r = r > lo ? r : lo;
		r = r < hi ? r : hi;
		to[d] = (uint8_t)((int32_t)rint(r) + q->zero_point);
	}
}

const struct nnfw_q8_softmax_kernels nnfw_q8_softmax_scalar = { .max = max_of,
								.results = q8_softmax_results };
