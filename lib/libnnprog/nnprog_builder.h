/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a program. */
#ifndef NNPROG_BUILDER_H
#define NNPROG_BUILDER_H

#include "nnprog_desc.h"

struct nnprog_builder;

/** NULL: out of memory. One thread at a time. */
struct nnprog_builder *nnprog_builder_create(void);

void nnprog_builder_destroy(struct nnprog_builder *b);

/**
 * Start the next subgraph (the first call starts main); what follows goes into it. Number or
 * -errno.
 */
int nnprog_builder_subgraph(struct nnprog_builder *b, const char *name);

/**
 * Add a tensor: dtype, kind, shape, quantization (@op.scales is copied). @data with @size bytes
 * only for CONST; it is copied. Returns the tensor's number in the subgraph, or -errno.
 */
int nnprog_builder_tensor(struct nnprog_builder *b, const struct nnprog_operand *op, uint32_t kind,
			  const void *data, size_t size);

/** Change the shape of a tensor that was added (as inference learns it). 0 or -errno. */
int nnprog_builder_set_shape(struct nnprog_builder *b, uint32_t tensor,
			     const struct nnprog_shape *shape);

/** The tensor as the builder holds it; data is valid until the builder changes. 0 or -errno. */
int nnprog_builder_get(struct nnprog_builder *b, uint32_t tensor, struct nnprog_operand *op,
		       uint32_t *kind);

/**
 * Add an operation: runs check_attrs and infer, and merges the inferred shapes into the outputs.
 * @ext_name only for NNPROG_OP_EXTENSION. 0 or -errno with @err.
 */
int nnprog_builder_operation(struct nnprog_builder *b, uint32_t opcode, const void *attrs,
			     size_t attrs_size, const uint32_t *in, uint32_t num_in,
			     const uint32_t *out, uint32_t num_out, const char *ext_name,
			     struct nnprog_error *err);

/** Name the subgraph's inputs and outputs, in order. 0 or -errno. */
int nnprog_builder_io(struct nnprog_builder *b, const uint32_t *inputs, uint32_t num_inputs,
		      const uint32_t *outputs, uint32_t num_outputs);

void nnprog_builder_flags(struct nnprog_builder *b, uint32_t flags);

/**
 * Let nnprog_builder_finish() give up with -ETIME when @stop(@cookie) says so: it is asked before
 * every operation, temporary and constant, and once more before the program is verified.
 */
void nnprog_builder_stop(struct nnprog_builder *b, bool (*stop)(void *cookie), void *cookie);

/**
 * Plan the static arena (greedy by size over lifetimes), write the program, and verify it. On
 * success
 * *@bytes is malloc'ed (aligned to 64; free with free()) and *@size its size. 0 or -errno with
 * @err.
 */
int nnprog_builder_finish(struct nnprog_builder *b, void **bytes, size_t *size,
			  struct nnprog_error *err);

#endif
