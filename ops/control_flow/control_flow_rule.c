// SPDX-License-Identifier: Apache-2.0
/*
 * IF and WHILE. Their outputs follow from the subgraphs that they name, which a descriptor does not
 * see: infer() leaves the outputs unknown, and a caller with all subgraphs calls
 * nnprog_control_infer() instead.
 */
#include <string.h>

#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "control_flow.h"
#include "verify.h"

static int check_condition(const struct nnprog_operand *op, const char *what,
			   struct nnprog_error *err)
{
	int ret = nnprog_need_type(op, NNPROG_BOOL8, what, err);

	if (!ret)
		ret = nnprog_need_rank(op, 1, what, err);
	if (!ret && nnprog_rank_known(op) && nnprog_dims_differ(op->shape.dims[0], 1))
		return nnprog_refuse(err, "%s: %u values where 1 is needed", what,
				     op->shape.dims[0]);
	return ret;
}

static void leave_unknown(struct nnprog_operand *out, uint32_t num_out)
{
	for (uint32_t i = 0; i < num_out; i++)
		out[i].shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
}

static int infer_if(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		    struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	(void)attrs;
	(void)num_in;
	leave_unknown(out, num_out);
	return check_condition(&in[0], "condition", err);
}

static int infer_while(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		       struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	(void)attrs;
	(void)in;
	(void)num_in;
	(void)err;
	leave_unknown(out, num_out);
	return 0;
}

bool nnprog_control_graphs(uint32_t opcode, const void *attrs, uint32_t graphs[2])
{
	_Static_assert(sizeof(struct nnprog_attr_if) == 2 * sizeof(uint32_t) &&
			       sizeof(struct nnprog_attr_while) == 2 * sizeof(uint32_t),
		       "two numbers");

	if (opcode != NNPROG_OP_IF && opcode != NNPROG_OP_WHILE)
		return false;
	memcpy(graphs, attrs, 2 * sizeof(uint32_t));
	return true;
}

/** Bytes that one writes are read as the same numbers by the other. */
static bool same_kind(const struct nnprog_operand *a, const struct nnprog_operand *b)
{
	return a->dtype == b->dtype && a->scale == b->scale && a->zero_point == b->zero_point &&
	       a->num_scales == b->num_scales && a->channel_dim == b->channel_dim &&
	       (!a->num_scales || !memcmp(a->scales, b->scales, a->num_scales * sizeof(float)));
}

static int need_compatible(const struct nnprog_operand *a, const struct nnprog_operand *b,
			   const char *what, uint32_t i, struct nnprog_error *err)
{
	struct nnprog_shape shape = a->shape;

	if (!same_kind(a, b))
		return nnprog_refuse(err, "%s %u: type or quantization differs", what, i);
	if (nnprog_shape_merge(&shape, &b->shape))
		return nnprog_refuse(err, "%s %u: shape differs", what, i);
	return 0;
}

static int need_count(uint32_t count, uint32_t want, const char *what, struct nnprog_error *err)
{
	return count == want ? 0
			     : nnprog_refuse(err, "%s: %u where %u are needed", what, count, want);
}

/** What both shapes say. */
static struct nnprog_shape common_shape(const struct nnprog_shape *a, const struct nnprog_shape *b)
{
	struct nnprog_shape shape = *a;

	if (a->rank != b->rank || a->rank > NNPROG_MAX_RANK)
		return nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	for (uint32_t i = 0; i < shape.rank; i++)
		if (shape.dims[i] != b->dims[i])
			shape.dims[i] = NNPROG_DIM_UNKNOWN;
	return shape;
}

/** Operands from outside against the inputs of a subgraph. */
static int check_inputs(const struct nnprog_graphs *g, uint32_t graph,
			const struct nnprog_operand *in, uint32_t num_in, const char *what,
			struct nnprog_error *err)
{
	int ret = need_count(g->count(g->priv, graph, false), num_in, what, err);

	for (uint32_t i = 0; i < num_in && !ret; i++) {
		struct nnprog_operand inner;

		if (in[i].omitted)
			continue;
		g->get(g->priv, graph, false, i, &inner);
		ret = need_compatible(&in[i], &inner, what, i, err);
	}
	return ret;
}

