// SPDX-License-Identifier: Apache-2.0
/* Normalizations. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_l2_normalization(struct lower *l)
{
	struct nnprog_attr_axis a = { .axis = -1 };
	const uint32_t type = lower_operand(l, 0)->type;
	uint32_t in, out;
	int ret = 0;

	if (l->op->num_inputs > 1)
		ret = lower_int32(l, 1, &a.axis);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (ret)
		return ret;
	if (lower_is_quant8(type)) /* [-1, 1) */
		ret = lower_out_quant(l, 0, 1.f / 128,
				      type == NNMODEL_TENSOR_QUANT8_ASYMM ? 128 : 0, &out);
	else
		ret = lower_out(l, 0, &out);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_L2_NORMALIZATION, &a, sizeof(a), &in, 1, &out, 1);
}

static int lower_lrn(struct lower *l)
{
	struct nnprog_attr_lrn a = { .axis = -1 };
	uint32_t in, out;
	int ret;

	ret = lower_uint(l, 1, 0, &a.radius);
	if (!ret)
		ret = lower_float(l, 2, &a.bias);
	if (!ret)
		ret = lower_float(l, 3, &a.alpha);
	if (!ret)
		ret = lower_float(l, 4, &a.beta);
	if (!ret && l->op->num_inputs > 5)
		ret = lower_int32(l, 5, &a.axis);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_LOCAL_RESPONSE_NORMALIZATION, &a, sizeof(a), &in, 1,
				&out, 1);
}

static int lower_instance_normalization(struct lower *l)
{
	struct nnprog_attr_instance_normalization a = { 0 };
	bool nchw = false;
	uint32_t in, out;
	int ret;

	ret = lower_float(l, 1, &a.gamma);
	if (!ret)
		ret = lower_float(l, 2, &a.beta);
	if (!ret)
		ret = lower_float(l, 3, &a.epsilon);
	if (!ret)
		ret = lower_bool(l, 4, &nchw);
	if (!ret)
		ret = lower_in_image(l, 0, nchw, &in);
	if (!ret)
		ret = lower_out_image(l, 0, nchw, in, &out);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_INSTANCE_NORMALIZATION, &a, sizeof(a), &in, 1, &out,
				1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_L2_NORMALIZATION, .lower = lower_l2_normalization },
	{ .opcode = NNMODEL_LOCAL_RESPONSE_NORMALIZATION, .lower = lower_lrn },
	{ .opcode = NNMODEL_INSTANCE_NORMALIZATION, .lower = lower_instance_normalization },
};
LOWER_FAMILY(normalization, rows);
