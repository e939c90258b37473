// SPDX-License-Identifier: Apache-2.0
/*
 * INT64 belongs to extensions: the verifier refuses it at every operand of every other operation,
 * alone and together with further operands, so that no kernel meets an element of 8 bytes. The
 * operations are those of nnctl's probes: every NNAPI operation in every combination of types.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "lower_spec.h"
#include "nnprog_builder.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "probes/nnctl_probes.h"
#include "test_case.h"

#define MAX_OPERANDS 64u

/* A program of one operation, whose operands are inputs and outputs. */
struct single {
	const struct nnprog_op_desc *desc;
	void *bytes;
	size_t size;
	struct nnprog prog;
	uint32_t num_tensors;
	uint32_t given[MAX_OPERANDS]; /* tensors that are not omitted */
	uint32_t num_given;
	uint32_t accepted; /* that should not have been */
};

static void single_open(struct single *s, const struct nnprog *from,
			const struct nnprog_operation *op)
{
	struct nnprog_builder *b = nnprog_builder_create();
	const uint32_t *list[2] = { from->index + op->inputs, from->index + op->outputs };
	const uint32_t count[2] = { op->num_inputs, op->num_outputs };
	uint32_t numbers[2][MAX_OPERANDS], io[2][MAX_OPERANDS], num_io[2] = { 0 };
	struct nnprog_error err = { .text = "" };

	memset(s, 0, sizeof(*s));
	s->desc = nnprog_op_find(op->opcode);
	assert_true(count[0] + count[1] <= MAX_OPERANDS);
	assert_int_equal(nnprog_builder_subgraph(b, "main"), 0);
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < count[k]; i++) {
			const struct nnprog_tensor *t =
				&from->tensors[from->subgraphs[0].first_tensor + list[k][i]];
			struct nnprog_operand o;
			uint32_t kind = k ? NNPROG_OUTPUT : NNPROG_INPUT;
			int n;

			nnprog_tensor_operand(from, t, &o);
			if (t->kind == NNPROG_OMITTED)
				kind = NNPROG_OMITTED;
			else if (k)
				o.shape = (struct nnprog_shape){ .rank = NNPROG_RANK_UNKNOWN };
			o.omittable = false;
			n = nnprog_builder_tensor(b, &o, kind, NULL, 0);
			assert_true(n >= 0);
			numbers[k][i] = (uint32_t)n;
			if (kind == NNPROG_OMITTED)
				continue;
			io[k][num_io[k]++] = (uint32_t)n;
			s->given[s->num_given++] = (uint32_t)n;
		}
	if (nnprog_builder_operation(b, op->opcode, from->attrs + op->attrs, op->attrs_size,
				     numbers[0], count[0], numbers[1], count[1], NULL, &err) ||
	    nnprog_builder_io(b, io[0], num_io[0], io[1], num_io[1]) ||
	    nnprog_builder_finish(b, &s->bytes, &s->size, &err))
		fail_msg("%s: %s", s->desc->name, err.text);
	assert_int_equal(nnprog_verify(s->bytes, s->size, &s->prog, &err), 0);
	nnprog_builder_destroy(b);
}

/* Type and size, as a compiler would write them. */
static void single_retype(struct single *s, uint32_t tensor, uint32_t dtype)
{
	struct nnprog_tensor *t = (struct nnprog_tensor *)&s->prog.tensors[tensor];
	struct nnprog_shape shape = { .rank = t->rank };
	uint64_t bytes = 0;

	memcpy(shape.dims, t->dims, sizeof(shape.dims));
	if (nnprog_shape_complete(&shape))
		assert_int_equal(nnprog_shape_bytes(&shape, dtype, &bytes), 0);
	t->dtype = dtype;
	t->size = bytes;
	t->scale = 0;
	t->zero_point = 0;
}

static bool single_has_channels(const struct single *s, uint64_t mask)
{
	for (uint32_t i = 0; i < s->num_given; i++)
		if (mask >> i & 1 && s->prog.tensors[s->given[i]].num_scales)
			return true;
	return false;
}

