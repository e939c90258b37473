// SPDX-License-Identifier: Apache-2.0
/*
 * Inputs without elements, as NNAPI's reference treats them: which operations take them (and
 * where), and with which error the others end. The cases are NNAPI's reference, restated;
 * the models are nnctl's probes with extents that only the run knows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower_run.h"
#include "nnaccel/nnaccel_status.h"
#include "probes/nnctl_probes.h"
#include "test_case.h"

#define MAX_INPUTS 32

/* What an input without elements leads to. */
enum empty_end {
	EMPTY_FAILS,
	EMPTY_BAD_DATA,
	EMPTY_TAKEN,
	EMPTY_BATCH /* taken in the batch only */
};

struct empty_case {
	uint32_t opcode;
	enum empty_end end;
	const char *empty; /* of those that are taken: "input.dimension" of what is 0 at once */
};

/* empty_cases[], of the cases in ops/ */
#include "op_empty_cases.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The first case of an operation; NULL: it has none. */
static const struct empty_case *case_of(uint32_t opcode)
{
	for (size_t i = 0; i < COUNT(empty_cases); i++)
		if (empty_cases[i].opcode == opcode)
			return &empty_cases[i];
	return NULL;
}

/* A probe whose extents only the run knows, and an argument of zeros for each of its inputs. */
struct question {
	struct nnmodel *model;
	struct buffer in[MAX_INPUTS + 1], out[5];
	uint32_t num_in;
	uint8_t memory[MAX_INPUTS][1024], results[4][4096];
};

static void set_up(struct question *q, const struct probe *probe)
{
	char error[160] = "";
	struct nnmodel_subgraph *g;

	memset(q, 0, sizeof(*q));
	q->model = probe_model(probe, error, sizeof(error));
	assert_non_null(q->model);
	g = &q->model->main;
	assert_true(g->num_inputs <= MAX_INPUTS && g->num_outputs <= 4);
	q->num_in = g->num_inputs;
	for (uint32_t i = 0; i < g->num_inputs; i++) {
		struct nnmodel_operand *o = &g->operands[g->inputs[i]];
		uint64_t bytes;

		assert_int_equal(nnmodel_operand_bytes(o, &bytes), 0);
		assert_true(bytes <= sizeof(q->memory[i]));
		q->in[i] = BYTES(q->memory[i], bytes);
		q->in[i].rank = o->rank;
		memcpy(q->in[i].dims, o->dims, o->rank * sizeof(*o->dims));
		/* those with scales of their own stay known */
		for (uint32_t d = 0; d < o->rank; d++)
			if (!o->num_scales || d != o->channel_dim)
				o->dims[d] = 0;
	}
	for (uint32_t i = 0; i < g->num_outputs; i++) {
		struct nnmodel_operand *o = &g->operands[g->outputs[i]];

		q->out[i] = BUFFER(q->results[i]);
		if (o->rank)
			memset(o->dims, 0, o->rank * sizeof(*o->dims));
		else
			q->out[i].size = nnmodel_type_size(o->type);
	}
}

static void make_empty(struct question *q, uint32_t input, uint32_t dim)
{
	struct buffer *b = &q->in[input];

	assert_true(input < q->num_in && dim < b->rank);
	b->dims[dim] = 0;
	b->size = 0;
}

static struct run_end ask(struct question *q)
{
	const struct run_end end = run_model_end(q->model, q->in, q->out);

	nnmodel_free(q->model);
	return end;
}

static void check(const struct probe *p, const struct run_end *end, uint32_t status, uint32_t input)
{
	if (end->status == status)
		return;
	print_error("%s", nnmodel_operation_name(p->opcode));
	for (uint32_t i = 0; i < p->types.num; i++)
		print_error(" %s", probe_type_name(p->types.type[i]));
	print_error(", input %u: status %u, not %u: %s\n", input, end->status, status, end->text);
	fail();
}

static void check_taken(const struct probe *p, const char *empty)
{
	struct run_end end;
	struct question q;

	set_up(&q, p);
	for (; *empty; empty += strspn(empty, " ")) {
		const uint32_t input = (uint32_t)strtoul(empty, (char **)&empty, 10);

		make_empty(&q, input, (uint32_t)strtoul(empty + 1, (char **)&empty, 10));
	}
	end = ask(&q);
	check(p, &end, NNACCEL_STATUS_OK, 0);
}

