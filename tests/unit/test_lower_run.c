// SPDX-License-Identifier: Apache-2.0
/*
 * What lowered models compute, on the firmware's core: results known by hand, and that fusion keeps
 * them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lower_run.h"
#include "test_case.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* 3x3 of 1..9, filter 1 2 / 3 4, bias 1: 38 48 / 68 78; average 58; to +58, -58; RELU. */
static struct nnmodel *conv_net(void)
{
	struct nnmodel *m = nnmodel_new();

	spec_operand(m, "F32:1x3x3x1");
	spec_operand(m, "F32:1x2x2x1=1,2,3,4");
	spec_operand(m, "F32:1=1");
	spec_operand(m, "i=2");
	spec_operand(m, "i=1");
	spec_operand(m, "i=0");
	spec_operand(m, "F32:1x2x2x1"); /* 6 */
	spec_operand(m, "F32:1x1x1x1"); /* 7 */
	spec_operand(m, "F32:2x1=1,-1");
	spec_operand(m, "F32:2=0,0");
	spec_operand(m, "F32:1x2"); /* 10 */
	spec_operand(m, "F32:1x2"); /* 11 */
	m->main.operands[6].lifetime = m->main.operands[7].lifetime =
		m->main.operands[10].lifetime = NNMODEL_TEMPORARY_VARIABLE;
	m->main.operands[11].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, NNMODEL_CONV_2D, IN(0, 1, 2, 3, 4, 4, 5), IN(6));
	spec_op(m, NNMODEL_AVERAGE_POOL_2D, IN(6, 3, 4, 4, 3, 3, 5), IN(7));
	spec_op(m, NNMODEL_FULLY_CONNECTED, IN(7, 8, 9, 5), IN(10));
	spec_op(m, NNMODEL_RELU, IN(10), IN(11));
	spec_set_io(m);
	return m;
}

TEST(test_conv_net)
{
	const float x[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct nnmodel *m = conv_net();
	float y[2], image[4];

	run_model(m, BUFFERS(BUFFER(x)), BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 58, 0 }, 2);
	/* the convolution's own result as well */
	m->main.operands[6].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_set_io(m);
	run_model(m, BUFFERS(BUFFER(x)), BUFFERS(BUFFER(image), BUFFER(y)));
	expect_floats(image, (float[]){ 38, 48, 68, 78 }, 4);
	/* and with the input's extents given by the run */
	m->main.operands[6].dims[1] = m->main.operands[7].dims[1] = m->main.operands[0].dims[1] = 0;
	run_model(m, BUFFERS(SHAPED(x, 4, 1, 3, 3, 1)), BUFFERS(BUFFER(image), BUFFER(y)));
	expect_floats(y, (float[]){ 58, 0 }, 2);
	nnmodel_free(m);
}

TEST(test_quantized_conv)
{
	/*
	 * real 1..9 in halves from 10; filter 1..4 in quarters from 100; output in steps of 2 from
	 * 5
	 */
	const uint8_t x[9] = { 12, 14, 16, 18, 20, 22, 24, 26, 28 };
	uint8_t y[4];

	run_op(NNMODEL_CONV_2D,
	       "Q8:1x3x3x1@0.5,10 Q8:1x2x2x1@0.25,100=104,108,112,116 I32:1@0.125=8 i=2 i=1 "
	       "i=1 i=0",
	       "Q8:1x2x2x1@2,5", BUFFERS(BUFFER(x)), BUFFERS(BUFFER(y)));
	assert_memory_equal(y, ((uint8_t[]){ 24, 29, 39, 44 }), 4);
	/* the same per channel: scale 0.5, so the filter is 2 4 / 6 8, the bias in quarters */
	run_op(NNMODEL_CONV_2D, "Q8:1x3x3x1@0.5,10 QPC:1x2x2x1/0=2,4,6,8 I32:1=4 i=2 i=1 i=1 i=0",
	       "Q8:1x2x2x1@2,5", BUFFERS(BUFFER(x)), BUFFERS(BUFFER(y)));
	assert_memory_equal(y, ((uint8_t[]){ 24, 29, 39, 44 }), 4);
}

