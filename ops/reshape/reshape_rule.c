// SPDX-License-Identifier: Apache-2.0
/* Shapes: the same elements in other dimensions, and the number of dimensions. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

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

/** Which dimensions SQUEEZE takes away: a bit each. Only with the axes' contents. */
static int squeezed(const struct nnprog_operand *in, const struct nnprog_operand *axes,
		    uint32_t *removed, struct nnprog_error *err)
{
	uint64_t count;

	*removed = 0;
	if (nnprog_shape_elements(&axes->shape, &count))
		return nnprog_too_large(err);
	for (uint64_t i = 0; i < count; i++) {
		uint32_t axis;
		int ret = nnprog_resolve_axis(((const int32_t *)axes->data)[i], in->shape.rank,
					      &axis, err);

		if (ret)
			return ret;
		if (nnprog_dims_differ(in->shape.dims[axis], 1))
			return nnprog_refuse(err, "dimension %u is %u, not 1", axis,
					     in->shape.dims[axis]);
		*removed |= 1u << axis;
	}
	return 0;
}

static int infer_squeeze(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	bool all = num_in < 2 || in[1].omitted;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t rank = in[0].shape.rank, removed = 0, n = 0;
	int ret;

	(void)attrs;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (!all) {
		ret = nnprog_need_values(&in[1], "axes", err);
		if (ret)
			return ret;
		if (nnprog_rank_known(&in[1]) && in[1].shape.rank > 1)
			return nnprog_refuse(err, "axes: rank %u", in[1].shape.rank);
		if (rank == NNPROG_RANK_UNKNOWN || !in[1].data)
			return 0;
		ret = squeezed(&in[0], &in[1], &removed, err);
		if (ret)
			return ret;
	} else {
		if (!nnprog_shape_complete(&in[0].shape))
			return 0;
		for (uint32_t i = 0; i < rank; i++)
			removed |= in[0].shape.dims[i] == 1 ? 1u << i : 0;
	}
	for (uint32_t i = 0; i < rank; i++) {
		if (!(removed & (1u << i)))
			shape->dims[n++] = in[0].shape.dims[i];
	}
	/* all dimensions removed: a vector of one element; a scalar stays a scalar */
	if (!n && rank)
		shape->dims[n++] = 1;
	shape->rank = n;
	return nnprog_check_size(shape, out[0].dtype, err);
}

static int check_expand_dims(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_axis *a = attrs;

	if (a->pack)
		return nnprog_refuse(err, "pack %u", a->pack);
	return 0;
}

static int infer_expand_dims(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_axis *a = attrs;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t rank = in[0].shape.rank, axis;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (rank == NNPROG_RANK_UNKNOWN)
		return 0;
	if (rank >= NNPROG_MAX_RANK)
		return nnprog_refuse(err, "rank %u is the largest, no dimension can be added",
				     rank);
	ret = nnprog_resolve_axis(a->axis, rank + 1, &axis, err);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < rank; i++)
		shape->dims[i + (i >= axis)] = in[0].shape.dims[i];
	shape->dims[axis] = 1;
	shape->rank = rank + 1;
	return nnprog_check_size(shape, out[0].dtype, err);
}

static int infer_rank(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		      struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	(void)attrs;
	(void)in;
	(void)num_in;
	(void)num_out;
	out[0].shape = nnprog_unknown_shape(0);
	return nnprog_need_type(&out[0], NNPROG_INT32, "output", err);
}

#define NNPROG_FAMILY_RESHAPE
#include "nnprog_described.h"
