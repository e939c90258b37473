/* SPDX-License-Identifier: Apache-2.0 */
/* Models under construction. Functions that take a model need one that is not finished. */
#ifndef NNR_BUILDER_H
#define NNR_BUILDER_H

#include "model/model_data.h"

/** Constants in nnmodel.values and in the runtime's pools begin at multiples of this. */
#define NNR_VALUE_ALIGN 64u
/** Operands, or operations. */
#define NNR_MAX_ENTRIES 0xfffffffeu

/**
 * A model under construction. What was replaced (values and pools of operands that were set again)
 * stays in @model; finish() takes what is used.
 */
struct nnr_model_builder {
	struct nnmodel *model; /* referenced: those of setOperandValueFromModel(), flattened */
	uint32_t operand_room, operation_room, referenced_room, pool_room, large_room, id_room,
		pool_id_room;
	size_t values_room;
	/*
	 * Per operand the client's buffer of a large value, else NULL. Such an operand is a
	 * CONSTANT_REFERENCE of that length; finish() sets its pool.
	 */
	const void **large;
	uint32_t num_large; /* that are not NULL */
	uint64_t *referenced_ids, *pool_ids;
};
struct nnr_model_builder *nnr_builder_new(void);
void nnr_builder_free(struct nnr_model_builder *builder);

/** Add an operation. Result code (logged). */
int nnr_model_add_operation(ANeuralNetworksModel *model, uint32_t type, uint32_t num_inputs,
			    const uint32_t *inputs, uint32_t num_outputs, const uint32_t *outputs);
/** Set main's inputs and outputs. Result code (logged). */
int nnr_model_identify(ANeuralNetworksModel *model, uint32_t num_inputs, const uint32_t *inputs,
		       uint32_t num_outputs, const uint32_t *outputs);

#endif
