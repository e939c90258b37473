/* SPDX-License-Identifier: Apache-2.0 */
/* A partition with fixed shapes as a compiled model of the NNAPI runtime. */
#ifndef EP_MODEL_H
#define EP_MODEL_H

#include "delegate_compare.h"
#include "delegate_settings.h"
#include "model_builder.h"
#include "translate.h"

/** An argument of the compiled model, and which of the fused node's it is. */
struct ep_argument {
	size_t index; /* among the fused node's inputs, or outputs */
	char name[64];
	int type;
	uint32_t rank;
	int64_t dims[ONNX_MAX_RANK];
	size_t size; /* bytes; of int64, whose argument is int32, twice those of the argument */
};

/** Names of what the fused node reads and writes; NULL: an omitted one. */
struct ep_fused {
	char **inputs, **outputs;
	size_t num_inputs, num_outputs;
};

struct ep_model {
	struct translation translation; /* has the constants that @runtime refers to */
	struct runtime_model runtime;
	ANeuralNetworksCompilation *compilation;
	struct delegate_compare *compare;
	struct ep_argument *inputs, *outputs;
	size_t narrow; /* bytes of all arguments that are int64 in the host */
};

/** Whether the nodes @in can be one model that the devices support: as onnx_translate(). */
int ep_model_try(const struct onnx_graph *graph, const bool *in,
		 const struct delegate_settings *settings, uint32_t *refused,
		 struct delegate_reason *reason);

/**
 * Compile @graph, all of whose shapes are fixed, in the place of the node @fused. 0, or -errno with
 * the reason; then @model needs no clear.
 */
int ep_model_compile(struct ep_model *model, const struct onnx_graph *graph,
		     const struct ep_fused *fused, const struct delegate_settings *settings,
		     struct delegate_reason *reason);
void ep_model_clear(struct ep_model *model);

/** Compute with the tensors of @context. Threads: any number at once. 0, or -errno with the reason.
 */
int ep_model_compute(const struct ep_model *model, const struct ort_api *api,
		     struct ort_kernel_context *context, struct delegate_reason *reason);

#endif
