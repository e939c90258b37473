// SPDX-License-Identifier: Apache-2.0
/* Descriptors of the operations that only move data: RESHAPE, CONCATENATION, PAD, TRANSPOSE. */
#include "ops_desc.h"

/** Dims from the contents of RESHAPE's shape operand; one -1 follows from the rest. */
static int reshape_dims(const struct nnprog_operand *in, const struct nnprog_operand *wanted,
			struct nnprog_shape *shape, struct nnprog_error *err)
{
	const int32_t *dims = wanted->data;
	uint32_t n = shape->rank, stretch = UINT32_MAX;
	uint64_t have = 0, rest = 1;
	bool complete = nnprog_shape_complete(&in->shape);

	if (complete && nnprog_shape_elements(&in->shape, &have))
		return nnprog_too_large(err);
	for (uint32_t i = 0; i < n; i++) {
		if (dims[i] == -1 && stretch == UINT32_MAX) {
			stretch = i;
			continue;
		}
		if (dims[i] < 0)
			return nnprog_refuse(err, "shape[%u] is %d", i, dims[i]);
		shape->dims[i] = (uint32_t)dims[i];
		rest *= (uint32_t)dims[i];
		if (rest > NNPROG_MAX_TENSOR_SIZE)
			return nnprog_too_large(err);
	}
	if (!complete)
		return 0;
	if (stretch != UINT32_MAX) {
		if (!rest || have % rest || have / rest >= NNPROG_DIM_UNKNOWN)
			return nnprog_refuse(err, "%llu elements cannot fill the shape",
					     (unsigned long long)have);
		shape->dims[stretch] = (uint32_t)(have / rest);
	} else if (rest != have) {
		return nnprog_refuse(err, "%llu elements into a shape of %llu",
				     (unsigned long long)have, (unsigned long long)rest);
	}
	return 0;
}

static int infer_reshape(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t rank;
	int ret;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (!ret)
		ret = nnprog_need_values(&in[1], "shape", err);
	if (!ret)
		ret = nnprog_need_rank(&in[1], 1, "shape", err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	rank = nnprog_dim(&in[1], 0);
	if (!nnprog_dim_known(rank))
		return 0;
	if (rank > NNPROG_MAX_RANK)
		return nnprog_refuse(err, "rank %u is above %u", rank, NNPROG_MAX_RANK);
	*shape = nnprog_unknown_shape(rank);
	if (in[1].data || !rank) {
		ret = reshape_dims(&in[0], &in[1], shape, err);
		if (ret)
			return ret;
	}
	return nnprog_check_size(shape, out[0].dtype, err);
}

static int check_concat(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_axis *a = attrs;

	if (a->pack > 1)
		return nnprog_refuse(err, "pack %u", a->pack);
	return 0;
}

static int concat_types(const struct nnprog_operand *in, uint32_t num_in,
			const struct nnprog_operand *out, struct nnprog_error *err)
{
	uint32_t type = in[0].dtype;
	int ret = nnprog_need_type(out, type, "output", err);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < num_in; i++) {
		ret = nnprog_need_type(&in[i], type, "input", err);
		if (ret)
			return ret;
		if (!nnprog_is_quant8(type) || nnprog_same_quant(&in[i], out))
			continue;
		/* the input is requantized */
		ret = nnprog_need_scale(&in[i], "input", err);
		if (!ret)
			ret = nnprog_need_scale(out, "output", err);
		if (!ret)
			ret = nnprog_check_multiplier((double)in[i].scale / out->scale, err);
		if (!ret)
			ret = nnprog_check_multiplier(1.0 / out->scale, err);
		if (ret)
			return ret;
	}
	return 0;
}

