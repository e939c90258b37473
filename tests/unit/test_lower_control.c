// SPDX-License-Identifier: Apache-2.0
/* Lowering of IF, WHILE and the subgraphs that they name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "lower_spec.h"
#include "test_case.h"

/** @part's main becomes subgraph @i of @model. It has no constants. */
static void take(struct nnmodel *model, uint32_t i, struct nnmodel *part)
{
	spec_set_io(part);
	model->referenced[i] = part->main;
	memset(&part->main, 0, sizeof(part->main));
	nnmodel_free(part);
}

static struct nnmodel *model_with(uint32_t subgraphs)
{
	struct nnmodel *m = nnmodel_new();

	assert_non_null(m);
	m->referenced = calloc(subgraphs + 1, sizeof(*m->referenced));
	assert_non_null(m->referenced);
	m->num_referenced = subgraphs;
	return m;
}

static int operand(struct nnmodel *m, uint32_t type, uint32_t lifetime, uint32_t dim, float scale)
{
	return nnmodel_add_operand(m, type, lifetime, &dim, 1, scale, 0);
}

static int subgraph(struct nnmodel *m, uint32_t n)
{
	int i = nnmodel_add_operand(m, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH, NULL, 0, 0, 0);

	m->main.operands[i].location.offset = n;
	return i;
}

/** x -> op x */
static struct nnmodel *unary(uint32_t opcode, uint32_t type, float scale)
{
	struct nnmodel *m = nnmodel_new();
	int x = operand(m, type, NNMODEL_SUBGRAPH_INPUT, 4, scale);
	int y = operand(m, type, NNMODEL_SUBGRAPH_OUTPUT, 4, scale);

	spec_op(m, opcode, IN(x), IN(y));
	return m;
}

/** condition, x -> IF over the two. */
static struct nnmodel *branch(struct nnmodel *m, uint32_t then_graph, uint32_t else_graph)
{
	int c = operand(m, NNMODEL_TENSOR_BOOL8, NNMODEL_SUBGRAPH_INPUT, 1, 0);
	int x = operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, 4, 0);
	int y = operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, 4, 0);

	spec_op(m, NNMODEL_IF, IN(c, subgraph(m, then_graph), subgraph(m, else_graph), x), IN(y));
	return m;
}

/** condition, x -> IF, as subgraph whose inputs are both. */
static struct nnmodel *inner_branch(uint32_t then_graph, uint32_t else_graph)
{
	return branch(nnmodel_new(), then_graph, else_graph);
}

static const struct nnprog_operation *first_operation(const struct nnprog *prog, uint32_t graph)
{
	return &prog->operations[prog->subgraphs[graph].first_operation];
}

static const uint32_t *control_attrs(const struct nnprog *prog, uint32_t graph)
{
	return (const uint32_t *)(prog->attrs + first_operation(prog, graph)->attrs);
}

/*
 * A subgraph comes after its users in the program, whatever the model's order; unused subgraphs are
 * left out.
 */
TEST(test_order)
{
	struct nnmodel *m = model_with(4);
	struct nnhal_lowered out;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnprog_error why;
	struct nnprog prog;
	int c, x, y;

	take(m, 0, unary(NNMODEL_FLOOR, NNMODEL_TENSOR_FLOAT32, 0));
	take(m, 1, unary(NNMODEL_NEG, NNMODEL_TENSOR_FLOAT32, 0));
	take(m, 2, unary(NNMODEL_ABS, NNMODEL_TENSOR_FLOAT32, 0));
	take(m, 3, inner_branch(2, 0));
	c = operand(m, NNMODEL_TENSOR_BOOL8, NNMODEL_SUBGRAPH_INPUT, 1, 0);
	x = operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, 4, 0);
	y = operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, 4, 0);
	spec_op(m, NNMODEL_IF, IN(c, subgraph(m, 3), subgraph(m, 3), c, x), IN(y));
	spec_set_io(m);
	assert_int_equal(spec_lower(m, &out, &err), 0);
	assert_string_equal(spec_program_ops(&out), "IF");
	assert_int_equal(nnprog_verify(out.bytes, out.size, &prog, &why), 0);
	assert_int_equal(prog.num_subgraphs, 4);
	assert_int_equal(control_attrs(&prog, 0)[0], 1);
	assert_int_equal(control_attrs(&prog, 0)[1], 1);
	assert_int_equal(control_attrs(&prog, 1)[0], 2);
	assert_int_equal(control_attrs(&prog, 1)[1], 3);
	assert_int_equal(((const struct nnprog_attr_unary *)control_attrs(&prog, 2))->kind,
			 NNPROG_UNARY_ABS);
	assert_int_equal(((const struct nnprog_attr_unary *)control_attrs(&prog, 3))->kind,
			 NNPROG_UNARY_FLOOR);
	free(out.bytes);
	nnmodel_free(m);
}

