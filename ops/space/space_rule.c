// SPDX-License-Identifier: Apache-2.0
/* Descriptors of SPACE_DEPTH, SPACE_BATCH and CHANNEL_SHUFFLE. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

/** @dim times @by. 0 or -EOVERFLOW. */
static int space_multiply(uint32_t *dim, uint64_t by, struct nnprog_error *err)
{
	uint64_t product;

	if (!nnprog_dim_known(*dim))
		return 0;
	if (__builtin_mul_overflow((uint64_t)*dim, by, &product) ||
	    product > NNPROG_MAX_TENSOR_SIZE)
		return nnprog_too_large(err);
	*dim = (uint32_t)product;
	return 0;
}

/** @dim divided by @by, without a rest. 0 or -EINVAL. */
static int divide(uint32_t *dim, uint64_t by, const char *what, struct nnprog_error *err)
{
	if (!nnprog_dim_known(*dim))
		return 0;
	if (*dim % by)
		return nnprog_refuse(err, "%s %u is no multiple of %llu", what, *dim,
				     (unsigned long long)by);
	*dim = (uint32_t)(*dim / by);
	return 0;
}

static int check_space_depth(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_space_depth *a = attrs;

	if (!a->block || a->to_depth > 1)
		return nnprog_refuse(err, "block %u, to_depth %u", a->block, a->to_depth);
	return 0;
}

static int infer_space_depth(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_space_depth *a = attrs;
	uint64_t square = (uint64_t)a->block * a->block;
	struct nnprog_shape *shape = &out[0].shape;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (!ret)
		ret = nnprog_need_rank(&in[0], 4, "input", err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(4);
	for (uint32_t i = 0; i < 4; i++)
		shape->dims[i] = nnprog_dim(&in[0], i);
	if (a->to_depth) {
		ret = divide(&shape->dims[1], a->block, "height", err);
		if (!ret)
			ret = divide(&shape->dims[2], a->block, "width", err);
		if (!ret)
			ret = space_multiply(&shape->dims[3], square, err);
	} else {
		ret = divide(&shape->dims[3], square, "depth", err);
		if (!ret)
			ret = space_multiply(&shape->dims[1], a->block, err);
		if (!ret)
			ret = space_multiply(&shape->dims[2], a->block, err);
	}
	return ret ? ret : nnprog_check_size(shape, out[0].dtype, err);
}

static int check_space_batch(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_space_batch *a = attrs;

	if (a->to_batch > 1 || a->reserved)
		return nnprog_refuse(err, "to_batch %u, reserved %u", a->to_batch, a->reserved);
	return 0;
}

/** Types and shapes of block and paddings. */
static int space_batch_operands(bool to_batch, const struct nnprog_operand *in, uint32_t num_in,
				struct nnprog_error *err)
{
	uint32_t two = 2;
	int ret = nnprog_need_values(&in[1], "block", err);

	if (!ret)
		ret = nnprog_need_vector(&in[1], &two, "block", err);
	if (ret || num_in < 3 || in[2].omitted)
		return ret;
	if (!to_batch)
		return nnprog_refuse(err, "BATCH_TO_SPACE does not take paddings");
	ret = nnprog_need_values(&in[2], "paddings", err);
	if (!ret)
		ret = nnprog_need_rank(&in[2], 2, "paddings", err);
	if (ret)
		return ret;
	if (nnprog_dims_differ(nnprog_dim(&in[2], 0), 2) ||
	    nnprog_dims_differ(nnprog_dim(&in[2], 1), 2))
		return nnprog_refuse(err, "paddings: not two pairs");
	return 0;
}

static int space_to_batch(const struct nnprog_operand *in, bool padded, const int32_t *block,
			  struct nnprog_shape *shape, struct nnprog_error *err)
{
	static const int32_t none[4];
	const int32_t *pads = padded ? in[2].data : none;
	int ret;

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t *dim = &shape->dims[1 + i];

		if (pads && (pads[2 * i] < 0 || pads[2 * i + 1] < 0))
			return nnprog_refuse(err, "paddings[%u] are %d, %d", i, pads[2 * i],
					     pads[2 * i + 1]);
		if (!pads || !block || !nnprog_dim_known(*dim)) {
			*dim = NNPROG_DIM_UNKNOWN;
			continue;
		}
		if ((uint64_t)*dim + (uint32_t)pads[2 * i] + (uint32_t)pads[2 * i + 1] >
		    NNPROG_MAX_TENSOR_SIZE)
			return nnprog_too_large(err);
		*dim += (uint32_t)pads[2 * i] + (uint32_t)pads[2 * i + 1];
		ret = divide(dim, (uint32_t)block[i], i ? "padded width" : "padded height", err);
		if (ret)
			return ret;
	}
	return 0;
}

static int infer_space_batch(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_space_batch *a = attrs;
	struct nnprog_shape *shape = &out[0].shape;
	const int32_t *block = in[1].data;
	uint64_t area = 0;
	int ret;

	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (!ret)
		ret = nnprog_need_rank(&in[0], 4, "input", err);
	if (!ret)
		ret = space_batch_operands(a->to_batch, in, num_in, err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(4);
	for (uint32_t i = 0; i < 4; i++)
		shape->dims[i] = nnprog_dim(&in[0], i);
	if (block) {
		if (block[0] < 1 || block[1] < 1)
			return nnprog_refuse(err, "block is %d, %d", block[0], block[1]);
		area = (uint64_t)block[0] * (uint32_t)block[1];
	}
	if (a->to_batch) {
		ret = space_to_batch(in, num_in > 2 && !in[2].omitted, block, shape, err);
		if (!ret && block)
			ret = space_multiply(&shape->dims[0], area, err);
	} else if (block) {
		ret = divide(&shape->dims[0], area, "batch", err);
		for (uint32_t i = 0; i < 2 && !ret; i++)
			ret = space_multiply(&shape->dims[1 + i], (uint32_t)block[i], err);
	}
	if (ret)
		return ret;
	if (!block)
		shape->dims[0] = shape->dims[1] = shape->dims[2] = NNPROG_DIM_UNKNOWN;
	return nnprog_check_size(shape, out[0].dtype, err);
}

static int check_channel_shuffle(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_channel_shuffle *a = attrs;

	if (!a->groups)
		return nnprog_refuse(err, "no groups");
	return 0;
}

static int infer_channel_shuffle(const void *attrs, const struct nnprog_operand *in,
				 uint32_t num_in, struct nnprog_operand *out, uint32_t num_out,
				 struct nnprog_error *err)
{
	const struct nnprog_attr_channel_shuffle *a = attrs;
	uint32_t axis;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_same(&in[0], &out[0], err);
	if (ret)
		return ret;
	if (nnprog_rank_known(&in[0])) {
		ret = nnprog_resolve_axis(a->axis, in[0].shape.rank, &axis, err);
		if (ret)
			return ret;
		if (nnprog_dim_known(in[0].shape.dims[axis]) && in[0].shape.dims[axis] % a->groups)
			return nnprog_refuse(err, "%u channels do not divide into %u groups",
					     in[0].shape.dims[axis], a->groups);
	}
	out[0].shape = in[0].shape;
	return nnprog_check_size(&out[0].shape, out[0].dtype, err);
}

#define NNPROG_FAMILY_SPACE
#include "nnprog_described.h"
