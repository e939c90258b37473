// SPDX-License-Identifier: Apache-2.0
/* IF and WHILE in the program format: what builder and verifier accept, infer and refuse. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "control_programs.h"
#include "test_case.h"

static void open_program(const struct core_program *p, struct nnprog *prog)
{
	struct nnprog_error err = { .text = "" };

	if (nnprog_verify(p->bytes, p->size, prog, &err))
		fail_msg("%s", err.text);
}

/** The bytes as they are now, with their checksum made right. */
static int verify(const struct core_program *p, struct nnprog_error *err)
{
	struct nnprog_header *h = p->bytes;
	struct nnprog prog;

	h->crc32 = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (uint8_t *)p->bytes + sizeof(*h),
				     p->size - sizeof(*h));
	return nnprog_verify(p->bytes, p->size, &prog, err);
}

static struct nnprog_operation *operation(const struct core_program *p, const struct nnprog *prog,
					  uint32_t n)
{
	return (struct nnprog_operation *)((char *)p->bytes + ((const char *)&prog->operations[n] -
							       (const char *)p->bytes));
}

static uint32_t *attributes(const struct core_program *p, const struct nnprog *prog, uint32_t n)
{
	return (uint32_t *)((char *)p->bytes + (prog->attrs - (const uint8_t *)p->bytes) +
			    prog->operations[n].attrs);
}

/* A number of a subgraph that is not later, not there, or leaves another unused. */
TEST(test_numbers)
{
	static const struct {
		uint32_t first, second;
		const char *says;
	} cases[] = {
		{ 0, 2, "subgraph 0 of 3 cannot be used in subgraph 0" },
		{ 1, 0, "subgraph 0 of 3 cannot be used in subgraph 0" },
		{ 3, 2, "subgraph 3 of 3 cannot be used" },
		{ 1, UINT32_MAX, "subgraph 4294967295 of 3 cannot be used" },
		{ 1, 1, "subgraph 2 is not used" },
		{ 2, 2, "subgraph 1 is not used" },
	};
	struct core_program p = program_count(4, UNKNOWN);
	struct nnprog_error err;
	struct nnprog prog;
	uint32_t *attr;

	open_program(&p, &prog);
	assert_int_equal(prog.num_subgraphs, 3);
	attr = attributes(&p, &prog, 0);
	assert_true(attr[0] == 1 && attr[1] == 2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		attr[0] = cases[i].first;
		attr[1] = cases[i].second;
		assert_int_equal(verify(&p, &err), -EINVAL);
		if (!strstr(err.text, cases[i].says))
			fail_msg("\"%s\", not \"%s\"", err.text, cases[i].says);
	}
	/* the two swapped: a condition that gives two values */
	attr[0] = 2;
	attr[1] = 1;
	assert_int_equal(verify(&p, &err), -EINVAL);
	assert_non_null(strstr(err.text, "outputs of the condition: 2 where 1"));
	attr[0] = 1;
	attr[1] = 2;
	assert_int_equal(verify(&p, &err), 0);
	/* IF where WHILE was */
	operation(&p, &prog, 0)->opcode = NNPROG_OP_IF;
	assert_int_equal(verify(&p, &err), -EINVAL);
	assert_non_null(strstr(err.text, "input 0 of type float32"));
	free(p.bytes);
}

/* A subgraph that uses itself, or one before it, deep inside. */
TEST(test_recursion)
{
	struct core_program p = program_nested();
	struct nnprog_error err;
	struct nnprog prog;
	uint32_t *attr, inner;

	open_program(&p, &prog);
	assert_int_equal(prog.num_subgraphs, 5);
	inner = prog.subgraphs[2].first_operation;
	assert_int_equal(prog.operations[inner].opcode, NNPROG_OP_WHILE);
	attr = attributes(&p, &prog, inner);
	for (uint32_t i = 0; i <= 2; i++) {
		attr[1] = i;
		assert_int_equal(verify(&p, &err), -EINVAL);
		assert_int_equal(err.subgraph, 2);
		assert_int_equal(err.operation, 0);
		assert_non_null(strstr(err.text, "cannot be used in subgraph 2"));
	}
	attr[1] = 4;
	assert_int_equal(verify(&p, &err), 0);
	free(p.bytes);
}

/**
 * Every tensor field and INDEX entry of a program with loops, each bit at a time: refused or as
 * good.
 */
