// SPDX-License-Identifier: Apache-2.0
/* What a computation left behind: shapes of outputs (client_api.md 7.4) and times (7.5). */
#include <string.h>

#include "run/execution.h"

/*
 * The shape of an output, once there is one. Result code, with the output's own
 * OUTPUT_INSUFFICIENT_SIZE.
 */
static int find_shape(const char *function, ANeuralNetworksExecution *e, int32_t index,
		      const struct nnhal_output_shape **shape)
{
	bool known;
	int result;

	*shape = NULL;
	result = nnr_execution_check_alive(function, e);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	pthread_mutex_lock(&e->lock);
	known = e->state == NNR_COMPLETED && (e->completion == NNR_COMPLETION_NO_ERROR ||
					      e->completion == NNR_COMPLETION_INSUFFICIENT);
	pthread_mutex_unlock(&e->lock);
	if (!known)
		return nnr_refuse_as(function, BAD_STATE,
				     "nothing was computed, or not with success");
	if (index < 0 || (uint32_t)index >= e->num_outputs)
		return nnr_refuse_as(function, BAD_DATA, "there is no such output");
	*shape = &e->shapes[index];
	return (*shape)->sufficient ? ANEURALNETWORKS_NO_ERROR
				    : ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
}

int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution,
						  int32_t index, uint32_t *rank)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_getOutputOperandRank");
	const struct nnhal_output_shape *shape;
	int result;

	if (!execution || !rank)
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	result = find_shape(__func__, execution, index, &shape);
	if (shape)
		*rank = shape->rank;
	return result;
}

int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution,
							int32_t index, uint32_t *dimensions)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_getOutputOperandDimensions");
	const struct nnhal_output_shape *shape;
	int result;

	if (!execution || !dimensions)
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	result = find_shape(__func__, execution, index, &shape);
	if (!shape)
		return result;
	if (!shape->rank)
		return nnr_refuse(BAD_DATA, "the output has no dimensions");
	memcpy(dimensions, shape->dims, shape->rank * sizeof(*dimensions));
	return result;
}

static int64_t duration_of(const ANeuralNetworksExecution *e, int32_t code)
{
	switch (code) {
	case ANEURALNETWORKS_DURATION_ON_HARDWARE:
		return e->launched.on_device_ns;
	case ANEURALNETWORKS_DURATION_IN_DRIVER:
		return e->launched.in_driver_ns;
	case ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE:
		return e->fenced.on_device_ns;
	default:
		return e->fenced.in_driver_ns;
	}
}

int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution,
					 int32_t durationCode, uint64_t *duration)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_getDuration");
	/* const as the API has it: the lock is no part of what the application sees */
	ANeuralNetworksExecution *e = (ANeuralNetworksExecution *)execution;
	bool known;
	int result;

	if (!execution || !duration)
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	if (durationCode < ANEURALNETWORKS_DURATION_ON_HARDWARE ||
	    durationCode > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER)
		return nnr_refuse(BAD_DATA, "there is no such duration");
	*duration = UINT64_MAX;
	result = nnr_execution_check_alive(__func__, e);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	pthread_mutex_lock(&e->lock);
	known = e->state == NNR_COMPLETED && e->completion == NNR_COMPLETION_NO_ERROR && e->measure;
	if (known && duration_of(e, durationCode) >= 0)
		*duration = (uint64_t)duration_of(e, durationCode);
	pthread_mutex_unlock(&e->lock);
	return known ? ANEURALNETWORKS_NO_ERROR : nnr_refuse(BAD_STATE, "nothing was measured");
}
