// SPDX-License-Identifier: Apache-2.0
#include "q8_depthwise/avx2.h"

INLINE void store_halves(uint8_t *low, uint8_t *high, __m256i x)
{
	_mm_storeu_si128((void *)low, _mm256_castsi256_si128(x));
	_mm_storeu_si128((void *)high, _mm256_extracti128_si256(x, 1));
}

/* 32 elements of four rows. */
INLINE void weave_block(uint8_t *to, const uint8_t *const x[4], __m256i flip)
{
	__m256i a = _mm256_xor_si256(_mm256_loadu_si256((const void *)x[0]), flip);
	__m256i b = _mm256_xor_si256(_mm256_loadu_si256((const void *)x[1]), flip);
	__m256i c = _mm256_xor_si256(_mm256_loadu_si256((const void *)x[2]), flip);
	__m256i d = _mm256_xor_si256(_mm256_loadu_si256((const void *)x[3]), flip);
	__m256i ab = _mm256_unpacklo_epi8(a, b), cd = _mm256_unpacklo_epi8(c, d);

	store_halves(to, to + 64, _mm256_unpacklo_epi16(ab, cd));
	store_halves(to + 16, to + 80, _mm256_unpackhi_epi16(ab, cd));
	ab = _mm256_unpackhi_epi8(a, b);
	cd = _mm256_unpackhi_epi8(c, d);
	store_halves(to + 32, to + 96, _mm256_unpacklo_epi16(ab, cd));
	store_halves(to + 48, to + 112, _mm256_unpackhi_epi16(ab, cd));
}

void nnfw_q8dw_avx2_weave(uint8_t *to, const uint8_t *const rows[NNFW_Q8DW_TAPS],
			  const size_t steps[NNFW_Q8DW_TAPS], size_t n, uint8_t fill, uint8_t flip)
{
	const __m256i flips = _mm256_set1_epi8((char)flip);
	const uint8_t *x[4] = { rows[0], rows[1], rows[2], rows[3] };
	uint8_t rest[4][32];

	for (; n >= 32; n -= 32, to += 128) {
		weave_block(to, x, flips);
		for (int t = 0; t < 4; t++)
			x[t] += steps[t] / 2;
	}
	if (!n)
		return;
	for (int t = 0; t < 4; t++) {
		memset(rest[t], fill, sizeof(rest[t]));
		memcpy(rest[t], x[t], n);
		x[t] = rest[t];
	}
	weave_block(to, x, flips);
}

INLINE __m256i add_products(__m256i acc, __m256i x, __m256i w)
{
	return _mm256_add_epi32(acc, _mm256_madd_epi16(x, w));
}

/* Unit @j of @vectors of @rows from vector @i. */
INLINE void block(const struct nnfw_q8dw_run *run, const struct constants *k, size_t i, size_t j,
		  const int vectors, const int rows)
{
	const struct nnfw_q8dw_unit *unit = run->units[j];
	const __m256i low = _mm256_set1_epi16(0xff);
	const __m256i *w = (const void *)unit->weights;
	const size_t bytes = run->bytes - 16 * j;
	__m256i acc[2][2][2];

	for (int h = 0; h < 2; h++)
		for (int r = 0; r < rows; r++)
			for (int v = 0; v < vectors; v++)
				acc[r][v][h] =
					_mm256_loadu_si256((const void *)(unit->init + 8 * h));
	for (size_t t = 0; t < run->terms; t++, w += 4) {
		const uint8_t *x = run->src[j] + i * run->src_step + run->offsets[t];

		for (int h = 0; h < 2; h++) {
			__m256i we = _mm256_loadu_si256(w + h);
			__m256i wo = _mm256_loadu_si256(w + 2 + h);
			__m256i shifted = _mm256_slli_epi32(wo, 16);

			for (int v = 0; v < vectors; v++) {
				__m256i d = _mm256_loadu_si256(
					(const void *)(x + (size_t)v * run->src_step + 32 * h));
				__m256i e = _mm256_and_si256(d, low);
				__m256i o = _mm256_srli_epi16(d, 8);

				acc[0][v][h] = add_products(acc[0][v][h], e, we);
				acc[0][v][h] = add_products(acc[0][v][h], o, wo);
				if (rows > 1) {
					acc[1][v][h] = add_products(acc[1][v][h], e, shifted);
					acc[1][v][h] = add_products(acc[1][v][h], o, we);
				}
			}
		}
	}
	for (int r = 0; r < rows; r++)
		for (int v = 0; v < vectors; v++)
			bytes_store(run->dst[r] + (i + (size_t)v) * run->dst_step + 16 * j,
				    finish(k, unit, acc[r][v]), bytes);
}

static void q8_depthwise_product(const struct nnfw_q8dw_run *run)
{
	product_of_blocks(run, block, 2);
}

const struct nnfw_q8_depthwise_kernels nnfw_q8_depthwise_avx2 = {
	.wide = true,
	.weave = nnfw_q8dw_avx2_weave,
	.product = q8_depthwise_product,
};
