// SPDX-License-Identifier: Apache-2.0
/* Sums of up to 8 rows and 2 panels, or of 2 rows and 4, in registers; the left side is broadcast.
 */
#include <immintrin.h>
#include <stdint.h>

#include "f32_gemm/f32_gemm_kernels.h"
#include "kernels/turn_avx512.h"

#define ROWS 8
#define INLINE static inline __attribute__((always_inline))

/* A vector of weights; not @whole: the lanes of @last. There are no narrow panels of @half. */
INLINE __m512 weights_of(const void *w, const bool whole, __mmask16 last, const bool half)
{
	if (half)
		return _mm512_cvtph_ps(_mm256_loadu_si256(w));
	return whole ? _mm512_loadu_ps(w) : _mm512_maskz_loadu_ps(last, w);
}

/*
 * @m rows from @r on and @v panels from @p on, of which the last has the columns of @last. Not
 * @whole: the only panel is narrow. @fetch: along with each element of the depth, a line from
 * @ahead on.
 */
INLINE void tile(const struct nnfw_f32_block *b, size_t r, size_t p, const size_t m, const size_t v,
		 __mmask16 last, const bool whole, const bool half, const bool fetch,
		 const float *ahead)
{
	const size_t panel = b->panel, width = whole ? NNFW_F32_PANEL : b->width;
	const size_t element = half ? sizeof(uint16_t) : sizeof(float);
	const uint8_t *w = (const uint8_t *)b->weights + p * panel * element;
	const float *start = b->bias;
	float *out = b->out + r * b->ld + p * NNFW_F32_PANEL;
	__m512 sums[ROWS][NNFW_F32_PANELS];

#pragma GCC unroll 8
	for (size_t j = 0; j < v; j++) {
		const __mmask16 k = j + 1 == v ? last : 0xffff;
		const size_t at = (p + j) * NNFW_F32_PANEL;
		const __m512 bias = start && !b->more ? _mm512_maskz_loadu_ps(k, start + at)
						      : _mm512_setzero_ps();

#pragma GCC unroll 8
		for (size_t i = 0; i < m; i++)
			sums[i][j] = bias;
	}
	if (b->more) {
#pragma GCC unroll 8
		for (size_t i = 0; i < m; i++) {
#pragma GCC unroll 8
			for (size_t j = 0; j < v; j++)
				sums[i][j] =
					_mm512_maskz_loadu_ps(j + 1 == v ? last : 0xffff,
							      out + i * b->ld + j * NNFW_F32_PANEL);
		}
	}
	for (size_t s = 0; s < b->segments; s++) {
		const float *const *rows = b->rows + s * b->stride + r;
		const float *x[ROWS];

#pragma GCC unroll 8
		for (size_t i = 0; i < m; i++)
			x[i] = rows[i] + b->offset;
		for (size_t d = 0; d < b->length; d++, w += width * element) {
			__m512 f[NNFW_F32_PANELS];

			if (fetch) {
				__builtin_prefetch(ahead, 0, 2);
				ahead += NNFW_F32_PANEL;
			}
#pragma GCC unroll 8
			for (size_t j = 0; j < v; j++)
				f[j] = weights_of(w + j * panel * element, whole, last, half);
#pragma GCC unroll 8
			for (size_t i = 0; i < m; i++) {
				const __m512 y = _mm512_set1_ps(x[i][d]);

#pragma GCC unroll 8
				for (size_t j = 0; j < v; j++)
					sums[i][j] = _mm512_fmadd_ps(y, f[j], sums[i][j]);
			}
		}
	}
#pragma GCC unroll 8
	for (size_t i = 0; i < m; i++) {
#pragma GCC unroll 8
		for (size_t j = 0; j < v; j++) {
			/* a NaN is the second operand, which is what they give */
			const __m512 y =
				_mm512_min_ps(_mm512_set1_ps(b->hi),
					      _mm512_max_ps(_mm512_set1_ps(b->lo), sums[i][j]));

			_mm512_mask_storeu_ps(out + i * b->ld + j * NNFW_F32_PANEL,
					      j + 1 == v ? last : 0xffff, y);
		}
	}
}

