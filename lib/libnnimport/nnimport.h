/* SPDX-License-Identifier: Apache-2.0 */
/**
 * DOC: nnimport.h
 *
 * From a .tflite file to an NNAPI model. The file format is TensorFlow Lite's schema, version 3;
 * the NNAPI model is libnnmodel's. Documentation/tflite.rst has the table of operators.
 *
 * Hostile files: every size, offset and number is checked before it is used, and a read never
 * leaves the bytes of the file. A file that cannot be translated ends in one message that names the
 * operation and the tensor.
 *
 * Ownership: the result owns all that it refers to; it does not refer to the bytes of the file,
 * which the caller may free or change afterwards. nnimport_free() frees it.
 *
 * Threads: calls with different results may run at the same time. Any number of threads may read a
 * result while no thread changes it.
 *
 * Units: sizes are bytes. Dimensions are in the order of the file, which is NHWC for images.
 */
#ifndef NNIMPORT_H
#define NNIMPORT_H

#include <stddef.h>
#include <stdint.h>

#include "nnmodel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* enum nnimport_type - types of tensors; the numbers are those of the schema (TensorType) */
enum nnimport_type {
	NNIMPORT_FLOAT32 = 0,
	NNIMPORT_FLOAT16 = 1,
	NNIMPORT_INT32 = 2,
	NNIMPORT_UINT8 = 3,
	NNIMPORT_INT64 = 4,
	NNIMPORT_STRING = 5,
	NNIMPORT_BOOL = 6,
	NNIMPORT_INT16 = 7,
	NNIMPORT_INT8 = 9,
	NNIMPORT_INT4 = 17,
	NNIMPORT_TYPE_COUNT = 20
};

/**
 * nnimport_type_name() - name of a type
 * @type: any number
 *
 * Return: "FLOAT32", or "an unknown type".
 */
const char *nnimport_type_name(int type);

/**
 * nnimport_type_size() - bytes of an element
 * @type: any number
 *
 * Return: bytes; 0 for types whose elements have no fixed size in whole bytes, and unknown ones.
 */
size_t nnimport_type_size(int type);

/* NNIMPORT_MAX_RANK - dimensions of a tensor at most */
#define NNIMPORT_MAX_RANK 8

/**
 * enum nnimport_verdict - what became of a file
 * @NNIMPORT_OK: it is translated
 * @NNIMPORT_LACKS: NNAPI cannot express an operation of it
 * @NNIMPORT_FAILED: it is inconsistent, or there is no memory
 */
enum nnimport_verdict {
	NNIMPORT_OK,
	NNIMPORT_LACKS,
	NNIMPORT_FAILED,
};

/**
 * struct nnimport_tensor - an input or output of the file
 * @name: of the tensor; control characters are replaced
 * @number: position among the tensors of the first subgraph
 * @type: enum nnimport_type
 * @rank: length of @dims; 0: a scalar
 * @dims: dimensions, each above 0
 * @scale: quantization: real = (stored - zero_point) * scale; 0: not quantized
 * @zero_point: quantization
 * @size: bytes of the contents, row by row
 * @operand_type: type of the NNAPI operand: NNIMPORT_INT32 of an INT64 tensor, else @type
 * @operand_size: bytes of the operand's contents
 *
 * NNAPI has no INT64. The caller gives the INT32 of each element of such an input, and refuses a
 * number beyond 32 bits; it gets INT32 of such an output, which has no other.
 */
struct nnimport_tensor {
	char name[128];
	uint32_t number;
	int type;
	uint32_t rank;
	int32_t dims[NNIMPORT_MAX_RANK];
	float scale;
	int32_t zero_point;
	size_t size;
	int operand_type;
	size_t operand_size;
};

/** NNIMPORT_NO_OUTPUT - the contents of a state do not change */
#define NNIMPORT_NO_OUTPUT UINT32_MAX
/** NNIMPORT_NO_TENSOR - no tensor of the file is behind a state; nothing reads its value */
#define NNIMPORT_NO_TENSOR UINT32_MAX

/**
 * struct nnimport_state - a value that the model keeps from one execution to the next
 * @input: number among the inputs of the NNAPI model
 * @output: number among its outputs; NNIMPORT_NO_OUTPUT: none
 * @tensor: number of the variable tensor; NNIMPORT_NO_TENSOR: none
 * @size: bytes of either
 * @fill: each byte of the value before the first execution
 *
 * NNAPI's models keep nothing. The caller gives the value as @input, and copies @output to @input
 * after each execution. TensorFlow Lite has states as variable tensors.
 */
struct nnimport_state {
	uint32_t input, output;
	uint32_t tensor;
	size_t size;
	uint8_t fill;
};

/** NNIMPORT_NO_OPERATOR - an operation that no operator of the file is behind */
#define NNIMPORT_NO_OPERATOR UINT32_MAX

/**
 * struct nnimport_origin - the operator of the file behind an operation of the NNAPI model
 * @number: position in the file; NNIMPORT_NO_OPERATOR: the operation copies a value to an output
 * @name: of the operator, which lives as long as the program
 */
struct nnimport_origin {
	uint32_t number;
	const char *name;
};

/**
 * struct nnimport - a translated file, or the reason for a refusal
 * @verdict: what became of the file; the model and its lists exist with NNIMPORT_OK only
 * @message: without NNIMPORT_OK: what happened, to which operation and tensor
 * @operation: position in the file of the operation that is refused; NNIMPORT_NO_OPERATOR: the
 *	file, for its number of arguments
 * @note: with NNIMPORT_OK: what is odd about the file, and what was made of it; mostly empty
 * @pruned: operations that were left out because no output needs them
 * @model: the NNAPI model, valid by nnmodel_validate(). A caller that takes it sets this to NULL
 * @num_inputs: length of @inputs
 * @num_outputs: length of @outputs
 * @inputs: inputs of the file; they are the first inputs of @model, in this order
 * @outputs: outputs of the file; they are the first outputs of @model, in this order
 * @num_states: length of @states
 * @states: the other inputs and outputs of @model, in the order of their inputs
 * @num_origins: length of @origins
 * @origins: of each operation of the main subgraph of @model
 */
struct nnimport {
	enum nnimport_verdict verdict;
	char message[256];
	char note[256];
	uint32_t operation;
	uint32_t pruned;
	struct nnmodel *model;
	uint32_t num_inputs, num_outputs;
	struct nnimport_tensor *inputs, *outputs;
	uint32_t num_states;
	struct nnimport_state *states;
	uint32_t num_origins;
	struct nnimport_origin *origins;
};

/**
 * nnimport_read() - translate a file
 * @bytes: contents of the file
 * @size: of @bytes
 * @result: filled in; nnimport_free() whatever the outcome
 *
 * The first subgraph is translated, and those that it names. Operations that no output needs are
 * left out.
 *
 * Return: 0; -EOPNOTSUPP: NNAPI or this library lacks an operation; -EINVAL: the file is
 * inconsistent; -ENOMEM. All but 0 come with a message.
 */
int nnimport_read(const void *bytes, size_t size, struct nnimport *result);

/**
 * nnimport_free() - free a result
 * @result: of nnimport_read(); may be all zeros
 */
void nnimport_free(struct nnimport *result);

#ifdef __cplusplus
}
#endif

#endif
