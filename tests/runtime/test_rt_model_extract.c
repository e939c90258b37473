// SPDX-License-Identifier: Apache-2.0
/* Extracted parts of models: their operands, their numbering, and refused parts. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/nnr_model.h"
#include "rt_case.h"

/*
 * 0 input, 1 constant in values, 2 constant in pool 1, 3 INT32 0, 4 inner, 5 output, 6 output, 7
 * dead, 8 inner; operations: 4 = ADD(0, 1), 8 = MUL(4, 2), 5 = ABS(4), 6 = EXP(8).
 */
static struct nnmodel *source(void)
{
	const uint32_t dims[] = { 4 }, io[] = { 0 }, out[] = { 5, 6 };
	const float values[4] = { 1, 2, 3, 4 };
	struct nnmodel *m = nnmodel_new();

	assert_non_null(m);
	for (int i = 0; i < 9; i++)
		assert_int_equal(
			nnmodel_add_operand(m, i == 3 ? NNMODEL_INT32 : NNMODEL_TENSOR_FLOAT32,
					    NNMODEL_TEMPORARY_VARIABLE, dims, i == 3 ? 0 : 1, 0, 0),
			i);
	for (int i = 0; i < 2; i++) {
		int fd = memfd_new(4096 * ((uint64_t)i + 1));

		assert_int_equal(nnmodel_add_pool(m, fd, PROT_READ, 0, 4096 * ((uint64_t)i + 1)),
				 i);
	}
	RT_OK(nnmodel_set_value(m, 7, values, sizeof(values)));
	RT_OK(nnmodel_set_value(m, 1, values, sizeof(values)));
	RT_OK(nnmodel_set_value_from_pool(m, 2, 1, 128, 16));
	RT_OK(nnmodel_set_value(m, 3, &(int32_t){ 0 }, 4));
	RT_OK(nnmodel_set_io(m, io, 1, out, 2));
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_ADD, (const uint32_t[]){ 0, 1, 3 }, 3,
					       (const uint32_t[]){ 4 }, 1),
			 0);
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_MUL, (const uint32_t[]){ 4, 2, 3 }, 3,
					       (const uint32_t[]){ 8 }, 1),
			 1);
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_ABS, (const uint32_t[]){ 4 }, 1,
					       (const uint32_t[]){ 5 }, 1),
			 2);
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_EXP, (const uint32_t[]){ 8 }, 1,
					       (const uint32_t[]){ 6 }, 1),
			 3);
	assert_int_equal(nnmodel_validate(m, NULL, NULL), 0);
	return m;
}

#define LIST(...)                          \
	(const uint32_t[]){ __VA_ARGS__ }, \
		sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)

TEST(parts_have_what_they_use)
{
	struct nnmodel *m = source(), *part;
	const struct nnmodel_operand *o;

	m->relaxed = true;
	/* MUL and EXP: 4 becomes an input */
	assert_int_equal(nnr_extract(m, 0, LIST(1, 3), LIST(4), LIST(6), &part), 0);
	assert_int_equal(nnmodel_validate(part, NULL, NULL), 0);
	assert_true(part->relaxed);
	assert_int_equal(part->main.num_operands, 5);
	assert_int_equal(part->main.num_operations, 2);
	assert_int_equal(part->main.operations[0].type, NNMODEL_MUL);
	assert_int_equal(part->main.operations[0].inputs[0], part->main.inputs[0]);
	assert_int_equal(part->main.operands[part->main.inputs[0]].lifetime,
			 NNMODEL_SUBGRAPH_INPUT);
	assert_int_equal(part->main.operands[part->main.outputs[0]].lifetime,
			 NNMODEL_SUBGRAPH_OUTPUT);
	assert_int_equal(part->num_pools, 1);
	assert_int_equal(part->pools[0].size, 8192);
	assert_int_not_equal(part->pools[0].fd, m->pools[1].fd);
	o = &part->main.operands[part->main.operations[0].inputs[1]];
	assert_int_equal(o->lifetime, NNMODEL_CONSTANT_REFERENCE);
	assert_int_equal(o->location.pool, 0);
	assert_int_equal(o->location.offset, 128);
	/* of values, the activation only */
	assert_int_equal(part->values_size, 64);
	nnmodel_free(part);
	/* ADD and ABS: inner 4 is read outside as well, and becomes the second output */
	assert_int_equal(nnr_extract(m, 0, LIST(0, 2), LIST(0), LIST(5, 4), &part), 0);
	assert_int_equal(nnmodel_validate(part, NULL, NULL), 0);
	assert_int_equal(part->num_pools, 0);
	assert_int_equal(part->main.operations[0].outputs[0], part->main.outputs[1]);
	o = &part->main.operands[part->main.operations[0].inputs[1]];
	assert_memory_equal(part->values + o->location.offset, ((const float[]){ 1, 2, 3, 4 }), 16);
	nnmodel_free(part);
	/* a constant can be an input of the part */
	assert_int_equal(nnr_extract(m, 0, LIST(0), LIST(1, 0), LIST(4), &part), 0);
	assert_int_equal(nnmodel_validate(part, NULL, NULL), 0);
	assert_int_equal(part->main.num_inputs, 2);
	assert_int_equal(part->main.operands[part->main.inputs[0]].location.length, 0);
	assert_int_equal(part->values_size, 64);
	nnmodel_free(part);
	nnmodel_free(m);
}

