// SPDX-License-Identifier: Apache-2.0
/* PAD, PAD_V2, MIRROR_PAD. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

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

static int lower_pad(struct lower *l)
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

static int lower_mirror_pad(struct lower *l)
{
	struct nnprog_attr_mirror_pad a = { 0 };
	uint32_t mode;
	int ret = lower_uint(l, 2, 0, &mode);

	if (!ret && mode > 1)
		ret = lower_refuse(l, l->op->inputs[2], "mode (operand %u) is %u, must be 0 or 1",
				   l->op->inputs[2], mode);
	a.symmetric = mode;
	return ret ? ret : lower_move(l, NNPROG_OP_MIRROR_PAD, &a, sizeof(a), 2, false);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_PAD, .lower = lower_pad },
	{ .opcode = NNMODEL_PAD_V2, .lower = lower_pad },
	{ .opcode = NNMODEL_MIRROR_PAD, .lower = lower_mirror_pad },
};
LOWER_FAMILY(pad, rows);
