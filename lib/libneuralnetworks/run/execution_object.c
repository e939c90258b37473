// SPDX-License-Identifier: Apache-2.0
/*
 * Executions as objects: their life, and what is set before the first computation (client_api.md
 * section 7).
 */
#include <stdlib.h>
#include <string.h>

#include "run/execution.h"

static void free_execution(ANeuralNetworksExecution *e)
{
	uint32_t i;

	for (i = 0; e->inputs && i < e->num_inputs; i++)
		nnr_memory_put(e->inputs[i].memory);
	for (i = 0; e->outputs && i < e->num_outputs; i++)
		nnr_memory_put(e->outputs[i].memory);
	nnr_attributes_free(e->attributes, e->num_attributes);
	nnr_plan_put(e->plan);
	pthread_mutex_destroy(&e->lock);
	free(e->dims);
	free(e->shapes);
	free(e->inputs);
	free(e->outputs);
	free(e);
}

void nnr_execution_put(ANeuralNetworksExecution *e)
{
	if (atomic_fetch_sub_explicit(&e->refs, 1, memory_order_acq_rel) == 1)
		free_execution(e);
}

static bool alloc_arguments(ANeuralNetworksExecution *e)
{
	uint32_t *room, i;

	e->inputs = calloc((size_t)e->num_inputs + 1, sizeof(*e->inputs));
	e->outputs = calloc((size_t)e->num_outputs + 1, sizeof(*e->outputs));
	e->shapes = calloc((size_t)e->num_outputs + 1, sizeof(*e->shapes));
	/* inputs, outputs and their shapes */
	e->dims = calloc((size_t)e->num_inputs + 2 * (size_t)e->num_outputs + 1,
			 NNR_MAX_RANK * sizeof(uint32_t));
	if (!e->inputs || !e->outputs || !e->shapes || !e->dims)
		return false;
	room = e->dims;
	for (i = 0; i < e->num_inputs; i++, room += NNR_MAX_RANK)
		e->inputs[i].dims = room;
	for (i = 0; i < e->num_outputs; i++, room += NNR_MAX_RANK)
		e->outputs[i].dims = room;
	for (i = 0; i < e->num_outputs; i++, room += NNR_MAX_RANK)
		e->shapes[i].dims = room;
	return true;
}

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
				    ANeuralNetworksExecution **execution)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_create");
	ANeuralNetworksExecution *e;
	int result;

	if (execution)
		*execution = NULL;
	if (!compilation || !execution)
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	if (!compilation->finished || !compilation->plan)
		return nnr_refuse(BAD_STATE, "the compilation is not finished, or failed");
	result = nnr_compilation_renew(compilation);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	e = calloc(1, sizeof(*e));
	if (!e)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	atomic_init(&e->refs, 1);
	pthread_mutex_init(&e->lock, NULL);
	e->compilation = compilation;
	e->plan = nnr_plan_get(compilation->plan);
	e->explicit_one = nnr_explicit_one(compilation);
	e->num_inputs = e->plan->data->model->main.num_inputs;
	e->num_outputs = e->plan->data->model->main.num_outputs;
	e->loop_timeout_ns = NNHAL_LOOP_TIMEOUT_DEFAULT_NS;
	e->launched = e->fenced = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	if (!alloc_arguments(e)) {
		free_execution(e);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	*execution = e;
	return ANEURALNETWORKS_NO_ERROR;
}

void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_free");

	if (!execution || nnr_inherited(execution->plan))
		return;
	pthread_mutex_lock(&execution->lock);
	if (execution->state == NNR_COMPUTATION)
		nnutil_log(NNUTIL_LOG_ERROR,
			"%s: a computation is in flight: the execution goes when it has ended",
			__func__);
	pthread_mutex_unlock(&execution->lock);
	nnr_execution_put(execution);
}

/* ---- settings ---- */

int nnr_execution_check_alive(const char *function, const ANeuralNetworksExecution *e)
{
	return !nnr_inherited(e->plan)
		       ? ANEURALNETWORKS_NO_ERROR
		       : nnr_refuse_as(function, DEAD_OBJECT,
				       "the execution was made before fork(), in another process");
}

int nnr_execution_check_open(const char *function, ANeuralNetworksExecution *e)
{
	int result = nnr_execution_check_alive(function, e);
	bool open;

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	pthread_mutex_lock(&e->lock);
	open = e->state == NNR_PREPARATION;
	pthread_mutex_unlock(&e->lock);
	return open ? ANEURALNETWORKS_NO_ERROR
		    : nnr_refuse_as(function, BAD_STATE, "a computation was started already");
}

static int check_explicit_one(const char *function, const ANeuralNetworksExecution *e)
{
	return e->explicit_one
		       ? ANEURALNETWORKS_NO_ERROR
		       : nnr_refuse_as(function, BAD_DATA,
				       "only of a compilation for exactly one chosen device");
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution, bool reusable)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_setReusable");
	int result;

	if (!execution)
		return nnr_refuse(UNEXPECTED_NULL, "no execution");
	result = nnr_execution_check_open(__func__, execution);
	if (result == ANEURALNETWORKS_NO_ERROR)
		execution->reusable = reusable;
	return result;
}

int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution,
							 bool enable)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_enableInputAndOutputPadding");
	int result;

	if (!execution)
		return nnr_refuse(UNEXPECTED_NULL, "no execution");
	result = nnr_execution_check_open(__func__, execution);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (execution->arguments_set)
		return nnr_refuse(BAD_STATE, "an input or output was set already");
	execution->padding_enabled = enable;
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution, bool measure)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_setMeasureTiming");
	int result;

	if (!execution)
		return nnr_refuse(UNEXPECTED_NULL, "no execution");
	result = check_explicit_one(__func__, execution);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_execution_check_open(__func__, execution);
	if (result == ANEURALNETWORKS_NO_ERROR)
		execution->measure = measure;
	return result;
}

int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_setTimeout");
	int result;

	if (!execution)
		return nnr_refuse(UNEXPECTED_NULL, "no execution");
	result = check_explicit_one(__func__, execution);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_execution_check_open(__func__, execution);
	if (result == ANEURALNETWORKS_NO_ERROR)
		execution->timeout_ns = duration;
	return result;
}

int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_setLoopTimeout");
	int result;

	if (!execution)
		return nnr_refuse(UNEXPECTED_NULL, "no execution");
	result = nnr_execution_check_open(__func__, execution);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (duration > NNHAL_LOOP_TIMEOUT_MAXIMUM_NS) {
		nnutil_log(NNUTIL_LOG_WARNING, "%s: %llu ns is more than the maximum", __func__,
			(unsigned long long)duration);
		duration = NNHAL_LOOP_TIMEOUT_MAXIMUM_NS;
	}
	execution->loop_timeout_ns = duration;
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution *execution,
						   const char *extensionName,
						   uint16_t attributeCodeWithinExtension,
						   const void *data, size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_addExtensionAttribute");
	int result;

	if (!execution || !extensionName || (!data && length))
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	result = check_explicit_one(__func__, execution);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_execution_check_open(__func__, execution);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	return nnr_attribute_add(&execution->attributes, &execution->num_attributes, extensionName,
				 attributeCodeWithinExtension, data, length);
}
