// SPDX-License-Identifier: Apache-2.0
/* SOFTMAX and LOG_SOFTMAX. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_softmax(struct lower *l)
{
	struct nnprog_attr_softmax a = { .axis = -1, .log = l->row->kind };
	const uint32_t type = lower_operand(l, 0)->type;
	uint32_t in, out;
	int ret;

	ret = lower_float(l, 1, &a.beta);
	if (!ret && l->op->num_inputs > 2)
		ret = lower_int32(l, 2, &a.axis);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (ret)
		return ret;
	if (lower_is_quant8(type))
		ret = lower_out_quant(l, 0, 1.f / 256,
				      type == NNMODEL_TENSOR_QUANT8_ASYMM ? 0 : -128, &out);
	else
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_SOFTMAX, &a, sizeof(a), &in, 1, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_SOFTMAX, .lower = lower_softmax },
	{ .opcode = NNMODEL_LOG_SOFTMAX, .lower = lower_softmax, .kind = 1 },
};
LOWER_FAMILY(softmax, rows);