static int infer_concat(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_axis *a = attrs;
	struct nnprog_shape merged = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	struct nnprog_shape *shape = &out[0].shape;
	uint64_t extent = 0;
	bool known = true;
	uint32_t axis;
	int ret = concat_types(in, num_in, out, err);

	(void)num_out;
	if (ret)
		return ret;
	*shape = merged;
	for (uint32_t i = 0; i < num_in; i++) {
		struct nnprog_shape s = in[i].shape;

		if (s.rank == NNPROG_RANK_UNKNOWN) {
			known = false;
			continue;
		}
		if (!a->pack) {
			ret = nnprog_resolve_axis(a->axis, s.rank, &axis, err);
			if (ret)
				return ret;
			if (nnprog_dim_known(s.dims[axis]))
				extent += s.dims[axis];
			else
				known = false;
			s.dims[axis] = NNPROG_DIM_UNKNOWN;
		}
		if (nnprog_shape_merge(&merged, &s))
			return nnprog_refuse(err, "input %u: shape differs from the others", i);
	}
	if (merged.rank == NNPROG_RANK_UNKNOWN)
		return 0;
	if (!a->pack) {
		ret = nnprog_resolve_axis(a->axis, merged.rank, &axis, err);
		if (ret)
			return ret;
		if (extent >= NNPROG_DIM_UNKNOWN)
			return nnprog_too_large(err);
		*shape = merged;
		shape->dims[axis] = known ? (uint32_t)extent : NNPROG_DIM_UNKNOWN;
	} else {
		if (merged.rank >= NNPROG_MAX_RANK || a->axis < 0 ||
		    (uint32_t)a->axis > merged.rank)
			return nnprog_refuse(err, "new axis %d for rank %u", a->axis, merged.rank);
		axis = (uint32_t)a->axis;
		*shape = nnprog_unknown_shape(merged.rank + 1);
		for (uint32_t i = 0; i < merged.rank; i++)
			shape->dims[i + (i >= axis)] = merged.dims[i];
		shape->dims[axis] = num_in;
	}
	return nnprog_check_size(shape, out[0].dtype, err);
}

static int infer_pad(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t rank;
	int ret;

	(void)attrs;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (!ret)
		ret = nnprog_need_values(&in[1], "paddings", err);
	if (!ret)
		ret = nnprog_need_rank(&in[1], 2, "paddings", err);
	if (ret)
		return ret;
	if (num_in > 2 && !in[2].omitted) {
		ret = nnprog_need_type(&in[2], in[0].dtype, "value", err);
		if (ret)
			return ret;
		if (nnprog_rank_known(&in[2]) && in[2].shape.rank > 1)
			return nnprog_refuse(err, "value: rank %u", in[2].shape.rank);
		if (in[2].shape.rank == 1 && nnprog_dims_differ(in[2].shape.dims[0], 1))
			return nnprog_refuse(err, "value: %u elements", in[2].shape.dims[0]);
	}
	if (nnprog_dims_differ(nnprog_dim(&in[1], 1), 2))
		return nnprog_refuse(err, "paddings: not pairs");
	rank = nnprog_rank_known(&in[0]) ? in[0].shape.rank : nnprog_dim(&in[1], 0);
	if (nnprog_dims_differ(rank, nnprog_dim(&in[1], 0)))
		return nnprog_refuse(err, "paddings: %u pairs for rank %u", nnprog_dim(&in[1], 0),
				     rank);
	*shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (!nnprog_dim_known(rank))
		return 0;
	if (rank > NNPROG_MAX_RANK)
		return nnprog_refuse(err, "rank %u is above %u", rank, NNPROG_MAX_RANK);
	*shape = nnprog_unknown_shape(rank);
	if (!in[1].data)
		return 0;
	for (uint32_t i = 0; i < rank; i++) {
		const int32_t *pair = (const int32_t *)in[1].data + 2 * i;
		uint64_t extent;

		if (pair[0] < 0 || pair[1] < 0)
			return nnprog_refuse(err, "paddings[%u] are %d, %d", i, pair[0], pair[1]);
		if (!nnprog_dim_known(nnprog_dim(&in[0], i)))
			continue;
		extent = (uint64_t)in[0].shape.dims[i] + (uint32_t)pair[0] + (uint32_t)pair[1];
		if (extent > NNPROG_MAX_TENSOR_SIZE)
			return nnprog_too_large(err);
		shape->dims[i] = (uint32_t)extent;
	}
	return nnprog_check_size(shape, out[0].dtype, err);
}