static int control_if(const struct nnprog_graphs *g, const uint32_t graphs[2],
		      const struct nnprog_operand *in, uint32_t num_in, struct nnprog_operand *out,
		      uint32_t num_out, struct nnprog_error *err)
{
	int ret = check_condition(&in[0], "condition", err);

	if (!ret)
		ret = check_inputs(g, graphs[0], in + 1, num_in - 1, "input of the then branch",
				   err);
	if (!ret)
		ret = check_inputs(g, graphs[1], in + 1, num_in - 1, "input of the else branch",
				   err);
	if (!ret)
		ret = need_count(g->count(g->priv, graphs[0], true), num_out,
				 "outputs of the then branch", err);
	if (!ret)
		ret = need_count(g->count(g->priv, graphs[1], true), num_out,
				 "outputs of the else branch", err);
	for (uint32_t i = 0; i < num_out && !ret; i++) {
		struct nnprog_operand a, b;

		g->get(g->priv, graphs[0], true, i, &a);
		g->get(g->priv, graphs[1], true, i, &b);
		ret = need_compatible(&out[i], &a, "output of the then branch", i, err);
		if (!ret)
			ret = need_compatible(&out[i], &b, "output of the else branch", i, err);
		out[i].shape = common_shape(&a.shape, &b.shape);
	}
	return ret;
}

/** The body and the condition take the body's outputs in the next iteration. */
static int check_carried(const struct nnprog_graphs *g, const uint32_t graphs[2], uint32_t num_in,
			 struct nnprog_error *err)
{
	uint32_t outputs = g->count(g->priv, graphs[1], true);
	struct nnprog_operand a, b;
	int ret = 0;

	for (uint32_t i = 0; i < num_in && !ret; i++) {
		g->get(g->priv, graphs[1], false, i, &a);
		g->get(g->priv, graphs[0], false, i, &b);
		/*
		 * shapes may change from one iteration to the next: they are compared when it runs
		 */
		if (!same_kind(&a, &b))
			return nnprog_refuse(err,
					     "input %u of condition and body: type or quantization "
					     "differs",
					     i);
		if (i >= outputs)
			continue;
		g->get(g->priv, graphs[1], true, i, &b);
		ret = need_compatible(&a, &b, "input and output of the body", i, err);
	}
	return ret;
}

static int control_while(const struct nnprog_graphs *g, const uint32_t graphs[2],
			 const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	uint32_t outputs = g->count(g->priv, graphs[1], true);
	struct nnprog_operand inner;
	int ret = check_inputs(g, graphs[0], in, num_in, "input of the condition", err);

	if (!ret)
		ret = check_inputs(g, graphs[1], in, num_in, "input of the body", err);
	if (!ret)
		ret = need_count(g->count(g->priv, graphs[0], true), 1, "outputs of the condition",
				 err);
	if (ret)
		return ret;
	g->get(g->priv, graphs[0], true, 0, &inner);
	ret = check_condition(&inner, "output of the condition", err);
	if (!ret && (outputs < num_out || outputs > num_in))
		ret = nnprog_refuse(err,
				    "outputs of the body: %u, the operation has %u inputs and %u "
				    "outputs",
				    outputs, num_in, num_out);
	if (!ret)
		ret = check_carried(g, graphs, num_in, err);
	for (uint32_t i = 0; i < num_out && !ret; i++) {
		g->get(g->priv, graphs[1], true, i, &inner);
		ret = need_compatible(&out[i], &inner, "output of the body", i, err);
		/* without an iteration the output is the input */
		out[i].shape = in[i].omitted ? inner.shape
					     : common_shape(&in[i].shape, &inner.shape);
	}
	return ret;
}

int nnprog_control_infer(const struct nnprog_graphs *g, uint32_t from, uint32_t opcode,
			 const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	uint32_t graphs[2];

	if (!nnprog_control_graphs(opcode, attrs, graphs))
		return nnprog_refuse(err, "not a control flow operation");
	for (uint32_t i = 0; i < 2; i++)
		if (graphs[i] <= from || graphs[i] >= g->num)
			return nnprog_refuse(err, "subgraph %u of %u cannot be used in subgraph %u",
					     graphs[i], g->num, from);
	return opcode == NNPROG_OP_IF ? control_if(g, graphs, in, num_in, out, num_out, err)
				      : control_while(g, graphs, in, num_in, out, num_out, err);
}

#define NNPROG_FAMILY_CONTROL_FLOW
#include "nnprog_described.h"
