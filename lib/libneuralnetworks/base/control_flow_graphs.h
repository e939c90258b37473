/* SPDX-License-Identifier: Apache-2.0 */
/* Subgraphs of a model, and those that IF and WHILE name. Subgraph 0 is main, 1 + i referenced[i].
 */
#ifndef NNR_CONTROL_FLOW_GRAPHS_H
#define NNR_CONTROL_FLOW_GRAPHS_H

#include "nnmodel.h"

static inline const struct nnmodel_subgraph *nnr_subgraph(const struct nnmodel *model,
							  uint32_t subgraph)
{
	return subgraph ? &model->referenced[subgraph - 1] : &model->main;
}

static inline bool nnr_is_control_flow(const struct nnmodel_operation *op)
{
	return nnmodel_names_subgraphs(op->type);
}

/** The subgraph that input @input of an IF or WHILE names. 0: it names none. */
uint32_t nnr_referenced_by(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
			   const struct nnmodel_operation *op, uint32_t input);
/** The two subgraphs of an IF (then, else) or WHILE (condition, body). 0: none. */
void nnr_control_flow_graphs(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
			     const struct nnmodel_operation *op, uint32_t graphs[2]);

#endif
