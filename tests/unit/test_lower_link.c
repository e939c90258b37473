// SPDX-License-Identifier: Apache-2.0
/*
 * Linking of bidirectional operations by what a request leaves out: which of auxiliary input and
 * weights are there says whether it is read in place of x, added, or not there. And DENSIFY and IF
 * with more inputs than a mask has bits.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lower_run.h"
#include "nnaccel/nnaccel_status.h"
#include "test_case.h"

#define ZERO_STATE "F32:1x1=0"
/* weight @w, nothing recurrent */
#define RNN_CELL(w) w " F32:1x1=0 F32:1=0 " ZERO_STATE
#define RNN(aux) "F32:1x1x1 " RNN_CELL("F32:1x1=2") " " RNN_CELL("F32:1x1=3") " " aux " i=0 b=1 b=0"

static const float x = 5, aux = 7, forward_weight = 11, backward_weight = 13;

#define GIVEN(v) BYTES(&(v), sizeof(float))

static void expect_rnn(const char *in, const struct buffer *arguments, float forward,
		       float backward)
{
	float fw[1], bw[1];

	run_op(NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, in, "F32:1x1x1 F32:1x1x1", arguments,
	       BUFFERS(BUFFER(fw), BUFFER(bw)));
	expect_floats(fw, &forward, 1);
	expect_floats(bw, &backward, 1);
}

static void expect_failure(uint32_t opcode, const char *in, const struct buffer *arguments,
			   const char *text)
{
	struct nnmodel *m = spec_model(opcode, in, "F32:1x1x1 F32:1x1x1");
	float fw[1], bw[1];
	const struct run_end end = run_model_end(m, arguments, BUFFERS(BUFFER(fw), BUFFER(bw)));

	assert_int_equal(end.status, NNACCEL_STATUS_EXEC_FAILED);
	if (!strstr(end.text, text)) {
		print_error("%s\n", end.text);
		fail();
	}
	nnmodel_free(m);
}

TEST(test_parallel_rnn)
{
	expect_rnn(RNN("~F32 ~F32 ~F32"), BUFFERS(GIVEN(x)), 10, 15);
	/* in place of x, or left out */
	expect_rnn(RNN("F32:1x1x1 ~F32 ~F32"), BUFFERS(GIVEN(x), GIVEN(aux)), 10, 21);
	expect_rnn(RNN("F32:1x1x1 ~F32 ~F32"), BUFFERS(GIVEN(x), OMITTED), 10, 15);
	/* a constant is not the request's to leave out */
	expect_rnn(RNN("F32:1x1x1=7 ~F32 ~F32"), BUFFERS(GIVEN(x)), 10, 21);
}

TEST(test_cross_rnn)
{
	const char *all = RNN("F32:1x1x1 F32:1x1 F32:1x1");

	expect_rnn(all,
		   BUFFERS(GIVEN(x), GIVEN(aux), GIVEN(forward_weight), GIVEN(backward_weight)),
		   10 + 77, 15 + 91);
	expect_rnn(all, BUFFERS(GIVEN(x), GIVEN(aux), OMITTED, OMITTED), 10, 21);
	expect_rnn(all, BUFFERS(GIVEN(x), OMITTED, OMITTED, OMITTED), 10, 15);
	expect_failure(NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, all,
		       BUFFERS(GIVEN(x), GIVEN(aux), GIVEN(forward_weight), OMITTED),
		       "both cells must be given or omitted together");
	expect_failure(NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, all,
		       BUFFERS(GIVEN(x), GIVEN(aux), OMITTED, GIVEN(backward_weight)),
		       "both cells must be given or omitted together");
	expect_failure(NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, all,
		       BUFFERS(GIVEN(x), OMITTED, GIVEN(forward_weight), GIVEN(backward_weight)),
		       "without an auxiliary input");
}

