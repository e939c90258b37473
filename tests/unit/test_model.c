// SPDX-License-Identifier: Apache-2.0
/* libnnmodel: structure of models, building, constants. */
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model_chain.h"
#include "model_spec.h"
#include "test_case.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

TEST(test_valid)
{
	struct nnmodel *m = model_chain();
	struct nnmodel *copy;

	assert_int_equal(model_valid(m), 1);
	copy = nnmodel_clone(m);
	assert_non_null(copy);
	nnmodel_free(m);
	assert_int_equal(model_valid(copy), 1);
	/* a clone grows like any model */
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(nnmodel_add_float32(copy, (float)i), 5 + i);
	assert_int_equal(model_valid(copy), 1);
	nnmodel_free(copy);
	nnmodel_free(NULL);
}

TEST(test_empty)
{
	struct nnmodel *m = nnmodel_new();

	model_refused(m, MODEL_NONE, MODEL_NONE, "no operands");
	assert_int_equal(nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT,
					     NULL, 0, 0, 0),
			 0);
	model_refused(m, MODEL_NONE, MODEL_NONE, "no operations");
	nnmodel_free(m);
}

TEST(test_execution_order)
{
	struct nnmodel *m = model_chain();
	struct nnmodel_operation add = m->main.operations[0];
	uint32_t i;

	/* the reader first */
	m->main.operations[0] = m->main.operations[1];
	m->main.operations[1] = add;
	model_refused(m, 0, 3, "read before it is written");
	m->main.operations[1] = m->main.operations[0];
	m->main.operations[0] = add;
	assert_int_equal(model_valid(m), 1);
	/* an operation that reads its own result */
	m->main.operations[0].inputs[1] = 3;
	model_refused(m, 0, 3, "read before it is written");
	m->main.operations[0].inputs[1] = 1;
	/* two writers */
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_RELU, (uint32_t[]){ 0 }, 1,
					       (uint32_t[]){ 3 }, 1),
			 2);
	model_refused(m, 2, 3, "written twice");
	/* one operation that writes an operand which may not be written: inputs, constants */
	for (i = 0; i < 2; i++) {
		m->main.operations[2].outputs[0] = i;
		model_refused(m, 2, i, "cannot be written");
	}
	nnmodel_free(m);

	/* a variable that is never written, used or not */
	m = model_chain();
	i = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_TEMPORARY_VARIABLE,
					  (uint32_t[]){ 2 }, 1, 0, 0);
	model_refused(m, MODEL_NONE, i, "never written");
	nnmodel_free(m);

	/* an operation taken out: its result is read, or an output */
	m = model_chain();
	m->main.num_operations--;
	model_refused(m, MODEL_NONE, 4, "never written");
	m->main.num_operations++;
	add = m->main.operations[0];
	m->main.operations[0] = m->main.operations[1];
	m->main.num_operations--;
	model_refused(m, 0, 3, "read before it is written");
	m->main.operations[0] = add;
	m->main.num_operations++;
	nnmodel_free(m);
}

TEST(test_cycle)
{
	static const uint32_t dims[] = { 1 };
	struct nnmodel *m = nnmodel_new();

	/* 0 input, 1 activation; 2, 3, 4, 5: three ADDs, a 2-cycle between 3 and 4 */
	spec_operand(m, "F32:1");
	assert_int_equal(nnmodel_add_int32(m, 0), 1);
	for (uint32_t i = 2; i < 6; i++)
		assert_int_equal(nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32,
						     NNMODEL_TEMPORARY_VARIABLE, dims, 1, 0, 0),
				 i);
	nnmodel_add_operation(m, NNMODEL_ADD, (uint32_t[]){ 0, 4, 1 }, 3, (uint32_t[]){ 3 }, 1);
	nnmodel_add_operation(m, NNMODEL_ADD, (uint32_t[]){ 3, 0, 1 }, 3, (uint32_t[]){ 4 }, 1);
	nnmodel_add_operation(m, NNMODEL_ADD, (uint32_t[]){ 4, 0, 1 }, 3, (uint32_t[]){ 5 }, 1);
	nnmodel_add_operation(m, NNMODEL_ADD, (uint32_t[]){ 0, 0, 1 }, 3, (uint32_t[]){ 2 }, 1);
	assert_int_equal(nnmodel_set_io(m, (uint32_t[]){ 0 }, 1, (uint32_t[]){ 2, 5 }, 2), 0);
	model_refused(m, 0, 4, "read before it is written");
	nnmodel_free(m);
}

