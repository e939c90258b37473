// SPDX-License-Identifier: Apache-2.0
/* Repetition: TILE of a tensor, FILL of one element. */
#include "rules.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int infer_tile(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		      struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const int32_t *multiples = in[1].data;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t rank = in[0].shape.rank;
	int ret;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (!ret)
		ret = nnprog_need_values(&in[1], "multiples", err);
	if (!ret)
		ret = nnprog_need_vector(&in[1], &rank, "multiples", err);
	if (ret)
		return ret;
	if (rank != NNPROG_RANK_UNKNOWN && rank > NNPROG_MAX_RANK)
		return nnprog_refuse(err, "rank %u is above %u", rank, NNPROG_MAX_RANK);
	*shape = nnprog_unknown_shape(rank);
	if (rank == NNPROG_RANK_UNKNOWN || !multiples)
		return 0;
	for (uint32_t i = 0; i < rank; i++) {
		uint32_t dim = nnprog_dim(&in[0], i);

		if (multiples[i] < 0)
			return nnprog_refuse(err, "multiples[%u] is %d", i, multiples[i]);
		if (!nnprog_dim_known(dim))
			continue;
		if ((uint64_t)dim * (uint32_t)multiples[i] > NNPROG_MAX_TENSOR_SIZE)
			return nnprog_too_large(err);
		shape->dims[i] = dim * (uint32_t)multiples[i];
	}
	return nnprog_check_size(shape, out[0].dtype, err);
}

static int infer_fill(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		      struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t rank = NNPROG_DIM_UNKNOWN;
	int ret;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	ret = nnprog_need_values(&in[0], "dimensions", err);
	if (!ret)
		ret = nnprog_need_vector(&in[0], &rank, "dimensions", err);
	if (!ret)
		ret = nnprog_need_same(&in[1], &out[0], err);
	if (ret)
		return ret;
	if (nnprog_rank_known(&in[1]) && in[1].shape.rank > 1)
		return nnprog_refuse(err, "value: rank %u", in[1].shape.rank);
	if (in[1].shape.rank == 1 && nnprog_dims_differ(in[1].shape.dims[0], 1))
		return nnprog_refuse(err, "value: %u elements", in[1].shape.dims[0]);
	*shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (!nnprog_dim_known(rank))
		return 0;
	if (rank > NNPROG_MAX_RANK)
		return nnprog_refuse(err, "rank %u is above %u", rank, NNPROG_MAX_RANK);
	*shape = nnprog_unknown_shape(rank);
	for (uint32_t i = 0; in[0].data && i < rank; i++) {
		int32_t dim = ((const int32_t *)in[0].data)[i];

		if (dim < 0)
			return nnprog_refuse(err, "dimensions[%u] is %d", i, dim);
		shape->dims[i] = (uint32_t)dim;
	}
	return nnprog_check_size(shape, out[0].dtype, err);
}

#define NNPROG_FAMILY_TILE
#include "nnprog_described.h"
