// SPDX-License-Identifier: Apache-2.0
#include "q8_dot/q8_dot.h"

static uint32_t dot_product(const int8_t *x, const int8_t *w, size_t n, int32_t zero)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += ((uint32_t)x[i] - (uint32_t)zero) * (uint32_t)w[i];
	return sum;
}

const struct nnfw_q8_dot_kernels nnfw_q8_dot_scalar = { .dot = dot_product };
