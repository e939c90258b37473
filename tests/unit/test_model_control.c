// SPDX-License-Identifier: Apache-2.0
/*
 * Signatures of IF and WHILE: a valid model of each, then every possible error in it and in its
 * subgraphs, one at a time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model_control_spec.h"
#include "test_case.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

TEST(test_valid)
{
	struct nnmodel *(*const make[])(void) = { spec_if, spec_while };

	for (size_t i = 0; i < SIZE(make); i++) {
		struct nnmodel *m = make[i]();
		struct nnmodel_error err = NNMODEL_ERROR_INIT;
		uint32_t level = 0;

		if (nnmodel_validate(m, &level, &err))
			print_error("%s\n", err.text);
		assert_int_equal(level, 4);
		nnmodel_free(m);
	}
}

/* Refused for @why in operation 0 of main. */
static void refused(struct nnmodel *m, const char *why)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	const int ret = nnmodel_validate(m, NULL, &err);

	if (ret != -EINVAL || !strstr(err.text, why)) {
		print_error("expected \"%s\", got %d \"%s\"\n", why, ret, err.text);
		fail();
	}
	assert_int_equal(err.subgraph, 0);
	assert_int_equal(err.operation, 0);
	nnmodel_free(m);
}

TEST(test_counts)
{
	struct nnmodel *m;

	m = spec_if();
	m->main.operations[0].num_inputs = 2;
	refused(m, "2 inputs, takes 3 or more");
	m = spec_if();
	m->main.operations[0].num_outputs = 0;
	refused(m, "0 outputs");
	m = spec_if();
	m->main.operations[0].num_inputs = 4;
	refused(m, "has 2 inputs, not 1");
	m = spec_while();
	m->main.operations[0].num_inputs = 2;
	refused(m, "2 inputs, takes 3 or more");
	m = spec_while();
	m->main.operations[0].num_outputs = 0;
	refused(m, "0 outputs");
	m = spec_while();
	m->main.operations[0].num_inputs = 3;
	refused(m, "has 2 inputs, not 1");
	/* the body may have no more outputs than inputs, the operation no more than the body */
	m = spec_while();
	m->main.operations[0].outputs =
		realloc(m->main.operations[0].outputs, 2 * sizeof(uint32_t));
	m->main.operations[0].outputs[1] = spec_output(m, "F32:1");
	m->main.operations[0].num_outputs = 2;
	spec_set_io(m);
	refused(m, "the body (operand 1) has 1 outputs, must be 2 to 2");
}

TEST(test_branches)
{
	struct nnmodel *m;

	/* inputs 1 and 2 of IF, 0 and 1 of WHILE are subgraphs */
	for (uint32_t i = 1; i < 3; i++) {
		m = spec_if();
		m->main.operations[0].inputs[i] = 3;
		refused(m, "is TENSOR_QUANT8_ASYMM, not SUBGRAPH");
	}
	for (uint32_t i = 0; i < 2; i++) {
		m = spec_while();
		m->main.operations[0].inputs[i] = 2;
		refused(m, "is TENSOR_FLOAT32, not SUBGRAPH");
	}
	/* a condition's graph as the body, and the other way round */
	m = spec_while();
	m->main.operations[0].inputs[1] = 0;
	refused(m, "input of the body 0 is TENSOR_FLOAT32, output of the body 0 TENSOR_BOOL8");
	m = spec_while();
	m->main.operations[0].inputs[0] = 1;
	refused(m, "the condition is TENSOR_FLOAT32, not TENSOR_BOOL8");
	/* another number of outputs than the branch */
	m = spec_if();
	m->main.operations[0].outputs =
		realloc(m->main.operations[0].outputs, 2 * sizeof(uint32_t));
	m->main.operations[0].outputs[1] = spec_output(m, "Q8:2x3@2,1");
	m->main.operations[0].num_outputs = 2;
	spec_set_io(m);
	refused(m, "has 1 outputs, not 2");
}

TEST(test_condition)
{
	const struct {
		uint32_t type, rank, extent;
		const char *why;
	} wrong[] = {
		{ NNMODEL_BOOL, 0, 0, "the condition is BOOL, not TENSOR_BOOL8" },
		{ NNMODEL_TENSOR_INT32, 1, 1, "the condition is TENSOR_INT32" },
		{ NNMODEL_TENSOR_BOOL8, 0, 0, "one element" },
		{ NNMODEL_TENSOR_BOOL8, 1, 2, "one element" },
		{ NNMODEL_TENSOR_BOOL8, 1, 0, "one element" },
		{ NNMODEL_TENSOR_BOOL8, 2, 1, "one element" },
	};

	for (size_t i = 0; i < SIZE(wrong); i++) {
		struct nnmodel *m = spec_if();
		struct nnmodel_operand *o = &m->main.operands[0];

		free(o->dims);
		o->dims = calloc(2, sizeof(*o->dims));
		o->dims[0] = wrong[i].extent;
		o->dims[1] = 1;
		o->rank = wrong[i].rank;
		o->type = wrong[i].type;
		refused(m, wrong[i].why);
	}
	/* the output of the loop's condition; its own operation takes any shape that is unknown */
	for (size_t i = 2; i < SIZE(wrong); i++) {
		struct nnmodel *m = spec_while();
		struct nnmodel_operand *o = &m->referenced[0].operands[2];

		free(o->dims);
		o->dims = calloc(2, sizeof(*o->dims));
		o->dims[0] = wrong[i].extent;
		o->dims[1] = 1;
		o->rank = wrong[i].rank;
		refused(m, wrong[i].why);
	}
}

