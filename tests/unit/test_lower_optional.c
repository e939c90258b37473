// SPDX-License-Identifier: Apache-2.0
/*
 * Operands that may be omitted, in every operation that has such: whether one is NO_VALUE in the
 * model, or a model input that the run comes without, is one thing. Each set of operands that may
 * be omitted together is run with the others as constants; then with every way of mixing, where
 * some of both kinds are model inputs, and must give the same. A set that may not be is refused,
 * when the model is made or when it runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower_run.h"
#include "nnaccel/nnaccel_status.h"
#include "test_case.h"

#define MAX_OPERANDS 64
#define MAX_OUTPUTS 6
#define MAX_TOGETHER 22 /* operands that are model inputs at a time: a run has 32 arguments */
#define OUTPUT_BYTES 64
#define MIXES 48

/*
 * An operation. In @in every operand has a value; operands that may be omitted have a '?' before
 * them.
 */
static const struct row {
	const char *name;
	uint32_t opcode;
	const char *in, *out;
	/*
	 * sets of inputs that may be omitted together: numbers joined by commas, sets separated by
	 * blanks; "-": none
	 */
	const char *valid;
	const char *invalid;
} rows[] = {
#define LSTM_CELL                                                                                               \
	"?F32:1x1=0.5 F32:1x1=0.4 F32:1x1=0.3 F32:1x1=0.2 ?F32:1x1=0.1 F32:1x1=-0.1 F32:1x1=-0.2 F32:1x1=-0.3 " \
	"?F32:1=0.7 ?F32:1=0.8 ?F32:1=0.9 ?F32:1=0.1 F32:1=0.2 F32:1=0.3 F32:1=0.4 ?F32:1x1=2 ?F32:1=0.5 "
#define BACK_CELL                                                                                               \
	"?F32:1x1=0.4 F32:1x1=0.3 F32:1x1=0.2 F32:1x1=0.1 ?F32:1x1=0.2 F32:1x1=-0.2 F32:1x1=-0.3 F32:1x1=-0.4 " \
	"?F32:1=0.6 ?F32:1=0.7 ?F32:1=0.8 ?F32:1=0.2 F32:1=0.3 F32:1=0.4 F32:1=0.5 ?F32:1x1=-2 ?F32:1=0.25 "
#define NORM "?F32:1=1 ?F32:1=2 ?F32:1=3 ?F32:1=4"
#define AUX_WEIGHTS "?F32:1x1=0.5 ?F32:1x1=0.6 ?F32:1x1=0.7 ?F32:1x1=0.8 "
	{ "LSTM", NNMODEL_LSTM, "F32:1x1=1 " LSTM_CELL "F32:1x1=0.3 F32:1x1=0.5 i=4 f=0 f=0 " NORM,
	  "F32:0x0 F32:1x1 F32:1x1 F32:1x1",
	  "- 1,5,9,12,23 17 16,17 9,10,11 23,24,25,26 1,5,9,10,11,12,16,17,23,24,25,26 1,5,12,23 9,10,11,17",
	  "1 5 12 1,5 1,12 9 10 11 10,11 16 23 24,25,26 1,5,12 9,10 1,5,9,12,24,25,26" },
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM", NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM,
	  "F32:1x1x1=1 " LSTM_CELL "F32:1x1=0.3 F32:1x1=0.5 i=4 f=0 f=0 b=1 " NORM, "F32:1x1x1",
	  "- 1,5,9,12,24 17 16,17 9,10,11 24,25,26,27 1,5,9,10,11,12,16,17,24,25,26,27",
	  "1 5 12 1,5 9 10 11 10,11 16 24 25,26,27 1,5,12" },
	{ "BIDIRECTIONAL_SEQUENCE_LSTM", NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM,
	  "F32:1x1x1=1 " LSTM_CELL BACK_CELL
	  "F32:1x1=0.3 F32:1x1=0.5 F32:1x1=0.1 F32:1x1=0.2 ?F32:1x1x1=3 " AUX_WEIGHTS AUX_WEIGHTS
	  "i=4 f=0 f=0 b=0 b=1 " NORM " " NORM,
	  "F32:1x1x1 F32:1x1x1",
	  "- 40,41,42,43,44,45,46,47 39,40,41,42,43,44,45,46,47 1,5,9,12,18,22,26,29,40,44,53,57 16,17,33,34 17,34 "
	  "9,10,11,26,27,28 53,54,55,56,57,58,59,60",
	  "39 40 41 40,41,42,43 44,45,46,47 1 1,5 16 53 10,11 1,5,12,18,22,29" },
	{ "QUANTIZED_LSTM", NNMODEL_QUANTIZED_LSTM,
	  "Q8S:1x1@0.0078125=20 ?Q8Y:1x1@0.01=30 Q8Y:1x1@0.01=40 Q8Y:1x1@0.01=50 Q8Y:1x1@0.01=60 ?Q8Y:1x1@0.01=-30 "
	  "Q8Y:1x1@0.01=-40 Q8Y:1x1@0.01=-50 Q8Y:1x1@0.01=-60 ?Q16S:1@0.001=100 ?Q16S:1@0.001=200 ?Q16S:1@0.001=300 "
	  "?I32:1=100 I32:1=200 I32:1=300 I32:1=400 ?Q8Y:1x1@0.02=70 ?I32:1=900 Q8S:1x1@0.0078125=10 "
	  "Q16S:1x1@0.000030517578125=500 ?Q16S:1@0.0001=300 ?Q16S:1@0.0001=400 ?Q16S:1@0.0001=500 ?Q16S:1@0.0001=600 "
	  "f=0 f=0 f=0.000244140625 f=0.000244140625 f=0.000244140625 f=0.000244140625 i=0 f=0.0078125",
	  "Q8S:1x1@0.0078125 Q16S:1x1@0.000030517578125 Q8S:1x1@0.0078125",
	  "- 1,5,9,12,20 17 16,17 9,10,11 20,21,22,23 1,5,9,10,11,12,16,17,20,21,22,23",
	  "1 5 12 1,5 9 10 11 10,11 16 20 21,22,23 1,5,12,20" },
	{ "BIDIRECTIONAL_SEQUENCE_RNN", NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN,
	  "F32:2x1x1=1,2 F32:1x1=1 F32:1x1=2 F32:1=0 F32:1x1=0 F32:1x1=-1 F32:1x1=1 F32:1=0 F32:1x1=0 "
	  "?F32:2x1x1=10,20 ?F32:1x1=100 ?F32:1x1=1000 i=0 b=1 b=0",
	  "F32:2x1x1 F32:2x1x1", "- 10,11 9,10,11", "9 10 11 9,10 9,11" },
	{ "SVDF", NNMODEL_SVDF,
	  "F32:1x2=1,2 F32:2x2=1,2,3,4 F32:2x1=5,6 ?F32:2=7,8 F32:1x2=0,0 i=1 i=0",
	  "F32:1x2 F32:1x2", "- 3", "" },
	{ "LSH_PROJECTION, sparse", NNMODEL_LSH_PROJECTION,
	  "F32:2x3=0.1,0.2,0.3,0.4,0.5,0.6 I32:2=7,8 ?F32:2=1,-1 i=3", "I32:2", "2", "-" },
	{ "LSH_PROJECTION, sparse, of old", NNMODEL_LSH_PROJECTION,
	  "F32:2x3=0.1,0.2,0.3,0.4,0.5,0.6 I32:2=7,8 ?F32:2=1,-1 i=1", "I32:2", "2", "-" },
	{ "LSH_PROJECTION, dense", NNMODEL_LSH_PROJECTION,
	  "F32:2x3=0.1,0.2,0.3,0.4,0.5,0.6 I32:2=7,8 ?F32:2=1,-1 i=2", "I32:6", "-", "2" },
	{ "TRANSPOSE", NNMODEL_TRANSPOSE, "F32:2x3=1,2,3,4,5,6 ?I32:2=0,1", "F32", "- 1", "" },
	{ "SQUEEZE", NNMODEL_SQUEEZE, "F32:1x2x1=1,2 ?I32:1=0", "F32", "- 1", "" },
	/* blocks of the one dimension, or none: another rank */
	{ "DENSIFY", NNMODEL_DENSIFY,
	  "F32:4=1,2,3,4 I32:2=0,1 ?I32:1=0 I32:2=0,0 I32:2=2,2 ?I32:1=0 ?I32:1=0 ?I32:1=0 "
	  "?I32:1=0",
	  "F32", "- 5,6,7,8 2,5,6,7,8 2 5", "" },
	{ "DENSIFY of rows", NNMODEL_DENSIFY,
	  "F32:2=1,2 I32:2=0,1 ?I32:1=0 I32:2=0,1 I32:2=2,2 ?I32:1=0 ?I32:1=0 "
	  "?I32:3=0,1,2 ?I32:2=1,0",
	  "F32", "2,5,6 2", "7 8 2,7 2,8 7,8" },
	/*
	 * what NNAPI requires is not a run's to omit, though the device's operation can do without
	 */
	{ "PAD_V2", NNMODEL_PAD_V2, "F32:2=1,2 I32:1x2=1,1 ?f=9", "F32:4", "-", "2" },
	{ "SPACE_TO_BATCH_ND", NNMODEL_SPACE_TO_BATCH_ND,
	  "F32:1x2x2x1=1,2,3,4 I32:2=2,2 ?I32:2x2=0,0,0,0", "F32", "-", "2" },
	{ "TRANSPOSE_CONV_2D", NNMODEL_TRANSPOSE_CONV_2D,
	  "F32:1x2x2x1=1,2,3,4 F32:1x1x1x1=2 F32:1=0 ?I32:4=1,2,2,1 i=1 i=1 i=1 i=0 b=0", "F32",
	  "-", "3" },
};

