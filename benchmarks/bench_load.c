// SPDX-License-Identifier: Apache-2.0
/*
 * Time of load(), which packs the constant weights of an operation, on one thread and without the
 * firmware's core: the least processor time, and weights as they come in GB/s. Once into memory
 * that has no pages yet, as the first load of a program has it, and once into memory that has.
 * Arguments: seconds per figure (default 0.3), and a word that the names of the cases hold.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_thread.h"
#include "isa/isa.h"
#include "nnfw_op.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

/* More than any state has. */
#define MOST_MEMORY ((size_t)24 << 20)

static const struct layer {
	const char *name;
	uint32_t opcode, dtype, filter, in, out;
} layers[] = {
	{ "conv_3x3_512_512_int8", NNPROG_OP_CONV_2D, NNPROG_INT8, 3, 512, 512 },
	{ "conv_1x1_96_576_int8", NNPROG_OP_CONV_2D, NNPROG_INT8, 1, 96, 576 },
	{ "fully_connected_768_3072_int8", NNPROG_OP_FULLY_CONNECTED, NNPROG_INT8, 1, 768, 3072 },
	{ "conv_1x1_512_2048_float32", NNPROG_OP_CONV_2D, NNPROG_FLOAT32, 1, 512, 2048 },
	{ "fully_connected_768_3072_float16", NNPROG_OP_FULLY_CONNECTED, NNPROG_FLOAT16, 1, 768,
	  3072 },
	{ "depthwise_3x3_512_int8", NNPROG_OP_DEPTHWISE_CONV_2D, NNPROG_INT8, 3, 512, 512 },
};

static struct nnfw_tensor tensor(uint32_t dtype, uint32_t rank, const uint32_t *dims)
{
	struct nnfw_tensor t = empty_tensor(dtype, rank, dims);

	t.scale = 0.05f;
	for (uint64_t i = 0; i < t.size; i++)
		((uint8_t *)t.data)[i] = (uint8_t)(rand() % 60);
	return t;
}

/* Make malloc() keep @size bytes of memory, with their pages. */
static void keep_memory(size_t size)
{
	void *p;

	if (!mallopt(M_MMAP_THRESHOLD, 32 << 20) || !mallopt(M_TRIM_THRESHOLD, 1 << 30))
		die("malloc takes no settings");
	p = memory(size);
	for (size_t i = 0; i < size; i += 4096)
		*((volatile uint8_t *)p + i) = 1;
	free(p);
}

/* The least time of a load. */
static double least(const struct nnfw_op *op, const struct nnfw_op_ctx *ctx, double seconds)
{
	double total = 0, best = 1e9;

	for (int n = 0; n < 5 || total < seconds; n++) {
		double start = now(), took;
		void *state = NULL;
		size_t size;

		if (op->load(ctx, &state, &size))
			die("load failed");
		took = now() - start;
		best = took < best ? took : best;
		total += took;
		op->unload(state);
	}
	return best;
}

static void measure(const struct layer *l, double seconds)
{
	const bool depthwise = l->opcode == NNPROG_OP_DEPTHWISE_CONV_2D,
		   fc = l->opcode == NNPROG_OP_FULLY_CONNECTED;
	const uint32_t bias = l->dtype == NNPROG_INT8 ? NNPROG_INT32 : l->dtype;
	const struct nnprog_attr_conv2d conv = {
		.padding = NNPROG_PAD_SAME,
		.stride_w = 1,
		.stride_h = 1,
		.dilation_w = 1,
		.dilation_h = 1,
		.groups = !depthwise,
		.multiplier = depthwise,
	};
	const struct nnprog_attr_act act = { 0 };
	struct nnfw_tensor in[3], out;
	const struct nnfw_op_ctx ctx = {
		.attrs = fc ? (const void *)&act : &conv,
		.in = in,
		.num_in = 3,
		.out = &out,
		.num_out = 1,
	};
	double fresh, used;

	if (fc) {
		in[0] = tensor(l->dtype, 2, (uint32_t[]){ 1, l->in });
		in[1] = tensor(l->dtype, 2, (uint32_t[]){ l->out, l->in });
		out = tensor(l->dtype, 2, (uint32_t[]){ 1, l->out });
	} else {
		in[0] = tensor(l->dtype, 4, (uint32_t[]){ 1, 7, 7, l->in });
		in[1] = tensor(l->dtype, 4,
			       (uint32_t[]){ depthwise ? 1 : l->out, l->filter, l->filter, l->in });
		out = tensor(l->dtype, 4, (uint32_t[]){ 1, 7, 7, l->out });
	}
	in[2] = tensor(bias, 1, &l->out);
	in[1].constant = in[2].constant = true;
	/* blocks above the limit come from the kernel and go back to it */
	if (!mallopt(M_MMAP_THRESHOLD, 64 << 10))
		die("malloc takes no settings");
	malloc_trim(0);
	fresh = least(nnfw_op_table[l->opcode], &ctx, seconds);
	keep_memory(MOST_MEMORY);
	used = least(nnfw_op_table[l->opcode], &ctx, seconds);
	printf("%-34s %-7s %9.1f %7.2f %9.1f %7.2f\n", l->name, nnfw_isa()->name, fresh * 1e6,
	       (double)in[1].size / fresh * 1e-9, used * 1e6, (double)in[1].size / used * 1e-9);
	for (int i = 0; i < 3; i++)
		free(in[i].data);
	free(out.data);
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 0.3;

	printf("%-34s %-7s %9s %7s %9s %7s\n", "load", "isa", "new us", "GB/s", "used us", "GB/s");
	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		if (argc <= 2 || strstr(layers[i].name, argv[2]))
			measure(&layers[i], seconds);
	return 0;
}
