// SPDX-License-Identifier: Apache-2.0
/*
 * Signatures of NNAPI operations. Every case is a valid operation and its feature level; then each operand
 * in turn gets every other type, is taken away, gets another rank, and operands are added: all of it must
 * be refused, by name, but for what the case lists as another valid form.
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_spec.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct op_case {
	uint32_t opcode;
	const char *in, *out;
	uint32_t level;
	/* operands that may have other types: "3:Q8,QPC 4:F16"; numbers run from inputs to outputs */
	const char *types;
	/* inputs that may be left out: "7" */
	const char *drop;
	/* a scalar INT32 may follow */
	bool more;
	/* inputs whose rank is judged: "01" */
	const char *ranks;
};

#define FILTERS "1:Q8,QPC"
#define FILTERS_SIGNED "1:Q8S,QPC"
#define IMAGE "1x4x4x2"

#define LSTM_INPUTS(t, s) t ":3x2x5 ~" t " " t ":4x5 " t ":4x5 " t ":4x5 ~" t " " t ":4x4 " t ":4x4 " t \
	":4x4 ~" t " ~" t " ~" t " ~" t " " t ":4 " t ":4 " t ":4 ~" t " ~" t " " t ":2x4 " t \
	":2x4 i " s " " s " b ~" t " ~" t " ~" t " ~" t

