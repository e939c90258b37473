// SPDX-License-Identifier: Apache-2.0
/*
 * One execution of a prepared model: arguments become a request, the device's answer becomes shapes
 * and a result.
 */
#include <stdlib.h>
#include <string.h>

#include "nnutil_align.h"
#include "nnmodel_common.h"
#include "nnmodel_shape.h"

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "run/nnr_run.h"

#define ARENA_ALIGN 64u

/* ---- the request ---- */

static uint32_t pool_of(struct nnr_workspace *ws, ANeuralNetworksMemory *memory)
{
	struct nnhal_request_pool *pool;
	uint32_t i;

	for (i = 0; i < ws->request.num_pools; i++)
		if (ws->pool_memories[i] == memory)
			return i;
	pool = &ws->pools[i];
	ws->pool_memories[i] = memory;
	ws->request.num_pools++;
	if (memory->buffer) {
		*pool = (struct nnhal_request_pool){ .is_token = true, .token = memory->token };
		ws->tokens[i] = -1;
		return i;
	}
	*pool = (struct nnhal_request_pool){ .memory = memory->shared };
	ws->tokens[i] = memory->id;
	/* the burst may remember it from now on */
	if (ws->burst)
		atomic_fetch_or_explicit(&ws->used, UINT64_C(1) << (memory->id % 64),
					 memory_order_release);
	return i;
}

/*
 * A whole memory from a descriptor. A device knows the size of its buffer; in shared memory it is
 * the operand's size.
 */
static void bind_whole(const struct nnr_argument *arg, uint32_t type,
		       struct nnhal_request_argument *to)
{
	uint64_t bytes;

	if (arg->memory->buffer)
		return;
	bytes = nnr_type_bytes(type, arg->dims, arg->rank);
	to->length = bytes && bytes <= arg->memory->shared.size ? bytes : arg->memory->shared.size;
}

static void bind_argument(struct nnr_workspace *ws, const struct nnr_argument *arg, uint32_t type,
			  struct nnhal_request_argument *to, uint64_t *arena)
{
	*to = (struct nnhal_request_argument){ .has_no_value = arg->kind == NNR_ARG_NO_VALUE };
	if (to->has_no_value)
		return;
	to->rank = arg->rank;
	to->dims = arg->dims;
	to->length = arg->length;
	if (arg->kind == NNR_ARG_POINTER) {
		to->offset = *arena;
		*arena = nnutil_align_up(*arena + arg->length, ARENA_ALIGN);
		return;
	}
	to->pool = pool_of(ws, arg->memory);
	to->offset = arg->offset;
	/* interfaces below level 5 have no word for it */
	if (nnr_workspaces_device(ws->workspaces)->feature_level >= 5)
		to->padding = arg->padding;
	if (arg->memory->from_desc && !arg->length)
		bind_whole(arg, type, to);
}

/* UNMAPPABLE for memory that the host cannot map: nnapi-reference computes on mapped memory. */
static int check_mappable(const struct nnr_workspace *ws)
{
	uint32_t i;
	void *data;

	for (i = 0; i < ws->request.num_pools; i++)
		if (!ws->pools[i].is_token &&
		    nnr_memory_map((ANeuralNetworksMemory *)ws->pool_memories[i], &data) !=
			    ANEURALNETWORKS_NO_ERROR)
			return ANEURALNETWORKS_UNMAPPABLE;
	return ANEURALNETWORKS_NO_ERROR;
}

/* The arena is allocated: refer to it, and copy the inputs. */
static void stage_inputs(struct nnr_workspace *ws)
{
	const struct nnhal_request *r = &ws->request;
	uint32_t pool = pool_of(ws, ws->arena), i;

	for (i = 0; i < r->num_inputs; i++) {
		if (ws->inputs[i]->kind != NNR_ARG_POINTER)
			continue;
		ws->request_args[i].pool = pool;
		memcpy(ws->arena_data + ws->request_args[i].offset, ws->inputs[i]->buffer,
		       ws->inputs[i]->length);
	}
	for (i = 0; i < r->num_outputs; i++)
		if (ws->outputs[i]->kind == NNR_ARG_POINTER)
			ws->request_args[r->num_inputs + i].pool = pool;
}