TEST(test_indexes)
{
	struct nnmodel *m = model_chain();
	uint32_t i;

	for (i = 0; i < 3; i++) {
		const uint32_t before = m->main.operations[0].inputs[i];

		m->main.operations[0].inputs[i] = m->main.num_operands;
		model_refused(m, 0, m->main.num_operands, "operand 5 of 5");
		m->main.operations[0].inputs[i] = UINT32_MAX;
		model_refused(m, 0, UINT32_MAX, "input");
		m->main.operations[0].inputs[i] = before;
	}
	m->main.operations[1].outputs[0] = m->main.num_operands;
	model_refused(m, 1, m->main.num_operands, "output 0: operand 5 of 5");
	m->main.operations[1].outputs[0] = 4;

	m->main.inputs[1] = 5;
	model_refused(m, MODEL_NONE, 5, "input 1: operand 5 of 5");
	m->main.inputs[1] = 0;
	model_refused(m, MODEL_NONE, 0, "listed twice");
	m->main.inputs[1] = 3;
	model_refused(m, MODEL_NONE, 3, "lifetime");
	m->main.num_inputs = 1;
	model_refused(m, MODEL_NONE, 1, "not listed as input");
	m->main.num_inputs = 2;
	m->main.inputs[1] = 1;
	m->main.outputs[0] = UINT32_MAX;
	model_refused(m, MODEL_NONE, UINT32_MAX, "output 0");
	m->main.outputs[0] = 4;
	m->main.num_outputs = 0;
	model_refused(m, MODEL_NONE, 4, "not listed as output");
	m->main.num_outputs = 1;
	assert_int_equal(model_valid(m), 1);

	/* counts without lists */
	free(m->main.operations[1].inputs);
	m->main.operations[1].inputs = NULL;
	model_refused(m, 1, MODEL_NONE, "missing");
	nnmodel_free(m);
}

TEST(test_lifetimes)
{
	struct nnmodel *m = model_chain();
	static const struct {
		uint32_t operand, lifetime;
		const char *text;
	} flags[] = {
		/* the flag changes, the lists do not */
		{ 0, NNMODEL_CONSTANT_COPY, "constant of 0 bytes" },
		{ 0, NNMODEL_CONSTANT_REFERENCE, "pool 0 of 0" },
		{ 0, NNMODEL_TEMPORARY_VARIABLE, "lifetime" },
		{ 0, NNMODEL_SUBGRAPH_OUTPUT, "lifetime" },
		{ 0, NNMODEL_NO_VALUE, "lifetime" },
		{ 0, NNMODEL_LIFETIME_SUBGRAPH, "TENSOR_FLOAT32 with lifetime 6" },
		{ 0, 7, "lifetime 7" },
		{ 0, UINT32_MAX, "lifetime" },
		{ 2, NNMODEL_SUBGRAPH_INPUT, "a location, but no constant" },
		{ 2, NNMODEL_NO_VALUE, "a location, but no constant" },
		{ 3, NNMODEL_SUBGRAPH_OUTPUT, "not listed as output" },
		{ 4, NNMODEL_TEMPORARY_VARIABLE, "lifetime" },
	};

	for (size_t i = 0; i < SIZE(flags); i++) {
		struct nnmodel_operand *o = &m->main.operands[flags[i].operand];
		const uint32_t before = o->lifetime;

		o->lifetime = flags[i].lifetime;
		model_refused(m, MODEL_NONE, flags[i].operand, flags[i].text);
		o->lifetime = before;
	}
	/* the lists follow: an output becomes an input, then a constant; it is written */
	m->main.operands[4].lifetime = NNMODEL_SUBGRAPH_INPUT;
	spec_set_io(m);
	model_refused(m, 1, 4, "cannot be written");
	assert_int_equal(nnmodel_set_value(m, 4, (float[6]){ 0 }, 24), 0);
	spec_set_io(m);
	model_refused(m, 1, 4, "cannot be written");
	nnmodel_free(m);
}

