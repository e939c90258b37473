/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the model room share. */
#ifndef NNR_MODEL_H
#define NNR_MODEL_H

#include <stdlib.h>

#include "runtime.h"

/** Constants in nnmodel.values and in pools of the runtime's own begin at multiples of this. */
#define NNR_VALUE_ALIGN	64u

static inline bool nnr_is_constant(const struct nnmodel_operand *o)
{
	return o->lifetime == NNMODEL_CONSTANT_COPY || o->lifetime == NNMODEL_CONSTANT_REFERENCE;
}

static inline bool nnr_is_oem(uint32_t type)
{
	return type == ANEURALNETWORKS_OEM_SCALAR || type == ANEURALNETWORKS_TENSOR_OEM_BYTE;
}

static inline const struct nnmodel_subgraph *nnr_model_subgraph(const struct nnmodel *model, uint32_t subgraph)
{
	return subgraph ? &model->referenced[subgraph - 1] : &model->main;
}

/** @n entries, zeroed; never NULL for want of entries. */
static inline void *nnr_array(size_t n, size_t size)
{
	return calloc(n ? n : 1, size);
}

/* ---- extract.c ------------------------------------------------------------------------------------- */

/** Deep copy into a zeroed @dst; on failure what was copied hangs off it. False: out of memory. */
bool nnr_subgraph_copy(struct nnmodel_subgraph *dst, const struct nnmodel_subgraph *src);
void nnr_subgraph_clear(struct nnmodel_subgraph *graph);

/** nnr_extract(), and where the referenced models and pools of *@model come from: their numbers in @source. The
 * arrays have room for all of @source's; either may be NULL. */
int nnr_extract_from(const struct nnmodel *source, uint32_t subgraph, const uint32_t *ops, uint32_t num_ops,
		     const uint32_t *inputs, uint32_t num_inputs, const uint32_t *outputs, uint32_t num_outputs,
		     struct nnmodel **model, uint32_t *referenced_from, uint32_t *pools_from);
/** All of a subgraph. */
int nnr_extract_whole(const struct nnmodel *source, uint32_t subgraph, struct nnmodel **model,
		      uint32_t *referenced_from, uint32_t *pools_from);

/** Marks in @seen (one per referenced model) those that @op uses, directly or not; 0, -ENOMEM. */
int nnr_reach(const struct nnmodel *model, const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op,
	      bool *seen);

#endif