/* All rows of @v panels from @p on. */
INLINE void panels(const struct nnfw_f32_block *b, size_t p, const size_t v, __mmask16 last,
		   const bool whole, const bool half)
{
	const float *const next = b->weights + (p + v) * b->panel;
	size_t rows, n = 0;

	for (size_t r = 0; r < b->m; r += rows, n++) {
		const size_t left = b->m - r, tiles = (left + ROWS - 1) / ROWS;
		/* panels that come next: their first tile would wait for each of their lines */
		const float *ahead = !half && b->far && n && n <= v ? next + (n - 1) * b->panel
								    : NULL;

		/* tiles of the same height: one of few rows takes nearly as long as a full one */
		rows = (left + tiles - 1) / tiles;
		switch (rows) {
		case 8:
			if (!half && ahead)
				tile(b, r, p, 8, v, last, whole, half, true, ahead);
			else
				tile(b, r, p, 8, v, last, whole, half, false, NULL);
			break;
		case 7:
			if (!half && ahead)
				tile(b, r, p, 7, v, last, whole, half, true, ahead);
			else
				tile(b, r, p, 7, v, last, whole, half, false, NULL);
			break;
		case 6:
			tile(b, r, p, 6, v, last, whole, half, false, NULL);
			break;
		case 5:
			tile(b, r, p, 5, v, last, whole, half, false, NULL);
			break;
		case 4:
			tile(b, r, p, 4, v, last, whole, half, false, NULL);
			break;
		case 3:
			tile(b, r, p, 3, v, last, whole, half, false, NULL);
			break;
		case 2:
			tile(b, r, p, 2, v, last, whole, half, false, NULL);
			break;
		default:
			tile(b, r, p, 1, v, last, whole, half, false, NULL);
			break;
		}
	}
}

/* One or two rows: more panels at once, for sums that do not wait for each other. */
INLINE void few(const struct nnfw_f32_block *b, const size_t v, __mmask16 last, const bool half)
{
	if (b->m == 1)
		tile(b, 0, 0, 1, v, last, true, half, false, NULL);
	else
		tile(b, 0, 0, 2, v, last, true, half, false, NULL);
}

INLINE void block_of(const struct nnfw_f32_block *b, const bool half)
{
	const size_t v = (b->n + NNFW_F32_PANEL - 1) / NNFW_F32_PANEL;
	const __mmask16 last = (__mmask16)(0xffff >> (v * NNFW_F32_PANEL - b->n));
	size_t p = 0;

	if (!half && b->width < NNFW_F32_PANEL) {
		panels(b, 0, 1, last, false, false);
		return;
	}
	if (b->m <= 2 && v > 2) {
		if (v == 4)
			few(b, 4, last, half);
		else
			few(b, 3, last, half);
		return;
	}
	for (; p + 2 <= v; p += 2)
		panels(b, p, 2, p + 2 == v ? last : 0xffff, true, half);
	if (p < v)
		panels(b, p, 1, last, true, half);
}

static void block(const struct nnfw_f32_block *b)
{
	if (b->half)
		block_of(b, true);
	else
		block_of(b, false);
}

/* 16 elements of 16 columns, or what there is of them. */
INLINE void turn_square(const struct nnfw_f32_turn *t, size_t i, const bool all)
{
	const __mmask16 columns = (__mmask16)((1u << t->columns) - 1);
	const size_t n = t->depth - i;
	const __mmask16 some = n < 16 ? (__mmask16)((1u << n) - 1) : (__mmask16)0xffff;
	__m512i v[16];

#pragma GCC unroll 16
	for (size_t c = 0; c < 16; c++)
		v[c] = all ? _mm512_loadu_si512(t->from + c * t->column + i)
			   : _mm512_maskz_loadu_epi32(c < t->columns ? some : 0,
						      t->from + c * t->column + i);
	nnfw_turn_16(v);
#pragma GCC unroll 16
	for (size_t d = 0; d < 16; d++) {
		if (all)
			_mm512_storeu_si512(t->to + (i + d) * t->width, v[d]);
		else if (d < n)
			_mm512_mask_storeu_epi32(t->to + (i + d) * t->width, columns, v[d]);
	}
}

static void turn(const struct nnfw_f32_turn *t)
{
	size_t i = 0;

	for (; i + 16 <= t->depth && t->columns == 16; i += 16)
		turn_square(t, i, true);
	for (; i < t->depth; i += 16)
		turn_square(t, i, false);
}

const struct nnfw_f32_gemm_kernels nnfw_f32_gemm_vnni = { .block = block,
							  .turn = turn,
							  .half = true };