/* What is read in place of x may have another extent; x then has to have none of the weights'. */
TEST(test_parallel_extents)
{
	const char *in = "F32:1x1x1 " RNN_CELL("F32:1x1=2") " " RNN_CELL(
		"F32:1x2=3,4") " F32:1x1x2 ~F32 ~F32 i=0 b=1 b=0";
	const float two[2] = { 7, 8 };

	expect_rnn(in, BUFFERS(GIVEN(x), BUFFER(two)), 10, 21 + 32);
	expect_failure(NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, in, BUFFERS(GIVEN(x), OMITTED),
		       "weights");
}

/* ---- LSTM ---- */

/* The cell gate reads its input, the others are their biases. */
#define LSTM_CELL                                                                                         \
	"F32:1x1=0 F32:1x1=0 F32:1x1=1 F32:1x1=0 F32:1x1=0 F32:1x1=0 F32:1x1=0 F32:1x1=0 ~F32 ~F32 ~F32 " \
	"F32:1=0.1 F32:1=0.2 F32:1=0.3 F32:1=0.4 ~F32 ~F32"
#define NONE4 "~F32 ~F32 ~F32 ~F32"
#define FOUR "F32:1x1 F32:1x1 F32:1x1 F32:1x1"
#define LSTM(aux)                                                                         \
	"F32:1x1x1 " LSTM_CELL " " LSTM_CELL " " ZERO_STATE " " ZERO_STATE " " ZERO_STATE \
	" " ZERO_STATE " " aux " i=4 f=0 f=0 b=0 b=1 " NONE4 " " NONE4

static float gate(float v)
{
	return 1 / (1 + expf(-v));
}

static void expect_lstm(const char *in, const struct buffer *arguments, float forward,
			float backward)
{
	const float want[2] = { gate(0.4f) * tanhf(gate(0.1f) * tanhf(forward + 0.3f)),
				gate(0.4f) * tanhf(gate(0.1f) * tanhf(backward + 0.3f)) };
	float fw[1], bw[1];

	run_op(NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, in, "F32:1x1x1 F32:1x1x1", arguments,
	       BUFFERS(BUFFER(fw), BUFFER(bw)));
	expect_floats(fw, &want[0], 1);
	expect_floats(bw, &want[1], 1);
}

TEST(test_lstm)
{
	const float a = 0.5f, b = -0.25f, zero = 0, w = 2, v = -3;
	const char *parallel = LSTM("F32:1x1x1 " NONE4 " " NONE4),
		   *all = LSTM("F32:1x1x1 " FOUR " " FOUR);

	expect_lstm(parallel, BUFFERS(GIVEN(a), GIVEN(b)), a, b);
	expect_lstm(parallel, BUFFERS(GIVEN(a), OMITTED), a, a);
	expect_lstm(all,
		    BUFFERS(GIVEN(a), GIVEN(b), GIVEN(zero), GIVEN(zero), GIVEN(w), GIVEN(zero),
			    GIVEN(zero), GIVEN(zero), GIVEN(v), GIVEN(zero)),
		    a + w * b, a + v * b);
	expect_lstm(all,
		    BUFFERS(GIVEN(a), GIVEN(b), OMITTED, OMITTED, OMITTED, OMITTED, OMITTED,
			    OMITTED, OMITTED, OMITTED),
		    a, b);
	expect_lstm(all,
		    BUFFERS(GIVEN(a), OMITTED, OMITTED, OMITTED, OMITTED, OMITTED, OMITTED, OMITTED,
			    OMITTED, OMITTED),
		    a, a);
	expect_failure(NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, all,
		       BUFFERS(GIVEN(a), GIVEN(b), GIVEN(zero), GIVEN(zero), GIVEN(w), GIVEN(zero),
			       OMITTED, OMITTED, OMITTED, OMITTED),
		       "both cells must be given or omitted together");
	expect_failure(NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, all,
		       BUFFERS(GIVEN(a), GIVEN(b), OMITTED, OMITTED, OMITTED, OMITTED, GIVEN(zero),
			       GIVEN(zero), GIVEN(v), GIVEN(zero)),
		       "both cells must be given or omitted together");
	expect_failure(NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, all,
		       BUFFERS(GIVEN(a), GIVEN(b), GIVEN(zero), GIVEN(zero), OMITTED, GIVEN(zero),
			       GIVEN(zero), GIVEN(zero), GIVEN(v), GIVEN(zero)),
		       "both cells must be given or omitted together");
}

