/* SPDX-License-Identifier: Apache-2.0 */
/* Models made from parts of other models. */
#ifndef NNR_EXTRACT_H
#define NNR_EXTRACT_H

#include "nnmodel.h"

/**
 * Make a model of operations @ops (ascending numbers) of subgraph @subgraph (0 main, 1 + i
 * referenced[i]) of @source. Its inputs and outputs are the operands @inputs and @outputs, in that
 * order. It has the referenced models that these operations use, constants (pools are dup'ed),
 * extension data, and the extension names in use; it has no unused operands. 0; -EINVAL: an operand
 * is read that is neither constant, nor in @inputs, nor written by @ops; -ENOMEM, -EMFILE.
 */
int nnr_extract(const struct nnmodel *source, uint32_t subgraph, const uint32_t *ops,
		uint32_t num_ops, const uint32_t *inputs, uint32_t num_inputs,
		const uint32_t *outputs, uint32_t num_outputs, struct nnmodel **model);
/**
 * The same; @referenced_from and @pools_from become the numbers in @source of the new model's
 * referenced models and pools. The arrays have room for all of @source's; either may be NULL.
 */
int nnr_extract_from(const struct nnmodel *source, uint32_t subgraph, const uint32_t *ops,
		     uint32_t num_ops, const uint32_t *inputs, uint32_t num_inputs,
		     const uint32_t *outputs, uint32_t num_outputs, struct nnmodel **model,
		     uint32_t *referenced_from, uint32_t *pools_from);
/** The same of all operations of a subgraph. */
int nnr_extract_whole(const struct nnmodel *source, uint32_t subgraph, struct nnmodel **model,
		      uint32_t *referenced_from, uint32_t *pools_from);

/** Set @seen (one per referenced model) for the models that @op uses, directly or not. 0, -ENOMEM.
 */
int nnr_reach(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
	      const struct nnmodel_operation *op, bool *seen);

/** Deep copy into a zeroed @dst. False: out of memory; nnr_subgraph_clear() frees what was copied.
 */
bool nnr_subgraph_copy(struct nnmodel_subgraph *dst, const struct nnmodel_subgraph *src);
void nnr_subgraph_clear(struct nnmodel_subgraph *graph);

/** An operation whose operands may be models. */
bool nnr_takes_models(uint32_t operation);

static inline bool nnr_is_constant(const struct nnmodel_operand *o)
{
	return o->lifetime == NNMODEL_CONSTANT_COPY || o->lifetime == NNMODEL_CONSTANT_REFERENCE;
}

#endif
