// SPDX-License-Identifier: Apache-2.0
/*
 * Results of lowered operations where lowering decides them: order of operands, layouts, links,
 * omissions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lower_run.h"
#include "test_case.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const float six[6] = { 1, 2, 3, 4, 5, 6 };

TEST(test_choices)
{
	static const struct {
		uint32_t opcode;
		uint8_t want[3];
	} compares[] = {
		{ NNMODEL_EQUAL, { 0, 1, 0 } },	  { NNMODEL_NOT_EQUAL, { 1, 0, 1 } },
		{ NNMODEL_GREATER, { 0, 0, 1 } }, { NNMODEL_GREATER_EQUAL, { 0, 1, 1 } },
		{ NNMODEL_LESS, { 1, 0, 0 } },	  { NNMODEL_LESS_EQUAL, { 1, 1, 0 } },
	};
	static const struct {
		uint32_t opcode;
		float want[3];
	} pairs[] = {
		{ NNMODEL_MAXIMUM, { 2, 2, 3 } },
		{ NNMODEL_MINIMUM, { 1, 2, 2 } },
		{ NNMODEL_POW, { 1, 4, 9 } },
	};
	const float below[3] = { -1, 2, -3 }, other[3] = { 7, 8, 9 };
	const uint8_t flags[3] = { 0, 9, 0 }, others[3] = { 0, 0, 1 };
	uint8_t b[3];
	float y[3];

	for (size_t i = 0; i < SIZE(compares); i++) {
		run_op(compares[i].opcode, "F32:3 F32:1=2", "B8:3", BUFFERS(BYTES(six, 12)),
		       BUFFERS(BUFFER(b)));
		assert_memory_equal(b, compares[i].want, 3);
	}
	for (size_t i = 0; i < SIZE(pairs); i++) {
		run_op(pairs[i].opcode, "F32:3 F32:1=2", "F32:3", BUFFERS(BYTES(six, 12)),
		       BUFFERS(BUFFER(y)));
		expect_floats(y, pairs[i].want, 3);
	}
	run_op(NNMODEL_PRELU, "F32:3 F32:3=10,10,20", "F32:3", BUFFERS(BUFFER(below)),
	       BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ -10, 2, -60 }, 3);
	run_op(NNMODEL_SELECT, "B8:3 F32:3 F32:3", "F32:3",
	       BUFFERS(BUFFER(flags), BUFFER(below), BUFFER(other)), BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 7, 2, 9 }, 3);
	run_op(NNMODEL_LOGICAL_AND, "B8:3 B8:3=1,1,1", "B8:3", BUFFERS(BUFFER(flags)),
	       BUFFERS(BUFFER(b)));
	assert_memory_equal(b, ((uint8_t[]){ 0, 1, 0 }), 3);
	run_op(NNMODEL_LOGICAL_OR, "B8:3 B8:3", "B8:3", BUFFERS(BUFFER(flags), BUFFER(others)),
	       BUFFERS(BUFFER(b)));
	assert_memory_equal(b, ((uint8_t[]){ 0, 1, 1 }), 3);
}

TEST(test_parts)
{
	const int32_t lookups[2] = { 1, 0 }, keys[3] = { 4, 7, 9 }, wanted[2] = { 9, 5 };
	const float tied[4] = { 3, 1, 3, 2 };
	float y[12], z[12];
	uint8_t hits[2];
	int32_t n[2];

	run_op(NNMODEL_SLICE, "F32:2x3 I:2=0,1 I:2=-1,2", "F32:2x2", BUFFERS(BUFFER(six)),
	       BUFFERS(BYTES(y, 16)));
	expect_floats(y, (float[]){ 2, 3, 5, 6 }, 4);
	/*
	 * the first mask is the begin's: row 0; the second the end's: to the last column; the third
	 * drops rows
	 */
	run_op(NNMODEL_STRIDED_SLICE, "F32:2x3 I:2=1,1 I:2=1,2 I:2=1,1 i=1 i=2 i=1", "F32:2",
	       BUFFERS(BUFFER(six)), BUFFERS(BYTES(y, 8)));
	expect_floats(y, (float[]){ 2, 3 }, 2);
	run_op(NNMODEL_SPLIT, "F32:2x3 i=-1 i=3", "F32:2x1 F32:2x1 F32:2x1", BUFFERS(BUFFER(six)),
	       BUFFERS(BYTES(y, 8), BYTES(y + 2, 8), BYTES(y + 4, 8)));
	expect_floats(y, (float[]){ 1, 4, 2, 5, 3, 6 }, 6);
	run_op(NNMODEL_GATHER, "F32:2x3 i=1 I:2=2,0", "F32:2x2", BUFFERS(BUFFER(six)),
	       BUFFERS(BYTES(y, 16)));
	expect_floats(y, (float[]){ 3, 1, 6, 4 }, 4);
	run_op(NNMODEL_EMBEDDING_LOOKUP, "I:2 F32:2x3", "F32:2x3",
	       BUFFERS(BUFFER(lookups), BUFFER(six)), BUFFERS(BYTES(y, 24)));
	expect_floats(y, (float[]){ 4, 5, 6, 1, 2, 3 }, 6);
	run_op(NNMODEL_HASHTABLE_LOOKUP, "I:2 I:3 F32:3x2", "F32:2x2 Q8:2@1",
	       BUFFERS(BUFFER(wanted), BUFFER(keys), BUFFER(six)),
	       BUFFERS(BYTES(y, 16), BUFFER(hits)));
	expect_floats(y, (float[]){ 5, 6, 0, 0 }, 4);
	assert_memory_equal(hits, ((uint8_t[]){ 1, 0 }), 2);
	run_op(NNMODEL_TILE, "F32:1x3 I:2=2,2", "F32:2x6", BUFFERS(BYTES(six, 12)),
	       BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3 }, 12);
	run_op(NNMODEL_TOPK_V2, "F32:4 i=2", "F32:2 I:2", BUFFERS(BUFFER(tied)),
	       BUFFERS(BYTES(y, 8), BUFFER(n)));
	expect_floats(y, (float[]){ 3, 3 }, 2);
	assert_memory_equal(n, ((int32_t[]){ 2, 0 }), 8);
	run_op(NNMODEL_REVERSE, "F32:2x3 I:1=1", "F32:2x3", BUFFERS(BUFFER(six)),
	       BUFFERS(BYTES(y, 24)));
	expect_floats(y, (float[]){ 3, 2, 1, 6, 5, 4 }, 6);
	run_op(NNMODEL_MIRROR_PAD, "F32:3 I:1x2=2,2 i=0", "F32:7", BUFFERS(BYTES(six, 12)),
	       BUFFERS(BYTES(y, 28)));
	run_op(NNMODEL_MIRROR_PAD, "F32:3 I:1x2=2,2 i=1", "F32:7", BUFFERS(BYTES(six, 12)),
	       BUFFERS(BYTES(z, 28)));
	expect_floats(y, (float[]){ 3, 2, 1, 2, 3, 2, 1 }, 7);
	expect_floats(z, (float[]){ 2, 1, 1, 2, 3, 3, 2 }, 7);
	run_op(NNMODEL_FILL, "I:2=2,1 f=1.5", "F32:2x1", BUFFERS(DONE), BUFFERS(BYTES(y, 8)));
	expect_floats(y, (float[]){ 1.5f, 1.5f }, 2);
	run_op(NNMODEL_RANK, "F32:1x2x3", "i", BUFFERS(BUFFER(six)), BUFFERS(BYTES(n, 4)));
	assert_int_equal(n[0], 3);
}