int nnr_workspace_bind(struct nnr_workspace *ws)
{
	const struct nnmodel_subgraph *main = &ws->model->main;
	uint64_t arena = 0;
	uint32_t i;
	int result;

	ws->request.num_pools = 0;
	ws->staged = false;
	for (i = 0; i < main->num_inputs; i++)
		bind_argument(ws, ws->inputs[i], main->operands[main->inputs[i]].type,
			      &ws->request_args[i], &arena);
	for (i = 0; i < main->num_outputs; i++)
		bind_argument(ws, ws->outputs[i], main->operands[main->outputs[i]].type,
			      &ws->request_args[main->num_inputs + i], &arena);
	if (nnr_workspaces_device(ws->workspaces)->is_reference) {
		result = check_mappable(ws);
		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
	}
	if (!arena)
		return ANEURALNETWORKS_NO_ERROR;
	ws->staged = true;
	result = nnr_workspace_reserve(ws, arena);
	if (result == ANEURALNETWORKS_NO_ERROR)
		stage_inputs(ws);
	return result;
}

/* ---- the configuration ---- */

int nnr_workspace_config(struct nnr_workspace *ws, const struct nnr_run *run,
			 struct nnhal_execution_config *config)
{
	const uint32_t level = nnr_workspaces_device(ws->workspaces)->feature_level;
	int result;

	*config = (struct nnhal_execution_config){
		.size = sizeof(*config),
		.measure_timing = run->measure && level >= 3,
		.loop_timeout_ns = level >= 4 ? (int64_t)run->loop_timeout_ns : NNHAL_NO_TIME,
	};
	if (!run->num_attributes || level < 8)
		return ANEURALNETWORKS_NO_ERROR;
	result = nnr_hints_set(&ws->hints, run->attributes, run->num_attributes);
	config->hints = ws->hints.values;
	config->num_hints = ws->hints.num_values;
	config->extensions = ws->hints.extensions;
	config->num_extensions = ws->hints.num_extensions;
	return result;
}

/* ---- the call ---- */

/* Devices below level 3 only have execute() with a callback. */
struct waiting {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool done;
	enum nnhal_status status;
	struct nnhal_execution_result *result;
};

static void step_execution_executed(void *cookie, enum nnhal_status status,
				    const struct nnhal_execution_result *result)
{
	static const struct nnhal_execution_result none = NNHAL_EXECUTION_RESULT_INIT;
	static const struct nnmodel_sized sized =
		NNMODEL_SIZED(nnhal_execution_result, timing, &none);
	struct nnhal_execution_result older;
	struct waiting *w = cookie;

	/* these devices report neither shapes nor times */
	result = nnmodel_sized_get(&sized, result, &older);
	if (result)
		memcpy(w->result->message, result->message, sizeof(w->result->message));
	pthread_mutex_lock(&w->lock);
	w->status = status;
	w->done = true;
	pthread_cond_broadcast(&w->cond);
	pthread_mutex_unlock(&w->lock);
}

static enum nnhal_status execute_and_wait(struct nnhal_prepared_model *prepared,
					  const struct nnhal_request *request,
					  const struct nnhal_execution_config *config,
					  struct nnhal_execution_result *result)
{
	struct waiting w = { .lock = PTHREAD_MUTEX_INITIALIZER,
			     .cond = PTHREAD_COND_INITIALIZER,
			     .result = result };

	prepared->ops->execute(prepared, request, config, NNHAL_NO_TIME, step_execution_executed,
			       &w);
	pthread_mutex_lock(&w.lock);
	while (!w.done)
		pthread_cond_wait(&w.cond, &w.lock);
	pthread_mutex_unlock(&w.lock);
	return w.status;
}