static int is_it_taken(void *cookie, const struct probe *p)
{
	(void)cookie;
	for (size_t i = 0; i < COUNT(empty_cases); i++)
		if (empty_cases[i].opcode == p->opcode && empty_cases[i].end >= EMPTY_TAKEN)
			check_taken(p, empty_cases[i].empty);
	return 0;
}

TEST(test_empty_inputs_accepted)
{
	assert_int_equal(probes_each(is_it_taken, NULL), 0);
}

static int is_batch_only(void *cookie, const struct probe *p)
{
	const struct empty_case *c = case_of(p->opcode);

	(void)cookie;
	if (!c || c->end != EMPTY_BATCH)
		return 0;
	for (uint32_t dim = 1; dim < 4; dim++) {
		struct run_end end;
		struct question q;

		set_up(&q, p);
		make_empty(&q, 0, dim);
		end = ask(&q);
		check(p, &end, NNACCEL_STATUS_EXEC_FAILED, 0);
	}
	return 0;
}

TEST(test_images_are_empty_in_the_batch_only)
{
	assert_int_equal(probes_each(is_batch_only, NULL), 0);
}

/* Each input of the others, alone. */
static int is_it_refused(void *cookie, const struct probe *p)
{
	const struct empty_case *c = case_of(p->opcode);
	uint32_t *runs = cookie, num = 1;

	if (!c || c->end >= EMPTY_TAKEN)
		return 0;
	for (uint32_t i = 0; i < num; i++) {
		const struct nnmodel_subgraph *g;
		struct run_end end;
		struct question q;
		uint32_t dim;

		set_up(&q, p);
		num = q.num_in;
		g = &q.model->main;
		dim = g->operands[g->inputs[i]].num_scales &&
		      !g->operands[g->inputs[i]].channel_dim;
		if (!q.in[i].rank) {
			nnmodel_free(q.model);
			continue;
		}
		make_empty(&q, i, dim);
		end = ask(&q);
		check(p, &end,
		      c->end == EMPTY_BAD_DATA ? NNACCEL_STATUS_BAD_ARGUMENT
					       : NNACCEL_STATUS_EXEC_FAILED,
		      i);
		++*runs;
	}
	return 0;
}

TEST(test_empty_inputs_refused)
{
	uint32_t runs = 0;

	assert_int_equal(probes_each(is_it_refused, &runs), 0);
	assert_true(runs > 300);
}

/* The unchanged probes run, so that the refusals above are due to the empty input. */
static int does_it_run(void *cookie, const struct probe *p)
{
	struct run_end end;
	struct question q;

	(void)cookie;
	if (p->opcode == NNMODEL_IF || p->opcode == NNMODEL_WHILE)
		return 0;
	set_up(&q, p);
	end = ask(&q);
	check(p, &end, NNACCEL_STATUS_OK, 0);
	return 0;
}

TEST(test_all_run_with_elements)
{
	assert_int_equal(probes_each(does_it_run, NULL), 0);
}

TEST(test_every_operation_has_one_end)
{
	for (uint32_t op = 0; op < NNMODEL_OPCODE_COUNT; op++) {
		const struct empty_case *c = case_of(op);

		/* they hand on what comes; FILL's dimensions are below */
		if (op == NNMODEL_IF || op == NNMODEL_WHILE || op == NNMODEL_FILL)
			assert_null(c);
		else
			assert_non_null(c);
		for (size_t i = 0; i < COUNT(empty_cases); i++)
			if (empty_cases[i].opcode == op)
				assert_int_equal(empty_cases[i].end, c->end);
	}
}

/* FILL reads its shape, which the probe gives as a constant. */
TEST(test_fill_of_no_dimensions)
{
	struct nnmodel *m = spec_model(NNMODEL_FILL, "I:0 f=1", "F32");
	const int32_t dims[2] = { 2, 3 };
	float out[6];
	struct run_end end;

	end = run_model_end(m, BUFFERS(SHAPED(dims, 1, 2)), BUFFERS(BUFFER(out)));
	assert_int_equal(end.status, NNACCEL_STATUS_OK);
	end = run_model_end(m,
			    ((const struct buffer[]){ { .data = (void *)dims, .rank = 1 }, DONE }),
			    BUFFERS(BUFFER(out)));
	assert_int_equal(end.status, NNACCEL_STATUS_EXEC_FAILED);
	nnmodel_free(m);
}

/*
 * An empty tensor that another operation computes: SLICE gives no elements, and only the branch
 * that is taken fails.
 */
