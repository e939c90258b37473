/* SPDX-License-Identifier: Apache-2.0 */
/**
 * DOC: nnaccel_model.h
 *
 * A .tflite file as a model of NNAPI, with what NNAPI does not have: names, quantization and
 * positions in the file. libneuralnetworks.so compiles and executes it. For programs in C, and for
 * languages that call C: the Python package nnaccel is made with it.
 *
 * An application opens the file, gets the ANeuralNetworksModel with nnaccel_model_nnapi(), and goes
 * on with NeuralNetworks.h. The inputs of the NNAPI model are those of the file in their order,
 * then the states; so are its outputs.
 *
 * Ownership: a model owns all that its functions return; nnaccel_model_free() frees it. Free
 * compilations of it before. The bytes of the file are not needed after opening.
 *
 * Threads: calls with different models may run at the same time, and so may calls with the same
 * model that only read it: all but nnaccel_model_free().
 *
 * Errors: functions that return int return 0, or a negative error number (-EINVAL). Those with
 * @message write one line without a full stop that names the operation and the tensor; it is cut to
 * @size bytes.
 *
 * Units: sizes are bytes. Dimensions are in the order of the file, which is NHWC for images.
 *
 * Versions: structures grow at their end. The caller passes the size of what it was compiled with,
 * and gets that many bytes; what the library does not know is zero.
 */
#ifndef NNACCEL_MODEL_H
#define NNACCEL_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "android/NeuralNetworksTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct nnaccel_model;

/* NNACCEL_MODEL_RELAXED - float32 may be computed as float16 (relaxComputationFloat32toFloat16) */
#define NNACCEL_MODEL_RELAXED 1u

/* NNACCEL_MODEL_TOKEN_SIZE - bytes of a token (ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN) */
#define NNACCEL_MODEL_TOKEN_SIZE 32

/**
 * struct nnaccel_model_tensor - an input or output of the file
 * @name: of the tensor; control characters are replaced
 * @number: position among the tensors of the file
 * @type: enum TensorType of TensorFlow Lite's schema: 0 FLOAT32, 1 FLOAT16, 2 INT32, 3 UINT8,
 *	4 INT64, 6 BOOL, 7 INT16, 9 INT8
 * @operand_type: the same of the NNAPI operand: INT32 for an INT64 tensor, else @type
 * @rank: length of @dims; 0: a scalar
 * @dims: dimensions, each above 0
 * @size: bytes of the contents in @type, row by row
 * @operand_size: bytes of the contents in @operand_type
 * @scale: quantization: real = (stored - zero_point) * scale; 0: not quantized
 * @zero_point: quantization
 *
 * NNAPI has no INT64. The caller gives the INT32 of each element of such an input, and refuses a
 * number beyond 32 bits; it gets INT32 of such an output, which has no other.
 */
struct nnaccel_model_tensor {
	const char *name;
	uint32_t number;
	int32_t type;
	int32_t operand_type;
	uint32_t rank;
	const int32_t *dims;
	uint64_t size;
	uint64_t operand_size;
	float scale;
	int32_t zero_point;
};

/** NNACCEL_MODEL_NO_OUTPUT - the contents of a state do not change */
#define NNACCEL_MODEL_NO_OUTPUT UINT32_MAX

/**
 * struct nnaccel_model_state - a value that the model keeps from one execution to the next
 * @input: number among the inputs of the NNAPI model
 * @output: number among its outputs; NNACCEL_MODEL_NO_OUTPUT: none
 * @size: bytes of either
 * @fill: each byte of the value before the first execution
 * @reserved: 0
 *
 * NNAPI's models keep nothing. The caller gives the value as @input, and copies @output to @input
 * after each execution that succeeds.
 */
struct nnaccel_model_state {
	uint32_t input, output;
	uint64_t size;
	uint32_t fill;
	uint32_t reserved;
};

/** NNACCEL_MODEL_NO_OPERATOR - an operation that no operator of the file is behind */
#define NNACCEL_MODEL_NO_OPERATOR UINT32_MAX

/**
 * struct nnaccel_model_operation - an operation of the NNAPI model's main graph
 * @name: of the operation, "CONV_2D"
 * @operator_name: of the operator of the file behind it; NULL: none
 * @operator_number: position of that in the file; NNACCEL_MODEL_NO_OPERATOR: none
 * @reserved: 0
 */
struct nnaccel_model_operation {
	const char *name;
	const char *operator_name;
	uint32_t operator_number;
	uint32_t reserved;
};