static enum nnhal_status step_execution_call(struct nnr_workspace *ws,
					     const struct nnhal_execution_config *config,
					     int64_t deadline_ns,
					     struct nnhal_execution_result *result)
{
	struct nnhal_prepared_model *prepared = nnr_workspaces_prepared(ws->workspaces);
	const uint32_t level = nnr_workspaces_device(ws->workspaces)->feature_level;

	if (level < 3)
		return execute_and_wait(prepared, &ws->request, config, result);
	if (level < 4)
		deadline_ns = NNHAL_NO_TIME;
	if (ws->burst)
		return ws->burst->ops->execute_synchronously(ws->burst, &ws->request, ws->tokens,
							     ws->request.num_pools, config,
							     deadline_ns, result);
	return prepared->ops->execute_synchronously(prepared, &ws->request, config, deadline_ns,
						    result);
}

/* ---- the answer ---- */

/* The shape of an output without the device's answer: the declared one, or that of its memory. */
static void declare(const struct nnr_argument *arg, uint32_t type, struct nnhal_output_shape *shape)
{
	const ANeuralNetworksMemory *memory = arg->kind == NNR_ARG_MEMORY ? arg->memory : NULL;

	shape->sufficient = true;
	shape->rank = arg->kind == NNR_ARG_NO_VALUE ? 0 : arg->rank;
	if (shape->rank)
		memcpy(shape->dims, arg->dims, shape->rank * sizeof(*shape->dims));
	if (memory && memory->from_desc && !nnr_dims_complete(type, shape->dims, shape->rank))
		nnr_dims_merge(&shape->rank, shape->dims, memory->initial_rank,
			       memory->initial_dims);
}

static enum nnmodel_verdict accept_shape(const struct nnr_argument *arg, uint32_t type,
					 const struct nnhal_output_shape *shape,
					 const struct nnhal_output_shape *reported)
{
	/* whole memories from descriptors have no length of their own */
	const bool fixed = nnr_dims_complete(type, shape->dims, shape->rank) || !arg->length;
	const struct nnmodel_declared declared = { .element = nnr_type_element(type),
						   .room = fixed ? UINT64_MAX : arg->length,
						   .max_rank = NNR_MAX_RANK,
						   .rank = shape->rank,
						   .dims = shape->dims };
	const struct nnmodel_reported report = { reported->rank, reported->dims,
						 reported->sufficient };
	uint64_t bytes;

	return nnmodel_shape_accept(&declared, &report, &bytes);
}

/* Take over the device's answer. Returns how it contradicts what is declared, or NULL. */
static const char *step_execution_refine(const struct nnr_argument *arg, uint32_t type,
					 struct nnhal_output_shape *shape,
					 const struct nnhal_output_shape *reported, bool success)
{
	const enum nnmodel_verdict verdict = accept_shape(arg, type, shape, reported);

	if (verdict == NNMODEL_OTHER_SHAPE)
		return "dimensions that differ from the requested ones";
	shape->rank = reported->rank;
	if (shape->rank)
		memcpy(shape->dims, reported->dims, shape->rank * sizeof(*shape->dims));
	shape->sufficient = reported->sufficient;
	if (verdict == NNMODEL_TOO_LARGE)
		return "an output of 4 GiB or more";
	if (!success)
		return NULL;
	if (!shape->sufficient)
		return "success, but an output was too small";
	if (nnr_type_is_tensor(type) && !shape->rank)
		return "success, but an output without a rank";
	return verdict == NNMODEL_ACCEPTED ? NULL : "an output larger than its memory";
}

static int contradiction(const struct nnr_workspace *ws, uint32_t output, const char *why)
{
	nnutil_log(NNUTIL_LOG_ERROR, "%s: contradictory answer: %s (output %u)",
		   nnr_workspaces_device(ws->workspaces)->name, why, output);
	return ANEURALNETWORKS_OP_FAILED;
}

