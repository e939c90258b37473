// SPDX-License-Identifier: Apache-2.0
/*
 * IF and WHILE: their operands against the inputs and outputs of the subgraphs they name. A
 * subgraph may be checked here before it is validated itself: nothing in it is trusted.
 */
#include <string.h>

#include "nnmodel_rows.h"

#define NONE UINT32_MAX

/* The operation that the checks below work on; operand numbers are the operation's. */
struct call {
	const struct nnmodel *model;
	const struct nnmodel_subgraph *graph;
	const struct nnmodel_operation *op;
	struct nnmodel_error *err;
};

#define refuse(c, operand, ...) \
	nnmodel_refuse((c)->model, (c)->graph, (c)->op, operand, (c)->err, __VA_ARGS__)

/* One side of a comparison: an operand, and what to call it. */
struct side {
	const struct nnmodel_operand *operand;
	const char *what;
	uint32_t i;
};

static int check_counts(const struct call *c)
{
	if (c->op->num_inputs < 3)
		return refuse(c, NONE, "%u inputs, takes 3 or more", c->op->num_inputs);
	if (!c->op->num_outputs)
		return refuse(c, NONE, "0 outputs, takes 1 or more");
	return 0;
}

static int get_graph(const struct call *c, uint32_t i, const struct nnmodel_subgraph **sub)
{
	const uint32_t n = c->op->inputs[i];
	const struct nnmodel_operand *o = &c->graph->operands[n];

	if (o->type != NNMODEL_SUBGRAPH)
		return refuse(c, n, "input %u (operand %u) is %s, not SUBGRAPH", i, n,
			      nnmodel_type_name(o->type));
	/* validate_operand() has checked that lifetime and type agree, and the number */
	*sub = &c->model->referenced[o->location.offset];
	if ((*sub)->num_inputs && !(*sub)->inputs)
		return refuse(c, n, "the list of inputs of its subgraph (operand %u) is missing",
			      n);
	if ((*sub)->num_outputs && !(*sub)->outputs)
		return refuse(c, n, "the list of outputs of its subgraph (operand %u) is missing",
			      n);
	return 0;
}

/* Input or output @k of the subgraph that input @i names. */
static int get_operand(const struct call *c, uint32_t i, const struct nnmodel_subgraph *sub,
		       bool input, uint32_t k, const struct nnmodel_operand **operand)
{
	const uint32_t n = input ? sub->inputs[k] : sub->outputs[k];

	if (n >= sub->num_operands || !sub->operands ||
	    (sub->operands[n].rank && !sub->operands[n].dims) ||
	    (sub->operands[n].num_scales && !sub->operands[n].scales))
		return refuse(c, c->op->inputs[i],
			      "%s %u of its subgraph (operand %u) is not an operand",
			      input ? "input" : "output", k, c->op->inputs[i]);
	*operand = &sub->operands[n];
	return 0;
}

static bool same_extra(const struct nnmodel_operand *a, const struct nnmodel_operand *b)
{
	if (a->num_scales != b->num_scales || a->channel_dim != b->channel_dim ||
	    a->extension_size != b->extension_size)
		return false;
	if (a->num_scales && memcmp(a->scales, b->scales, a->num_scales * sizeof(*a->scales)))
		return false;
	return !a->extension_size ||
	       (a->extension_data && b->extension_data &&
		!memcmp(a->extension_data, b->extension_data, a->extension_size));
}

/*
 * Same type and quantization, and dimensions that agree as far as both are known. @n: operand to
 * report.
 */
static int check_compatible(const struct call *c, uint32_t n, const struct side *a,
			    const struct side *b)
{
	const struct nnmodel_operand *x = a->operand, *y = b->operand;
	const char *differ = NULL;
	uint32_t i;

	if (x->type != y->type)
		return refuse(c, n, "%s %u is %s, %s %u %s", a->what, a->i,
			      nnmodel_type_name(x->type), b->what, b->i,
			      nnmodel_type_name(y->type));
	if (x->scale != y->scale || x->zero_point != y->zero_point || !same_extra(x, y))
		differ = "quantization";
	if (x->rank && y->rank) {
		if (x->rank != y->rank)
			differ = "rank";
		for (i = 0; !differ && i < x->rank; i++)
			if (x->dims[i] && y->dims[i] && x->dims[i] != y->dims[i])
				differ = "dimensions";
	}
	if (differ)
		return refuse(c, n, "%s %u and %s %u differ in %s", a->what, a->i, b->what, b->i,
			      differ);
	return 0;
}

static int check_condition(const struct call *c, uint32_t n, const struct nnmodel_operand *o)
{
	if (o->type != B8)
		return refuse(c, n, "the condition is %s, not TENSOR_BOOL8",
			      nnmodel_type_name(o->type));
	if (o->rank != 1 || o->dims[0] != 1)
		return refuse(c, n, "the condition must have one element in one dimension");
	return 0;
}

