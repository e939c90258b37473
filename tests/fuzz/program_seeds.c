// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control_programs.h"
#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "program_seeds.h"

struct maker {
	struct nnprog_builder *b;
	const char *name;
	uint32_t in[32], out[8], num_in, num_out;
};

static void check(const struct maker *m, int ok, const char *text)
{
	if (ok)
		return;
	fprintf(stderr, "seed %s: %s\n", m->name, text);
	exit(1);
}

static uint32_t put(struct maker *m, uint32_t dtype, uint32_t kind, float scale, int32_t zero_point,
		    const float *scales, const char *shape)
{
	struct nnprog_operand op = { .dtype = dtype, .scale = scale, .zero_point = zero_point };
	static uint32_t data[256];
	uint64_t size = 0;
	int n;

	/* "2,3,?": dims; "*": rank unknown; "": a scalar */
	if (*shape == '*') {
		op.shape.rank = NNPROG_RANK_UNKNOWN;
	} else {
		for (const char *s = shape; *s; s++) {
			char *end = (char *)s + 1;
			uint32_t dim = *s == '?' ? UNKNOWN : (uint32_t)strtoul(s, &end, 10);

			op.shape.dims[op.shape.rank++] = dim;
			s = end;
			if (!*s)
				break;
		}
	}
	if (scales) {
		op.scales = scales;
		op.num_scales = op.shape.dims[0];
		op.scale = 0;
	}
	if (kind == NNPROG_OMITTED)
		op.omitted = true;
	if (kind == NNPROG_CONST) {
		check(m, !nnprog_shape_bytes(&op.shape, dtype, &size) && size <= sizeof(data),
		      "constant");
		for (uint32_t i = 0; i < 256; i++)
			data[i] = dtype == NNPROG_FLOAT32 ? 0x3f000000u + i * 977
							  : (i + 1) * 0x01010101u;
		if (dtype == NNPROG_INT32)
			for (uint32_t i = 0; i < 256; i++)
				data[i] = i;
	}
	n = nnprog_builder_tensor(m->b, &op, kind, kind == NNPROG_CONST ? data : NULL, size);
	check(m, n >= 0, "tensor");
	if (kind == NNPROG_INPUT)
		m->in[m->num_in++] = (uint32_t)n;
	if (kind == NNPROG_OUTPUT)
		m->out[m->num_out++] = (uint32_t)n;
	return (uint32_t)n;
}

static uint32_t put_float(struct maker *m, uint32_t kind, const char *shape)
{
	return put(m, NNPROG_FLOAT32, kind, 0, 0, NULL, shape);
}

static uint32_t put_ints(struct maker *m, const int32_t *values, const char *shape)
{
	struct nnprog_operand op = { .dtype = NNPROG_INT32 };
	uint64_t size = 0;
	int n;

	for (const char *s = shape; *s; s++)
		if (*s != ',')
			op.shape.dims[op.shape.rank++] = (uint32_t)(*s - '0');
	check(m, !nnprog_shape_bytes(&op.shape, NNPROG_INT32, &size), "values");
	n = nnprog_builder_tensor(m->b, &op, NNPROG_CONST, values, size);
	check(m, n >= 0, "values");
	return (uint32_t)n;
}

#define OP(m, opcode, attrs, outs, num_outs, ...)                                                 \
	do {                                                                                      \
		uint32_t list_[] = { __VA_ARGS__ };                                               \
		struct nnprog_error err_ = { .text = "" };                                        \
		size_t size_ = nnprog_op_find(opcode)->attrs_size;                                \
		check(m,                                                                          \
		      !nnprog_builder_operation((m)->b, opcode, attrs, size_, list_,              \
						sizeof(list_) / sizeof(list_[0]), outs, num_outs, \
						NULL, &err_),                                     \
		      err_.text);                                                                 \
	} while (0)

static void conv(struct maker *m, bool quantized, bool depthwise, const char *input)
{
	static const float scales[4] = { 0.01f, 0.02f, 0.03f, 0.04f };
	struct nnprog_attr_conv2d attr = { .padding = NNPROG_PAD_SAME,
					   .stride_w = 1,
					   .stride_h = 2,
					   .dilation_w = 1,
					   .dilation_h = 1,
					   .activation = NNPROG_ACT_RELU6 };
	const char *shape = depthwise ? "1,3,3,4" : "4,3,3,2";
	uint32_t x, f, b, y;

	attr.multiplier = depthwise ? 2 : 0;
	attr.groups = depthwise ? 0 : 1;
	if (quantized) {
		x = put(m, NNPROG_INT8, NNPROG_INPUT, 0.5f, 3, NULL, input);
		f = put(m, NNPROG_INT8, NNPROG_CONST, 0.01f, 0, depthwise ? NULL : scales, shape);
		b = put(m, NNPROG_INT32, NNPROG_CONST, depthwise ? 0.005f : 0, 0, NULL, "4");
		y = put(m, NNPROG_INT8, NNPROG_OUTPUT, 0.25f, -5, NULL, "*");
	} else {
		x = put_float(m, NNPROG_INPUT, input);
		f = put_float(m, NNPROG_CONST, shape);
		b = put_float(m, NNPROG_CONST, "4");
		y = put_float(m, NNPROG_OUTPUT, "*");
	}
	OP(m, depthwise ? NNPROG_OP_DEPTHWISE_CONV_2D : NNPROG_OP_CONV_2D, &attr, &y, 1, x, f, b);
}