static int judge_output(struct nnr_workspace *ws, uint32_t index,
			const struct nnhal_output_shape *reported, bool success)
{
	const struct nnmodel_subgraph *main = &ws->model->main;
	const uint32_t type = main->operands[main->outputs[index]].type;
	const struct nnr_argument *arg = ws->outputs[index];
	struct nnhal_output_shape *shape = &ws->shapes[index];
	const char *wrong;
	bool complete;

	declare(arg, type, shape);
	if (arg->kind == NNR_ARG_NO_VALUE)
		return ANEURALNETWORKS_NO_ERROR;
	complete = nnr_dims_complete(type, shape->dims, shape->rank);
	/* some output is too small, and the device does not report which */
	if (!reported && !success)
		shape->sufficient = false;
	if (!reported)
		return complete || !success
			       ? ANEURALNETWORKS_NO_ERROR
			       : contradiction(ws, index,
					       "no shape for an output of unknown shape");
	wrong = step_execution_refine(arg, type, shape, reported, success);
	return wrong ? contradiction(ws, index, wrong) : ANEURALNETWORKS_NO_ERROR;
}

static int step_execution_judge(struct nnr_workspace *ws, bool success,
				const struct nnhal_execution_result *result)
{
	const uint32_t num = ws->model->main.num_outputs;
	uint32_t i, insufficient = 0;
	int judged;

	if (result->num_shapes && result->num_shapes != num)
		return contradiction(ws, result->num_shapes, "wrong number of output shapes");
	for (i = 0; i < num; i++) {
		judged = judge_output(ws, i, result->num_shapes ? &result->shapes[i] : NULL,
				      success);
		if (judged != ANEURALNETWORKS_NO_ERROR)
			return judged;
		insufficient += !ws->shapes[i].sufficient;
	}
	if (!success && !insufficient)
		return contradiction(ws, 0, "insufficient size, but every output is sufficient");
	return success ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
}

static void copy_outputs(struct nnr_workspace *ws)
{
	const struct nnmodel_subgraph *main = &ws->model->main;
	uint32_t i;

	for (i = 0; i < main->num_outputs; i++) {
		const struct nnr_argument *arg = ws->outputs[i];
		const struct nnhal_output_shape *shape = &ws->shapes[i];
		uint64_t bytes;

		if (arg->kind != NNR_ARG_POINTER)
			continue;
		bytes = nnr_shape_bytes(main->operands[main->outputs[i]].type, shape->rank,
					shape->dims);
		/* types whose size only the device knows */
		if (!bytes && !nnmodel_type_size(main->operands[main->outputs[i]].type))
			bytes = arg->length;
		memcpy(arg->buffer, ws->arena_data + ws->request_args[main->num_inputs + i].offset,
		       bytes < arg->length ? bytes : arg->length);
	}
}

int nnr_workspace_execute(struct nnr_workspace *ws, const struct nnr_run *run, int64_t deadline_ns)
{
	NNTRACE_RT(NNTRACE_PHASE_INPUTS_AND_OUTPUTS, "nnr_workspace_execute");
	struct nnhal_execution_config config;
	struct nnhal_execution_result answer = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;
	int result = nnr_workspace_bind(ws);

	ws->timing = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_workspace_config(ws, run, &config);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	NNTRACE_FULL_SWITCH(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION,
			    "nnr_workspace_execute::execute");
	status = step_execution_call(ws, &config, deadline_ns, &answer);
	NNTRACE_RT_SWITCH(NNTRACE_PHASE_RESULTS, "nnr_workspace_execute::results");
	if (status == NNHAL_NONE || status == NNHAL_OUTPUT_INSUFFICIENT_SIZE) {
		result = step_execution_judge(ws, status == NNHAL_NONE, &answer);
		if (result == ANEURALNETWORKS_NO_ERROR) {
			ws->timing = answer.timing;
			copy_outputs(ws);
		}
	} else {
		result = nnr_deadline_answer(nnhal_status_result_code(status), deadline_ns);
		nnr_log_status(NNUTIL_LOG_WARNING, nnr_workspaces_device(ws->workspaces), "execute",
			       status, answer.message);
	}
	nnhal_execution_result_clear(&answer);
	return result;
}
