/* SPDX-License-Identifier: Apache-2.0 */
/* Setting the inputs and outputs of an execution. Result codes; failures are logged. */
#ifndef NNR_ARGUMENTS_H
#define NNR_ARGUMENTS_H

#include "run/execution_object.h"

/** @type NULL: the model's. @buffer NULL: omitted. */
int nnr_execution_set_pointer(ANeuralNetworksExecution *execution, bool input, int32_t index,
			      const ANeuralNetworksOperandType *type, void *buffer, size_t length);
int nnr_execution_set_memory(ANeuralNetworksExecution *execution, bool input, int32_t index,
			     const ANeuralNetworksOperandType *type,
			     const ANeuralNetworksMemory *memory, size_t offset, size_t length);

#endif