TEST(test_operand_types)
{
	struct nnmodel *m = model_chain();
	const uint32_t wrong[] = { 16,	    17,	     9999,	 10000,	     10001,	0xffff,
				   0x10000, 0x10001, 0x7fff0000, 0x80000000, UINT32_MAX };
	struct nnmodel_operand *o;

	for (size_t i = 0; i < SIZE(wrong); i++) {
		m->main.operands[3].type = wrong[i];
		model_refused(m, MODEL_NONE, 3, "operand 3: unknown");
	}
	m->main.operands[3].type = NNMODEL_SUBGRAPH;
	model_refused(m, MODEL_NONE, 3, "SUBGRAPH with lifetime 0");
	m->main.operands[3].type = NNMODEL_TENSOR_FLOAT32;

	/* a scalar with a rank */
	o = &m->main.operands[2];
	o->dims = calloc(1, sizeof(*o->dims));
	o->rank = 1;
	model_refused(m, MODEL_NONE, 2, "scalar INT32 of rank 1");
	o->rank = 0;

	/* constants are complete */
	assert_int_equal(nnmodel_set_value(m, 1, (float[6]){ 0 }, 24), 0);
	spec_set_io(m);
	assert_int_equal(model_valid(m), 1);
	o = &m->main.operands[1];
	o->dims[1] = 0;
	model_refused(m, MODEL_NONE, 1, "constant of unknown shape");
	o->dims[1] = 4;
	model_refused(m, MODEL_NONE, 1, "constant of 24 bytes, needs 32");
	o->dims[1] = 3;
	o->rank = 0;
	model_refused(m, MODEL_NONE, 1, "constant of unknown shape");
	o->rank = 2;
	/* sizes that do not fit */
	o->dims[0] = o->dims[1] = UINT32_MAX;
	model_refused(m, MODEL_NONE, 1, "4 GiB");
	o->dims[0] = 1u << 31;
	o->dims[1] = 1u << 31;
	model_refused(m, MODEL_NONE, 1, "4 GiB");
	nnmodel_free(m);

	/* rank without dims */
	m = model_chain();
	free(m->main.operands[0].dims);
	m->main.operands[0].dims = NULL;
	model_refused(m, MODEL_NONE, 0, "dimensions are missing");
	/* unknown ranks came with feature level 3 */
	m->main.operands[0].rank = 0;
	assert_int_equal(model_valid(m), 3);
	nnmodel_free(m);
}

TEST(test_quantization)
{
	/* for every type: scales and zero points that are refused */
	static const struct {
		uint32_t type;
		float bad_scales[5];
		int32_t bad_zero_points[4];
		float good_scale;
		int32_t good_zero_points[2];
	} rules[] = {
		{ NNMODEL_TENSOR_FLOAT32,
		  { 1, -1, NAN, INFINITY, FLT_MIN },
		  { 1, -1, 255, INT32_MIN },
		  0,
		  { 0, 0 } },
		{ NNMODEL_TENSOR_INT32,
		  { -1, NAN, INFINITY, -INFINITY, -FLT_MIN },
		  { 1, -1, 255, 128 },
		  0.25f,
		  { 0, 0 } },
		{ NNMODEL_TENSOR_QUANT8_ASYMM,
		  { 0, -1, NAN, INFINITY, -0.f },
		  { -1, 256, INT32_MAX, INT32_MIN },
		  0.5f,
		  { 0, 255 } },
		{ NNMODEL_BOOL, { 1, -1, NAN, INFINITY, 0.5f }, { 1, -1, 2, 3 }, 0, { 0, 0 } },
		{ NNMODEL_FLOAT32, { 1, -1, NAN, INFINITY, 0.5f }, { 1, -1, 2, 3 }, 0, { 0, 0 } },
		{ NNMODEL_TENSOR_QUANT16_SYMM,
		  { 0, -1, NAN, INFINITY, -0.f },
		  { -32769, -1, 1, 32768 },
		  0.5f,
		  { 0, 0 } },
		{ NNMODEL_TENSOR_FLOAT16,
		  { 1, -1, NAN, INFINITY, 0.5f },
		  { 1, -1, 2, 3 },
		  0,
		  { 0, 0 } },
		{ NNMODEL_TENSOR_BOOL8,
		  { 1, -1, NAN, INFINITY, 0.5f },
		  { 1, -1, 2, 3 },
		  0,
		  { 0, 0 } },
		{ NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL,
		  { 1, -1, NAN, INFINITY, 0.5f },
		  { 1, -1, 127, -128 },
		  0,
		  { 0, 0 } },
		{ NNMODEL_TENSOR_QUANT16_ASYMM,
		  { 0, -1, NAN, INFINITY, -0.f },
		  { -1, 65536, INT32_MAX, INT32_MIN },
		  0.5f,
		  { 0, 65535 } },
		{ NNMODEL_TENSOR_QUANT8_SYMM,
		  { 0, -1, NAN, INFINITY, -0.f },
		  { -129, -1, 1, 128 },
		  0.5f,
		  { 0, 0 } },
		{ NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED,
		  { 0, -1, NAN, INFINITY, -0.f },
		  { -129, 128, INT32_MAX, INT32_MIN },
		  0.5f,
		  { -128, 127 } },
	};

	for (size_t i = 0; i < SIZE(rules); i++) {
		/* an input that is never read */
		struct nnmodel *m = model_chain();
		const uint32_t n = spec_operand(m, "F32:2");
		struct nnmodel_operand *o;

		spec_retype(m, n, rules[i].type);
		spec_set_io(m);
		o = &m->main.operands[n];
		o->scale = rules[i].good_scale;
		for (uint32_t k = 0; k < 2; k++) {
			o->zero_point = rules[i].good_zero_points[k];
			model_valid(m);
		}
		for (uint32_t k = 0; k < 4; k++) {
			o->zero_point = rules[i].bad_zero_points[k];
			model_refused(m, MODEL_NONE, n, "zero point");
		}
		o->zero_point = rules[i].good_zero_points[0];
		for (uint32_t k = 0; k < 5; k++) {
			o->scale = rules[i].bad_scales[k];
			model_refused(m, MODEL_NONE, n, "scale");
		}
		nnmodel_free(m);
	}
}