TEST(test_nchw)
{
	/* two channels: 1 2 / 3 4 and 10 20 / 30 40 */
	const float x[8] = { 1, 2, 3, 4, 10, 20, 30, 40 };
	const float nhwc[8] = { 1, 10, 2, 20, 3, 30, 4, 40 };
	float y[8];

	/* 1x1 convolution: channel sum, and channel 1 less channel 0 */
	run_op(NNMODEL_CONV_2D, "F32:1x2x2x2 F32:2x1x1x2=1,1,-1,1 F32:2=0,0 i=1 i=1 i=1 i=0 b=1",
	       "F32:1x2x2x2", BUFFERS(BUFFER(x)), BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 11, 22, 33, 44, 9, 18, 27, 36 }, 8);
	run_op(NNMODEL_CONV_2D, "F32:1x2x2x2 F32:2x1x1x2=1,1,-1,1 F32:2=0,0 i=1 i=1 i=1 i=0 b=0",
	       "F32:1x2x2x2", BUFFERS(BUFFER(nhwc)), BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 11, 9, 22, 18, 33, 27, 44, 36 }, 8);
	/* depthwise: each channel with its factor */
	run_op(NNMODEL_DEPTHWISE_CONV_2D,
	       "F32:1x2x2x2 F32:1x1x1x2=2,3 F32:2=0,1 i=1 i=1 i=1 i=1 i=0 b=1", "F32:1x2x2x2",
	       BUFFERS(BUFFER(x)), BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 2, 4, 6, 8, 31, 61, 91, 121 }, 8);
	run_op(NNMODEL_MAX_POOL_2D, "F32:1x2x2x2 i=2 i=1 i=1 i=2 i=1 i=0 b=1", "F32:1x2x2x1",
	       BUFFERS(BUFFER(x)), BUFFERS(BYTES(y, 16)));
	expect_floats(y, (float[]){ 2, 4, 20, 40 }, 4);
	/* groups of one channel */
	run_op(NNMODEL_GROUPED_CONV_2D,
	       "F32:1x2x2x2 F32:2x1x1x1=2,3 F32:2=0,1 i=1 i=1 i=1 i=2 i=0 b=1", "F32:1x2x2x2",
	       BUFFERS(BUFFER(x)), BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 2, 4, 6, 8, 31, 61, 91, 121 }, 8);
}

