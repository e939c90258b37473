// SPDX-License-Identifier: Apache-2.0
/*
 * Signatures of NNAPI operations. Every case is a valid operation and its feature level; then each
 * operand in turn gets every other type, is taken away, gets another rank, and operands are added:
 * all of it must be refused, by name, but for what the case lists as another valid form.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_op_cases.h"
#include "test_case.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

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
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
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

TEST(test_valid)
{
	for (size_t i = 0; op_case_at(i); i++) {
		struct nnmodel *m = make(op_case_at(i));
		struct nnmodel_error err = NNMODEL_ERROR_INIT;
		uint32_t level = 0;

		if (nnmodel_validate(m, &level, &err) || level != op_case_at(i)->level) {
			print_error("%s: level %u, %s\n", describe(op_case_at(i)), level, err.text);
			fail();
		}
		nnmodel_free(m);
	}
	/* every operation has a case; test_model_control.c has those of control flow */
	for (uint32_t op = 0; op < NNMODEL_OPCODE_COUNT; op++) {
		bool found = op == NNMODEL_IF || op == NNMODEL_WHILE;

		for (size_t i = 0; op_case_at(i); i++)
			found |= op_case_at(i)->opcode == op;
		if (!found)
			print_error("no case for %s\n", nnmodel_operation_name(op));
		assert_true(found);
	}
}