/* The operation's inputs from @first on are the inputs of the subgraph that input @i names. */
static int check_inputs(const struct call *c, uint32_t first, uint32_t i,
			const struct nnmodel_subgraph *sub)
{
	const uint32_t num = c->op->num_inputs - first;
	uint32_t k;
	int ret;

	if (sub->num_inputs != num)
		return refuse(c, c->op->inputs[i],
			      "its subgraph (operand %u) has %u inputs, not %u", c->op->inputs[i],
			      sub->num_inputs, num);
	for (k = 0; k < num; k++) {
		const uint32_t n = c->op->inputs[first + k];
		const struct side outer = { &c->graph->operands[n], "input", first + k };
		struct side inner = { NULL, "input of its subgraph", k };

		ret = get_operand(c, i, sub, true, k, &inner.operand);
		if (!ret)
			ret = check_compatible(c, n, &outer, &inner);
		if (ret)
			return ret;
	}
	return 0;
}

/* The operation's outputs are the first outputs of the subgraph that input @i names. */
static int check_outputs(const struct call *c, uint32_t i, const struct nnmodel_subgraph *sub)
{
	uint32_t k;
	int ret;

	for (k = 0; k < c->op->num_outputs; k++) {
		const uint32_t n = c->op->outputs[k];
		const struct side outer = { &c->graph->operands[n], "output", k };
		struct side inner = { NULL, "output of its subgraph", k };

		ret = get_operand(c, i, sub, false, k, &inner.operand);
		if (!ret)
			ret = check_compatible(c, n, &outer, &inner);
		if (ret)
			return ret;
	}
	return 0;
}

static int validate_if(const struct nnmodel_op_row *row, const struct nnmodel *model,
		       const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op,
		       uint32_t *feature_level, struct nnmodel_error *err)
{
	const struct call c = { model, graph, op, err };
	const struct nnmodel_subgraph *sub;
	uint32_t i;
	int ret;

	nnmodel_raise_level(feature_level, row->feature_level);
	ret = check_counts(&c);
	if (!ret)
		ret = check_condition(&c, op->inputs[0], &graph->operands[op->inputs[0]]);
	for (i = 1; !ret && i < 3; i++) {
		ret = get_graph(&c, i, &sub);
		if (!ret)
			ret = check_inputs(&c, 3, i, sub);
		if (!ret && sub->num_outputs != op->num_outputs)
			ret = refuse(&c, op->inputs[i],
				     "its subgraph (operand %u) has %u outputs, not %u",
				     op->inputs[i], sub->num_outputs, op->num_outputs);
		if (!ret)
			ret = check_outputs(&c, i, sub);
	}
	return ret;
}

/*
 * The body's outputs feed its first inputs: the operation's outputs, then values that only the loop
 * reads.
 */
static int check_body(const struct call *c, const struct nnmodel_subgraph *body)
{
	const uint32_t n = c->op->inputs[1];
	uint32_t k;
	int ret;

	if (body->num_outputs < c->op->num_outputs || body->num_outputs > body->num_inputs)
		return refuse(c, n, "the body (operand %u) has %u outputs, must be %u to %u", n,
			      body->num_outputs, c->op->num_outputs, body->num_inputs);
	for (k = 0; k < body->num_outputs; k++) {
		struct side in = { NULL, "input of the body", k };
		struct side out = { NULL, "output of the body", k };

		ret = get_operand(c, 1, body, true, k, &in.operand);
		if (!ret)
			ret = get_operand(c, 1, body, false, k, &out.operand);
		if (!ret)
			ret = check_compatible(c, n, &in, &out);
		if (ret)
			return ret;
	}
	return check_outputs(c, 1, body);
}

static int validate_while(const struct nnmodel_op_row *row, const struct nnmodel *model,
			  const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op,
			  uint32_t *feature_level, struct nnmodel_error *err)
{
	const struct call c = { model, graph, op, err };
	const struct nnmodel_subgraph *condition, *body;
	const struct nnmodel_operand *result;
	int ret;

	nnmodel_raise_level(feature_level, row->feature_level);
	ret = check_counts(&c);
	if (!ret)
		ret = get_graph(&c, 0, &condition);
	if (!ret)
		ret = get_graph(&c, 1, &body);
	if (!ret)
		ret = check_inputs(&c, 2, 0, condition);
	if (!ret && condition->num_outputs != 1)
		ret = refuse(&c, op->inputs[0], "the condition (operand %u) has %u outputs, not 1",
			     op->inputs[0], condition->num_outputs);
	if (!ret)
		ret = get_operand(&c, 0, condition, false, 0, &result);
	if (!ret)
		ret = check_condition(&c, op->inputs[0], result);
	if (!ret)
		ret = check_inputs(&c, 2, 1, body);
	return ret ? ret : check_body(&c, body);
}

const struct nnmodel_op_row nnmodel_row_if = {
	.opcode = NNMODEL_IF,
	.name = "IF",
	.feature_level = 4,
	.validate = validate_if,
	.names_subgraphs = true,
};

const struct nnmodel_op_row nnmodel_row_while = {
	.opcode = NNMODEL_WHILE,
	.name = "WHILE",
	.feature_level = 4,
	.validate = validate_while,
	.names_subgraphs = true,
};
