/* SPDX-License-Identifier: Apache-2.0 */
/* Models on the devices of the settings: whether these support them, and compilations for them. */
#ifndef DELEGATE_RUNTIME_H
#define DELEGATE_RUNTIME_H

#include "delegate_reason.h"
#include "delegate_settings.h"
#include "model_builder.h"

/**
 * Set the isolation, and look the devices up: a wrong name fails before any model. False: @message
 * has the reason.
 */
bool delegate_settings_apply(const struct delegate_settings *settings, char *message, size_t size);

/**
 * Whether the devices support all operations: 0. Else the reason, and *@operation, the first one
 * that none supports; UINT32_MAX: none in particular.
 */
int delegate_ask_devices(const struct nnmodel *model, const struct delegate_settings *settings,
			 uint32_t *operation, struct delegate_reason *reason);

/**
 * Create a compilation of @model, which must outlive it, as the settings have it. 0, or -errno with
 * the reason; runtime_model_free() and ANeuralNetworksCompilation_free() whatever the outcome.
 */
int delegate_compilation_create(struct nnmodel *model, const struct delegate_settings *settings,
				struct runtime_model *runtime,
				ANeuralNetworksCompilation **compilation,
				struct delegate_reason *reason);
int delegate_compilation_finish(ANeuralNetworksCompilation *compilation,
				const struct delegate_settings *settings,
				struct delegate_reason *reason);

/** The log's line of a graph, if the settings want it. */
void delegate_log_graph(const struct delegate_settings *settings, uint32_t nodes,
			uint32_t delegated, int partitions);

#endif
