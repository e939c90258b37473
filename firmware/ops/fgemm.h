/* SPDX-License-Identifier: Apache-2.0 */
/* What float CONV_2D and FULLY_CONNECTED share around cblas_sgemm: bias, activation, float16. */
#ifndef NNFW_FGEMM_H
#define NNFW_FGEMM_H

#include <cblas.h>
#include <string.h>

#include "ops.h"

/** c[m][ldc] = a[m][k] * w[n][k]^T; m, n, k below 2^31, which tensors of at most 2 GiB give. */
static inline void nnfw_fgemm(const float *a, size_t m, size_t lda, const float *w, size_t n, size_t k,
			      float *c, size_t ldc)
{
	if (m == 1)
		cblas_sgemv(CblasRowMajor, CblasNoTrans, (blasint)n, (blasint)k, 1, w, (blasint)k, a, 1,
			    0, c, 1);
	else
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)m, (blasint)n, (blasint)k,
			    1, a, (blasint)lda, w, (blasint)k, 0, c, (blasint)ldc);
}

/** out[i][j] = clamp(c[i][j] + bias[j]) in place; rows @ld apart. */
static inline void nnfw_fgemm_finish(float *c, size_t m, size_t n, size_t ld, const float *bias, float lo,
				     float hi)
{
	for (size_t i = 0; i < m; i++) {
		float *ci = c + i * ld;

		for (size_t j = 0; j < n; j++)
			ci[j] = nnfw_clampf(ci[j] + bias[j], lo, hi);
	}
}

/** The float32 form of a float operand: itself, what load() made, or converted into @mem. */
static inline const float *nnfw_float_operand(const struct nnfw_tensor *t, const void *state, void *mem)
{
	if (t->dtype == NNPROG_FLOAT32)
		return t->data;
	if (state)
		return state;
	nnfw_half_load(mem, t->data, t->elements);
	return mem;
}

/** load() of float weights: constant float16 becomes float32. 0 or -ENOMEM. */
static inline int nnfw_load_half(const struct nnfw_op_ctx *ctx, const struct nnfw_tensor *t, void **state, size_t *size)
{
	*state = NULL;
	*size = 0;
	if (t->dtype != NNPROG_FLOAT16 || !t->constant || !t->data)
		return 0;
	*state = nnfw_alloc_state(ctx, t->elements * sizeof(float));
	if (!*state)
		return -ENOMEM;
	*size = nnfw_align(t->elements * sizeof(float));
	nnfw_half_load(*state, t->data, t->elements);
	return 0;
}

#endif
