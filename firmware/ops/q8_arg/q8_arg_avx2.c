// SPDX-License-Identifier: Apache-2.0
#include "q8_arg/q8_arg.h"
#include "simd/simd_avx2.h"

INLINE uint32_t equal(__m256i x, __m256i y)
{
	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y));
}

static int32_t one_row(const uint8_t *src, size_t n, uint8_t flip)
{
	const __m256i flips = _mm256_set1_epi8((char)flip);
	size_t i = 0, best = 0;

	if (n >= 32) {
		__m256i most = _mm256_setzero_si256();
		uint32_t found = 0;

		for (; n - i >= 32; i += 32)
			most = _mm256_max_epu8(
				most, _mm256_xor_si256(_mm256_loadu_si256((const void *)(src + i)),
						       flips));
		most = _mm256_xor_si256(_mm256_broadcastb_epi8(bytes_greatest(most)), flips);
		for (; !found && best < i; best += 32)
			found = equal(_mm256_loadu_si256((const void *)(src + best)), most);
		best = found ? best - 32 + (size_t)__builtin_ctz(found) : 0;
	}
	for (; i < n; i++)
		if ((src[i] ^ flip) > (src[best] ^ flip))
			best = i;
	return (int32_t)best;
}

static void arg_max(int32_t *out, const uint8_t *src, size_t rows, size_t n, uint8_t flip)
{
	const __m256i flips = _mm256_set1_epi8((char)flip);
	size_t r = 0;

	if (n < 32) {
		const __m256i index = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
						       14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
						       25, 26, 27, 28, 29, 30, 31);
		const __m256i own = _mm256_cmpgt_epi8(_mm256_set1_epi8((char)n), index);

		/* what follows the row counts as 0: nothing is below, and it is not the first */
		for (; (rows - r) * n >= 32; r++, src += n) {
			__m256i x = _mm256_loadu_si256((const void *)src);

			x = _mm256_and_si256(_mm256_xor_si256(x, flips), own);
			out[r] = __builtin_ctz(equal(x, _mm256_broadcastb_epi8(bytes_greatest(x))));
		}
	}
	for (; r < rows; r++, src += n)
		out[r] = one_row(src, n, flip);
}

const struct nnfw_q8_arg_kernels nnfw_q8_arg_avx2 = { .max = arg_max };
