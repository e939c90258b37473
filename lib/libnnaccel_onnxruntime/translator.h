/* SPDX-License-Identifier: Apache-2.0 */
/* From operators of ONNX to operations of NNAPI. */
#ifndef NNACCEL_TRANSLATOR_H
#define NNACCEL_TRANSLATOR_H

#include <errno.h>

#include "delegate_common.h"
#include "nnmodel.h"
#include "onnx_graph.h"
#include "value_file.h"

/* The result of onnx_translate(). */

struct translation {
	struct nnmodel *model;
	struct nnmodel_value_file file; /* of @model */
	int *inputs, *outputs; /* of each argument of @model: a value of the graph */
	uint32_t num_inputs, num_outputs;
	uint32_t *origins; /* of each operation: a node's place */
};

/*
 * translator.c: what the operators' translations are made with. After an error, functions do
 * nothing and return operand 0: a translation checks the error at its end, if at all.
 */

struct translator {
	const struct onnx_graph *g;
	const bool *in; /* of each node */
	bool *done; /* of each node: it is in another's operation */
	int *operands; /* of each value; -1 */
	struct translation *out;
	const struct onnx_node *node; /* the current one */
	const struct onnx_operator *row; /* its operator; NULL: a conversion */
	uint32_t place; /* its place */
	void **memory; /* freed with the translator */
	uint32_t num_memory;
	int error;
	struct delegate_reason *reason;
};

/** What becomes of the current node's result. */
struct result {
	int value; /* the node's output, or that of the activation or QuantizeLinear after it */
	bool quantized;
	uint32_t activation; /* enum nnmodel_fuse */
};

enum {
	RESULT_ACTIVATION = 1, /* an activation after it can be fused */
	RESULT_QUANTIZED = 2, /* the operation has a quantized form */
	RESULT_SAME = 4, /* whose result has the scale of input 0 */
};

/** Refuse the current node: why, and what change of the model helps. */
#define TRANSLATOR_REFUSE(t, ...) \
	((void)((t)->error ||     \
		((t)->error = DELEGATE_REFUSE((t)->reason, -EOPNOTSUPP, __VA_ARGS__))))

/** @number, of an operand; a negative error is the translator's, and 0. */
int translator_check(struct translator *t, int number);

/** Value of input @i of the current node; ONNX_NONE. And itself; NULL. */
int translator_input(const struct translator *t, uint32_t i);
const struct onnx_value *translator_value(const struct translator *t, uint32_t i);

/**
 * How the result of the current node is made, whose first @data inputs are data, with @flags and
 * the scale of its row. What is fused is done.
 */
struct result translator_plan(struct translator *t, uint32_t data, unsigned int flags);
/** Operand of a value in its own type; a view is dequantized. */
int translator_operand(struct translator *t, int value);
/** Operand of input @i: of the 8-bit value behind it if @r is quantized. */
int translator_argument(struct translator *t, const struct result *r, uint32_t i);
/** The operand to write the result into. */
int translator_result(struct translator *t, const struct result *r);
/** A new operand like that of the result, with other dimensions. */
int translator_like(struct translator *t, const struct result *r, const uint32_t *dims,
		    uint32_t rank);
/** The value of 8 bits that @value is a view of; ONNX_NONE: it is none, or one with channels. */
int translator_view(const struct translator *t, int value);

int translator_int32(struct translator *t, int64_t value);
int translator_float32(struct translator *t, float value);
int translator_bool(struct translator *t, bool value);
/** A constant TENSOR_INT32. */
int translator_list(struct translator *t, const int64_t *list, uint32_t count);
/** A constant of one float32 in one dimension. */
int translator_number(struct translator *t, float value);
int translator_temporary(struct translator *t, uint32_t type, const uint32_t *dims, uint32_t rank,
			 float scale, int32_t zero);
/** The same with type and quantization of @operand. */
int translator_similar(struct translator *t, int operand, const uint32_t *dims, uint32_t rank);
int translator_constant(struct translator *t, uint32_t type, const uint32_t *dims, uint32_t rank,
			float scale, int32_t zero, const void *data);
/** A constant of float32, int32 or bool like @like, with @number in each element. */
int translator_fill(struct translator *t, const struct onnx_value *like, uint32_t type,
		    double number);
void translator_emit(struct translator *t, uint32_t opcode, const int *inputs, uint32_t num_inputs,
		     int output);
/** The same of an operation with several outputs. */
void translator_emit_all(struct translator *t, uint32_t opcode, const int *inputs,
			 uint32_t num_inputs, const int *outputs, uint32_t num_outputs);
/** A float32 operation, whose result has the dimensions of the current node's. Its operand. */
int translator_operation(struct translator *t, uint32_t opcode, const int *inputs, uint32_t count);
/** One of two operands with an activation, which is none; and two that keep x within bounds. */
int translator_step(struct translator *t, uint32_t opcode, int a, int b);
int translator_clamp(struct translator *t, int x, float low, float high);
/** Whether input 0 is float32; else the node is refused. */
bool translator_is_float(struct translator *t);
/** Memory of the translator; NULL after an error. */
void *translator_alloc(struct translator *t, size_t count, size_t size);

/** Integers of a constant input, at most @max. False: it is not constant, or longer. */
bool translator_ints(const struct translator *t, uint32_t i, int64_t *list, uint32_t max,
		     uint32_t *count);
/** The elements of a constant value as float32; dequantized if it is a view. NULL: it is no
 * constant. */
const float *translator_floats(struct translator *t, int value);
/** DequantizeLinear of a constant, from which @value is; NULL. */
const struct onnx_node *translator_dequantizer(const struct translator *t, int value);

/* onnx_weights.c: constant weights and biases of convolutions and matrix products. */

struct weights {
	const void *data; /* in the graph's order */
	size_t size; /* of an element: 4, float32; 1, 8 bits */
	uint32_t type; /* of the operand */
	float scale;
	int32_t zero_point;
	const float *scales; /* of each unit; NULL: one for all */
	uint32_t num_scales;
	float input_scale;
};

/**
 * Plan the current node, whose input 0 is data, 1 the weights, constant, with an output unit for
 * each place of @axis, 2 perhaps the bias. Sets @weights for the type that the node is computed in.
 */
struct result weights_plan(struct translator *t, uint32_t axis, struct weights *weights);
/** Operand of the weights, as @data, which has the order of @dims. */
int weights_operand(struct translator *t, const struct weights *weights, const uint32_t *dims,
		    uint32_t rank, uint32_t channel_dim, const void *data);
/** Operand of the bias, input 2 times @factor; zeros where there is none. */
int weights_bias(struct translator *t, const struct weights *weights, const struct result *r,
		 uint32_t units, float factor);

/*
 * translate.c: nodes of an ONNX graph as a model of NNAPI.
 *
 * A DequantizeLinear makes no operation by itself: it is a view of its 8-bit input. An operator
 * whose inputs are such views, and whose result goes to a QuantizeLinear only, becomes one
 * quantized operation. Everywhere else the views are dequantized, and the operator computes in
 * float32.
 */

/**
 * Translate the nodes of @graph with @in. The outputs are all values that others need. 0, or -errno
 * with the reason, and *@refused, the place of the node that is refused; UINT32_MAX: none in
 * particular. translation_clear() whatever the outcome.
 */
int onnx_translate(const struct onnx_graph *graph, const bool *in, struct translation *result,
		   uint32_t *refused, struct delegate_reason *reason);
void translation_clear(struct translation *translation);

#endif
