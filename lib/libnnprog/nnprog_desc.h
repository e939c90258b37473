/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors: what compiler, verifier and interpreter know of a device operation. */
#ifndef NNPROG_DESC_H
#define NNPROG_DESC_H

#include "nnprog_shape.h"

/**
 * struct nnprog_operand - an operand as shape rules see it
 * @dtype: enum nnprog_dtype
 * @omitted: the operand is omitted; nothing else is valid
 * @omittable: a model input that is given here, but that a run may omit
 * @shape: as far as known
 * @scale: of a tensor quantized per tensor, else 0
 * @zero_point: of a tensor quantized per tensor
 * @scales: scale of each channel, or NULL
 * @num_scales: entries of @scales
 * @channel_dim: the dimension of the channels
 * @data: the contents if known now (a constant; in a run a private copy), else NULL
 */
struct nnprog_operand {
	uint32_t dtype;
	bool omitted;
	bool omittable;
	struct nnprog_shape shape;
	float scale;
	int32_t zero_point;
	const float *scales;
	uint32_t num_scales, channel_dim;
	const void *data;
};

/**
 * struct nnprog_error - why something was refused
 * @offset: byte offset in the program; 0 from shape rules
 * @subgraph: its number, or UINT32_MAX
 * @operation: its number in the subgraph, or UINT32_MAX
 * @text: the reason
 *
 * A function that takes one fills it whenever it fails.
 */
struct nnprog_error {
	uint64_t offset;
	uint32_t subgraph, operation;
	char text[128];
};

/**
 * enum nnprog_empty - how an operation ends that runs with an input without elements
 * @NNPROG_EMPTY_FAILS: EXEC_FAILED
 * @NNPROG_EMPTY_BAD_DATA: BAD_ARGUMENT
 * @NNPROG_EMPTY_RUNS: as infer() and run() decide
 */
enum nnprog_empty {
	NNPROG_EMPTY_FAILS,
	NNPROG_EMPTY_BAD_DATA,
	NNPROG_EMPTY_RUNS,
};

/**
 * struct nnprog_op_desc - descriptor of a device operation, for compiler, verifier and interpreter
 * @opcode: enum nnprog_opcode
 * @name: for messages
 * @min_inputs: least number of inputs
 * @max_inputs: greatest number of inputs; UINT32_MAX: any
 * @min_outputs: least number of outputs
 * @max_outputs: greatest number of outputs
 * @attrs_size: bytes of the attributes
 * @optional_inputs: bit i: input i may be OMITTED; bit 31: all from input 31 on
 * @program_omits: bit i: a program may omit optional input i, a run may not
 * @value_inputs: bit i: the shape rule reads the contents of input i (INT32, but for extensions)
 * @types: mask of the data types of input 0
 * @hands_on: operands go to a subgraph, or come from it, as they are: they may be INT64
 * @check_attrs: check the attributes by themselves: ranges, reserved members 0. 0 or -EINVAL
 * @infer: check types and quantization of the operands against each other, and shapes as far as
 * known; set the shape of each output to what follows from the inputs: complete when the inputs are
 * complete and the contents of value inputs are known, else unknown in part. The other members of
 * the outputs stay as they are. 0, -EINVAL (refused) or -EOVERFLOW (too large)
 * @run_shapes: bit i: only run() knows the extents of output i; infer() leaves them unknown
 * @bound: with @run_shapes: set the shapes of those outputs to the largest that run() can give them
 * @empty: the result of nnprog_empty_rule(), where attributes do not matter
 * @empty_rule: optional, in place of @empty: @rank is that of input 0, @input the one without
 * elements
 */
struct nnprog_op_desc {
	uint32_t opcode;
	const char *name;
	uint32_t min_inputs, max_inputs;
	uint32_t min_outputs, max_outputs;
	uint32_t attrs_size;
	uint32_t optional_inputs;
	uint32_t program_omits;
	uint32_t value_inputs;
	uint32_t types;
	bool hands_on;
	int (*check_attrs)(const void *attrs, struct nnprog_error *err);
	int (*infer)(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err);
	uint32_t run_shapes;
	int (*bound)(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err);
	enum nnprog_empty empty;
	enum nnprog_empty (*empty_rule)(const void *attrs, uint32_t rank, uint32_t input);
};

/**
 * nnprog_op_find() - descriptor of a device operation
 * @opcode: enum nnprog_opcode
 *
 * Return: the descriptor, or NULL when there is no such operation.
 */
const struct nnprog_op_desc *nnprog_op_find(uint32_t opcode);

/**
 * nnprog_input_optional() - whether an input may be OMITTED
 * @desc: the operation
 * @i: number of the input
 *
 * Return: true when it may.
 */
static inline bool nnprog_input_optional(const struct nnprog_op_desc *desc, uint32_t i)
{
	return desc->optional_inputs >> (i < 31 ? i : 31) & 1;
}

/**
 * nnprog_empty_rule() - NNAPI's rule for an input without elements
 * @desc: the operation
 * @attrs: its attributes
 * @rank: rank of input 0
 * @input: number of the input without elements, which is not omitted
 *
 * The rule applies when the operation runs and not before, since a branch with it may never be
 * taken: infer() ignores it.
 *
 * Return: how the operation ends.
 */
static inline enum nnprog_empty nnprog_empty_rule(const struct nnprog_op_desc *desc,
						  const void *attrs, uint32_t rank, uint32_t input)
{
	return desc->empty_rule ? desc->empty_rule(attrs, rank, input) : desc->empty;
}

#endif