TEST(test_layouts)
{
	/* [1,2,2,2], then the same in [N,C,H,W] */
	const float nhwc[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, nchw[8] = { 1, 3, 5, 7, 2, 4, 6, 8 };
	const int32_t shape[4] = { 1, 1, 2, 4 };
	float y[8], z[8];

	run_op(NNMODEL_SPACE_TO_DEPTH, "F32:1x2x2x2 i=2", "F32:1x1x1x8", BUFFERS(BUFFER(nhwc)),
	       BUFFERS(BUFFER(y)));
	expect_floats(y, nhwc, 8);
	run_op(NNMODEL_SPACE_TO_DEPTH, "F32:1x2x2x2 i=2 b=1", "F32:1x8x1x1", BUFFERS(BUFFER(nchw)),
	       BUFFERS(BUFFER(y)));
	expect_floats(y, nhwc, 8);
	run_op(NNMODEL_DEPTH_TO_SPACE, "F32:1x8x1x1 i=2 b=1", "F32:1x2x2x2", BUFFERS(BUFFER(nhwc)),
	       BUFFERS(BUFFER(y)));
	expect_floats(y, nchw, 8);
	/* a block is height, width in either layout */
	run_op(NNMODEL_SPACE_TO_BATCH_ND, "F32:1x2x2x2 I:2=1,2 I:2x2=0,0,0,0 b=1", "F32:2x2x2x1",
	       BUFFERS(BUFFER(nchw)), BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 1, 5, 2, 6, 3, 7, 4, 8 }, 8);
	run_op(NNMODEL_BATCH_TO_SPACE_ND, "F32:2x2x2x1 I:2=1,2 b=1", "F32:1x2x2x2",
	       BUFFERS(BUFFER(y)), BUFFERS(BUFFER(z)));
	expect_floats(z, nchw, 8);
	/*
	 * strides are width, height; the output shape comes in the layout, as a constant or with
	 * the run
	 */
	run_op(NNMODEL_TRANSPOSE_CONV_2D,
	       "F32:1x1x2x2 F32:1x1x1x1=10 F32:1=1 I:4=1,1,2,4 i=1 i=2 i=1 i=0 b=1", "F32:1x1x2x4",
	       BUFFERS(BYTES(nhwc, 16)), BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 11, 1, 21, 1, 31, 1, 41, 1 }, 8);
	run_op(NNMODEL_TRANSPOSE_CONV_2D,
	       "F32:1x1x2x2 F32:1x1x1x1=10 F32:1=1 I:4 i=1 i=2 i=1 i=0 b=1", "F32:1x1x2x4",
	       BUFFERS(BYTES(nhwc, 16), BUFFER(shape)), BUFFERS(BUFFER(z)));
	expect_floats(z, y, 8);
	/* left, right, top, bottom; right and bottom make the output larger when negative */
	run_op(NNMODEL_TRANSPOSE_CONV_2D,
	       "F32:1x1x2x1 F32:1x1x1x1=10 F32:1=1 i=1 i=-2 i=0 i=-1 i=1 i=1 i=0 b=0",
	       "F32:1x2x3x1", BUFFERS(BYTES(nhwc, 8)), BUFFERS(BYTES(y, 24)));
	expect_floats(y, (float[]){ 21, 1, 1, 1, 1, 1 }, 6);
}

