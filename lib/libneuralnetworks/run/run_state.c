// SPDX-License-Identifier: Apache-2.0
/* One run of a plan: its results, and the state of memories. */
#include <string.h>

#include "run/nnr_run.h"

void nnr_run_device_failed(struct nnr_run *run, const ANeuralNetworksDevice *device, int result,
			   const char *instead)
{
	nnutil_log(NNUTIL_LOG_WARNING, "device %s %s (result %d): %s on nnapi-reference",
		   device->name, nnr_run_failure(result), result, instead);
	run->failed_device = device;
	run->failed_result = result;
}

void nnr_run_shape(struct nnr_run *run, uint32_t index, const struct nnhal_output_shape *shape)
{
	struct nnhal_output_shape *to = &run->shapes[index];

	to->rank = shape->rank;
	to->sufficient = shape->sufficient;
	if (shape->rank)
		memcpy(to->dims, shape->dims, shape->rank * sizeof(*to->dims));
}

void nnr_run_reset(struct nnr_run *run)
{
	const uint32_t num = run->plan->data->model->main.num_outputs;
	uint32_t i;

	run->shapes_known = false;
	run->timing = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	for (i = 0; i < num; i++) {
		const struct nnr_argument *arg = &run->outputs[i];
		const struct nnhal_output_shape declared = {
			.rank = arg->kind == NNR_ARG_NO_VALUE ? 0 : arg->rank,
			.dims = arg->dims,
			.sufficient = true,
		};

		nnr_run_shape(run, i, &declared);
	}
}

int nnr_run_check_inputs(const struct nnr_run *run)
{
	const uint32_t num = run->plan->data->model->main.num_inputs;
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i;

	for (i = 0; i < num && result == ANEURALNETWORKS_NO_ERROR; i++)
		if (run->inputs[i].kind == NNR_ARG_MEMORY)
			result = nnr_memory_check_input(run->inputs[i].memory, run->inputs[i].rank,
							run->inputs[i].dims);
	return result;
}

void nnr_run_written(const struct nnr_run *run, int result)
{
	const uint32_t num = run->plan->data->model->main.num_outputs;
	uint32_t i;

	for (i = 0; i < num; i++)
		if (run->outputs[i].kind == NNR_ARG_MEMORY)
			nnr_memory_written(run->outputs[i].memory,
					   result == ANEURALNETWORKS_NO_ERROR, run->shapes[i].rank,
					   run->shapes[i].dims);
}
