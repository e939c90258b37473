/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of one tensor. Private to libnnprog. */
#ifndef NNPROG_TENSOR_H
#define NNPROG_TENSOR_H

#include "nnprog_desc.h"

/** Type and quantization of one tensor. Text of what is wrong, or NULL. */
const char *nnprog_check_quantization(const struct nnprog_operand *op);
/** Whether all of @count per-channel scales are positive numbers. */
bool nnprog_check_scales(const float *scales, uint32_t count);

#endif
