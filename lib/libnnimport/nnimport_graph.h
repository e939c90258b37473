/* SPDX-License-Identifier: Apache-2.0 */
/**
 * DOC: nnimport_graph.h
 *
 * From a graph in memory to an NNAPI model: what nnimport.h does with a file, for callers that have
 * tensors and operators already, such as a delegate of TensorFlow Lite. Internal to the tree: it
 * may change.
 *
 * Types, operator codes and option fields are those of TensorFlow Lite's schema, version 3. The
 * checks are those of a file: a graph that lies ends in a message, not in a wrong access. Only the
 * lengths of the lists and of the constants are taken as they are.
 *
 * Ownership: the caller owns the graph and all that it points to, and keeps it unchanged during
 * nnimport_read_graph(). The result refers to none of it.
 *
 * Threads: as nnimport.h.
 */
#ifndef NNIMPORT_GRAPH_H
#define NNIMPORT_GRAPH_H

#include "nnimport.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct nnimport_graph_tensor - a tensor
 * @name: for messages; may be NULL. Control characters are replaced, and a long name is cut
 * @type: enum nnimport_type
 * @rank: length of @dims
 * @dims: dimensions; may be NULL with rank 0
 * @has_rank: rank 0 is that of a scalar; else the shape is unknown and the library computes it
 * @variable: the tensor keeps its value from one execution to the next
 * @data: contents of a constant; NULL: the tensor is no constant
 * @size: bytes of @data, above 0. Of INT4, two values are in a byte
 * @num_scales: length of @scales; 0: not quantized
 * @scales: quantization: real = (stored - zero point) * scale
 * @num_zero_points: length of @zero_points: that of @scales, or 0: all are 0
 * @zero_points: quantization
 * @quantized_dimension: the dimension of several scales
 */
struct nnimport_graph_tensor {
	const char *name;
	int type;
	uint32_t rank;
	const int32_t *dims;
	bool has_rank;
	bool variable;
	const void *data;
	size_t size;
	uint32_t num_scales;
	const float *scales;
	uint32_t num_zero_points;
	const int32_t *zero_points;
	int32_t quantized_dimension;
};

/**
 * struct nnimport_graph_option - an option of an operator
 * @field: its number in the schema's table of options of the operator
 * @integer: value of integers, flags (1 and 0) and codes
 * @real: value of a field of the type float
 */
struct nnimport_graph_option {
	uint32_t field;
	int32_t integer;
	float real;
};

/**
 * struct nnimport_graph_operator - an operator
 * @opcode: BuiltinOperator
 * @custom: name of a CUSTOM operator, for messages; may be NULL
 * @num_inputs: length of @inputs
 * @num_outputs: length of @outputs
 * @inputs: numbers of tensors; -1: an omitted optional input
 * @outputs: numbers of tensors
 * @num_options: length of @options
 * @options: options; one that is missing has the schema's default
 */
struct nnimport_graph_operator {
	int opcode;
	const char *custom;
	uint32_t num_inputs, num_outputs;
	const int32_t *inputs, *outputs;
	uint32_t num_options;
	const struct nnimport_graph_option *options;
};

/**
 * struct nnimport_graph - a graph
 * @num_tensors: length of @tensors
 * @num_operators: length of @operators
 * @num_inputs: length of @inputs
 * @num_outputs: length of @outputs
 * @tensors: tensors
 * @operators: operators, in an order in which they can be executed
 * @inputs: numbers of tensors
 * @outputs: numbers of tensors
 */
struct nnimport_graph {
	uint32_t num_tensors, num_operators, num_inputs, num_outputs;
	const struct nnimport_graph_tensor *tensors;
	const struct nnimport_graph_operator *operators;
	const int32_t *inputs, *outputs;
};

/**
 * nnimport_read_graph() - translate a graph
 * @graph: the graph
 * @result: filled in; nnimport_free() whatever the outcome
 *
 * Operators that no output needs are left out. IF and WHILE are refused: a graph has no subgraphs.
 *
 * Return: as nnimport_read(). nnimport.operation is a position in @graph.
 */
int nnimport_read_graph(const struct nnimport_graph *graph, struct nnimport *result);

/**
 * nnimport_operator_name() - name of an operator
 * @opcode: any number
 *
 * Return: "CONV_2D" of a BuiltinOperator, or "operator 200" in a buffer of the thread.
 */
const char *nnimport_operator_name(int opcode);

#ifdef __cplusplus
}
#endif

#endif