TEST(test_every_bit)
{
	struct core_program p = program_nested();
	struct nnprog_header *h = p.bytes;
	uint8_t *bytes = p.bytes;
	struct nnprog_error err;
	uint32_t accepted = 0, refused = 0;

	for (uint64_t i = sizeof(*h); i < h->total_size; i++)
		for (uint32_t bit = 0; bit < 8; bit++) {
			int ret;

			bytes[i] ^= (uint8_t)(1u << bit);
			ret = verify(&p, &err);
			assert_true(ret == 0 || ret == -EINVAL);
			accepted += !ret;
			refused += ret != 0;
			bytes[i] ^= (uint8_t)(1u << bit);
		}
	assert_int_equal(verify(&p, &err), 0);
	/* constants may have any value; all else must be consistent */
	assert_true(refused > 9 * accepted);
	free(p.bytes);
}

static struct nnprog_builder *if_of(uint32_t dtype, const uint32_t *condition, uint32_t rank)
{
	struct nnprog_builder *b = control_begin();
	uint32_t c = control_tensor(b, NNPROG_BOOL8, NNPROG_INPUT, rank, condition);
	uint32_t x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 3);
	uint32_t out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 3);

	control_if(b, 1, 1, CONTROL_LIST(c, x), &out, 1);
	control_io(b, CONTROL_LIST(c, x), &out, 1);
	control_graph(b);
	x = control_vector(b, dtype, NNPROG_INPUT, 3);
	out = control_vector(b, dtype, NNPROG_OUTPUT, 3);
	control_binary(b, NNPROG_BINARY_ADD, x, x, out);
	control_io(b, &x, 1, &out, 1);
	return b;
}

TEST(test_condition)
{
	struct nnprog_builder *b = control_begin();
	struct nnprog_error err = { .text = "" };
	struct core_program p;
	uint32_t wrong[3], x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 3);
	uint32_t out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 3);
	struct nnprog_attr_if attr = { 1, 1 };

	wrong[0] = control_vector(b, NNPROG_BOOL8, NNPROG_INPUT, 2);
	wrong[1] = control_vector(b, NNPROG_UINT8, NNPROG_INPUT, 1);
	wrong[2] = control_tensor(b, NNPROG_BOOL8, NNPROG_INPUT, 2, CONTROL_DIMS(1, 1));
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t in[2] = { wrong[i], x };

		assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_IF, &attr, sizeof(attr), in,
							  2, &out, 1, NULL, &err),
				 -EINVAL);
	}
	nnprog_builder_destroy(b);
	p = control_end(if_of(NNPROG_FLOAT32, CONTROL_DIMS(1), 1));
	free(p.bytes);
	p = control_end(if_of(NNPROG_FLOAT32, CONTROL_DIMS(UNKNOWN), 1));
	free(p.bytes);
	err = control_end_error(if_of(NNPROG_FLOAT16, CONTROL_DIMS(1), 1));
	assert_non_null(
		strstr(err.text, "input of the then branch 0: type or quantization differs"));
	assert_int_equal(err.subgraph, 0);
	assert_int_equal(err.operation, 0);
}

/** One operand inside a branch that does not fit the one outside. */
static struct nnprog_error mismatch(const struct nnprog_operand *outer,
				    const struct nnprog_operand *inner, bool fits)
{
	struct nnprog_builder *b = control_begin();
	struct nnprog_attr_unary relu = { .kind = NNPROG_UNARY_RELU };
	struct nnprog_error err = { .text = "" };
	struct core_program p;
	uint32_t c = control_vector(b, NNPROG_BOOL8, NNPROG_INPUT, 1);
	uint32_t x = (uint32_t)nnprog_builder_tensor(b, outer, NNPROG_INPUT, NULL, 0);
	uint32_t out = (uint32_t)nnprog_builder_tensor(b, outer, NNPROG_OUTPUT, NULL, 0);

	control_if(b, 1, 1, CONTROL_LIST(c, x), &out, 1);
	control_io(b, CONTROL_LIST(c, x), &out, 1);
	control_graph(b);
	x = (uint32_t)nnprog_builder_tensor(b, inner, NNPROG_INPUT, NULL, 0);
	out = (uint32_t)nnprog_builder_tensor(b, inner, NNPROG_OUTPUT, NULL, 0);
	control_op(b, NNPROG_OP_UNARY, &relu, sizeof(relu), &x, 1, &out, 1);
	control_io(b, &x, 1, &out, 1);
	if (!fits)
		return control_end_error(b);
	p = control_end(b);
	free(p.bytes);
	return err;
}

