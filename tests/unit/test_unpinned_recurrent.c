// SPDX-License-Identifier: Apache-2.0
/*
 * Rules of NNAPI that its examples do not cover: activation codes and clips of recurrent
 * operations, in NNAPI's order.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower_run.h"
#include "test_case.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static float sigmoid(float v)
{
	return 1 / (1 + expf(-v));
}

/* NNAPI's codes of recurrent operations; 2 belongs to RNNs and SVDF. */
static float activate(uint32_t code, float v)
{
	switch (code) {
	case 1:
		return fmaxf(v, 0);
	case 2:
		return fminf(fmaxf(v, -1), 1);
	case 3:
		return fminf(fmaxf(v, 0), 6);
	case 4:
		return tanhf(v);
	case 6:
		return sigmoid(v);
	default:
		return v;
	}
}

static float clip(float v, float limit)
{
	return limit > 0 ? fminf(fmaxf(v, -limit), limit) : v;
}

static const float biases[] = { 8, 0.75f, -2 };
static const float x = 5;

/* ---- RNN family, SVDF ---- */

TEST(test_unpinned_rnn_activations)
{
	static const uint32_t codes[] = { 0, 1, 2, 3, 4, 6 };

	for (size_t c = 0; c < COUNT(codes); c++)
		for (size_t b = 0; b < COUNT(biases); b++) {
			const float want[1] = { activate(codes[c], biases[b]) },
				    other[1] = { activate(codes[c], -1.5f) };
			float y[1], h[1], bw[1];
			char in[256];

			/* without weights: the bias alone */
			snprintf(in, sizeof(in),
				 "F32:1x1 F32:1x1=0 F32:1x1=0 F32:1=%g F32:1x1=0 i=%u",
				 (double)biases[b], codes[c]);
			run_op(NNMODEL_RNN, in, "F32:1x1 F32:1x1", BUFFERS(BYTES(&x, 4)),
			       BUFFERS(BUFFER(h), BUFFER(y)));
			expect_floats(y, want, 1);
			expect_floats(h, want, 1);
			snprintf(in, sizeof(in),
				 "F32:1x1x1 F32:1x1=0 F32:1x1=0 F32:1=%g F32:1x1=0 i=%u i=1",
				 (double)biases[b], codes[c]);
			run_op(NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN, in, "F32:1x1x1",
			       BUFFERS(BYTES(&x, 4)), BUFFERS(BUFFER(y)));
			expect_floats(y, want, 1);
			snprintf(
				in, sizeof(in),
				"F32:1x1x1 F32:1x1=0 F32:1x1=0 F32:1=%g F32:1x1=0 F32:1x1=0 F32:1x1=0 "
				"F32:1=-1.5 F32:1x1=0 ~F32 ~F32 ~F32 i=%u b=1 b=0",
				(double)biases[b], codes[c]);
			run_op(NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, in, "F32:1x1x1 F32:1x1x1",
			       BUFFERS(BYTES(&x, 4)), BUFFERS(BUFFER(y), BUFFER(bw)));
			expect_floats(y, want, 1);
			expect_floats(bw, other, 1);
		}
}

TEST(test_unpinned_svdf_activations)
{
	for (uint32_t code = 0; code < 4; code++)
		for (size_t b = 0; b < COUNT(biases); b++) {
			/* two filters of one unit: 5 * 0.5 - 5 * 0.25, and the bias */
			const float want[1] = { activate(code, 1.25f + biases[b]) };
			float y[1], states[2];
			char in[256];

			snprintf(
				in, sizeof(in),
				"F32:1x1 F32:2x1=0.5,-0.25 F32:2x1=1,1 F32:1=%g F32:1x2=0,0 i=2 i=%u",
				(double)biases[b], code);
			run_op(NNMODEL_SVDF, in, "F32:1x2 F32:1x1", BUFFERS(BYTES(&x, 4)),
			       BUFFERS(BUFFER(states), BUFFER(y)));
			expect_floats(y, want, 1);
		}
}

/* ---- LSTM family ---- */

/* Gates are their biases: i 0.1, f 0.2, c as given, o 0.4; a projection of 3 and 0.25. */
#define CELL                                                                                              \
	"F32:1x1=0 F32:1x1=0 F32:1x1=0 F32:1x1=0 F32:1x1=0 F32:1x1=0 F32:1x1=0 F32:1x1=0 ~F32 ~F32 ~F32 " \
	"F32:1=0.1 F32:1=0.2 F32:1=%g F32:1=0.4 F32:1x1=3 F32:1=0.25"
