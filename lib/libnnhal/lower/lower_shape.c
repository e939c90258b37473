// SPDX-License-Identifier: Apache-2.0
/* RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, CONCATENATION, PACK, PAD, PAD_V2. */
#include <errno.h>
#include <stdlib.h>

#include "context.h"

/*
 * x and a tensor that may come at run time (shape, axes, permutation), to an output of x's
 * quantization.
 */
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

int lower_squeeze(struct lower *l)
{
	return with_tensor(l, NNPROG_OP_SQUEEZE, true);
}

int lower_expand_dims(struct lower *l)
{
	struct nnprog_attr_axis a = { 0 };
	uint32_t in, out;
	int ret;

	ret = lower_int32(l, 1, &a.axis);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out_like(l, 0, in, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_EXPAND_DIMS, &a, sizeof(a), &in, 1, &out, 1);
}

/* Inputs @first .. @first + @n - 1 along the axis in @a. */
static int concatenate(struct lower *l, const struct nnprog_attr_axis *a, uint32_t first,
		       uint32_t n)
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
		.dtype = in.dtype,
		.scale = in.scale,
		.zero_point = in.zero_point,
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
	byte = (uint8_t)v; /* NNAPI's CPU takes the low byte of any INT32 */
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
