/* SPDX-License-Identifier: Apache-2.0 */
/* Roles: the inputs and outputs of compilations that a memory is for. */
#ifndef NNR_MEMORY_ROLES_H
#define NNR_MEMORY_ROLES_H

#include "plan/compilation.h"

struct nnr_role {
	/* compared, and used while the descriptor lives */
	const ANeuralNetworksCompilation *compilation;
	struct nnr_plan *plan; /* held; compared by executions */
	bool input;
	uint32_t index;
	float frequency;
};

struct ANeuralNetworksMemoryDesc {
	struct nnr_role *roles; /* each holds its plan */
	uint32_t num_roles;
	const struct nnmodel_operand *operand; /* of the first role */
	uint32_t rank, dims[NNR_MAX_RANK]; /* merged */
	bool explicit_devices; /* a role is of a compilation for chosen devices */
	bool finished;
};

/** Add a role to an unfinished descriptor. Result code (logged). */
int nnr_memory_desc_add_role(ANeuralNetworksMemoryDesc *desc,
			     const ANeuralNetworksCompilation *compilation, bool input,
			     uint32_t index, float frequency);
void nnr_roles_free(struct nnr_role *roles, uint32_t num_roles);
/**
 * Whether the memory can be an argument of the plan: role, offset and length, shape. @type: of the
 * setter; may be NULL. Result code (logged).
 */
int nnr_memory_validate_argument(const ANeuralNetworksMemory *memory, const struct nnr_plan *plan,
				 bool input, uint32_t index, const ANeuralNetworksOperandType *type,
				 size_t offset, size_t length);

#endif