TEST(some_are_no_parts)
{
	struct nnmodel *m = source(), *part = m;

	/* 4 does not exist */
	assert_int_equal(nnr_extract(m, 0, LIST(1, 3), LIST(0), LIST(6), &part), -EINVAL);
	assert_null(part);
	/* not ascending */
	assert_int_equal(nnr_extract(m, 0, LIST(3, 1), LIST(4), LIST(6), &part), -EINVAL);
	assert_int_equal(nnr_extract(m, 0, LIST(1, 1), LIST(4), LIST(8), &part), -EINVAL);
	/* no such operation */
	assert_int_equal(nnr_extract(m, 0, LIST(4), LIST(4), LIST(6), &part), -EINVAL);
	/* twice */
	assert_int_equal(nnr_extract(m, 0, LIST(3), LIST(8, 8), LIST(6), &part), -EINVAL);
	assert_int_equal(nnr_extract(m, 0, LIST(3), LIST(8), LIST(6, 6), &part), -EINVAL);
	/* an input is written */
	assert_int_equal(nnr_extract(m, 0, LIST(3), LIST(8, 6), LIST(6), &part), -EINVAL);
	/* an output is not */
	assert_int_equal(nnr_extract(m, 0, LIST(3), LIST(8), LIST(8), &part), -EINVAL);
	assert_int_equal(nnr_extract(m, 0, LIST(3), LIST(9), LIST(6), &part), -EINVAL);
	assert_int_equal(nnr_extract(m, 0, LIST(3), LIST(8), LIST(9), &part), -EINVAL);
	assert_int_equal(nnr_extract(m, 1, LIST(3), LIST(8), LIST(6), &part), -EINVAL);
	nnmodel_free(m);
}

static struct nnmodel_subgraph unary(uint32_t type)
{
	const uint32_t dims[] = { 4 };
	struct nnmodel *m = nnmodel_new();
	struct nnmodel_subgraph g;

	nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, dims, 1, 0, 0);
	nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, dims, 1, 0, 0);
	nnmodel_add_operation(m, type, LIST(0), LIST(1));
	assert_int_equal(nnmodel_set_io(m, LIST(0), LIST(1)), 0);
	g = m->main;
	m->main = (struct nnmodel_subgraph){ 0 };
	nnmodel_free(m);
	return g;
}

/*
 * main: IF(0, @first, @second) of 3 -> 4, then IF(0, referenced 3, 3) of 4 -> 5. referenced: 0
 * dead, ABS, EXP, NEG
 */
static struct nnmodel *with_branches(void)
{
	const uint32_t types[] = { NNMODEL_SQRT, NNMODEL_ABS, NNMODEL_EXP, NNMODEL_NEG },
		       dims[] = { 4 }, one[] = { 1 };
	struct nnmodel *m = nnmodel_new();

