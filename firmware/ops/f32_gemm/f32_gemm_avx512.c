// SPDX-License-Identifier: Apache-2.0
/* Sums of up to 8 rows and 2 panels, or of 2 rows and 4, in registers; the left side is broadcast.
 */
#include "f32_gemm/f32_gemm_kernels.h"
#include "simd/simd_avx512.h"
#include "simd/turn_avx512.h"

#define ROWS 8

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

			/* one index for all rows: else GCC steps a pointer for each */
			__asm__("" : "+r"(d));
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

/*
 * Each form is a function of its own: what is alive around it would take the registers of the rows'
 * pointers.
 */
typedef void tile_fn(const struct nnfw_f32_block *b, size_t r, size_t p, __mmask16 last,
		     const float *ahead);

#define TILE(m, v, name, whole, half, fetch)                                                       \
	static __attribute__((noinline)) void tile_##m##x##v##name(const struct nnfw_f32_block *b, \
								   size_t r, size_t p,             \
								   __mmask16 last,                 \
								   const float *ahead)             \
	{                                                                                          \
		tile(b, r, p, m, v, last, whole, half, fetch, ahead);                              \
	}
/* Of 1 to 8 rows. */
#define TILES(v, name, whole, half)          \
	TILE(1, v, name, whole, half, false) \
	TILE(2, v, name, whole, half, false) \
	TILE(3, v, name, whole, half, false) \
	TILE(4, v, name, whole, half, false) \
	TILE(5, v, name, whole, half, false) \
	TILE(6, v, name, whole, half, false) \
	TILE(7, v, name, whole, half, false) \
	TILE(8, v, name, whole, half, false)
#define ENTRIES(v, name)                                                                       \
	{                                                                                      \
		tile_1x##v##name, tile_2x##v##name, tile_3x##v##name, tile_4x##v##name,        \
			tile_5x##v##name, tile_6x##v##name, tile_7x##v##name, tile_8x##v##name \
	}

TILES(1, , true, false)
TILES(2, , true, false)
TILES(1, _half, true, true)
TILES(2, _half, true, true)
TILES(1, _narrow, false, false)
TILE(7, 1, _fetch, true, false, true)
TILE(8, 1, _fetch, true, false, true)
TILE(7, 2, _fetch, true, false, true)
TILE(8, 2, _fetch, true, false, true)
/* One or two rows: more panels at once, for sums that do not wait for each other. */
TILE(1, 3, , true, false, false)
TILE(2, 3, , true, false, false)
TILE(1, 4, , true, false, false)
TILE(2, 4, , true, false, false)
TILE(1, 3, _half, true, true, false)
TILE(2, 3, _half, true, true, false)
TILE(1, 4, _half, true, true, false)
TILE(2, 4, _half, true, true, false)

/* By rows. */
static tile_fn *const narrow[ROWS] = ENTRIES(1, _narrow);
/* By float16, panels and rows. */
static tile_fn *const whole[2][2][ROWS] = { { ENTRIES(1, ), ENTRIES(2, ) },
					    { ENTRIES(1, _half), ENTRIES(2, _half) } };
static tile_fn *const few[2][2][2] = {
	{ { tile_1x3, tile_2x3 }, { tile_1x4, tile_2x4 } },
	{ { tile_1x3_half, tile_2x3_half }, { tile_1x4_half, tile_2x4_half } },
};
/* By panels and rows from 7 on. */
static tile_fn *const fetching[2][2] = { { tile_7x1_fetch, tile_8x1_fetch },
					 { tile_7x2_fetch, tile_8x2_fetch } };

/* All rows of @v panels from @p on. */
static void panels(const struct nnfw_f32_block *b, size_t p, size_t v, __mmask16 last)
{
	tile_fn *const *const tiles = b->width < NNFW_F32_PANEL ? narrow
								: whole[b->half ? 1 : 0][v - 1];
	const float *const next = b->weights + (p + v) * b->panel;
	const bool fetch = b->far && !b->half && b->width == NNFW_F32_PANEL;
	size_t rows, n = 0;

	for (size_t r = 0; r < b->m; r += rows, n++) {
		const size_t left = b->m - r, parts = (left + ROWS - 1) / ROWS;

		/* tiles of the same height: one of few rows takes nearly as long as a full one */
		rows = (left + parts - 1) / parts;
		/* panels that come next: their first tile would wait for each of their lines */
		if (fetch && n && n <= v && rows >= 7)
			fetching[v - 1][rows - 7](b, r, p, last, next + (n - 1) * b->panel);
		else
			tiles[rows - 1](b, r, p, last, NULL);
	}
}

static void f32_gemm_block(const struct nnfw_f32_block *b)
{
	const size_t v = (b->n + NNFW_F32_PANEL - 1) / NNFW_F32_PANEL;
	const __mmask16 last = (__mmask16)(0xffff >> (v * NNFW_F32_PANEL - b->n));
	size_t p = 0;

	if (b->m && b->m <= 2 && v > 2) {
		few[b->half ? 1 : 0][v - 3][b->m - 1](b, 0, 0, last, NULL);
		return;
	}
	for (; p + 2 <= v; p += 2)
		panels(b, p, 2, p + 2 == v ? last : 0xffff);
	if (p < v)
		panels(b, p, 1, last);
}

/* 16 elements of 16 columns, or what there is of them. */
INLINE void turn_square(const struct nnfw_f32_turn *t, size_t i, const bool all)
{
	const __mmask16 columns = (__mmask16)((1u << t->columns) - 1);
	const size_t n = t->depth - i;
	const __mmask16 some = mask_16(n);
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

static void f32_gemm_turn(const struct nnfw_f32_turn *t)
{
	size_t i = 0;

	for (; i + 16 <= t->depth && t->columns == 16; i += 16)
		turn_square(t, i, true);
	for (; i < t->depth; i += 16)
		turn_square(t, i, false);
}

const struct nnfw_f32_gemm_kernels nnfw_f32_gemm_avx512 = { .block = f32_gemm_block,
							    .turn = f32_gemm_turn,
							    .half = true };
