/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as a compiled model of the NNAPI runtime. */
#ifndef DELEGATE_MODEL_H
#define DELEGATE_MODEL_H

#include "delegate_compare.h"
#include "delegate_nodes.h"
#include "delegate_reason.h"
#include "delegate_settings.h"
#include "model_builder.h"

struct delegate_model {
	struct delegate_import io; /* owns what the runtime's model refers to */
	struct runtime_model runtime;
	ANeuralNetworksCompilation *compilation;
	void **buffers; /* of each argument that is not a tensor's own memory */
	void **data; /* of each argument: the tensor's own memory, or the buffer */
	size_t num_buffers;
	struct delegate_compare *compare;
};

/**
 * Whether the nodes can be one model that the devices of @settings support: 0. Else the reason, and
 * *@refused, the place of the node that is refused in @nodes; UINT32_MAX: none in particular.
 */
int delegate_model_try(const struct delegate_node *nodes, uint32_t count,
		       const struct tfl_context *context, const struct tfl_int_array *outputs,
		       const struct delegate_settings *settings, uint32_t *refused,
		       struct delegate_reason *reason);

/** Translate and compile. 0, or -errno with the reason; then @model needs no clear. */
int delegate_model_compile(struct delegate_model *model, const struct delegate_nodes *nodes,
			   const struct tfl_context *context, const struct tfl_int_array *outputs,
			   const struct delegate_settings *settings,
			   struct delegate_reason *reason);
void delegate_model_clear(struct delegate_model *model);

/**
 * Compute with the tensors of @context. Variable tensors change with success only. 0, or -errno
 * with the reason.
 */
int delegate_model_compute(struct delegate_model *model, struct tfl_context *context,
			   struct delegate_reason *reason);

#endif
