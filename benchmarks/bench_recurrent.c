// SPDX-License-Identifier: Apache-2.0
/*
 * Time of recurrent operations with constant weights on one thread, without the firmware's core: us
 * for each step of one sequence of SEQUENCE_LSTM, in float32 and with all operands in float16, and
 * the bytes of packed weights; and for QUANTIZED_LSTM, which is one step and packs none. Argument:
 * seconds per figure (default 0.5).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_thread.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"
#include "nnfw_ops.h"
#include "nnfw_op.h"

#define STEPS 16u
#define OPERANDS 24u
#define OUTPUTS 3u

static struct nnfw_tensor tensor(uint32_t dtype, bool constant, uint32_t rank, const uint32_t *dims)
{
	struct nnfw_tensor t = empty_tensor(dtype, rank, dims);

	t.constant = constant;
	for (uint64_t i = 0; i < t.elements; i++) {
		/* a sixteenth or less, of either sign */
		if (dtype == NNPROG_FLOAT32)
			((float *)t.data)[i] = (float)(rand() % 256 - 128) / 2048;
		else
			((uint16_t *)t.data)[i] = (uint16_t)(rand() % 0x2c00 | (rand() & 1) << 15);
	}
	return t;
}

/* Of a run, seconds: the least of those in @seconds. */
static double least_time(const struct nnfw_op *op, struct nnfw_op_ctx *ctx, double seconds)
{
	double best = 1e9;

	for (double total = 0, took, start; total < seconds; total += took) {
		start = now();
		if (op->run(ctx))
			die(ctx->error);
		took = now() - start;
		best = took < best ? took : best;
	}
	return best;
}

static void operands_free(struct nnfw_op_ctx *ctx)
{
	free(ctx->scratch);
	for (uint32_t i = 0; i < ctx->num_in; i++)
		free(ctx->in[i].data);
	for (uint32_t i = 0; i < ctx->num_out; i++)
		free(ctx->out[i].data);
}

static void measure(uint32_t dtype, uint32_t input, uint32_t units, double seconds)
{
	static const struct nnprog_attr_lstm attr = { .activation = 4 };
	struct nnfw_tensor in[OPERANDS] = { 0 }, out[OUTPUTS];
	struct nnfw_op_ctx ctx = {
		.attrs = &attr,
		.in = in,
		.num_in = OPERANDS,
		.out = out,
		.num_out = OUTPUTS,
	};
	const struct nnfw_op *op = nnfw_op_table[NNPROG_OP_SEQUENCE_LSTM];
	double best;
	void *state = NULL;
	size_t size = 0;

	for (uint32_t i = 0; i < OPERANDS; i++)
		in[i].omitted = true;
	in[0] = tensor(dtype, false, 3, (const uint32_t[]){ 1, STEPS, input });
	for (uint32_t gate = 0; gate < 4; gate++) {
		in[1 + gate] = tensor(dtype, true, 2, (const uint32_t[]){ units, input });
		in[5 + gate] = tensor(dtype, true, 2, (const uint32_t[]){ units, units });
		in[12 + gate] = tensor(dtype, true, 1, (const uint32_t[]){ units });
	}
	in[18] = tensor(dtype, false, 2, (const uint32_t[]){ 1, units });
	in[19] = tensor(dtype, false, 2, (const uint32_t[]){ 1, units });
	out[0] = tensor(dtype, false, 3, (const uint32_t[]){ 1, STEPS, units });
	out[1] = tensor(dtype, false, 2, (const uint32_t[]){ 1, units });
	out[2] = tensor(dtype, false, 2, (const uint32_t[]){ 1, units });
	if (op->load(&ctx, &state, &size))
		die("load failed");
	ctx.state = state;
	ctx.scratch = memory(op->scratch(&ctx));
	best = least_time(op, &ctx, seconds);
	printf("LSTM %-8s %4u to %4u %10.1f us a step %8zu KiB\n",
	       dtype == NNPROG_FLOAT32 ? "float32" : "float16", input, units, best * 1e6 / STEPS,
	       size / 1024);
	op->unload(state);
	operands_free(&ctx);
}

static struct nnfw_tensor codes(uint32_t dtype, float scale, uint32_t rank, const uint32_t *dims)
{
	struct nnfw_tensor t = empty_tensor(dtype, rank, dims);

	t.scale = scale;
	for (uint64_t i = 0; i < t.size; i++)
		((uint8_t *)t.data)[i] = (uint8_t)rand();
	return t;
}

static void measure_quantized(uint32_t input, uint32_t units, double seconds)
{
	static const struct nnprog_attr_quantized_lstm attr = {
		.intermediate = { 0.01f, 0.01f, 0.01f, 0.01f }, .hidden_scale = 0.01f
	};
	struct nnfw_tensor in[OPERANDS] = { 0 }, out[OUTPUTS];
	struct nnfw_op_ctx ctx = {
		.attrs = &attr,
		.in = in,
		.num_in = OPERANDS,
		.out = out,
		.num_out = OUTPUTS,
	};
	const struct nnfw_op *op = nnfw_op_table[NNPROG_OP_QUANTIZED_LSTM];
	const uint32_t state[] = { 1, units };
	double best;

	for (uint32_t i = 0; i < OPERANDS; i++)
		in[i].omitted = true;
	in[0] = codes(NNPROG_INT8, 0.01f, 2, (const uint32_t[]){ 1, input });
	for (uint32_t gate = 0; gate < 4; gate++) {
		in[1 + gate] = codes(NNPROG_INT8, 0.01f, 2, (const uint32_t[]){ units, input });
		in[5 + gate] = codes(NNPROG_INT8, 0.01f, 2, (const uint32_t[]){ units, units });
	}
	in[18] = codes(NNPROG_INT8, 0.01f, 2, state);
	in[19] = codes(NNPROG_INT16, 1.0f / 2048, 2, state);
	out[0] = codes(NNPROG_INT8, 0.01f, 2, state);
	out[1] = codes(NNPROG_INT16, 1.0f / 2048, 2, state);
	out[2] = codes(NNPROG_INT8, 0.01f, 2, state);
	ctx.scratch = memory(op->scratch(&ctx));
	best = least_time(op, &ctx, seconds);
	printf("QUANTIZED_LSTM %4u to %4u %10.1f us a step %8u KiB of codes\n", input, units,
	       best * 1e6, 4 * (input + units) * units / 1024);
	operands_free(&ctx);
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 0.5;
	static const uint32_t sizes[][2] = {
		{ 64, 128 }, { 256, 256 }, { 512, 512 }, { 1024, 1024 }, { 2048, 2048 }
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		measure(NNPROG_FLOAT32, sizes[i][0], sizes[i][1], seconds);
		measure(NNPROG_FLOAT16, sizes[i][0], sizes[i][1], seconds);
		measure_quantized(sizes[i][0], sizes[i][1], seconds);
	}
	return 0;
}
