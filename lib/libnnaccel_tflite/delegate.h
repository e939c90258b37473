/* SPDX-License-Identifier: Apache-2.0 */
/* The external delegate: nodes as models, the choice, the kernel. */
#ifndef NNACCEL_DELEGATE_H
#define NNACCEL_DELEGATE_H

#include "android/NeuralNetworks.h"
#include "delegate_common.h"
#include "nnclient.h"
#include "nnimport_graph.h"
#include "tflite_abi.h"

/* builtin_options.c: from the options of a builtin operator in memory to those of libnnimport. */

/* How a member becomes the value of a field of the schema. */
enum builtin_kind {
	BUILTIN_INT, /* an int; in the schema of 4 bytes */
	BUILTIN_CODE, /* an enumeration with the schema's numbers, where it is a byte */
	BUILTIN_BOOL,
	BUILTIN_FLOAT,
	BUILTIN_FROM_1, /* the same, but it begins at 1 where the schema's begins at 0 */
};

/** A field of the schema, and where it is in memory. */
struct builtin_option {
	int opcode; /* BuiltinOperator */
	uint32_t field;
	size_t offset;
	enum builtin_kind kind;
	int version; /* of the operator: an older one may have a shorter struct */
};

extern const struct builtin_option builtin_options[];
extern const size_t builtin_options_count;

/** Fields of an operator at most. */
#define BUILTIN_MAX_OPTIONS 8

/**
 * The options of an operator from @data (its builtin_data; NULL: none) to @options, of
 * BUILTIN_MAX_OPTIONS. How many.
 */
uint32_t builtin_options_read(int opcode, int version, const void *data,
			      struct nnimport_graph_option *options);

/*
 * delegate_nodes.c: nodes of a TensorFlow Lite graph, copied: the host shows them during the
 * delegate's prepare() only. The tensors are the host's, and are read when they are needed: their
 * shapes change.
 */

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

/* delegate_model.c: nodes as a compiled model of the NNAPI runtime. */

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

/* delegate_choice.c: which nodes of a graph the delegate takes, and why it leaves the others. */

/**
 * The nodes to delegate, a list from malloc(), in *@chosen; NULL with an error. Writes the log.
 * TFL_OK, or TFL_ERROR after a report to the host: it does not answer, memory ran out, or a node
 * stays that must not.
 */
int delegate_choose(struct tfl_context *context, const struct delegate_settings *settings,
		    struct tfl_int_array **chosen);

/* delegate_kernel.c: the kernel in the place of a partition's nodes. */

/** The delegate; its base is what the host has. */
struct delegate {
	struct tfl_delegate base;
	struct delegate_settings settings;
};

/** The kernel for tfl_context.replace_nodes(). */
extern const struct tfl_registration delegate_kernel;

#endif
