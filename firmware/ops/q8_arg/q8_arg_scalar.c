// SPDX-License-Identifier: Apache-2.0
#include "q8_arg/q8_arg.h"

static void arg_max(int32_t *out, const uint8_t *src, size_t rows, size_t n, uint8_t flip)
{
	for (size_t r = 0; r < rows; r++, src += n) {
		size_t best = 0;

		for (size_t i = 1; i < n; i++)
			if ((src[i] ^ flip) > (src[best] ^ flip))
				best = i;
		out[r] = (int32_t)best;
	}
}

const struct nnfw_q8_arg_kernels nnfw_q8_arg_scalar = { .max = arg_max };
