// SPDX-License-Identifier: Apache-2.0
/*
 * QUANTIZED_LSTM, QUANTIZED_16BIT_LSTM: tensors in NNAPI's order, states in the quantization they
 * come in.
 */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

#define NUM_TENSORS 24
#define H_IN 18
#define C_IN 19
/* Bit i: input i may be omitted: input gate, peephole, projection, layer norm. */
#define OPTIONAL (1u << 1 | 1u << 5 | 7u << 9 | 1u << 12 | 3u << 16 | 15u << 20)

static int lower_quantized_lstm(struct lower *l)
{
	struct nnprog_attr_quantized_lstm a = { 0 };
	uint32_t in[NUM_TENSORS], out[3], i;
	int ret;

	ret = lower_float(l, 24, &a.cell_clip);
	if (!ret)
		ret = lower_float(l, 25, &a.projection_clip);
	for (i = 0; !ret && i < 4; i++)
		ret = lower_float(l, 26 + i, &a.intermediate[i]);
	if (!ret)
		ret = lower_int32(l, 30, &a.hidden_zero_point);
	if (!ret)
		ret = lower_float(l, 31, &a.hidden_scale);
	for (i = 0; !ret && i < NUM_TENSORS; i++)
		ret = OPTIONAL & 1u << i ? lower_in_opt(l, i, &in[i]) : lower_in(l, i, &in[i]);
	for (i = 0; !ret && i < 3; i++)
		ret = lower_out_like(l, i, in[i == 1 ? C_IN : H_IN], &out[i]);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_QUANTIZED_LSTM, &a, sizeof(a), in, NUM_TENSORS, out,
				3);
}

static int lower_quantized_16bit_lstm(struct lower *l)
{
	uint32_t in[15], out[2], i;
	int ret = 0;

	for (i = 0; !ret && i < 15; i++)
		ret = lower_in(l, i, &in[i]);
	for (i = 0; !ret && i < 2; i++)
		ret = lower_out_like(l, i, in[13 + i], &out[i]);
	return ret ? ret : lower_emit(l, NNPROG_OP_QUANTIZED_16BIT_LSTM, NULL, 0, in, 15, out, 2);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_QUANTIZED_LSTM, .lower = lower_quantized_lstm },
	{ .opcode = NNMODEL_QUANTIZED_16BIT_LSTM, .lower = lower_quantized_16bit_lstm },
};
LOWER_FAMILY(quantized_lstm, rows);
