// SPDX-License-Identifier: Apache-2.0
/* The program format: builder, planner, verifier, dump. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "verify.h"
#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "plan.h"
#include "test_case.h"

static struct nnprog_operand operand(uint32_t dtype, uint32_t rank, const uint32_t *dims)
{
	struct nnprog_operand op = { .dtype = dtype, .shape.rank = rank };

	if (rank <= NNPROG_MAX_RANK && rank)
		memcpy(op.shape.dims, dims, rank * sizeof(*dims));
	return op;
}

#define DIMS(...)           \
	(const uint32_t[])  \
	{                   \
		__VA_ARGS__ \
	}

static uint32_t add_tensor(struct nnprog_builder *b, uint32_t dtype, uint32_t kind, uint32_t rank,
			   const uint32_t *dims, const void *data, size_t size)
{
	struct nnprog_operand op = operand(dtype, rank, dims);
	int n = nnprog_builder_tensor(b, &op, kind, data, size);

	assert_true(n >= 0);
	return (uint32_t)n;
}

static void add_binary(struct nnprog_builder *b, uint32_t kind, uint32_t x, uint32_t y,
		       uint32_t out)
{
	struct nnprog_attr_binary attr = { .kind = kind };
	struct nnprog_error err = { .text = "" };

	if (nnprog_builder_operation(b, NNPROG_OP_BINARY, &attr, sizeof(attr), (uint32_t[]){ x, y },
				     2, &out, 1, NULL, &err))
		fail_msg("%s", err.text);
}

struct program {
	void *bytes;
	size_t size;
	struct nnprog prog;
};

static void finish(struct nnprog_builder *b, struct program *p)
{
	struct nnprog_error err = { .text = "" };

	if (nnprog_builder_finish(b, &p->bytes, &p->size, &err))
		fail_msg("%s", err.text);
	assert_int_equal(nnprog_verify(p->bytes, p->size, &p->prog, &err), 0);
	nnprog_builder_destroy(b);
}

/**
 * out = ((in + c) * c + in) reshaped to [3, 2]; tensors 0 in, 1 c, 2 3 4 temporaries, 5 shape, 6
 * out.
 */
static void build_sample(struct program *p)
{
	static const float c[6] = { 1, 2, 3, 4, 5, 6 };
	static const int32_t shape[2] = { 3, -1 };
	struct nnprog_builder *b = nnprog_builder_create();
	uint32_t in, cc, t[3], s, out;
	struct nnprog_error err;

	assert_non_null(b);
	assert_int_equal(nnprog_builder_subgraph(b, "main"), 0);
	in = add_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 2, DIMS(2, 3), NULL, 0);
	cc = add_tensor(b, NNPROG_FLOAT32, NNPROG_CONST, 2, DIMS(2, 3), c, sizeof(c));
	for (int i = 0; i < 3; i++)
		t[i] = add_tensor(b, NNPROG_FLOAT32, NNPROG_TEMP, NNPROG_RANK_UNKNOWN, NULL, NULL,
				  0);
	s = add_tensor(b, NNPROG_INT32, NNPROG_CONST, 1, DIMS(2), shape, sizeof(shape));
	out = add_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL, NULL, 0);
	add_binary(b, NNPROG_BINARY_ADD, in, cc, t[0]);
	add_binary(b, NNPROG_BINARY_MUL, t[0], cc, t[1]);
	add_binary(b, NNPROG_BINARY_ADD, t[1], in, t[2]);
	assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_RESHAPE, NULL, 0,
						  (uint32_t[]){ t[2], s }, 2, &out, 1, NULL, &err),
			 0);
	assert_int_equal(nnprog_builder_io(b, &in, 1, &out, 1), 0);
	finish(b, p);
}

