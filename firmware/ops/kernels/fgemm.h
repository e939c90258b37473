/* SPDX-License-Identifier: Apache-2.0 */
/* Products of floats through OpenBLAS, and what goes with them: bias, activation, float16. */
#ifndef NNFW_FGEMM_H
#define NNFW_FGEMM_H

#include <string.h>

#include "nnprog_shape.h"
#include "kernels/half.h"
#include "kernels/kernel.h"

/** A matrix product c = x * y of floats, row major; what is transposed is read so. */
struct nnfw_gemm {
	bool trans_x, trans_y;
	bool vector; /* m is 1, y is transposed: by the routine for a matrix and a vector */
	size_t m, n, k; /* below 2^31, which tensors of at most 2 GiB give */
	const float *x, *y;
	size_t ldx, ldy, ldc;
	float *c;
	float keep; /* c of before is kept, times this */
};

/**
 * Of any size: with ticks. A product is not cut where that shows in the result. 0, -ECANCELED or
 * -ENOMEM.
 */
int nnfw_gemm(struct nnfw_progress *progress, const struct nnfw_gemm *g);

/** c[m][ldc] = a[m][k] * w[n][k]^T */
static inline int nnfw_fgemm(struct nnfw_progress *progress, const float *a, size_t m, size_t lda,
			     const float *w, size_t n, size_t k, float *c, size_t ldc)
{
	return nnfw_gemm(progress, &(struct nnfw_gemm){ .trans_y = true,
							.vector = m == 1,
							.m = m,
							.n = n,
							.k = k,
							.x = a,
							.y = w,
							.ldx = lda,
							.ldy = k,
							.ldc = ldc,
							.c = c });
}

/** out[i][j] = clamp(c[i][j] + bias[j]) in place; rows @ld apart. 0 or -ECANCELED. */
static inline int nnfw_fgemm_finish(struct nnfw_work *work, float *c, size_t m, size_t n, size_t ld,
				    const float *bias, float lo, float hi)
{
	for (size_t i = 0; i < m; i++) {
		float *ci = c + i * ld;
		int ret = nnfw_work(work, n);

		if (ret)
			return ret;
		for (size_t j = 0; j < n; j++)
			ci[j] = nnfw_clampf(ci[j] + bias[j], lo, hi);
	}
	return 0;
}

/**
 * *@out = the float32 form of a float operand: itself, what load() made, or converted into @mem. 0
 * or -ECANCELED.
 */
static inline int nnfw_float_operand(struct nnfw_progress *progress, const struct nnfw_tensor *t,
				     const void *state, void *mem, const float **out)
{
	struct nnfw_work work = { .progress = progress };

	*out = t->dtype == NNPROG_FLOAT32 ? t->data : state ? state : mem;
	return t->dtype == NNPROG_FLOAT32 || state
		       ? 0
		       : nnfw_half_load_long(&work, mem, t->data, t->elements);
}

/**
 * load() of float weights: constant float16 becomes float32. 0, -ENOMEM or -ECANCELED; *@state is
 * there to be freed.
 */
static inline int nnfw_load_half(const struct nnfw_op_ctx *ctx, const struct nnfw_tensor *t,
				 void **state, size_t *size)
{
	struct nnfw_work work = { .progress = ctx->progress };

	*state = NULL;
	*size = 0;
	if (t->dtype != NNPROG_FLOAT16 || !t->constant || !t->data)
		return 0;
	*state = nnfw_alloc_state(ctx, t->elements * sizeof(float));
	if (!*state)
		return -ENOMEM;
	*size = nnfw_align(t->elements * sizeof(float));
	return nnfw_half_load_long(&work, *state, t->data, t->elements);
}

#endif