static void seed_conv_float(struct maker *m)
{
	conv(m, false, false, "1,5,6,2");
}
static void seed_conv_int8(struct maker *m)
{
	conv(m, true, false, "1,5,6,2");
}
static void seed_conv_dynamic(struct maker *m)
{
	conv(m, true, false, "?,?,6,2");
}
static void seed_depthwise_float(struct maker *m)
{
	conv(m, false, true, "2,4,4,2");
}
static void seed_depthwise_int8(struct maker *m)
{
	conv(m, true, true, "1,?,4,2");
}

/** A small classifier: fully connected, softmax; pooling before. */
static void seed_classifier(struct maker *m)
{
	struct nnprog_attr_pool2d pool = { .kind = NNPROG_POOL_AVERAGE,
					   .padding = NNPROG_PAD_VALID,
					   .stride_w = 2,
					   .stride_h = 2,
					   .filter_w = 2,
					   .filter_h = 2 };
	struct nnprog_attr_act act = { .activation = NNPROG_ACT_NONE };
	struct nnprog_attr_softmax softmax = { .beta = 1, .axis = -1 };
	struct nnprog_attr_convert convert = { .kind = NNPROG_CONVERT_REAL };
	struct nnprog_attr_arg_minmax arg = { .axis = -1 };
	uint32_t x = put(m, NNPROG_UINT8, NNPROG_INPUT, 0.1f, 10, NULL, "2,4,4,1");
	uint32_t p = put(m, NNPROG_UINT8, NNPROG_TEMP, 0.1f, 10, NULL, "*");
	uint32_t r = put(m, NNPROG_UINT8, NNPROG_TEMP, 0.1f, 10, NULL, "*");
	uint32_t w = put(m, NNPROG_UINT8, NNPROG_CONST, 0.05f, 128, NULL, "3,4");
	uint32_t b = put(m, NNPROG_INT32, NNPROG_CONST, 0.1f * 0.05f, 0, NULL, "3");
	uint32_t l = put(m, NNPROG_UINT8, NNPROG_TEMP, 0.2f, 100, NULL, "*");
	uint32_t f = put_float(m, NNPROG_TEMP, "*");
	uint32_t y = put_float(m, NNPROG_OUTPUT, "*");
	uint32_t best = put(m, NNPROG_INT32, NNPROG_OUTPUT, 0, 0, NULL, "*");
	uint32_t s = put_ints(m, (const int32_t[]){ 2, -1 }, "2");

	OP(m, NNPROG_OP_POOL_2D, &pool, &p, 1, x);
	OP(m, NNPROG_OP_RESHAPE, NULL, &r, 1, p, s);
	OP(m, NNPROG_OP_FULLY_CONNECTED, &act, &l, 1, r, w, b);
	OP(m, NNPROG_OP_CONVERT, &convert, &f, 1, l);
	OP(m, NNPROG_OP_SOFTMAX, &softmax, &y, 1, f);
	OP(m, NNPROG_OP_ARG_MINMAX, &arg, &best, 1, y);
}

/** Broadcast, unary, reduction over axes that are an input. */
static void arithmetic(struct maker *m, const char *a, const char *b)
{
	struct nnprog_attr_binary mul = { .kind = NNPROG_BINARY_MUL,
					  .activation = NNPROG_ACT_RELU };
	struct nnprog_attr_unary unary = { .kind = NNPROG_UNARY_HARD_SWISH };
	struct nnprog_attr_reduce reduce = { .kind = NNPROG_REDUCE_MEAN, .keep_dims = 1 };
	uint32_t x = put_float(m, NNPROG_INPUT, a), y = put_float(m, NNPROG_INPUT, b);
	uint32_t axes = put(m, NNPROG_INT32, NNPROG_INPUT, 0, 0, NULL, "2");
	uint32_t t = put_float(m, NNPROG_TEMP, "*"), u = put_float(m, NNPROG_TEMP, "*");
	uint32_t z = put_float(m, NNPROG_OUTPUT, "*");

	OP(m, NNPROG_OP_BINARY, &mul, &t, 1, x, y);
	OP(m, NNPROG_OP_UNARY, &unary, &u, 1, t);
	OP(m, NNPROG_OP_REDUCE, &reduce, &z, 1, u, axes);
}

