// SPDX-License-Identifier: Apache-2.0
/* MEAN, REDUCE_*, ARGMAX, ARGMIN. */
#include "context.h"

int lower_reduce(struct lower *l)
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

int lower_arg_minmax(struct lower *l)
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