/**
 * nnaccel_model_open() - read a file
 * @path: of the file
 * @flags: NNACCEL_MODEL_*
 * @model: the model; unchanged on failure
 * @message: the reason of a failure
 * @size: of @message
 *
 * Return: 0; -ENOENT and other errors of open(); -EFBIG: above 1 GB; and those of
 * nnaccel_model_read().
 */
int nnaccel_model_open(const char *path, uint32_t flags, struct nnaccel_model **model,
		       char *message, size_t size);

/**
 * nnaccel_model_read() - translate a file in memory
 * @bytes: its contents
 * @length: of @bytes
 * @flags: NNACCEL_MODEL_*
 * @model: the model; unchanged on failure
 * @message: the reason of a failure
 * @size: of @message
 *
 * Return: 0; -EOPNOTSUPP: NNAPI or this library lacks an operation of the file; -EINVAL: the file
 * is inconsistent, or a flag is unknown; -EIO: the runtime refuses the model; -ENOMEM.
 */
int nnaccel_model_read(const void *bytes, size_t length, uint32_t flags,
		       struct nnaccel_model **model, char *message, size_t size);

/**
 * nnaccel_model_free() - free a model
 * @model: may be NULL
 */
void nnaccel_model_free(struct nnaccel_model *model);

/**
 * nnaccel_model_nnapi() - the finished model of NNAPI
 * @model: a model
 *
 * Return: it, which lives as long as @model.
 */
ANeuralNetworksModel *nnaccel_model_nnapi(const struct nnaccel_model *model);

/**
 * nnaccel_model_note() - what is odd about the file, and what was made of it
 * @model: a model
 *
 * Return: one line; mostly empty.
 */
const char *nnaccel_model_note(const struct nnaccel_model *model);

/**
 * nnaccel_model_token() - a token for ANeuralNetworksCompilation_setCaching()
 * @model: a model
 * @token: filled in, NNACCEL_MODEL_TOKEN_SIZE bytes; the same for the same contents of the NNAPI
 * model
 *
 * The devices and the preference of a compilation are not in it: the caller mixes in what it sets.
 *
 * Return: 0, or -ENOMEM.
 */
int nnaccel_model_token(const struct nnaccel_model *model, uint8_t *token);

/**
 * nnaccel_model_input_count() - inputs of the file
 * @model: a model
 *
 * Return: how many; the NNAPI model has these and the states.
 */
uint32_t nnaccel_model_input_count(const struct nnaccel_model *model);

/**
 * nnaccel_model_output_count() - outputs of the file
 * @model: a model
 *
 * Return: how many.
 */
uint32_t nnaccel_model_output_count(const struct nnaccel_model *model);

/**
 * nnaccel_model_state_count() - values that the model keeps
 * @model: a model
 *
 * Return: how many.
 */
uint32_t nnaccel_model_state_count(const struct nnaccel_model *model);

/**
 * nnaccel_model_operation_count() - operations of the NNAPI model's main graph
 * @model: a model
 *
 * Return: how many.
 */
uint32_t nnaccel_model_operation_count(const struct nnaccel_model *model);

/**
 * nnaccel_model_input() - an input of the file
 * @model: a model
 * @index: its number
 * @tensor: filled in
 * @size: bytes of the caller's @tensor
 *
 * Return: 0, or -EINVAL: there is no such input.
 */
int nnaccel_model_input(const struct nnaccel_model *model, uint32_t index,
			struct nnaccel_model_tensor *tensor, size_t size);

/**
 * nnaccel_model_output() - an output of the file
 * @model: a model
 * @index: its number
 * @tensor: filled in
 * @size: bytes of the caller's @tensor
 *
 * Return: 0, or -EINVAL: there is no such output.
 */
int nnaccel_model_output(const struct nnaccel_model *model, uint32_t index,
			 struct nnaccel_model_tensor *tensor, size_t size);

/**
 * nnaccel_model_state() - a value that the model keeps
 * @model: a model
 * @index: its number
 * @state: filled in
 * @size: bytes of the caller's @state
 *
 * Return: 0, or -EINVAL: there is no such state.
 */
int nnaccel_model_state(const struct nnaccel_model *model, uint32_t index,
			struct nnaccel_model_state *state, size_t size);

/**
 * nnaccel_model_operation() - an operation of the NNAPI model's main graph
 * @model: a model
 * @index: its number, as the runtime's explanations count
 * @operation: filled in
 * @size: bytes of the caller's @operation
 *
 * Return: 0, or -EINVAL: there is no such operation.
 */
int nnaccel_model_operation(const struct nnaccel_model *model, uint32_t index,
			    struct nnaccel_model_operation *operation, size_t size);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
