/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a program. */
#ifndef NNPROG_BUILDER_H
#define NNPROG_BUILDER_H

#include "nnprog_desc.h"

struct nnprog_builder;

/**
 * nnprog_builder_create() - a builder without subgraphs
 *
 * A builder is used by one thread at a time.
 *
 * Return: the builder, or NULL (out of memory).
 */
struct nnprog_builder *nnprog_builder_create(void);

/**
 * nnprog_builder_destroy() - free a builder
 * @b: the builder, or NULL
 */
void nnprog_builder_destroy(struct nnprog_builder *b);

/**
 * nnprog_builder_subgraph() - start the next subgraph
 * @b: the builder
 * @name: for nnprog_dump(), or NULL
 *
 * The first one is main. Tensors and operations are added to the subgraph that was started last.
 *
 * Return: the number of the subgraph, or -errno.
 */
int nnprog_builder_subgraph(struct nnprog_builder *b, const char *name);

/**
 * nnprog_builder_tensor() - add a tensor
 * @b: the builder
 * @op: type, shape and quantization; the scales are copied
 * @kind: enum nnprog_kind
 * @data: contents of a CONST, else NULL; copied
 * @size: bytes of @data
 *
 * Return: the number of the tensor in the subgraph, or -errno.
 */
int nnprog_builder_tensor(struct nnprog_builder *b, const struct nnprog_operand *op, uint32_t kind,
			  const void *data, size_t size);

/**
 * nnprog_builder_constant() - add a large constant without a copy
 * @b: the builder
 * @op: type, shape and quantization; the scales are copied
 * @data: contents, which must stay until the builder is destroyed
 * @size: bytes of @data
 *
 * No shape may depend on the contents: memory of a client may change meanwhile.
 *
 * Return: the number of the tensor in the subgraph, or -errno.
 */
int nnprog_builder_constant(struct nnprog_builder *b, const struct nnprog_operand *op,
			    const void *data, size_t size);

/**
 * nnprog_builder_set_shape() - change the shape of a tensor, as inference learns it
 * @b: the builder
 * @tensor: number of the tensor
 * @shape: its shape
 *
 * Return: 0 or -errno.
 */
int nnprog_builder_set_shape(struct nnprog_builder *b, uint32_t tensor,
			     const struct nnprog_shape *shape);

/**
 * nnprog_builder_get() - a tensor as the builder holds it
 * @b: the builder
 * @tensor: number of the tensor
 * @op: filled; the contents are valid until the builder changes
 * @kind: enum nnprog_kind
 *
 * Return: 0 or -errno.
 */
int nnprog_builder_get(struct nnprog_builder *b, uint32_t tensor, struct nnprog_operand *op,
		       uint32_t *kind);

/**
 * nnprog_builder_operation() - add an operation
 * @b: the builder
 * @opcode: enum nnprog_opcode
 * @attrs: attributes; copied
 * @attrs_size: bytes of @attrs
 * @in: tensor numbers of the inputs
 * @num_in: number of inputs
 * @out: tensor numbers of the outputs
 * @num_out: number of outputs
 * @ext_name: name of the extension, for NNPROG_OP_EXTENSION only
 * @err: filled on failure
 *
 * Runs check_attrs() and infer(), and merges the inferred shapes into the outputs.
 *
 * Return: 0 or -errno.
 */
int nnprog_builder_operation(struct nnprog_builder *b, uint32_t opcode, const void *attrs,
			     size_t attrs_size, const uint32_t *in, uint32_t num_in,
			     const uint32_t *out, uint32_t num_out, const char *ext_name,
			     struct nnprog_error *err);

/**
 * nnprog_builder_io() - set the inputs and outputs of the subgraph
 * @b: the builder
 * @inputs: tensor numbers, in order
 * @num_inputs: number of inputs
 * @outputs: tensor numbers, in order
 * @num_outputs: number of outputs
 *
 * Return: 0 or -errno.
 */
int nnprog_builder_io(struct nnprog_builder *b, const uint32_t *inputs, uint32_t num_inputs,
		      const uint32_t *outputs, uint32_t num_outputs);

/**
 * nnprog_builder_flags() - set the flags of the program
 * @b: the builder
 * @flags: NNPROG_FLAG_*
 */
void nnprog_builder_flags(struct nnprog_builder *b, uint32_t flags);

/**
 * nnprog_builder_stop() - make nnprog_builder_finish() stoppable
 * @b: the builder
 * @stop: called before every operation and constant, at least every millisecond while temporaries
 * 	are planned, and once more before the program is verified; true ends
 * 	nnprog_builder_finish() with -ETIME
 * @cookie: for @stop
 */
void nnprog_builder_stop(struct nnprog_builder *b, bool (*stop)(void *cookie), void *cookie);

/**
 * nnprog_builder_memory() - choose the memory that nnprog_builder_finish() writes to
 * @b: the builder
 * @memory: gives @size bytes, zeroed and 64-byte aligned, private until the builder has finished;
 * 	NULL: there are none. They are the giver's, also if the builder fails. @shared of them are
 * 	for nnprog_builder_share()
 * @cookie: for @memory
 */
void nnprog_builder_memory(struct nnprog_builder *b,
			   void *(*memory)(void *cookie, size_t size, size_t shared), void *cookie);

/* Constants of so many bytes are worth a mapping of their own. */
#define NNPROG_SHARED_MIN ((size_t)128 << 10)

/**
 * nnprog_builder_unsummed() - leave out the checksum
 * @b: the builder
 *
 * For programs that are read in the process that made them: a checksum is a pass over all constants
 * for its writer, and another for each reader.
 */
void nnprog_builder_unsummed(struct nnprog_builder *b);

/**
 * nnprog_builder_share() - choose how the contents of large constants get into the program
 * @b: the builder
 * @share: makes the @size bytes at @to equal to those at @from, which may be by a mapping of the
 * 	same pages; nothing writes there afterwards. Called for constants of
 * 	nnprog_builder_constant() with at least %NNPROG_SHARED_MIN bytes, in the order of their
 * 	places, before anything else is written. 0 or -errno, with which
 * 	nnprog_builder_finish() fails
 * @cookie: for @share
 * @page: @to and @from have the same place in a page of so many bytes, at most %NNPROG_MAX_GAP.
 * 	nnprog_builder_memory() has chosen memory that begins with a page
 */
void nnprog_builder_share(struct nnprog_builder *b,
			  int (*share)(void *cookie, void *to, const void *from, size_t size),
			  void *cookie, size_t page);

/**
 * nnprog_builder_finish() - plan the static arena, write the program, and verify it
 * @b: the builder
 * @bytes: the program, 64-byte aligned; the caller frees it with free(), unless
 * 	nnprog_builder_memory() chose its memory
 * @size: bytes of it
 * @err: filled on failure
 *
 * Return: 0 or -errno.
 */
int nnprog_builder_finish(struct nnprog_builder *b, void **bytes, size_t *size,
			  struct nnprog_error *err);

#endif
