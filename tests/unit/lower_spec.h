/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering and running models of model_spec.h in tests. */
#ifndef LOWER_SPEC_H
#define LOWER_SPEC_H

#include "nnprog_format.h"
#include "nnhal_lower.h"
#include "model_spec.h"

/** Bytes of an operation set with every device operation. malloc'ed. */
uint8_t *spec_opset_bytes(size_t *size);
/** The same, parsed. */
struct nnhal_opset spec_opset(void);

/** Append an operation on operands that exist; the lists end with -1. */
void spec_op(struct nnmodel *model, uint32_t opcode, const int *in, const int *out);
#define IN(...) ((const int[]){ __VA_ARGS__, -1 })

/**
 * Validate, query support (both must agree), lower with the full operation set, verify. 0 or the
 * error of lowering.
 */
int spec_lower(const struct nnmodel *model, struct nnhal_lowered *out, struct nnmodel_error *err);
/** Names of main's device operations, separated by spaces. */
const char *spec_program_ops(const struct nnhal_lowered *program);
/** Tensor of main's input or output @i. */
const struct nnprog_tensor *spec_program_io(const struct nnhal_lowered *program, bool output,
					    uint32_t i);

#endif
