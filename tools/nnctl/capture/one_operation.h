/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of a model, as a model of its own. */
#ifndef NNCTL_ONE_OPERATION_H
#define NNCTL_ONE_OPERATION_H

#include "nnmodel.h"

struct one_operation {
	struct nnmodel *model; /* with the constants of the operation */
	/* Operands of the whole model that are the inputs and outputs of this one, in its order. */
	uint32_t *inputs, *outputs;
	uint32_t num_inputs, num_outputs;
};

/**
 * Take operation @number of the main subgraph. Its inputs that are not constants are those of the
 * model. 0, or -1 after a complaint: IF and WHILE are not alone. one_operation_free() whatever the
 * outcome.
 */
int one_operation_take(const struct nnmodel *from, uint32_t number, struct one_operation *one);
void one_operation_free(struct one_operation *one);

#endif