/* A temporary has the quantization that the operation gives it, whatever it declares. */
TEST(test_temporary_quantization)
{
	const uint8_t x[2] = { 13, 14 }; /* 3, 4 */
	struct nnmodel *m = nnmodel_new();
	float y[2];

	spec_operand(m, "Q8:1x2@1,10");
	spec_operand(m, "Q8:1x2@0.5,3");
	spec_operand(m, "F32:1x2");
	m->main.operands[1].lifetime = NNMODEL_TEMPORARY_VARIABLE;
	m->main.operands[2].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, NNMODEL_L2_NORMALIZATION, IN(0), IN(1));
	spec_op(m, NNMODEL_DEQUANTIZE, IN(1), IN(2));
	spec_set_io(m);
	run_model(m, BUFFERS(BUFFER(x)), BUFFERS(BUFFER(y)));
	/* in steps of 1/128 */
	assert_true(fabsf(y[0] - 0.6f) <= 0.008f && fabsf(y[1] - 0.8f) <= 0.008f);
	nnmodel_free(m);
}

/* x_t + 2 h: 1, 2 -> h 1, 4; and backwards 2, 5. */
#define RNN_CELL "F32:1x1=1 F32:1x1=2 F32:1=0 F32:1x1=0"
/* -x_t + h */
#define OTHER_CELL "F32:1x1=-1 F32:1x1=1 F32:1=0 F32:1x1=0"

