// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "q8_map/q8_map.h"

static void lookup(uint8_t *dst, const uint8_t *src, size_t n, const uint8_t *table)
{
	const __m512i t0 = _mm512_loadu_si512(table), t1 = _mm512_loadu_si512(table + 64),
		      t2 = _mm512_loadu_si512(table + 128), t3 = _mm512_loadu_si512(table + 192);

	for (size_t i = 0; i < n; i += 64) {
		__mmask64 mask = n - i < 64 ? ((__mmask64)1 << (n - i)) - 1 : ~(__mmask64)0;
		__m512i x = _mm512_maskz_loadu_epi8(mask, src + i);
		__m512i low = _mm512_permutex2var_epi8(t0, x, t1),
			high = _mm512_permutex2var_epi8(t2, x, t3);

		_mm512_mask_storeu_epi8(dst + i, mask,
					_mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high));
	}
}

const struct nnfw_q8_map_kernels nnfw_q8_map_amx = {
	.lookup = lookup,
	.dequantize = nnfw_q8_dequantize_vnni,
	.quantize = nnfw_q8_quantize_vnni,
};
