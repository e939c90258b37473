// SPDX-License-Identifier: Apache-2.0
/* RESHAPE, SQUEEZE, EXPAND_DIMS, RANK. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_reshape(struct lower *l)
{
	return lower_move(l, NNPROG_OP_RESHAPE, NULL, 0, 2, false);
}

static int lower_squeeze(struct lower *l)
{
	return lower_move(l, NNPROG_OP_SQUEEZE, NULL, 0, 2, true);
}

static int lower_expand_dims(struct lower *l)
{
	struct nnprog_attr_axis a = { 0 };
	uint32_t in, out;
	int ret;

	ret = lower_int32(l, 1, &a.axis);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out_like(l, 0, in, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_EXPAND_DIMS, &a, sizeof(a), &in, 1, &out, 1);
}

static int lower_rank(struct lower *l)
{
	uint32_t in, out;
	int ret;

	ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_RANK, NULL, 0, &in, 1, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_RESHAPE, .lower = lower_reshape },
	{ .opcode = NNMODEL_SQUEEZE, .lower = lower_squeeze },
	{ .opcode = NNMODEL_EXPAND_DIMS, .lower = lower_expand_dims },
	{ .opcode = NNMODEL_RANK, .lower = lower_rank },
};
LOWER_FAMILY(reshape, rows);
