// SPDX-License-Identifier: Apache-2.0
/* FULLY_CONNECTED: out[b][u] = act(sum over i of x[b][i] * w[u][i] + bias[u]). */
#include <stdlib.h>

#include "kernels/kernel.h"
#include "matmul.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "q8_gemm/q8_gemm.h"

static struct nnfw_q8_conv fully_connected_quant(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_act *a = ctx->attrs;
	const size_t k = ctx->in[1].dims[1];

	return (struct nnfw_q8_conv){
		.shape = {
			.columns = ctx->in[1].dims[0],
			.groups = 1,
			.depth = { .segments = 1, .length = k },
			.column = k,
			.element = 1,
		},
		.activation = a->activation,
		.geometry = nnfw_q8_matrix_geometry,
	};
}

/* ---- the operation ---- */

static int fc_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnfw_tensor *weights = &ctx->in[1];
	struct nnfw_q8_conv conv;

	*state = NULL;
	*size = 0;
	if (!weights->constant || !weights->data)
		return 0;
	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return nnfw_fully_connected_float_load(ctx, state, size);
	conv = fully_connected_quant(ctx);
	return nnfw_q8_conv_load(ctx, &conv, state, size);
}

static size_t fc_scratch(const struct nnfw_op_ctx *ctx)
{
	struct nnfw_q8_conv conv;

	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return nnfw_fully_connected_float_scratch(ctx);
	conv = fully_connected_quant(ctx);
	return nnfw_q8_conv_scratch(ctx, &conv);
}

static int fc_run(struct nnfw_op_ctx *ctx)
{
	struct nnfw_q8_conv conv;

	if (!ctx->out[0].elements)
		return 0;
	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return nnfw_fully_connected_float_run(ctx);
	conv = fully_connected_quant(ctx);
	return nnfw_q8_conv_run(ctx, &conv);
}

static uint64_t fc_macs(const struct nnfw_op_ctx *ctx)
{
	return ctx->out[0].elements * ctx->in[1].dims[1];
}

const struct nnfw_op nnfw_op_fully_connected = {
	.opcode = NNPROG_OP_FULLY_CONNECTED,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.products = true,
	.macs = fc_macs,
	.load = fc_load,
	.unload = free,
	.scratch = fc_scratch,
	.run = fc_run,
};
