// SPDX-License-Identifier: Apache-2.0
/*
 * ANeuralNetworksExecution, ANeuralNetworksBurst: executions of one compilation in quick
 * succession; and ANeuralNetworksEvent.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnr_base.h"
#include "plan/nnr_plan.h"
#include "run/nnr_run.h"

/* One thread at a time is in burstCompute(). A thread that finds @busy set gets BAD_STATE. */
struct ANeuralNetworksBurst {
	struct nnr_plan *plan;
	atomic_flag busy;
	struct nnr_workspace_set *set; /* whose workspaces have the devices' burst objects */
};

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
				    ANeuralNetworksExecution **execution)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_create");
	int result;

	if (execution)
		*execution = NULL;
	if (!compilation || !execution)
		return nnr_refuse(UNEXPECTED_NULL, "compilation or execution is NULL");
	if (!compilation->finished || !compilation->plan)
		return nnr_refuse(BAD_STATE, "the compilation %s",
				  compilation->finished ? "failed" : "is not finished");
	result = nnr_compilation_renew(compilation);
	return result == ANEURALNETWORKS_NO_ERROR ? nnr_execution_new(compilation, execution)
						  : result;
}

void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_free");

	if (!execution || nnr_inherited(execution->plan))
		return;
	pthread_mutex_lock(&execution->lock);
	if (execution->state == NNR_COMPUTATION)
		nnutil_log(NNUTIL_LOG_ERROR,
			   "a computation is in flight: the execution is freed when it has ended");
	pthread_mutex_unlock(&execution->lock);
	nnr_execution_put(execution);
}

/* ---- settings ---- */

static int check_explicit_one(const ANeuralNetworksExecution *e)
{
	return e->explicit_one ? ANEURALNETWORKS_NO_ERROR
			       : nnr_refuse(BAD_DATA,
					    "the compilation is not for exactly one chosen device");
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution, bool reusable)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_setReusable");
	int result;

	if (!execution)
		return nnr_refuse(UNEXPECTED_NULL, "execution is NULL");
	result = nnr_execution_check_open(execution);
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
		return nnr_refuse(UNEXPECTED_NULL, "execution is NULL");
	result = nnr_execution_check_open(execution);
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
		return nnr_refuse(UNEXPECTED_NULL, "execution is NULL");
	result = check_explicit_one(execution);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_execution_check_open(execution);
	if (result == ANEURALNETWORKS_NO_ERROR)
		execution->measure = measure;
	return result;
}

int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_setTimeout");
	int result;

	if (!execution)
		return nnr_refuse(UNEXPECTED_NULL, "execution is NULL");
	result = check_explicit_one(execution);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_execution_check_open(execution);
	if (result == ANEURALNETWORKS_NO_ERROR)
		execution->timeout_ns = duration;
	return result;
}

int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_setLoopTimeout");
	int result;

	if (!execution)
		return nnr_refuse(UNEXPECTED_NULL, "execution is NULL");
	result = nnr_execution_check_open(execution);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (duration > NNHAL_LOOP_TIMEOUT_MAXIMUM_NS) {
		nnutil_log(NNUTIL_LOG_WARNING, "%llu ns is above the maximum: %llu ns is used",
			   (unsigned long long)duration,
			   (unsigned long long)NNHAL_LOOP_TIMEOUT_MAXIMUM_NS);
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
	result = check_explicit_one(execution);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_execution_check_open(execution);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	return nnr_attribute_add(&execution->attributes, &execution->num_attributes, extensionName,
				 attributeCodeWithinExtension, data, length);
}

/* ---- inputs and outputs ---- */

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution, int32_t index,
				      const ANeuralNetworksOperandType *type, const void *buffer,
				      size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_INPUTS_AND_OUTPUTS, "ANeuralNetworksExecution_setInput");

	if (!execution || (!buffer && length))
		return nnr_refuse(UNEXPECTED_NULL, "execution or buffer is NULL");
	return nnr_execution_set_pointer(execution, true, index, type, (void *)buffer, length);
}