TEST(test_empty_temporaries)
{
	static const struct {
		uint32_t opcode, status;
	} cases[] = {
		{ NNMODEL_RELU, NNACCEL_STATUS_OK },
		{ NNMODEL_ABS, NNACCEL_STATUS_EXEC_FAILED },
		{ NNMODEL_CAST, NNACCEL_STATUS_BAD_ARGUMENT },
	};
	const float x[3] = { 1, -2, 3 };

	for (size_t i = 0; i < COUNT(cases); i++)
		for (int32_t size = 0; size < 2; size++) {
			struct nnmodel *m = nnmodel_new();
			struct run_end end;
			float out[3];

			spec_operand(m, "F32:3");
			spec_operand(m, "I:1=1");
			spec_operand(m, size ? "I:1=1" : "I:1=0");
			spec_operand(m, "F32:0");
			spec_operand(m, "F32:0");
			m->main.operands[3].lifetime = NNMODEL_TEMPORARY_VARIABLE;
			m->main.operands[4].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
			spec_op(m, NNMODEL_SLICE, IN(0, 1, 2), IN(3));
			spec_op(m, cases[i].opcode, IN(3), IN(4));
			spec_set_io(m);
			end = run_model_end(m, BUFFERS(BUFFER(x)), BUFFERS(BUFFER(out)));
			assert_int_equal(end.status, size ? NNACCEL_STATUS_OK : cases[i].status);
			nnmodel_free(m);
		}
}

/* x -> RELU x, both with another quantization than the argument */
static void take_branch(struct nnmodel *model, uint32_t i)
{
	struct nnmodel *part = nnmodel_new();

	spec_operand(part, "Q8:0@0.5,3");
	spec_operand(part, "Q8:0@0.5,3");
	part->main.operands[1].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(part, NNMODEL_RELU, IN(0), IN(1));
	spec_set_io(part);
	model->referenced[i] = part->main;
	memset(&part->main, 0, sizeof(part->main));
	nnmodel_free(part);
}

/*
 * An empty tensor goes into a branch that declares another type of the same size: no CAST is
 * inserted, which would be refused.
 */
TEST(test_empty_into_a_branch)
{
	const uint8_t x[3] = { 1, 2, 200 }, condition = 1;

	for (int32_t size = 0; size < 2; size++) {
		struct nnmodel *m = nnmodel_new();
		struct run_end end;
		uint8_t out[3] = { 0 };

		m->referenced = calloc(2, sizeof(*m->referenced));
		m->num_referenced = 2;
		take_branch(m, 0);
		take_branch(m, 1);
		spec_operand(m, "Q8:3@1,10");
		spec_operand(m, "I:1=2");
		spec_operand(m, size ? "I:1=1" : "I:1=0");
		spec_operand(m, "Q8:0@0.5,3"); /* SLICE makes it 1, 10 */
		spec_operand(m, "B8:1");
		for (uint32_t i = 0; i < 2; i++) {
			const int n = nnmodel_add_operand(m, NNMODEL_SUBGRAPH,
							  NNMODEL_LIFETIME_SUBGRAPH, NULL, 0, 0, 0);

			assert_int_equal(n, 5 + i);
			m->main.operands[n].location.offset = i;
		}
		spec_operand(m, "Q8:0@0.5,3");
		m->main.operands[3].lifetime = NNMODEL_TEMPORARY_VARIABLE;
		m->main.operands[7].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
		spec_op(m, NNMODEL_SLICE, IN(0, 1, 2), IN(3));
		spec_op(m, NNMODEL_IF, IN(4, 5, 6, 3), IN(7));
		spec_set_io(m);
		end = run_model_end(m, BUFFERS(BUFFER(x), BYTES(&condition, 1)),
				    BUFFERS(BUFFER(out)));
		assert_int_equal(end.status, NNACCEL_STATUS_OK);
		assert_int_equal(end.extents[0], size);
		assert_int_equal(out[0], size ? 200 : 0);
		nnmodel_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_operation_has_one_end),
		cmocka_unit_test(test_all_run_with_elements),
		cmocka_unit_test(test_empty_inputs_accepted),
		cmocka_unit_test(test_images_are_empty_in_the_batch_only),
		cmocka_unit_test(test_empty_inputs_refused),
		cmocka_unit_test(test_fill_of_no_dimensions),
		cmocka_unit_test(test_empty_temporaries),
		cmocka_unit_test(test_empty_into_a_branch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