/* Verify the operation with INT64 at the operands of @mask, and restore it. */
static void single_expect_refusal(struct single *s, uint64_t mask)
{
	struct nnprog_header *h = s->bytes;
	struct nnprog_error err = { .text = "" };
	struct nnprog_tensor before[MAX_OPERANDS];
	struct nnprog prog;

	for (uint32_t i = 0; i < s->num_given; i++) {
		before[i] = s->prog.tensors[s->given[i]];
		if (mask >> i & 1)
			single_retype(s, s->given[i], NNPROG_INT64);
	}
	h->crc32 = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (uint8_t *)s->bytes + sizeof(*h),
				     h->total_size - sizeof(*h));
	if (!nnprog_verify(s->bytes, s->size, &prog, &err)) {
		print_error("%s with INT64 at operands %#llx is accepted\n", s->desc->name,
			    (unsigned long long)mask);
		s->accepted++;
	} else if (err.operation != 0 && !single_has_channels(s, mask)) {
		/* by the rules of the operation; scales per channel are refused earlier */
		fail_msg("%s: %s", s->desc->name, err.text);
	}
	for (uint32_t i = 0; i < s->num_given; i++)
		*(struct nnprog_tensor *)&s->prog.tensors[s->given[i]] = before[i];
}

static uint64_t single_same_type(const struct single *s, uint32_t operand)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < s->num_given; i++)
		if (s->prog.tensors[s->given[i]].dtype == s->prog.tensors[s->given[operand]].dtype)
			mask |= UINT64_C(1) << i;
	return mask;
}

/* Each operand alone, with each other, with those of its type, and all. */
static void single_check(struct single *s)
{
	for (uint32_t i = 0; i < s->num_given; i++) {
		for (uint32_t k = 0; k <= i; k++)
			single_expect_refusal(s, UINT64_C(1) << i | UINT64_C(1) << k);
		single_expect_refusal(s, single_same_type(s, i));
	}
	single_expect_refusal(s, (UINT64_C(1) << s->num_given) - 1);
}

static bool is_own(uint32_t opcode)
{
	return opcode != NNPROG_OP_IF && opcode != NNPROG_OP_WHILE &&
	       opcode != NNPROG_OP_EXTENSION && nnprog_op_find(opcode);
}

/* What all probes have shown. */
struct summary {
	uint32_t seen[NNPROG_OP_COUNT], accepted;
};

static int check_probe(void *cookie, const struct probe *p)
{
	struct nnmodel_error error = NNMODEL_ERROR_INIT;
	struct nnprog_error err = { .text = "" };
	struct nnhal_lowered program;
	struct summary *sum = cookie;
	struct nnmodel *model;
	struct nnprog prog;
	char text[160] = "";

	model = probe_model(p, text, sizeof(text));
	assert_non_null(model);
	if (spec_lower(model, &program, &error))
		fail_msg("%s", error.text);
	assert_int_equal(nnprog_verify(program.bytes, program.size, &prog, &err), 0);
	for (uint32_t n = 0; n < prog.subgraphs[0].num_operations; n++) {
		const struct nnprog_operation *op =
			&prog.operations[prog.subgraphs[0].first_operation + n];
		struct single s;

		if (!is_own(op->opcode))
			continue;
		single_open(&s, &prog, op);
		single_check(&s);
		free(s.bytes);
		sum->seen[op->opcode]++;
		sum->accepted += s.accepted;
	}
	free(program.bytes);
	nnmodel_free(model);
	return 0;
}

TEST(test_no_operation_takes_int64)
{
	struct summary sum = { .accepted = 0 };

	assert_int_equal(probes_each(check_probe, &sum), 0);
	for (uint32_t op = 0; op < NNPROG_OP_COUNT; op++)
		if (is_own(op) && !sum.seen[op])
			fail_msg("no probe has %s", nnprog_op_find(op)->name);
	assert_int_equal(sum.accepted, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_operation_takes_int64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
