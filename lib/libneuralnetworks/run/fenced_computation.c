// SPDX-License-Identifier: Apache-2.0
/*
 * Computations that begin when others have ended. With arguments in memory objects the devices wait
 * for each other. Data at pointers is copied by the host: it waits for the dependencies before, and
 * for the end if there are outputs to copy back; then the event has no fence.
 */
#include <stdlib.h>
#include <unistd.h>

#include "nnutil_fence.h"

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "run/nnr_run.h"

static bool outputs_by_pointer(const ANeuralNetworksExecution *e)
{
	uint32_t i;

	for (i = 0; i < e->num_outputs; i++)
		if (e->outputs[i].kind == NNR_ARG_POINTER)
			return true;
	return false;
}

static bool outputs_known(const ANeuralNetworksExecution *e)
{
	const struct nnmodel_subgraph *main = &e->plan->data->model->main;
	uint32_t i;

	for (i = 0; i < e->num_outputs; i++)
		if (e->outputs[i].kind != NNR_ARG_NO_VALUE &&
		    !nnr_dims_complete(main->operands[main->outputs[i]].type, e->outputs[i].dims,
				       e->outputs[i].rank))
			return false;
	return true;
}

/* Collect the fences of steps; a step without a fence is waited for, whatever its result. */
static uint32_t fenced_computation_collect(const ANeuralNetworksEvent *const *dependencies,
					   uint32_t num, int *fences)
{
	uint32_t i, n = 0;

	for (i = 0; i < num; i++) {
		if (dependencies[i]->fence_fd >= 0)
			fences[n++] = dependencies[i]->fence_fd;
		else
			nnr_event_wait((ANeuralNetworksEvent *)dependencies[i]);
	}
	return n;
}

static int wait_fences(const int *fences, uint32_t num)
{
	uint32_t i;

	for (i = 0; i < num; i++)
		if (nnutil_fence_wait(fences[i]))
			return nnr_refuse(OP_FAILED, "a dependency ended in an error");
	return ANEURALNETWORKS_NO_ERROR;
}

/* An event of a computation that has ended. */
static int done_event(int result, ANeuralNetworksEvent **event)
{
	ANeuralNetworksEvent *made;

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	made = nnr_event_new();
	if (!made)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	nnr_event_complete(made, result);
	*event = made;
	return result;
}

/* The host waits for the dependencies and for the end. */
static int compute_now(ANeuralNetworksExecution *e, ANeuralNetworksEvent **event)
{
	int result = nnr_run(&e->run);

	e->launched = e->fenced = e->run.timing;
	return done_event(nnr_execution_end(e, result), event);
}

/* ---- with a fence ---- */

/* The fence signalled, or there was none: get the device's result. */
static int fenced_end(ANeuralNetworksExecution *e, int result)
{
	struct nnhal_fenced_callback *callback = e->callback;
	enum nnhal_status status;

	e->launched = e->fenced = e->run.timing;
	if (callback) {
		status = callback->ops->get_execution_info(callback, &e->launched, &e->fenced);
		if (status != NNHAL_NONE) {
			result = nnhal_status_result_code(status);
			nnutil_log(NNUTIL_LOG_WARNING, "a fenced execution failed: %s",
				   nnhal_status_name(status));
		}
		callback->ops->destroy(callback);
		e->callback = NULL;
	}
	nnr_run_release(&e->run);
	if (result != ANEURALNETWORKS_NO_ERROR) {
		e->run.shapes_known = false;
		nnr_run_written(&e->run, result);
	}
	return nnr_execution_end(e, result);
}

/* The event's, at its first wait. */
static int fenced_computation_finish(void *cookie, int result)
{
	result = fenced_end(cookie, result);
	nnr_execution_put(cookie);
	return result;
}

static int fence_event(ANeuralNetworksExecution *e, int fence, ANeuralNetworksEvent **event)
{
	ANeuralNetworksEvent *made = nnr_event_new();

	if (!made) {
		nnutil_fence_wait(fence);
		close(fence);
		fenced_end(e, ANEURALNETWORKS_OUT_OF_MEMORY);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
	made->fence_fd = fence;
	made->finish = fenced_computation_finish;
	made->cookie = e;
	*event = made;
	return ANEURALNETWORKS_NO_ERROR;
}

static int compute_fenced(ANeuralNetworksExecution *e, const int *fences, uint32_t num_fences,
			  uint64_t duration, ANeuralNetworksEvent **event)
{
	int fence, result;

	result = nnr_run_fenced(&e->run, fences, num_fences, duration, &fence, &e->callback);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return nnr_execution_end(e, result);
	if (fence >= 0)
		return fence_event(e, fence, event);
	return done_event(fenced_end(e, result), event);
}

/* The dependencies have ended: the computation may last @duration from now. */
static void fenced_computation_limit(ANeuralNetworksExecution *e, uint64_t duration)
{
	int64_t end = nnr_deadline(duration);

	if (end != NNHAL_NO_TIME &&
	    (e->run.deadline_ns == NNHAL_NO_TIME || end < e->run.deadline_ns))
		e->run.deadline_ns = end;
}

/* After nnr_execution_begin(): ends the computation in any case. */
static int compute_after(ANeuralNetworksExecution *e,
			 const ANeuralNetworksEvent *const *dependencies, uint32_t num,
			 uint64_t duration, ANeuralNetworksEvent **event)
{
	int *fences = malloc(((size_t)num + 1) * sizeof(*fences));
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t num_fences;

	if (!fences)
		return nnr_execution_end(e, ANEURALNETWORKS_OUT_OF_MEMORY);
	num_fences = fenced_computation_collect(dependencies, num, fences);
	if (!outputs_by_pointer(e) && nnr_run_can_be_fenced(e->plan)) {
		result = compute_fenced(e, fences, num_fences, duration, event);
		free(fences);
		return result;
	}
	result = wait_fences(fences, num_fences);
	free(fences);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return nnr_execution_end(e, result);
	fenced_computation_limit(e, duration);
	return e->plan->has_dynamic_temporaries ? nnr_execution_launch(e, event)
						: compute_now(e, event);
}

int nnr_execution_start_fenced(ANeuralNetworksExecution *e,
			       const ANeuralNetworksEvent *const *dependencies, uint32_t num,
			       uint64_t duration, ANeuralNetworksEvent **event)
{
	int result = nnr_execution_begin(e, NNR_DIAGNOSTIC_ASYNC_WITH_DEPS, NULL);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (duration && !e->explicit_one)
		return nnr_execution_end(
			e, nnr_refuse(BAD_DATA, "a duration needs a compilation for exactly one "
						"chosen device"));
	if (!outputs_known(e))
		return nnr_execution_end(e,
					 nnr_refuse(BAD_DATA, "an output is not fully specified"));
	return compute_after(e, dependencies, num, duration, event);
}