static const struct op_case cases[] = {
	/* element-wise, two operands */
#define BINARY(op, l32, l16, lq, ls, li) \
	{ NNMODEL_##op, "F32:2x3 F32:3 i", "F32:2x3", l32, "", "", false, "01" }, \
	{ NNMODEL_##op, "F16:2x3 F16:3 i", "F16:2x3", l16, "", "", false, "01" }, \
	{ NNMODEL_##op, "Q8:2x3 Q8:3 i", "Q8:2x3", lq, "", "", false, "01" }, \
	{ NNMODEL_##op, "Q8S:2x3 Q8S:3 i", "Q8S:2x3", ls, "", "", false, "01" }, \
	{ NNMODEL_##op, "I32:2x3 I32:3 i", "I32:2x3", li, "", "", false, "01" }
	BINARY(ADD, 1, 3, 1, 4, 4),
	BINARY(SUB, 2, 3, 3, 4, 4),
	BINARY(MUL, 1, 3, 1, 4, 4),
	{ NNMODEL_DIV, "F32:2x3 F32:3 i", "F32", 3, "", "", false, "01" },
	{ NNMODEL_DIV, "F32:2x3 F32:3 i", "F32:2x3", 2, "", "", false, "01" },
	{ NNMODEL_DIV, "I32:2x3 I32:3 i", "I32:2x3", 4, "", "", false, "01" },

	/* one operand */
#define UNARY(op, t, level, ranks) { NNMODEL_##op, t ":2x3", t ":2x3", level, "", "", false, ranks }
	UNARY(RELU, "F32", 1, "0"), UNARY(RELU, "F16", 3, "0"), UNARY(RELU, "Q8", 1, "0"),
	UNARY(RELU, "Q8S", 4, "0"), UNARY(RELU1, "F32", 1, "0"), UNARY(RELU1, "Q8", 1, "0"),
	UNARY(RELU6, "F32", 1, "0"), UNARY(RELU6, "Q8S", 4, "0"), UNARY(LOGISTIC, "F32", 1, "0"),
	UNARY(LOGISTIC, "Q8", 1, "0"), UNARY(TANH, "F32", 1, "0"), UNARY(TANH, "Q8", 3, "0"),
	UNARY(TANH, "Q8S", 4, "0"), UNARY(FLOOR, "F32", 1, "0"), UNARY(FLOOR, "F16", 3, "0"),
	UNARY(HARD_SWISH, "F32", 4, ""), UNARY(HARD_SWISH, "Q8", 4, ""), UNARY(ABS, "F32", 3, ""),
	UNARY(ABS, "I32", 4, ""), UNARY(NEG, "I32", 3, ""), UNARY(NEG, "F16", 3, ""),
	UNARY(EXP, "F32", 3, ""), UNARY(LOG, "F16", 3, ""), UNARY(SIN, "F32", 3, ""),
	UNARY(SQRT, "F32", 3, ""), UNARY(RSQRT, "F32", 3, ""), UNARY(RSQRT, "Q8", 7, ""),
	UNARY(RSQRT, "Q8S", 7, ""), UNARY(LOGICAL_NOT, "B8", 3, ""),
	{ NNMODEL_ELU, "F32:2x3 f", "F32:2x3", 4, "", "", false, "" },
	{ NNMODEL_ELU, "F16:2x3 h", "F16:2x3", 4, "", "", false, "" },

	/* convolutions: implicit and explicit padding, layout, dilation */
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i", "F32:1x4x4x3", 1, "", "", false, "01" },
	{ NNMODEL_CONV_2D, "F16:" IMAGE " F16:3x2x2x2 F16:3 i i i i", "F16:1x4x4x3", 3, "", "", false, "01" },
	{ NNMODEL_CONV_2D, "Q8:" IMAGE " Q8:3x2x2x2 I32:3 i i i i", "Q8:1x4x4x3@0.5", 1, FILTERS, "", false,
	  "01" },
	/* the output's scale not above the product: level 3 */
	{ NNMODEL_CONV_2D, "Q8:" IMAGE " Q8:3x2x2x2 I32:3 i i i i", "Q8:1x4x4x3@0.25", 3, FILTERS, "", false,
	  "01" },
	{ NNMODEL_CONV_2D, "Q8:" IMAGE " QPC:3x2x2x2 I32:3 i i i i", "Q8:1x4x4x3", 3, FILTERS, "", false,
	  "01" },
	{ NNMODEL_CONV_2D, "Q8S:" IMAGE " Q8S:3x2x2x2 I32:3 i i i i", "Q8S:1x4x4x3", 4, FILTERS_SIGNED, "",
	  false, "01" },
	{ NNMODEL_CONV_2D, "Q8S:" IMAGE " QPC:3x2x2x2 I32:3 i i i i", "Q8S:1x4x4x3", 4, FILTERS_SIGNED, "",
	  false, "01" },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i b", "F32:1x4x4x3", 3, "", "7", false,
	  "01" },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i b i i", "F32:1x4x4x3", 3, "7:i", "", false,
	  "01" },	/* ten inputs: INT32 there makes it explicit padding */
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i i i i", "F32:1x4x4x3", 1, "7:b", "",
	  false, "01" },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i i i i b", "F32:1x4x4x3", 3, "", "10",
	  false, "01" },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i i i i b i i", "F32:1x4x4x3", 3, "", "",
	  false, "01" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:1x2x2x4 F32:4 i i i i i", "F32:1x4x4x4", 1, "", "",
	  false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "Q8:" IMAGE " QPC:1x2x2x4/3 I32:4 i i i i i", "Q8:1x4x4x4", 3, "1:Q8",
	  "", false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:1x2x2x4 F32:4 i i i i i b", "F32:1x4x4x4", 3, "", "8",
	  false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:1x2x2x4 F32:4 i i i i i b i i", "F32:1x4x4x4", 3,
	  "8:i", "", false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "Q8S:" IMAGE " Q8S:1x2x2x4 I32:4 i i i i i i i i", "Q8S:1x4x4x4", 4,
	  "8:b", "", false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:1x2x2x4 F32:4 i i i i i i i i b", "F32:1x4x4x4", 3,
	  "", "11", false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:1x2x2x4 F32:4 i i i i i i i i b i i", "F32:1x4x4x4",
	  3, "", "", false, "" },
	{ NNMODEL_GROUPED_CONV_2D, "F32:" IMAGE " F32:2x2x2x1 F32:2 i i i i i b", "F32:1x4x4x2", 3, "", "",
	  false, "" },
	{ NNMODEL_GROUPED_CONV_2D, "Q8:" IMAGE " QPC:2x2x2x1 I32:2 i i i i i i i i b", "Q8:1x4x4x2", 3,
	  FILTERS, "", false, "" },

	/* pooling */
	{ NNMODEL_AVERAGE_POOL_2D, "F32:" IMAGE " i i i i i i", "F32:1x2x2x2", 1, "", "", false, "0" },
	{ NNMODEL_AVERAGE_POOL_2D, "Q8:" IMAGE " i i i i i i b", "Q8:1x2x2x2", 3, "", "7", false, "0" },
	{ NNMODEL_MAX_POOL_2D, "Q8S:" IMAGE " i i i i i i i i i", "Q8S:1x2x2x2", 4, "", "", false, "0" },
	{ NNMODEL_MAX_POOL_2D, "F16:" IMAGE " i i i i i i i i i b", "F16:1x2x2x2", 3, "", "10", false, "0" },
	{ NNMODEL_L2_POOL_2D, "F32:" IMAGE " i i i i i i", "F32:1x2x2x2", 1, "", "", false, "0" },

	/* shapes */
	{ NNMODEL_RESHAPE, "F32:2x3 I:2", "F32:3x2", 1, "", "", false, "0" },
	{ NNMODEL_RESHAPE, "I32:2x3 I:2", "I32:3x2", 6, "", "", false, "0" },
	{ NNMODEL_SQUEEZE, "Q8:2x1 I:1", "Q8:2", 2, "", "", false, "0" },
	{ NNMODEL_EXPAND_DIMS, "I32:2x3 i", "I32:2x1x3", 3, "", "", false, "" },
	{ NNMODEL_EXPAND_DIMS, "Q8S:2x3 i", "Q8S:2x1x3", 4, "", "", false, "" },
	{ NNMODEL_TRANSPOSE, "F16:2x3 I:2", "F16:3x2", 3, "", "", false, "0" },
	{ NNMODEL_TRANSPOSE, "F32:2x3 ~I", "F32:3x2", 2, "", "", false, "0" },
	{ NNMODEL_CONCATENATION, "F32:2x3 F32:2x3 F32:2x1 i", "F32:2x7", 1, "", "012", false, "012" },
	{ NNMODEL_CONCATENATION, "Q8:2x3 Q8:2x3@0.25 i", "Q8:2x6", 3, "", "01", false, "01" },
	{ NNMODEL_CONCATENATION, "Q8:2x3 i", "Q8:2x3", 1, "", "", false, "0" },
	{ NNMODEL_PACK, "i I32:2x3 I32:2x3", "I32:2x2x3", 6, "", "12", false, "" },
	{ NNMODEL_PACK, "i Q8:2x3@0.25,7 Q8:2x3@0.25,7", "Q8:2x2x3@0.25,7", 6, "", "12", false, "" },
	{ NNMODEL_PAD, "F32:2x3 I:2x2", "F32:3x4", 2, "", "", false, "0" },
	{ NNMODEL_PAD, "Q8:2x3@0.5,1 I:2x2", "Q8:3x4@0.5,1", 3, "", "", false, "0" },
	{ NNMODEL_PAD_V2, "F32:2x3 I:2x2 f", "F32:3x4", 3, "", "", false, "0" },
	{ NNMODEL_PAD_V2, "F16:2x3 I:2x2 h", "F16:3x4", 3, "", "", false, "0" },
	{ NNMODEL_PAD_V2, "Q8S:2x3 I:2x2 i", "Q8S:3x4", 4, "", "", false, "0" },

	/* reductions */
	{ NNMODEL_MEAN, "F32:2x3 I:1 i", "F32:2", 2, "", "", false, "0" },
	{ NNMODEL_REDUCE_ALL, "B8:2x3 I:1 b", "B8:2", 3, "", "", false, "0" },
	{ NNMODEL_REDUCE_ANY, "B8:2x3 I:1 b", "B8:2", 3, "", "", false, "0" },
	{ NNMODEL_REDUCE_MAX, "Q8S:2x3 I:1 b", "Q8S:2", 4, "", "", false, "0" },
	{ NNMODEL_REDUCE_MIN, "Q8:2x3 I:1 b", "Q8:2", 3, "", "", false, "0" },
	{ NNMODEL_REDUCE_PROD, "F16:2x3 I:1 b", "F16:2", 3, "", "", false, "0" },
	{ NNMODEL_REDUCE_SUM, "F32:2x3 I:1 b", "F32:2", 3, "", "", false, "0" },
	{ NNMODEL_ARGMAX, "F32:2x3 i", "I32:2", 3, "0:F32,F16,I32,Q8,Q8S", "", false, "" },
	{ NNMODEL_ARGMIN, "Q8S:2x3 i", "I32:2", 4, "0:F32,F16,I32,Q8,Q8S", "", false, "" },

	/* resizing */
	{ NNMODEL_RESIZE_BILINEAR, "F32:" IMAGE " i i", "F32:1x8x8x2", 1, "", "", false, "0" },
	{ NNMODEL_RESIZE_BILINEAR, "F32:" IMAGE " f f", "F32:1x8x8x2", 3, "", "", false, "0" },
	{ NNMODEL_RESIZE_BILINEAR, "F16:" IMAGE " h h b", "F16:1x8x8x2", 3, "", "3", false, "0" },
	{ NNMODEL_RESIZE_BILINEAR, "Q8:" IMAGE " i i b b", "Q8:1x8x8x2", 4, "", "34", false, "0" },
	{ NNMODEL_RESIZE_BILINEAR, "Q8S:" IMAGE " f f b b b", "Q8S:1x8x8x2", 4, "", "345", false, "0" },
	{ NNMODEL_RESIZE_NEAREST_NEIGHBOR, "F32:" IMAGE " i i b", "F32:1x8x8x2", 3, "", "", false, "0" },
	{ NNMODEL_RESIZE_NEAREST_NEIGHBOR, "F32:" IMAGE " f f b b b", "F32:1x8x8x2", 4, "", "345", false,
	  "0" },

	/* conversions */
	{ NNMODEL_QUANTIZE, "F32:2x3", "Q8:2x3", 3, "0:F32,F16 1:Q8,Q8S", "", false, "" },
	{ NNMODEL_QUANTIZE, "F16:2x3", "Q8S:2x3", 4, "0:F32,F16 1:Q8,Q8S", "", false, "" },
	{ NNMODEL_DEQUANTIZE, "Q8:2x3", "F32:2x3", 1, "0:Q8,Q8S,Q8Y,QPC 1:F32,F16", "", false, "0" },
	{ NNMODEL_DEQUANTIZE, "QPC:2x3/1", "F16:2x3", 3, "0:Q8,Q8S,Q8Y,QPC 1:F32,F16", "", false, "0" },
	{ NNMODEL_DEQUANTIZE, "Q8Y:2x3", "F32:2x3", 3, "0:Q8,Q8S,Q8Y,QPC 1:F32,F16", "", false, "0" },
	{ NNMODEL_DEQUANTIZE, "Q8S:2x3", "F32:2x3", 4, "0:Q8,Q8S,Q8Y,QPC 1:F32,F16", "", false, "0" },
	{ NNMODEL_CAST, "F32:2x3", "I32:2x3", 3, "0:F32,F16,I32,Q8 1:F32,F16,I32,Q8", "", false, "" },
	{ NNMODEL_CAST, "B8:2x3", "B8:2x3", 4, "", "", false, "" },
	{ NNMODEL_CAST, "Q16A:2x3", "Q16A:2x3", 4, "", "", false, "" },
	{ NNMODEL_CAST, "Q8S:2x3", "Q8S:2x3", 4, "", "", false, "" },

	/* and the rest */
	{ NNMODEL_SOFTMAX, "F32:2x3 f", "F32:2x3", 1, "", "", true, "0" },
	{ NNMODEL_SOFTMAX, "Q8:2x3x4 f", "Q8:2x3x4", 3, "", "", true, "0" },
	{ NNMODEL_SOFTMAX, "F16:2x3 h i", "F16:2x3", 3, "", "2", false, "0" },
	{ NNMODEL_LOG_SOFTMAX, "F32:2x3 f i", "F32:2x3", 3, "", "", false, "" },
	{ NNMODEL_FULLY_CONNECTED, "F32:2x3 F32:4x3 F32:4 i", "F32:2x4", 1, "", "", false, "012" },
	{ NNMODEL_FULLY_CONNECTED, "Q8:2x3 Q8:4x3 I32:4 i", "Q8:2x4", 1, "", "", false, "012" },
	{ NNMODEL_FULLY_CONNECTED, "Q8S:2x3 Q8S:4x3 I32:4 i", "Q8S:2x4", 4, "", "", false, "012" },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM_INPUTS("F32", "f"), "F32:3x2x4", 3, "", "", false,
	  "0" },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM_INPUTS("F16", "h"), "F16:3x2x4 F16:2x4 F16:2x4", 4, "",
	  "", false, "0" },
};