/* Nothing is summed, by writer or reader, and the field is 0. */
TEST(test_unsummed)
{
	struct nnprog_error err = { .text = "" };
	struct nnprog_builder *b = nnprog_builder_create();
	const struct nnprog_operand op = { .dtype = NNPROG_FLOAT32,
					   .shape = { .rank = 1, .dims = { 1 } } };
	const float one = 1;
	struct nnprog prog;
	struct nnprog_header *h;
	uint32_t in, constant, out;
	struct program p;

	assert_non_null(b);
	nnprog_builder_unsummed(b);
	assert_int_equal(nnprog_builder_subgraph(b, "main"), 0);
	in = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_INPUT, NULL, 0);
	constant = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_CONST, &one, sizeof(one));
	out = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_OUTPUT, NULL, 0);
	add_binary(b, NNPROG_BINARY_ADD, in, constant, out);
	assert_int_equal(nnprog_builder_io(b, &in, 1, &out, 1), 0);
	finish(b, &p);
	h = p.bytes;
	assert_int_equal(h->crc32, 0);
	assert_int_equal(nnprog_verify(p.bytes, p.size, &prog, &err), 0);
	((uint8_t *)p.bytes)[p.size - 1] ^= 1;
	assert_int_equal(nnprog_verify(p.bytes, p.size, &prog, &err), 0);
	h->crc32 = 1;
	assert_int_equal(nnprog_verify(p.bytes, p.size, &prog, &err), -EINVAL);
	assert_non_null(strstr(err.text, "checksum"));
	free(p.bytes);
}

static void repair(void *bytes)
{
	struct nnprog_header *h = bytes;

	h->crc32 = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (uint8_t *)bytes + sizeof(*h),
				     h->total_size - sizeof(*h));
}

TEST(test_sample)
{
	struct nnprog_operand op;
	struct program p;

	build_sample(&p);
	assert_int_equal(p.prog.num_subgraphs, 1);
	assert_int_equal(p.prog.subgraphs[0].num_operations, 4);
	assert_string_equal(p.prog.strings + p.prog.subgraphs[0].name, "main");
	/* shapes were inferred; temporaries are planned and two of the three share bytes */
	assert_int_equal(p.prog.tensors[6].rank, 2);
	assert_int_equal(p.prog.tensors[6].dims[0], 3);
	assert_int_equal(p.prog.tensors[6].dims[1], 2);
	assert_int_equal(p.prog.tensors[6].size, 24);
	assert_int_equal(p.prog.header->arena_size, 128);
	assert_int_equal(p.prog.tensors[2].offset, p.prog.tensors[4].offset);
	assert_int_not_equal(p.prog.tensors[2].offset, p.prog.tensors[3].offset);
	nnprog_tensor_operand(&p.prog, &p.prog.tensors[1], &op);
	assert_true(((const float *)op.data)[5] == 6.0f);
	nnprog_tensor_operand(&p.prog, &p.prog.tensors[0], &op);
	assert_null(op.data);
	free(p.bytes);
}

/*
 * No byte may change unseen, but for the flag that has two valid values and for an older operation
 * set.
 */
TEST(test_every_byte)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xff };
	struct nnprog_error err;
	struct nnprog prog;
	struct program p;
	uint8_t *bytes;

	build_sample(&p);
	bytes = p.bytes;
	for (size_t i = 0; i < p.size; i++)
		for (size_t f = 0; f < sizeof(flips); f++) {
			if (i == offsetof(struct nnprog_header, flags) && flips[f] == 0x01)
				continue;
			if (i == offsetof(struct nnprog_header, opset_version) &&
			    (bytes[i] ^ flips[f]) < bytes[i])
				continue;
			bytes[i] ^= flips[f];
			err.text[0] = 0;
			if (!nnprog_verify(bytes, p.size, &prog, &err))
				fail_msg("byte %zu ^ %#x is not seen", i, flips[f]);
			assert_true(err.text[0]);
			bytes[i] ^= flips[f];
		}
	free(p.bytes);
}

/*
 * Every byte changed and the checksum repaired: an accepted program is valid, can be dumped, and
 * its lists are in range.
 */
