// SPDX-License-Identifier: Apache-2.0
/*
 * Random programs with IF and WHILE in each other. All operands are vectors whose extents a
 * subgraph may or may not know, so that much is only found out, or found to contradict, when it
 * runs. Loops that never end are left to the loop limit.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "program_random.h"

#define MAX_OPERANDS 4u
#define MAX_GRAPHS 12u

enum role { ROLE_MAIN, ROLE_CONDITION, ROLE_BODY };

/** A subgraph that some operation names and that is still to be built. */
struct wanted {
	enum role role;
	uint32_t num_in, num_out;
	uint32_t dtypes[MAX_OPERANDS]; /* of inputs; the outputs are like the first of them */
};

struct maker {
	struct nnprog_builder *b;
	uint64_t *seed;
	struct wanted wanted[MAX_GRAPHS];
	uint32_t num_wanted;
	/* the subgraph under way */
	const struct wanted *g;
	uint32_t in[MAX_OPERANDS], condition;
	bool bad;
};

static uint32_t dice(struct maker *m, uint32_t sides)
{
	*m->seed = *m->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*m->seed >> 33) % sides;
}

static uint32_t add(struct maker *m, const struct nnprog_operand *op, uint32_t kind,
		    const void *data, size_t size)
{
	int n = nnprog_builder_tensor(m->b, op, kind, data, size);

	if (n < 0)
		m->bad = true;
	return n < 0 ? 0 : (uint32_t)n;
}

/** Known, half known or unknown. */
static uint32_t vector(struct maker *m, uint32_t dtype, uint32_t kind)
{
	struct nnprog_operand op = { .dtype = dtype, .shape.rank = 1 };
	uint32_t how = dice(m, 8);

	op.shape.dims[0] = how < 4 ? (dtype == NNPROG_INT32 ? 1 : 2 + dice(m, 3))
				   : NNPROG_DIM_UNKNOWN;
	if (how == 7)
		op.shape = (struct nnprog_shape){ .rank = NNPROG_RANK_UNKNOWN };
	return add(m, &op, kind, NULL, 0);
}

static uint32_t constant(struct maker *m, uint32_t dtype, int32_t value)
{
	struct nnprog_operand op = { .dtype = dtype, .shape = { .rank = 1, .dims = { 1 } } };
	float real = (float)value;

	return add(m, &op, NNPROG_CONST, dtype == NNPROG_FLOAT32 ? (void *)&real : &value, 4);
}

static void emit(struct maker *m, uint32_t opcode, const void *attrs, size_t size,
		 const uint32_t *in, uint32_t num_in, const uint32_t *out, uint32_t num_out)
{
	struct nnprog_error err;

	if (!m->bad && nnprog_builder_operation(m->b, opcode, attrs, size, in, num_in, out, num_out,
						NULL, &err))
		m->bad = true;
}

static uint32_t want(struct maker *m, enum role role, uint32_t num_in, uint32_t num_out,
		     const uint32_t *dtypes)
{
	struct wanted *w = &m->wanted[m->num_wanted++];

	*w = (struct wanted){ .role = role, .num_in = num_in, .num_out = num_out };
	memcpy(w->dtypes, dtypes, num_in * sizeof(*dtypes));
	return m->num_wanted - 1;
}

/** The first @num_out outputs by IF or WHILE over all inputs. */
static void emit_control(struct maker *m, const uint32_t *out, uint32_t num_out)
{
	const struct wanted *g = m->g;
	uint32_t attrs[2], list[MAX_OPERANDS + 1];

	if (dice(m, 2)) {
		list[0] = m->condition;
		memcpy(list + 1, m->in, g->num_in * sizeof(*list));
		attrs[0] = want(m, ROLE_BODY, g->num_in, num_out, g->dtypes);
		attrs[1] = dice(m, 3) ? want(m, ROLE_BODY, g->num_in, num_out, g->dtypes)
				      : attrs[0];
		emit(m, NNPROG_OP_IF, attrs, sizeof(attrs), list, g->num_in + 1, out, num_out);
		return;
	}
	attrs[0] = want(m, ROLE_CONDITION, g->num_in, 1, g->dtypes);
	attrs[1] = want(m, ROLE_BODY, g->num_in, num_out + dice(m, g->num_in - num_out + 1),
			g->dtypes);
	emit(m, NNPROG_OP_WHILE, attrs, sizeof(attrs), m->in, g->num_in, out, num_out);
}

