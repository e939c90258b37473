// SPDX-License-Identifier: Apache-2.0
#include "f32_gemm/f32_gemm_kernels.h"
#include "kernels/kernel.h"

/* Row @r, panel @p, of @n columns. */
static void f32_gemm_row(const struct nnfw_f32_block *b, size_t r, size_t p, size_t n)
{
	const float *w = b->weights + p * b->panel;
	float *out = b->out + r * b->ld + p * NNFW_F32_PANEL, sums[NNFW_F32_PANEL] = { 0 };

	for (size_t c = 0; c < n; c++)
		sums[c] = b->more ? out[c] : b->bias ? b->bias[p * NNFW_F32_PANEL + c] : 0;
	for (size_t s = 0; s < b->segments; s++) {
		const float *x = b->rows[s * b->stride + r] + b->offset;

		for (size_t i = 0; i < b->length; i++, w += b->width) {
			if (b->width == NNFW_F32_PANEL)
				for (size_t c = 0; c < NNFW_F32_PANEL; c++)
					sums[c] += x[i] * w[c];
			else
				for (size_t c = 0; c < n; c++)
					sums[c] += x[i] * w[c];
		}
	}
	for (size_t c = 0; c < n; c++)
		out[c] = nnfw_clampf(sums[c], b->lo, b->hi);
}

static void f32_gemm_block(const struct nnfw_f32_block *b)
{
	for (size_t r = 0; r < b->m; r++)
		for (size_t c = 0; c < b->n; c += NNFW_F32_PANEL)
			f32_gemm_row(b, r, c / NNFW_F32_PANEL,
				     b->n - c < NNFW_F32_PANEL ? b->n - c : NNFW_F32_PANEL);
}

const struct nnfw_f32_gemm_kernels nnfw_f32_gemm_scalar = { .block = f32_gemm_block };