#define STATES "F32:1x1=0 F32:1x1=0.5"
#define NONE4 "~F32 ~F32 ~F32 ~F32"

struct cell {
	float bias;
	uint32_t code;
	float cell_clip, projection_clip;
};

static void reference(const struct cell *p, float bias, float *c, float *h)
{
	*c = clip(sigmoid(0.2f) * 0.5f + sigmoid(0.1f) * activate(p->code, bias), p->cell_clip);
	*h = clip(3 * (sigmoid(0.4f) * activate(p->code, *c)) + 0.25f, p->projection_clip);
}

static void check_cell(const struct cell *p)
{
	float scratch[4], h[1], c[1], y[1], bw[1], states[4], want_h, want_c, other_h, other_c;
	char in[1024];

	reference(p, p->bias, &want_c, &want_h);
	reference(p, -0.5f, &other_c, &other_h);
	snprintf(in, sizeof(in), "F32:1x1 " CELL " " STATES " i=%u f=%g f=%g", (double)p->bias,
		 p->code, (double)p->cell_clip, (double)p->projection_clip);
	run_op(NNMODEL_LSTM, in, "F32:1x4 F32:1x1 F32:1x1 F32:1x1", BUFFERS(BYTES(&x, 4)),
	       BUFFERS(BUFFER(scratch), BUFFER(h), BUFFER(c), BUFFER(y)));
	expect_floats(c, &want_c, 1);
	expect_floats(h, &want_h, 1);
	expect_floats(y, &want_h, 1);
	snprintf(in, sizeof(in), "F32:1x1x1 " CELL " " STATES " i=%u f=%g f=%g b=1 " NONE4,
		 (double)p->bias, p->code, (double)p->cell_clip, (double)p->projection_clip);
	run_op(NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, in, "F32:1x1x1 F32:1x1 F32:1x1",
	       BUFFERS(BYTES(&x, 4)), BUFFERS(BUFFER(y), BUFFER(h), BUFFER(c)));
	expect_floats(c, &want_c, 1);
	expect_floats(h, &want_h, 1);
	expect_floats(y, &want_h, 1);
	snprintf(in, sizeof(in),
		 "F32:1x1x1 " CELL " " CELL " " STATES " " STATES " ~F32 " NONE4 " " NONE4
		 " i=%u f=%g f=%g b=0 b=1 " NONE4 " " NONE4,
		 (double)p->bias, -0.5, p->code, (double)p->cell_clip, (double)p->projection_clip);
	run_op(NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, in,
	       "F32:1x1x1 F32:1x1x1 F32:1x1 F32:1x1 F32:1x1 F32:1x1", BUFFERS(BYTES(&x, 4)),
	       BUFFERS(BUFFER(y), BUFFER(bw), BYTES(states, 4), BYTES(states + 1, 4),
		       BYTES(states + 2, 4), BYTES(states + 3, 4)));
	expect_floats(y, &want_h, 1);
	expect_floats(bw, &other_h, 1);
	expect_floats(states, (float[]){ want_h, want_c, other_h, other_c }, 4);
}

TEST(test_unpinned_lstm_activations_and_clips)
{
	static const uint32_t codes[] = { 0, 1, 3, 4, 6 };
	static const float cell_clips[] = { 0, 0.3f, 4 }, projection_clips[] = { 0, 0.2f, 5 };

	for (size_t k = 0; k < COUNT(codes); k++)
		for (size_t b = 0; b < COUNT(biases); b++)
			for (size_t c = 0; c < COUNT(cell_clips); c++)
				for (size_t p = 0; p < COUNT(projection_clips); p++)
					check_cell(&(struct cell){ biases[b], codes[k],
								   cell_clips[c],
								   projection_clips[p] });
}

/* ---- QUANTIZED_LSTM ---- */

/*
 * One unit without weights: gates of 0 are halves (16384 of 32768), the cell gate is 0, so that the
 * cell state is halved and the hidden value comes from it alone. In NNAPI's order; what kernels
 * compute is test_ops_quantized_lstm.c's.
 */
struct quantized {
	const char *input_gate; /* weights; recurrent and bias follow */
	const char *peepholes, *biases; /* of i f o; of f c o */
	const char *projection; /* weights, bias */
	const char *cell_state;
	const char *tail; /* clips; intermediate scales; hidden zero point and scale */
};

