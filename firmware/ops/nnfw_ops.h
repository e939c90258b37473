/* SPDX-License-Identifier: Apache-2.0 */
/* The operations and extensions that this firmware has. */
#ifndef NNFW_OPS_H
#define NNFW_OPS_H

#include "nnfw_op.h"
#include "nnprog_opcode.h"

/** By opcode, NULL where the firmware lacks the operation; made by ops/generate.py. */
extern const struct nnfw_op *const nnfw_op_table[NNPROG_OP_COUNT];

/** Ends with NULL. */
extern const struct nnfw_extension *const nnfw_extensions[];
/** NULL: no such extension, or no such operation in it. */
const struct nnfw_extension_op *nnfw_extension_find(const char *name, uint32_t operation);

extern const struct nnfw_extension nnfw_extension_fibonacci;

#endif
