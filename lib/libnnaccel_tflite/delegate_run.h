/* SPDX-License-Identifier: Apache-2.0 */
/* Executions of a compiled model with memory for its arguments: its inputs, then its outputs. */
#ifndef DELEGATE_RUN_H
#define DELEGATE_RUN_H

#include "android/NeuralNetworks.h"
#include "delegate_reason.h"
#include "nnmodel.h"

/** Number of arguments. */
static inline uint32_t delegate_num_arguments(const struct nnmodel *model)
{
	return model->main.num_inputs + model->main.num_outputs;
}

/** The operand of argument @i, and its bytes. */
const struct nnmodel_operand *delegate_argument(const struct nnmodel *model, uint32_t i);
size_t delegate_argument_size(const struct nnmodel *model, uint32_t i);

/**
 * Compute once. @data: the memory of each argument, of its size. 0, or -errno with the reason.
 * Threads may compute with one compilation at a time, each with memory of its own.
 */
int delegate_run(ANeuralNetworksCompilation *compilation, const struct nnmodel *model,
		 void *const *data, struct delegate_reason *reason);

#endif
