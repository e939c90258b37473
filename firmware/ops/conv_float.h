/* SPDX-License-Identifier: Apache-2.0 */
/* CONV_2D of floats. */
#ifndef NNFW_CONV_FLOAT_H
#define NNFW_CONV_FLOAT_H

#include "kernels/conv_geometry.h"
#include "kernels/kernel.h"

/** load(), scratch() and run() of nnfw_op.h; filter and output are not empty. */
int nnfw_conv_float_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size);
size_t nnfw_conv_float_scratch(const struct nnfw_op_ctx *ctx);
int nnfw_conv_float_run(struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g);

#endif