TEST(test_channel_scales)
{
	struct nnmodel *m = model_chain();
	const uint32_t n = spec_operand(m, "QPC:3x2/0");
	struct nnmodel_operand *o = &m->main.operands[n];
	static const float bad[] = { 0, -1, NAN, INFINITY };

	spec_set_io(m);
	assert_int_equal(model_valid(m), 3);
	o->channel_dim = 1;
	model_refused(m, MODEL_NONE, n, "3 channel scales for 2 channels");
	o->channel_dim = 2;
	model_refused(m, MODEL_NONE, n, "channel dimension 2 of rank 2");
	o->channel_dim = UINT32_MAX;
	model_refused(m, MODEL_NONE, n, "channel dimension");
	o->channel_dim = 0;
	o->num_scales = 2;
	model_refused(m, MODEL_NONE, n, "2 channel scales for 3 channels");
	o->num_scales = 3;
	for (size_t i = 0; i < SIZE(bad); i++) {
		o->scales[2] = bad[i];
		model_refused(m, MODEL_NONE, n, "channel 2: scale");
	}
	o->scales[2] = 1;
	/* on a type that has none */
	o->type = NNMODEL_TENSOR_FLOAT32;
	model_refused(m, MODEL_NONE, n, "channel scales on TENSOR_FLOAT32");
	o->type = NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL;
	free(o->scales);
	o->scales = NULL;
	model_refused(m, MODEL_NONE, n, "channel scales");
	o->num_scales = 0;
	model_refused(m, MODEL_NONE, n, "0 channel scales");
	nnmodel_free(m);
}

TEST(test_locations)
{
	struct nnmodel *m = model_chain();
	struct nnmodel_operand *o = &m->main.operands[2];
	const struct nnmodel_location good = o->location;

	for (uint32_t i = 0; i < 5; i++) {
		if (i == 2)
			continue;
		m->main.operands[i].location.offset = 1;
		model_refused(m, MODEL_NONE, i, "a location, but no constant");
		m->main.operands[i].location.offset = 0;
		m->main.operands[i].location.length = 24;
		model_refused(m, MODEL_NONE, i, "a location, but no constant");
		m->main.operands[i].location.length = 0;
		m->main.operands[i].location.pool = 1;
		model_refused(m, MODEL_NONE, i, "a location, but no constant");
		m->main.operands[i].location.pool = 0;
	}
	o->location.pool = 1;
	model_refused(m, MODEL_NONE, 2, "a pool, but a copied constant");
	o->location = good;
	o->location.offset = m->values_size - 3;
	model_refused(m, MODEL_NONE, 2, "constant at");
	o->location.offset = UINT64_MAX - 3;
	model_refused(m, MODEL_NONE, 2, "constant at");
	o->location.offset = UINT64_MAX;
	model_refused(m, MODEL_NONE, 2, "constant at");
	o->location = good;
	o->location.length = UINT64_MAX;
	model_refused(m, MODEL_NONE, 2, "constant at");
	o->location.length = 3;
	model_refused(m, MODEL_NONE, 2, "constant of 3 bytes, needs 4");
	o->location = good;
	model_valid(m);
	nnmodel_free(m);
}

