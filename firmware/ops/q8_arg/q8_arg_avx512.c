// SPDX-License-Identifier: Apache-2.0
#include "q8_arg/q8_arg.h"
#include "simd/simd_avx512.h"

static int32_t one_row(const uint8_t *src, size_t n, uint8_t flip)
{
	const __m512i flips = _mm512_set1_epi8((char)flip);
	__m512i most = _mm512_setzero_si512(), wanted;
	__mmask64 found = 0;
	size_t i;

	for (i = 0; i < n; i += 64) {
		__mmask64 mask = mask_64(n - i);
		__m512i x = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, src + i), flips);

		most = _mm512_mask_max_epu8(most, mask, most, x);
	}
	wanted = _mm512_xor_si512(_mm512_broadcastb_epi8(bytes_greatest_512(most)), flips);
	for (i = 0; !found && i < n; i += 64) {
		__mmask64 mask = mask_64(n - i);

		found = _mm512_mask_cmpeq_epi8_mask(mask, _mm512_maskz_loadu_epi8(mask, src + i),
						    wanted);
	}
	return found ? (int32_t)(i - 64 + (size_t)__builtin_ctzll(found)) : 0;
}

static void arg_max(int32_t *out, const uint8_t *src, size_t rows, size_t n, uint8_t flip)
{
	const __m256i flips = _mm256_set1_epi8((char)flip);
	const __mmask32 mask = n < 32 ? (1u << n) - 1 : 0xffffffff;

	for (size_t r = 0; r < rows; r++, src += n) {
		__m256i x;

		if (n > 32) {
			out[r] = one_row(src, n, flip);
			continue;
		}
		/* what follows the row is 0: nothing is below, and it is not the first */
		x = _mm256_maskz_loadu_epi8(mask, src);
		x = _mm256_maskz_mov_epi8(mask, _mm256_xor_si256(x, flips));
		out[r] = __builtin_ctz(
			_mm256_cmpeq_epi8_mask(x, _mm256_broadcastb_epi8(bytes_greatest(x))));
	}
}

const struct nnfw_q8_arg_kernels nnfw_q8_arg_avx512 = { .max = arg_max };
