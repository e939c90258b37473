// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_programs.h"
#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"

#define DIMS(...)           \
	(const uint32_t[])  \
	{                   \
		__VA_ARGS__ \
	}

static void require(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "core_programs: %s\n", what);
	abort();
}

static struct nnprog_builder *begin(void)
{
	struct nnprog_builder *b = nnprog_builder_create();

	require(b && nnprog_builder_subgraph(b, "main") == 0, "out of memory");
	return b;
}

static uint32_t tensor(struct nnprog_builder *b, uint32_t dtype, uint32_t kind, uint32_t rank,
		       const uint32_t *dims)
{
	struct nnprog_operand op = { .dtype = dtype, .shape.rank = rank };
	int n;

	if (rank != NNPROG_RANK_UNKNOWN)
		memcpy(op.shape.dims, dims, rank * sizeof(*dims));
	n = nnprog_builder_tensor(b, &op, kind, NULL, 0);
	require(n >= 0, "tensor");
	return (uint32_t)n;
}

static void operation(struct nnprog_builder *b, uint32_t opcode, const void *attrs, size_t size,
		      const uint32_t *in, uint32_t num_in, uint32_t out)
{
	struct nnprog_error err = { .text = "" };

	require(!nnprog_builder_operation(b, opcode, attrs, size, in, num_in, &out, 1, NULL, &err),
		err.text);
}

static void add(struct nnprog_builder *b, uint32_t x, uint32_t y, uint32_t out)
{
	struct nnprog_attr_binary attr = { .kind = NNPROG_BINARY_ADD };

	operation(b, NNPROG_OP_BINARY, &attr, sizeof(attr), (uint32_t[]){ x, y }, 2, out);
}

static struct core_program end(struct nnprog_builder *b, const uint32_t *in, uint32_t num_in,
			       const uint32_t *out, uint32_t num_out)
{
	struct nnprog_error err = { .text = "" };
	struct core_program p;

	require(!nnprog_builder_io(b, in, num_in, out, num_out), "io");
	require(!nnprog_builder_finish(b, &p.bytes, &p.size, &err), err.text);
	nnprog_builder_destroy(b);
	return p;
}

static uint32_t constant(struct nnprog_builder *b, uint32_t rank, const uint32_t *dims,
			 const float *data, size_t size)
{
	struct nnprog_operand op = { .dtype = NNPROG_FLOAT32, .shape.rank = rank };
	int n;

	memcpy(op.shape.dims, dims, rank * sizeof(*dims));
	n = nnprog_builder_tensor(b, &op, NNPROG_CONST, data, size);
	require(n >= 0, "constant");
	return (uint32_t)n;
}

struct core_program program_layers(uint32_t n, uint32_t layers)
{
	const struct nnprog_attr_act attr = { .activation = NNPROG_ACT_NONE };
	struct nnprog_builder *b = begin();
	float *weights = malloc(sizeof(float) * n * n), *bias = calloc(n, sizeof(*bias));
	uint32_t in = tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 2, DIMS(1, n)), last = in, out;

	require(weights && bias, "out of memory");
	for (uint32_t i = 0; i < layers; i++) {
		memset(weights, 0, sizeof(float) * n * n);
		for (uint32_t r = 0; r < n; r++) {
			weights[r * n + (r + i) % n] = r % 2 ? 1 : -1;
			weights[r * n + (3 * r + i) % n] += 1;
		}
		out = tensor(b, NNPROG_FLOAT32, i + 1 < layers ? NNPROG_TEMP : NNPROG_OUTPUT, 2,
			     DIMS(1, n));
		operation(b, NNPROG_OP_FULLY_CONNECTED, &attr, sizeof(attr),
			  (uint32_t[]){ last,
					constant(b, 2, DIMS(n, n), weights, sizeof(float) * n * n),
					constant(b, 1, DIMS(n), bias, sizeof(float) * n) },
			  3, out);
		last = out;
	}
	free(weights);
	free(bias);
	return end(b, &in, 1, &last, 1);
}

struct core_program program_products(uint32_t rows, uint32_t n)
{
	const struct nnprog_attr_act attr = { .activation = NNPROG_ACT_NONE };
	struct nnprog_operand op = { .dtype = NNPROG_INT8, .shape = { .rank = 2 }, .scale = 0.5f };
	struct nnprog_builder *b = begin();
	int32_t *bias = calloc(n, sizeof(*bias));
	int8_t *weights = malloc((size_t)n * n);
	uint32_t in, out, filter, biases;