int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
						const ANeuralNetworksOperandType *type,
						const ANeuralNetworksMemory *memory, size_t offset,
						size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_INPUTS_AND_OUTPUTS, "ANeuralNetworksExecution_setInputFromMemory");

	if (!execution || !memory)
		return nnr_refuse(UNEXPECTED_NULL, "execution or memory is NULL");
	return nnr_execution_set_memory(execution, true, index, type, memory, offset, length);
}

int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution, int32_t index,
				       const ANeuralNetworksOperandType *type, void *buffer,
				       size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_INPUTS_AND_OUTPUTS, "ANeuralNetworksExecution_setOutput");

	if (!execution || (!buffer && length))
		return nnr_refuse(UNEXPECTED_NULL, "execution or buffer is NULL");
	return nnr_execution_set_pointer(execution, false, index, type, buffer, length);
}

int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
						 const ANeuralNetworksOperandType *type,
						 const ANeuralNetworksMemory *memory, size_t offset,
						 size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_INPUTS_AND_OUTPUTS,
		   "ANeuralNetworksExecution_setOutputFromMemory");

	if (!execution || !memory)
		return nnr_refuse(UNEXPECTED_NULL, "execution or memory is NULL");
	return nnr_execution_set_memory(execution, false, index, type, memory, offset, length);
}

/* ---- computations ---- */

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_compute");

	if (!execution)
		return nnr_refuse(UNEXPECTED_NULL, "execution is NULL");
	return nnr_execution_compute(execution, NNR_DIAGNOSTIC_SYNC, NULL);
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
					  ANeuralNetworksBurst *burst)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_burstCompute");
	int result;

	if (!execution || !burst)
		return nnr_refuse(UNEXPECTED_NULL, "execution or burst is NULL");
	if (nnr_inherited(burst->plan))
		return nnr_refuse(DEAD_OBJECT,
				  "the burst was made before fork(), in another process");
	if (execution->plan != burst->plan)
		return nnr_refuse(BAD_DATA, "the burst belongs to another compilation");
	if (atomic_flag_test_and_set_explicit(&burst->busy, memory_order_acquire))
		return nnr_refuse(BAD_STATE, "another execution is in flight on the burst");
	result = nnr_execution_compute(execution, NNR_DIAGNOSTIC_BURST, burst->set);
	atomic_flag_clear_explicit(&burst->busy, memory_order_release);
	return result;
}

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
					  ANeuralNetworksEvent **event)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksExecution_startCompute");
	int result;

	if (!event)
		return nnr_refuse(UNEXPECTED_NULL, "event is NULL");
	*event = NULL;
	if (!execution)
		return nnr_refuse(UNEXPECTED_NULL, "execution is NULL");
	result = nnr_execution_begin(execution, NNR_DIAGNOSTIC_ASYNC, NULL);
	return result == ANEURALNETWORKS_NO_ERROR ? nnr_execution_launch(execution, event) : result;
}

int ANeuralNetworksExecution_startComputeWithDependencies(
	ANeuralNetworksExecution *execution, const ANeuralNetworksEvent *const *dependencies,
	uint32_t num_dependencies, uint64_t duration, ANeuralNetworksEvent **event)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION,
		   "ANeuralNetworksExecution_startComputeWithDependencies");
	uint32_t i;

	if (!event)
		return nnr_refuse(UNEXPECTED_NULL, "event is NULL");
	*event = NULL;
	if ((!dependencies && num_dependencies) || !execution)
		return nnr_refuse(UNEXPECTED_NULL, "execution or dependencies is NULL");
	for (i = 0; i < num_dependencies; i++)
		if (!dependencies[i])
			return nnr_refuse(UNEXPECTED_NULL, "dependency %u is NULL", i);
	return nnr_execution_start_fenced(execution, dependencies, num_dependencies, duration,
					  event);
}

/* ---- results ---- */

