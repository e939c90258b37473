// SPDX-License-Identifier: Apache-2.0
/* Models with some of their inputs made constant, in the models of IF and WHILE too. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnr_base.h"
#include "reference/nnr_reference.h"

/* Copies of referenced models that one specialization makes: nested ones multiply. */
#define MAX_COPIES 256u

static struct nnmodel_subgraph *graph_of(struct nnmodel *model, uint32_t subgraph)
{
	return (struct nnmodel_subgraph *)nnr_subgraph(model, subgraph);
}

/* ---- control flow ---- */

/*
 * An IF or WHILE: which of its inputs name models, and from which on its models have the same
 * inputs.
 */
static uint32_t first_named(const struct nnmodel_operation *op)
{
	return op->type == NNMODEL_IF ? 1 : 0;
}

static uint32_t first_passed(const struct nnmodel_operation *op)
{
	return first_named(op) + 2;
}

/* Passed input number @k has the same value in every run of the models. */
static bool is_invariant(const struct nnmodel *model, const struct nnmodel_subgraph *g,
			 const struct nnmodel_operation *op, uint32_t k)
{
	uint32_t graphs[2];

	nnr_control_flow_graphs(model, g, op, graphs);
	return graphs[0] && graphs[1] &&
	       (op->type == NNMODEL_IF || k >= nnr_subgraph(model, graphs[1])->num_outputs);
}

/* Only scalars can be parameters. An omitted operand can be of any type. */
static bool is_known(const struct nnmodel_operand *o)
{
	return o->lifetime == NNMODEL_NO_VALUE ||
	       (nnmodel_type_is_scalar(o->type) && (o->lifetime == NNMODEL_CONSTANT_COPY ||
						    o->lifetime == NNMODEL_CONSTANT_REFERENCE));
}

static bool can_pass_on(const struct nnmodel *model, const struct nnmodel_subgraph *g,
			const struct nnmodel_operation *op, uint32_t k)
{
	return is_known(&g->operands[op->inputs[first_passed(op) + k]]) &&
	       is_invariant(model, g, op, k);
}

static bool passes_on(const struct nnmodel *model, const struct nnmodel_subgraph *g,
		      const struct nnmodel_operation *op)
{
	uint32_t k;

	if (!nnr_is_control_flow(op))
		return false;
	for (k = 0; first_passed(op) + k < op->num_inputs; k++)
		if (can_pass_on(model, g, op, k))
			return true;
	return false;
}

/* RANK is the one operation whose scalar result is known without running it. */
static bool is_known_rank(const struct nnmodel_subgraph *g, const struct nnmodel_operation *op)
{
	const struct nnmodel_op_row *row = nnmodel_op_find(op->type);

	return row && row->of_rank && g->operands[op->inputs[0]].rank &&
	       g->operands[op->outputs[0]].lifetime == NNMODEL_TEMPORARY_VARIABLE;
}

bool nnr_has_constants(const struct nnmodel *model)
{
	uint32_t s, i;

	for (s = 0; s <= model->num_referenced; s++) {
		const struct nnmodel_subgraph *g = nnr_subgraph(model, s);

		for (i = 0; i < g->num_operations; i++)
			if (is_known_rank(g, &g->operations[i]) ||
			    passes_on(model, g, &g->operations[i]))
				return true;
	}
	return false;
}

static void specialize_drop(uint32_t *list, uint32_t *num, uint32_t at)
{
	memmove(&list[at], &list[at + 1], (*num - at - 1) * sizeof(*list));
	--*num;
}

/*
 * Give the operation its own copy of the model: other operations may name the model with other
 * values.
 */
