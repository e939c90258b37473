// SPDX-License-Identifier: Apache-2.0
/*
 * QUANTIZED_16BIT_LSTM: one step in integers, bit for bit as NNAPI's reference, which multiplies
 * the row [x, h] with weight rows [recurrent, input]: where the two lengths differ, the columns do
 * not correspond.
 */
#include "kernels/requant.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "kernels/recurrent.h"
#include "nnprog_opcode.h"

enum { INPUT = 0, WEIGHTS = 1, RECURRENT = 5, BIAS = 9, CELL_STATE = 13, OUTPUT_STATE = 14 };
enum { GATE_I, GATE_F, GATE_C, GATE_O, NUM_GATES };

/* Zero point of inputs and outputs. */
#define ZERO 128

/* The sum of one unit's gate, modulo 2^32. 0 or -ECANCELED. */
static int lstm_16bit_accumulate(struct nnfw_work *work, const struct nnfw_tensor *in, uint32_t k,
				 size_t b, size_t unit, int32_t *acc)
{
	size_t inputs = in[INPUT].dims[1], outputs = in[OUTPUT_STATE].dims[1];
	const uint8_t *x = (const uint8_t *)in[INPUT].data + b * inputs;
	const uint8_t *h = (const uint8_t *)in[OUTPUT_STATE].data + b * outputs;
	const uint8_t *w = (const uint8_t *)in[WEIGHTS + k].data + unit * inputs;
	const uint8_t *r = (const uint8_t *)in[RECURRENT + k].data + unit * outputs;
	int32_t zero = in[WEIGHTS].zero_point;
	uint32_t sum = (uint32_t)((const int32_t *)in[BIAS + k].data)[unit];
	size_t d = 0, total = inputs + outputs;

	/* x is multiplied by recurrent weights, then by input weights; h by the rest */
	while (d < total) {
		const size_t end = nnfw_slice(work, d, total);

		if (!end)
			return -ECANCELED;
		for (; d < end && d < inputs; d++)
			sum += (uint32_t)((x[d] - ZERO) *
					  ((d < outputs ? r[d] : w[d - outputs]) - zero));
		for (; d < end; d++)
			sum += (uint32_t)((h[d - inputs] - ZERO) *
					  ((d < outputs ? r[d] : w[d - outputs]) - zero));
	}
	*acc = (int32_t)sum;
	return 0;
}

static int quantized_16bit_lstm_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = ctx->in;
	size_t batch = in[INPUT].dims[0], units = in[OUTPUT_STATE].dims[1];
	struct nnfw_multiplier m = nnfw_multiplier_of(4096.0 * (double)in[BIAS].scale);
	const int16_t *cell = in[CELL_STATE].data;
	int16_t *cell_out = ctx->out[0].data;
	uint8_t *out = ctx->out[1].data;
	struct nnfw_work work = { .progress = ctx->progress };

	for (size_t n = 0; n < batch * units; n++) {
		int16_t gate[NUM_GATES], c, h, product;

		for (uint32_t k = 0; k < NUM_GATES; k++) {
			int32_t acc;

			if (lstm_16bit_accumulate(&work, in, k, n / units, n % units, &acc))
				return -ECANCELED;
			gate[k] = nnfw_sat16(nnfw_multiply(acc, m));
		}
		product = nnfw_mul_high16(nnfw_logistic16(gate[GATE_I]),
					  nnfw_tanh16(gate[GATE_C], 3));
		/* Q0 to the cell's Q4 */
		c = nnfw_sat16((int64_t)nnfw_rounding_shift(product, 4) +
			       nnfw_mul_high16(nnfw_logistic16(gate[GATE_F]), cell[n]));
		h = nnfw_mul_high16(nnfw_logistic16(gate[GATE_O]),
				    nnfw_tanh16(nnfw_sat16(2 * (int64_t)c), 3));
		cell_out[n] = c;
		out[n] = (uint8_t)(nnfw_sat8(nnfw_rounding_shift(h, 8)) + ZERO);
	}
	return 0;
}

static uint64_t quantized_16bit_lstm_macs(const struct nnfw_op_ctx *ctx)
{
	return nnfw_recurrent_macs(ctx, 1, 9, nnfw_recurrent_vectors(ctx, 2));
}

const struct nnfw_op nnfw_op_quantized_16bit_lstm = {
	.opcode = NNPROG_OP_QUANTIZED_16BIT_LSTM,
	.types = NNFW_TYPE(UINT8),
	.macs = quantized_16bit_lstm_macs,
	.run = quantized_16bit_lstm_run,
};