static const char *describe(const struct op_case *c)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s (%s)", nnmodel_operation_name(c->opcode), c->in);
	return text;
}

/* A refusal that names the operation and an operand of it. */
static void expect_refused(const struct op_case *c, const struct nnmodel *m, const char *what,
			   uint32_t operand)
{
	const struct nnmodel_operation *op = &m->main.operations[0];
	struct nnmodel_error err;
	char name[64];

	if (!nnmodel_validate(m, NULL, &err)) {
		print_error("%s: %s %u is accepted\n", describe(c), what, operand);
		fail();
	}
	snprintf(name, sizeof(name), "operation 0 %s: ", nnmodel_operation_name(c->opcode));
	if (strncmp(err.text, name, strlen(name)) || err.operation != 0) {
		print_error("%s: %s %u: \"%s\"\n", describe(c), what, operand, err.text);
		fail();
	}
	if (err.operand != UINT32_MAX) {
		bool ours = false;

		for (uint32_t i = 0; i < op->num_inputs; i++)
			ours |= op->inputs[i] == err.operand;
		for (uint32_t i = 0; i < op->num_outputs; i++)
			ours |= op->outputs[i] == err.operand;
		assert_true(ours);
	}
}

static struct nnmodel *make(const struct op_case *c)
{
	return spec_model(c->opcode, c->in, c->out);
}