TEST(test_moving)
{
	const float x[6] = { 1, 2, 3, 4, 5, 6 };
	const int32_t ints[6] = { 1, 2, 3, 4, 5, 6 };
	const float odd[6] = { NAN, 0, INFINITY, -INFINITY, 1e-45f, -3 };
	const int32_t axes[2] = { 0, -1 };
	const uint8_t bytes[2] = { 8, 201 };
	float y[12];
	int32_t packed[12];
	uint8_t padded[5];

	run_op(NNMODEL_TRANSPOSE, "F32:2x3 I:2=1,0", "F32:3x2", BUFFERS(BUFFER(x)),
	       BUFFERS(BYTES(y, 24)));
	expect_floats(y, (float[]){ 1, 4, 2, 5, 3, 6 }, 6);
	/* shapes known only at run time */
	run_op(NNMODEL_SQUEEZE, "F32:0x1x0 I:1=1", "F32:0x0", BUFFERS(SHAPED(x, 3, 2, 1, 3)),
	       BUFFERS(BYTES(y, 24)));
	expect_floats(y, x, 6);
	run_op(NNMODEL_SQUEEZE, "Q8S:0x1x0 I:1=1", "Q8S:0x0", BUFFERS(SHAPED(bytes, 3, 2, 1, 1)),
	       BUFFERS(BYTES(padded, 2)));
	assert_memory_equal(padded, bytes, 2);
	/* axes known only at run time; every value is accepted */
	run_op(NNMODEL_SQUEEZE, "F32:1x6x1 I:2", "F32:6", BUFFERS(BUFFER(odd), BUFFER(axes)),
	       BUFFERS(BYTES(y, 24)));
	assert_memory_equal(y, odd, 24);
	run_op(NNMODEL_EXPAND_DIMS, "F32:0x0 i=-1", "F32:0x0x0", BUFFERS(SHAPED(x, 2, 2, 3)),
	       BUFFERS(BYTES(y, 24)));
	expect_floats(y, x, 6);
	run_op(NNMODEL_PACK, "i=1 I32:2x3 I32:2x3", "I32:2x2x3",
	       BUFFERS(BUFFER(ints), BUFFER(ints)), BUFFERS(BUFFER(packed)));
	assert_memory_equal(packed, ((int32_t[]){ 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6 }), 48);
	run_op(NNMODEL_PAD_V2, "Q8:2@0.5,3 I:1x2=1,2 i=200", "Q8:5@0.5,3", BUFFERS(BUFFER(bytes)),
	       BUFFERS(BUFFER(padded)));
	assert_memory_equal(padded, ((uint8_t[]){ 200, 8, 201, 200, 200 }), 5);
	run_op(NNMODEL_PAD, "Q8:2@0.5,3 I:1x2=1,2", "Q8:5@0.5,3", BUFFERS(BUFFER(bytes)),
	       BUFFERS(BUFFER(padded)));
	assert_memory_equal(padded, ((uint8_t[]){ 3, 8, 201, 3, 3 }), 5);
	/* width 4, height 1 */
	run_op(NNMODEL_RESIZE_NEAREST_NEIGHBOR, "F32:1x1x2x3 i=4 i=1 b=0", "F32:1x1x4x3",
	       BUFFERS(BUFFER(x)), BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6 }, 12);
	run_op(NNMODEL_RESIZE_NEAREST_NEIGHBOR, "F32:1x1x2x3 f=2 f=1 b=0", "F32:1x1x4x3",
	       BUFFERS(BUFFER(x)), BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6 }, 12);
}

TEST(test_reductions)
{
	const float x[6] = { 1, 2, 3, 6, 5, 4 };
	const uint8_t flags[4] = { 0, 7, 1, 1 };
	float y[3];
	int32_t n[2];
	uint8_t b[2];

	run_op(NNMODEL_MEAN, "F32:2x3 I:1=-1 i=0", "F32:2", BUFFERS(BUFFER(x)),
	       BUFFERS(BYTES(y, 8)));
	expect_floats(y, (float[]){ 2, 5 }, 2);
	run_op(NNMODEL_REDUCE_PROD, "F32:2x3 I:1=0 b=1", "F32:1x3", BUFFERS(BUFFER(x)),
	       BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 6, 10, 12 }, 3);
	run_op(NNMODEL_REDUCE_SUM, "F32:2x3 I:1=0 b=0", "F32:3", BUFFERS(BUFFER(x)),
	       BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 7, 7, 7 }, 3);
	run_op(NNMODEL_REDUCE_MAX, "F32:2x3 I:1=0 b=0", "F32:3", BUFFERS(BUFFER(x)),
	       BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 6, 5, 4 }, 3);
	run_op(NNMODEL_REDUCE_MIN, "F32:2x3 I:1=0 b=0", "F32:3", BUFFERS(BUFFER(x)),
	       BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 1, 2, 3 }, 3);
	run_op(NNMODEL_REDUCE_ALL, "B8:2x2 I:1=1 b=0", "B8:2", BUFFERS(BUFFER(flags)),
	       BUFFERS(BUFFER(b)));
	assert_memory_equal(b, ((uint8_t[]){ 0, 1 }), 2);
	run_op(NNMODEL_REDUCE_ANY, "B8:2x2 I:1=0 b=0", "B8:2", BUFFERS(BUFFER(flags)),
	       BUFFERS(BUFFER(b)));
	assert_memory_equal(b, ((uint8_t[]){ 1, 1 }), 2);
	run_op(NNMODEL_ARGMAX, "F32:2x3 i=1", "I32:2", BUFFERS(BUFFER(x)), BUFFERS(BUFFER(n)));
	assert_memory_equal(n, ((int32_t[]){ 2, 0 }), 8);
	run_op(NNMODEL_ARGMIN, "F32:2x3 i=-1", "I32:2", BUFFERS(BUFFER(x)), BUFFERS(BUFFER(n)));
	assert_memory_equal(n, ((int32_t[]){ 0, 2 }), 8);
}

