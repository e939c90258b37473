// SPDX-License-Identifier: Apache-2.0
#include "runtime/nnctl_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"

static int check_call(char *message, size_t size, const char *call, uint32_t number, int result)
{
	if (result != ANEURALNETWORKS_NO_ERROR)
		snprintf(message, size, "%s(%u): %s", call, number, nnutil_result_name(result));
	return result;
}

static int set_arguments(ANeuralNetworksExecution *e, const struct runtime_arguments *a,
			 char *message, size_t size)
{
	int result = ANEURALNETWORKS_NO_ERROR;

	for (uint32_t i = 0; i < a->num_inputs && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = check_call(message, size, "setInput", i,
				    ANeuralNetworksExecution_setInput(e, (int32_t)i, NULL,
								      a->inputs[i].data,
								      a->inputs[i].size));
	for (uint32_t i = 0; i < a->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = check_call(message, size, "setOutput", i,
				    ANeuralNetworksExecution_setOutput(e, (int32_t)i, NULL,
								       a->outputs[i].data,
								       a->outputs[i].size));
	return result;
}

static int get_shape(ANeuralNetworksExecution *e, uint32_t output, struct nnhal_output_shape *shape)
{
	int result =
		ANeuralNetworksExecution_getOutputOperandRank(e, (int32_t)output, &shape->rank);

	shape->sufficient = result == ANEURALNETWORKS_NO_ERROR;
	if (!shape->sufficient && result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
		return result;
	if (!shape->rank)
		return ANEURALNETWORKS_NO_ERROR;
	shape->dims = calloc(shape->rank, sizeof(*shape->dims));
	if (!shape->dims)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	result = ANeuralNetworksExecution_getOutputOperandDimensions(e, (int32_t)output,
								     shape->dims);
	return result == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE ? ANEURALNETWORKS_NO_ERROR
								  : result;
}

static int get_shapes(ANeuralNetworksExecution *e, uint32_t num_outputs,
		      struct nnhal_execution_result *out)
{
	int result;

	out->shapes = calloc((size_t)num_outputs + 1, sizeof(*out->shapes));
	if (!out->shapes)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (; out->num_shapes < num_outputs; out->num_shapes++) {
		result = check_call(out->message, sizeof(out->message),
				    "getOutputOperandDimensions", out->num_shapes,
				    get_shape(e, out->num_shapes, &out->shapes[out->num_shapes]));
		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
	}
	return ANEURALNETWORKS_NO_ERROR;
}

static int64_t duration(ANeuralNetworksExecution *e, int32_t code)
{
	uint64_t ns;

	if (ANeuralNetworksExecution_getDuration(e, code, &ns) != ANEURALNETWORKS_NO_ERROR ||
	    ns > INT64_MAX)
		return NNHAL_NO_TIME;
	return (int64_t)ns;
}

static int compute(ANeuralNetworksExecution *e, const struct runtime_arguments *a,
		   uint64_t loop_timeout_ns, bool measure, struct nnhal_execution_result *out)
{
	int result = set_arguments(e, a, out->message, sizeof(out->message)), shaped;

	if (result == ANEURALNETWORKS_NO_ERROR && loop_timeout_ns)
		result = check_call(out->message, sizeof(out->message), "setLoopTimeout", 0,
				    ANeuralNetworksExecution_setLoopTimeout(e, loop_timeout_ns));
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	/* refused unless the compilation is for one device; then there is no time */
	if (measure)
		ANeuralNetworksExecution_setMeasureTiming(e, true);
	result = check_call(out->message, sizeof(out->message), "compute", 0,
			    ANeuralNetworksExecution_compute(e));
	if (result != ANEURALNETWORKS_NO_ERROR &&
	    result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
		return result;
	shaped = get_shapes(e, a->num_outputs, out);
	if (shaped != ANEURALNETWORKS_NO_ERROR)
		return shaped;
	if (measure && result == ANEURALNETWORKS_NO_ERROR) {
		out->timing.on_device_ns = duration(e, ANEURALNETWORKS_DURATION_ON_HARDWARE);
		out->timing.in_driver_ns = duration(e, ANEURALNETWORKS_DURATION_IN_DRIVER);
	}
	return result;
}

int runtime_compute(ANeuralNetworksCompilation *compilation,
		    const struct runtime_arguments *arguments, uint64_t loop_timeout_ns,
		    bool measure, struct nnhal_execution_result *out)
{
	ANeuralNetworksExecution *e;
	int result;

	*out = (struct nnhal_execution_result)NNHAL_EXECUTION_RESULT_INIT;
	result = check_call(out->message, sizeof(out->message), "Execution_create", 0,
			    ANeuralNetworksExecution_create(compilation, &e));
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	result = compute(e, arguments, loop_timeout_ns, measure, out);
	ANeuralNetworksExecution_free(e);
	return result;
}

enum nnhal_status runtime_status(int result)
{
	switch (result) {
	case ANEURALNETWORKS_NO_ERROR:
		return NNHAL_NONE;
	case ANEURALNETWORKS_UNAVAILABLE_DEVICE:
		return NNHAL_DEVICE_UNAVAILABLE;
	case ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE:
		return NNHAL_OUTPUT_INSUFFICIENT_SIZE;
	case ANEURALNETWORKS_BAD_DATA:
		return NNHAL_INVALID_ARGUMENT;
	case ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT:
		return NNHAL_MISSED_DEADLINE_TRANSIENT;
	case ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT:
		return NNHAL_MISSED_DEADLINE_PERSISTENT;
	default:
		return NNHAL_GENERAL_FAILURE;
	}
}
