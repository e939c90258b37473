// SPDX-License-Identifier: Apache-2.0
/* IF and WHILE: entries of the operation set. The interpreter runs them:
 * firmware/core/interp_control_flow.c. */
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"

/* tensors between subgraphs may have an extension's type */
#define ALL_TYPES ((1u << NNPROG_DTYPE_END) - 1)

const struct nnfw_op nnfw_op_if = { .opcode = NNPROG_OP_IF, .types = NNFW_TYPE(BOOL8) };

const struct nnfw_op nnfw_op_while = { .opcode = NNPROG_OP_WHILE, .types = ALL_TYPES };
