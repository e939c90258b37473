// SPDX-License-Identifier: Apache-2.0
#include "delegate_common.h"

#include <errno.h>

#include "nnutil_log.h"

const struct nnmodel_operand *delegate_argument(const struct nnmodel *model, uint32_t i)
{
	const struct nnmodel_subgraph *g = &model->main;

	return &g->operands[i < g->num_inputs ? g->inputs[i] : g->outputs[i - g->num_inputs]];
}

size_t delegate_argument_size(const struct nnmodel *model, uint32_t i)
{
	const struct nnmodel_operand *o = delegate_argument(model, i);
	size_t size = nnmodel_type_size(o->type);

	for (uint32_t k = 0; k < o->rank; k++)
		size *= o->dims[k];
	return size;
}

static int set_arguments(ANeuralNetworksExecution *execution, const struct nnmodel *model,
			 void *const *data)
{
	const uint32_t inputs = model->main.num_inputs;
	int result = ANEURALNETWORKS_NO_ERROR;

	for (uint32_t i = 0; i < delegate_num_arguments(model) && !result; i++) {
		size_t size = delegate_argument_size(model, i);

		result = i < inputs ? ANeuralNetworksExecution_setInput(execution, (int32_t)i, NULL,
									data[i], size)
				    : ANeuralNetworksExecution_setOutput(execution,
									 (int32_t)(i - inputs),
									 NULL, data[i], size);
	}
	return result;
}

int delegate_run(ANeuralNetworksCompilation *compilation, const struct nnmodel *model,
		 void *const *data, struct delegate_reason *reason)
{
	ANeuralNetworksExecution *execution;
	int result = ANeuralNetworksExecution_create(compilation, &execution);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return DELEGATE_REFUSE(reason, -EIO, "the runtime has no execution: %s",
				       nnutil_result_name(result));
	result = set_arguments(execution, model, data);
	if (result != ANEURALNETWORKS_NO_ERROR) {
		ANeuralNetworksExecution_free(execution);
		return DELEGATE_REFUSE(reason, -EINVAL, "the runtime refuses an argument: %s",
				       nnutil_result_name(result));
	}
	result = ANeuralNetworksExecution_compute(execution);
	ANeuralNetworksExecution_free(execution);
	return result == ANEURALNETWORKS_NO_ERROR
		       ? 0
		       : DELEGATE_REFUSE(reason, -EIO,
					 "the execution failed: %s (NNAPI_LOG=info has the reason)",
					 nnutil_result_name(result));
}
