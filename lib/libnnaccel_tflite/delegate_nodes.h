/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of a TensorFlow Lite graph, copied: the host shows them during the delegate's prepare()
 * only. The tensors are the host's, and are read when they are needed: their shapes change.
 */
#ifndef DELEGATE_NODES_H
#define DELEGATE_NODES_H

#include "builtin_options.h"
#include "nnimport_graph.h"
#include "tflite_abi.h"

struct delegate_node {
	int number; /* the host's */
	int opcode;
	int32_t *tensors; /* inputs, then outputs; -1: an omitted input */
	uint32_t num_inputs, num_outputs;
	uint32_t num_options;
	struct nnimport_graph_option options[BUILTIN_MAX_OPTIONS];
	char name[64]; /* of the operator */
	bool custom;
};

struct delegate_nodes {
	struct delegate_node *list;
	uint32_t count;
};

/** Copy the nodes @numbers in this order. 0, -ENOMEM, or -EINVAL: the host lacks one. */
int delegate_nodes_copy(struct tfl_context *context, const struct tfl_int_array *numbers,
			struct delegate_nodes *nodes);
void delegate_nodes_clear(struct delegate_nodes *nodes);

/** Nodes as an NNAPI model, and the host's tensors behind its arguments. */
struct delegate_import {
	struct nnimport import;
	int32_t *inputs, *outputs; /* of each input and output of @import: a tensor of the host */
	int32_t *tensors; /* of each tensor of the graph; nnimport_state.tensor is its number */
};

/**
 * Translate @count nodes from @nodes on. Its outputs: the tensors @outputs of the host; NULL: all
 * that the nodes write. Returns and messages: as nnimport_read_graph(); delegate_import_clear()
 * whatever the outcome.
 */
int delegate_nodes_import(const struct delegate_node *nodes, uint32_t count,
			  const struct tfl_context *context, const struct tfl_int_array *outputs,
			  struct delegate_import *result);
void delegate_import_clear(struct delegate_import *result);

/** A message of libnnimport about one of its operations, without that operation. */
const char *delegate_import_reason(const struct nnimport *import);

/**
 * The dimensions of all tensors of @nodes, one list: what a translation was made for. NULL: no
 * memory. Sets *@count.
 */
int32_t *delegate_nodes_shapes(const struct delegate_nodes *nodes,
			       const struct tfl_context *context, size_t *count);

#endif