/* ---- DENSIFY ---- */

#define DENSE " ~I ~I"
#define DENSE7 DENSE DENSE DENSE DENSE DENSE DENSE DENSE

/* Eight dimensions and seven blocks; inputs 31 and 32 are omitted, 33 and 34 are there. */
TEST(test_densify_of_many_levels)
{
	const float values[3] = { 10, 20, 30 };
	float out[6];

	run_op(NNMODEL_DENSIFY,
	       "F32:3 I:15=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14 I:7=0,1,2,3,4,5,7 "
	       "I:15=0,0,0,0,0,0,0,0,0,0,0,0,0,0,1 I:15=2,1,1,1,1,1,1,1,1,1,1,1,1,1,3" DENSE7 DENSE7
	       " I:3=0,1,3 I:3=1,0,2",
	       "F32:2x1x1x1x1x1x1x3", BUFFERS(BUFFER(values)), BUFFERS(BUFFER(out)));
	expect_floats(out, (float[]){ 0, 10, 0, 20, 0, 30 }, 6);
}

/* ---- IF ---- */

#define MANY 40u

/* Many inputs -> RELU of the first. */
static void take_branch(struct nnmodel *model, uint32_t i)
{
	struct nnmodel *part = nnmodel_new();

	for (uint32_t k = 0; k <= MANY; k++)
		spec_operand(part, "F32:1");
	part->main.operands[MANY].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(part, NNMODEL_RELU, IN(0), IN(MANY));
	spec_set_io(part);
	model->referenced[i] = part->main;
	memset(&part->main, 0, sizeof(part->main));
	nnmodel_free(part);
}

/* The last input of a branch is the run's to leave out, behind any mask of 32 bits. */
TEST(test_omitted_into_a_branch)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t in[3 + MANY], out = 0;
	const uint8_t condition = 1;
	float y[1];

	m->referenced = calloc(2, sizeof(*m->referenced));
	m->num_referenced = 2;
	in[0] = spec_operand(m, "B8:1");
	for (uint32_t i = 0; i < 2; i++) {
		const int n = nnmodel_add_operand(m, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH,
						  NULL, 0, 0, 0);

		assert_true(n >= 0);
		m->main.operands[n].location.offset = i;
		in[1 + i] = (uint32_t)n;
		take_branch(m, i);
	}
	in[3] = spec_operand(m, "F32:1");
	for (uint32_t i = 1; i < MANY - 1; i++)
		in[3 + i] = in[3];
	in[2 + MANY] = spec_operand(m, "F32:1");
	out = spec_operand(m, "F32:1");
	m->main.operands[out].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	assert_true(nnmodel_add_operation(m, NNMODEL_IF, in, 3 + MANY, &out, 1) >= 0);
	spec_set_io(m);
	run_model(m, BUFFERS(BYTES(&condition, 1), GIVEN(x), OMITTED), BUFFERS(BUFFER(y)));
	expect_floats(y, &x, 1);
	run_model(m, BUFFERS(BYTES(&condition, 1), GIVEN(x), GIVEN(aux)), BUFFERS(BUFFER(y)));
	expect_floats(y, &x, 1);
	nnmodel_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parallel_rnn),
		cmocka_unit_test(test_cross_rnn),
		cmocka_unit_test(test_parallel_extents),
		cmocka_unit_test(test_lstm),
		cmocka_unit_test(test_densify_of_many_levels),
		cmocka_unit_test(test_omitted_into_a_branch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