TEST(test_operands)
{
	const struct nnprog_operand q = { .dtype = NNPROG_UINT8,
					  .shape = { .rank = 2, .dims = { 2, 3 } },
					  .scale = 0.5f,
					  .zero_point = 3 };
	struct nnprog_operand other = q;

	mismatch(&q, &q, true);
	other.scale = 0.25f;
	assert_non_null(strstr(mismatch(&q, &other, false).text, "quantization"));
	other = q;
	other.zero_point = 4;
	assert_non_null(strstr(mismatch(&q, &other, false).text, "quantization"));
	other = q;
	other.shape.dims[1] = 4;
	assert_non_null(strstr(mismatch(&q, &other, false).text, "shape differs"));
	other = q;
	other.shape.rank = 1;
	other.shape.dims[1] = 0;
	assert_non_null(strstr(mismatch(&q, &other, false).text, "shape differs"));
	other = q;
	other.shape.dims[1] = UNKNOWN;
	mismatch(&q, &other, true);
	mismatch(&other, &q, true);
	other.shape = (struct nnprog_shape){ .rank = NNPROG_RANK_UNKNOWN };
	mismatch(&q, &other, true);
	mismatch(&other, &q, true);
}

/* A loop needs all of its inputs. */
TEST(test_omitted)
{
	const struct nnprog_operand none = { .dtype = NNPROG_FLOAT32, .omitted = true };
	const struct nnprog_attr_while attr = { 1, 2 };
	struct nnprog_builder *b = control_begin();
	const uint32_t x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 3);
	const uint32_t omitted = (uint32_t)nnprog_builder_tensor(b, &none, NNPROG_OMITTED, NULL, 0);
	const uint32_t out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 3);
	struct nnprog_error err;

	assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_WHILE, &attr, sizeof(attr),
						  CONTROL_LIST(x, omitted), &out, 1, NULL, &err),
			 -EINVAL);
	assert_string_equal(err.text, "WHILE: input 1 must not be omitted");
	nnprog_builder_destroy(b);
}

/* Inferred outputs: shapes that both branches agree on; shapes that a loop leaves as they are. */
TEST(test_inference)
{
	struct nnprog_builder *b = control_begin();
	uint32_t c = control_vector(b, NNPROG_BOOL8, NNPROG_INPUT, 1), first;
	uint32_t x =
		control_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 2, CONTROL_DIMS(UNKNOWN, UNKNOWN));
	uint32_t out = control_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL);
	struct core_program p;
	struct nnprog prog;
	const struct nnprog_tensor *t;
	char *text;

	control_if(b, 1, 2, CONTROL_LIST(c, x), &out, 1);
	control_io(b, CONTROL_LIST(c, x), &out, 1);
	for (uint32_t i = 0; i < 2; i++) {
		control_graph(b);
		first = control_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 2,
				       CONTROL_DIMS(4, i ? 5 : 6));
		c = control_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL);
		control_binary(b, NNPROG_BINARY_MUL, first, first, c);
		control_io(b, &first, 1, &c, 1);
	}
	p = control_end(b);
	open_program(&p, &prog);
	t = &prog.tensors[out];
	assert_true(t->rank == 2 && t->dims[0] == 4 && t->dims[1] == UNKNOWN);
	/* tensors inside keep their declaration */
	t = &prog.tensors[prog.subgraphs[1].first_tensor];
	assert_true(t->rank == 2 && t->dims[0] == 4 && t->dims[1] == 6);
	assert_int_equal(nnprog_dump(&prog, &text), 0);
	assert_non_null(strstr(text, "IF(in%0:bool8[1], in%1:float32[?,?]) {then 1 else 2}"));
	free(text);
	free(p.bytes);

	p = program_count(4, UNKNOWN);
	open_program(&p, &prog);
	assert_int_equal(nnprog_dump(&prog, &text), 0);
	assert_non_null(strstr(text, "{while 1 do 2}"));
	free(text);
	free(p.bytes);
}

