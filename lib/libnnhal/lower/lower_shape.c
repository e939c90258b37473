// SPDX-License-Identifier: Apache-2.0
/*
 * RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, CONCATENATION, PACK, PAD, PAD_V2. The device has no SQUEEZE and
 * EXPAND_DIMS: they are reshapes to a shape known here, but for one dimension that may be left to the run;
 * with more unknown dimensions they are operations whose result has the same elements.
 */
#include <errno.h>
#include <stdlib.h>

#include "context.h"

/* x and a tensor that may come at run time (shape, paddings), to an output of x's quantization. */
static int with_tensor(struct lower *l, uint32_t opcode, bool optional)
{
	uint32_t in[2], out;
	int ret;

	ret = lower_in(l, 0, &in[0]);
	if (!ret)
		ret = optional ? lower_in_opt(l, 1, &in[1]) : lower_in(l, 1, &in[1]);
	if (!ret)
		ret = lower_out_like(l, 0, in[0], &out);
	return ret ? ret : lower_emit(l, opcode, NULL, 0, in, 2, &out, 1);
}

int lower_reshape(struct lower *l)
{
	return with_tensor(l, NNPROG_OP_RESHAPE, false);
}

int lower_transpose(struct lower *l)
{
	return with_tensor(l, NNPROG_OP_TRANSPOSE, true);
}

static uint32_t unknown_dims(const struct nnprog_shape *shape)
{
	uint32_t i, n = 0;

	for (i = 0; i < shape->rank; i++)
		n += shape->dims[i] == NNPROG_DIM_UNKNOWN;
	return n;
}

/* Reshape @in to @shape, of which at most one dimension is unknown. */
static int emit_reshape(struct lower *l, uint32_t in, const struct nnprog_shape *shape, uint32_t out)
{
	int32_t dims[NNPROG_MAX_RANK];
	uint32_t i, wanted;
	int ret;

	for (i = 0; i < shape->rank; i++)
		dims[i] = shape->dims[i] == NNPROG_DIM_UNKNOWN ? -1 : (int32_t)shape->dims[i];
	ret = lower_const_ints(l, dims, shape->rank, &wanted);
	return ret ? ret : lower_emit(l, NNPROG_OP_RESHAPE, NULL, 0, (uint32_t[]) { in, wanted }, 2, &out,
				      1);
}

/* Which dimensions of @in SQUEEZE removes: a bit each. @axes: LOWER_NONE when omitted. */
static int squeezed_dims(struct lower *l, const struct nnprog_operand *in, uint32_t axes, uint32_t *removed)
{
	const uint32_t rank = in->shape.rank;
	struct nnprog_operand op;
	const int32_t *values;
	uint64_t n, i;

	*removed = 0;
	if (axes == LOWER_NONE) {
		if (unknown_dims(&in->shape))
			return lower_refuse(l, l->op->inputs[0],
					    "without axes, the dimensions of operand %u must be known",
					    l->op->inputs[0]);
		for (i = 0; i < rank; i++)
			*removed |= in->shape.dims[i] == 1 ? 1u << i : 0;
		return 0;
	}
	op = lower_get(l, axes);
	values = op.data;
	if (nnprog_shape_elements(&op.shape, &n))
		return lower_refuse(l, l->op->inputs[1], "axes (operand %u) of unknown shape",
				    l->op->inputs[1]);
	for (i = 0; i < n; i++) {
		const int64_t axis = values[i] < 0 ? (int64_t)values[i] + rank : values[i];

		if (axis < 0 || axis >= rank || in->shape.dims[axis] != 1)
			return lower_refuse(l, l->op->inputs[1],
					    "axis %d: the dimension is not known to be 1", values[i]);
		*removed |= 1u << axis;
	}
	return 0;
}

/*
 * Remove dimensions of 1 by reducing over them, with an operation that gives back the value of a single
 * element, NaN too (a maximum would pass over it). @axes may come at run time.
 */
static int emit_squeeze(struct lower *l, uint32_t in, uint32_t axes, uint32_t out)
{
	const bool quantized = lower_is_quant8(lower_operand(l, 0)->type);
	const struct nnprog_attr_reduce a = {
		.kind = quantized ? NNPROG_REDUCE_MAX : NNPROG_REDUCE_PROD,
	};

	return lower_emit(l, NNPROG_OP_REDUCE, &a, sizeof(a), (uint32_t[]) { in, axes }, 2, &out, 1);
}

/*
 * SQUEEZE along axes that only the run knows. As the output has as many elements as the input, and the device
 * holds its shape against what the axes give, none of the removed dimensions can be other than 1.
 */
static int squeeze_at_run_time(struct lower *l, uint32_t in, uint32_t axes)
{
	uint64_t before, after;
	struct nnprog_operand op;
	uint32_t out;
	int ret;

	ret = lower_out_like(l, 0, in, &out);
	if (ret)
		return ret;
	op = lower_get(l, in);
	ret = nnprog_shape_elements(&op.shape, &before);
	op = lower_get(l, out);
	if (ret || nnprog_shape_elements(&op.shape, &after) || before != after)
		return lower_refuse(l, l->op->inputs[1],
				    "axes (operand %u) must be a constant, or all dimensions known",
				    l->op->inputs[1]);
	return emit_squeeze(l, in, axes, out);
}

