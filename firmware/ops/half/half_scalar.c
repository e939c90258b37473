// SPDX-License-Identifier: Apache-2.0
#include "half/half.h"
#include "half/half_kernels.h"

static void half_load(float *dst, const uint16_t *src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = nnfw_half_to_float(src[i]);
}

static void half_store(uint16_t *dst, const float *src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = nnfw_float_to_half(src[i]);
}

const struct nnfw_half_kernels nnfw_half_scalar = { .load = half_load, .store = half_store };
