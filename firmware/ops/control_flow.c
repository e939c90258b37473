// SPDX-License-Identifier: Apache-2.0
/* IF and WHILE: the interpreter itself runs them (firmware/core/interp_control_flow.c); here is
 * what the operation set says of them. */
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"

/* what subgraphs pass on may be an extension's */
#define ALL_TYPES ((1u << NNPROG_DTYPE_END) - 1)

const struct nnfw_op nnfw_op_if = { .opcode = NNPROG_OP_IF, .types = NNFW_TYPE(BOOL8) };

const struct nnfw_op nnfw_op_while = { .opcode = NNPROG_OP_WHILE, .types = ALL_TYPES };
