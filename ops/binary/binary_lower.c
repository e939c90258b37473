// SPDX-License-Identifier: Apache-2.0
/* Two broadcast operands. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_binary(struct lower *l)
{
	struct nnprog_attr_binary a = { .kind = l->row->kind };
	uint32_t in[2], out;
	int ret;

	ret = lower_activation(l, 2, &a.activation);
	if (!ret)
		ret = lower_in(l, 0, &in[0]);
	if (!ret)
		ret = lower_in(l, 1, &in[1]);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_BINARY, &a, sizeof(a), in, 2, &out, 1);
}

static uint32_t activation_input(const struct nnmodel_subgraph *g,
				 const struct nnmodel_operation *op)
{
	(void)g;
	(void)op;
	return 2;
}

static int lower_pair(struct lower *l)
{
	const struct nnprog_attr_binary a = { .kind = l->row->kind, .activation = NNPROG_ACT_NONE };

	return lower_all_inputs(l, NNPROG_OP_BINARY, &a, sizeof(a));
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_ADD,
	  .lower = lower_binary,
	  .kind = NNPROG_BINARY_ADD,
	  .activation_input = activation_input },
	{ .opcode = NNMODEL_SUB,
	  .lower = lower_binary,
	  .kind = NNPROG_BINARY_SUB,
	  .activation_input = activation_input },
	{ .opcode = NNMODEL_MUL,
	  .lower = lower_binary,
	  .kind = NNPROG_BINARY_MUL,
	  .activation_input = activation_input },
	{ .opcode = NNMODEL_DIV,
	  .lower = lower_binary,
	  .kind = NNPROG_BINARY_DIV,
	  .activation_input = activation_input },
	{ .opcode = NNMODEL_MAXIMUM, .lower = lower_pair, .kind = NNPROG_BINARY_MAXIMUM },
	{ .opcode = NNMODEL_MINIMUM, .lower = lower_pair, .kind = NNPROG_BINARY_MINIMUM },
	{ .opcode = NNMODEL_POW, .lower = lower_pair, .kind = NNPROG_BINARY_POW },
	{ .opcode = NNMODEL_PRELU, .lower = lower_pair, .kind = NNPROG_BINARY_PRELU },
	{ .opcode = NNMODEL_LOGICAL_AND, .lower = lower_pair, .kind = NNPROG_BINARY_AND },
	{ .opcode = NNMODEL_LOGICAL_OR, .lower = lower_pair, .kind = NNPROG_BINARY_OR },
};
LOWER_FAMILY(binary, rows);
