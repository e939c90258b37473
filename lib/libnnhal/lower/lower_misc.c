// SPDX-License-Identifier: Apache-2.0
/* FILL, RANK, LSH_PROJECTION, RANDOM_MULTINOMIAL, DENSIFY. */
#include <errno.h>
#include <stdlib.h>

#include "context.h"

int lower_fill(struct lower *l)
{
	uint32_t in[2], out;
	int ret;

	ret = lower_in(l, 0, &in[0]);
	if (!ret)
		ret = lower_in(l, 1, &in[1]);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_FILL, NULL, 0, in, 2, &out, 1);
}

int lower_rank(struct lower *l)
{
	uint32_t in, out;
	int ret;

	ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_RANK, NULL, 0, &in, 1, &out, 1);
}

int lower_lsh_projection(struct lower *l)
{
	struct nnprog_attr_lsh a = { 0 };
	uint32_t in[3], out, i;
	int ret;

	ret = lower_uint(l, 3, 1, &a.type);
	if (!ret && a.type > 3)
		ret = lower_refuse(l, l->op->inputs[3], "type (operand %u) is %u, must be 1 to 3",
				   l->op->inputs[3], a.type);
	for (i = 0; !ret && i < 3; i++)
		ret = i == 2 ? lower_in_opt(l, i, &in[i]) : lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_LSH_PROJECTION, &a, sizeof(a), in, 3, &out, 1);
}

int lower_multinomial(struct lower *l)
{
	struct nnprog_attr_multinomial a = { 0 };
	uint32_t in[2], out;
	int ret;

	ret = lower_uint(l, 1, 1, &a.samples);
	if (!ret)
		ret = lower_in(l, 0, &in[0]);
	if (!ret)
		ret = lower_in(l, 2, &in[1]);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_RANDOM_MULTINOMIAL, &a, sizeof(a), in, 2, &out, 1);
}

int lower_densify(struct lower *l)
{
	const uint32_t n = l->op->num_inputs;
	uint32_t *in = calloc(n, sizeof(*in)), out, i;
	int ret = 0;

	if (!in)
		return -ENOMEM;
	/* the block map, and what a level of its format does not use, may be omitted */
	for (i = 0; !ret && i < n; i++)
		ret = i == 2 || i > 4 ? lower_in_opt(l, i, &in[i]) : lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out_like(l, 0, in[0], &out);
	if (!ret)
		ret = lower_emit(l, NNPROG_OP_DENSIFY, NULL, 0, in, n, &out, 1);
	free(in);
	return ret;
}
