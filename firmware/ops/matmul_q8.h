/* SPDX-License-Identifier: Apache-2.0 */
/* BATCH_MATMUL of int8. */
#ifndef NNFW_MATMUL_Q8_H
#define NNFW_MATMUL_Q8_H

#include "matmul_float.h"

/** scratch() and run() of nnfw_op.h; neither input is empty. */
size_t nnfw_matmul_q8_scratch(const struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s);
int nnfw_matmul_q8_run(struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s);

#endif