	require(weights && bias, "out of memory");
	for (uint32_t i = 0; i < n * n; i++)
		weights[i] = (int8_t)(i * 2654435761u >> 24);
	op.shape.dims[0] = rows;
	op.shape.dims[1] = n;
	in = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_INPUT, NULL, 0);
	op.scale = 100;
	out = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_OUTPUT, NULL, 0);
	op.shape.dims[0] = n;
	op.scale = 0.25f;
	filter = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_CONST, weights, (size_t)n * n);
	op = (struct nnprog_operand){ .dtype = NNPROG_INT32,
				      .shape = { .rank = 1, .dims = { n } },
				      .scale = 0.125f };
	biases = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_CONST, bias, sizeof(*bias) * n);
	operation(b, NNPROG_OP_FULLY_CONNECTED, &attr, sizeof(attr),
		  (uint32_t[]){ in, filter, biases }, 3, out);
	free(weights);
	free(bias);
	return end(b, &in, 1, &out, 1);
}

struct core_program program_adds(uint32_t n, uint32_t steps)
{
	struct nnprog_builder *b = begin();
	uint32_t in = tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 1, DIMS(n ? n : NNPROG_DIM_UNKNOWN));
	uint32_t out = tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL),
		 last = in;

	for (uint32_t i = 1; i < steps; i++) {
		uint32_t t = tensor(b, NNPROG_FLOAT32, NNPROG_TEMP, NNPROG_RANK_UNKNOWN, NULL);

		add(b, last, in, t);
		last = t;
	}
	add(b, last, in, out);
	return end(b, &in, 1, &out, 1);
}

struct core_program program_reshape(uint32_t n)
{
	struct nnprog_builder *b = begin();
	uint32_t in[2] = { tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 1, DIMS(n)),
			   tensor(b, NNPROG_INT32, NNPROG_INPUT, 1, DIMS(2)) };
	uint32_t out = tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL);

	operation(b, NNPROG_OP_RESHAPE, NULL, 0, in, 2, out);
	return end(b, in, 2, &out, 1);
}

struct core_program program_computed_shape(uint32_t n)
{
	struct nnprog_builder *b = begin();
	uint32_t in[3] = { tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 1, DIMS(n)),
			   tensor(b, NNPROG_INT32, NNPROG_INPUT, 1, DIMS(2)),
			   tensor(b, NNPROG_INT32, NNPROG_INPUT, 1, DIMS(2)) };
	uint32_t out[2] = { tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL),
			    tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL) };
	uint32_t shape = tensor(b, NNPROG_INT32, NNPROG_TEMP, NNPROG_RANK_UNKNOWN, NULL);
	uint32_t mid = tensor(b, NNPROG_FLOAT32, NNPROG_TEMP, NNPROG_RANK_UNKNOWN, NULL);

	add(b, in[0], in[0], out[0]);
	add(b, in[1], in[2], shape);
	operation(b, NNPROG_OP_RESHAPE, NULL, 0, (uint32_t[]){ in[0], shape }, 2, mid);
	add(b, mid, mid, out[1]);
	return end(b, in, 3, out, 2);
}

struct core_program program_pad(void)
{
	struct nnprog_builder *b = begin();
	uint32_t in[3] = { tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 2, DIMS(2, 2)),
			   tensor(b, NNPROG_INT32, NNPROG_INPUT, 2, DIMS(2, 2)),
			   tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 0, DIMS(0)) };
	uint32_t out = tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL);

	operation(b, NNPROG_OP_PAD, NULL, 0, in, 3, out);
	return end(b, in, 3, &out, 1);
}

struct core_program program_matmul(uint32_t m, uint32_t n, uint32_t k)
{
	struct nnprog_builder *b = begin();
	uint32_t in[2] = { tensor(b, NNPROG_INT32, NNPROG_INPUT, 2, DIMS(m, k)),
			   tensor(b, NNPROG_INT32, NNPROG_INPUT, 2, DIMS(k, n)) };
	uint32_t out = tensor(b, NNPROG_INT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL);
	struct nnprog_attr_batch_matmul attr = { 0 };

	operation(b, NNPROG_OP_BATCH_MATMUL, &attr, sizeof(attr), in, 2, out);
	return end(b, in, 2, &out, 1);
}

struct core_program program_extension(void)
{
	struct nnprog_builder *b = begin();
	uint32_t in = tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 1, DIMS(4));
	uint32_t out = tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 1, DIMS(4));
	struct nnprog_error err = { .text = "" };

	require(!nnprog_builder_operation(b, NNPROG_OP_EXTENSION, NULL, 0, &in, 1, &out, 1,
					  "com.example.none", &err),
		err.text);
	return end(b, &in, 1, &out, 1);
}
