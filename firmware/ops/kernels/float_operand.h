/* SPDX-License-Identifier: Apache-2.0 */
/* Operands that are float32 or float16, as float32. */
#ifndef NNFW_FLOAT_OPERAND_H
#define NNFW_FLOAT_OPERAND_H

#include "kernels/kernel.h"

/** *@out = @t as float32: its own memory, or converted into @mem. 0 or -ECANCELED. */
int nnfw_float_view(struct nnfw_work *work, const struct nnfw_tensor *t, float *mem,
		    const float **out);

/** load() of a constant float16 operand: as float32. 0, -ENOMEM or -ECANCELED. */
int nnfw_load_half(const struct nnfw_op_ctx *ctx, const struct nnfw_tensor *t, void **state,
		   size_t *size);

#endif
