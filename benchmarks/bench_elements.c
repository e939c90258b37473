// SPDX-License-Identifier: Apache-2.0
/*
 * Time of single device operations that map or move elements, on one thread, without the firmware's
 * core: nanoseconds a run, and elements of the larger side a nanosecond. Arguments: seconds per
 * figure (default 0.1), and a word that the names of the cases hold.
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

#define MAX_IN 4u

/* @dims ends with 0. */
struct side {
	uint32_t dtype;
	uint32_t dims[5];
	float scale;
	int32_t zero_point;
};

struct bench {
	const char *name;
	uint32_t opcode;
	const void *attrs;
	struct side in[MAX_IN], out;
	const int32_t *values; /* of the last input, which is INT32 and constant */
};

static struct nnfw_tensor tensor(const struct side *s)
{
	struct nnfw_tensor t;
	uint32_t rank = 0;

	while (rank < 5 && s->dims[rank])
		rank++;
	t = empty_tensor(s->dtype, rank, s->dims);
	t.scale = s->scale;
	t.zero_point = s->zero_point;
	for (uint64_t i = 0; i < t.size; i++)
		((uint8_t *)t.data)[i] = (uint8_t)rand();
	for (uint64_t i = 0; s->dtype == NNPROG_FLOAT32 && i < t.elements; i++)
		((float *)t.data)[i] = (float)(rand() % 256 - 128) / 128;
	return t;
}

static void measure(const struct bench *b, double seconds)
{
	struct nnfw_tensor in[MAX_IN], out = tensor(&b->out);
	struct nnfw_op_ctx ctx = { .attrs = b->attrs, .in = in, .out = &out, .num_out = 1 };
	const struct nnfw_op *op = nnfw_op_table[b->opcode];
	double start, end, best = 1e9;
	size_t size, scratch, runs = 1;
	void *state = NULL;

	while (ctx.num_in < MAX_IN && b->in[ctx.num_in].dims[0]) {
		in[ctx.num_in] = tensor(&b->in[ctx.num_in]);
		ctx.num_in++;
	}
	if (b->values) {
		memcpy(in[ctx.num_in - 1].data, b->values, in[ctx.num_in - 1].size);
		in[ctx.num_in - 1].constant = true;
	}
	if (op->load && op->load(&ctx, &state, &size))
		die("load failed");
	ctx.state = state;
	scratch = op->scratch ? op->scratch(&ctx) : 0;
	ctx.scratch = scratch ? memory(scratch) : NULL;
	for (double total = 0; total < seconds; total += end - start) {
		start = now();
		for (size_t i = 0; i < runs; i++)
			if (op->run(&ctx))
				die(ctx.error);
		end = now();
		if (end - start < seconds / 20) {
			runs *= 2;
			continue;
		}
		if ((end - start) / (double)runs < best)
			best = (end - start) / (double)runs;
	}
	printf("%-34s %12.1f %8.2f\n", b->name, best * 1e9,
	       (double)(out.elements > in[0].elements ? out.elements : in[0].elements) / best *
		       1e-9);
	if (op->unload)
		op->unload(state);
	free(ctx.scratch);
	for (uint32_t i = 0; i < ctx.num_in; i++)
		free(in[i].data);
	free(out.data);
}

#define Q8(...)                                        \
	{                                              \
		NNPROG_INT8, { __VA_ARGS__ }, 0.05f, 3 \
	}
#define Q8_OUT(...)                                     \
	{                                               \
		NNPROG_INT8, { __VA_ARGS__ }, 0.08f, -5 \
	}
#define U8(...)                                           \
	{                                                 \
		NNPROG_UINT8, { __VA_ARGS__ }, 0.05f, 120 \
	}
#define F32(...)                                      \
	{                                             \
		NNPROG_FLOAT32, { __VA_ARGS__ }, 0, 0 \
	}
#define S32(...)                                    \
	{                                           \
		NNPROG_INT32, { __VA_ARGS__ }, 0, 0 \
	}