static void seed_arithmetic(struct maker *m)
{
	arithmetic(m, "2,3,4", "3,1");
}
static void seed_arithmetic_dynamic(struct maker *m)
{
	arithmetic(m, "?,3,?", "*");
}

/** Padding, permutation, joining. */
static void movement(struct maker *m, bool values)
{
	struct nnprog_attr_axis axis = { .axis = 0 };
	uint32_t x = put(m, NNPROG_INT8, NNPROG_INPUT, 0.5f, 1, NULL, "2,3");
	uint32_t pads = values ? put(m, NNPROG_INT32, NNPROG_INPUT, 0, 0, NULL, "2,2")
			       : put_ints(m, (const int32_t[]){ 1, 0, 0, 2 }, "2,2");
	uint32_t perm = values ? put(m, NNPROG_INT32, NNPROG_INPUT, 0, 0, NULL, "2")
			       : put_ints(m, (const int32_t[]){ 1, 0 }, "2");
	uint32_t none = put(m, NNPROG_INT8, NNPROG_OMITTED, 0, 0, NULL, "");
	uint32_t p = put(m, NNPROG_INT8, NNPROG_TEMP, 0.5f, 1, NULL, "*");
	uint32_t t = put(m, NNPROG_INT8, NNPROG_TEMP, 0.5f, 1, NULL, "*");
	uint32_t y = put(m, NNPROG_INT8, NNPROG_OUTPUT, 0.5f, 1, NULL, "*");

	OP(m, NNPROG_OP_PAD, NULL, &p, 1, x, pads, none);
	OP(m, NNPROG_OP_TRANSPOSE, NULL, &t, 1, p, perm);
	OP(m, NNPROG_OP_CONCATENATION, &axis, &y, 1, t, t);
}

static void seed_movement(struct maker *m)
{
	movement(m, false);
}
static void seed_movement_dynamic(struct maker *m)
{
	movement(m, true);
}

/** Elements of 1 and 2 bytes: what FILL takes from its second input alone. */
static void seed_fill(struct maker *m)
{
	uint32_t dims = put(m, NNPROG_INT32, NNPROG_INPUT, 0, 0, NULL, "2");
	uint32_t code = put(m, NNPROG_INT8, NNPROG_INPUT, 0.5f, 1, NULL, "");
	uint32_t half = put(m, NNPROG_FLOAT16, NNPROG_INPUT, 0, 0, NULL, "1");
	uint32_t x = put(m, NNPROG_INT8, NNPROG_OUTPUT, 0.5f, 1, NULL, "*");
	uint32_t y = put(m, NNPROG_FLOAT16, NNPROG_OUTPUT, 0, 0, NULL, "*");

	OP(m, NNPROG_OP_FILL, NULL, &x, 1, dims, code);
	OP(m, NNPROG_OP_FILL, NULL, &y, 1, dims, half);
}

static void resize(struct maker *m, uint32_t kind, const char *shape)
{
	struct nnprog_attr_resize attr = {
		.kind = kind, .half_pixel_centers = 1, .scale_h = 1.5f, .scale_w = 0.7f
	};
	uint32_t x = put_float(m, NNPROG_INPUT, shape);
	uint32_t none = put(m, NNPROG_INT32, NNPROG_OMITTED, 0, 0, NULL, "");
	uint32_t y = put_float(m, NNPROG_OUTPUT, "*");

	OP(m, NNPROG_OP_RESIZE, &attr, &y, 1, x, none);
}

static void seed_resize(struct maker *m)
{
	resize(m, NNPROG_RESIZE_BILINEAR, "1,4,5,2");
}
static void seed_resize_dynamic(struct maker *m)
{
	resize(m, NNPROG_RESIZE_NEAREST, "1,?,?,2");
}

/** 2 steps of a batch of 1, 3 inputs, 2 units. */
static void lstm(struct maker *m, const char *input)
{
	struct nnprog_attr_lstm attr = { .activation = 4, .cell_clip = 3 };
	uint32_t x = put_float(m, NNPROG_INPUT, input);
	uint32_t none = put_float(m, NNPROG_OMITTED, "");
	uint32_t wi = put_float(m, NNPROG_CONST, "2,3"), wf = put_float(m, NNPROG_CONST, "2,3");
	uint32_t wc = put_float(m, NNPROG_CONST, "2,3"), wo = put_float(m, NNPROG_CONST, "2,3");
	uint32_t ri = put_float(m, NNPROG_CONST, "2,2"), rf = put_float(m, NNPROG_CONST, "2,2");
	uint32_t rc = put_float(m, NNPROG_CONST, "2,2"), ro = put_float(m, NNPROG_CONST, "2,2");
	uint32_t b = put_float(m, NNPROG_CONST, "2");
	uint32_t h = put_float(m, NNPROG_INPUT, "1,2"), c = put_float(m, NNPROG_INPUT, "1,2");
	uint32_t out[3] = { put_float(m, NNPROG_OUTPUT, "*"), put_float(m, NNPROG_OUTPUT, "*"),
			    put_float(m, NNPROG_OUTPUT, "*") };

	OP(m, NNPROG_OP_SEQUENCE_LSTM, &attr, out, 3, x, wi, wf, wc, wo, ri, rf, rc, ro, none, none,
	   none, b, b, b, b, none, none, h, c, none, none, none, none);
}

