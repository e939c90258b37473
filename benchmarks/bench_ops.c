// SPDX-License-Identifier: Apache-2.0
/*
 * Speed of single device operations on one thread, without the firmware's core: GMAC/s of
 * convolutions with constant filters, prepared by load(). Arguments: seconds per figure (default
 * 0.3), an operation (default: all).
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

static struct nnfw_tensor tensor(uint32_t dtype, uint32_t rank, const uint32_t *dims, float scale)
{
	struct nnfw_tensor t = empty_tensor(dtype, rank, dims);

	t.scale = scale;
	for (uint64_t i = 0; i < t.elements; i++) {
		if (dtype == NNPROG_FLOAT32)
			((float *)t.data)[i] = (float)(rand() % 256 - 128) / 128;
		else if (dtype == NNPROG_INT32)
			((int32_t *)t.data)[i] = rand() % 256;
		else
			for (size_t b = 0; b < nnprog_dtype_size(dtype); b++)
				((uint8_t *)t.data)[i * nnprog_dtype_size(dtype) + b] =
					(uint8_t)(rand() % 60);
	}
	return t;
}

struct row {
	uint32_t opcode, size, cin, cout, filter, stride;
};

static double gmacs(const struct row *r, uint32_t dtype, double seconds)
{
	bool depthwise = r->opcode == NNPROG_OP_DEPTHWISE_CONV_2D,
	     fc = r->opcode == NNPROG_OP_FULLY_CONNECTED,
	     matmul = r->opcode == NNPROG_OP_BATCH_MATMUL;
	bool quant = dtype == NNPROG_UINT8 || dtype == NNPROG_INT8;
	struct nnprog_attr_conv2d conv = {
		.padding = NNPROG_PAD_SAME,
		.stride_w = r->stride,
		.stride_h = r->stride,
		.dilation_w = 1,
		.dilation_h = 1,
		.groups = !depthwise,
		.multiplier = depthwise ? r->cout / r->cin : 0,
	};
	struct nnprog_attr_act act = { 0 };
	struct nnprog_attr_batch_matmul product = { 0 };
	uint32_t out_size = (r->size + r->stride - 1) / r->stride;
	struct nnfw_tensor in[3], out;
	struct nnfw_op_ctx ctx = { .in = in, .num_in = 3, .out = &out, .num_out = 1 };
	const struct nnfw_op *op = nnfw_op_table[r->opcode];
	float s = quant ? 0.05f : 0;
	size_t size, scratch, runs = 0;
	double start, end, macs;
	void *state = NULL;

	ctx.attrs = fc ? (const void *)&act : matmul ? (const void *)&product : &conv;
	if (matmul) {
		in[0] = tensor(dtype, 3, (uint32_t[]){ 8, r->size, r->cin }, s);
		in[1] = tensor(dtype, 3, (uint32_t[]){ 8, r->cin, r->cout }, s);
		out = tensor(dtype, 3, (uint32_t[]){ 8, r->size, r->cout }, s * 8);
		ctx.num_in = 2;
	} else if (fc) {
		in[0] = tensor(dtype, 2, (uint32_t[]){ r->size, r->cin }, s);
		in[1] = tensor(dtype, 2, (uint32_t[]){ r->cout, r->cin }, s);
		out = tensor(dtype, 2, (uint32_t[]){ r->size, r->cout }, s * 8);
	} else {
		in[0] = tensor(dtype, 4, (uint32_t[]){ 1, r->size, r->size, r->cin }, s);
		in[1] = tensor(dtype, 4,
			       (uint32_t[]){ depthwise ? 1 : r->cout, r->filter, r->filter,
					     depthwise ? r->cout : r->cin },
			       s);
		out = tensor(dtype, 4, (uint32_t[]){ 1, out_size, out_size, r->cout }, s * 8);
	}
	in[2] = tensor(quant ? NNPROG_INT32 : dtype, 1, &r->cout, s * s);
	for (int i = 0; i < 3; i++)
		in[i].constant = i > 0 && !matmul;
	if (op->load && op->load(&ctx, &state, &size))
		die("load failed");
	ctx.state = state;
	scratch = op->scratch(&ctx);
	ctx.scratch = scratch ? memory(scratch) : NULL;
	if (op->run(&ctx))
		die(ctx.error);
	start = now();
	do {
		if (op->run(&ctx))
			die(ctx.error);
		runs++;
		end = now();
	} while (end - start < seconds);
	macs = (double)out.elements * r->filter * r->filter * (depthwise ? 1 : r->cin);
	if (op->unload)
		op->unload(state);
	free(ctx.scratch);
	for (int i = 0; i < 3; i++)
		free(in[i].data);
	free(out.data);
	return macs * (double)runs / (end - start) * 1e-9;
}

int main(int argc, char **argv)
{
	static const struct row rows[] = {
		{ NNPROG_OP_CONV_2D, 224, 3, 32, 3, 2 },
		{ NNPROG_OP_CONV_2D, 112, 16, 96, 1, 1 },
		{ NNPROG_OP_CONV_2D, 56, 24, 144, 1, 1 },
		{ NNPROG_OP_CONV_2D, 28, 192, 32, 1, 1 },
		{ NNPROG_OP_CONV_2D, 14, 384, 64, 1, 1 },
		{ NNPROG_OP_CONV_2D, 14, 96, 576, 1, 1 },
		{ NNPROG_OP_CONV_2D, 7, 320, 1280, 1, 1 },
		{ NNPROG_OP_CONV_2D, 32, 16, 16, 3, 1 },
		{ NNPROG_OP_CONV_2D, 28, 64, 64, 3, 1 },
		/* MobileNetV1 and V2 */
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 112, 32, 32, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 56, 128, 128, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 28, 256, 256, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 14, 512, 512, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 7, 1024, 1024, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 112, 96, 96, 3, 2 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 56, 144, 144, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 56, 144, 144, 3, 2 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 28, 192, 192, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 14, 576, 576, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 14, 576, 576, 3, 2 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 7, 960, 960, 3, 1 },
		/* of width 0.25, vww */
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 64, 8, 8, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 48, 8, 8, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 48, 16, 16, 3, 2 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 24, 32, 32, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 6, 128, 128, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 3, 256, 256, 3, 1 },
		/* kws */
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 12, 64, 64, 3, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 28, 120, 120, 5, 1 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 24, 64, 64, 5, 2 },
		/* odd channels, and four outputs of each */
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 28, 37, 37, 3, 2 },
		{ NNPROG_OP_DEPTHWISE_CONV_2D, 28, 16, 64, 3, 1 },
		{ NNPROG_OP_FULLY_CONNECTED, 1, 1280, 1001, 1, 1 },
		{ NNPROG_OP_FULLY_CONNECTED, 32, 640, 128, 1, 1 },
		{ NNPROG_OP_BATCH_MATMUL, 128, 128, 128, 1, 1 },
	};
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_UINT8,
					  NNPROG_INT8 };
	double seconds = argc > 1 ? atof(argv[1]) : 0.3;

	printf("%-18s %5s %5s %5s %3s %3s  GMAC/s:", "operation", "size", "in", "out", "f", "s");
	for (int t = 0; t < 4; t++)
		printf(" %8s", nnprog_dtype_name(types[t]));
	printf("\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];

		if (argc > 2 && strcmp(argv[2], nnprog_op_find(r->opcode)->name) != 0)
			continue;
		printf("%-18s %5u %5u %5u %3u %3u         ", nnprog_op_find(r->opcode)->name,
		       r->size, r->cin, r->cout, r->filter, r->stride);
		for (int t = 0; t < 4; t++) {
			if (nnfw_op_table[r->opcode]->types & 1u << types[t])
				printf(" %8.2f", gmacs(r, types[t], seconds));
			else
				printf(" %8s", "-");
			fflush(stdout);
		}
		printf("\n");
	}
	return 0;
}
