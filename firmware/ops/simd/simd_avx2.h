/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels on AVX2 share; those on AVX-512 may use it too. */
#ifndef NNFW_SIMD_AVX2_H
#define NNFW_SIMD_AVX2_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "simd/simd.h"

/* The first @n of 8 lanes are -1, the others 0. */
INLINE __m256i mask_8(size_t n)
{
	static const int lanes[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };

	return _mm256_loadu_si256((const void *)(lanes + 8 - n));
}

/* The first @n of 16 bytes, or all. */
INLINE void bytes_store(uint8_t *to, __m128i bytes, size_t n)
{
	uint8_t all[16];

	if (n >= 16) {
		_mm_storeu_si128((void *)to, bytes);
		return;
	}
	_mm_storeu_si128((void *)all, bytes);
	memcpy(to, all, n);
}

/* The greatest of 32 bytes, as byte 0: the least of the complements, of pairs, then of 16 bits. */
INLINE __m128i bytes_greatest(__m256i x)
{
	__m128i m = _mm_max_epu8(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));

	m = _mm_xor_si128(m, _mm_set1_epi8((char)0xff));
	m = _mm_min_epu8(m, _mm_srli_epi16(m, 8));
	m = _mm_minpos_epu16(_mm_and_si128(m, _mm_set1_epi16(0xff)));
	return _mm_xor_si128(m, _mm_set1_epi8((char)0xff));
}

/* Packing four vectors stays within 128 bits: one vector's bytes after the other's. */
INLINE __m256i bytes_in_order_256(__m256i x)
{
	return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

#endif
