// SPDX-License-Identifier: Apache-2.0
/* The subgraphs that IF and WHILE name. */
#include "base/nnr_base.h"

uint32_t nnr_referenced_by(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
			   const struct nnmodel_operation *op, uint32_t input)
{
	const struct nnmodel_operand *operand;

	if (input >= op->num_inputs || op->inputs[input] >= graph->num_operands)
		return 0;
	operand = &graph->operands[op->inputs[input]];
	if (operand->lifetime != NNMODEL_LIFETIME_SUBGRAPH ||
	    operand->location.offset >= model->num_referenced)
		return 0;
	return (uint32_t)operand->location.offset + 1;
}

void nnr_control_flow_graphs(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
			     const struct nnmodel_operation *op, uint32_t graphs[2])
{
	/* IF: condition, then, else, ...; WHILE: condition, body, ... */
	uint32_t first = op->type == NNMODEL_IF ? 1 : 0;

	graphs[0] = nnr_referenced_by(model, graph, op, first);
	graphs[1] = nnr_referenced_by(model, graph, op, first + 1);
}
