// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "control_programs.h"

static void require(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "control_programs: %s\n", what);
	abort();
}

struct nnprog_builder *control_begin(void)
{
	struct nnprog_builder *b = nnprog_builder_create();

	require(b && nnprog_builder_subgraph(b, "main") == 0, "out of memory");
	return b;
}

uint32_t control_graph(struct nnprog_builder *b)
{
	int n = nnprog_builder_subgraph(b, NULL);

	require(n > 0, "subgraph");
	return (uint32_t)n;
}

static uint32_t add(struct nnprog_builder *b, const struct nnprog_operand *op, uint32_t kind,
		    const void *data, size_t size)
{
	int n = nnprog_builder_tensor(b, op, kind, data, size);

	require(n >= 0, "tensor");
	return (uint32_t)n;
}

uint32_t control_tensor(struct nnprog_builder *b, uint32_t dtype, uint32_t kind, uint32_t rank,
			const uint32_t *dims)
{
	struct nnprog_operand op = { .dtype = dtype, .shape.rank = rank };

	if (rank != NNPROG_RANK_UNKNOWN)
		memcpy(op.shape.dims, dims, rank * sizeof(*dims));
	return add(b, &op, kind, NULL, 0);
}

uint32_t control_vector(struct nnprog_builder *b, uint32_t dtype, uint32_t kind, uint32_t n)
{
	return control_tensor(b, dtype, kind, 1, &n);
}

uint32_t control_int(struct nnprog_builder *b, int32_t value)
{
	struct nnprog_operand op = { .dtype = NNPROG_INT32, .shape = { .rank = 1, .dims = { 1 } } };

	return add(b, &op, NNPROG_CONST, &value, sizeof(value));
}

uint32_t control_float(struct nnprog_builder *b, float value)
{
	struct nnprog_operand op = { .dtype = NNPROG_FLOAT32,
				     .shape = { .rank = 1, .dims = { 1 } } };

	return add(b, &op, NNPROG_CONST, &value, sizeof(value));
}

void control_op(struct nnprog_builder *b, uint32_t opcode, const void *attrs, size_t size,
		const uint32_t *in, uint32_t num_in, const uint32_t *out, uint32_t num_out)
{
	struct nnprog_error err = { .text = "" };

	require(!nnprog_builder_operation(b, opcode, attrs, size, in, num_in, out, num_out, NULL,
					  &err),
		err.text);
}

void control_binary(struct nnprog_builder *b, uint32_t kind, uint32_t x, uint32_t y, uint32_t out)
{
	struct nnprog_attr_binary attr = { .kind = kind };

	control_op(b, NNPROG_OP_BINARY, &attr, sizeof(attr), CONTROL_LIST(x, y), &out, 1);
}

void control_nonzero(struct nnprog_builder *b, uint32_t x, uint32_t out)
{
	struct nnprog_attr_convert attr = { .kind = NNPROG_CONVERT_CAST };

	control_op(b, NNPROG_OP_CONVERT, &attr, sizeof(attr), &x, 1, &out, 1);
}

void control_if(struct nnprog_builder *b, uint32_t then_graph, uint32_t else_graph,
		const uint32_t *in, uint32_t num_in, const uint32_t *out, uint32_t num_out)
{
	struct nnprog_attr_if attr = { then_graph, else_graph };

	control_op(b, NNPROG_OP_IF, &attr, sizeof(attr), in, num_in, out, num_out);
}

void control_while(struct nnprog_builder *b, uint32_t condition, uint32_t body, const uint32_t *in,
		   uint32_t num_in, const uint32_t *out, uint32_t num_out)
{
	struct nnprog_attr_while attr = { condition, body };

	control_op(b, NNPROG_OP_WHILE, &attr, sizeof(attr), in, num_in, out, num_out);
}

