// SPDX-License-Identifier: Apache-2.0
/* ADD, SUB, MUL, DIV and the operations of one operand. */
#include "context.h"

int lower_binary(struct lower *l)
{
	struct nnprog_attr_binary a = { .kind = l->row->kind };
	uint32_t in[2], out;
	int ret;

	ret = lower_activation(l, 2, &a.activation);
	if (!ret)
		ret = lower_in(l, 0, &in[0]);
	if (!ret)
		ret = lower_in(l, 1, &in[1]);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_BINARY, &a, sizeof(a), in, 2, &out, 1);
}

int lower_unary(struct lower *l)
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