TEST(test_every_byte_repaired)
{
	struct nnprog_error err;
	struct nnprog prog;
	struct program p;
	unsigned int accepted = 0, refused = 0;
	uint8_t *bytes;
	char *text;

	build_sample(&p);
	bytes = p.bytes;
	for (size_t i = sizeof(struct nnprog_header); i < p.size; i++)
		for (unsigned int bit = 0; bit < 8; bit++) {
			bytes[i] ^= 1u << bit;
			repair(bytes);
			if (!nnprog_verify(bytes, p.size, &prog, &err)) {
				accepted++;
				assert_int_equal(nnprog_dump(&prog, &text), 0);
				free(text);
			} else {
				refused++;
				assert_true(err.offset < p.size);
			}
			bytes[i] ^= 1u << bit;
		}
	/* the constants' 24 bytes and the name may be anything */
	assert_true(accepted >= 24 * 8);
	assert_true(refused > accepted);
	free(p.bytes);
}

TEST(test_truncated)
{
	struct nnprog_error err;
	struct nnprog prog;
	struct program p;

	build_sample(&p);
	for (size_t n = 0; n < p.size; n++) {
		/* of its own, so that the sanitizer sees a read beyond the end */
		void *copy = NULL;

		assert_int_equal(posix_memalign(&copy, 64, n), 0);
		memcpy(copy, p.bytes, n);
		assert_int_equal(nnprog_verify(copy, n, &prog, &err), -EINVAL);
		if (n >= sizeof(struct nnprog_header)) {
			((struct nnprog_header *)copy)->total_size = n;
			repair(copy);
			assert_int_equal(nnprog_verify(copy, n, &prog, &err), -EINVAL);
		}
		free(copy);
	}
	assert_int_equal(nnprog_verify((char *)p.bytes + 8, p.size - 8, &prog, &err), -EINVAL);
	assert_non_null(strstr(err.text, "aligned"));
	assert_int_equal(nnprog_verify(NULL, 0, &prog, &err), -EINVAL);
	free(p.bytes);
}

/* ---- what the verifier says of particular faults ---- */

struct edit {
	struct nnprog_header *h;
	struct nnprog_subgraph *sg;
	struct nnprog_tensor *t;
	struct nnprog_operation *op;
	uint32_t *index;
	uint8_t *attrs, *data;
};

static void e_dtype(struct edit *e)
{
	e->t[0].dtype = NNPROG_DTYPE_END;
}
static void e_kind(struct edit *e)
{
	e->t[0].kind = 77;
}
static void e_reserved(struct edit *e)
{
	e->t[3].reserved = 1;
}
static void e_rank(struct edit *e)
{
	e->t[2].rank = NNPROG_MAX_RANK + 1;
}
static void e_dims(struct edit *e)
{
	e->t[2].dims[7] = 1;
}
static void e_scale_nan(struct edit *e)
{
	e->t[5].scale = NAN;
}
static void e_scale_float(struct edit *e)
{
	e->t[0].scale = 1;
}
static void e_size(struct edit *e)
{
	e->t[0].size = 25;
}
static void e_offset_in(struct edit *e)
{
	e->t[0].offset = 0;
}
static void e_offset_const(struct edit *e)
{
	e->t[5].offset = 128;
}
static void e_offset_temp(struct edit *e)
{
	e->t[2].offset = 1;
}
static void e_offset_far(struct edit *e)
{
	e->t[2].offset = UINT64_MAX - 63;
}
static void e_overlap(struct edit *e)
{
	e->t[3].offset = e->t[2].offset;
}
static void e_shape(struct edit *e)
{
	e->t[2].dims[0] = 3, e->t[2].dims[1] = 2;
}
static void e_shape_out(struct edit *e)
{
	e->t[6].dims[0] = 2, e->t[6].dims[1] = 3;
}
static void e_opcode(struct edit *e)
{
	e->op[0].opcode = NNPROG_OP_COUNT;
}
static void e_list(struct edit *e)
{
	e->op[1].inputs = 2;
}
static void e_number(struct edit *e)
{
	e->index[2] = 7;
}
static void e_order(struct edit *e)
{
	e->index[2] = 4;
}
static void e_twice(struct edit *e)
{
	e->index[4 + 3] = 2;
}
static void e_write_in(struct edit *e)
{
	e->index[4] = 0;
}
static void e_io(struct edit *e)
{
	e->index[0] = 1;
}
static void e_attr(struct edit *e)
{
	*(uint32_t *)e->attrs = NNPROG_BINARY_COUNT;
}
static void e_attr_size(struct edit *e)
{
	e->op[0].attrs_size = 4;
}
static void e_count(struct edit *e)
{
	e->op[3].num_inputs = 1;
}
static void e_name(struct edit *e)
{
	e->sg->name = 1000;
}
static void e_arena(struct edit *e)
{
	e->h->arena_size = 64;
}
static void e_arena_both(struct edit *e)
{
	e->h->arena_size = e->sg->arena_size = 64;
}
static void e_sg_tensors(struct edit *e)
{
	e->sg->num_tensors = 100;
}
static void e_sg_operations(struct edit *e)
{
	e->sg->num_operations = 3;
}
static void e_value(struct edit *e)
{
	*(int32_t *)(e->data + 64) = 5;
}
static void e_unused(struct edit *e)
{
	e->t[4].kind = NNPROG_INPUT, e->t[4].offset = UINT64_MAX;
}
static void e_flags(struct edit *e)
{
	e->h->flags = 4;
}
static void e_major(struct edit *e)
{
	e->h->version = 0x20000;
}
static void e_opset(struct edit *e)
{
	e->h->opset_version = NNPROG_OPSET_VERSION + 1;
}
static void e_gap(struct edit *e)
{
	e->attrs[-1] = 1;
}
static void e_data_gap(struct edit *e)
{
	e->data[30] = 1;
}

