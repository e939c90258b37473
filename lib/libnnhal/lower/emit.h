/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors and operations of the program. Functions return as those of lowering.h. */
#ifndef NNHAL_LOWER_EMIT_H
#define NNHAL_LOWER_EMIT_H

#include "lowering.h"
#include "nnprog_desc.h"

/** A tensor as nnprog_builder_tensor() takes it. */
int lower_add_tensor(struct lower *l, const struct nnprog_operand *op, uint32_t kind,
		     const void *data, size_t size, uint32_t *tensor);

/**
 * A constant without a copy: @data stays until the lowering ends, and no parameter is in it, since
 * a client's memory may change meanwhile.
 */
int lower_keep_constant(struct lower *l, const struct nnprog_operand *op, const void *data,
			size_t size, uint32_t *tensor);

/** A temporary as @op describes it, between the device operations of one NNAPI operation. */
int lower_temp(struct lower *l, const struct nnprog_operand *op, uint32_t *tensor);

/** The tensor as far as known; its contents are valid until the next tensor is made. */
struct nnprog_operand lower_get(struct lower *l, uint32_t tensor);
/** A vector of INT32; a constant of any type and shape; the shared OMITTED tensor. */
int lower_const_ints(struct lower *l, const int32_t *values, uint32_t n, uint32_t *tensor);
int lower_const(struct lower *l, const struct nnprog_operand *op, const void *data, size_t size,
		uint32_t *tensor);
int lower_omitted(struct lower *l, uint32_t *tensor);

/** A device operation; the device must have it for these types and ranks. */
int lower_emit(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size,
	       const uint32_t *in, uint32_t num_in, const uint32_t *out, uint32_t num_out);
/**
 * As lower_emit(): operation of an extension, whose attributes begin with struct
 * nnprog_attr_extension.
 */
int lower_emit_extension(struct lower *l, const char *name, const void *attrs, size_t attrs_size,
			 const uint32_t *in, uint32_t num_in, const uint32_t *out,
			 uint32_t num_out);

/** The whole program, when all subgraphs are lowered. */
int lower_finish(struct lower *l, struct nnhal_lowered *out);

#endif