TEST(test_extensions)
{
	struct nnmodel *m = model_chain();
	static const struct {
		const char *a, *b;
		uint16_t prefix_a, prefix_b;
		const char *text;
	} bad[] = {
		{ "nodot", "a.b", 1, 2, "invalid name" },
		{ "", "a.b", 1, 2, "invalid name" },
		{ "A.b", "a.b", 1, 2, "invalid name" },
		{ "a.b-c", "a.b", 1, 2, "invalid name" },
		{ "a.b", "a b.", 1, 2, "invalid name" },
		{ "a.b", "a.b", 1, 2, "appears twice" },
		{ "a.b", "a.c", 1, 1, "used by another" },
		{ "a.b", "a.c", 0, 1, "out of range" },
		{ "a.b", "a.c", 1, 0x8000, "out of range" },
	};
	struct nnmodel *copy;
	uint32_t n;

	m->extensions = calloc(2, sizeof(*m->extensions));
	m->num_extensions = 2;
	for (size_t i = 0; i < SIZE(bad); i++) {
		m->extensions[0] = (struct nnmodel_extension){ (char *)bad[i].a, bad[i].prefix_a };
		m->extensions[1] = (struct nnmodel_extension){ (char *)bad[i].b, bad[i].prefix_b };
		model_refused(m, MODEL_NONE, MODEL_NONE, bad[i].text);
	}
	m->extensions[0] = (struct nnmodel_extension){ strdup("com.vendor_1.x"), 0x7fff };
	m->extensions[1] = (struct nnmodel_extension){ strdup("a."), 1 };
	assert_int_equal(model_valid(m), 3);

	/* operands and operations of an extension; opaque data */
	n = (uint32_t)nnmodel_add_operand(m, 0x7fff0003, NNMODEL_SUBGRAPH_INPUT, NULL, 0, 0, 0);
	spec_set_io(m);
	m->main.operands[n].extension_data = calloc(1, 7);
	m->main.operands[n].extension_size = 7;
	assert_int_equal(model_valid(m), 3);
	assert_int_equal(nnmodel_add_operation(m, 0x00010000, &n, 1, NULL, 0), 2);
	assert_int_equal(model_valid(m), 3);
	copy = nnmodel_clone(m);
	assert_int_equal(model_valid(copy), 3);
	assert_string_equal(copy->extensions[0].name, "com.vendor_1.x");
	nnmodel_free(copy);
	m->main.operations[2].type = 0x00020000;
	model_refused(m, 2, MODEL_NONE, "prefix 2 is not declared");
	m->main.operations[2].type = 0x00010000;
	m->main.operands[n].type = 0x00020003;
	model_refused(m, MODEL_NONE, n, "unknown");
	m->main.operands[n].type = NNMODEL_TENSOR_FLOAT32;
	model_refused(m, MODEL_NONE, n, "extension data on TENSOR_FLOAT32");
	nnmodel_free(m);
}

TEST(test_operation_codes)
{
	struct nnmodel *m = model_chain();
	const uint32_t wrong[] = { 106, 107, 9999, 10000, 19999, 20001, 0xffff };

	for (size_t i = 0; i < SIZE(wrong); i++) {
		m->main.operations[1].type = wrong[i];
		model_refused(m, 1, MODEL_NONE, "no such operation");
	}
	m->main.operations[1].type = UINT32_MAX;
	model_refused(m, 1, MODEL_NONE, "prefix 65535 is not declared");
	/* every code has a name and a row */
	for (uint32_t i = 0; i < NNMODEL_OPCODE_COUNT; i++) {
		const struct nnmodel_op_row *row = nnmodel_op_find(i);

		assert_non_null(nnmodel_operation_name(i));
		assert_non_null(row);
		assert_int_equal(row->opcode, i);
		assert_string_equal(row->name, nnmodel_operation_name(i));
		assert_true(row->feature_level >= 1 && row->feature_level <= 7);
	}
	assert_string_equal(nnmodel_op_find(NNMODEL_DENSIFY)->name,
			    nnmodel_operation_name(NNMODEL_DENSIFY));
	assert_null(nnmodel_op_find(NNMODEL_OPCODE_COUNT));
	assert_null(nnmodel_op_find(UINT32_MAX));
	nnmodel_free(m);
}

