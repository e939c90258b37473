/* SPDX-License-Identifier: Apache-2.0 */
/* A square of 16 by 16 elements of 32 bits, turned in registers. For files of AVX512. */
#ifndef NNFW_TURN_AVX512_H
#define NNFW_TURN_AVX512_H

#include "simd/simd_avx512.h"

/** Element i of v[j] becomes element j of v[i]. */
INLINE void nnfw_turn_16(__m512i v[16])
{
	__m512i t[16];

#pragma GCC unroll 8
	for (size_t i = 0; i < 16; i += 2) {
		t[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
		t[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
	}
#pragma GCC unroll 4
	for (size_t i = 0; i < 16; i += 4) {
		v[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
		v[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
		v[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
		v[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
	}
	/* v[4 * i + j] has in its lane l the element 4 * l + j of rows 4 * i to 4 * i + 3 */
#pragma GCC unroll 4
	for (size_t j = 0; j < 4; j++) {
		const __m512i even = _mm512_shuffle_i32x4(v[j], v[4 + j], 0x88);
		const __m512i odd = _mm512_shuffle_i32x4(v[j], v[4 + j], 0xdd);
		const __m512i even_below = _mm512_shuffle_i32x4(v[8 + j], v[12 + j], 0x88);
		const __m512i odd_below = _mm512_shuffle_i32x4(v[8 + j], v[12 + j], 0xdd);

		t[j] = _mm512_shuffle_i32x4(even, even_below, 0x88);
		t[4 + j] = _mm512_shuffle_i32x4(odd, odd_below, 0x88);
		t[8 + j] = _mm512_shuffle_i32x4(even, even_below, 0xdd);
		t[12 + j] = _mm512_shuffle_i32x4(odd, odd_below, 0xdd);
	}
#pragma GCC unroll 16
	for (size_t i = 0; i < 16; i++)
		v[i] = t[i];
}

#endif