/* The operations inside decide whether control flow is supported; the reason names the place. */
TEST(test_support)
{
	struct nnmodel *m = model_with(2);
	struct nnhal_opset opset = spec_opset();
	struct nnhal_lowered out;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	bool supported[1];
	char *reasons[1];

	take(m, 0, unary(NNMODEL_FLOOR, NNMODEL_TENSOR_FLOAT32, 0));
	take(m, 1, unary(NNMODEL_NEG, NNMODEL_TENSOR_FLOAT32, 0));
	branch(m, 0, 1);
	spec_set_io(m);
	assert_int_equal(nnhal_lower_supported(m, &opset, supported, reasons), 0);
	assert_true(supported[0]);
	assert_null(reasons[0]);
	opset.ops[NNPROG_OP_UNARY].present = false;
	assert_int_equal(nnhal_lower_supported(m, &opset, supported, reasons), 0);
	assert_false(supported[0]);
	assert_non_null(
		strstr(reasons[0], "subgraph 0: operation 0 FLOOR: the device has no UNARY"));
	free(reasons[0]);
	assert_int_equal(nnhal_lower_model(m, &opset, &out, &err), -EOPNOTSUPP);
	assert_int_equal(err.subgraph, 1);
	assert_int_equal(err.operation, 0);
	opset = spec_opset();
	opset.ops[NNPROG_OP_IF].present = false;
	assert_int_equal(nnhal_lower_supported(m, &opset, supported, reasons), 0);
	assert_false(supported[0]);
	assert_non_null(strstr(reasons[0], "the device has no IF"));
	free(reasons[0]);
	nnmodel_free(m);
}

/*
 * A temporary has the scale that it was computed with; the branch reads the same numbers by its
 * own.
 */
TEST(test_quantization)
{
	struct nnmodel *m = model_with(1);
	struct nnhal_opset opset = spec_opset();
	struct nnhal_lowered out;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	int c, x, t, y;

	take(m, 0, unary(NNMODEL_RELU, NNMODEL_TENSOR_QUANT8_ASYMM, 0.25f));
	c = operand(m, NNMODEL_TENSOR_BOOL8, NNMODEL_SUBGRAPH_INPUT, 1, 0);
	x = operand(m, NNMODEL_TENSOR_QUANT8_ASYMM, NNMODEL_SUBGRAPH_INPUT, 4, 0.5f);
	t = operand(m, NNMODEL_TENSOR_QUANT8_ASYMM, NNMODEL_TEMPORARY_VARIABLE, 4, 0.25f);
	y = operand(m, NNMODEL_TENSOR_QUANT8_ASYMM, NNMODEL_SUBGRAPH_OUTPUT, 4, 0.25f);
	spec_op(m, NNMODEL_RELU, IN(x), IN(t));
	spec_op(m, NNMODEL_IF, IN(c, subgraph(m, 0), subgraph(m, 0), t), IN(y));
	spec_set_io(m);
	assert_int_equal(nnhal_lower_model(m, &opset, &out, &err), 0);
	assert_string_equal(spec_program_ops(&out), "UNARY CONVERT IF");
	free(out.bytes);
	nnmodel_free(m);
}

