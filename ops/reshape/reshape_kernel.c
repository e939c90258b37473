// SPDX-License-Identifier: Apache-2.0
/*
 * RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements under other dimensions, which inference has
 * found. RANK: the number of dimensions.
 */
#include <string.h>

#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_opcode.h"

#define TICK (1u << 20)

static int reshape_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];

	if (in->elements != out->elements || in->size != out->size)
		return nnfw_refuse(ctx, "%llu elements into a shape of %llu",
				   (unsigned long long)in->elements,
				   (unsigned long long)out->elements);
	if (in->data == out->data)
		return 0;
	for (size_t i = 0; i < in->size; i += TICK) {
		size_t n = in->size - i < TICK ? in->size - i : TICK;
		int ret = nnfw_progress_tick(ctx->progress);

		if (ret)
			return ret;
		memcpy((uint8_t *)out->data + i, (const uint8_t *)in->data + i, n);
	}
	return 0;
}

static int rank_run(struct nnfw_op_ctx *ctx)
{
	*(int32_t *)ctx->out[0].data = (int32_t)ctx->in[0].rank;
	return 0;
}

const struct nnfw_op nnfw_op_reshape = {
	.opcode = NNPROG_OP_RESHAPE,
	.types = NNFW_TYPES_ALL,
	.run = reshape_run,
};

const struct nnfw_op nnfw_op_squeeze = {
	.opcode = NNPROG_OP_SQUEEZE,
	.types = NNFW_TYPES_ALL,
	.run = reshape_run,
};

const struct nnfw_op nnfw_op_expand_dims = {
	.opcode = NNPROG_OP_EXPAND_DIMS,
	.types = NNFW_TYPES_ALL,
	.run = reshape_run,
};

const struct nnfw_op nnfw_op_rank = {
	.opcode = NNPROG_OP_RANK,
	.types = NNFW_TYPES_ALL,
	.run = rank_run,
};