static void seed_lstm(struct maker *m)
{
	lstm(m, "1,2,3");
}
static void seed_lstm_dynamic(struct maker *m)
{
	lstm(m, "1,?,3");
}

/** A shape that another operation computes. */
static void seed_computed_shape(struct maker *m)
{
	struct nnprog_attr_binary add = { .kind = NNPROG_BINARY_ADD };
	uint32_t x = put_float(m, NNPROG_INPUT, "12");
	uint32_t a = put(m, NNPROG_INT32, NNPROG_INPUT, 0, 0, NULL, "2");
	uint32_t t = put(m, NNPROG_INT32, NNPROG_TEMP, 0, 0, NULL, "*");
	uint32_t u = put_float(m, NNPROG_TEMP, "*"), y = put_float(m, NNPROG_OUTPUT, "*");
	uint32_t c = put_ints(m, (const int32_t[]){ 2, 3 }, "2");

	OP(m, NNPROG_OP_BINARY, &add, &t, 1, a, c);
	OP(m, NNPROG_OP_RESHAPE, NULL, &u, 1, x, t);
	OP(m, NNPROG_OP_BINARY, &add, &y, 1, u, u);
}

static const struct {
	const char *name;
	void (*make)(struct maker *m);
} makers[] = {
	{ "conv-float", seed_conv_float },
	{ "conv-int8", seed_conv_int8 },
	{ "conv-dynamic", seed_conv_dynamic },
	{ "depthwise-float", seed_depthwise_float },
	{ "depthwise-int8", seed_depthwise_int8 },
	{ "classifier", seed_classifier },
	{ "arithmetic", seed_arithmetic },
	{ "arithmetic-dynamic", seed_arithmetic_dynamic },
	{ "movement", seed_movement },
	{ "movement-dynamic", seed_movement_dynamic },
	{ "fill", seed_fill },
	{ "resize", seed_resize },
	{ "resize-dynamic", seed_resize_dynamic },
	{ "lstm", seed_lstm },
	{ "lstm-dynamic", seed_lstm_dynamic },
	{ "computed-shape", seed_computed_shape },
};

static struct core_program seed_if(void)
{
	return program_if(5, 5);
}
static struct core_program seed_if_dynamic(void)
{
	return program_if(UNKNOWN, UNKNOWN);
}
static struct core_program seed_loop(void)
{
	return program_count(3, 3);
}
static struct core_program seed_loop_dynamic(void)
{
	return program_count(UNKNOWN, UNKNOWN);
}
static struct core_program seed_loop_grows(void)
{
	return program_grow(UNKNOWN);
}

/** Several subgraphs: tests/unit/control_programs.c. */
static const struct {
	const char *name;
	struct core_program (*make)(void);
} control[] = {
	{ "if", seed_if },
	{ "if-dynamic", seed_if_dynamic },
	{ "loop", seed_loop },
	{ "loop-dynamic", seed_loop_dynamic },
	{ "loop-grows", seed_loop_grows },
	{ "loop-nested", program_nested },
	{ "loop-endless", program_endless },
};

size_t program_seeds(struct fuzz_seed **seeds)
{
	size_t count = 0;

	*seeds = NULL;
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		struct maker m = { .b = nnprog_builder_create(), .name = makers[i].name };
		struct nnprog_error err = { .text = "" };
		void *bytes;
		size_t size;

		check(&m, m.b && nnprog_builder_subgraph(m.b, m.name) == 0, "out of memory");
		makers[i].make(&m);
		check(&m, !nnprog_builder_io(m.b, m.in, m.num_in, m.out, m.num_out), "io");
		check(&m, !nnprog_builder_finish(m.b, &bytes, &size, &err), err.text);
		fuzz_add_seed(seeds, &count, m.name, bytes, size);
		free(bytes);
		nnprog_builder_destroy(m.b);
	}
	for (size_t i = 0; i < sizeof(control) / sizeof(control[0]); i++) {
		struct core_program p = control[i].make();

		fuzz_add_seed(seeds, &count, control[i].name, p.bytes, p.size);
		free(p.bytes);
	}
	return count;
}