static void test_valid(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE(cases); i++) {
		struct nnmodel *m = make(&cases[i]);
		struct nnmodel_error err = { 0 };
		uint32_t level = 0;

		if (nnmodel_validate(m, &level, &err) || level != cases[i].level) {
			print_error("%s: level %u, %s\n", describe(&cases[i]), level, err.text);
			fail();
		}
		nnmodel_free(m);
	}
	/* every row has a case */
	for (uint32_t op = 0; op < NNMODEL_OPCODE_COUNT; op++) {
		bool found = !nnmodel_op_find(op);

		for (size_t i = 0; i < SIZE(cases); i++)
			found |= cases[i].opcode == op;
		if (!found)
			print_error("no case for %s\n", nnmodel_operation_name(op));
		assert_true(found);
	}
}

/* Whether "3:Q8,QPC 4:F16" lists @name at @operand. */
static bool listed(const char *list, uint32_t operand, const char *name)
{
	const size_t len = strlen(name);

	while (*list) {
		bool here = strtoul(list, (char **)&list, 10) == operand;

		do {
			list++;
			if (here && !strncmp(list, name, len) && strchr(", ", list[len]))
				return true;
			list += strcspn(list, ", ");
		} while (*list == ',');
		list += *list == ' ';
	}
	return false;
}

