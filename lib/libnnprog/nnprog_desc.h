/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors: what compiler, verifier and interpreter know of a device operation. */
#ifndef NNPROG_DESC_H
#define NNPROG_DESC_H

#include "nnprog_shape.h"

/** An operand as shape rules see it. */
struct nnprog_operand {
	uint32_t dtype;
	bool omitted;
	bool omittable; /* here, but an argument: a run may come without it */
	struct nnprog_shape shape;
	float scale;
	int32_t zero_point;
	const float *scales; /* per channel, or NULL */
	uint32_t num_scales, channel_dim;
	/* contents if known now (constants; at run time: private copy), else NULL */
	const void *data;
};

/** Why something was refused; always filled when a function fails that takes one. */
struct nnprog_error {
	uint64_t offset; /* byte offset in the program; shape rules leave 0 */
	uint32_t subgraph, operation; /* UINT32_MAX: none */
	char text[128];
};

/** How an operation ends that runs with an input without elements. */
enum nnprog_empty {
	NNPROG_EMPTY_FAILS, /* EXEC_FAILED */
	NNPROG_EMPTY_BAD_DATA, /* BAD_ARGUMENT */
	NNPROG_EMPTY_RUNS, /* as infer() and run() say */
};

/**
 * Descriptor of one device operation: the one table row that the compiler, the verifier and the
 * interpreter use.
 */
struct nnprog_op_desc {
	uint32_t opcode;
	const char *name;
	uint32_t min_inputs, max_inputs; /* max UINT32_MAX: any number */
	uint32_t min_outputs, max_outputs;
	uint32_t attrs_size;
	uint32_t optional_inputs; /* bit i: input i may be OMITTED; bit 31: those behind it too */
	uint32_t program_omits; /* bit i: an optional input that a program omits, but no run */
	/* bit i: shape rule reads the contents of input i (INT32, but for extensions) */
	uint32_t value_inputs;
	uint32_t types; /* mask of data types of input 0 */
	/** Attributes alone: ranges, reserved fields zero. 0 or -EINVAL. */
	int (*check_attrs)(const void *attrs, struct nnprog_error *err);
	/**
	 * Types and quantization of the operands against each other, and shapes as far as known.
	 * Sets out[i].shape to what follows from the inputs: complete when the inputs are complete
	 * and the contents of value inputs are there; unknown parts stay unknown. Does not touch
	 * the other fields of @out. 0, -EINVAL (refused), -EOVERFLOW (too large).
	 */
	int (*infer)(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err);
	/** Bit i: only run() knows the extents of output i; infer() leaves them unknown. */
	uint32_t run_shapes;
	/**
	 * With run_shapes: sets the shapes of those outputs to the largest that run() can give
	 * them.
	 */
	int (*bound)(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err);
	/** What nnprog_empty_rule() gives where the attributes do not matter. */
	enum nnprog_empty empty;
	/** Optional, in place of @empty: @rank is that of input 0, @input the one without elements.
	 */
	enum nnprog_empty (*empty_rule)(const void *attrs, uint32_t rank, uint32_t input);
};

/** NULL when there is no such operation. */
const struct nnprog_op_desc *nnprog_op_find(uint32_t opcode);

/** Whether input number @i may be OMITTED. */
static inline bool nnprog_input_optional(const struct nnprog_op_desc *desc, uint32_t i)
{
	return desc->optional_inputs >> (i < 31 ? i : 31) & 1;
}

/**
 * NNAPI's rule for input number @input that is given and has no elements; @rank is that of input 0.
 * The rule holds when the operation runs and not before, since a branch with it may never be taken:
 * infer() ignores it.
 */
static inline enum nnprog_empty nnprog_empty_rule(const struct nnprog_op_desc *desc,
						  const void *attrs, uint32_t rank, uint32_t input)
{
	return desc->empty_rule ? desc->empty_rule(attrs, rank, input) : desc->empty;
}

#endif