TEST(test_rnn)
{
	const float x[2] = { 1, 2 }, aux[2] = { 10, 20 };
	float y[4], h[2], fw[2], bw[2];

	run_op(NNMODEL_RNN, "F32:2x1 F32:1x1=1 F32:1x1=2 F32:1=1 F32:2x1=5,-5 i=1",
	       "F32:2x1 F32:2x1", BUFFERS(BUFFER(x)), BUFFERS(BUFFER(h), BYTES(y, 8)));
	expect_floats(y, (float[]){ 12, 0 }, 2);
	expect_floats(h, y, 2);
	run_op(NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN, "F32:2x1x1 " RNN_CELL " i=0 i=1",
	       "F32:2x1x1 F32:1x1", BUFFERS(BUFFER(x)), BUFFERS(BYTES(y, 8), BYTES(h, 4)));
	expect_floats(y, (float[]){ 1, 4 }, 2);
	expect_floats(h, y + 1, 1);
	/* two sequences of one step when the batch comes first */
	run_op(NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN,
	       "F32:2x1x1 F32:1x1=1 F32:1x1=2 F32:1=0 F32:2x1=0,1 i=0 i=0", "F32:2x1x1 F32:2x1",
	       BUFFERS(BUFFER(x)), BUFFERS(BYTES(y, 8), BYTES(h, 8)));
	expect_floats(y, (float[]){ 1, 4 }, 2);
	expect_floats(h, y, 2);

	run_op(NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN,
	       "F32:2x1x1 " RNN_CELL " " OTHER_CELL " ~F32 ~F32 ~F32 i=0 b=1 b=1",
	       "F32:2x1x2 F32:1x1 F32:1x1", BUFFERS(BUFFER(x)),
	       BUFFERS(BUFFER(y), BYTES(fw, 4), BYTES(bw, 4)));
	expect_floats(y, (float[]){ 1, -3, 4, -2 }, 4);
	expect_floats(fw, (float[]){ 4 }, 1);
	expect_floats(bw, (float[]){ -3 }, 1);
	/* without weights of its own the auxiliary input takes the place of x backwards */
	run_op(NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN,
	       "F32:2x1x1 " RNN_CELL " " OTHER_CELL " F32:2x1x1 ~F32 ~F32 i=0 b=1 b=0",
	       "F32:2x1x1 F32:2x1x1", BUFFERS(BUFFER(x), BUFFER(aux)),
	       BUFFERS(BUFFER(fw), BUFFER(bw)));
	expect_floats(fw, (float[]){ 1, 4 }, 2);
	expect_floats(bw, (float[]){ -30, -20 }, 2);
	/* with them both nets add it */
	run_op(NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN,
	       "F32:2x1x1 " RNN_CELL " " OTHER_CELL
	       " F32:2x1x1 F32:1x1=100 F32:1x1=1000 i=0 b=1 b=0",
	       "F32:2x1x1 F32:2x1x1", BUFFERS(BUFFER(x), BUFFER(aux)),
	       BUFFERS(BUFFER(fw), BUFFER(bw)));
	expect_floats(fw, (float[]){ 1001, 4004 }, 2);
	expect_floats(bw, (float[]){ 29997, 19998 }, 2);
	/* ... but for a run that comes without, and with operands declared for that alone */
	run_op(NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN,
	       "F32:2x1x1 " RNN_CELL " " OTHER_CELL " F32:2x1x1 F32:1x1 F32:1x1 i=0 b=1 b=0",
	       "F32:2x1x1 F32:2x1x1", BUFFERS(BUFFER(x), OMITTED, OMITTED, OMITTED),
	       BUFFERS(BUFFER(fw), BUFFER(bw)));
	expect_floats(fw, (float[]){ 1, 4 }, 2);
	expect_floats(bw, (float[]){ -3, -2 }, 2);
	run_op(NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN,
	       "F32:2x1x1 " RNN_CELL " " OTHER_CELL " F32:2x1x1 F32:0 F32:0 i=0 b=1 b=0",
	       "F32:2x1x1 F32:2x1x1", BUFFERS(BUFFER(x), BUFFER(aux), OMITTED, OMITTED),
	       BUFFERS(BUFFER(fw), BUFFER(bw)));
	expect_floats(fw, (float[]){ 1, 4 }, 2);
	expect_floats(bw, (float[]){ -30, -20 }, 2);
}

/*
 * One unit whose gates are their biases: i 0.1, f 0.2, c 0.3, o 0.4, and the same with another
 * sign.
 */
#define W "F32:1x1=0 "
#define WEIGHTS W W W W W W W W "~F32 ~F32 ~F32 "
#define CELL WEIGHTS "F32:1=0.1 F32:1=0.2 F32:1=0.3 F32:1=0.4 ~F32 ~F32 "
#define BACK_CELL WEIGHTS "F32:1=-0.1 F32:1=-0.2 F32:1=-0.3 F32:1=-0.4 ~F32 ~F32 "
#define NONE4 "~F32 ~F32 ~F32 ~F32"