static void test_types(void **state)
{
	static const char *const names[NNMODEL_SUBGRAPH] = {
		"f", "i", "u", "F32", "I32", "Q8", "b", "Q16S", "F16", "B8", "h", "QPC", "Q16A", "Q8Y", "Q8S",
	};

	(void)state;
	for (size_t i = 0; i < SIZE(cases); i++) {
		struct nnmodel *original = make(&cases[i]);

		for (uint32_t n = 0; n < original->main.num_operands; n++)
			for (uint32_t type = 0; type < NNMODEL_SUBGRAPH; type++) {
				struct nnmodel *m;

				if (type == original->main.operands[n].type ||
				    listed(cases[i].types, n, names[type]))
					continue;
				m = nnmodel_clone(original);
				spec_retype(m, n, type);
				expect_refused(&cases[i], m, names[type], n);
				nnmodel_free(m);
			}
		nnmodel_free(original);
	}
}

/* Removing input or output @n of the operation, the operand stays as an unused input. */
static struct nnmodel *without(const struct nnmodel *original, uint32_t n)
{
	struct nnmodel *m = nnmodel_clone(original);
	struct nnmodel_operation *op = &m->main.operations[0];
	const bool input = n < op->num_inputs;
	uint32_t *list = input ? op->inputs : op->outputs;
	uint32_t *count = input ? &op->num_inputs : &op->num_outputs;

