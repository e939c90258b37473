// SPDX-License-Identifier: Apache-2.0
/* Entries of a tensor by index or by key. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

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

static enum nnprog_empty gather_empty(const void *attrs, uint32_t rank, uint32_t input)
{
	const struct nnprog_attr_axis *a = attrs;

	(void)rank;
	(void)input;
	return a->pack ? NNPROG_EMPTY_BAD_DATA : NNPROG_EMPTY_FAILS;
}

#define NNPROG_FAMILY_GATHER
#include "nnprog_described.h"
