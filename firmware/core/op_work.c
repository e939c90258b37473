// SPDX-License-Identifier: Apache-2.0
#include "core_program.h"

#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static uint64_t elements(const struct nnfw_op_ctx *ctx, uint32_t input)
{
	return input < ctx->num_in && !ctx->in[input].omitted ? ctx->in[input].elements : 0;
}

/* Weights that each of @times reads once. */
static uint64_t weights(const struct nnfw_op_ctx *ctx, uint32_t first, uint32_t end, uint64_t times)
{
	uint64_t sum = 0;

	for (uint32_t i = first; i < end; i++)
		sum += elements(ctx, i);
	return sum * times;
}

/* Vectors of the length of weights [U,I] in the input. */
static uint64_t vectors(const struct nnfw_op_ctx *ctx, uint32_t weight)
{
	const struct nnfw_tensor *w = &ctx->in[weight];

	return w->rank == 2 && w->dims[1] ? ctx->in[0].elements / w->dims[1] : 0;
}

/* An output channel's filter for each of its elements; filter [Cout,Hf,Wf,Cin of a group]. */
static uint64_t convolution(const struct nnfw_op_ctx *ctx)
{
	const uint32_t *filter = ctx->in[1].dims;

	return ctx->out[0].elements * filter[1] * filter[2] * filter[3];
}

static uint64_t depthwise(const struct nnfw_op_ctx *ctx)
{
	return ctx->out[0].elements * ctx->in[1].dims[1] * ctx->in[1].dims[2];
}

/* An input channel's filter for each of its elements. */
static uint64_t transposed(const struct nnfw_op_ctx *ctx)
{
	const uint32_t *filter = ctx->in[1].dims;

	return ctx->in[0].elements * filter[0] * filter[1] * filter[2];
}

static uint64_t fully_connected(const struct nnfw_op_ctx *ctx)
{
	return ctx->out[0].elements * ctx->in[1].dims[1];
}

/* Each element of x meets every column of y. */
static uint64_t batch_matmul(const struct nnfw_op_ctx *ctx)
{
	return ctx->in[0].elements * ctx->out[0].dims[ctx->out[0].rank - 1];
}

static uint64_t sequence_lstm(const struct nnfw_op_ctx *ctx)
{
	const uint64_t steps = vectors(ctx, 2);

	return weights(ctx, 1, 9, steps) + weights(ctx, 16, 17, steps) +
	       weights(ctx, 25, 29, steps);
}

static uint64_t sequence_rnn(const struct nnfw_op_ctx *ctx)
{
	const uint64_t steps = vectors(ctx, 1);

	return weights(ctx, 1, 3, steps) + weights(ctx, 6, 7, steps);
}

static uint64_t svdf(const struct nnfw_op_ctx *ctx)
{
	return weights(ctx, 1, 3, vectors(ctx, 1));
}

static uint64_t quantized_lstm(const struct nnfw_op_ctx *ctx)
{
	return weights(ctx, 1, 9, vectors(ctx, 2));
}

static uint64_t (*const macs[NNPROG_OP_COUNT])(const struct nnfw_op_ctx *ctx) = {
	[NNPROG_OP_CONV_2D] = convolution,
	[NNPROG_OP_DEPTHWISE_CONV_2D] = depthwise,
	[NNPROG_OP_TRANSPOSE_CONV_2D] = transposed,
	[NNPROG_OP_FULLY_CONNECTED] = fully_connected,
	[NNPROG_OP_BATCH_MATMUL] = batch_matmul,
	[NNPROG_OP_SEQUENCE_LSTM] = sequence_lstm,
	[NNPROG_OP_SEQUENCE_RNN] = sequence_rnn,
	[NNPROG_OP_SVDF] = svdf,
	[NNPROG_OP_QUANTIZED_LSTM] = quantized_lstm,
	[NNPROG_OP_QUANTIZED_16BIT_LSTM] = quantized_lstm,
};

struct op_work nnfw_op_work(const struct nnfw_op_ctx *ctx)
{
	const uint32_t opcode = ctx->desc->opcode;
	struct op_work work = { 0 };

	for (uint32_t i = 0; i < ctx->num_in; i++)
		if (!ctx->in[i].omitted)
			work.bytes += ctx->in[i].size;
	for (uint32_t i = 0; i < ctx->num_out; i++) {
		work.elements += ctx->out[i].elements;
		work.bytes += ctx->out[i].size;
	}
	if (opcode < NNPROG_OP_COUNT && macs[opcode])
		work.macs = macs[opcode](ctx);
	return work;
}
