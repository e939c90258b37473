// SPDX-License-Identifier: Apache-2.0
/* Armv8.2's products of four; sums of weights, products with ones, take the zero point. */
#include <arm_neon.h>

#include "q8_dot/q8_dot.h"

static uint32_t dot_product(const int8_t *x, const int8_t *w, size_t n, int32_t zero)
{
	const int8x16_t ones = vdupq_n_s8(1);
	int32x4_t products[2] = { vdupq_n_s32(0), vdupq_n_s32(0) };
	int32x4_t weights[2] = { vdupq_n_s32(0), vdupq_n_s32(0) };
	uint32_t sum;
	size_t i = 0;

	for (; i + 32 <= n; i += 32) {
		for (size_t k = 0; k < 2; k++) {
			const int8x16_t b = vld1q_s8(w + i + 16 * k);

			products[k] = vdotq_s32(products[k], vld1q_s8(x + i + 16 * k), b);
			weights[k] = vdotq_s32(weights[k], ones, b);
		}
	}
	sum = (uint32_t)vaddvq_s32(vaddq_s32(products[0], products[1])) -
	      (uint32_t)zero * (uint32_t)vaddvq_s32(vaddq_s32(weights[0], weights[1]));
	for (; i < n; i++)
		sum += ((uint32_t)x[i] - (uint32_t)zero) * (uint32_t)w[i];
	return sum;
}

const struct nnfw_q8_dot_kernels nnfw_q8_dot_dotprod = { .dot = dot_product };
