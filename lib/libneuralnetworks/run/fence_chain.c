// SPDX-License-Identifier: Apache-2.0
/* Fenced runs: devices wait for each other. */
#include <stdlib.h>
#include <unistd.h>

#include "nnutil_fence.h"

#include "base/nnr_base.h"
#include "run/nnr_run.h"

bool nnr_run_can_be_fenced(const struct nnr_plan *plan)
{
	uint32_t n;

	if (plan->has_dynamic_temporaries || nnr_run_capture_on())
		return false;
	for (n = 0; n < plan->graphs[0].num_nodes; n++)
		if (plan->graphs[0].nodes[n].kind != NNR_NODE_STEP)
			return false;
	return true;
}

void nnr_run_release(struct nnr_run *run)
{
	struct nnr_workspace *ws;

	while ((ws = run->held_workspaces)) {
		run->held_workspaces = ws->next;
		nnr_workspace_give(ws);
	}
	if (run->held)
		nnr_invocation_give(run->held);
	run->held = NULL;
}

static int wait_all(const int *fences, uint32_t num)
{
	uint32_t i;

	for (i = 0; i < num; i++)
		if (fences[i] >= 0 && nnutil_fence_wait(fences[i]))
			return nnr_refuse(OP_FAILED, "a dependency ended in an error");
	return ANEURALNETWORKS_NO_ERROR;
}

/* The state of a chain: what the next step waits for. */
struct chain {
	const int *wait_for; /* the application's, or &own */
	uint32_t num_wait_for;
	int own; /* the last step's fence; -1: it ended already */
	struct nnhal_fenced_callback *callback; /* of the last step; NULL: none */
	uint64_t duration_ns;
};

static void drop_callback(struct chain *chain)
{
	if (chain->callback)
		chain->callback->ops->destroy(chain->callback);
	chain->callback = NULL;
}

/* The next step waits for @fence only. */
static void fence_chain_advance(struct chain *chain, int fence,
				struct nnhal_fenced_callback *callback)
{
	drop_callback(chain);
	if (chain->own >= 0)
		close(chain->own);
	chain->own = fence;
	chain->callback = callback;
	chain->wait_for = &chain->own;
	chain->num_wait_for = fence >= 0;
}

static int64_t deadline_after(const struct nnr_run *run, uint64_t duration_ns)
{
	int64_t end = nnr_deadline(duration_ns);

	if (end == NNHAL_NO_TIME)
		return run->deadline_ns;
	return run->deadline_ns == NNHAL_NO_TIME || end < run->deadline_ns ? end : run->deadline_ns;
}

static int run_and_wait(struct nnr_run *run, struct nnr_workspace *ws, struct chain *chain,
			struct nnhal_timing *timing)
{
	int result = wait_all(chain->wait_for, chain->num_wait_for);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	fence_chain_advance(chain, -1, NULL);
	result = nnr_workspace_execute(ws, run, deadline_after(run, chain->duration_ns));
	*timing = ws->timing;
	return result;
}

static bool all_sync_files(const struct chain *chain)
{
	uint32_t i;

	for (i = 0; i < chain->num_wait_for; i++)
		if (!nnutil_fence_is_sync_file(chain->wait_for[i]))
			return false;
	return true;
}

/* A driver that takes fences of the kernel only refuses others: then the host waits for them. */
static int execute_fenced(struct nnr_run *run, struct nnr_workspace *ws, struct chain *chain,
			  const struct nnhal_execution_config *config, enum nnhal_status *status,
			  int *fence, struct nnhal_fenced_callback **callback)
{
	struct nnhal_prepared_model *prepared = nnr_workspaces_prepared(ws->workspaces);
	const int64_t duration = !chain->duration_ns		  ? NNHAL_NO_TIME
				 : chain->duration_ns > INT64_MAX ? INT64_MAX
								  : (int64_t)chain->duration_ns;
	int result;

	*status = prepared->ops->execute_fenced(prepared, &ws->request, chain->wait_for,
						chain->num_wait_for, config, run->deadline_ns,
						duration, fence, callback);
	if (*status != NNHAL_INVALID_ARGUMENT || all_sync_files(chain))
		return ANEURALNETWORKS_NO_ERROR;
	result = wait_all(chain->wait_for, chain->num_wait_for);
	if (result == ANEURALNETWORKS_NO_ERROR)
		*status = prepared->ops->execute_fenced(prepared, &ws->request, NULL, 0, config,
							run->deadline_ns, duration, fence,
							callback);
	return result;
}

static int fence_chain_launch(struct nnr_run *run, struct nnr_workspace *ws, struct chain *chain)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "launch::executeFenced");
	struct nnhal_fenced_callback *callback = NULL;
	struct nnhal_execution_config config;
	enum nnhal_status status;
	int fence = -1, result = nnr_workspace_bind(ws);

	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_workspace_config(ws, run, &config);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = execute_fenced(run, ws, chain, &config, &status, &fence, &callback);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (status != NNHAL_NONE || !callback) {
		nnutil_log(NNUTIL_LOG_WARNING, "%s: executeFenced failed: %s",
			   nnr_workspaces_device(ws->workspaces)->name, nnhal_status_name(status));
		if (callback)
			callback->ops->destroy(callback);
		if (fence >= 0)
			close(fence);
		return status == NNHAL_NONE ? ANEURALNETWORKS_OP_FAILED
					    : nnr_deadline_answer(nnhal_status_result_code(status),
								  run->deadline_ns);
	}
	fence_chain_advance(chain, fence, callback);
	return ANEURALNETWORKS_NO_ERROR;
}