TEST(test_elementwise)
{
	static const struct {
		uint32_t opcode;
		const char *in, *out;
		float want[2];
	} ops[] = {
		{ NNMODEL_RELU, "F32:2", "F32:2", { 0, 2 } },
		{ NNMODEL_RELU1, "F32:2", "F32:2", { -1, 1 } },
		{ NNMODEL_RELU6, "F32:2", "F32:2", { 0, 2 } },
		{ NNMODEL_ABS, "F32:2", "F32:2", { 3, 2 } },
		{ NNMODEL_NEG, "F32:2", "F32:2", { 3, -2 } },
		{ NNMODEL_FLOOR, "F32:2", "F32:2", { -3, 2 } },
		{ NNMODEL_LOGISTIC, "F32:2", "F32:2", { 0.047425873f, 0.88079708f } },
		{ NNMODEL_TANH, "F32:2", "F32:2", { -0.99505475f, 0.96402758f } },
		{ NNMODEL_EXP, "F32:2", "F32:2", { 0.049787068f, 7.3890561f } },
		{ NNMODEL_SIN, "F32:2", "F32:2", { -0.14112001f, 0.90929743f } },
		{ NNMODEL_ELU, "F32:2 f=2", "F32:2", { -1.9004259f, 2 } },
		{ NNMODEL_HARD_SWISH, "F32:2", "F32:2", { 0, 1.6666666f } },
		{ NNMODEL_ADD, "F32:2 F32:1=10 i=3", "F32:2", { 6, 6 } },
		{ NNMODEL_SUB, "F32:2 F32:1=10 i=0", "F32:2", { -13, -8 } },
		{ NNMODEL_MUL, "F32:2 F32:1=10 i=2", "F32:2", { -1, 1 } },
		{ NNMODEL_DIV, "F32:2 F32:1=10 i=1", "F32:2", { 0, 0.2f } },
		{ NNMODEL_SOFTMAX, "F32:2 f=0.2", "F32:2", { 0.26894142f, 0.73105858f } },
		{ NNMODEL_LOG_SOFTMAX, "F32:2 f=0.2 i=0", "F32:2", { -1.3132617f, -0.31326169f } },
	};
	static const struct {
		uint32_t opcode;
		float want[2];
	} positive[] = {
		{ NNMODEL_LOG, { 0, 1.3862944f } },
		{ NNMODEL_SQRT, { 1, 2 } },
		{ NNMODEL_RSQRT, { 1, 0.5f } },
	};
	const float x[2] = { -3, 2 }, p[2] = { 1, 4 };
	const uint8_t flags[2] = { 0, 3 };
	uint8_t inverted[2];
	int32_t cast[2];
	float y[2];

	for (size_t i = 0; i < SIZE(ops); i++) {
		run_op(ops[i].opcode, ops[i].in, ops[i].out, BUFFERS(BUFFER(x)),
		       BUFFERS(BUFFER(y)));
		expect_floats(y, ops[i].want, 2);
	}
	for (size_t i = 0; i < SIZE(positive); i++) {
		run_op(positive[i].opcode, "F32:2", "F32:2", BUFFERS(BUFFER(p)),
		       BUFFERS(BUFFER(y)));
		expect_floats(y, positive[i].want, 2);
	}
	run_op(NNMODEL_LOGICAL_NOT, "B8:2", "B8:2", BUFFERS(BUFFER(flags)),
	       BUFFERS(BUFFER(inverted)));
	assert_memory_equal(inverted, ((uint8_t[]){ 1, 0 }), 2);
	run_op(NNMODEL_CAST, "F32:2", "I32:2", BUFFERS(BUFFER(x)), BUFFERS(BUFFER(cast)));
	assert_memory_equal(cast, ((int32_t[]){ -3, 2 }), 8);
}