static int infer_transpose(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			   struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	/*
	 * a run that may omit the permutation decides; only the rank of the input counts until then
	 */
	bool open = num_in > 1 && !in[1].omitted && in[1].omittable;
	bool reversal = num_in < 2 || in[1].omitted;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t rank, seen = 0;
	int ret;

	(void)attrs;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (ret)
		return ret;
	rank = in[0].shape.rank;
	if (!reversal)
		ret = nnprog_need_values(&in[1], "permutation", err);
	if (ret)
		return ret;
	if (!reversal && !open) {
		ret = nnprog_need_rank(&in[1], 1, "permutation", err);
		if (ret)
			return ret;
		if (!nnprog_rank_known(&in[0]))
			rank = nnprog_dim(&in[1], 0);
		if (nnprog_dims_differ(nnprog_dim(&in[1], 0), rank))
			return nnprog_refuse(err, "permutation: %u elements for rank %u",
					     nnprog_dim(&in[1], 0), rank);
	}
	*shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (rank == NNPROG_RANK_UNKNOWN)
		return 0;
	if (rank > NNPROG_MAX_RANK)
		return nnprog_refuse(err, "rank %u is above %u", rank, NNPROG_MAX_RANK);
	*shape = nnprog_unknown_shape(rank);
	if (!reversal && !in[1].data)
		return 0;
	for (uint32_t i = 0; i < rank; i++) {
		int32_t p = reversal ? (int32_t)(rank - 1 - i) : ((const int32_t *)in[1].data)[i];

		if (p < 0 || (uint32_t)p >= rank || (seen & (1u << p)))
			return nnprog_refuse(err, "permutation[%u] is %d", i, p);
		seen |= 1u << p;
		shape->dims[i] = nnprog_dim(&in[0], (uint32_t)p);
	}
	return nnprog_check_size(shape, out[0].dtype, err);
}

const struct nnprog_op_desc nnprog_op_reshape = {
	.opcode = NNPROG_OP_RESHAPE,
	.name = "RESHAPE",
	.min_inputs = 2,
	.max_inputs = 2,
	.min_outputs = 1,
	.max_outputs = 1,
	.value_inputs = 1u << 1,
	.types = TYPES_ALL,
	.check_attrs = nnprog_no_attrs,
	.infer = infer_reshape,
};

const struct nnprog_op_desc nnprog_op_concat = {
	.opcode = NNPROG_OP_CONCATENATION,
	.name = "CONCATENATION",
	.min_inputs = 1,
	.max_inputs = UINT32_MAX,
	.min_outputs = 1,
	.max_outputs = 1,
	.attrs_size = sizeof(struct nnprog_attr_axis),
	.types = TYPES_ALL,
	.check_attrs = check_concat,
	.infer = infer_concat,
};

const struct nnprog_op_desc nnprog_op_pad = {
	.opcode = NNPROG_OP_PAD,
	.name = "PAD",
	.min_inputs = 2,
	.max_inputs = 3,
	.min_outputs = 1,
	.max_outputs = 1,
	.optional_inputs = 1u << 2,
	.program_omits = 1u << 2,
	.value_inputs = 1u << 1,
	.types = TYPES_ALL,
	.check_attrs = nnprog_no_attrs,
	.infer = infer_pad,
};

const struct nnprog_op_desc nnprog_op_transpose = {
	.opcode = NNPROG_OP_TRANSPOSE,
	.name = "TRANSPOSE",
	.min_inputs = 1,
	.max_inputs = 2,
	.min_outputs = 1,
	.max_outputs = 1,
	.optional_inputs = 1u << 1,
	.value_inputs = 1u << 1,
	.types = TYPES_ALL,
	.check_attrs = nnprog_no_attrs,
	.infer = infer_transpose,
};
