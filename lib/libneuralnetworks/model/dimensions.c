// SPDX-License-Identifier: Apache-2.0
/* Shapes that are not known completely. */
#include "model/nnr_model.h"
#include "nnmodel_shape.h"

bool nnr_dims_merge(uint32_t *rank, uint32_t *dims, uint32_t other_rank, const uint32_t *other_dims)
{
	return other_rank <= NNR_MAX_RANK &&
	       nnmodel_shape_merge(rank, dims, other_rank, other_dims);
}

bool nnr_operand_unknown(const struct nnmodel_operand *operand)
{
	return operand->lifetime != NNMODEL_NO_VALUE &&
	       !nnr_dims_complete(operand->type, operand->dims, operand->rank);
}

static bool any_unknown(const struct nnmodel_subgraph *graph, const uint32_t *operands,
			uint32_t num)
{
	uint32_t i;

	for (i = 0; i < num; i++)
		if (nnr_operand_unknown(&graph->operands[operands[i]]))
			return true;
	return false;
}

bool nnr_flow_unknown(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
		      const struct nnmodel_operation *op)
{
	uint32_t i;

	if (any_unknown(graph, op->inputs, op->num_inputs) ||
	    any_unknown(graph, op->outputs, op->num_outputs))
		return true;
	for (i = 0; i < op->num_inputs; i++) {
		const struct nnmodel_operand *o = &graph->operands[op->inputs[i]];
		const struct nnmodel_subgraph *inner;

		if (o->lifetime != NNMODEL_LIFETIME_SUBGRAPH)
			continue;
		inner = &model->referenced[o->location.offset];
		if (any_unknown(inner, inner->inputs, inner->num_inputs) ||
		    any_unknown(inner, inner->outputs, inner->num_outputs))
			return true;
	}
	return false;
}
