// SPDX-License-Identifier: Apache-2.0
/* The greatest (or least) elements along an axis. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_topk(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_topk *a = attrs;

	if (!a->k || a->k > INT32_MAX || a->reserved)
		return nnprog_refuse(err, "k %u, reserved %u", a->k, a->reserved);
	return 0;
}

static int infer_topk(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		      struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_topk *a = attrs;
	struct nnprog_shape shape = in[0].shape;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (!ret)
		ret = nnprog_need_type(&out[1], NNPROG_INT32, "indices", err);
	if (ret)
		return ret;
	if (nnprog_rank_known(&in[0])) {
		uint32_t *last = &shape.dims[shape.rank ? shape.rank - 1 : 0];

		if (!shape.rank)
			return nnprog_refuse(err, "input: a scalar");
		if (nnprog_dim_known(*last) && a->k > *last)
			return nnprog_refuse(err, "k %u of %u elements", a->k, *last);
		*last = a->k;
	}
	out[0].shape = shape;
	out[1].shape = shape;
	ret = nnprog_check_size(&shape, NNPROG_INT32, err);
	return ret ? ret : nnprog_check_size(&shape, out[0].dtype, err);
}

static int check_arg_minmax(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_arg_minmax *a = attrs;

	if (a->is_min > 1)
		return nnprog_refuse(err, "is_min %u", a->is_min);
	return 0;
}

static int infer_arg_minmax(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			    struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_arg_minmax *a = attrs;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t rank = in[0].shape.rank, axis, n = 0;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_type(&out[0], NNPROG_INT32, "output", err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (rank == NNPROG_RANK_UNKNOWN)
		return 0;
	ret = nnprog_resolve_axis(a->axis, rank, &axis, err);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < rank; i++) {
		if (i != axis)
			shape->dims[n++] = in[0].shape.dims[i];
	}
	if (!n)
		shape->dims[n++] = 1;
	shape->rank = n;
	return nnprog_check_size(shape, NNPROG_INT32, err);
}

#define NNPROG_FAMILY_TOPK
#include "nnprog_described.h"
