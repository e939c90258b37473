/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a program: verification, and what it gives access to. */
#ifndef NNPROG_VERIFY_API_H
#define NNPROG_VERIFY_API_H

#include "nnprog_desc.h"
#include "nnprog_format.h"

/**
 * A verified program: pointers into the verified bytes, which must stay and must not change.
 */
struct nnprog {
	const struct nnprog_header *header;
	const struct nnprog_subgraph *subgraphs;
	const struct nnprog_tensor *tensors;
	const struct nnprog_operation *operations;
	const uint32_t *index;
	const uint8_t *attrs;
	const float *scales;
	const char *strings;
	const uint8_t *data;
	uint32_t num_subgraphs;
	struct nnprog_pace *pace; /* while it is verified, else NULL */
	bool summed; /* the same: somebody else has looked whether a byte was changed */
};

/**
 * Verify @size bytes at @bytes (64-byte aligned, private to the caller: nobody else may write them)
 * and set up @prog. Checks every index, type, attribute, offset, quantization, execution order (no
 * read before write, one write each), arena overlap of tensors that live together, and that static
 * shapes are what infer() gives. Linear in the program but for sorting. 0, -EINVAL or -ENOMEM with
 * @err.
 */
int nnprog_verify(const void *bytes, size_t size, struct nnprog *prog, struct nnprog_error *err);

/** The same of bytes under a digest that was looked at: their own checksum is not. */
int nnprog_verify_summed(const void *bytes, size_t size, struct nnprog *prog,
			 struct nnprog_error *err);

/**
 * The same with @tick(@cookie) called at least every millisecond. What it returns, if not 0, ends
 * the verification and is its result; @err then says nothing.
 */
int nnprog_verify_paced(const void *bytes, size_t size, struct nnprog *prog,
			int (*tick)(void *cookie), void *cookie, struct nnprog_error *err);

/**
 * The rest of the verification for operation @n of a subgraph, an extension's, by the descriptor
 * that whoever has the extension keeps: nnprog_verify() knows none. 0, -EINVAL or -ENOMEM with
 * @err.
 */
int nnprog_verify_extension(const struct nnprog *prog, uint32_t subgraph, uint32_t n,
			    const struct nnprog_op_desc *desc, struct nnprog_error *err);

/** Fill an operand from a tensor of a verified program; data only for constants. */
void nnprog_tensor_operand(const struct nnprog *prog, const struct nnprog_tensor *t,
			   struct nnprog_operand *op);

/** Write @prog as text, a line an operation (nnctl, debugging). 0 or -errno. */
int nnprog_dump(const struct nnprog *prog, char **text);

#endif
