// SPDX-License-Identifier: Apache-2.0
/* CONCATENATION. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

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

static enum nnprog_empty concat_empty(const void *attrs, uint32_t rank, uint32_t input)
{
	const struct nnprog_attr_axis *a = attrs;

	(void)rank;
	(void)input;
	return a->pack ? NNPROG_EMPTY_FAILS : NNPROG_EMPTY_RUNS;
}

#define NNPROG_FAMILY_CONCAT
#include "nnprog_described.h"