static int own_copy(struct nnmodel *model, uint32_t subgraph, uint32_t operation, uint32_t input,
		    uint32_t *copy)
{
	struct nnmodel_subgraph *g = graph_of(model, subgraph);
	const uint32_t named = g->operations[operation].inputs[input];
	int number = nnmodel_copy_referenced(model, (uint32_t)g->operands[named].location.offset);
	struct nnmodel_operand *grown;

	if (number < 0)
		return number;
	g = graph_of(model, subgraph);
	grown = realloc(g->operands, ((size_t)g->num_operands + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	g->operands = grown;
	grown[g->num_operands] = (struct nnmodel_operand){
		.type = NNMODEL_SUBGRAPH,
		.lifetime = NNMODEL_LIFETIME_SUBGRAPH,
		.location = { .offset = (uint32_t)number },
	};
	g->operations[operation].inputs[input] = g->num_operands++;
	*copy = (uint32_t)number;
	return 0;
}

static int pass_on(struct nnmodel *model, uint32_t subgraph, uint32_t operation)
{
	struct nnmodel_subgraph *g = graph_of(model, subgraph), *inner;
	struct nnmodel_operation *op = &g->operations[operation];
	const uint32_t named = first_named(op), passed = first_passed(op);
	uint32_t copies[2], i, k;
	int ret = 0;

	for (i = 0; !ret && i < 2; i++)
		ret = own_copy(model, subgraph, operation, named + i, &copies[i]);
	if (ret)
		return ret;
	g = graph_of(model, subgraph);
	op = &g->operations[operation];
	for (k = op->num_inputs - passed; k-- > 0;) {
		const struct nnmodel_operand *o = &g->operands[op->inputs[passed + k]];

		if (!can_pass_on(model, g, op, k))
			continue;
		for (i = 0; i < 2; i++) {
			struct nnmodel_operand *to;

			inner = &model->referenced[copies[i]];
			to = &inner->operands[inner->inputs[k]];
			to->lifetime = o->lifetime;
			to->location = o->location;
			specialize_drop(inner->inputs, &inner->num_inputs, k);
		}
		specialize_drop(op->inputs, &op->num_inputs, passed + k);
	}
	return 0;
}

/* Copies follow the models that name them, so one pass sees them, too. */
static int pass_constants_on(struct nnmodel *model)
{
	const uint32_t most = model->num_referenced + MAX_COPIES;
	uint32_t s, i;
	int ret = 0;

	for (s = 0; !ret && s <= model->num_referenced; s++)
		for (i = 0; !ret && i < graph_of(model, s)->num_operations &&
			    model->num_referenced + 2 <= most;
		     i++)
			if (passes_on(model, graph_of(model, s),
				      &graph_of(model, s)->operations[i]))
				ret = pass_on(model, s, i);
	return ret;
}

static int fold_rank(struct nnmodel *model, struct nnmodel_subgraph *g,
		     struct nnmodel_operation *op)
{
	struct nnmodel_operand *out = &g->operands[op->outputs[0]];
	const int32_t rank = (int32_t)g->operands[op->inputs[0]].rank;

	out->lifetime = NNMODEL_CONSTANT_COPY;
	return nnmodel_add_value(model, &rank, sizeof(rank), &out->location);
}

static int fold_ranks(struct nnmodel *model)
{
	uint32_t s, i, kept;
	int ret = 0;

	for (s = 0; s <= model->num_referenced; s++) {
		struct nnmodel_subgraph *g = graph_of(model, s);

		for (i = kept = 0; i < g->num_operations; i++) {
			struct nnmodel_operation *op = &g->operations[i];

			if (ret || !is_known_rank(g, op)) {
				g->operations[kept++] = *op;
				continue;
			}
			ret = fold_rank(model, g, op);
			free(op->inputs);
			free(op->outputs);
		}
		g->num_operations = kept;
	}
	return ret;
}

/* ---- main ---- */

static int bind_inputs(struct nnmodel *model, const struct nnr_given *given)
{
	struct nnmodel_subgraph *main = &model->main;
	uint32_t i, kept = 0;
	int ret = 0;

	for (i = 0; !ret && i < main->num_inputs; i++) {
		const uint32_t operand = main->inputs[i];

		if (!given[i].bound) {
			if (given[i].rank)
				ret = nnr_operand_set_dims(&main->operands[operand], given[i].rank,
							   given[i].dims);
			main->inputs[kept++] = operand;
		} else if (given[i].omitted) {
			main->operands[operand].lifetime = NNMODEL_NO_VALUE;
		} else {
			ret = nnmodel_set_value(model, operand, given[i].value, given[i].size);
		}
	}
	main->num_inputs = kept;
	return ret;
}

int nnr_specialize(const struct nnmodel *model, const struct nnr_given *given,
		   struct nnmodel **specialized)
{
	struct nnmodel *copy = nnmodel_clone(model);
	int ret = copy ? 0 : -ENOMEM;

	if (!ret && given)
		ret = bind_inputs(copy, given);
	if (!ret)
		ret = fold_ranks(copy);
	if (!ret)
		ret = pass_constants_on(copy);
	if (ret) {
		nnmodel_free(copy);
		copy = NULL;
	}
	*specialized = copy;
	return ret;
}

static bool is_parameter(const struct nnmodel *model, const struct nnmodel_operation *op,
			 uint32_t i)
{
	const struct nnmodel_subgraph *main = &model->main;

	if (!nnmodel_type_is_scalar(main->operands[op->inputs[i]].type))
		return false;
	return !nnr_is_control_flow(op) ||
	       (i >= first_passed(op) && is_invariant(model, main, op, i - first_passed(op)));
}

int nnr_mark_parameters(const struct nnmodel *model, const bool *supported, bool *parameter)
{
	const struct nnmodel_subgraph *main = &model->main;
	bool *operands = calloc((size_t)main->num_operands + 1, sizeof(*operands));
	uint32_t i, k;

	if (!operands)
		return -ENOMEM;
	for (i = 0; i < main->num_operations; i++) {
		const struct nnmodel_operation *op = &main->operations[i];

		for (k = 0; !supported[i] && k < op->num_inputs; k++)
			operands[op->inputs[k]] |= is_parameter(model, op, k);
	}
	for (i = 0; i < main->num_inputs; i++)
		parameter[i] = operands[main->inputs[i]];
	free(operands);
	return 0;
}
