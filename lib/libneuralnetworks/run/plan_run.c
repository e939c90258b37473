// SPDX-License-Identifier: Apache-2.0
/* A run of a plan, and what follows when it fails. */
#include <stdlib.h>
#include <string.h>

#include "base/nnr_base.h"
#include "memory/nnr_memory.h"
#include "model/nnr_model.h"
#include "plan/nnr_plan.h"
#include "run/nnr_run.h"

/* ---- the whole model on nnapi-reference ---- */

static bool on_device(const struct nnr_argument *arg)
{
	return arg->kind == NNR_ARG_MEMORY && arg->memory->buffer;
}

/* Make a host copy of a device buffer. @arg refers to it then. */
static int host_copy(struct nnr_argument *arg, uint32_t type, bool input)
{
	ANeuralNetworksMemory *device = arg->memory, *host;
	uint32_t dims[NNR_MAX_RANK], rank = arg->rank;
	uint64_t bytes;
	int result;

	if (rank)
		memcpy(dims, arg->dims, rank * sizeof(*dims));
	if (!nnr_dims_merge(&rank, dims, device->initial_rank, device->initial_dims))
		return ANEURALNETWORKS_OP_FAILED;
	bytes = nnr_type_bytes(type, dims, rank);
	if (!bytes || bytes == UINT64_MAX) {
		nnutil_log(NNUTIL_LOG_WARNING,
			   "nnapi-reference cannot use device memory of unknown shape");
		return ANEURALNETWORKS_OP_FAILED;
	}
	result = nnr_memory_create_host(bytes, &host);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (input)
		result = nnr_memory_read_buffer(device, &host->shared);
	if (result != ANEURALNETWORKS_NO_ERROR) {
		nnr_memory_put(host);
		return result;
	}
	arg->memory = host;
	arg->offset = 0;
	arg->length = bytes;
	return result;
}

/* Arguments in which host copies replace device buffers: inputs, then outputs. */
struct hosted {
	struct nnr_argument *args;
	const struct nnr_run *run;
	uint32_t num_inputs, num_outputs;
};

static const struct nnr_argument *original(const struct hosted *h, uint32_t i)
{
	return i < h->num_inputs ? &h->run->inputs[i] : &h->run->outputs[i - h->num_inputs];
}

static void hosted_fini(struct hosted *h)
{
	uint32_t i;

	for (i = 0; h->args && i < h->num_inputs + h->num_outputs; i++)
		if (h->args[i].memory != original(h, i)->memory)
			nnr_memory_put(h->args[i].memory);
	free(h->args);
}

static int hosted_init(struct hosted *h, const struct nnr_run *run)
{
	const struct nnmodel_subgraph *main = &run->plan->data->model->main;
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i;

	*h = (struct hosted){ .run = run,
			      .num_inputs = main->num_inputs,
			      .num_outputs = main->num_outputs };
	h->args = calloc((size_t)h->num_inputs + h->num_outputs + 1, sizeof(*h->args));
	if (!h->args)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (i = 0; i < h->num_inputs + h->num_outputs; i++)
		h->args[i] = *original(h, i);
	for (i = 0; i < h->num_inputs + h->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++) {
		uint32_t operand = i < h->num_inputs ? main->inputs[i]
						     : main->outputs[i - h->num_inputs];

		if (on_device(&h->args[i]))
			result = host_copy(&h->args[i], main->operands[operand].type,
					   i < h->num_inputs);
	}
	return result;
}

/* Copy outputs to the device buffers. */
static int hosted_return(const struct hosted *h)
{
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i;

	for (i = h->num_inputs;
	     i < h->num_inputs + h->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++)
		if (on_device(original(h, i)))
			result = nnr_memory_write_buffer(original(h, i)->memory,
							 &h->args[i].memory->shared);
	return result;
}

/* The workspace's arguments are set. Shapes and times become the run's. */
static int execute_whole(struct nnr_run *run, struct nnr_workspace *ws, int64_t deadline_ns)
{
	int result = nnr_workspace_execute(ws, run, deadline_ns);
	uint32_t i;

	if (nnr_run_failed(result))
		return result;
	for (i = 0; i < ws->model->main.num_outputs; i++)
		nnr_run_shape(run, i, &ws->shapes[i]);
	run->timing = ws->timing;
	return result;
}

int nnr_run_full(struct nnr_run *run)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "nnr_run_full");
	struct nnr_step *step;
	struct nnr_workspace *ws;
	struct hosted hosted;
	uint32_t i;
	int result = nnr_plan_full(run->plan, &step);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	nnutil_log(NNUTIL_LOG_INFO, "running the whole model on %s instead", step->device->name);
	nnr_run_reset(run);
	result = hosted_init(&hosted, run);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_workspace_take(step->workspaces, run->set, step->model, &ws);
	if (result == ANEURALNETWORKS_NO_ERROR) {
		for (i = 0; i < hosted.num_inputs; i++)
			ws->inputs[i] = &hosted.args[i];
		for (i = 0; i < hosted.num_outputs; i++)
			ws->outputs[i] = &hosted.args[hosted.num_inputs + i];
		result = execute_whole(run, ws, NNHAL_NO_TIME);
		nnr_workspace_give(ws);
	}
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = hosted_return(&hosted);
	hosted_fini(&hosted);
	return result;
}

/* ---- a run ---- */

static int run_simple(struct nnr_run *run)
{
	struct nnr_step *step = run->plan->graphs[0].nodes[0].step;
	struct nnr_workspace *ws;
	uint32_t i;
	int result = nnr_workspace_take(step->workspaces, run->set, step->model, &ws);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	for (i = 0; i < step->num_inputs; i++)
		ws->inputs[i] = &run->inputs[i];
	for (i = 0; i < step->num_outputs; i++)
		ws->outputs[i] = &run->outputs[i];
	result = execute_whole(run, ws, run->deadline_ns);
	nnr_workspace_give(ws);
	if (nnr_run_failed(result) && run->plan->fallback && !step->device->is_reference) {
		nnr_run_device_failed(run, step->device, result, "running the whole model");
		result = nnr_run_full(run);
	}
	return result;
}

static int run_compound(struct nnr_run *run)
{
	struct nnr_invocation *invocation;
	bool final = false, gave_up = false;
	int result = nnr_invocation_take(run->plan, &invocation);

	if (result == ANEURALNETWORKS_NO_ERROR) {
		result = nnr_compound_run(invocation, run);
		final = invocation->final;
		gave_up = invocation->give_up;
		nnr_invocation_give(invocation);
	}
	/*
	 * a tensor without elements cannot be passed between steps: no device failed, and a listed
	 * device can run the whole model
	 */
	if (nnr_run_failed(result) && !final &&
	    (run->plan->fallback || (gave_up && run->plan->reference_listed)))
		result = nnr_run_full(run);
	return result;
}

static int run_captured(struct nnr_run *run)
{
	struct nnr_run_capture *capture = nnr_run_capture_begin(run);
	int result = run->plan->simple ? run_simple(run) : run_compound(run);

	nnr_run_capture_end(capture, run, result);
	return result;
}

int nnr_run(struct nnr_run *run)
{
	int result;

	nnr_run_reset(run);
	result = nnr_run_check_inputs(run);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = run_captured(run);
	run->shapes_known = !nnr_run_failed(result);
	nnr_run_written(run, result);
	return result;
}
