// SPDX-License-Identifier: Apache-2.0
/* A vector has four taps of eight channels, which VPDPBUSD adds up. */
#include "q8_depthwise/avx2.h"

/* Unit @j of @vectors of @rows from vector @i. */
INLINE void block(const struct nnfw_q8dw_run *run, const struct constants *k, size_t i, size_t j,
		  const int vectors, const int rows)
{
	const struct nnfw_q8dw_unit *unit = run->units[j];
	const __m256i *w = (const void *)unit->weights;
	const size_t bytes = run->bytes - NNFW_Q8DW_LANES * j;
	__m256i acc[2][4][2];

	for (int h = 0; h < 2; h++)
		for (int r = 0; r < rows; r++)
			for (int v = 0; v < vectors; v++)
				acc[r][v][h] =
					_mm256_loadu_si256((const void *)(unit->init + 8 * h));
	for (size_t t = 0; t < run->terms; t++, w += 2) {
		const uint8_t *x = run->src[j] + i * run->src_step + run->offsets[t];

		for (int h = 0; h < 2; h++) {
			const __m256i first = _mm256_loadu_si256(w + h);
			const __m256i second = _mm256_slli_epi32(first, 8);

			for (int v = 0; v < vectors; v++) {
				const __m256i d = _mm256_loadu_si256(
					(const void *)(x + (size_t)v * run->src_step + 32 * h));

				acc[0][v][h] = _mm256_dpbusd_avx_epi32(acc[0][v][h], d, first);
				if (rows > 1)
					acc[1][v][h] =
						_mm256_dpbusd_avx_epi32(acc[1][v][h], d, second);
			}
		}
	}
	for (int r = 0; r < rows; r++)
		for (int v = 0; v < vectors; v++)
			bytes_store(run->dst[r] + (i + (size_t)v) * run->dst_step +
					    NNFW_Q8DW_LANES * j,
				    finish(k, unit, acc[r][v]), bytes);
}

static void q8_depthwise_product(const struct nnfw_q8dw_run *run)
{
	product_of_blocks(run, block, 4);
}

const struct nnfw_q8_depthwise_kernels nnfw_q8_depthwise_avxvnni = {
	.weave = nnfw_q8dw_avx2_weave,
	.product = q8_depthwise_product,
};
