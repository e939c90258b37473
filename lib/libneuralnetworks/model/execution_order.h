/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which operations can be executed. */
#ifndef NNR_EXECUTION_ORDER_H
#define NNR_EXECUTION_ORDER_H

#include "nnmodel.h"

/**
 * Sort main's operations, stable where possible. @added_to_run (one per operation) becomes the new
 * number of each. 0; -EINVAL: a cycle, or an operand that is read but never written; -ENOMEM.
 */
int nnr_sort(struct nnmodel *model, uint32_t *added_to_run);

#endif
