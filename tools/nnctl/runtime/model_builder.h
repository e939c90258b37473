/* SPDX-License-Identifier: Apache-2.0 */
/* A model for the NNAPI runtime, from a model as data. */
#ifndef NNCTL_MODEL_BUILDER_H
#define NNCTL_MODEL_BUILDER_H

#include "android/NeuralNetworksExtensions.h"
#include "nnmodel.h"

struct runtime_model {
	ANeuralNetworksModel *model; /* finished */
	/* what it refers to, and outlives it */
	ANeuralNetworksModel **referenced;
	uint32_t num_referenced;
	ANeuralNetworksMemory **memories; /* of the source's pools */
	uint32_t num_memories;
};

/**
 * Builds @source, call by call of the public API. Constants are not copied here: @source must
 * outlive the model. Result code (ANEURALNETWORKS_*); on failure @message says which call it was,
 * and nothing is left to free.
 */
int runtime_model_create(const struct nnmodel *source, struct runtime_model *model, char *message,
			 size_t size);
void runtime_model_free(struct runtime_model *model);
/** "BAD_DATA" of a result code. */
const char *runtime_result_name(int result);

#endif
