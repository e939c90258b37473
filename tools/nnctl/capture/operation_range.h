/* SPDX-License-Identifier: Apache-2.0 */
/* Successive operations of a model, as a model of their own. */
#ifndef NNCTL_OPERATION_RANGE_H
#define NNCTL_OPERATION_RANGE_H

#include "nnmodel.h"

struct operation_range {
	struct nnmodel *model; /* with the constants of the operations */
	/* Operands of the whole model that are the inputs and outputs of this one, in its order. */
	uint32_t *inputs, *outputs;
	uint32_t num_inputs, num_outputs;
};

/**
 * Take @count operations of the main subgraph, from number @first on. Inputs: values that they read
 * and do not compute. Outputs: values that other operations or outputs of the model need, and those
 * of the last operation. 0, or -1 with the reason in @why: IF and WHILE are not taken.
 * operation_range_free() whatever the outcome.
 */
int operation_range_take(const struct nnmodel *from, uint32_t first, uint32_t count,
			 struct operation_range *range, char *why, size_t why_size);
void operation_range_free(struct operation_range *range);

#endif
