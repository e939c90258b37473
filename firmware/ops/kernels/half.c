// SPDX-License-Identifier: Apache-2.0
/* float16 <-> float32 in bulk. */
#include "kernels/half.h"
#include "kernels/kernel.h"
#include "kernels/variant.h"

static void load_any(float *dst, const uint16_t *src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = nnfw_half_to_float(src[i]);
}

static void store_any(uint16_t *dst, const float *src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = nnfw_float_to_half(src[i]);
}

#ifdef NNFW_X86
#include <immintrin.h>

/* clang 16 has no name for F16C here; every processor with AVX2 has it. */
#ifdef __clang__
#define HAVE_F16C NNFW_HAVE("avx2")
#else
#define HAVE_F16C (NNFW_HAVE("f16c") && NNFW_HAVE("avx"))
#endif

NNFW_TARGET("f16c,avx")
static void load_f16c(float *dst, const uint16_t *src, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		_mm256_storeu_ps(dst + i,
				 _mm256_cvtph_ps(_mm_loadu_si128((const void *)(src + i))));
	for (; i < n; i++)
		dst[i] = _cvtsh_ss(src[i]);
}

NNFW_TARGET("f16c,avx")
static void store_f16c(uint16_t *dst, const float *src, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		_mm_storeu_si128((void *)(dst + i), _mm256_cvtps_ph(_mm256_loadu_ps(src + i),
								    _MM_FROUND_TO_NEAREST_INT));
	for (; i < n; i++)
		dst[i] = _cvtss_sh(src[i], _MM_FROUND_TO_NEAREST_INT);
}
#endif

void nnfw_half_load(float *dst, const uint16_t *src, size_t n)
{
#ifdef NNFW_X86
	if (HAVE_F16C) {
		load_f16c(dst, src, n);
		return;
	}
#endif
	load_any(dst, src, n);
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

void nnfw_half_store(uint16_t *dst, const float *src, size_t n)
{
#ifdef NNFW_X86
	if (HAVE_F16C) {
		store_f16c(dst, src, n);
		return;
	}
#endif
	store_any(dst, src, n);
}
