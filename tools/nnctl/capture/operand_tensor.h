/* SPDX-License-Identifier: Apache-2.0 */
/* NNAPI operands as tensors of a file, for values that no file describes. */
#ifndef NNCTL_OPERAND_TENSOR_H
#define NNCTL_OPERAND_TENSOR_H

#include <stdbool.h>

#include "nnimport.h"

/**
 * Describe @operand, without a name. False: its shape is not known, or a file has no such type.
 */
bool operand_tensor(const struct nnmodel_operand *operand, struct nnimport_tensor *tensor);

#endif
