// SPDX-License-Identifier: Apache-2.0
/* Descriptors of SLICE, STRIDED_SLICE and SPLIT. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"

/**
 * Value inputs 1..@last are INT32 vectors of one element a dimension; the rank, as far as known.
 */
static int need_per_dim(const struct nnprog_operand *in, uint32_t last, uint32_t *rank,
			struct nnprog_error *err)
{
	static const char *const names[] = { "begin", "size or end", "strides" };

	*rank = in[0].shape.rank; /* unknown rank and unknown dimension are one number */
	for (uint32_t i = 1; i <= last; i++) {
		int ret = nnprog_need_values(&in[i], names[i - 1], err);

		if (!ret)
			ret = nnprog_need_vector(&in[i], rank, names[i - 1], err);
		if (ret)
			return ret;
	}
	if (*rank != NNPROG_RANK_UNKNOWN && *rank > NNPROG_MAX_RANK)
		return nnprog_refuse(err, "rank %u is above %u", *rank, NNPROG_MAX_RANK);
	return 0;
}
_Static_assert(NNPROG_RANK_UNKNOWN == NNPROG_DIM_UNKNOWN, "one number");

static int infer_slice(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		       struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const int32_t *begin = in[1].data, *size = in[2].data;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t rank;
	int ret;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (!ret)
		ret = need_per_dim(in, 2, &rank, err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(rank);
	if (rank == NNPROG_RANK_UNKNOWN)
		return 0;
	for (uint32_t i = 0; i < rank; i++) {
		uint32_t dim = nnprog_dim(&in[0], i), from = 0;

		if (begin && (begin[i] < 0 || (nnprog_dim_known(dim) && (uint32_t)begin[i] > dim)))
			return nnprog_refuse(err, "begin[%u] is %d of %u", i, begin[i], dim);
		if (!size)
			continue;
		if (size[i] < -1)
			return nnprog_refuse(err, "size[%u] is %d", i, size[i]);
		if (size[i] >= 0)
			shape->dims[i] = (uint32_t)size[i];
		if (!nnprog_dim_known(dim))
			continue;
		if (begin)
			from = (uint32_t)begin[i];
		if (size[i] >= 0 && (uint64_t)from + (uint32_t)size[i] > dim)
			return nnprog_refuse(err, "%d elements from %u of %u", size[i], from, dim);
		if (size[i] < 0 && begin)
			shape->dims[i] = dim - from;
	}
	return nnprog_check_size(shape, out[0].dtype, err);
}

static int check_strided_slice(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_strided_slice *a = attrs;
	uint32_t beyond = ~((1u << NNPROG_MAX_RANK) - 1);

	if (((a->begin_mask | a->end_mask | a->shrink_mask) & beyond) || a->reserved)
		return nnprog_refuse(err, "masks %#x, %#x, %#x, reserved %u", a->begin_mask,
				     a->end_mask, a->shrink_mask, a->reserved);
	return 0;
}

static int infer_strided_slice(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			       struct nnprog_operand *out, uint32_t num_out,
			       struct nnprog_error *err)
{
	const struct nnprog_attr_strided_slice *a = attrs;
	const int32_t *begin = in[1].data, *end = in[2].data, *strides = in[3].data;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t rank, n = 0;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (!ret)
		ret = need_per_dim(in, 3, &rank, err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (rank == NNPROG_RANK_UNKNOWN)
		return 0;
	for (uint32_t i = 0; i < rank; i++) {
		bool shrink = a->shrink_mask >> i & 1;
		uint32_t dim = nnprog_dim(&in[0], i), count = NNPROG_DIM_UNKNOWN;
		int64_t start;

		if (strides && (!strides[i] || (shrink && strides[i] < 0)))
			return nnprog_refuse(err, "strides[%u] is %d", i, strides[i]);
		if (begin && end && strides && nnprog_dim_known(dim))
			nnprog_strided_range(dim, begin[i], end[i], strides[i],
					     a->begin_mask >> i & 1, a->end_mask >> i & 1, &start,
					     &count);
		if (!shrink)
			shape->dims[n++] = count;
		else if (nnprog_dims_differ(count, 1))
			return nnprog_refuse(
				err, "dimension %u has extent %u: only 1 can be removed", i, count);
	}
	/* all dimensions removed: a vector of one element; a scalar stays a scalar */
	if (!n && rank)
		shape->dims[n++] = 1;
	shape->rank = n;
	return nnprog_check_size(shape, out[0].dtype, err);
}

static int check_split(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_axis *a = attrs;

	if (a->pack)
		return nnprog_refuse(err, "pack %u", a->pack);
	return 0;
}

static int infer_split(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		       struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_axis *a = attrs;
	struct nnprog_shape part = in[0].shape;
	int ret;

	(void)num_in;
	if (nnprog_rank_known(&in[0])) {
		uint32_t axis;

		ret = nnprog_resolve_axis(a->axis, part.rank, &axis, err);
		if (ret)
			return ret;
		if (nnprog_dim_known(part.dims[axis])) {
			if (part.dims[axis] % num_out)
				return nnprog_refuse(err, "%u elements do not divide into %u parts",
						     part.dims[axis], num_out);
			part.dims[axis] /= num_out;
		}
	}
	for (uint32_t i = 0; i < num_out; i++) {
		ret = nnprog_need_same(&in[0], &out[i], err);
		if (ret)
			return ret;
		out[i].shape = part;
	}
	return nnprog_check_size(&part, in[0].dtype, err);
}

#define NNPROG_FAMILY_SLICE
#include "nnprog_described.h"