/* Arguments of the ws are set. */
static int run_one(struct nnr_run *run, struct nnr_workspace *ws, struct chain *chain)
{
	const ANeuralNetworksDevice *device = nnr_workspaces_device(ws->workspaces);

	if (device->feature_level < 4 || device->is_reference)
		return run_and_wait(run, ws, chain, &run->timing);
	return fence_chain_launch(run, ws, chain);
}

static int run_step(struct nnr_run *run, struct nnr_scope *scope, const struct nnr_step *step,
		    struct chain *chain)
{
	struct nnr_workspace *ws;
	uint32_t i;
	int result = nnr_workspace_take(step->workspaces, run->set, step->model, &ws);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (scope) {
		result = nnr_scope_bind(scope, step, ws);
	} else {
		for (i = 0; i < step->num_inputs; i++)
			ws->inputs[i] = &run->inputs[i];
		for (i = 0; i < step->num_outputs; i++)
			ws->outputs[i] = &run->outputs[i];
	}
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = run_one(run, ws, chain);
	/* a device that still computes reads the staged data */
	if (result == ANEURALNETWORKS_NO_ERROR && ws->staged && chain->own >= 0) {
		ws->next = run->held_workspaces;
		run->held_workspaces = ws;
	} else {
		nnr_workspace_give(ws);
	}
	return result;
}

static int run_steps(struct nnr_run *run, struct chain *chain)
{
	const struct nnr_graph *graph = &run->plan->graphs[0];
	struct nnr_scope *scope = NULL;
	uint32_t n;
	int result = ANEURALNETWORKS_NO_ERROR;

	if (!run->plan->simple) {
		result = nnr_invocation_take(run->plan, &run->held);
		if (result != ANEURALNETWORKS_NO_ERROR) {
			run->held = NULL;
			return result;
		}
		nnr_invocation_begin(run->held, run);
		scope = run->held->scopes;
	}
	for (n = 0; n < graph->num_nodes && result == ANEURALNETWORKS_NO_ERROR; n++)
		result = run_step(run, scope, graph->nodes[n].step, chain);
	return result;
}

/*
 * Drivers get sync_files, and fences of user space that are pending. Other descriptors that stand
 * for a fence are waited for here.
 */
static int sort_fences(const int *wait_for, uint32_t num, int *fences, uint32_t *num_fences)
{
	uint32_t i;

	*num_fences = 0;
	for (i = 0; i < num; i++) {
		if (nnutil_fence_is_sync_file(wait_for[i]) ||
		    !nnutil_fence_status(wait_for[i], NULL))
			fences[(*num_fences)++] = wait_for[i];
		else if (wait_all(&wait_for[i], 1) != ANEURALNETWORKS_NO_ERROR)
			return ANEURALNETWORKS_OP_FAILED;
	}
	return ANEURALNETWORKS_NO_ERROR;
}

/*
 * Data at pointers is read when it is staged: not before the dependencies that write it have ended.
 */
static bool by_pointer(const struct nnr_run *run)
{
	uint32_t i;

	for (i = 0; i < run->plan->data->model->main.num_inputs; i++)
		if (run->inputs[i].kind == NNR_ARG_POINTER)
			return true;
	return false;
}

static int run_chain(struct nnr_run *run, struct chain *chain)
{
	int result = nnr_run_check_inputs(run);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	result = run_steps(run, chain);
	if (result == ANEURALNETWORKS_NO_ERROR)
		return result;
	/*
	 * wait for the steps that were begun: they write into memory of the application and of the
	 * runtime
	 */
	if (chain->own >= 0)
		nnutil_fence_wait(chain->own);
	fence_chain_advance(chain, -1, NULL);
	nnr_run_release(run);
	return result;
}

int nnr_run_fenced(struct nnr_run *run, const int *wait_for, uint32_t num_wait_for,
		   uint64_t duration_ns, int *sync_fence, struct nnhal_fenced_callback **callback)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "nnr_run_fenced");
	struct chain chain = { .own = -1, .duration_ns = duration_ns };
	int *fences = calloc((size_t)num_wait_for + 1, sizeof(*fences));
	int result = fences ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUT_OF_MEMORY;

	*sync_fence = -1;
	*callback = NULL;
	run->held = NULL;
	run->held_workspaces = NULL;
	nnr_run_reset(run);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = by_pointer(run)
				 ? wait_all(wait_for, num_wait_for)
				 : sort_fences(wait_for, num_wait_for, fences, &chain.num_wait_for);
	if (result == ANEURALNETWORKS_NO_ERROR) {
		chain.wait_for = fences;
		result = run_chain(run, &chain);
		if (nnr_run_failed(result) && run->plan->fallback) {
			nnutil_log(
				NNUTIL_LOG_WARNING,
				"a device %s (result %d): running the whole model on nnapi-reference",
				nnr_run_failure(result), result);
			result = wait_all(wait_for, num_wait_for);
			if (result == ANEURALNETWORKS_NO_ERROR)
				result = nnr_run_full(run);
		}
	}
	free(fences);
	run->shapes_known = !nnr_run_failed(result);
	/* readers wait for the fence first */
	nnr_run_written(run, result);
	*sync_fence = chain.own;
	*callback = chain.callback;
	return result;
}
