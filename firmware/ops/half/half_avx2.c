// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "half/half_kernels.h"

static void half_load(float *dst, const uint16_t *src, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		_mm256_storeu_ps(dst + i,
				 _mm256_cvtph_ps(_mm_loadu_si128((const void *)(src + i))));
	for (; i < n; i++)
		dst[i] = _cvtsh_ss(src[i]);
}

static void half_store(uint16_t *dst, const float *src, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		_mm_storeu_si128((void *)(dst + i), _mm256_cvtps_ph(_mm256_loadu_ps(src + i),
								    _MM_FROUND_TO_NEAREST_INT));
	for (; i < n; i++)
		dst[i] = _cvtss_sh(src[i], _MM_FROUND_TO_NEAREST_INT);
}

const struct nnfw_half_kernels nnfw_half_avx2 = { .load = half_load, .store = half_store };
