// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "f32_math/f32_math_kernels.h"

static void sigmoid_of(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = 1.0f / (1.0f + expf(-x[i]));
}

static void tanh_of(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = tanhf(x[i]);
}

const struct nnfw_f32_math_kernels nnfw_f32_math_scalar = { .sigmoid = sigmoid_of,
							    .tanh = tanh_of };