/* The shape of an output. Result code; OUTPUT_INSUFFICIENT_SIZE if this output was too small. */
static int find_shape(ANeuralNetworksExecution *e, int32_t index,
		      const struct nnhal_output_shape **shape)
{
	bool known;
	int result;

	*shape = NULL;
	result = nnr_execution_check_alive(e);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	pthread_mutex_lock(&e->lock);
	known = e->state == NNR_COMPLETED && (e->completion == NNR_COMPLETION_NO_ERROR ||
					      e->completion == NNR_COMPLETION_INSUFFICIENT);
	pthread_mutex_unlock(&e->lock);
	if (!known)
		return nnr_refuse(BAD_STATE, "no computation has succeeded");
	if (index < 0 || (uint32_t)index >= e->num_outputs)
		return nnr_refuse(BAD_DATA, "output %d does not exist", index);
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
	result = find_shape(execution, index, &shape);
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
	result = find_shape(execution, index, &shape);
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
	/* const in the API refers to the application's view, not to the lock */
	ANeuralNetworksExecution *e = (ANeuralNetworksExecution *)execution;
	bool known;
	int result;

	if (!execution || !duration)
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	if (durationCode < ANEURALNETWORKS_DURATION_ON_HARDWARE ||
	    durationCode > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER)
		return nnr_refuse(BAD_DATA, "duration code %d does not exist", durationCode);
	*duration = UINT64_MAX;
	result = nnr_execution_check_alive(e);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	pthread_mutex_lock(&e->lock);
	known = e->state == NNR_COMPLETED && e->completion == NNR_COMPLETION_NO_ERROR && e->measure;
	if (known && duration_of(e, durationCode) >= 0)
		*duration = (uint64_t)duration_of(e, durationCode);
	pthread_mutex_unlock(&e->lock);
	return known ? ANEURALNETWORKS_NO_ERROR
		     : nnr_refuse(
			       BAD_STATE,
			       "no duration was measured: call setMeasureTiming() before a successful computation");
}

/* ---- bursts ---- */

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
				ANeuralNetworksBurst **burst)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksBurst_create");
	ANeuralNetworksBurst *made;
	int result;

	if (burst)
		*burst = NULL;
	if (!compilation || !burst)
		return nnr_refuse(UNEXPECTED_NULL, "compilation or burst is NULL");
	if (!compilation->finished || !compilation->plan)
		return nnr_refuse(BAD_STATE, "the compilation %s",
				  compilation->finished ? "failed" : "is not finished");
	result = nnr_compilation_renew(compilation);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	made = calloc(1, sizeof(*made));
	if (!made)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	atomic_flag_clear(&made->busy);
	made->set = nnr_workspace_set_new();
	if (!made->set) {
		free(made);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	made->plan = nnr_plan_get(compilation->plan);
	*burst = made;
	return ANEURALNETWORKS_NO_ERROR;
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst)
{
	NNTRACE_RT(NNTRACE_PHASE_TERMINATION, "ANeuralNetworksBurst_free");

	if (!burst || nnr_inherited(burst->plan))
		return;
	nnr_workspace_set_free(burst->set);
	nnr_plan_put(burst->plan);
	free(burst);
}

/* ---- events ---- */

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_wait");

	if (!event)
		return nnr_refuse(UNEXPECTED_NULL, "event is NULL");
	return nnr_event_wait(event);
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_free");

	if (event)
		nnr_event_free(event);
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent **event)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_createFromSyncFenceFd");

	if (!event)
		return nnr_refuse(UNEXPECTED_NULL, "event is NULL");
	*event = NULL;
	return nnr_event_create_from_fence(sync_fence_fd, event);
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *sync_fence_fd)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_getSyncFenceFd");

	if (!sync_fence_fd)
		return nnr_refuse(UNEXPECTED_NULL, "sync_fence_fd is NULL");
	*sync_fence_fd = -1;
	if (!event)
		return nnr_refuse(UNEXPECTED_NULL, "event is NULL");
	if (event->fence_fd < 0)
		return nnr_refuse(BAD_DATA, "the event has no fence");
	/* not 0, which createFromSyncFenceFd() refuses */
	*sync_fence_fd = fcntl(event->fence_fd, F_DUPFD_CLOEXEC, 1);
	if (*sync_fence_fd < 0) {
		*sync_fence_fd = -1;
		return nnr_refuse(OP_FAILED, "cannot duplicate the fence: %s", strerror(errno));
	}
	return ANEURALNETWORKS_NO_ERROR;
}