/* Give @m @n referenced subgraphs, each a copy of main's. */
static void add_subgraphs(struct nnmodel *m, uint32_t n)
{
	m->referenced = calloc(n, sizeof(*m->referenced));
	m->num_referenced = n;
	for (uint32_t i = 0; i < n; i++) {
		struct nnmodel *c = model_chain();

		m->referenced[i] = c->main;
		memset(&c->main, 0, sizeof(c->main));
		/* the scalar's value is at the same place in both */
		nnmodel_free(c);
	}
}

/* A SUBGRAPH operand of @g that refers to @target. */
static void refer(struct nnmodel_subgraph *g, uint32_t target)
{
	g->operands = realloc(g->operands, (g->num_operands + 1) * sizeof(*g->operands));
	g->operands[g->num_operands++] = (struct nnmodel_operand){
		.type = NNMODEL_SUBGRAPH,
		.lifetime = NNMODEL_LIFETIME_SUBGRAPH,
		.location.offset = target,
	};
}

TEST(test_subgraphs)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnmodel *m, *copy;

	m = model_chain();
	add_subgraphs(m, 3);
	refer(&m->main, 0);
	refer(&m->referenced[0], 1);
	refer(&m->referenced[0], 2);
	refer(&m->referenced[1], 2); /* shared, no cycle */
	assert_int_equal(model_valid(m), 4);
	copy = nnmodel_clone(m);
	assert_int_equal(model_valid(copy), 4);
	nnmodel_free(copy);

	/* a fault in a referenced subgraph is found, and named */
	m->referenced[1].operations[0].inputs[0] = 77;
	assert_int_equal(nnmodel_validate(m, NULL, &err), -EINVAL);
	assert_int_equal(err.subgraph, 2);
	assert_int_equal(err.operand, 77);
	m->referenced[1].operations[0].inputs[0] = 0;

	m->main.operands[5].location.offset = 3;
	model_refused(m, MODEL_NONE, 5, "subgraph 3 of 3");
	m->main.operands[5].location.offset = UINT64_MAX;
	model_refused(m, MODEL_NONE, 5, "subgraph");
	m->main.operands[5].location.offset = 0;
	m->main.operands[5].location.length = 1;
	model_refused(m, MODEL_NONE, 5, "subgraph 0 of 3");
	m->main.operands[5].location.length = 0;

	refer(&m->referenced[2], 0);
	assert_int_equal(nnmodel_validate(m, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "contains itself"));
	nnmodel_free(m);

	m = model_chain();
	add_subgraphs(m, 1);
	refer(&m->main, 0);
	refer(&m->referenced[0], 0);
	assert_int_equal(nnmodel_validate(m, NULL, &err), -EINVAL);
	assert_int_equal(err.subgraph, 1);
	assert_non_null(strstr(err.text, "contains itself"));
	nnmodel_free(m);
}

/* A copy is a subgraph of its own, with the values of the model. */
TEST(test_copied_subgraphs)
{
	struct nnmodel_operand *o;
	struct nnmodel *m = model_chain();
	const uint8_t byte = 7;

	add_subgraphs(m, 2);
	assert_int_equal(nnmodel_copy_referenced(m, 2), -EINVAL);
	assert_int_equal(nnmodel_copy_referenced(m, 1), 2);
	assert_int_equal(m->num_referenced, 3);
	assert_int_equal(m->referenced[2].num_operands, m->referenced[1].num_operands);
	assert_ptr_not_equal(m->referenced[2].operands, m->referenced[1].operands);
	refer(&m->main, 2);
	assert_int_equal(model_valid(m), 4);
	/* the original may go wrong without it */
	m->referenced[2].operations[0].inputs[0] = m->referenced[2].num_operands;
	assert_int_not_equal(m->referenced[1].operations[0].inputs[0],
			     m->referenced[1].num_operands);
	o = &m->referenced[2].operands[0];
	assert_int_equal(nnmodel_add_value(m, &byte, sizeof(byte), &o->location), 0);
	assert_int_equal(m->values[o->location.offset], byte);
	assert_int_equal(o->location.length, sizeof(byte));
	nnmodel_free(m);
}