	n -= input ? 0 : op->num_inputs;
	memmove(list + n, list + n + 1, (*count - n - 1) * sizeof(*list));
	(*count)--;
	return m;
}

static void test_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE(cases); i++) {
		struct nnmodel *original = make(&cases[i]), *m;
		const struct nnmodel_operation *op = &original->main.operations[0];
		char dropped[16];
		uint32_t extra;

		for (uint32_t n = 0; n < op->num_inputs + op->num_outputs; n++) {
			snprintf(dropped, sizeof(dropped), "%u", n);
			/* two digits name one position, single ones several */
			if (n < 10 ? strcmp(cases[i].drop, "10") && strcmp(cases[i].drop, "11") &&
				     strchr(cases[i].drop, dropped[0])
				   : !strcmp(cases[i].drop, dropped))
				continue;
			m = without(original, n);
			expect_refused(&cases[i], m, "without", n);
			nnmodel_free(m);
		}
		/* what may be left out is valid without it */
		if (strlen(cases[i].drop) == 1) {
			m = without(original, (uint32_t)(cases[i].drop[0] - '0'));
			assert_int_equal(nnmodel_validate(m, NULL, NULL), 0);
			nnmodel_free(m);
		}

		for (int output = 0; output < 2; output++) {
			struct nnmodel_operation *o;
			uint32_t **list, *count;

			m = nnmodel_clone(original);
			extra = spec_operand(m, "i");
			if (output)
				m->main.operands[extra].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
			spec_set_io(m);
			o = &m->main.operations[0];
			list = output ? &o->outputs : &o->inputs;
			count = output ? &o->num_outputs : &o->num_inputs;
			*list = realloc(*list, (*count + 1) * sizeof(**list));
			(*list)[(*count)++] = extra;
			if (!output && cases[i].more)
				assert_int_equal(nnmodel_validate(m, NULL, NULL), 0);
			else
				expect_refused(&cases[i], m, output ? "output" : "input", extra);
			nnmodel_free(m);
		}
		/* none at all */
		m = nnmodel_clone(original);
		m->main.operations[0].num_inputs = 0;
		expect_refused(&cases[i], m, "no inputs", 0);
		m->main.operations[0].num_inputs = op->num_inputs;
		m->main.operations[0].num_outputs = 0;
		expect_refused(&cases[i], m, "no outputs", 0);
		nnmodel_free(m);
		nnmodel_free(original);
	}
}

