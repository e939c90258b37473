// SPDX-License-Identifier: Apache-2.0
/* LSH_PROJECTION and RANDOM_MULTINOMIAL. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_lsh_projection(struct lower *l)
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

static int lower_multinomial(struct lower *l)
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

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_LSH_PROJECTION, .lower = lower_lsh_projection },
	{ .opcode = NNMODEL_RANDOM_MULTINOMIAL, .lower = lower_multinomial },
};
LOWER_FAMILY(random, rows);
