/* SPDX-License-Identifier: Apache-2.0 */
/* What clients of the NDK API share: models built from libnnmodel's, devices by name. */
#ifndef NNCLIENT_H
#define NNCLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "android/NeuralNetworks.h"
#include "android/NeuralNetworksExtensions.h"
#include "nnmodel.h"

/* model_builder.c: building a model of the NNAPI runtime from a struct nnmodel. */

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

/* device_names.c: devices of the NNAPI runtime by their names, and compilations for them. */

/** Devices of a list at most. */
#define RUNTIME_MAX_DEVICES 64

/**
 * Devices by @names, separated by commas; NULL: all that the runtime has. Sets @list, of
 * RUNTIME_MAX_DEVICES, and @count. Returns a result code; on failure @message has the reason and
 * lists the devices.
 */
int runtime_devices_find(const char *names, const ANeuralNetworksDevice **list, uint32_t *count,
			 char *message, size_t size);

/**
 * Create a compilation, which is not finished yet. @devices: names separated by commas; NULL: all
 * devices, and the runtime's own fallback. Returns a result code; on failure @message has the
 * reason and lists the devices.
 */
int runtime_compilation_create(ANeuralNetworksModel *model, const char *devices,
			       ANeuralNetworksCompilation **compilation, char *message,
			       size_t size);

#endif
