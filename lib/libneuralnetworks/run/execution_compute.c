// SPDX-License-Identifier: Apache-2.0
/* Computations: on the calling thread, or on a worker thread with an event. */
#include <stdlib.h>

#include "nnutil_clock.h"

#include "base/nnr_base.h"
#include "run/nnr_run.h"

/* ---- the state machine ---- */

static bool all_set(const ANeuralNetworksExecution *e)
{
	uint32_t i;

	for (i = 0; i < e->num_inputs; i++)
		if (e->inputs[i].kind == NNR_ARG_UNSET)
			return false;
	for (i = 0; i < e->num_outputs; i++)
		if (e->outputs[i].kind == NNR_ARG_UNSET)
			return false;
	return true;
}

static void set_run(ANeuralNetworksExecution *e, enum nnr_diagnostic_mode mode,
		    struct nnr_workspace_set *set)
{
	e->mode = mode;
	e->start_ns = nnr_diagnostics_on() ? nnutil_boottime_ns() : 0;
	e->run = (struct nnr_run){
		.plan = e->plan,
		.inputs = e->inputs,
		.outputs = e->outputs,
		.attributes = e->attributes,
		.num_attributes = e->num_attributes,
		.measure = e->measure,
		.loop_timeout_ns = e->loop_timeout_ns,
		.deadline_ns = nnr_deadline(e->timeout_ns),
		.set = set,
		.shapes = e->shapes,
	};
}

int nnr_execution_begin(ANeuralNetworksExecution *e, enum nnr_diagnostic_mode mode,
			struct nnr_workspace_set *set)
{
	const char *why = NULL;
	int result = nnr_execution_check_alive(e);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	pthread_mutex_lock(&e->lock);
	if (e->state == NNR_COMPUTATION || (e->state == NNR_COMPLETED && !e->reusable)) {
		why = e->state == NNR_COMPUTATION
			      ? "a computation is in flight"
			      : "the execution was computed already and is not reusable";
		result = ANEURALNETWORKS_BAD_STATE;
	} else if (!all_set(e)) {
		e->state = NNR_COMPLETED;
		e->completion = NNR_COMPLETION_OTHER;
		why = "an input or output is not set";
		result = ANEURALNETWORKS_BAD_DATA;
	} else {
		e->state = NNR_COMPUTATION;
		set_run(e, mode, set);
	}
	pthread_mutex_unlock(&e->lock);
	if (why)
		nnutil_log(NNUTIL_LOG_WARNING, "%s", why);
	return result;
}

int nnr_execution_end(ANeuralNetworksExecution *e, int result)
{
	const int64_t start_ns = e->start_ns;

	if (start_ns)
		nnr_diagnostic_execution(e->compilation, e->plan, e->mode, result,
					 (uint64_t)(nnutil_boottime_ns() - start_ns), &e->launched);
	pthread_mutex_lock(&e->lock);
	e->state = NNR_COMPLETED;
	e->shapes_known = e->run.shapes_known;
	e->completion = result == ANEURALNETWORKS_NO_ERROR ? NNR_COMPLETION_NO_ERROR
			: result == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE
				? NNR_COMPLETION_INSUFFICIENT
				: NNR_COMPLETION_OTHER;
	pthread_mutex_unlock(&e->lock);
	return result;
}

/* After begin. */
static int execution_compute_run(ANeuralNetworksExecution *e)
{
	int result = nnr_run(&e->run);

	e->launched = e->fenced = e->run.timing;
	return nnr_execution_end(e, result);
}

/* ---- computations ---- */

int nnr_execution_compute(ANeuralNetworksExecution *e, enum nnr_diagnostic_mode mode,
			  struct nnr_workspace_set *set)
{
	int result = nnr_execution_begin(e, mode, set);

	return result == ANEURALNETWORKS_NO_ERROR ? execution_compute_run(e) : result;
}

/* The trace mark ends before the event is complete: the waiter may end the process then. */
static int run_marked(ANeuralNetworksExecution *e)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "run_on_thread");

	return execution_compute_run(e);
}

static void run_on_thread(void *cookie)
{
	ANeuralNetworksExecution *e = cookie;
	/* a reusable execution may be started anew as soon as it has ended */
	ANeuralNetworksEvent *event = e->event;

	nnr_event_complete(event, run_marked(e));
	nnr_execution_put(e);
}

int nnr_execution_launch(ANeuralNetworksExecution *e, ANeuralNetworksEvent **event)
{
	ANeuralNetworksEvent *made = nnr_event_new();

	if (!made)
		return nnr_execution_end(e, ANEURALNETWORKS_OUT_OF_MEMORY);
	e->event = made;
	atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
	if (nnr_thread_run(run_on_thread, e)) {
		nnutil_log(NNUTIL_LOG_ERROR, "cannot start a thread for the computation");
		nnr_event_complete(made, ANEURALNETWORKS_OP_FAILED);
		nnr_event_free(made);
		nnr_execution_end(e, ANEURALNETWORKS_OP_FAILED);
		nnr_execution_put(e);
		return ANEURALNETWORKS_OP_FAILED;
	}
	*event = made;
	return ANEURALNETWORKS_NO_ERROR;
}
