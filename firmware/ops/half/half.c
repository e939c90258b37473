// SPDX-License-Identifier: Apache-2.0
/* float16 <-> float32 in bulk. */
#include "half/half.h"
#include "half/half_kernels.h"
#include "isa/isa.h"

void nnfw_half_load(float *dst, const uint16_t *src, size_t n)
{
	NNFW_KERNELS(half)->load(dst, src, n);
}

void nnfw_half_store(uint16_t *dst, const float *src, size_t n)
{
	NNFW_KERNELS(half)->store(dst, src, n);
}

int nnfw_half_load_long(struct nnfw_work *work, float *dst, const uint16_t *src, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(work, i, n);
		if (!end)
			return -ECANCELED;
		nnfw_half_load(dst + i, src + i, end - i);
	}
	return 0;
}

int nnfw_half_store_long(struct nnfw_work *work, uint16_t *dst, const float *src, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(work, i, n);
		if (!end)
			return -ECANCELED;
		nnfw_half_store(dst + i, src + i, end - i);
	}
	return 0;
}