static const struct nnprog_attr_binary add = { NNPROG_BINARY_ADD, 0 },
				       mul = { NNPROG_BINARY_MUL, 0 },
				       maximum = { NNPROG_BINARY_MAXIMUM, 0 },
				       prelu = { NNPROG_BINARY_PRELU, 0 };
static const struct nnprog_attr_unary logistic = { NNPROG_UNARY_LOGISTIC, 0 },
				      tanh_of = { NNPROG_UNARY_TANH, 0 },
				      exp_of = { NNPROG_UNARY_EXP, 0 },
				      elu = { NNPROG_UNARY_ELU, 1 },
				      relu6 = { NNPROG_UNARY_RELU6, 0 };
static const struct nnprog_attr_softmax softmax = { 1, -1, 0, 0 };
static const struct nnprog_attr_convert convert = { NNPROG_CONVERT_REAL, 0 };
static const struct nnprog_attr_reduce mean = { NNPROG_REDUCE_MEAN, 0 };
static const struct nnprog_attr_resize bilinear = { NNPROG_RESIZE_BILINEAR, 1, 0, 0, 0, 0 },
				       nearest = { NNPROG_RESIZE_NEAREST, 0, 0, 0, 0, 0 };
static const struct nnprog_attr_arg_minmax arg_max = { -1, 0 };
static const struct nnprog_attr_axis last_axis = { -1, 0 };

#define VALUES(...) ((const int32_t[]){ __VA_ARGS__ })

