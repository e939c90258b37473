// SPDX-License-Identifier: Apache-2.0
/* Order of dimensions, and of the elements along one. */
#include "rules.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

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

#define NNPROG_FAMILY_TRANSPOSE
#include "nnprog_described.h"