int lower_squeeze(struct lower *l)
{
	const bool has_axes = lower_operand(l, 1)->lifetime != NNMODEL_NO_VALUE;
	uint32_t in, out, list = LOWER_NONE, removed, i, n = 0;
	struct nnprog_shape shape = { 0 };
	int32_t axes[NNPROG_MAX_RANK];
	struct nnprog_operand op;
	int ret;

	ret = lower_in(l, 0, &in);
	if (!ret && has_axes)
		ret = lower_in(l, 1, &list);
	if (ret)
		return ret;
	if (has_axes && !lower_get(l, list).data)
		return squeeze_at_run_time(l, in, list);
	op = lower_get(l, in);
	if (op.shape.rank == NNPROG_RANK_UNKNOWN)
		return lower_refuse(l, l->op->inputs[0], "the rank of operand %u must be known",
				    l->op->inputs[0]);
	ret = squeezed_dims(l, &op, list, &removed);
	if (!ret)
		ret = lower_out_like(l, 0, in, &out);
	if (ret)
		return ret;
	for (i = 0; i < op.shape.rank; i++) {
		if (removed & 1u << i)
			axes[n++] = (int32_t)i;
		else
			shape.dims[shape.rank++] = op.shape.dims[i];
	}
	if (!shape.rank)
		shape.dims[shape.rank++] = 1;
	if (unknown_dims(&shape) <= 1)
		return emit_reshape(l, in, &shape, out);
	ret = lower_const_ints(l, axes, n, &list);
	return ret ? ret : emit_squeeze(l, in, list, out);
}

int lower_expand_dims(struct lower *l)
{
	struct nnprog_attr_axis a = { .pack = 1 };
	struct nnprog_shape shape = { 0 };
	struct nnprog_operand op;
	uint32_t in, out, i;
	int64_t axis;
	int32_t v;
	int ret;

	ret = lower_int32(l, 1, &v);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (ret)
		return ret;
	op = lower_get(l, in);
	axis = v;
	if (op.shape.rank == NNPROG_RANK_UNKNOWN) {
		if (v < 0)
			return lower_refuse(l, l->op->inputs[0],
					    "axis %d: the rank of operand %u must be known", v,
					    l->op->inputs[0]);
	} else {
		if (v < 0)
			axis += op.shape.rank + 1;
		if (axis < 0 || axis > op.shape.rank || op.shape.rank >= NNPROG_MAX_RANK)
			return lower_refuse(l, l->op->inputs[1], "axis %d for rank %u", v,
					    op.shape.rank);
	}
	ret = lower_out_like(l, 0, in, &out);
	if (ret)
		return ret;
	if (op.shape.rank != NNPROG_RANK_UNKNOWN && unknown_dims(&op.shape) <= 1) {
		shape.rank = op.shape.rank + 1;
		for (i = 0; i < op.shape.rank; i++)
			shape.dims[i + (i >= axis)] = op.shape.dims[i];
		shape.dims[axis] = 1;
		return emit_reshape(l, in, &shape, out);
	}
	/* packing a single tensor gives the new axis its extent of 1 */
	a.axis = (int32_t)axis;
	return lower_emit(l, NNPROG_OP_CONCATENATION, &a, sizeof(a), &in, 1, &out, 1);
}

/* Inputs @first .. @first + @n - 1 along the axis in @a. */
static int concatenate(struct lower *l, const struct nnprog_attr_axis *a, uint32_t first, uint32_t n)
{
	uint32_t *in = calloc(n, sizeof(*in));
	uint32_t out, i;
	int ret = 0;

	if (!in)
		return -ENOMEM;
	for (i = 0; !ret && i < n; i++)
		ret = lower_in(l, first + i, &in[i]);
	if (!ret)
		ret = a->pack ? lower_out_like(l, 0, in[0], &out) : lower_out(l, 0, &out);
	if (!ret)
		ret = lower_emit(l, NNPROG_OP_CONCATENATION, a, sizeof(*a), in, n, &out, 1);
	free(in);
	return ret;
}

static int axis_from(struct lower *l, uint32_t i, struct nnprog_attr_axis *a)
{
	uint32_t axis;
	const int ret = lower_uint(l, i, 0, &axis);

	if (!ret)
		a->axis = (int32_t)axis;
	return ret;
}

int lower_concatenation(struct lower *l)
{
	const uint32_t n = l->op->num_inputs - 1;
	struct nnprog_attr_axis a = { 0 };
	const int ret = axis_from(l, n, &a);

	return ret ? ret : concatenate(l, &a, 0, n);
}

int lower_pack(struct lower *l)
{
	struct nnprog_attr_axis a = { .pack = 1 };
	const int ret = axis_from(l, 0, &a);

	return ret ? ret : concatenate(l, &a, 1, l->op->num_inputs - 1);
}

/* The pad value of PAD_V2 as a scalar of x's type. */
static int pad_value(struct lower *l, uint32_t x, uint32_t *tensor)
{
	const struct nnprog_operand in = lower_get(l, x);
	struct nnprog_operand op = {
		.dtype = in.dtype, .scale = in.scale, .zero_point = in.zero_point,
	};
	int32_t v;
	uint8_t byte;
	int ret;

	/* a scalar FLOAT32 or FLOAT16 is one already, constant or not */
	if (!lower_is_quant8(lower_operand(l, 0)->type))
		return lower_in(l, 2, tensor);
	ret = lower_int32(l, 2, &v);
	if (ret)
		return ret;
	byte = (uint8_t)v;	/* NNAPI's CPU takes the low byte of any INT32 */
	return lower_const(l, &op, &byte, sizeof(byte), tensor);
}

int lower_pad(struct lower *l)
{
	uint32_t in[3], out;
	int ret;

	ret = lower_in(l, 0, &in[0]);
	if (!ret)
		ret = lower_in(l, 1, &in[1]);
	if (!ret)
		ret = l->op->type == NNMODEL_PAD_V2 ? pad_value(l, in[0], &in[2])
						    : lower_omitted(l, &in[2]);
	if (!ret)
		ret = lower_out_like(l, 0, in[0], &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_PAD, NULL, 0, in, 3, &out, 1);
}
