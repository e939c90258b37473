/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the memory room share. */
#ifndef NNR_MEMORY_H
#define NNR_MEMORY_H

#include "runtime.h"

/** A role that was added; the operand is the plan's model's. */
struct ANeuralNetworksMemoryDesc {
	struct nnr_role *roles; /* each holds its plan */
	uint32_t num_roles;
	const struct nnmodel_operand *operand; /* of the first role */
	uint32_t rank, dims[NNR_MAX_RANK]; /* merged */
	bool explicit_devices; /* a role is of a compilation for chosen devices */
	bool finished;
};

/** Empty, one reference, without a file. NULL: out of memory. */
ANeuralNetworksMemory *nnr_memory_alloc(void);
/** Type, scale, zero point and parameters of both are the same. */
bool nnr_memory_same_operand(const struct nnmodel_operand *a, const struct nnmodel_operand *b);
/** Result code of a device's answer, with a log line unless NONE. */
int nnr_memory_device_result(const char *what, enum nnhal_status status);

#endif
