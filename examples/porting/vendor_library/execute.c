// SPDX-License-Identifier: Apache-2.0
/* An execution: the jobs of a program, one after the other. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conv8.h"

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- the result ---- */

/* A client's result may be of an older library, and shorter. */
static void result_put(struct nnhal_execution_result *result,
		       const struct nnhal_execution_result *known)
{
	const uint32_t size = result->size;

	memcpy(result, known, size < sizeof(*known) ? size : sizeof(*known));
	result->size = size;
}

static bool shapes_make(const struct conv8_program *program, const bool *sufficient,
			struct nnhal_execution_result *result)
{
	result->shapes = calloc(program->num_outputs, sizeof(*result->shapes));
	if (!result->shapes)
		return false;
	for (uint32_t i = 0; i < program->num_outputs; i++) {
		const struct conv8_tensor *tensor = &program->tensors[program->outputs[i]];
		struct nnhal_output_shape *shape = &result->shapes[i];

		shape->dims = malloc(sizeof(tensor->dims));
		if (!shape->dims) {
			nnhal_execution_result_clear(result);
			return false;
		}
		memcpy(shape->dims, tensor->dims, sizeof(tensor->dims));
		shape->rank = tensor->rank;
		shape->sufficient = sufficient[i];
		result->num_shapes++;
	}
	return true;
}

/* ---- the jobs ---- */

/* Between two jobs; those of one execution are not the client's to see. */
static uint8_t *tensor_memory(const struct conv8_program *program, uint8_t **tensors,
			      uint8_t **scratch, uint32_t operand)
{
	if (tensors[operand])
		return tensors[operand];
	if (!scratch[operand])
		scratch[operand] = malloc(program->tensors[operand].bytes);
	return scratch[operand];
}

static bool jobs_run(const struct conv8_program *program, uint8_t **tensors)
{
	uint8_t **scratch = calloc(program->num_tensors + 1, sizeof(*scratch));
	bool done = scratch;

	for (uint32_t i = 0; done && i < program->num_convolutions; i++) {
		const struct conv8_convolution *conv = &program->convolutions[i];
		struct conv_unit_job job = conv->job;

		job.in = (const int8_t *)tensor_memory(program, tensors, scratch, conv->in);
		job.out = (int8_t *)tensor_memory(program, tensors, scratch, conv->out);
		done = job.in && job.out;
		if (done)
			conv_unit_run(&job, 0, (size_t)job.batch * job.out_height);
	}
	for (uint32_t i = 0; scratch && i < program->num_tensors; i++)
		free(scratch[i]);
	free(scratch);
	return done;
}

static enum nnhal_status request_run(const struct conv8_program *program,
				     const struct nnhal_request *request, bool *sufficient,
				     struct nnhal_execution_result *result)
{
	struct conv8_binding binding;
	const int64_t begin = clock_ns(CLOCK_MONOTONIC);
	enum nnhal_status status = conv8_bind(program, request, &binding, sufficient,
					      result->message, sizeof(result->message));
	int64_t bound;

	if (status != NNHAL_NONE)
		return status;
	bound = clock_ns(CLOCK_MONOTONIC);
	if (!jobs_run(program, binding.tensors))
		status = conv8_refuse(result->message, sizeof(result->message),
				      NNHAL_RESOURCE_EXHAUSTED_TRANSIENT,
				      "no memory for tensors between operations");
	result->timing.on_device_ns = clock_ns(CLOCK_MONOTONIC) - bound;
	conv8_unbind(&binding);
	result->timing.in_driver_ns = clock_ns(CLOCK_MONOTONIC) - begin;
	return status;
}

enum nnhal_status conv8_execute(const struct conv8_program *program,
				const struct nnhal_request *request,
				const struct nnhal_execution_config *config, int64_t deadline_ns,
				struct nnhal_execution_result *result)
{
	struct nnhal_execution_result known = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status = NNHAL_NONE;
	bool *sufficient = calloc(program->num_outputs + 1, sizeof(*sufficient));

	if (!sufficient)
		status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	else if (deadline_ns < NNHAL_NO_TIME)
		status = conv8_refuse(known.message, sizeof(known.message), NNHAL_INVALID_ARGUMENT,
				      "the deadline is negative");
	else if (deadline_ns != NNHAL_NO_TIME && deadline_ns <= clock_ns(CLOCK_BOOTTIME))
		status = NNHAL_MISSED_DEADLINE_PERSISTENT;
	if (status == NNHAL_NONE)
		status = request_run(program, request, sufficient, &known);
	if ((status == NNHAL_NONE || status == NNHAL_OUTPUT_INSUFFICIENT_SIZE) &&
	    !shapes_make(program, sufficient, &known))
		status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	if (status != NNHAL_NONE || !config->measure_timing)
		known.timing = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	free(sufficient);
	result_put(result, &known);
	return status;
}
