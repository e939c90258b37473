// SPDX-License-Identifier: Apache-2.0
/* TRANSPOSE and REVERSE. */
#include "nnhal_lowering.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int lower_transpose(struct lower *l)
{
	return lower_move(l, NNPROG_OP_TRANSPOSE, NULL, 0, 2, true);
}

static int lower_reverse(struct lower *l)
{
	struct nnprog_operand x, axis;
	uint32_t in[2], i;
	int ret = 0;

	for (i = 0; !ret && i < 2; i++)
		ret = lower_in(l, i, &in[i]);
	if (ret)
		return ret;
	/* an axis that comes with the run is checked then */
	x = lower_get(l, in[0]);
	axis = lower_get(l, in[1]);
	if (axis.data && x.shape.rank != NNPROG_RANK_UNKNOWN) {
		const int32_t v = *(const int32_t *)axis.data;

		if (v < 0 || (uint32_t)v >= x.shape.rank)
			return lower_refuse(l, l->op->inputs[1],
					    "axis (operand %u) is %d for rank %u", l->op->inputs[1],
					    v, x.shape.rank);
	}
	return lower_move(l, NNPROG_OP_REVERSE, NULL, 0, 2, false);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_TRANSPOSE, .lower = lower_transpose },
	{ .opcode = NNMODEL_REVERSE, .lower = lower_reverse },
};
LOWER_FAMILY(transpose, rows);