/** Output @i, like input @i. */
static void emit_output(struct maker *m, uint32_t i, uint32_t out)
{
	struct nnprog_attr_binary binary = { .kind = dice(m, 2) ? NNPROG_BINARY_ADD
								: NNPROG_BINARY_MUL };
	struct nnprog_attr_axis axis = { .axis = 0 };
	uint32_t dtype = m->g->dtypes[i], x = m->in[i], t;

	switch (dice(m, dtype == NNPROG_INT32 ? 2 : 4)) {
	case 0:
		emit(m, NNPROG_OP_BINARY, &binary, sizeof(binary), (uint32_t[]){ x, x }, 2, &out,
		     1);
		break;
	case 1:
		binary.kind = NNPROG_BINARY_ADD;
		emit(m, NNPROG_OP_BINARY, &binary, sizeof(binary),
		     (uint32_t[]){ x, constant(m, dtype, -1) }, 2, &out, 1);
		break;
	case 2:
		emit(m, NNPROG_OP_CONCATENATION, &axis, sizeof(axis),
		     (uint32_t[]){ x, constant(m, dtype, 3) }, 2, &out, 1);
		break;
	default:
		t = vector(m, dtype, NNPROG_TEMP);
		emit(m, NNPROG_OP_CONCATENATION, &axis, sizeof(axis), (uint32_t[]){ x, x }, 2, &t,
		     1);
		emit(m, NNPROG_OP_BINARY, &binary, sizeof(binary), (uint32_t[]){ t, t }, 2, &out,
		     1);
	}
}

/** BOOL8 from an integer input; input 0 is one. */
static uint32_t emit_condition(struct maker *m, uint32_t kind)
{
	struct nnprog_operand op = { .dtype = NNPROG_BOOL8, .shape = { .rank = 1, .dims = { 1 } } };
	struct nnprog_attr_convert cast = { .kind = NNPROG_CONVERT_CAST };
	uint32_t out;

	if (dice(m, 4) == 0)
		op.shape = (struct nnprog_shape){ .rank = NNPROG_RANK_UNKNOWN };
	out = add(m, &op, kind, NULL, 0);
	emit(m, NNPROG_OP_CONVERT, &cast, sizeof(cast), m->in, 1, &out, 1);
	return out;
}

static void build_graph(struct maker *m)
{
	const struct wanted *g = m->g;
	uint32_t out[MAX_OPERANDS], by_control = 0, i;

	for (i = 0; i < g->num_in; i++)
		m->in[i] = vector(m, g->dtypes[i], NNPROG_INPUT);
	if (g->role == ROLE_CONDITION) {
		out[0] = emit_condition(m, NNPROG_OUTPUT);
	} else {
		for (i = 0; i < g->num_out; i++)
			out[i] = vector(m, g->dtypes[i], NNPROG_OUTPUT);
		m->condition = emit_condition(m, NNPROG_TEMP);
		if (m->num_wanted + 2 <= MAX_GRAPHS && (g->role == ROLE_MAIN || dice(m, 3) == 0)) {
			by_control = 1 + dice(m, g->num_out);
			emit_control(m, out, by_control);
		}
		for (i = by_control; i < g->num_out; i++)
			emit_output(m, i, out[i]);
	}
	if (!m->bad && nnprog_builder_io(m->b, m->in, g->num_in, out, g->num_out))
		m->bad = true;
}

void *program_random_control(uint64_t *seed, size_t *size)
{
	struct maker m = { .b = nnprog_builder_create(), .seed = seed };
	uint32_t dtypes[MAX_OPERANDS] = { NNPROG_INT32 };
	struct nnprog_error err;
	void *bytes = NULL;
	uint32_t num_in;

	if (!m.b)
		abort();
	num_in = 1 + dice(&m, MAX_OPERANDS);
	for (uint32_t i = 1; i < num_in; i++)
		dtypes[i] = dice(&m, 3) ? NNPROG_FLOAT32 : NNPROG_INT32;
	want(&m, ROLE_MAIN, num_in, 1 + dice(&m, num_in), dtypes);
	for (uint32_t i = 0; i < m.num_wanted && !m.bad; i++) {
		if (nnprog_builder_subgraph(m.b, NULL) < 0)
			abort();
		m.g = &m.wanted[i];
		build_graph(&m);
	}
	if (!m.bad && nnprog_builder_finish(m.b, &bytes, size, &err))
		bytes = NULL;
	nnprog_builder_destroy(m.b);
	return bytes;
}