	nnmodel_add_operand(m, NNMODEL_TENSOR_BOOL8, 0, one, 1, 0, 0);
	nnmodel_add_operand(m, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH, NULL, 0, 0, 0);
	nnmodel_add_operand(m, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH, NULL, 0, 0, 0);
	for (int i = 0; i < 3; i++)
		nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, dims, 1, 0, 0);
	nnmodel_add_operand(m, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH, NULL, 0, 0, 0);
	m->main.operands[1].location.offset = 2;
	m->main.operands[2].location.offset = 1;
	m->main.operands[6].location.offset = 3;
	nnmodel_add_operation(m, NNMODEL_IF, LIST(0, 1, 2, 3), LIST(4));
	nnmodel_add_operation(m, NNMODEL_IF, LIST(0, 6, 6, 4), LIST(5));
	assert_int_equal(nnmodel_set_io(m, LIST(0, 3), LIST(5)), 0);
	m->referenced = calloc(4, sizeof(*m->referenced));
	assert_non_null(m->referenced);
	for (; m->num_referenced < 4; m->num_referenced++)
		m->referenced[m->num_referenced] = unary(types[m->num_referenced]);
	assert_int_equal(nnmodel_validate(m, NULL, NULL), 0);
	return m;
}

TEST(referenced_models_come_along)
{
	struct nnmodel *m = with_branches(), *part;
	uint32_t from[4];

	assert_int_equal(nnr_extract(m, 0, LIST(0), LIST(3, 0), LIST(4), &part), 0);
	assert_int_equal(nnmodel_validate(part, NULL, NULL), 0);
	assert_int_equal(part->num_referenced, 2);
	/* in the order of the source */
	assert_int_equal(part->referenced[0].operations[0].type, NNMODEL_ABS);
	assert_int_equal(part->referenced[1].operations[0].type, NNMODEL_EXP);
	assert_int_equal(part->main.operands[part->main.operations[0].inputs[1]].location.offset,
			 1);
	assert_int_equal(part->main.operands[part->main.operations[0].inputs[2]].location.offset,
			 0);
	nnmodel_free(part);
	assert_int_equal(nnr_extract_whole(m, 0, &part, from, NULL), 0);
	assert_int_equal(part->num_referenced, 3);
	assert_int_equal(from[0], 1);
	assert_int_equal(from[2], 3);
	nnmodel_free(part);
	/* a referenced model becomes a main */
	assert_int_equal(nnr_extract_whole(m, 4, &part, NULL, NULL), 0);
	assert_int_equal(nnmodel_validate(part, NULL, NULL), 0);
	assert_int_equal(part->num_referenced, 0);
	assert_int_equal(part->main.operations[0].type, NNMODEL_NEG);
	nnmodel_free(part);
	nnmodel_free(m);
}

TEST(extensions_in_use_come_along)
{
	const uint8_t blob[] = { 1, 2, 3 };
	struct nnmodel *m = nnmodel_new(), *part;

	nnmodel_add_operand(m, 0x20001, 0, NULL, 0, 0, 0);
	for (int i = 0; i < 3; i++)
		nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, NULL, 0, 0, 0);
	m->main.operands[0].extension_data = memcpy(malloc(3), blob, 3);
	m->main.operands[0].extension_size = 3;
	nnmodel_add_operation(m, 0x10000, LIST(0), LIST(1));
	nnmodel_add_operation(m, NNMODEL_ABS, LIST(1), LIST(2));
	nnmodel_add_operation(m, 0x30007, LIST(2), LIST(3));
	assert_int_equal(nnmodel_set_io(m, LIST(0), LIST(3)), 0);
	m->extensions = calloc(3, sizeof(*m->extensions));
	for (; m->num_extensions < 3; m->num_extensions++) {
		m->extensions[m->num_extensions].prefix = (uint16_t)(3 - m->num_extensions);
		m->extensions[m->num_extensions].name = strdup(m->num_extensions == 0	? "a.three"
							       : m->num_extensions == 1 ? "a.two"
											: "a.one");
	}
	assert_int_equal(nnmodel_validate(m, NULL, NULL), 0);
	assert_int_equal(nnr_extract(m, 0, LIST(0), LIST(0), LIST(1), &part), 0);
	assert_int_equal(nnmodel_validate(part, NULL, NULL), 0);
	assert_int_equal(part->num_extensions, 2);
	assert_string_equal(part->extensions[0].name, "a.two");
	assert_string_equal(part->extensions[1].name, "a.one");
	assert_memory_equal(part->main.operands[0].extension_data, blob, 3);
	nnmodel_free(part);
	assert_int_equal(nnr_extract(m, 0, LIST(1), LIST(1), LIST(2), &part), 0);
	assert_int_equal(part->num_extensions, 0);
	nnmodel_free(part);
	nnmodel_free(m);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(parts_have_what_they_use, NULL),
		RT_CASE(some_are_no_parts, NULL),
		RT_CASE(referenced_models_come_along, NULL),
		RT_CASE(extensions_in_use_come_along, NULL),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