/* Sixteen deep runs; seventeen do not. */
TEST(test_depth)
{
	for (uint32_t deep = NNPROG_MAX_DEPTH; deep <= NNPROG_MAX_DEPTH + 1; deep++) {
		struct nnprog_builder *b = control_begin();
		struct nnprog_error err;
		struct core_program p;

		for (uint32_t i = 1; i <= deep; i++) {
			uint32_t c, out;

			if (i > 1)
				control_graph(b);
			c = control_vector(b, NNPROG_BOOL8, NNPROG_INPUT, 1);
			out = control_vector(b, NNPROG_BOOL8, NNPROG_OUTPUT, 1);
			if (i < deep)
				control_if(b, i, i, CONTROL_LIST(c, c), &out, 1);
			else
				control_nonzero(b, c, out);
			control_io(b, &c, 1, &out, 1);
		}
		if (deep == NNPROG_MAX_DEPTH) {
			p = control_end(b);
			free(p.bytes);
		} else {
			err = control_end_error(b);
			assert_non_null(strstr(err.text, "nest deeper than 16"));
		}
	}
}

/* Subgraphs that many operations use are looked at once: 2^15 paths, one walk. */
TEST(test_many_paths)
{
	struct nnprog_builder *b = control_begin();
	struct core_program p;

	for (uint32_t i = 1; i <= NNPROG_MAX_DEPTH; i++) {
		uint32_t c, t, out;

		if (i > 1)
			control_graph(b);
		c = control_vector(b, NNPROG_BOOL8, NNPROG_INPUT, 1);
		out = control_vector(b, NNPROG_BOOL8, NNPROG_OUTPUT, 1);
		if (i < NNPROG_MAX_DEPTH) {
			for (uint32_t k = 0; k < 100; k++) {
				t = control_vector(b, NNPROG_BOOL8, NNPROG_TEMP, 1);
				control_if(b, i, i, CONTROL_LIST(c, c), &t, 1);
			}
			control_if(b, i, i, CONTROL_LIST(c, t), &out, 1);
		} else {
			control_nonzero(b, c, out);
		}
		control_io(b, &c, 1, &out, 1);
	}
	p = control_end(b);
	free(p.bytes);
}

/* Scales that only the subgraphs have count as work, too. */
TEST(test_work_limit)
{
	enum { CHANNELS = 1 << 15, USES = 1000 };
	float *scales = malloc(CHANNELS * sizeof(*scales));
	struct nnprog_operand q = { .dtype = NNPROG_INT8,
				    .shape = { .rank = 1, .dims = { CHANNELS } },
				    .scales = scales,
				    .num_scales = CHANNELS };
	struct nnprog_operand none = { .dtype = NNPROG_INT8, .omitted = true };
	struct nnprog_builder *b = control_begin();
	uint32_t c = control_vector(b, NNPROG_BOOL8, NNPROG_INPUT, 1), omitted, t, x;
	uint32_t out = control_vector(b, NNPROG_BOOL8, NNPROG_OUTPUT, 1);
	struct nnprog_error err;

	assert_non_null(scales);
	for (uint32_t i = 0; i < CHANNELS; i++)
		scales[i] = 1;
	omitted = (uint32_t)nnprog_builder_tensor(b, &none, NNPROG_OMITTED, NULL, 0);
	for (uint32_t i = 0; i < USES; i++) {
		t = control_vector(b, NNPROG_BOOL8, NNPROG_TEMP, 1);
		control_if(b, 1, 1, CONTROL_LIST(c, c, omitted), &t, 1);
	}
	control_if(b, 1, 1, CONTROL_LIST(c, c, omitted), &out, 1);
	control_io(b, &c, 1, &out, 1);
	control_graph(b);
	c = control_vector(b, NNPROG_BOOL8, NNPROG_INPUT, 1);
	x = (uint32_t)nnprog_builder_tensor(b, &q, NNPROG_INPUT, NULL, 0);
	out = control_vector(b, NNPROG_BOOL8, NNPROG_OUTPUT, 1);
	control_nonzero(b, c, out);
	control_io(b, CONTROL_LIST(c, x), &out, 1);
	err = control_end_error(b);
	assert_non_null(strstr(err.text, "scales are used too often"));
	free(scales);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	   cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_every_bit),  cmocka_unit_test(test_condition),
		cmocka_unit_test(test_operands),   cmocka_unit_test(test_omitted),
		cmocka_unit_test(test_inference),  cmocka_unit_test(test_depth),
		cmocka_unit_test(test_many_paths), cmocka_unit_test(test_work_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