static void set_dim(struct nnmodel_operand *o, uint32_t dim, uint32_t extent)
{
	assert_true(dim < o->rank);
	o->dims[dim] = extent;
}

TEST(test_compatible)
{
	struct nnmodel *m;

	/* arguments of IF against both branches */
	for (uint32_t branch = 0; branch < 2; branch++) {
		m = spec_if();
		m->referenced[branch].operands[0].scale = 0.25f;
		refused(m, "input 3 and input of its subgraph 0 differ in quantization");
		m = spec_if();
		m->referenced[branch].operands[1].zero_point = 1;
		refused(m, "input 4 and input of its subgraph 1 differ in quantization");
		m = spec_if();
		m->referenced[branch].operands[2].zero_point = 2;
		refused(m, "output 0 and output of its subgraph 0 differ in quantization");
	}
	m = spec_if();
	set_dim(&m->referenced[0].operands[0], 0, 5);
	refused(m, "differ in dimensions");
	m = spec_if();
	m->referenced[1].operands[1].rank = 1;
	refused(m, "differ in rank");
	m = spec_if();
	set_dim(&m->referenced[0].operands[2], 1, 5);
	refused(m, "output 0 and output of its subgraph 0 differ in dimensions");

	/* the loop: argument, condition, body, and the body against itself */
	m = spec_while();
	set_dim(&m->referenced[0].operands[1], 0, 2);
	refused(m, "input 3 and input of its subgraph 1 differ in dimensions");
	m = spec_while();
	set_dim(&m->referenced[1].operands[1], 0, 2);
	refused(m, "input 3 and input of its subgraph 1 differ in dimensions");
	m = spec_while();
	set_dim(&m->referenced[1].operands[2], 0, 2);
	refused(m, "input of the body 0 and output of the body 0 differ in dimensions");
	m = spec_while();
	set_dim(&m->main.operands[4], 0, 2);
	refused(m, "output 0 and output of its subgraph 0 differ in dimensions");
	/* a tensor that grows in the loop has undeclared extents */
	m = spec_while();
	set_dim(&m->main.operands[4], 0, 0);
	set_dim(&m->referenced[1].operands[0], 0, 0);
	set_dim(&m->referenced[1].operands[2], 0, 0);
	set_dim(&m->referenced[0].operands[0], 0, 0);
	assert_int_equal(nnmodel_validate(m, NULL, NULL), 0);
	nnmodel_free(m);
}

TEST(test_channel_scales)
{
	struct nnmodel *m = nnmodel_new();

	spec_operand(m, "B8:1");
	spec_reference(m, 0);
	spec_reference(m, 0);
	spec_operand(m, "QPC:2x3");
	spec_output(m, "F32:2x3");
	spec_add_graph(m, NNMODEL_DEQUANTIZE, "QPC:2x3", "F32:2x3");
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_IF, (uint32_t[]){ 0, 1, 2, 3 }, 4,
					       (uint32_t[]){ 4 }, 1),
			 0);
	spec_set_io(m);
	assert_int_equal(nnmodel_validate(m, NULL, NULL), 0);
	m->main.operands[3].scales[1] = 0.75f;
	refused(m, "input 3 and input of its subgraph 0 differ in quantization");
}

/*
 * Subgraph 0's own IF names subgraph 1, which is validated after it: its broken lists are found
 * through the operation that refers to them, without being followed.
 */
TEST(test_hostile_subgraph)
{
	for (int variant = 0; variant < 4; variant++) {
		struct nnmodel *m = spec_if(), *inner = spec_if();
		struct nnmodel_subgraph *g, *target;
		struct nnmodel_error err = NNMODEL_ERROR_INIT;

		/* referenced: 0 the inner IF; 1, 2 its branches */
		m->referenced = realloc(m->referenced, 3 * sizeof(*m->referenced));
		memmove(m->referenced + 1, m->referenced, 2 * sizeof(*m->referenced));
		m->referenced[0] = inner->main;
		inner->main = (struct nnmodel_subgraph){ 0 };
		m->num_referenced = 3;
		nnmodel_free(inner);
		g = &m->referenced[0];
		g->operands[1].location.offset = 1;
		g->operands[2].location.offset = 2;
		m->main.operands[1].location.offset = 1;
		m->main.operands[2].location.offset = 2;
		assert_int_equal(nnmodel_validate(m, NULL, &err), 0);

		target = &m->referenced[1];
		switch (variant) {
		case 0:
			target->inputs[0] = 1000000;
			break;
		case 1:
			target->outputs[0] = target->num_operands;
			break;
		case 2:
			free(target->inputs);
			target->inputs = NULL;
			break;
		default:
			free(target->operands[0].dims);
			target->operands[0].dims = NULL;
		}
		assert_int_equal(nnmodel_validate(m, NULL, &err), -EINVAL);
		assert_int_equal(err.subgraph, 1);
		assert_int_equal(err.operation, 0);
		nnmodel_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_condition),
		cmocka_unit_test(test_compatible),
		cmocka_unit_test(test_channel_scales),
		cmocka_unit_test(test_hostile_subgraph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