TEST(test_types)
{
	for (size_t i = 0; op_case_at(i); i++) {
		struct nnmodel *original = make(op_case_at(i));

		for (uint32_t n = 0; n < original->main.num_operands; n++)
			for (uint32_t type = 0; type < NNMODEL_SUBGRAPH; type++) {
				struct nnmodel *m;

				if (type == original->main.operands[n].type ||
				    op_case_allows(op_case_at(i), n, type))
					continue;
				m = nnmodel_clone(original);
				spec_retype(m, n, type);
				expect_refused(op_case_at(i), m, nnmodel_type_name(type), n);
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
	if (!input) /* no operation writes it any more */
		m->main.operands[list[n]].lifetime = NNMODEL_SUBGRAPH_INPUT;
	memmove(list + n, list + n + 1, (*count - n - 1) * sizeof(*list));
	(*count)--;
	spec_set_io(m);
	return m;
}

TEST(test_counts)
{
	for (size_t i = 0; op_case_at(i); i++) {
		struct nnmodel *original = make(op_case_at(i)), *m;
		const struct nnmodel_operation *op = &original->main.operations[0];
		struct nnmodel_error err = NNMODEL_ERROR_INIT;
		uint32_t extra;

		for (uint32_t n = 0; n < op->num_inputs + op->num_outputs; n++) {
			m = without(original, n);
			/* an optional operand can be omitted */
			if (!op_case_drops(op_case_at(i), n)) {
				expect_refused(op_case_at(i), m, "without", n);
			} else if (nnmodel_validate(m, NULL, &err)) {
				print_error("%s: without %u: %s\n", describe(op_case_at(i)), n,
					    err.text);
				fail();
			}
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
			if (!output && op_case_at(i)->more)
				assert_int_equal(nnmodel_validate(m, NULL, NULL), 0);
			else
				expect_refused(op_case_at(i), m, output ? "output" : "input",
					       extra);
			nnmodel_free(m);
		}
		/* none at all */
		m = nnmodel_clone(original);
		m->main.operations[0].num_inputs = 0;
		expect_refused(op_case_at(i), m, "no inputs", 0);
		m->main.operations[0].num_inputs = op->num_inputs;
		m->main.operations[0].num_outputs = 0;
		expect_refused(op_case_at(i), m, "no outputs", 0);
		nnmodel_free(m);
		nnmodel_free(original);
	}
}

TEST(test_ranks)
{
	for (size_t i = 0; op_case_at(i); i++)
		for (const char *c = op_case_at(i)->ranks; *c; c++) {
			struct nnmodel *m = make(op_case_at(i));
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
			expect_refused(op_case_at(i), m, "rank 5 of", (uint32_t)(*c - '0'));
			/*
			 * an unknown rank is not checked here, but per-channel scales need one
			 */
			if (!o->num_scales) {
				o->rank = 0;
				assert_int_equal(nnmodel_validate(m, NULL, NULL), 0);
			}
			nnmodel_free(m);
		}
}

/* Rules of single operations. */
TEST(test_constraints)
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
		{ NNMODEL_CONV_2D, "Q8:" IMAGE " QPC:3x2x2x2/3 I32:3 i i i i", "Q8:1x4x4x3",
		  false },
		{ NNMODEL_DEPTHWISE_CONV_2D, "Q8:" IMAGE " QPC:1x2x2x4/0 I32:4 i i i i i",
		  "Q8:1x4x4x4", false },
		{ NNMODEL_GROUPED_CONV_2D, "Q8:" IMAGE " QPC:2x2x2x1/3 I32:2 i i i i i b",
		  "Q8:1x4x4x2", false },
		/* one dilation alone, dilation without layout */
		{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i b i", "F32:1x4x4x3",
		  false },
		{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i i i i b i",
		  "F32:1x4x4x3", false },
		{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i i i", "F32:1x4x4x3",
		  false },
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
		{ NNMODEL_TRANSPOSE_CONV_2D, "Q8:" IMAGE " QPC:3x2x2x2/3 I32:3 I:4 i i i i b",
		  "Q8:1x8x8x3", false },
		/* MIRROR_PAD and REVERSE: paddings, axis, output alike */
		{ NNMODEL_MIRROR_PAD, "F32:2x3 I:2x3 i", "F32:4x5", false },
		{ NNMODEL_MIRROR_PAD, "F32:2x3 I:3x2 i", "F32:4x5", false },
		{ NNMODEL_MIRROR_PAD, "F32:2x3 I:0x0 i", "F32:4x5", true },
		{ NNMODEL_MIRROR_PAD, "F32:2x3 I:2x2 i", "F32:4x5x1", false },
		{ NNMODEL_MIRROR_PAD, "Q8:2x3@0.5 I:2x2 i", "Q8:4x5@0.25", false },
		{ NNMODEL_MIRROR_PAD, "Q8:2x3@0.5,1 I:2x2 i", "Q8:4x5@0.5,2", false },
		{ NNMODEL_REVERSE, "F32:2x3 I:2", "F32:2x3", false },
		{ NNMODEL_REVERSE, "F32:2x3 I:0", "F32", true },
		{ NNMODEL_REVERSE, "F32:2x3 I:1", "F32:6", false },
		{ NNMODEL_REVERSE, "Q8:2x3@0.5 I:1", "Q8:2x3@0.25", false },
		{ NNMODEL_REVERSE, "F32:1x1x1x1x1x1x1x1x2 I:1", "F32:1x1x1x1x1x1x1x1x2", false },
		/* SELECT and FILL: types go together */
		{ NNMODEL_SELECT, "B8:2 F32:2 F16:2", "F32:2", false },
		{ NNMODEL_SELECT, "B8:2 F32:2 F32:2", "F16:2", false },
		{ NNMODEL_FILL, "I:2 i", "F32:2x3", false },
		{ NNMODEL_FILL, "I:2x1 f", "F32:2x3", false },
		{ NNMODEL_LSH_PROJECTION, "F32:4x2 I32:3x2 F16:3 i", "I:8", false },
		/* boxes in 16 bits with scores in 8, in no other mixture */
		{ NNMODEL_BOX_WITH_NMS_LIMIT, "Q8:3x2 F32:3x8 I:3 f i i f f f",
		  "Q8:0 F32:0x4 I:0 I:0", false },
		{ NNMODEL_BOX_WITH_NMS_LIMIT, "F16:3x2 F16:3x8 I:3 f i i f f f",
		  "F16:0 F16:0x4 I:0 I:0", false },
		{ NNMODEL_GENERATE_PROPOSALS,
		  "Q8:1x4x4x2 Q8:1x4x4x8 Q16A:2x4 Q16A:1x2 f f i i f f b", "Q8:0 Q16A:0x4 I:0",
		  false },
		/* DENSIFY: a pair of operands for each level */
		{ NNMODEL_DENSIFY, "F32:4 I:3 ~I I:2 I:2 ~I ~I I:3 I:4", "F32:2x3", false },
		{ NNMODEL_DENSIFY, "F32:4 I:0 ~I I:2 I:2 ~I ~I I:3 I:4", "F32:2x3", true },
		{ NNMODEL_DENSIFY, "F32:4 I:2 ~I I:2 I:2 ~I ~I I:3", "F32:2x3", false },
		{ NNMODEL_DENSIFY, "F32:4x1 I:1 ~I I:1 I:1 ~I ~I", "F32:2", false },
	};

	for (size_t i = 0; i < SIZE(rules); i++) {
		struct nnmodel *m = spec_model(rules[i].opcode, rules[i].in, rules[i].out);
		struct nnmodel_error err = NNMODEL_ERROR_INIT;
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

/* The messages name operation and operand, so that the mistake can be found. */
TEST(test_messages)
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
		{ NNMODEL_RELU, "B8:2", "B8:2",
		  "input 0 (operand 0) is TENSOR_BOOL8, not TENSOR_FLOAT32 or "
		  "TENSOR_QUANT8_ASYMM or TENSOR_FLOAT16" },
		{ NNMODEL_RELU, "F32:2x2x2x2x2", "F32",
		  "input 0 (operand 0) has rank 5, must be at most 4" },
		{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM_INPUTS("F32", "f"),
		  "F32:3x2x4 F32:2x4", "2 outputs, takes 1, 3" },
		{ NNMODEL_CAST, "F32:2", "B8:2", "output 0 (operand 1) is TENSOR_BOOL8, not" },
	};

	for (size_t i = 0; i < SIZE(messages); i++) {
		struct nnmodel *m = spec_model(messages[i].opcode, messages[i].in, messages[i].out);
		struct nnmodel_error err = NNMODEL_ERROR_INIT;

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
		cmocka_unit_test(test_valid),	    cmocka_unit_test(test_types),
		cmocka_unit_test(test_counts),	    cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_constraints), cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