static const struct bench cases[] = {
	{ "ADD int8 4", NNPROG_OP_BINARY, &add, { Q8(4), Q8_OUT(4) }, Q8_OUT(4), NULL },
	{ "ADD int8 7x7x160",
	  NNPROG_OP_BINARY,
	  &add,
	  { Q8(7, 7, 160), Q8_OUT(7, 7, 160) },
	  Q8_OUT(7, 7, 160),
	  NULL },
	{ "ADD int8 56x56x24",
	  NNPROG_OP_BINARY,
	  &add,
	  { Q8(56, 56, 24), Q8_OUT(56, 56, 24) },
	  Q8_OUT(56, 56, 24),
	  NULL },
	{ "ADD int8 56x56x24 + 24",
	  NNPROG_OP_BINARY,
	  &add,
	  { Q8(56, 56, 24), Q8_OUT(24) },
	  Q8_OUT(56, 56, 24),
	  NULL },
	{ "MUL uint8 56x56x24",
	  NNPROG_OP_BINARY,
	  &mul,
	  { U8(56, 56, 24), U8(56, 56, 24) },
	  U8(56, 56, 24),
	  NULL },
	{ "MAXIMUM int8 56x56x24",
	  NNPROG_OP_BINARY,
	  &maximum,
	  { Q8(56, 56, 24), Q8_OUT(56, 56, 24) },
	  Q8_OUT(56, 56, 24),
	  NULL },
	{ "PRELU int8 56x56x24",
	  NNPROG_OP_BINARY,
	  &prelu,
	  { Q8(56, 56, 24), Q8_OUT(24) },
	  Q8_OUT(56, 56, 24),
	  NULL },
	{ "ADD float32 4", NNPROG_OP_BINARY, &add, { F32(4), F32(4) }, F32(4), NULL },
	{ "ADD float32 28x28x32",
	  NNPROG_OP_BINARY,
	  &add,
	  { F32(28, 28, 32), F32(28, 28, 32) },
	  F32(28, 28, 32),
	  NULL },
	{ "LOGISTIC int8 4", NNPROG_OP_UNARY, &logistic, { Q8(4) }, Q8_OUT(4), NULL },
	{ "LOGISTIC int8 56x56x24",
	  NNPROG_OP_UNARY,
	  &logistic,
	  { Q8(56, 56, 24) },
	  Q8_OUT(56, 56, 24),
	  NULL },
	{ "RELU6 float32 28x28x32",
	  NNPROG_OP_UNARY,
	  &relu6,
	  { F32(28, 28, 32) },
	  F32(28, 28, 32),
	  NULL },
	{ "LOGISTIC float32 28x28x32",
	  NNPROG_OP_UNARY,
	  &logistic,
	  { F32(28, 28, 32) },
	  F32(28, 28, 32),
	  NULL },
	/* of BERT-base at 128 */
	{ "TANH float32 128x3072",
	  NNPROG_OP_UNARY,
	  &tanh_of,
	  { F32(128, 3072) },
	  F32(128, 3072),
	  NULL },
	{ "EXP float32 128x3072",
	  NNPROG_OP_UNARY,
	  &exp_of,
	  { F32(128, 3072) },
	  F32(128, 3072),
	  NULL },
	{ "ELU float32 128x3072", NNPROG_OP_UNARY, &elu, { F32(128, 3072) }, F32(128, 3072), NULL },
	{ "SOFTMAX float32 1536x128",
	  NNPROG_OP_SOFTMAX,
	  &softmax,
	  { F32(1536, 128) },
	  F32(1536, 128),
	  NULL },
	{ "MEAN float32 128x768, rows",
	  NNPROG_OP_REDUCE,
	  &mean,
	  { F32(128, 768), S32(1) },
	  F32(128),
	  VALUES(1) },
	{ "TRANSPOSE float32 12x128x64, 0 2 1",
	  NNPROG_OP_TRANSPOSE,
	  NULL,
	  { F32(12, 128, 64), S32(3) },
	  F32(12, 64, 128),
	  VALUES(0, 2, 1) },
	{ "TRANSPOSE float32 128x12x64, 1 0 2",
	  NNPROG_OP_TRANSPOSE,
	  NULL,
	  { F32(128, 12, 64), S32(3) },
	  F32(12, 128, 64),
	  VALUES(1, 0, 2) },
	{ "TRANSPOSE float32 1024x1024",
	  NNPROG_OP_TRANSPOSE,
	  NULL,
	  { F32(1024, 1024), S32(2) },
	  F32(1024, 1024),
	  VALUES(1, 0) },
	{ "CONVERT uint8 to int8 224x224x3",
	  NNPROG_OP_CONVERT,
	  &convert,
	  { U8(224, 224, 3) },
	  Q8(224, 224, 3),
	  NULL },
	{ "CONVERT int8 to float 10000",
	  NNPROG_OP_CONVERT,
	  &convert,
	  { Q8(10000) },
	  F32(10000),
	  NULL },
	{ "CONVERT float to int8 10000",
	  NNPROG_OP_CONVERT,
	  &convert,
	  { F32(10000) },
	  Q8(10000),
	  NULL },
	{ "SOFTMAX int8 2",
	  NNPROG_OP_SOFTMAX,
	  &softmax,
	  { Q8(1, 2) },
	  { NNPROG_INT8, { 1, 2 }, 1.0f / 256, -128 },
	  NULL },
	{ "SOFTMAX int8 12",
	  NNPROG_OP_SOFTMAX,
	  &softmax,
	  { Q8(1, 12) },
	  { NNPROG_INT8, { 1, 12 }, 1.0f / 256, -128 },
	  NULL },
	{ "SOFTMAX uint8 1001",
	  NNPROG_OP_SOFTMAX,
	  &softmax,
	  { U8(1, 1001) },
	  { NNPROG_UINT8, { 1, 1001 }, 1.0f / 256, 0 },
	  NULL },
	{ "SOFTMAX float32 1001", NNPROG_OP_SOFTMAX, &softmax, { F32(1, 1001) }, F32(1, 1001), NULL },
	{ "MEAN int8 7x7x1280",
	  NNPROG_OP_REDUCE,
	  &mean,
	  { Q8(1, 7, 7, 1280), S32(2) },
	  Q8(1, 1280),
	  VALUES(1, 2) },
	{ "MEAN float32 7x7x1280",
	  NNPROG_OP_REDUCE,
	  &mean,
	  { F32(1, 7, 7, 1280), S32(2) },
	  F32(1, 1280),
	  VALUES(1, 2) },
	{ "RESIZE bilinear u8 33x33 513x513x21",
	  NNPROG_OP_RESIZE,
	  &bilinear,
	  { U8(1, 33, 33, 21) },
	  U8(1, 513, 513, 21),
	  NULL },
	{ "RESIZE bilinear u8 65x65 65x65x256",
	  NNPROG_OP_RESIZE,
	  &bilinear,
	  { U8(1, 33, 33, 256) },
	  U8(1, 65, 65, 256),
	  NULL },
	{ "RESIZE bilinear i8 240x320 224x224x3",
	  NNPROG_OP_RESIZE,
	  &bilinear,
	  { Q8(1, 240, 320, 3) },
	  Q8(1, 224, 224, 3),
	  NULL },
	{ "RESIZE bilinear f32 24x24 48x48x64",
	  NNPROG_OP_RESIZE,
	  &bilinear,
	  { F32(1, 24, 24, 64) },
	  F32(1, 48, 48, 64),
	  NULL },
	{ "RESIZE nearest u8 40x40 80x80x96",
	  NNPROG_OP_RESIZE,
	  &nearest,
	  { U8(1, 40, 40, 96) },
	  U8(1, 80, 80, 96),
	  NULL },
	{ "RESIZE nearest u8 112x112 224x224x3",
	  NNPROG_OP_RESIZE,
	  &nearest,
	  { U8(1, 112, 112, 3) },
	  U8(1, 224, 224, 3),
	  NULL },
	{ "PAD int8 56x56x24",
	  NNPROG_OP_PAD,
	  NULL,
	  { Q8(1, 56, 56, 24), S32(4, 2) },
	  Q8(1, 58, 58, 24),
	  VALUES(0, 0, 1, 1, 1, 1, 0, 0) },
	{ "CONCATENATION int8 28x28 16+24",
	  NNPROG_OP_CONCATENATION,
	  &last_axis,
	  { Q8(784, 16), Q8(784, 24) },
	  Q8(784, 40),
	  NULL },
	{ "CONCATENATION int8 28x28 16+24 scaled",
	  NNPROG_OP_CONCATENATION,
	  &last_axis,
	  { Q8(784, 16), Q8(784, 24) },
	  Q8_OUT(784, 40),
	  NULL },
	{ "TRANSPOSE int8 3x224x224 to NHWC",
	  NNPROG_OP_TRANSPOSE,
	  NULL,
	  { Q8(1, 3, 224, 224), S32(4) },
	  Q8(1, 224, 224, 3),
	  VALUES(0, 2, 3, 1) },
	{ "TRANSPOSE int8 28x28x96 to NCHW",
	  NNPROG_OP_TRANSPOSE,
	  NULL,
	  { Q8(1, 28, 28, 96), S32(4) },
	  Q8(1, 96, 28, 28),
	  VALUES(0, 3, 1, 2) },
	{ "TRANSPOSE float32 28x28x96 to NCHW",
	  NNPROG_OP_TRANSPOSE,
	  NULL,
	  { F32(1, 28, 28, 96), S32(4) },
	  F32(1, 96, 28, 28),
	  VALUES(0, 3, 1, 2) },
	{ "ARG_MAX uint8 513x513x21",
	  NNPROG_OP_ARG_MINMAX,
	  &arg_max,
	  { U8(513, 513, 21) },
	  S32(513, 513),
	  NULL },
	{ "ARG_MAX int8 1x1001", NNPROG_OP_ARG_MINMAX, &arg_max, { Q8(1, 1001) }, S32(1), NULL },
};

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.1;

	printf("%-34s %12s %8s\n", "operation", "ns", "el/ns");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 2 && !strstr(cases[i].name, argv[2]))
			continue;
		measure(&cases[i], seconds);
		fflush(stdout);
	}
	return 0;
}
