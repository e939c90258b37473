// SPDX-License-Identifier: Apache-2.0
#include "nnhal_lowering.h"

#define MAX_INPUTS 4

int lower_move(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size, uint32_t n,
	       bool optional)
{
	uint32_t in[MAX_INPUTS], out, i;
	int ret = 0;

	for (i = 0; !ret && i < n; i++)
		ret = optional && i == n - 1 ? lower_in_opt(l, i, &in[i]) : lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out_like(l, 0, in[0], &out);
	return ret ? ret : lower_emit(l, opcode, attrs, attrs_size, in, n, &out, 1);
}

int lower_all_inputs(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size)
{
	const uint32_t n = l->op->num_inputs;
	uint32_t in[MAX_INPUTS], out, i;
	int ret = 0;

	for (i = 0; !ret && i < n; i++)
		ret = lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, opcode, attrs, attrs_size, in, n, &out, 1);
}
