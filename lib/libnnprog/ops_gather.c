// SPDX-License-Identifier: Apache-2.0
/* Descriptors of GATHER, HASHTABLE_LOOKUP, REVERSE and TOPK. */
#include "ops_desc.h"

static int check_gather(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_axis *a = attrs;

	if (a->pack > 1)
		return nnprog_refuse(err, "pack %u", a->pack);
	return 0;
}

static int infer_gather(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_axis *a = attrs;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t axis, rank = in[0].shape.rank, more = in[1].shape.rank, n = 0;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (!ret)
		ret = nnprog_need_type(&in[1], NNPROG_INT32, "indices", err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (rank == NNPROG_RANK_UNKNOWN)
		return 0;
	ret = nnprog_resolve_axis(a->axis, rank, &axis, err);
	if (ret)
		return ret;
	if (more == NNPROG_RANK_UNKNOWN)
		return 0;
	if (rank - 1 + more > NNPROG_MAX_RANK)
		return nnprog_refuse(err, "rank %u is above %u", rank - 1 + more, NNPROG_MAX_RANK);
	for (uint32_t i = 0; i < axis; i++)
		shape->dims[n++] = in[0].shape.dims[i];
	for (uint32_t i = 0; i < more; i++)
		shape->dims[n++] = in[1].shape.dims[i];
	for (uint32_t i = axis + 1; i < rank; i++)
		shape->dims[n++] = in[0].shape.dims[i];
	shape->rank = n;
	return nnprog_check_size(shape, out[0].dtype, err);
}

static int infer_hashtable(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			   struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t lookups = NNPROG_DIM_UNKNOWN, keys = NNPROG_DIM_UNKNOWN;
	int ret;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	ret = nnprog_need_type(&in[1], NNPROG_INT32, "keys", err);
	if (!ret)
		ret = nnprog_need_vector(&in[0], &lookups, "lookups", err);
	if (!ret)
		ret = nnprog_need_vector(&in[1], &keys, "keys", err);
	if (!ret && in[2].dtype >= NNPROG_DTYPE_COUNT)
		ret = nnprog_refuse(err, "values: type %u", in[2].dtype);
	if (!ret)
		ret = nnprog_need_same(&in[2], &out[0], err);
	if (!ret)
		ret = nnprog_need_type(&out[1], NNPROG_UINT8, "hits", err);
	if (ret)
		return ret;
	if (!in[2].shape.rank)
		return nnprog_refuse(err, "values: a scalar");
	if (nnprog_dims_differ(nnprog_dim(&in[2], 0), keys))
		return nnprog_refuse(err, "%u keys for %u values", keys, in[2].shape.dims[0]);
	*shape = in[2].shape;
	if (nnprog_rank_known(&in[2]))
		shape->dims[0] = lookups;
	out[1].shape = nnprog_unknown_shape(1);
	out[1].shape.dims[0] = lookups;
	ret = nnprog_check_size(&out[1].shape, NNPROG_UINT8, err);
	return ret ? ret : nnprog_check_size(shape, out[0].dtype, err);
}

static int infer_reverse(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	uint32_t one = 1;
	int ret;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (!ret)
		ret = nnprog_need_type(&in[1], NNPROG_INT32, "axis", err);
	if (!ret)
		ret = nnprog_need_vector(&in[1], &one, "axis", err);
	if (ret)
		return ret;
	if (!in[0].shape.rank)
		return nnprog_refuse(err, "input: a scalar");
	out[0].shape = in[0].shape;
	return nnprog_check_size(&out[0].shape, out[0].dtype, err);
}

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

const struct nnprog_op_desc nnprog_op_gather = {
	.opcode = NNPROG_OP_GATHER,
	.name = "GATHER",
	.min_inputs = 2,
	.max_inputs = 2,
	.min_outputs = 1,
	.max_outputs = 1,
	.attrs_size = sizeof(struct nnprog_attr_axis),
	.types = TYPES_ALL,
	.check_attrs = check_gather,
	.infer = infer_gather,
};

const struct nnprog_op_desc nnprog_op_hashtable_lookup = {
	.opcode = NNPROG_OP_HASHTABLE_LOOKUP,
	.name = "HASHTABLE_LOOKUP",
	.min_inputs = 3,
	.max_inputs = 3,
	.min_outputs = 2,
	.max_outputs = 2,
	.types = TYPE(INT32),
	.check_attrs = nnprog_no_attrs,
	.infer = infer_hashtable,
};

const struct nnprog_op_desc nnprog_op_reverse = {
	.opcode = NNPROG_OP_REVERSE,
	.name = "REVERSE",
	.min_inputs = 2,
	.max_inputs = 2,
	.min_outputs = 1,
	.max_outputs = 1,
	.types = TYPES_ALL,
	.check_attrs = nnprog_no_attrs,
	.infer = infer_reverse,
};

const struct nnprog_op_desc nnprog_op_topk = {
	.opcode = NNPROG_OP_TOPK,
	.name = "TOPK",
	.min_inputs = 1,
	.max_inputs = 1,
	.min_outputs = 2,
	.max_outputs = 2,
	.attrs_size = sizeof(struct nnprog_attr_topk),
	.types = TYPES_FLOAT | TYPES_QUANT8 | TYPE(INT32),
	.check_attrs = check_topk,
	.infer = infer_topk,
};