static const struct {
	void (*edit)(struct edit *e);
	const char *text;
} faults[] = {
	{ e_dtype, "data type" },
	{ e_kind, "unknown kind" },
	{ e_reserved, "reserved" },
	{ e_rank, "rank is too large" },
	{ e_dims, "beyond the rank" },
	{ e_scale_nan, "scale is not" },
	{ e_scale_float, "cannot have it" },
	{ e_size, "size is not" },
	{ e_offset_in, "offset of a tensor that must not" },
	{ e_offset_const, "constant is not in the order" },
	{ e_offset_temp, "not aligned" },
	{ e_offset_far, "beyond the arena" },
	{ e_overlap, "share bytes" },
	{ e_shape, "" },
	{ e_shape_out, "shape differs from the result" },
	{ e_opcode, "unknown operation" },
	{ e_list, "list is not in the order" },
	{ e_number, "number is too large" },
	{ e_order, "before it is written" },
	{ e_twice, "again" },
	{ e_write_in, "not writable" },
	{ e_io, "cannot be input" },
	{ e_attr, "BINARY" },
	{ e_attr_size, "wrong size" },
	{ e_count, "not in the order" },
	{ e_name, "beyond the strings" },
	{ e_arena, "not that of main" },
	{ e_arena_both, "beyond the arena" },
	{ e_sg_tensors, "tensors are not in the order" },
	{ e_sg_operations, "" },
	{ e_value, "RESHAPE" },
	{ e_unused, "does not list" },
	{ e_flags, "flags" },
	{ e_major, "version 2.0" },
	{ e_opset, "operation set" },
	{ e_gap, "gap" },
	{ e_data_gap, "gap" },
};

TEST(test_faults)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct nnprog_error err = { .text = "" };
		struct nnprog prog;
		struct program p;
		struct edit e;

		build_sample(&p);
		e = (struct edit){
			.h = p.bytes,
			.sg = (void *)p.prog.subgraphs,
			.t = (void *)p.prog.tensors,
			.op = (void *)p.prog.operations,
			.index = (void *)p.prog.index,
			.attrs = (void *)p.prog.attrs,
			.data = (void *)p.prog.data,
		};
		faults[i].edit(&e);
		repair(p.bytes);
		if (nnprog_verify(p.bytes, p.size, &prog, &err) != -EINVAL)
			fail_msg("fault %zu (%s) is not seen", i, faults[i].text);
		if (!strstr(err.text, faults[i].text))
			fail_msg("fault %zu: \"%s\", not \"%s\"", i, err.text, faults[i].text);
		free(p.bytes);
	}
}

/* ---- builder ---- */

