/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices. */
#ifndef NNACCEL_MATMUL_H
#define NNACCEL_MATMUL_H

#include "kernels/kernel.h"
#include "nnprog_attrs.h"

/* matmul_float.c: FULLY_CONNECTED and BATCH_MATMUL of floats. */

/** load(), scratch() and run() of nnfw_op.h; weights and output are not empty. */
int nnfw_fully_connected_float_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size);
size_t nnfw_fully_connected_float_scratch(const struct nnfw_op_ctx *ctx);
int nnfw_fully_connected_float_run(struct nnfw_op_ctx *ctx);

/** out[m][n] = x[m][k] * y[k][n], @batch times; adj: stored [k][m], [n][k]. */
struct nnfw_matmul_shape {
	size_t batch, m, n, k;
	bool adj_x, adj_y;
};

static inline struct nnfw_matmul_shape nnfw_matmul_shape(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_batch_matmul *a = ctx->attrs;
	const struct nnfw_tensor *x = &ctx->in[0], *out = &ctx->out[0];
	uint32_t r = x->rank;

	return (struct nnfw_matmul_shape){
		.batch = nnfw_extent(x, 0, r - 2),
		.m = out->dims[r - 2],
		.n = out->dims[r - 1],
		.k = x->dims[a->adjoint_x ? r - 2 : r - 1],
		.adj_x = a->adjoint_x,
		.adj_y = a->adjoint_y,
	};
}

/** load() takes any type, and does nothing for integers. */
int nnfw_matmul_float_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size);
size_t nnfw_matmul_float_scratch(const struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s);
int nnfw_matmul_float_run(struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s);

/* matmul_q8.c: BATCH_MATMUL of int8. */

/** scratch() and run() of nnfw_op.h; neither input is empty. */
size_t nnfw_matmul_q8_scratch(const struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s);
int nnfw_matmul_q8_run(struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s);

#endif
