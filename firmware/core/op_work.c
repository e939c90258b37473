// SPDX-License-Identifier: Apache-2.0
#include "core_program.h"

#include "nnfw_ops.h"
#include "nnprog_desc.h"

struct op_work nnfw_op_work(const struct nnfw_op_ctx *ctx)
{
	const uint32_t opcode = ctx->desc->opcode;
	const struct nnfw_op *op = opcode < NNPROG_OP_COUNT ? nnfw_op_table[opcode] : NULL;
	struct op_work work = { 0 };

	for (uint32_t i = 0; i < ctx->num_in; i++)
		if (!ctx->in[i].omitted)
			work.bytes += ctx->in[i].size;
	for (uint32_t i = 0; i < ctx->num_out; i++) {
		work.elements += ctx->out[i].elements;
		work.bytes += ctx->out[i].size;
	}
	if (op && op->macs)
		work.macs = op->macs(ctx);
	return work;
}
