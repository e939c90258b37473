/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and sizes of tensors. */
#ifndef NNFW_TENSOR_SHAPE_H
#define NNFW_TENSOR_SHAPE_H

#include "nnprog_shape.h"
#include "nnfw_op.h"

bool nnfw_tensor_complete(const struct nnfw_tensor *t);
void nnfw_tensor_shape(const struct nnfw_tensor *t, struct nnprog_shape *shape);
void nnfw_tensor_set_shape(struct nnfw_tensor *t, const struct nnprog_shape *shape);
/** Set elements and size of a tensor from its shape. 0 or -EOVERFLOW. */
int nnfw_tensor_sizes(struct nnfw_tensor *t);
/**
 * Give @t the complete @shape, which must be one that @t allows. False: it is not, or is too large.
 */
bool nnfw_tensor_take_shape(struct nnfw_tensor *t, const struct nnprog_shape *shape);

#endif
