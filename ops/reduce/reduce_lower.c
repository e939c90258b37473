// SPDX-License-Identifier: Apache-2.0
/* MEAN and REDUCE_*. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_reduce(struct lower *l)
{
	struct nnprog_attr_reduce a = { .kind = l->row->kind };
	uint32_t in[2], out;
	int ret;

	if (l->op->type == NNMODEL_MEAN) {
		int32_t keep = 0;

		ret = lower_int32(l, 2, &keep);
		a.keep_dims = keep > 0;
	} else {
		bool keep = false;

		ret = lower_bool(l, 2, &keep);
		a.keep_dims = keep;
	}
	if (!ret)
		ret = lower_in(l, 0, &in[0]);
	if (!ret)
		ret = lower_in(l, 1, &in[1]);
	if (!ret)
		ret = lower_out_like(l, 0, in[0], &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_REDUCE, &a, sizeof(a), in, 2, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_MEAN, .lower = lower_reduce, .kind = NNPROG_REDUCE_MEAN },
	{ .opcode = NNMODEL_REDUCE_ALL, .lower = lower_reduce, .kind = NNPROG_REDUCE_ALL },
	{ .opcode = NNMODEL_REDUCE_ANY, .lower = lower_reduce, .kind = NNPROG_REDUCE_ANY },
	{ .opcode = NNMODEL_REDUCE_MAX, .lower = lower_reduce, .kind = NNPROG_REDUCE_MAX },
	{ .opcode = NNMODEL_REDUCE_MIN, .lower = lower_reduce, .kind = NNPROG_REDUCE_MIN },
	{ .opcode = NNMODEL_REDUCE_PROD, .lower = lower_reduce, .kind = NNPROG_REDUCE_PROD },
	{ .opcode = NNMODEL_REDUCE_SUM, .lower = lower_reduce, .kind = NNPROG_REDUCE_SUM },
};
LOWER_FAMILY(reduce, rows);