void control_io(struct nnprog_builder *b, const uint32_t *in, uint32_t num_in, const uint32_t *out,
		uint32_t num_out)
{
	require(!nnprog_builder_io(b, in, num_in, out, num_out), "io");
}

struct core_program control_end(struct nnprog_builder *b)
{
	struct nnprog_error err = { .text = "" };
	struct core_program p;

	require(!nnprog_builder_finish(b, &p.bytes, &p.size, &err), err.text);
	nnprog_builder_destroy(b);
	return p;
}

struct nnprog_error control_end_error(struct nnprog_builder *b)
{
	struct nnprog_error err = { .text = "" };
	struct core_program p;

	require(nnprog_builder_finish(b, &p.bytes, &p.size, &err), "not refused");
	nnprog_builder_destroy(b);
	return err;
}

uint32_t control_graph_count(struct nnprog_builder *b, uint32_t n)
{
	uint32_t g = control_graph(b), x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, n);
	uint32_t k = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1);
	uint32_t out = control_vector(b, NNPROG_BOOL8, NNPROG_OUTPUT, 1);

	control_nonzero(b, k, out);
	control_io(b, CONTROL_LIST(x, k), &out, 1);
	return g;
}

uint32_t control_graph_step(struct nnprog_builder *b, uint32_t n)
{
	uint32_t g = control_graph(b), x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, n);
	uint32_t k = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1);
	uint32_t x1 = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, n);
	uint32_t k1 = control_vector(b, NNPROG_INT32, NNPROG_OUTPUT, 1);

	control_binary(b, NNPROG_BINARY_ADD, x, control_float(b, 1), x1);
	control_binary(b, NNPROG_BINARY_ADD, k, control_int(b, -1), k1);
	control_io(b, CONTROL_LIST(x, k), CONTROL_LIST(x1, k1));
	return g;
}

static void graph_binary(struct nnprog_builder *b, uint32_t kind, uint32_t n)
{
	uint32_t x, out;

	control_graph(b);
	x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, n);
	out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, n);
	control_binary(b, kind, x, x, out);
	control_io(b, &x, 1, &out, 1);
}

struct core_program program_if(uint32_t n, uint32_t inner)
{
	struct nnprog_builder *b = control_begin();
	uint32_t c = control_vector(b, NNPROG_BOOL8, NNPROG_INPUT, 1);
	uint32_t x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, n);
	uint32_t out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, n);

	control_if(b, 1, 2, CONTROL_LIST(c, x), &out, 1);
	control_io(b, CONTROL_LIST(c, x), &out, 1);
	graph_binary(b, NNPROG_BINARY_ADD, inner);
	graph_binary(b, NNPROG_BINARY_MUL, inner);
	return control_end(b);
}

struct core_program program_count(uint32_t n, uint32_t inner)
{
	struct nnprog_builder *b = control_begin();
	uint32_t x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, n);
	uint32_t k = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1);
	uint32_t out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, n);
	uint32_t left = control_vector(b, NNPROG_INT32, NNPROG_OUTPUT, 1);

	control_while(b, 1, 2, CONTROL_LIST(x, k), CONTROL_LIST(out, left));
	control_io(b, CONTROL_LIST(x, k), CONTROL_LIST(out, left));
	control_graph_count(b, inner);
	control_graph_step(b, inner);
	return control_end(b);
}

