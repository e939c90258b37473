/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that are not completely known: a dimension of 0, or a tensor of rank 0, is unknown. */
#ifndef NNR_DIMENSIONS_H
#define NNR_DIMENSIONS_H

#include "nnmodel.h"

#include "base/ndk.h"

/**
 * Merge two shapes: *@rank and @dims (room for NNR_MAX_RANK) become what both know together. False:
 * they contradict each other, and nothing changed.
 */
bool nnr_dims_merge(uint32_t *rank, uint32_t *dims, uint32_t other_rank,
		    const uint32_t *other_dims);
/** A tensor that is not omitted and whose shape is not completely known. */
bool nnr_operand_unknown(const struct nnmodel_operand *operand);
/** Whether an IF or WHILE or its models have inputs or outputs of unknown shape. */
bool nnr_flow_unknown(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
		      const struct nnmodel_operation *op);

#endif