TEST(test_builder_refuses)
{
	struct nnprog_operand op = operand(NNPROG_FLOAT32, 1, DIMS(4));
	struct nnprog_attr_binary attr = { .kind = NNPROG_BINARY_ADD };
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_error err;
	uint32_t in, out, temp;
	float data[4] = { 0 };
	float scales[2] = { 1, -1 };
	size_t size;
	void *bytes;

	assert_int_equal(nnprog_builder_finish(b, &bytes, &size, &err), -EINVAL);
	assert_int_equal(nnprog_builder_tensor(b, &op, NNPROG_INPUT, NULL, 0), -EINVAL);
	assert_int_equal(nnprog_builder_subgraph(b, NULL), 0);
	assert_int_equal(nnprog_builder_tensor(b, &op, NNPROG_KIND_COUNT, NULL, 0), -EINVAL);
	assert_int_equal(nnprog_builder_tensor(b, &op, NNPROG_CONST, data, 12), -EINVAL);
	assert_int_equal(nnprog_builder_tensor(b, &op, NNPROG_INPUT, data, 16), -EINVAL);
	op.scale = 1;
	assert_int_equal(nnprog_builder_tensor(b, &op, NNPROG_INPUT, NULL, 0), -EINVAL);
	op = operand(NNPROG_INT8, 1, DIMS(2));
	op.scales = scales;
	op.num_scales = 2;
	assert_int_equal(nnprog_builder_tensor(b, &op, NNPROG_CONST, data, 2), -EINVAL);
	op = operand(NNPROG_FLOAT32, NNPROG_MAX_RANK + 1, NULL);
	assert_int_equal(nnprog_builder_tensor(b, &op, NNPROG_INPUT, NULL, 0), -EINVAL);
	op = operand(NNPROG_FLOAT32, 2, DIMS(1u << 31, 1u << 31));
	assert_int_equal(nnprog_builder_tensor(b, &op, NNPROG_INPUT, NULL, 0), -EOVERFLOW);

	in = add_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 1, DIMS(4), NULL, 0);
	temp = add_tensor(b, NNPROG_FLOAT32, NNPROG_TEMP, 1, DIMS(4), NULL, 0);
	out = add_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 1, DIMS(5), NULL, 0);
	assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_BINARY, &attr, sizeof(attr),
						  (uint32_t[]){ in, in }, 2, &out, 1, NULL, &err),
			 -EINVAL);
	assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_BINARY, &attr, sizeof(attr),
						  (uint32_t[]){ in, 99 }, 2, &temp, 1, NULL, &err),
			 -EINVAL);
	assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_BINARY, &attr, 4,
						  (uint32_t[]){ in, in }, 2, &temp, 1, NULL, &err),
			 -EINVAL);
	assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_BINARY, &attr, sizeof(attr),
						  (uint32_t[]){ in, in }, 2, &in, 1, NULL, &err),
			 -EINVAL);
	assert_int_equal(nnprog_builder_operation(b, 9999, NULL, 0, NULL, 0, NULL, 0, NULL, &err),
			 -EINVAL);
	assert_int_equal(nnprog_builder_io(b, &temp, 1, &out, 1), -EINVAL);
	/* a temporary that is never written is found at the end */
	assert_int_equal(nnprog_builder_io(b, &in, 1, &out, 1), 0);
	assert_int_equal(nnprog_builder_finish(b, &bytes, &size, &err), -EINVAL);
	assert_null(bytes);
	nnprog_builder_destroy(b);
}

/* Shapes that become known late propagate when the program is finished. */
TEST(test_late_shape)
{
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_operand op;
	uint32_t in, out, kind;
	struct program p;

	assert_int_equal(nnprog_builder_subgraph(b, "main"), 0);
	in = add_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 2, DIMS(NNPROG_DIM_UNKNOWN, 3), NULL, 0);
	out = add_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL, NULL, 0);
	add_binary(b, NNPROG_BINARY_ADD, in, in, out);
	assert_int_equal(nnprog_builder_get(b, out, &op, &kind), 0);
	assert_int_equal(op.shape.rank, 2);
	assert_int_equal(op.shape.dims[0], NNPROG_DIM_UNKNOWN);
	op = operand(NNPROG_FLOAT32, 2, DIMS(7, 3));
	assert_int_equal(nnprog_builder_set_shape(b, in, &op.shape), 0);
	assert_int_equal(nnprog_builder_io(b, &in, 1, &out, 1), 0);
	finish(b, &p);
	assert_int_equal(p.prog.tensors[1].dims[0], 7);
	assert_int_equal(p.prog.tensors[1].size, 84);
	free(p.bytes);
}

