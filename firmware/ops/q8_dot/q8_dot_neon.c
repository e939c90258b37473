// SPDX-License-Identifier: Apache-2.0
/* Products of 8 bits fit into 16, pairs of them into 32; sums of weights take the zero point. */
#include <arm_neon.h>

#include "q8_dot/q8_dot.h"

static uint32_t dot_product(const int8_t *x, const int8_t *w, size_t n, int32_t zero)
{
	int32x4_t products = vdupq_n_s32(0), weights = vdupq_n_s32(0);
	uint32_t sum;
	size_t i = 0;

	for (; i + 16 <= n; i += 16) {
		const int8x16_t a = vld1q_s8(x + i), b = vld1q_s8(w + i);

		products = vpadalq_s16(products, vmull_s8(vget_low_s8(a), vget_low_s8(b)));
		products = vpadalq_s16(products, vmull_high_s8(a, b));
		weights = vpadalq_s16(weights, vpaddlq_s8(b));
	}
	sum = (uint32_t)vaddvq_s32(products) - (uint32_t)zero * (uint32_t)vaddvq_s32(weights);
	for (; i < n; i++)
		sum += ((uint32_t)x[i] - (uint32_t)zero) * (uint32_t)w[i];
	return sum;
}

const struct nnfw_q8_dot_kernels nnfw_q8_dot_neon = { .dot = dot_product };