TEST(test_depth)
{
	struct nnhal_opset opset = spec_opset();

	for (uint32_t n = NNPROG_MAX_DEPTH - 1; n <= NNPROG_MAX_DEPTH; n++) {
		struct nnmodel *m = model_with(n);
		struct nnhal_lowered out;
		struct nnmodel_error err = NNMODEL_ERROR_INIT;
		bool supported[1];
		char *reasons[1];
		int ret, c, x, y;

		/* each takes condition and x, but for the last */
		for (uint32_t i = 0; i + 2 < n; i++) {
			struct nnmodel *part = nnmodel_new();

			c = operand(part, NNMODEL_TENSOR_BOOL8, NNMODEL_SUBGRAPH_INPUT, 1, 0);
			x = operand(part, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, 4, 0);
			y = operand(part, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, 4, 0);
			spec_op(part, NNMODEL_IF,
				IN(c, subgraph(part, i + 1), subgraph(part, i + 1), c, x), IN(y));
			take(m, i, part);
		}
		take(m, n - 2, inner_branch(n - 1, n - 1));
		take(m, n - 1, unary(NNMODEL_FLOOR, NNMODEL_TENSOR_FLOAT32, 0));
		c = operand(m, NNMODEL_TENSOR_BOOL8, NNMODEL_SUBGRAPH_INPUT, 1, 0);
		x = operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, 4, 0);
		y = operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, 4, 0);
		spec_op(m, NNMODEL_IF, IN(c, subgraph(m, 0), subgraph(m, 0), c, x), IN(y));
		spec_set_io(m);
		assert_int_equal(nnhal_lower_supported(m, &opset, supported, reasons), 0);
		ret = nnhal_lower_model(m, &opset, &out, &err);
		if (n < NNPROG_MAX_DEPTH) {
			assert_int_equal(ret, 0);
			assert_true(supported[0]);
			free(out.bytes);
		} else {
			assert_int_equal(ret, -EOPNOTSUPP);
			assert_non_null(strstr(err.text, "nest deeper than 16"));
			assert_false(supported[0]);
			assert_non_null(strstr(reasons[0], "nest deeper than 16"));
			free(reasons[0]);
		}
		nnmodel_free(m);
	}
}

/** x -> WHILE x == x do floor x: an endless loop. Only the request knows extents and rank. */
TEST(test_while)
{
	struct nnmodel *m = model_with(2), *part = nnmodel_new();
	const struct nnprog_tensor *t;
	struct nnhal_lowered out;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	int x, y;

	x = operand(part, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, 0, 0);
	y = operand(part, NNMODEL_TENSOR_BOOL8, NNMODEL_SUBGRAPH_OUTPUT, 1, 0);
	spec_op(part, NNMODEL_EQUAL, IN(x, x), IN(y));
	take(m, 1, part);
	part = nnmodel_new();
	x = nnmodel_add_operand(part, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, NULL, 0, 0,
				0);
	y = nnmodel_add_operand(part, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, NULL, 0, 0,
				0);
	spec_op(part, NNMODEL_FLOOR, IN(x), IN(y));
	take(m, 0, part);
	x = operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, 0, 0);
	y = operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, 0, 0);
	spec_op(m, NNMODEL_WHILE, IN(subgraph(m, 1), subgraph(m, 0), x), IN(y));
	spec_set_io(m);
	assert_int_equal(spec_lower(m, &out, &err), 0);
	assert_string_equal(spec_program_ops(&out), "WHILE");
	t = spec_program_io(&out, true, 0);
	assert_true(t->rank == 1 && t->dims[0] == NNPROG_DIM_UNKNOWN);
	free(out.bytes);
	nnmodel_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	     cmocka_unit_test(test_support),
		cmocka_unit_test(test_quantization), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
