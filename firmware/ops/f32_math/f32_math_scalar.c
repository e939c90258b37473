// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "f32_math/f32_math_kernels.h"

static void sigmoids(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = 1.0f / (1.0f + expf(-x[i]));
}

static void tanhs(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = tanhf(x[i]);
}

static void exps(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = expf(x[i]);
}

static void expm1s(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = expm1f(x[i]);
}

static void exp_sums(float *x, size_t n, float max, float beta, double *sums)
{
	for (size_t i = 0; i < n; i++) {
		x[i] = expf((x[i] - max) * beta);
		sums[i % NNFW_F32_SUMS] += x[i];
	}
}

const struct nnfw_f32_math_kernels nnfw_f32_math_scalar = {
	.sigmoid = sigmoids, .tanh = tanhs, .exp = exps, .expm1 = expm1s, .exp_sums = exp_sums
};