/* One unit, one step, no weights: the biases tell the gates apart. */
TEST(test_lstm)
{
	const float x[1] = { 7 }, h[1] = { 0 }, c[1] = { 0.5f };
	const float i = 1 / (1 + expf(-0.1f)), f = 1 / (1 + expf(-0.2f)), o = 1 / (1 + expf(-0.4f));
	const float cell = f * 0.5f + i * tanhf(0.3f);
	float y[1], h_out[1], c_out[1];

#define W "F32:1x1=0 "
	run_op(NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM,
	       "F32:1x1x1 " W W W W W W W W "~F32 ~F32 ~F32 F32:1=0.1 "
	       "F32:1=0.2 F32:1=0.3 F32:1=0.4 ~F32 ~F32 F32:1x1 F32:1x1 i=4 f=0 f=0 b=0 ~F32 ~F32 ~F32 ~F32",
	       "F32:1x1x1 F32:1x1 F32:1x1", BUFFERS(BUFFER(x), BUFFER(h), BUFFER(c)),
	       BUFFERS(BUFFER(y), BUFFER(h_out), BUFFER(c_out)));
	expect_floats(c_out, &cell, 1);
	expect_floats(y, (float[]){ o * tanhf(cell) }, 1);
	expect_floats(h_out, y, 1);
}

/*
 * A writer, then an activation of its result. Compiled twice: fused, and with the result in between
 * kept by making it an output. The same bits must come.
 */
static void compare_fused(uint32_t opcode, const char *in, const char *between, uint32_t relu,
			  size_t in_size, size_t out_size, bool floats)
{
	uint8_t x[256], fused[256], plain[256], middle[256];
	struct nnmodel *m = spec_model(opcode, in, between);
	const uint32_t n = m->main.num_operands - 1, out = spec_operand(m, between);
	struct nnhal_lowered program;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;

	assert_true(in_size <= sizeof(x) && out_size <= sizeof(fused));
	for (size_t i = 0; i < in_size; i++)
		x[i] = (uint8_t)(i * 37 + 11);
	for (size_t i = 0; floats && i < in_size / 4; i++)
		((float *)x)[i] = (float)((int)(i * 37 % 23) - 11) * 0.75f;
	m->main.operands[n].lifetime = NNMODEL_TEMPORARY_VARIABLE;
	m->main.operands[out].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, relu, IN((int)n), IN((int)out));
	spec_set_io(m);
	assert_int_equal(spec_lower(m, &program, &err), 0);
	assert_null(strchr(spec_program_ops(&program), ' '));
	free(program.bytes);
	run_model(m, BUFFERS(BYTES(x, in_size)), BUFFERS(BYTES(fused, out_size)));
	m->main.operands[n].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_set_io(m);
	assert_int_equal(spec_lower(m, &program, &err), 0);
	assert_non_null(strchr(spec_program_ops(&program), ' '));
	free(program.bytes);
	run_model(m, BUFFERS(BYTES(x, in_size)),
		  BUFFERS(BYTES(middle, out_size), BYTES(plain, out_size)));
	assert_memory_equal(fused, plain, out_size);
	/* the activation has changed a value */
	assert_memory_not_equal(middle, plain, out_size);
	nnmodel_free(m);
}