/* ---- text ---- */

struct operand {
	char text[64]; /* "F32:1x1=0.5" */
	bool optional;
};

static uint32_t parse_operands(const char *text, struct operand *operands)
{
	uint32_t n = 0;

	while (*text) {
		size_t len;

		assert_true(n < MAX_OPERANDS);
		operands[n].optional = *text == '?';
		text += operands[n].optional;
		len = strcspn(text, " ");
		assert_true(len < sizeof(operands[n].text));
		memcpy(operands[n].text, text, len);
		operands[n].text[len] = 0;
		text += len;
		text += strspn(text, " ");
		n++;
	}
	return n;
}

/* The next set of a list; false at its end. */
static bool next_set(const char **list, uint64_t *set)
{
	const char *at = *list;

	*set = 0;
	at += strspn(at, " ");
	if (!*at)
		return false;
	if (*at == '-') {
		*list = at + 1;
		return true;
	}
	do {
		*set |= 1ull << strtoul(at, (char **)&at, 10);
	} while (*at++ == ',');
	*list = at - 1;
	return true;
}

/* ---- one run ---- */

struct trial {
	bool refused; /* the model, or the run */
	bool by_model;
	char why[192];
	uint8_t out[MAX_OUTPUTS][OUTPUT_BYTES];
	uint32_t extents[8];
};

