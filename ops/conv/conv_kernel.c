// SPDX-License-Identifier: Apache-2.0
/* CONV_2D. 8 bits: q8_gemm/; floats: conv_float.c. */
#include <stdlib.h>

#include "conv.h"
#include "kernels/conv_geometry.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "q8_gemm/q8_gemm.h"

static struct nnfw_q8_conv conv_quant(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;

	return (struct nnfw_q8_conv){
		.shape = nnfw_q8_conv_shape(&ctx->in[1], a->groups),
		.activation = a->activation,
		.geometry = nnfw_conv_geometry,
	};
}

static int conv_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnfw_tensor *filter = &ctx->in[1];
	struct nnfw_q8_conv conv;

	*state = NULL;
	*size = 0;
	if (!filter->constant || !filter->data)
		return 0;
	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return nnfw_conv_float_load(ctx, state, size);
	conv = conv_quant(ctx);
	return nnfw_q8_conv_load(ctx, &conv, state, size);
}

static size_t conv_scratch(const struct nnfw_op_ctx *ctx)
{
	struct nnfw_q8_conv conv;

	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return nnfw_conv_float_scratch(ctx);
	conv = conv_quant(ctx);
	return nnfw_q8_conv_scratch(ctx, &conv);
}

static int conv_run(struct nnfw_op_ctx *ctx)
{
	struct nnfw_conv_geometry g;
	struct nnfw_q8_conv conv;

	if (!ctx->out[0].elements)
		return 0;
	if (nnfw_is_quant8(ctx->in[0].dtype)) {
		conv = conv_quant(ctx);
		return nnfw_q8_conv_run(ctx, &conv);
	}
	g = nnfw_conv_geometry(ctx);
	return nnfw_conv_float_run(ctx, &g);
}

/* An output channel's filter for each of its elements; filter [Cout,Hf,Wf,Cin of a group]. */
static uint64_t conv_macs(const struct nnfw_op_ctx *ctx)
{
	const uint32_t *filter = ctx->in[1].dims;

	return ctx->out[0].elements * filter[1] * filter[2] * filter[3];
}

const struct nnfw_op nnfw_op_conv_2d = {
	.opcode = NNPROG_OP_CONV_2D,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.products = true,
	.macs = conv_macs,
	.load = conv_load,
	.unload = free,
	.scratch = conv_scratch,
	.run = conv_run,
};
