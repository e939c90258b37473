// SPDX-License-Identifier: Apache-2.0
/* Sums of up to 6 rows and a panel, two vectors, in registers; the left side is broadcast. */
#include "f32_gemm/f32_gemm_kernels.h"
#include "simd/simd_avx2.h"

#define ROWS 6
#define LANES 8

/* Lanes of the masks of a panel that has @n columns. */
static const int lanes[3 * LANES] = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
				      -1, -1, -1, -1, 0,  0,  0,  0,  0,  0,  0,  0 };

/* A vector of weights, element @i of float or, @half, float16. */
INLINE __m256 weights_of(const void *w, size_t i, const bool half)
{
	return half ? _mm256_cvtph_ps(_mm_loadu_si128((const void *)((const uint16_t *)w + i)))
		    : _mm256_loadu_ps((const float *)w + i);
}

/* @m rows of a panel, whole or with those columns that the masks of @last show. */
INLINE void tile(const struct nnfw_f32_block *b, const float *const *rows, const void *weights,
		 const float *bias, float *out, const size_t m, const bool whole,
		 const __m256i *last, const bool half)
{
	const __m256 lo = _mm256_set1_ps(b->lo), hi = _mm256_set1_ps(b->hi);
	const size_t width = whole ? NNFW_F32_PANEL : b->width;
	/* the weights of missing columns are zeros, except in a narrow panel */
	const bool narrow = !half && !whole && width < NNFW_F32_PANEL;
	size_t w = 0;
	__m256 sums[ROWS][2];

#pragma GCC unroll 8
	for (size_t i = 0; i < m; i++) {
#pragma GCC unroll 2
		for (size_t j = 0; j < 2; j++) {
			const float *from = b->more ? out + i * b->ld : bias;

			sums[i][j] = !from   ? _mm256_setzero_ps()
				     : whole ? _mm256_loadu_ps(from + j * LANES)
					     : _mm256_maskload_ps(from + j * LANES, last[j]);
		}
	}
	for (size_t s = 0; s < b->segments; s++, rows += b->stride) {
		const float *x[ROWS];

#pragma GCC unroll 8
		for (size_t i = 0; i < m; i++)
			x[i] = rows[i] + b->offset;
		for (size_t d = 0; d < b->length; d++, w += width) {
			const float *f = (const float *)weights + w;
			const __m256 f0 = narrow ? _mm256_maskload_ps(f, last[0])
						 : weights_of(weights, w, half),
				     f1 = narrow ? _mm256_maskload_ps(f + LANES, last[1])
						 : weights_of(weights, w + LANES, half);

#pragma GCC unroll 8
			for (size_t i = 0; i < m; i++) {
				const __m256 y = _mm256_broadcast_ss(x[i] + d);

				sums[i][0] = _mm256_fmadd_ps(y, f0, sums[i][0]);
				sums[i][1] = _mm256_fmadd_ps(y, f1, sums[i][1]);
			}
		}
	}
#pragma GCC unroll 8
	for (size_t i = 0; i < m; i++) {
#pragma GCC unroll 2
		for (size_t j = 0; j < 2; j++) {
			/* a NaN is the second operand, which is what they give */
			const __m256 y = _mm256_min_ps(hi, _mm256_max_ps(lo, sums[i][j]));

			if (whole)
				_mm256_storeu_ps(out + i * b->ld + j * LANES, y);
			else
				_mm256_maskstore_ps(out + i * b->ld + j * LANES, last[j], y);
		}
	}
}

/* All rows of panel @p, which has @n columns. */
INLINE void panel(const struct nnfw_f32_block *b, size_t p, size_t n, const bool whole,
		  const bool half)
{
	const __m256i last[2] = {
		_mm256_loadu_si256((const void *)(lanes + (n < LANES ? 2 * LANES - n : 0))),
		_mm256_loadu_si256((const void *)(lanes + (n > LANES ? 3 * LANES - n : 2 * LANES)))
	};
	const void *w =
		half ? (const void *)((const uint16_t *)(const void *)b->weights + p * b->panel)
		     : b->weights + p * b->panel;
	const float *bias = b->bias ? b->bias + p * NNFW_F32_PANEL : NULL;
	float *out = b->out + p * NNFW_F32_PANEL;
	size_t r = 0;

	for (; r + 6 <= b->m; r += 6)
		tile(b, b->rows + r, w, bias, out + r * b->ld, 6, whole, last, half);
	switch (b->m - r) {
	case 5:
		tile(b, b->rows + r, w, bias, out + r * b->ld, 5, whole, last, half);
		break;
	case 4:
		tile(b, b->rows + r, w, bias, out + r * b->ld, 4, whole, last, half);
		break;
	case 3:
		tile(b, b->rows + r, w, bias, out + r * b->ld, 3, whole, last, half);
		break;
	case 2:
		tile(b, b->rows + r, w, bias, out + r * b->ld, 2, whole, last, half);
		break;
	case 1:
		tile(b, b->rows + r, w, bias, out + r * b->ld, 1, whole, last, half);
		break;
	default:
		break;
	}
}

