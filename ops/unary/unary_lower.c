// SPDX-License-Identifier: Apache-2.0
/* Functions of one element. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_unary(struct lower *l)
{
	struct nnprog_attr_unary a = { .kind = l->row->kind };
	const uint32_t type = lower_operand(l, 0)->type;
	uint32_t in, out;
	int ret;

	ret = lower_in(l, 0, &in);
	if (!ret && a.kind == NNPROG_UNARY_ELU)
		ret = lower_float(l, 1, &a.alpha);
	if (ret)
		return ret;
	switch (a.kind) {
	case NNPROG_UNARY_RELU:
	case NNPROG_UNARY_RELU1:
	case NNPROG_UNARY_RELU6:
		ret = lower_out_like(l, 0, in, &out);
		break;
	case NNPROG_UNARY_LOGISTIC: /* [0, 1) */
		if (lower_is_quant8(type))
			ret = lower_out_quant(l, 0, 1.f / 256,
					      type == NNMODEL_TENSOR_QUANT8_ASYMM ? 0 : -128, &out);
		else
			ret = lower_out(l, 0, &out);
		break;
	case NNPROG_UNARY_TANH: /* [-1, 1) */
		if (lower_is_quant8(type))
			ret = lower_out_quant(l, 0, 1.f / 128,
					      type == NNMODEL_TENSOR_QUANT8_ASYMM ? 128 : 0, &out);
		else
			ret = lower_out(l, 0, &out);
		break;
	default:
		ret = lower_out(l, 0, &out);
	}
	return ret ? ret : lower_emit(l, NNPROG_OP_UNARY, &a, sizeof(a), &in, 1, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_RELU,
	  .lower = lower_unary,
	  .kind = NNPROG_UNARY_RELU,
	  .activation = NNPROG_ACT_RELU },
	{ .opcode = NNMODEL_RELU1,
	  .lower = lower_unary,
	  .kind = NNPROG_UNARY_RELU1,
	  .activation = NNPROG_ACT_RELU1 },
	{ .opcode = NNMODEL_RELU6,
	  .lower = lower_unary,
	  .kind = NNPROG_UNARY_RELU6,
	  .activation = NNPROG_ACT_RELU6 },
	{ .opcode = NNMODEL_LOGISTIC, .lower = lower_unary, .kind = NNPROG_UNARY_LOGISTIC },
	{ .opcode = NNMODEL_TANH, .lower = lower_unary, .kind = NNPROG_UNARY_TANH },
	{ .opcode = NNMODEL_FLOOR, .lower = lower_unary, .kind = NNPROG_UNARY_FLOOR },
	{ .opcode = NNMODEL_ELU, .lower = lower_unary, .kind = NNPROG_UNARY_ELU },
	{ .opcode = NNMODEL_HARD_SWISH, .lower = lower_unary, .kind = NNPROG_UNARY_HARD_SWISH },
	{ .opcode = NNMODEL_ABS, .lower = lower_unary, .kind = NNPROG_UNARY_ABS },
	{ .opcode = NNMODEL_NEG, .lower = lower_unary, .kind = NNPROG_UNARY_NEG },
	{ .opcode = NNMODEL_EXP, .lower = lower_unary, .kind = NNPROG_UNARY_EXP },
	{ .opcode = NNMODEL_LOG, .lower = lower_unary, .kind = NNPROG_UNARY_LOG },
	{ .opcode = NNMODEL_SIN, .lower = lower_unary, .kind = NNPROG_UNARY_SIN },
	{ .opcode = NNMODEL_SQRT, .lower = lower_unary, .kind = NNPROG_UNARY_SQRT },
	{ .opcode = NNMODEL_RSQRT, .lower = lower_unary, .kind = NNPROG_UNARY_RSQRT },
	{ .opcode = NNMODEL_LOGICAL_NOT, .lower = lower_unary, .kind = NNPROG_UNARY_LOGICAL_NOT },
};
LOWER_FAMILY(unary, rows);