static void add(char *spec, size_t size, const char *format, const char *text, int len)
{
	size_t used = strlen(spec);

	assert_true((size_t)snprintf(spec + used, size - used, format, len, text) < size - used);
}

/*
 * Run with the operands in @omitted left out, and those in @inputs as model inputs; the others are
 * in the model.
 */
static struct trial run(const struct row *row, uint64_t omitted, uint64_t inputs)
{
	struct operand operands[MAX_OPERANDS];
	uint32_t n = parse_operands(row->in, operands), num_in = 0, num_out = 0,
		 given[MAX_OPERANDS];
	struct buffer in[MAX_OPERANDS] = { DONE }, out[MAX_OUTPUTS + 1];
	struct trial t = { .refused = true };
	struct nnmodel *values = nnmodel_new(), *model;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnhal_lowered program;
	char spec[2048] = "";
	struct run_end end;

	memset(t.out, 0x5a, sizeof(t.out));
	for (uint32_t i = 0; i < n; i++) {
		const char *text = operands[i].text;
		const int declared = (int)strcspn(text, "=");

		if (!(inputs & 1ull << i)) {
			add(spec, sizeof(spec), omitted & 1ull << i ? "~%.*s " : "%.*s ", text,
			    omitted & 1ull << i ? declared : (int)strlen(text));
			continue;
		}
		add(spec, sizeof(spec), "%.*s ", text, declared);
		if (omitted & 1ull << i) {
			in[num_in++] = OMITTED;
		} else {
			given[num_in++] = spec_operand(values, text);
		}
	}
	for (uint32_t i = 0; i < num_in; i++) {
		const struct nnmodel_location *at;

		if (in[i].omitted)
			continue;
		at = &values->main.operands[given[i]].location;
		in[i] = BYTES(values->values + at->offset, at->length);
	}
	in[num_in] = DONE;
	spec[strlen(spec) - 1] = 0;
	model = spec_model(row->opcode, spec, row->out);
	num_out = model->main.num_outputs;
	for (uint32_t i = 0; i < num_out; i++)
		out[i] = BYTES(t.out[i], OUTPUT_BYTES);
	out[num_out] = DONE;
	if (spec_lower(model, &program, &err)) {
		t.by_model = true;
		snprintf(t.why, sizeof(t.why), "model: %s", err.text);
	} else {
		free(program.bytes);
		end = run_model_end(model, in, out);
		t.refused = end.status != NNACCEL_STATUS_OK;
		snprintf(t.why, sizeof(t.why), "run: status %u, %s", end.status, end.text);
		memcpy(t.extents, end.extents, sizeof(t.extents));
	}
	nnmodel_free(model);
	nnmodel_free(values);
	return t;
}

