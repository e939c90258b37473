// SPDX-License-Identifier: Apache-2.0
#include "core_program.h"

/* Of such an operation. */
#define MAX_OPERANDS 8u

uint64_t nnfw_heavy_macs(const struct program_graph *g, const struct program_op *op)
{
	struct nnfw_tensor operands[MAX_OPERANDS];
	const uint32_t count = op->num_in + op->num_out;
	const struct nnfw_op_ctx ctx = {
		.desc = op->desc,
		.attrs = op->attrs,
		.in = operands,
		.num_in = op->num_in,
		.out = operands + op->num_in,
		.num_out = op->num_out,
	};

	if (!op->op->products || count > MAX_OPERANDS)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		operands[i] = g->tensors[i < op->num_in ? op->in[i] : op->out[i - op->num_in]];
		if (!operands[i].omitted && !nnfw_tensor_complete(&operands[i]))
			return 0;
	}
	if (operands[0].dtype != NNPROG_INT8 && operands[0].dtype != NNPROG_UINT8)
		return 0;
	return nnfw_op_work(&ctx).macs;
}