static void test_ranks(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE(cases); i++)
		for (const char *c = cases[i].ranks; *c; c++) {
			struct nnmodel *m = make(&cases[i]);
			struct nnmodel_operand *o = &m->main.operands[*c - '0'];

			free(o->dims);
			o->dims = calloc(5, sizeof(*o->dims));
			for (uint32_t k = 0; k < 5; k++)
				o->dims[k] = 1;
			o->rank = 5;
			if (o->num_scales) {
				o->dims[0] = o->num_scales;
				o->channel_dim = 0;
			}
			expect_refused(&cases[i], m, "rank 5 of", (uint32_t)(*c - '0'));
			/* an unknown rank is nobody's business here, but per-channel scales need one */
			if (!o->num_scales) {
				o->rank = 0;
				assert_int_equal(nnmodel_validate(m, NULL, NULL), 0);
			}
			nnmodel_free(m);
		}
}

/* Rules of single operations. */
static void test_constraints(void **state)
{
	static const struct {
		uint32_t opcode;
		const char *in, *out;
		bool ok;
	} rules[] = {
		/* the output's scale must be above the product of the inputs' */
		{ NNMODEL_MUL, "Q8:2@0.5 Q8:2@0.5 i", "Q8:2@0.25", false },
		{ NNMODEL_MUL, "Q8:2@0.5 Q8:2@0.5 i", "Q8:2@0.2500001", true },
		{ NNMODEL_MUL, "Q8S:2@0.5 Q8S:2@0.5 i", "Q8S:2@0.125", false },
		{ NNMODEL_ADD, "Q8:2@0.5 Q8:2@0.5 i", "Q8:2@0.125", true },
		/* channel dimension */
		{ NNMODEL_CONV_2D, "Q8:" IMAGE " QPC:3x2x2x2/3 I32:3 i i i i", "Q8:1x4x4x3", false },
		{ NNMODEL_DEPTHWISE_CONV_2D, "Q8:" IMAGE " QPC:1x2x2x4/0 I32:4 i i i i i", "Q8:1x4x4x4",
		  false },
		{ NNMODEL_GROUPED_CONV_2D, "Q8:" IMAGE " QPC:2x2x2x1/3 I32:2 i i i i i b", "Q8:1x4x4x2",
		  false },
		/* one dilation alone, dilation without layout */
		{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i b i", "F32:1x4x4x3", false },
		{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i i i i b i", "F32:1x4x4x3", false },
		{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i i i", "F32:1x4x4x3", false },
		/* CAST: dimensions */
		{ NNMODEL_CAST, "F32:2x3", "I32:2x4", false },
		{ NNMODEL_CAST, "F32:2x3", "I32:6", false },
		{ NNMODEL_CAST, "F32:2x0", "I32:2x3", false },
		{ NNMODEL_CAST, "F32:2x3", "I32:2x0", true },
		{ NNMODEL_CAST, "F32:2x3", "I32", true },
		{ NNMODEL_CAST, "F32", "I32:2x3", true },
		{ NNMODEL_CAST, "B8:2", "F32:2", false },
		{ NNMODEL_CAST, "Q8S:2", "Q8:2", false },
		/* PACK */
		{ NNMODEL_PACK, "i Q8:2x3@0.25 Q8:2x3@0.5", "Q8:2x2x3@0.25", false },
		{ NNMODEL_PACK, "i Q8:2x3@0.25,1 Q8:2x3@0.25,1", "Q8:2x2x3@0.25,2", false },
		{ NNMODEL_PACK, "i F32:2x3 F32:2x3", "F32:2x3", false },
		{ NNMODEL_PACK, "i F32:2x3 F32:2x3", "F32", true },
		{ NNMODEL_PACK, "i", "F32", false },
		/* FULLY_CONNECTED */
		{ NNMODEL_FULLY_CONNECTED, "F32:3 F32:4x3 F32:4 i", "F32:1x4", false },
		{ NNMODEL_FULLY_CONNECTED, "F32:2x3 F32:4x3 F32:5 i", "F32:2x4", false },
		{ NNMODEL_FULLY_CONNECTED, "F32:2x4 F32:4x3 F32:4 i", "F32:2x4", false },
		{ NNMODEL_FULLY_CONNECTED, "F32:2x2x3 F32:4x3 F32:4 i", "F32:4x4", true },
		{ NNMODEL_FULLY_CONNECTED, "F32:0x4 F32:4x3 F32:4 i", "F32:0x4", true },
		/* CONCATENATION */
		{ NNMODEL_CONCATENATION, "i", "F32", false },
		{ NNMODEL_CONCATENATION, "F32:1 F16:1 i", "F32:2", false },
		/* sizes and scales are not mixed */
		{ NNMODEL_RESIZE_BILINEAR, "F32:" IMAGE " i f", "F32:1x8x8x2", false },
		{ NNMODEL_RESIZE_BILINEAR, "F16:" IMAGE " f f", "F16:1x8x8x2", false },
		{ NNMODEL_RESIZE_NEAREST_NEIGHBOR, "F32:" IMAGE " i i", "F32:1x8x8x2", false },
	};

	(void)state;
	for (size_t i = 0; i < SIZE(rules); i++) {
		struct nnmodel *m = spec_model(rules[i].opcode, rules[i].in, rules[i].out);
		struct nnmodel_error err = { 0 };
		const int ret = nnmodel_validate(m, NULL, &err);

		if (ret != (rules[i].ok ? 0 : -EINVAL)) {
			print_error("%s (%s): %d %s\n", nnmodel_operation_name(rules[i].opcode),
				    rules[i].in, ret, err.text);
			fail();
		}
		if (ret)
			assert_non_null(strstr(err.text, nnmodel_operation_name(rules[i].opcode)));
		nnmodel_free(m);
	}
}

/* What the messages say: enough to find the mistake. */
static void test_messages(void **state)
{
	static const struct {
		uint32_t opcode;
		const char *in, *out, *text;
	} messages[] = {
		{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i f", "F32:1x4x4x3",
		  "operation 0 CONV_2D: input 6 (operand 6) is FLOAT32, not INT32" },
		{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i f i i", "F32:1x4x4x3",
		  "input 7 (operand 7) is FLOAT32, not BOOL or INT32" },
		{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i", "F32",
		  "5 inputs, takes 7, 8, 10, 11, 13" },
		{ NNMODEL_CONCATENATION, "i", "F32", "1 inputs, takes 2 or more" },
		{ NNMODEL_RELU, "B8:2", "B8:2", "input 0 (operand 0) is TENSOR_BOOL8, not TENSOR_FLOAT32 or "
		  "TENSOR_QUANT8_ASYMM or TENSOR_FLOAT16" },
		{ NNMODEL_RELU, "F32:2x2x2x2x2", "F32", "input 0 (operand 0) has rank 5, must be at most 4" },
		{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM_INPUTS("F32", "f"), "F32:3x2x4 F32:2x4",
		  "2 outputs, takes 1, 3" },
		{ NNMODEL_CAST, "F32:2", "B8:2", "output 0 (operand 1) is TENSOR_BOOL8, not" },
	};

	(void)state;
	for (size_t i = 0; i < SIZE(messages); i++) {
		struct nnmodel *m = spec_model(messages[i].opcode, messages[i].in, messages[i].out);
		struct nnmodel_error err;

		assert_int_equal(nnmodel_validate(m, NULL, &err), -EINVAL);
		if (!strstr(err.text, messages[i].text))
			print_error("%s\n", err.text);
		assert_non_null(strstr(err.text, messages[i].text));
		nnmodel_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_constraints),
		cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
