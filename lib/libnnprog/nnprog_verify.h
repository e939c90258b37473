/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a program: verification, and what it gives access to. */
#ifndef NNPROG_VERIFY_API_H
#define NNPROG_VERIFY_API_H

#include "nnprog_desc.h"
#include "nnprog_format.h"

/**
 * struct nnprog - a verified program
 * @header: the header
 * @subgraphs: the subgraphs; [0] is main
 * @tensors: the tensors of all subgraphs
 * @operations: the operations of all subgraphs
 * @index: lists of tensor numbers
 * @attrs: attributes
 * @scales: per-channel scales
 * @strings: names
 * @data: constants
 * @num_subgraphs: entries of @subgraphs
 * @pace: set while the program is verified, else NULL
 * @summed: set while the program is verified: the caller has verified the checksum
 *
 * Pointers into the verified bytes, which must stay and must not change.
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
	struct nnprog_pace *pace;
	bool summed;
};

/**
 * nnprog_verify() - verify a program
 * @bytes: the program, 64-byte aligned, private to the caller: nothing else may write it
 * @size: bytes of it
 * @prog: set up for the program
 * @err: filled on failure
 *
 * Checks every index, type, attribute, offset and quantization, the order of execution (no read
 * before the write, one write each), that tensors which live together do not overlap in the arena,
 * and that static shapes are those of infer(). Linear in the size of the program but for sorting.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int nnprog_verify(const void *bytes, size_t size, struct nnprog *prog, struct nnprog_error *err);

/**
 * nnprog_verify_summed() - verify a program whose digest the caller has verified
 * @bytes: the program
 * @size: bytes of it
 * @prog: set up for the program
 * @err: filled on failure
 *
 * As nnprog_verify(), but for the checksum.
 *
 * Return: as nnprog_verify().
 */
int nnprog_verify_summed(const void *bytes, size_t size, struct nnprog *prog,
			 struct nnprog_error *err);

/**
 * nnprog_verify_paced() - verify a program with regular callbacks
 * @bytes: the program
 * @size: bytes of it
 * @prog: set up for the program
 * @tick: called at least every millisecond; a value other than 0 ends the verification
 * @cookie: for @tick
 * @err: filled on failure, but not by @tick
 *
 * Return: as nnprog_verify(), or the value of @tick.
 */
int nnprog_verify_paced(const void *bytes, size_t size, struct nnprog *prog,
			int (*tick)(void *cookie), void *cookie, struct nnprog_error *err);

/**
 * nnprog_verify_extension() - verify an operation of an extension
 * @prog: a verified program
 * @subgraph: number of the subgraph
 * @n: number of the operation in the subgraph
 * @desc: the extension's descriptor of it
 * @err: filled on failure
 *
 * nnprog_verify() knows no extensions; this is the rest of the verification.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int nnprog_verify_extension(const struct nnprog *prog, uint32_t subgraph, uint32_t n,
			    const struct nnprog_op_desc *desc, struct nnprog_error *err);

/**
 * nnprog_tensor_operand() - the operand for a tensor of a program
 * @prog: a verified program
 * @t: the tensor
 * @op: filled; the contents of constants only
 */
void nnprog_tensor_operand(const struct nnprog *prog, const struct nnprog_tensor *t,
			   struct nnprog_operand *op);

/**
 * nnprog_dump() - a program as text, a line for each operation
 * @prog: a verified program
 * @text: the text; the caller frees it with free()
 *
 * Return: 0 or -errno.
 */
int nnprog_dump(const struct nnprog *prog, char **text);

#endif
