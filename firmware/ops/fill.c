// SPDX-License-Identifier: Apache-2.0
/* FILL: a tensor of one value. RANK: how many dimensions the input has. */
#include <string.h>

#include "move.h"

static int fill_run(struct nnfw_op_ctx *ctx)
{
	struct nnfw_tensor *out = &ctx->out[0];
	size_t size = nnprog_dtype_size(out->dtype);
	struct nnfw_work work = { .progress = ctx->progress };
	uint32_t value = 0;

	if (ctx->in[1].elements != 1)
		return nnfw_refuse(ctx, "value is not one element");
	memcpy(&value, ctx->in[1].data, size);
	return nnfw_fill_long(&work, out->data, out->elements, size, &value);
}

static int rank_run(struct nnfw_op_ctx *ctx)
{
	*(int32_t *)ctx->out[0].data = (int32_t)ctx->in[0].rank;
	return 0;
}

const struct nnfw_op nnfw_op_fill = {
	.opcode = NNPROG_OP_FILL,
	.types = NNFW_TYPE(INT32),
	.run = fill_run,
};

const struct nnfw_op nnfw_op_rank = {
	.opcode = NNPROG_OP_RANK,
	.types = NNFW_TYPES_ALL,
	.run = rank_run,
};