TEST(test_deep_subgraphs)
{
	const uint32_t depth = 20000;
	struct nnmodel *m = model_chain();

	/* no recursion: a client decides how deep the chain is */
	add_subgraphs(m, depth);
	refer(&m->main, 0);
	for (uint32_t i = 0; i + 1 < depth; i++)
		refer(&m->referenced[i], i + 1);
	assert_int_equal(model_valid(m), 4);
	refer(&m->referenced[depth - 1], depth / 2);
	assert_int_equal(nnmodel_validate(m, NULL, NULL), -EINVAL);
	nnmodel_free(m);
}

TEST(test_building)
{
	struct nnmodel *m = nnmodel_new();
	const uint32_t dims[] = { 2 };
	uint64_t bytes;

	assert_int_equal(nnmodel_add_operand(m, 3, 0, NULL, 1, 0, 0), -EINVAL);
	assert_int_equal(nnmodel_add_operand(m, 3, 0, dims, 1, 0, 0), 0);
	assert_int_equal(nnmodel_set_value(m, 1, dims, 4), -EINVAL);
	assert_int_equal(nnmodel_set_value(m, 0, NULL, 4), -EINVAL);
	assert_int_equal(nnmodel_set_channel_quant(m, 0, 0, NULL, 2), -EINVAL);
	assert_int_equal(nnmodel_set_channel_quant(m, 7, 0, (float[]){ 1 }, 1), -EINVAL);
	assert_int_equal(nnmodel_add_operation(m, 0, NULL, 1, NULL, 0), -EINVAL);
	assert_int_equal(nnmodel_set_io(m, (uint32_t[]){ 1 }, 1, NULL, 0), -EINVAL);
	assert_int_equal(nnmodel_set_io(m, NULL, 1, NULL, 0), -EINVAL);
	assert_int_equal(m->main.num_operations, 0);
	/* values keep what was there, aligned */
	assert_int_equal(nnmodel_add_bool(m, true), 1);
	assert_int_equal(nnmodel_add_float32(m, 2.5f), 2);
	assert_int_equal(m->values[m->main.operands[1].location.offset], 1);
	assert_int_equal(m->main.operands[2].location.offset % 64, 0);
	assert_memory_equal(m->values + m->main.operands[2].location.offset, &(float){ 2.5f }, 4);

	assert_int_equal(nnmodel_operand_bytes(&m->main.operands[0], &bytes), 0);
	assert_int_equal(bytes, 8);
	m->main.operands[0].dims[0] = 0;
	assert_int_equal(nnmodel_operand_bytes(&m->main.operands[0], &bytes), -EINVAL);
	m->main.operands[0].dims[0] = 1u << 30;
	assert_int_equal(nnmodel_operand_bytes(&m->main.operands[0], &bytes), -EOVERFLOW);
	m->main.operands[0].dims[0] = (1u << 30) - 1;
	assert_int_equal(nnmodel_operand_bytes(&m->main.operands[0], &bytes), 0);
	assert_int_equal(nnmodel_operand_bytes(&m->main.operands[1], &bytes), 0);
	assert_int_equal(bytes, 1);
	assert_string_equal(nnmodel_type_name(NNMODEL_TENSOR_INT32), "TENSOR_INT32");
	assert_string_equal(nnmodel_type_name(99), "type 99");
	assert_string_equal(nnmodel_type_name(0x00020003), "extension type 2:3");
	nnmodel_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid),		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_execution_order), cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_indexes),		cmocka_unit_test(test_lifetimes),
		cmocka_unit_test(test_operand_types),	cmocka_unit_test(test_quantization),
		cmocka_unit_test(test_channel_scales),	cmocka_unit_test(test_locations),
		cmocka_unit_test(test_extensions),	cmocka_unit_test(test_operation_codes),
		cmocka_unit_test(test_subgraphs),	cmocka_unit_test(test_copied_subgraphs),
		cmocka_unit_test(test_deep_subgraphs),	cmocka_unit_test(test_building),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
