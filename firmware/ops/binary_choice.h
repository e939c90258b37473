/* SPDX-License-Identifier: Apache-2.0 */
/* A part of BINARY. */
#ifndef NNFW_BINARY_CHOICE_H
#define NNFW_BINARY_CHOICE_H

#include "nnfw_op.h"

/** MAXIMUM, MINIMUM, POW, PRELU, AND, OR. 0, -EINVAL or -ECANCELED. */
int nnfw_binary_choice(struct nnfw_op_ctx *ctx);

#endif
