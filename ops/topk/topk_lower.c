// SPDX-License-Identifier: Apache-2.0
/* TOPK_V2, ARGMAX, ARGMIN. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_topk(struct lower *l)
{
	struct nnprog_attr_topk a = { 0 };
	uint32_t in, out[2];
	int ret;

	ret = lower_uint(l, 1, 1, &a.k);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out_like(l, 0, in, &out[0]);
	if (!ret)
		ret = lower_out(l, 1, &out[1]);
	return ret ? ret : lower_emit(l, NNPROG_OP_TOPK, &a, sizeof(a), &in, 1, out, 2);
}

static int lower_arg_minmax(struct lower *l)
{
	struct nnprog_attr_arg_minmax a = { .is_min = l->row->kind };
	uint32_t in, out;
	int ret;

	ret = lower_int32(l, 1, &a.axis);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_ARG_MINMAX, &a, sizeof(a), &in, 1, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_TOPK_V2, .lower = lower_topk },
	{ .opcode = NNMODEL_ARGMAX, .lower = lower_arg_minmax },
	{ .opcode = NNMODEL_ARGMIN, .lower = lower_arg_minmax, .kind = 1 },
};
LOWER_FAMILY(topk, rows);