static void run_quantized(const struct quantized *q, int8_t *h, int16_t *c)
{
	const int8_t input = 3;
	const bool cifg = !q->input_gate;
	char in[1024];
	int8_t y;

	snprintf(in, sizeof(in),
		 "Q8S:1x1@0.0078125,0 %s Q8Y:1x1@0.01=0 Q8Y:1x1@0.01=0 Q8Y:1x1@0.01=0 %s "
		 "Q8Y:1x1@0.01=0 Q8Y:1x1@0.01=0 Q8Y:1x1@0.01=0 %s %s %s %s Q8S:1x1@0.001,3=0 "
		 "Q16S:1x1@0.000030517578125=%s ~Q16S ~Q16S ~Q16S ~Q16S %s",
		 cifg ? "~Q8Y" : q->input_gate, cifg ? "~Q8Y" : "Q8Y:1x1@0.01=0", q->peepholes,
		 cifg ? "~I" : "I:1=0", q->biases, q->projection, q->cell_state, q->tail);
	run_op(NNMODEL_QUANTIZED_LSTM, in,
	       "Q8S:1x1@0.001,3 Q16S:1x1@0.000030517578125 Q8S:1x1@0.001,3",
	       BUFFERS(BYTES(&input, 1)), BUFFERS(BYTES(h, 1), BYTES(c, 2), BYTES(&y, 1)));
	assert_int_equal(y, *h);
}

#define NO_PEEPHOLES "~Q16S ~Q16S ~Q16S"
#define NO_BIASES "I:1=0 I:1=0 I:1=0"
#define NO_PROJECTION "~Q8Y ~I"
#define TAIL(cell_clip, projection_clip, zero_point, scale)                                  \
	"f=" cell_clip " f=" projection_clip                                                 \
	" f=0.000244140625 f=0.000244140625 f=0.000244140625 f=0.000244140625 i=" zero_point \
	" f=" scale

TEST(test_unpinned_quantized_lstm)
{
	struct quantized q = { NULL,	      NO_PEEPHOLES, NO_BIASES,
			       NO_PROJECTION, "20001",	    TAIL("0", "0", "0", "0.01") };
	int16_t c;
	int8_t h;

	/* 16384 * 20001 / 32768, the tie away from 0 */
	run_quantized(&q, &h, &c);
	assert_int_equal(c, 10001);
	/* no layer normalization: biases have no effect */
	q.biases = "I:1=100000 I:1=-100000 I:1=100000";
	run_quantized(&q, &h, &c);
	assert_int_equal(c, 10001);
	q.biases = NO_BIASES;
	/* clips truncate: 0.1 is 3276.8 steps; both signs */
	q.tail = TAIL("0.1", "0", "0", "0.01");
	run_quantized(&q, &h, &c);
	assert_int_equal(c, 3276);
	q.cell_state = "-20001";
	run_quantized(&q, &h, &c);
	assert_int_equal(c, -3276);
	/*
	 * a cell of 0 gives tanh 0: the hidden value is less the zero point, sign as NNAPI's
	 * reference has it
	 */
	q.cell_state = "0";
	q.tail = TAIL("0", "0", "7", "0.01");
	run_quantized(&q, &h, &c);
	assert_int_equal(c, 0);
	assert_int_equal(h, -7);
	/*
	 * and counts again in the projection, which here leaves the bias: 105 * 0.01 * 0.01 / 0.001
	 * = 10.5, and 3
	 */
	q.projection = "Q8Y:1x1@0.01=50 I:1=105";
	run_quantized(&q, &h, &c);
	assert_int_equal(h, 14);
	/* its clip is in steps of the weights: 0.055 / 0.01 truncated */
	q.tail = TAIL("0", "0.055", "7", "0.01");
	run_quantized(&q, &h, &c);
	assert_int_equal(h, 5);
	q.projection = NO_PROJECTION;
	/*
	 * the forget gate's peephole opens or shuts it; the input gate's has nothing to add, the
	 * output's only h
	 */
	q.cell_state = "20000";
	q.tail = TAIL("0", "0", "0", "0.01");
	q.peepholes = "~Q16S Q16S:1@0.0001=32767 Q16S:1@0.0001=0";
	run_quantized(&q, &h, &c);
	assert_in_range(c, 17000, 20000);
	q.peepholes = "~Q16S Q16S:1@0.0001=-32767 Q16S:1@0.0001=0";
	run_quantized(&q, &h, &c);
	assert_in_range(c, 0, 3000);
	q.peepholes = "~Q16S Q16S:1@0.0001=0 Q16S:1@0.0001=-32767";
	run_quantized(&q, &h, &c);
	assert_int_equal(c, 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpinned_rnn_activations),
		cmocka_unit_test(test_unpinned_svdf_activations),
		cmocka_unit_test(test_unpinned_lstm_activations_and_clips),
		cmocka_unit_test(test_unpinned_quantized_lstm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