TEST(test_dynamic)
{
	struct nnprog_builder *b = nnprog_builder_create();
	uint32_t in, t, out;
	struct program p;

	assert_int_equal(nnprog_builder_subgraph(b, "main"), 0);
	in = add_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, NNPROG_RANK_UNKNOWN, NULL, NULL, 0);
	t = add_tensor(b, NNPROG_FLOAT32, NNPROG_TEMP, NNPROG_RANK_UNKNOWN, NULL, NULL, 0);
	out = add_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL, NULL, 0);
	add_binary(b, NNPROG_BINARY_ADD, in, in, t);
	add_binary(b, NNPROG_BINARY_ADD, t, in, out);
	assert_int_equal(nnprog_builder_io(b, &in, 1, &out, 1), 0);
	finish(b, &p);
	assert_int_equal(p.prog.header->arena_size, 0);
	assert_true(p.prog.tensors[1].offset == NNPROG_NO_OFFSET);
	assert_int_equal(p.prog.tensors[1].size, 0);
	free(p.bytes);
}

TEST(test_extension)
{
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_error err;
	struct program p;
	uint32_t in, out;
	char *text;

	assert_int_equal(nnprog_builder_subgraph(b, "main"), 0);
	in = add_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 1, DIMS(3), NULL, 0);
	out = add_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 1, DIMS(5), NULL, 0);
	assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_EXTENSION, "blob", 5, &in, 1, &out,
						  1, NULL, &err),
			 -EINVAL);
	assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_EXTENSION, "blob", 5, &in, 1, &out,
						  1, "com.example.fold", &err),
			 0);
	assert_int_equal(nnprog_builder_io(b, &in, 1, &out, 1), 0);
	finish(b, &p);
	assert_memory_equal(p.prog.attrs + p.prog.operations[0].attrs, "blob", 5);
	assert_int_equal(nnprog_dump(&p.prog, &text), 0);
	assert_non_null(strstr(text, "com.example.fold(in%0:float32[3])"));
	free(text);
	free(p.bytes);
}

/* Subgraphs that no operation runs are unreachable, but verified in full. */
TEST(test_subgraphs)
{
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_error err;
	uint32_t in, out;
	size_t size;
	void *bytes;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(nnprog_builder_subgraph(b, "g"), i);
		in = add_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 1, DIMS(3), NULL, 0);
		out = add_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, 1, DIMS(3), NULL, 0);
		add_binary(b, NNPROG_BINARY_ADD, in, in, out);
		assert_int_equal(nnprog_builder_io(b, &in, 1, &out, 1), 0);
	}
	assert_int_equal(nnprog_builder_finish(b, &bytes, &size, &err), -EINVAL);
	assert_non_null(strstr(err.text, "subgraph 1 is not used"));
	nnprog_builder_destroy(b);
}

