// SPDX-License-Identifier: Apache-2.0
/* Reductions along axes. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_reduce(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_reduce *a = attrs;

	if (a->kind >= NNPROG_REDUCE_COUNT || a->keep_dims > 1)
		return nnprog_refuse(err, "reduce kind %u, keep_dims %u", a->kind, a->keep_dims);
	return 0;
}

static uint32_t reduce_types(uint32_t kind)
{
	switch (kind) {
	case NNPROG_REDUCE_MEAN:
	case NNPROG_REDUCE_MAX:
	case NNPROG_REDUCE_MIN:
		return TYPES_FLOAT | TYPES_QUANT8;
	case NNPROG_REDUCE_ALL:
	case NNPROG_REDUCE_ANY:
		return TYPE(BOOL8);
	default:
		return TYPES_FLOAT;
	}
}

static int infer_reduce(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_reduce *a = attrs;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t type = in[0].dtype, rank = in[0].shape.rank, reduced = 0, n = 0;
	uint64_t count = 0;
	int ret;

	(void)num_in;
	(void)num_out;
	if (!(reduce_types(a->kind) & (1u << type)))
		return nnprog_refuse(err, "reduce kind %u does not take %s", a->kind,
				     nnprog_dtype_name(type));
	ret = nnprog_need_type(&out[0], type, "output", err);
	if (!ret)
		ret = nnprog_need_values(&in[1], "axes", err);
	if (ret)
		return ret;
	if (nnprog_rank_known(&in[1]) && in[1].shape.rank > 1)
		return nnprog_refuse(err, "axes: rank %u", in[1].shape.rank);
	if (nnprog_is_quant8(type) && !nnprog_same_quant(&in[0], &out[0]))
		return nnprog_refuse(err, "output: quantization differs from the input's");
	*shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (rank == NNPROG_RANK_UNKNOWN)
		return 0;
	if (!in[1].data) {
		/* no axes need no contents */
		if (nnprog_rank_known(&in[1]) && in[1].shape.rank == 1 && !in[1].shape.dims[0])
			*shape = in[0].shape;
		else if (a->keep_dims)
			*shape = nnprog_unknown_shape(rank);
		return 0;
	}
	if (nnprog_shape_elements(&in[1].shape, &count))
		return nnprog_too_large(err);
	for (uint64_t i = 0; i < count; i++) {
		uint32_t axis;

		ret = nnprog_resolve_axis(((const int32_t *)in[1].data)[i], rank, &axis, err);
		if (ret)
			return ret;
		reduced |= 1u << axis;
	}
	for (uint32_t i = 0; i < rank; i++) {
		if (!(reduced & (1u << i)))
			shape->dims[n++] = in[0].shape.dims[i];
		else if (a->keep_dims)
			shape->dims[n++] = 1;
	}
	/* all dimensions reduced: a vector of one element; a scalar stays a scalar */
	if (!n && rank)
		shape->dims[n++] = 1;
	shape->rank = n;
	return nnprog_check_size(shape, type, err);
}

/* Without axes nothing is reduced, whatever the operation. */
static enum nnprog_empty reduce_empty(const void *attrs, uint32_t rank, uint32_t input)
{
	const struct nnprog_attr_reduce *a = attrs;

	(void)rank;
	if (input)
		return NNPROG_EMPTY_RUNS;
	return a->kind == NNPROG_REDUCE_MEAN ? NNPROG_EMPTY_BAD_DATA : NNPROG_EMPTY_FAILS;
}

#define NNPROG_FAMILY_REDUCE
#include "nnprog_described.h"