/* One row of whole panels: eight sums that do not wait for each other. */
INLINE void row(const struct nnfw_f32_block *b, const bool half)
{
	const __m256 lo = _mm256_set1_ps(b->lo), hi = _mm256_set1_ps(b->hi);
	const float *const *rows = b->rows;
	size_t w = 0;
	__m256 sums[NNFW_F32_PANELS][2];

#pragma GCC unroll 4
	for (size_t p = 0; p < NNFW_F32_PANELS; p++) {
#pragma GCC unroll 2
		for (size_t j = 0; j < 2; j++) {
			const float *from = b->more ? b->out : b->bias;

			sums[p][j] = from ? _mm256_loadu_ps(from + p * NNFW_F32_PANEL + j * LANES)
					  : _mm256_setzero_ps();
		}
	}
	for (size_t s = 0; s < b->segments; s++, rows += b->stride) {
		const float *x = *rows + b->offset;

		for (size_t d = 0; d < b->length; d++, w += NNFW_F32_PANEL) {
			const __m256 y = _mm256_broadcast_ss(x + d);

#pragma GCC unroll 4
			for (size_t p = 0; p < NNFW_F32_PANELS; p++) {
				const size_t at = w + p * b->panel;

				sums[p][0] = _mm256_fmadd_ps(y, weights_of(b->weights, at, half),
							     sums[p][0]);
				sums[p][1] = _mm256_fmadd_ps(
					y, weights_of(b->weights, at + LANES, half), sums[p][1]);
			}
		}
	}
#pragma GCC unroll 4
	for (size_t p = 0; p < NNFW_F32_PANELS; p++)
#pragma GCC unroll 2
		for (size_t j = 0; j < 2; j++)
			_mm256_storeu_ps(b->out + p * NNFW_F32_PANEL + j * LANES,
					 _mm256_min_ps(hi, _mm256_max_ps(lo, sums[p][j])));
}

INLINE void block_of(const struct nnfw_f32_block *b, const bool half)
{
	size_t p = 0;

	if (b->m == 1 && b->n == NNFW_F32_PANELS * NNFW_F32_PANEL) {
		row(b, half);
		return;
	}
	for (; (p + 1) * NNFW_F32_PANEL <= b->n; p++)
		panel(b, p, NNFW_F32_PANEL, true, half);
	if (b->n % NNFW_F32_PANEL)
		panel(b, p, b->n % NNFW_F32_PANEL, false, half);
}

static void f32_gemm_block(const struct nnfw_f32_block *b)
{
	if (b->half)
		block_of(b, true);
	else
		block_of(b, false);
}

/* 8 elements from @i of 8 columns from @c. */
INLINE void turn_square(const struct nnfw_f32_turn *t, size_t c, size_t i)
{
	const float *from = t->from + c * t->column + i;
	float *to = t->to + i * t->width + c;
	__m256 v[LANES], u[LANES];

	/* the first half of a vector is of a column below 4, the other of the one 4 further */
#pragma GCC unroll 4
	for (size_t j = 0; j < 4; j++) {
		v[j] = _mm256_loadu2_m128(from + (4 + j) * t->column, from + j * t->column);
		v[4 + j] = _mm256_loadu2_m128(from + (4 + j) * t->column + 4,
					      from + j * t->column + 4);
	}
#pragma GCC unroll 2
	for (size_t j = 0; j < LANES; j += 4) {
		u[j] = _mm256_unpacklo_ps(v[j], v[j + 1]);
		u[j + 1] = _mm256_unpackhi_ps(v[j], v[j + 1]);
		u[j + 2] = _mm256_unpacklo_ps(v[j + 2], v[j + 3]);
		u[j + 3] = _mm256_unpackhi_ps(v[j + 2], v[j + 3]);
		v[j] = _mm256_shuffle_ps(u[j], u[j + 2], 0x44);
		v[j + 1] = _mm256_shuffle_ps(u[j], u[j + 2], 0xee);
		v[j + 2] = _mm256_shuffle_ps(u[j + 1], u[j + 3], 0x44);
		v[j + 3] = _mm256_shuffle_ps(u[j + 1], u[j + 3], 0xee);
	}
#pragma GCC unroll 8
	for (size_t j = 0; j < LANES; j++)
		_mm256_storeu_ps(to + j * t->width, v[j]);
}

static void f32_gemm_turn(const struct nnfw_f32_turn *t)
{
	const size_t depth = t->depth / LANES * LANES;
	size_t c = 0;

	for (; c + LANES <= t->columns; c += LANES)
		for (size_t i = 0; i < depth; i += LANES)
			turn_square(t, c, i);
	/* what is beside the squares, and below them */
	nnfw_f32_turn_rest(t, c, 0);
	if (c) {
		struct nnfw_f32_turn below = *t;

		below.columns = c;
		nnfw_f32_turn_rest(&below, 0, depth);
	}
}

const struct nnfw_f32_gemm_kernels nnfw_f32_gemm_avx2 = { .block = f32_gemm_block,
							  .turn = f32_gemm_turn,
							  .half = true };
