// SPDX-License-Identifier: Apache-2.0
/* PAD and MIRROR_PAD. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

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

static int check_mirror_pad(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_mirror_pad *a = attrs;

	if (a->symmetric > 1 || a->reserved)
		return nnprog_refuse(err, "symmetric %u, reserved %u", a->symmetric, a->reserved);
	return 0;
}

static int infer_mirror_pad(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			    struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_mirror_pad *a = attrs;
	const int32_t *pads = in[1].data;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t rank;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (!ret)
		ret = nnprog_need_values(&in[1], "paddings", err);
	if (!ret)
		ret = nnprog_need_rank(&in[1], 2, "paddings", err);
	if (ret)
		return ret;
	rank = nnprog_rank_known(&in[0]) ? in[0].shape.rank : nnprog_dim(&in[1], 0);
	if (nnprog_dims_differ(nnprog_dim(&in[1], 1), 2) ||
	    nnprog_dims_differ(nnprog_dim(&in[1], 0), rank))
		return nnprog_refuse(err, "paddings: not a pair for each of %u dimensions", rank);
	if (rank != NNPROG_RANK_UNKNOWN && rank > NNPROG_MAX_RANK)
		return nnprog_refuse(err, "rank %u is above %u", rank, NNPROG_MAX_RANK);
	*shape = nnprog_unknown_shape(rank);
	if (rank == NNPROG_RANK_UNKNOWN || !pads)
		return 0;
	for (uint32_t i = 0; i < rank; i++, pads += 2) {
		uint32_t dim = nnprog_dim(&in[0], i);
		int64_t most = (int64_t)dim - !a->symmetric;

		if (pads[0] < 0 || pads[1] < 0)
			return nnprog_refuse(err, "paddings[%u] are %d, %d", i, pads[0], pads[1]);
		if (!nnprog_dim_known(dim))
			continue;
		if (pads[0] > most || pads[1] > most)
			return nnprog_refuse(err, "paddings[%u]: %d, %d elements from %u", i,
					     pads[0], pads[1], dim);
		if ((uint64_t)dim + (uint32_t)pads[0] + (uint32_t)pads[1] > NNPROG_MAX_TENSOR_SIZE)
			return nnprog_too_large(err);
		shape->dims[i] = dim + (uint32_t)pads[0] + (uint32_t)pads[1];
	}
	return nnprog_check_size(shape, out[0].dtype, err);
}

#define NNPROG_FAMILY_PAD
#include "nnprog_described.h"