static float gate(float v)
{
	return 1 / (1 + expf(-v));
}

/* The same without an input gate when @cifg. @sign: that of the biases. */
static float step(float *c, float sign, bool cifg)
{
	const float f = gate(0.2f * sign), i = cifg ? 1 - f : gate(0.1f * sign);

	*c = f * *c + i * tanhf(0.3f * sign);
	return gate(0.4f * sign) * tanhf(*c);
}

TEST(test_lstm)
{
	const float x[2] = { 7, 8 }, zero = 0, b = 0.1f;
	float scratch[4], h[1], c[1], y[4], want[4], fw = 0.5f, bw = 0.25f, states[4], cifg = 0.5f;

	want[0] = step(&fw, 1, false);
	run_op(NNMODEL_LSTM, "F32:1x1 " CELL "F32:1x1=0 F32:1x1=0.5 i=4 f=0 f=0",
	       "F32:1x4 F32:1x1 F32:1x1 F32:1x1", BUFFERS(BYTES(x, 4)),
	       BUFFERS(BUFFER(scratch), BUFFER(h), BUFFER(c), BYTES(y, 4)));
	expect_floats(y, want, 1);
	expect_floats(h, want, 1);
	expect_floats(c, &fw, 1);
	/*
	 * a run without the input gate: its scratch output has three gates, whether declared or not
	 */
	want[0] = step(&cifg, 1, true);
	for (int declared = 0; declared < 2; declared++) {
		run_op(NNMODEL_LSTM,
		       "F32:1x1 F32:1x1 " W W W "F32:1x1 " W W W "~F32 ~F32 ~F32 F32:1 F32:1=0.2 "
		       "F32:1=0.3 F32:1=0.4 F32:0x0 F32:0 F32:1x1=0 F32:1x1=0.5 i=4 f=0 f=0",
		       declared ? "F32:1x3 F32:1x1 F32:1x1 F32:1x1"
				: "F32:0x0 F32:1x1 F32:1x1 F32:1x1",
		       BUFFERS(BYTES(x, 4), OMITTED, OMITTED, OMITTED, OMITTED, OMITTED),
		       BUFFERS(BYTES(scratch, 12), BUFFER(h), BUFFER(c), BYTES(y, 4)));
		expect_floats(y, want, 1);
		expect_floats(c, &cifg, 1);
	}
	/* and one with it */
	run_op(NNMODEL_LSTM,
	       "F32:1x1 F32:1x1 " W W W "F32:1x1 " W W W "~F32 ~F32 ~F32 F32:1 F32:1=0.2 "
	       "F32:1=0.3 F32:1=0.4 F32:0x0 F32:0 F32:1x1=0 F32:1x1=0.5 i=4 f=0 f=0",
	       "F32:0x0 F32:1x1 F32:1x1 F32:1x1",
	       BUFFERS(BYTES(x, 4), BYTES(&zero, 4), BYTES(&zero, 4), BYTES(&b, 4), OMITTED,
		       OMITTED),
	       BUFFERS(BUFFER(scratch), BUFFER(h), BUFFER(c), BYTES(y, 4)));
	expect_floats(c, &fw, 1);

	/* two steps in both directions, merged */
	fw = 0.5f;
	for (int t = 0; t < 2; t++) {
		want[2 * t] = step(&fw, 1, false);
		want[3 - 2 * t] = step(&bw, -1, false);
	}
	run_op(NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM,
	       "F32:2x1x1 " CELL BACK_CELL
	       "F32:1x1=0 F32:1x1=0.5 F32:1x1=0 F32:1x1=0.25 ~F32 " NONE4 " " NONE4
	       " i=4 f=0 f=0 b=1 b=1 " NONE4 " " NONE4,
	       "F32:2x1x2 F32:1x1 F32:1x1 F32:1x1 F32:1x1", BUFFERS(BUFFER(x)),
	       BUFFERS(BUFFER(y), BYTES(states, 4), BYTES(states + 1, 4), BYTES(states + 2, 4),
		       BYTES(states + 3, 4)));
	expect_floats(y, want, 4);
	expect_floats(states, (float[]){ want[2], fw, want[1], bw }, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choices), cmocka_unit_test(test_parts),
		cmocka_unit_test(test_layouts), cmocka_unit_test(test_temporary_quantization),
		cmocka_unit_test(test_rnn),	cmocka_unit_test(test_lstm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
