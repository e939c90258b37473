/* SPDX-License-Identifier: Apache-2.0 */
/* The execution provider: the choice, explanations, compiled partitions. */
#ifndef NNACCEL_ONNX_EP_H
#define NNACCEL_ONNX_EP_H

#include "android/NeuralNetworks.h"
#include "delegate_common.h"
#include "nnclient.h"
#include "onnx_graph.h"
#include "ort_abi.h"
#include "translator.h"

/* ep_model.c: a partition with fixed shapes as a compiled model of the NNAPI runtime. */

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

/**
 * Compute with the tensors of @context. Threads: any number at once. 0, or -errno with the reason.
 */
int ep_model_compute(const struct ep_model *model, const struct ort_api *api,
		     struct ort_kernel_context *context, struct delegate_reason *reason);

/*
 * ep_choice.c: which nodes of a graph the provider takes, in which partitions, and why it leaves
 * the others.
 */

struct ep_choice {
	const struct onnx_graph *graph;
	bool *left; /* of each node */
	struct delegate_reason *reasons; /* of those that are left */
	int *groups; /* of the others: the partition */
	int num_groups;
	uint32_t taken; /* nodes in partitions */
};

/**
 * Choose. No path leads from a node of a partition through others back into it. Writes the log.
 * 0, or -ENOMEM; ep_choice_clear() whatever the outcome.
 */
int ep_choose(const struct onnx_graph *graph, const struct delegate_settings *settings,
	      struct ep_choice *choice);
void ep_choice_clear(struct ep_choice *choice);

/*
 * ep_partition.c: a partition of a graph. If its inputs have open dimensions, it is compiled when a
 * run has new sizes, and the models of the last ones are kept.
 */

struct ep_partition;

/**
 * Read the graph @source, whose place @fused takes, and compile it if its shapes are fixed.
 * @settings must outlive the partition. @shapes: models that are kept, from 1. 0, or -errno with
 * the reason.
 */
int ep_partition_open(struct ep_partition **partition, const struct ort_api *api,
		      const struct ort_graph *source, const struct ort_node *fused,
		      const struct delegate_settings *settings, uint32_t shapes,
		      struct delegate_reason *reason);
/** NULL: nothing. */
void ep_partition_close(struct ep_partition *partition);

/**
 * Compute with the tensors of @context. Any number of threads at once; they wait for each other
 * while a model is compiled. 0, or -errno with the reason.
 */
int ep_partition_compute(struct ep_partition *partition, const struct ort_api *api,
			 struct ort_kernel_context *context, struct delegate_reason *reason);

#endif
