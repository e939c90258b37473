// SPDX-License-Identifier: Apache-2.0
/*
 * DEPTHWISE_CONV_2D: output channel k * multiplier + q reads input channel k. Of one input channel
 * it is a convolution.
 */
#include <stdlib.h>

#include "conv.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "q8_gemm/q8_gemm.h"

/* Output channels for which the products of a convolution are worth their padding. */
#define MANY_CHANNELS 4u

/* One input channel, of 8 bits; also when the input's shape is not known. */
static bool single_channel(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *filter = &ctx->in[1];

	return nnfw_is_quant8(ctx->in[0].dtype) && a->multiplier >= MANY_CHANNELS &&
	       filter->rank == 4 && filter->dims[3] == a->multiplier;
}

static struct nnfw_conv_geometry single_channel_geometry(const struct nnfw_op_ctx *ctx)
{
	struct nnfw_conv_geometry g = nnfw_conv_geometry(ctx);

	g.groups = g.depth = 1;
	g.k = g.filter_h * g.filter_w;
	return g;
}

static struct nnfw_q8_conv single_channel_conv(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;

	return (struct nnfw_q8_conv){
		.shape = nnfw_q8_single_channel_shape(&ctx->in[1]),
		.activation = a->activation,
		.geometry = single_channel_geometry,
	};
}

static int depthwise_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	struct nnfw_q8_conv conv;

	if (!single_channel(ctx))
		return nnfw_is_quant8(ctx->in[0].dtype)
			       ? nnfw_depthwise_q8_load(ctx, state, size)
			       : nnfw_depthwise_float_load(ctx, state, size);
	*state = NULL;
	*size = 0;
	if (!ctx->in[1].constant || !ctx->in[1].data)
		return 0;
	conv = single_channel_conv(ctx);
	return nnfw_q8_conv_load(ctx, &conv, state, size);
}

static size_t depthwise_scratch(const struct nnfw_op_ctx *ctx)
{
	struct nnfw_q8_conv conv;

	if (!single_channel(ctx))
		return nnfw_is_quant8(ctx->in[0].dtype) ? nnfw_depthwise_q8_scratch(ctx)
							: nnfw_depthwise_float_scratch(ctx);
	conv = single_channel_conv(ctx);
	return nnfw_q8_conv_scratch(ctx, &conv);
}

static int depthwise_run(struct nnfw_op_ctx *ctx)
{
	struct nnfw_conv_geometry g;
	struct nnfw_q8_conv conv;

	if (!ctx->out[0].elements)
		return 0;
	if (single_channel(ctx)) {
		conv = single_channel_conv(ctx);
		return nnfw_q8_conv_run(ctx, &conv);
	}
	g = nnfw_conv_geometry(ctx);
	return nnfw_is_quant8(ctx->in[0].dtype) ? nnfw_depthwise_q8_run(ctx, &g)
						: nnfw_depthwise_float_run(ctx, &g);
}

static uint64_t depthwise_macs(const struct nnfw_op_ctx *ctx)
{
	return ctx->out[0].elements * ctx->in[1].dims[1] * ctx->in[1].dims[2];
}

const struct nnfw_op nnfw_op_depthwise_conv_2d = {
	.opcode = NNPROG_OP_DEPTHWISE_CONV_2D,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.macs = depthwise_macs,
	.load = depthwise_load,
	.unload = free,
	.scratch = depthwise_scratch,
	.run = depthwise_run,
};