struct core_program program_grow(uint32_t n)
{
	static const float more[3] = { 7, 8, 9 };
	struct nnprog_operand constant = { .dtype = NNPROG_FLOAT32,
					   .shape = { .rank = 1, .dims = { 3 } } };
	struct nnprog_attr_axis axis = { .axis = 0 };
	struct nnprog_builder *b = control_begin();
	uint32_t x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, n), x1;
	uint32_t k = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1), k1;
	uint32_t out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, UNKNOWN);

	control_while(b, 1, 2, CONTROL_LIST(x, k), &out, 1);
	control_io(b, CONTROL_LIST(x, k), &out, 1);
	control_graph_count(b, UNKNOWN);
	control_graph(b);
	x = control_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, NNPROG_RANK_UNKNOWN, NULL);
	k = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1);
	x1 = control_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL);
	k1 = control_vector(b, NNPROG_INT32, NNPROG_OUTPUT, 1);
	control_op(b, NNPROG_OP_CONCATENATION, &axis, sizeof(axis),
		   CONTROL_LIST(x, add(b, &constant, NNPROG_CONST, more, sizeof(more))), &x1, 1);
	control_binary(b, NNPROG_BINARY_ADD, k, control_int(b, -1), k1);
	control_io(b, CONTROL_LIST(x, k), CONTROL_LIST(x1, k1));
	return control_end(b);
}

struct core_program program_nested(void)
{
	struct nnprog_builder *b = control_begin();
	uint32_t x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 1), x1;
	uint32_t k = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1), k1;
	uint32_t j = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1);
	uint32_t out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 1);

	control_while(b, 1, 2, CONTROL_LIST(x, k, j), &out, 1);
	control_io(b, CONTROL_LIST(x, k, j), &out, 1);
	/* 1: k is not 0 */
	control_graph(b);
	x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 1);
	k = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1);
	j = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1);
	out = control_vector(b, NNPROG_BOOL8, NNPROG_OUTPUT, 1);
	control_nonzero(b, k, out);
	control_io(b, CONTROL_LIST(x, k, j), &out, 1);
	/* 2: the other loop, j times; j itself is only read */
	control_graph(b);
	x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 1);
	k = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1);
	j = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1);
	x1 = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 1);
	k1 = control_vector(b, NNPROG_INT32, NNPROG_OUTPUT, 1);
	control_while(b, 3, 4, CONTROL_LIST(x, j), &x1, 1);
	control_binary(b, NNPROG_BINARY_ADD, k, control_int(b, -1), k1);
	control_io(b, CONTROL_LIST(x, k, j), CONTROL_LIST(x1, k1));
	control_graph_count(b, 1);
	control_graph_step(b, 1);
	return control_end(b);
}

/** x -> x != 0, and x -> x * 1. */
static void graphs_endless(struct nnprog_builder *b)
{
	uint32_t x, out;

	control_graph(b);
	x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 1);
	out = control_vector(b, NNPROG_BOOL8, NNPROG_OUTPUT, 1);
	control_nonzero(b, x, out);
	control_io(b, &x, 1, &out, 1);
	control_graph(b);
	x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 1);
	out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 1);
	control_binary(b, NNPROG_BINARY_MUL, x, control_float(b, 1), out);
	control_io(b, &x, 1, &out, 1);
}

struct core_program program_endless(void)
{
	struct nnprog_builder *b = control_begin();
	uint32_t x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 1);
	uint32_t out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 1);

	control_while(b, 1, 2, &x, 1, &out, 1);
	control_io(b, &x, 1, &out, 1);
	graphs_endless(b);
	return control_end(b);
}

struct core_program program_endless_inside(void)
{
	struct nnprog_builder *b = control_begin();
	uint32_t x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 1), x1;
	uint32_t k = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1), k1;
	uint32_t out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 1);

	control_while(b, 1, 2, CONTROL_LIST(x, k), &out, 1);
	control_io(b, CONTROL_LIST(x, k), &out, 1);
	control_graph_count(b, 1);
	control_graph(b);
	x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 1);
	k = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 1);
	x1 = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 1);
	k1 = control_vector(b, NNPROG_INT32, NNPROG_OUTPUT, 1);
	control_while(b, 3, 4, &x, 1, &x1, 1);
	control_binary(b, NNPROG_BINARY_ADD, k, control_int(b, -1), k1);
	control_io(b, CONTROL_LIST(x, k), CONTROL_LIST(x1, k1));
	graphs_endless(b);
	return control_end(b);
}
