// SPDX-License-Identifier: Apache-2.0
/* IF and WHILE: their subgraphs become subgraphs of the program, under its own numbers. */
#include <errno.h>
#include <stdlib.h>

#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

/* The program's number of the subgraph that input @i names. */
static int graph_number(struct lower *l, uint32_t i, uint32_t *number)
{
	const uint32_t operand = l->op->inputs[i];
	const struct nnmodel_operand *o = &l->graph->operands[operand];
	uint32_t n;

	if (o->lifetime != NNMODEL_LIFETIME_SUBGRAPH ||
	    o->location.offset >= l->model->num_referenced)
		return lower_refuse(l, operand, "input %u (operand %u) is not a subgraph", i,
				    operand);
	n = (uint32_t)o->location.offset;
	if (l->graphs->refused[n])
		return lower_refuse(l, operand, "subgraph %u: %s", n, l->graphs->refused[n]);
	*number = l->graphs->number[n];
	return 0;
}

/* Inputs but for @first, @first + 1, which are subgraphs; the outputs; the operation. */
static int lower_control(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size,
			 uint32_t first)
{
	const uint32_t num_in = l->op->num_inputs, num_out = l->op->num_outputs;
	uint32_t *list = calloc((size_t)num_in + num_out, sizeof(*list));
	uint32_t *out, i, n = 0;
	int ret = 0;

	if (!list)
		return -ENOMEM;
	for (i = 0; !ret && i < num_in; i++)
		if (i != first && i != first + 1)
			ret = i < first ? lower_in(l, i, &list[n++])
					: lower_in_declared(l, i, &list[n++]);
	out = list + n;
	for (i = 0; !ret && i < num_out; i++)
		ret = lower_out(l, i, &out[i]);
	if (!ret)
		ret = lower_emit(l, opcode, attrs, attrs_size, list, n, out, num_out);
	free(list);
	return ret;
}

static int lower_if(struct lower *l)
{
	struct nnprog_attr_if a;
	int ret;

	if (l->op->num_inputs < 3)
		return lower_refuse(l, LOWER_NONE, "%u inputs", l->op->num_inputs);
	ret = graph_number(l, 1, &a.then_graph);
	if (!ret)
		ret = graph_number(l, 2, &a.else_graph);
	return ret ? ret : lower_control(l, NNPROG_OP_IF, &a, sizeof(a), 1);
}

static int lower_while(struct lower *l)
{
	struct nnprog_attr_while a;
	int ret;

	if (l->op->num_inputs < 3)
		return lower_refuse(l, LOWER_NONE, "%u inputs", l->op->num_inputs);
	ret = graph_number(l, 0, &a.condition_graph);
	if (!ret)
		ret = graph_number(l, 1, &a.body_graph);
	return ret ? ret : lower_control(l, NNPROG_OP_WHILE, &a, sizeof(a), 0);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_IF, .lower = lower_if },
	{ .opcode = NNMODEL_WHILE, .lower = lower_while },
};
LOWER_FAMILY(control_flow, rows);
