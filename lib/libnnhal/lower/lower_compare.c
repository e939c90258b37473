// SPDX-License-Identifier: Apache-2.0
/* Comparison, logic, minimum and maximum, powers, selection: broadcast operands, no activation. */
#include "context.h"

/* The NNAPI operation's tensors, all of them, to its output. */
static int all_inputs(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size)
{
	const uint32_t n = l->op->num_inputs;
	uint32_t in[3], out, i;
	int ret = 0;

	for (i = 0; !ret && i < n; i++)
		ret = lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, opcode, attrs, attrs_size, in, n, &out, 1);
}

int lower_compare(struct lower *l)
{
	const struct nnprog_attr_compare a = { .kind = l->row->kind };

	return all_inputs(l, NNPROG_OP_COMPARE, &a, sizeof(a));
}

int lower_pair(struct lower *l)
{
	const struct nnprog_attr_binary a = { .kind = l->row->kind, .activation = NNPROG_ACT_NONE };

	return all_inputs(l, NNPROG_OP_BINARY, &a, sizeof(a));
}

int lower_select(struct lower *l)
{
	return all_inputs(l, NNPROG_OP_SELECT, NULL, 0);
}