TEST(test_fused_activations)
{
	static const uint32_t relus[] = { NNMODEL_RELU, NNMODEL_RELU1, NNMODEL_RELU6 };

	for (size_t i = 0; i < SIZE(relus); i++) {
		compare_fused(NNMODEL_ADD, "Q8:128@0.1,90 Q8:1@0.2,3=9 i=0", "Q8:128@0.11,110",
			      relus[i], 128, 128, false);
		compare_fused(NNMODEL_MUL, "Q8S:128@0.1,3 Q8S:1@0.2,3=-40 i=0", "Q8S:128@0.9,-5",
			      relus[i], 128, 128, false);
		compare_fused(NNMODEL_SUB, "F32:64 F32:1=0.5 i=0", "F32:64", relus[i], 256, 256,
			      true);
		compare_fused(NNMODEL_CONV_2D,
			      "Q8:1x4x4x4@0.1,120 Q8:4x1x1x4@0.05,128=1,200,77,128,9,255,0,31,"
			      "128,129,3,64,250,17,90,180 I32:4@0.005=5,-500,900,0 i=1 i=1 i=1 i=0",
			      "Q8:1x4x4x4@0.3,100", relus[i], 64, 64, false);
		compare_fused(NNMODEL_TRANSPOSE_CONV_2D,
			      "Q8:1x4x4x4@0.1,120 Q8:1x1x1x4@0.05,128=1,200,77,128 "
			      "I32:1@0.005=5 i=0 i=0 i=0 i=0 i=1 i=1 i=0 b=0",
			      "Q8:1x4x4x1@0.3,100", relus[i], 64, 16, false);
		compare_fused(NNMODEL_AVERAGE_POOL_2D, "Q8:1x4x4x4@0.1,120 i=2 i=2 i=2 i=2 i=2 i=0",
			      "Q8:1x2x2x4@0.1,120", relus[i], 64, 16, false);
	}
}

/*
 * DEQUANTIZE, QUANTIZE as one conversion: the same but where the exact quotient is a tie, then one
 * step.
 */
TEST(test_requantize)
{
	static const struct {
		float from, to;
		int from_zero, to_zero;
		const char *in, *out;
	} pairs[] = {
		{ 0.5f, 0.5f, 0, -128, "Q8:256@0.5,0", "Q8S:256@0.5,-128" },
		{ 0.0078125f, 0.0078125f, 128, 0, "Q8:256@0.0078125,128", "Q8S:256@0.0078125,0" },
		{ 0.1f, 0.07f, 3, -20, "Q8:256@0.1,3", "Q8S:256@0.07,-20" },
		{ 0.5f, 1, 3, 4, "Q8:256@0.5,3", "Q8S:256@1,4" },
		{ 0.0235f, 0.31f, 250, 127, "Q8:256@0.0235,250", "Q8S:256@0.31,127" },
	};
	float real[256];
	uint8_t x[256];
	int8_t fused[256], plain[256];

	for (int i = 0; i < 256; i++)
		x[i] = (uint8_t)i;
	for (size_t p = 0; p < SIZE(pairs); p++) {
		struct nnmodel *m = nnmodel_new();

		spec_operand(m, pairs[p].in);
		spec_operand(m, "F32:256");
		spec_operand(m, pairs[p].out);
		m->main.operands[1].lifetime = NNMODEL_TEMPORARY_VARIABLE;
		m->main.operands[2].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
		spec_op(m, NNMODEL_DEQUANTIZE, IN(0), IN(1));
		spec_op(m, NNMODEL_QUANTIZE, IN(1), IN(2));
		spec_set_io(m);
		run_model(m, BUFFERS(BUFFER(x)), BUFFERS(BUFFER(fused)));
		m->main.operands[1].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
		spec_set_io(m);
		run_model(m, BUFFERS(BUFFER(x)), BUFFERS(BUFFER(real), BUFFER(plain)));
		for (int i = 0; i < 256; i++) {
			const double exact = (double)(i - pairs[p].from_zero) *
					     (double)pairs[p].from / (double)pairs[p].to;
			const bool tie = fabs(fabs(exact - trunc(exact)) - 0.5) < 1e-5;

			assert_true(abs(fused[i] - plain[i]) <= tie);
		}
		nnmodel_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conv_net),   cmocka_unit_test(test_quantized_conv),
		cmocka_unit_test(test_nchw),	   cmocka_unit_test(test_moving),
		cmocka_unit_test(test_reductions), cmocka_unit_test(test_elementwise),
		cmocka_unit_test(test_lstm),	   cmocka_unit_test(test_fused_activations),
		cmocka_unit_test(test_requantize),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
