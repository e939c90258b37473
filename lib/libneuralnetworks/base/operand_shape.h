/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of operands that are given later than their model. */
#ifndef NNR_OPERAND_SHAPE_H
#define NNR_OPERAND_SHAPE_H

#include "nnmodel.h"

/** Give an operand the shape @dims: @rank > 0 values of uint32_t, perhaps not aligned. 0, -ENOMEM.
 */
int nnr_operand_set_dims(struct nnmodel_operand *operand, uint32_t rank, const void *dims);

#endif
