// SPDX-License-Identifier: Apache-2.0
/* Sums of up to 4 rows and a panel, four vectors, in registers; the left side is a scalar. */
#include "f32_gemm/f32_gemm_kernels.h"
#include "simd/simd_neon.h"

#define ROWS 4
#define LANES 4

/* @m rows and @v vectors of a panel whose rows are @width floats. */
INLINE void tile(const struct nnfw_f32_block *b, const float *const *rows, const float *w,
		 const float *bias, float *out, const size_t m, const size_t v, const size_t width)
{
	const float32x4_t lo = vdupq_n_f32(b->lo), hi = vdupq_n_f32(b->hi);
	float32x4_t sums[ROWS][4];

	for (size_t i = 0; i < m; i++) {
		const float *from = b->more ? out + i * b->ld : bias;

		for (size_t j = 0; j < v; j++)
			sums[i][j] = from ? vld1q_f32(from + j * LANES) : vdupq_n_f32(0);
	}
	for (size_t s = 0; s < b->segments; s++, rows += b->stride) {
		const float *x[ROWS];

		for (size_t i = 0; i < m; i++)
			x[i] = rows[i] + b->offset;
		for (size_t d = 0; d < b->length; d++, w += width) {
			float32x4_t f[4];

			for (size_t j = 0; j < v; j++)
				f[j] = vld1q_f32(w + j * LANES);
			for (size_t i = 0; i < m; i++)
				for (size_t j = 0; j < v; j++)
					sums[i][j] = vfmaq_n_f32(sums[i][j], f[j], x[i][d]);
		}
	}
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < v; j++)
			vst1q_f32(out + i * b->ld + j * LANES, clamp(sums[i][j], lo, hi));
}

/* One element, as a lane of tile() has it. */
static void f32_gemm_element(const struct nnfw_f32_block *b, const float *const *rows,
			     const float *w, const float *bias, float *out, size_t width)
{
	float sum = b->more ? *out : bias ? *bias : 0;

	for (size_t s = 0; s < b->segments; s++, rows += b->stride)
		for (size_t d = 0; d < b->length; d++, w += width)
			sum = __builtin_fmaf(*w, rows[0][b->offset + d], sum);
	sum = sum < b->lo ? b->lo : sum;
	*out = sum > b->hi ? b->hi : sum;
}

INLINE void rows_of(const struct nnfw_f32_block *b, const float *w, const float *bias, float *out,
		    const size_t v, const size_t width)
{
	size_t r = 0;

	for (; r + ROWS <= b->m; r += ROWS)
		tile(b, b->rows + r, w, bias, out + r * b->ld, ROWS, v, width);
	for (; r < b->m; r++)
		tile(b, b->rows + r, w, bias, out + r * b->ld, 1, v, width);
}

/* The last panel, of @n columns. */
static void f32_gemm_part(const struct nnfw_f32_block *b, const float *w, const float *bias,
			  float *out, size_t n)
{
	size_t c = 0;

	for (; c + LANES <= n; c += LANES)
		rows_of(b, w + c, bias ? bias + c : NULL, out + c, 1, b->width);
	for (; c < n; c++)
		for (size_t r = 0; r < b->m; r++)
			f32_gemm_element(b, b->rows + r, w + c, bias ? bias + c : NULL,
					 out + r * b->ld + c, b->width);
}

static void f32_gemm_block(const struct nnfw_f32_block *b)
{
	const float *w = b->weights, *bias = b->bias;
	float *out = b->out;
	size_t n = b->n;

	for (; n >= NNFW_F32_PANEL; n -= NNFW_F32_PANEL) {
		rows_of(b, w, bias, out, 4, NNFW_F32_PANEL);
		w += b->panel;
		bias = bias ? bias + NNFW_F32_PANEL : NULL;
		out += NNFW_F32_PANEL;
	}
	if (n)
		f32_gemm_part(b, w, bias, out, n);
}

const struct nnfw_f32_gemm_kernels nnfw_f32_gemm_neon = { .block = f32_gemm_block };
