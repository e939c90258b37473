// SPDX-License-Identifier: Apache-2.0
/* FULLY_CONNECTED and BATCH_MATMUL. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_fully_connected(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_act *a = attrs;

	if (a->reserved)
		return nnprog_refuse(err, "reserved attribute is not 0");
	return nnprog_check_activation(a->activation, err);
}

static int infer_fully_connected(const void *attrs, const struct nnprog_operand *in,
				 uint32_t num_in, struct nnprog_operand *out, uint32_t num_out,
				 struct nnprog_error *err)
{
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t depth, units;
	int ret;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	if (!in[0].shape.rank)
		return nnprog_refuse(err, "input: a scalar");
	ret = nnprog_need_rank(&in[1], 2, "weights", err);
	if (!ret)
		ret = nnprog_need_rank(&in[2], 1, "bias", err);
	if (!ret)
		ret = nnprog_check_mac(in, &out[0], 0, err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(2);
	ret = nnprog_mac_channels(nnprog_dim(&in[1], 0), &in[2], &units, err);
	if (ret)
		return ret;
	shape->dims[1] = units;
	depth = nnprog_dim(&in[1], 1);
	if (!depth)
		return nnprog_refuse(err, "weights: no inputs");
	if (nnprog_dim_known(depth) && nnprog_shape_complete(&in[0].shape)) {
		uint64_t elements;

		if (nnprog_shape_elements(&in[0].shape, &elements))
			return nnprog_too_large(err);
		if (elements % depth)
			return nnprog_refuse(err, "input: %llu elements in rows of %u",
					     (unsigned long long)elements, depth);
		if (elements / depth >= NNPROG_DIM_UNKNOWN)
			return nnprog_too_large(err);
		shape->dims[0] = (uint32_t)(elements / depth);
	}
	return nnprog_check_size(shape, out[0].dtype, err);
}

static int check_batch_matmul(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_batch_matmul *a = attrs;

	if (a->adjoint_x > 1 || a->adjoint_y > 1)
		return nnprog_refuse(err, "adjoint %u, %u", a->adjoint_x, a->adjoint_y);
	return 0;
}

static int infer_batch_matmul(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			      struct nnprog_operand *out, uint32_t num_out,
			      struct nnprog_error *err)
{
	const struct nnprog_attr_batch_matmul *a = attrs;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t type = in[0].dtype, rank = in[0].shape.rank, kx, ky;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_type(&in[1], type, "second input", err);
	if (!ret)
		ret = nnprog_need_type(&out[0], type, "output", err);
	if (!ret && type == NNPROG_INT8) {
		ret = nnprog_need_scale(&in[0], "first input", err);
		if (!ret)
			ret = nnprog_need_scale(&in[1], "second input", err);
		if (!ret)
			ret = nnprog_need_scale(&out[0], "output", err);
		if (!ret)
			ret = nnprog_check_multiplier(
				(double)in[0].scale * in[1].scale / out[0].scale, err);
	}
	if (ret)
		return ret;
	if (rank == NNPROG_RANK_UNKNOWN)
		rank = in[1].shape.rank;
	*shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (rank == NNPROG_RANK_UNKNOWN)
		return 0;
	if (rank < 2 || rank > 4)
		return nnprog_refuse(err, "rank %u", rank);
	ret = nnprog_need_rank(&in[1], rank, "second input", err);
	if (ret)
		return ret;
	kx = nnprog_dim(&in[0], a->adjoint_x ? rank - 2 : rank - 1);
	ky = nnprog_dim(&in[1], a->adjoint_y ? rank - 1 : rank - 2);
	if (nnprog_dims_differ(kx, ky))
		return nnprog_refuse(err, "inner dimensions %u and %u", kx, ky);
	*shape = nnprog_unknown_shape(rank);
	for (uint32_t i = 0; i + 2 < rank; i++) {
		uint32_t x = nnprog_dim(&in[0], i), y = nnprog_dim(&in[1], i);

		if (nnprog_dims_differ(x, y))
			return nnprog_refuse(err, "batch dimension %u: %u and %u", i, x, y);
		shape->dims[i] = nnprog_dim_known(x) ? x : y;
	}
	shape->dims[rank - 2] = nnprog_dim(&in[0], a->adjoint_x ? rank - 1 : rank - 2);
	shape->dims[rank - 1] = nnprog_dim(&in[1], a->adjoint_y ? rank - 2 : rank - 1);
	return nnprog_check_size(shape, type, err);
}

#define NNPROG_FAMILY_MATMUL
#include "nnprog_described.h"
