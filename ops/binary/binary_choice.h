/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of BINARY. */
#ifndef NNFW_BINARY_CHOICE_H
#define NNFW_BINARY_CHOICE_H

#include "nnfw_op.h"
#include "q8_binary/q8_binary.h"

/** What does not depend on the data. 0 or -ENOMEM; free() releases *@state. */
int nnfw_binary_choice_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size);

/** MAXIMUM, MINIMUM, POW, PRELU, AND, OR. 0, -EINVAL or -ECANCELED. */
int nnfw_binary_choice(struct nnfw_op_ctx *ctx);

/** Zero points and bounds of 8-bit codes. */
void nnfw_q8_binary_codes(struct nnfw_q8_binary *p, const struct nnfw_op_ctx *ctx,
			  uint32_t activation);
/** Whether any kernel may do it, not the scalar one only. */
bool nnfw_q8_binary_fits(const struct nnfw_q8_binary *p);

#endif
