/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels on AVX-512 share. */
#ifndef NNFW_SIMD_AVX512_H
#define NNFW_SIMD_AVX512_H

#include "simd/simd_avx2.h"

/* The first @n of 16 lanes, or all. */
INLINE __mmask16 mask_16(size_t n)
{
	return n < 16 ? (__mmask16)((1u << n) - 1) : (__mmask16)0xffff;
}

/* The first @n of 64 bytes, or all. */
INLINE __mmask64 mask_64(size_t n)
{
	return n < 64 ? ((__mmask64)1 << n) - 1 : ~(__mmask64)0;
}

/* The greatest of 64 bytes, as byte 0. */
INLINE __m128i bytes_greatest_512(__m512i x)
{
	return bytes_greatest(
		_mm256_max_epu8(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1)));
}

/* Codes within [lo, hi]. */
INLINE __m512i codes_within_512(__m512i x, __m512i lo, __m512i hi, bool is_signed)
{
	return is_signed ? _mm512_min_epi8(_mm512_max_epi8(x, lo), hi)
			 : _mm512_min_epu8(_mm512_max_epu8(x, lo), hi);
}

/*
 * The end of the rule (kernels/requant.h): rounded results of 16 bits plus the zero point are codes
 * within [lo, hi], packed within 128 bits.
 */
INLINE __m512i codes_packed_512(__m512i low, __m512i high, __m512i zero_point, __m512i lo,
				__m512i hi, bool is_signed)
{
	high = _mm512_adds_epi16(high, zero_point);
	low = _mm512_adds_epi16(low, zero_point);
	return codes_within_512(is_signed ? _mm512_packs_epi16(low, high)
					  : _mm512_packus_epi16(low, high),
				lo, hi, is_signed);
}

/*
 * The square of four dwords in each 128 bits, turned: packing four vectors within 128 bits leaves
 * it turned, and unpacking needs it so.
 */
INLINE __m512i dwords_turn(__m512i x)
{
	return _mm512_permutexvar_epi32(
		_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), x);
}

#endif