static void expect(const struct row *row, const struct trial *got, const struct trial *want,
		   uint64_t omitted, uint64_t inputs)
{
	if (got->refused == want->refused &&
	    (got->refused || (!memcmp(got->out, want->out, sizeof(got->out)) &&
			      !memcmp(got->extents, want->extents, sizeof(got->extents)))))
		return;
	print_error("%s, omitted %#llx, model inputs %#llx: %s, wanted %s\n", row->name,
		    (unsigned long long)omitted, (unsigned long long)inputs,
		    got->refused ? got->why : "another result",
		    want->refused ? "a refusal" : "that of the same operands in the model");
	fail();
}

/* @inputs within the optional operands, and few enough for one run. */
static uint64_t few(uint64_t inputs)
{
	while (__builtin_popcountll(inputs) > MAX_TOGETHER)
		inputs &= inputs - 1;
	return inputs;
}

/* ---- cases ---- */

static uint64_t optional_of(const struct row *row)
{
	struct operand operands[MAX_OPERANDS];
	const uint32_t n = parse_operands(row->in, operands);
	uint64_t mask = 0;

	for (uint32_t i = 0; i < n; i++)
		mask |= (uint64_t)operands[i].optional << i;
	return mask;
}

static uint64_t random_mask(void)
{
	static uint64_t seed = 88172645463325252ull;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int mix(const struct row *row, uint64_t omitted, const struct trial *want)
{
	const uint64_t optional = optional_of(row);
	int runs = 0;

	for (uint32_t i = 0; i < MIXES + 64; i++) {
		/* one at a time, then any */
		const uint64_t inputs = few(optional & (i < 64 ? 1ull << i : random_mask()));
		struct trial got;

		if (!inputs)
			continue;
		got = run(row, omitted, inputs);
		expect(row, &got, want, omitted, inputs);
		/* the model is valid: only a run decides */
		if (want->refused && got.by_model && (omitted & ~inputs) == 0 &&
		    (optional & ~inputs) == 0) {
			print_error("%s, omitted %#llx: refused by the model, %s\n", row->name,
				    (unsigned long long)omitted, got.why);
			fail();
		}
		runs++;
	}
	return runs;
}

TEST(test_sets)
{
	int runs = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *list = rows[i].valid;
		struct trial want;
		uint64_t omitted;

		while (next_set(&list, &omitted)) {
			assert_int_equal(omitted & ~optional_of(&rows[i]), 0);
			want = run(&rows[i], omitted, 0);
			if (want.refused) {
				print_error("%s, omitted %#llx: %s\n", rows[i].name,
					    (unsigned long long)omitted, want.why);
				fail();
			}
			runs += mix(&rows[i], omitted, &want);
		}
		list = rows[i].invalid;
		while (next_set(&list, &omitted)) {
			assert_int_equal(omitted & ~optional_of(&rows[i]), 0);
			want = run(&rows[i], omitted, 0);
			if (!want.refused) {
				print_error("%s, omitted %#llx: not refused\n", rows[i].name,
					    (unsigned long long)omitted);
				fail();
			}
			runs += mix(&rows[i], omitted, &want);
		}
	}
	print_message("%d runs\n", runs);
}

/*
 * A model input declared as [0] where another rank is required can only be omitted. A run that
 * gives it is refused.
 */
TEST(test_declared_empty)
{
	const float x[2] = { 1, 2 }, aux[2] = { 3, 4 }, none[1] = { 0 };
	float fw[2], bw[2];
	struct nnmodel *m = spec_model(
		NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN,
		"F32:2x1x1 F32:1x1=1 F32:1x1=2 F32:1=0 F32:1x1=0 F32:1x1=-1 F32:1x1=1 F32:1=0 F32:1x1=0 "
		"F32:2x1x1 F32:0 F32:0 i=0 b=1 b=0",
		"F32:2x1x1 F32:2x1x1");
	struct run_end end;

	run_model(m, BUFFERS(BUFFER(x), BUFFER(aux), OMITTED, OMITTED),
		  BUFFERS(BUFFER(fw), BUFFER(bw)));
	end = run_model_end(m,
			    BUFFERS(BUFFER(x), BUFFER(aux), SHAPED(none, 1, 1), SHAPED(none, 1, 1)),
			    BUFFERS(BUFFER(fw), BUFFER(bw)));
	assert_int_not_equal(end.status, NNACCEL_STATUS_OK);
	nnmodel_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_declared_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
