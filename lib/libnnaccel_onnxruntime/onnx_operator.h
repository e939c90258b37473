/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of ONNX that are translated. */
#ifndef ONNX_OPERATOR_H
#define ONNX_OPERATOR_H

#include "onnx_graph.h"

struct translator;

/** The rule by which dimensions of an output follow; the host shows 1 for those that are reduced.
 */
enum onnx_shape {
	ONNX_SHAPE_NONE,
	ONNX_SHAPE_SAME, /* as of input 0 */
	ONNX_SHAPE_FIRST, /* the first one: images, of which a batch is open */
	ONNX_SHAPE_BROADCAST,
	ONNX_SHAPE_MATMUL,
	ONNX_SHAPE_GEMM,
	ONNX_SHAPE_TRANSPOSE,
	ONNX_SHAPE_CONCAT,
	ONNX_SHAPE_ELEMENTS, /* one of them, by the number of elements */
	ONNX_SHAPE_GATHER,
	ONNX_SHAPE_SPLIT, /* all but the axis */
};

/** A row of the tables of operators. */
struct onnx_operator {
	const char *name;
	void (*translate)(struct translator *t);
	uint32_t opcode; /* of translations that several operators have */
	unsigned int min_inputs;
	bool many; /* outputs; else one */
	enum onnx_shape shape; /* of its outputs */
	bool int64; /* what it does with int64 is the same with int32 if all numbers fit */
	unsigned int flags; /* RESULT_* */
	float scale; /* that the quantized form prescribes; 0: none */
	int32_t zero_unsigned, zero_signed; /* with it, of uint8 and int8 */
};

/** A row; what follows the number of inputs are further members. */
#define ONNX_ROW(name_, function, opcode_, inputs_, ...)                                        \
	{                                                                                       \
		.name = name_, .translate = function, .opcode = opcode_, .min_inputs = inputs_, \
		__VA_ARGS__                                                                     \
	}

extern const struct onnx_operator onnx_window_operators[], onnx_matrix_operators[],
	onnx_element_operators[], onnx_formula_operators[], onnx_shape_operators[];
/** The row of a node; NULL: NNAPI has no such operation. */
const struct onnx_operator *onnx_operator_find(const struct onnx_node *node);

#endif
