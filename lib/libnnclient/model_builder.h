/* SPDX-License-Identifier: Apache-2.0 */
/* Building a model of the NNAPI runtime from a struct nnmodel. */
#ifndef NNCLIENT_MODEL_BUILDER_H
#define NNCLIENT_MODEL_BUILDER_H

#include "android/NeuralNetworksExtensions.h"
#include "nnmodel.h"

struct runtime_model {
	ANeuralNetworksModel *model; /* finished */
	/* models that it refers to; freed after it */
	ANeuralNetworksModel **referenced;
	uint32_t num_referenced;
	ANeuralNetworksMemory **memories; /* one per pool of the source */
	uint32_t num_memories;
};

/**
 * Build @source by calls of the public API. Constants are not copied: @source must outlive the
 * model. Returns a result code (ANEURALNETWORKS_*). On failure @message names the call that failed,
 * and *@model needs no free.
 */
int runtime_model_create(const struct nnmodel *source, struct runtime_model *model, char *message,
			 size_t size);
void runtime_model_free(struct runtime_model *model);

#endif