TEST(test_quantization)
{
	static const float scales[3] = { 0.5f, 0.25f, 1 };
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_operand op = operand(NNPROG_INT8, 2, DIMS(3, 2));
	struct nnprog_attr_convert attr = { .kind = NNPROG_CONVERT_REAL };
	struct nnprog_error err = { .text = "" };
	uint32_t c, in, out;
	struct program p;
	int8_t data[6] = { 1, 2, 3, 4, 5, 6 };

	assert_int_equal(nnprog_builder_subgraph(b, "main"), 0);
	op.scales = scales;
	op.num_scales = 3;
	c = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_CONST, data, sizeof(data));
	op.channel_dim = 1;
	assert_int_equal(nnprog_builder_tensor(b, &op, NNPROG_CONST, data, sizeof(data)), -EINVAL);
	in = add_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 1, DIMS(1), NULL, 0);
	out = add_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL, NULL, 0);
	if (nnprog_builder_operation(b, NNPROG_OP_CONVERT, &attr, sizeof(attr), &c, 1, &out, 1,
				     NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(nnprog_builder_io(b, &in, 1, &out, 1), 0);
	finish(b, &p);
	nnprog_tensor_operand(&p.prog, &p.prog.tensors[0], &op);
	assert_int_equal(op.num_scales, 3);
	assert_memory_equal(op.scales, scales, sizeof(scales));
	free(p.bytes);
}

/* One list of scales cannot stand for unlimited work. */
TEST(test_work_limit)
{
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_operand op = operand(NNPROG_INT8, 2, DIMS(20000, 1));
	struct nnprog_attr_convert attr = { .kind = NNPROG_CONVERT_REAL };
	float *scales = malloc(20000 * sizeof(float));
	int8_t *data = calloc(1, 20000);
	uint32_t in, c;
	struct nnprog_error err;
	size_t size;
	void *bytes;

	for (int i = 0; i < 20000; i++)
		scales[i] = 1;
	assert_int_equal(nnprog_builder_subgraph(b, "main"), 0);
	in = add_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 1, DIMS(1), NULL, 0);
	op.scales = scales;
	op.num_scales = 20000;
	c = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_CONST, data, 20000);
	for (int i = 0; i < 1200; i++) {
		uint32_t t = add_tensor(b, NNPROG_FLOAT32, NNPROG_TEMP, NNPROG_RANK_UNKNOWN, NULL,
					NULL, 0);

		assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_CONVERT, &attr, sizeof(attr),
							  &c, 1, &t, 1, NULL, &err),
				 0);
	}
	assert_int_equal(nnprog_builder_io(b, &in, 1, NULL, 0), 0);
	assert_int_equal(nnprog_builder_finish(b, &bytes, &size, &err), -EINVAL);
	assert_non_null(strstr(err.text, "too often"));
	nnprog_builder_destroy(b);
	free(scales);
	free(data);
}

TEST(test_dump)
{
	struct program p;
	char *text;

	build_sample(&p);
	assert_int_equal(nnprog_dump(&p.prog, &text), 0);
	assert_non_null(strstr(text, "BINARY(in%0:float32[2,3], const%1:float32[2,3])"));
	assert_non_null(strstr(text, "out%6:float32[3,2] = RESHAPE("));
	free(text);
	free(p.bytes);
}

/* The checksum is zlib's, for every size, place and start, and in parts. */
TEST(test_checksum)
{
	static uint8_t bytes[5000];
	uint32_t seed = 1;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(seed >> 24);
	}
	for (size_t size = 0; size < 700; size++)
		for (size_t at = 0; at < 33; at++) {
			uint32_t before = size % 3 ? seed + (uint32_t)at : 0;

			assert_int_equal(nnprog_crc32(before, bytes + at, size),
					 crc32_z(before, bytes + at, size));
		}
	for (size_t part = 0; part < sizeof(bytes); part += 13)
		assert_int_equal(nnprog_crc32(nnprog_crc32(0, bytes, part), bytes + part,
					      sizeof(bytes) - part),
				 crc32_z(0, bytes, sizeof(bytes)));
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(nnprog_crc32(0, bytes, sizeof(bytes)), crc32_z(0, bytes, sizeof(bytes)));
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(nnprog_crc32(0, bytes, sizeof(bytes)), crc32_z(0, bytes, sizeof(bytes)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_every_byte_repaired),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_builder_refuses),
		cmocka_unit_test(test_late_shape),
		cmocka_unit_test(test_dynamic),
		cmocka_unit_test(test_extension),
		cmocka_unit_test(test_subgraphs),
		cmocka_unit_test(test_quantization),
		cmocka_unit_test(test_work_limit),
		cmocka_unit_test(test_checksum),
		cmocka_unit_test(test_unsummed),
		cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests_name("nnprog", tests, NULL, NULL);
}
