// SPDX-License-Identifier: Apache-2.0
/*
 * One execution of a prepared model: arguments become a request, the device's answer becomes shapes
 * and a result.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "sized.h"

#define ARENA_ALIGN 64u

uint64_t nnr_shape_bytes(uint32_t type, uint32_t rank, const uint32_t *dims)
{
	uint32_t i;

	for (i = 0; i < rank; i++)
		if (!dims[i])
			return 0;
	return nnr_type_bytes(type, dims, rank);
}

int nnr_argument_data(const struct nnr_argument *arg, uint8_t **data)
{
	void *mapping;
	int result;

	if (arg->kind == NNR_ARG_POINTER) {
		*data = arg->buffer;
		return ANEURALNETWORKS_NO_ERROR;
	}
	result = arg->kind == NNR_ARG_MEMORY ? nnr_memory_map(arg->memory, &mapping)
					     : ANEURALNETWORKS_UNMAPPABLE;
	if (result == ANEURALNETWORKS_NO_ERROR)
		*data = (uint8_t *)mapping + arg->offset;
	return result;
}

/* ---- the request ---- */

static uint64_t aligned(uint64_t n)
{
	return (n + ARENA_ALIGN - 1) & ~(uint64_t)(ARENA_ALIGN - 1);
}

static uint32_t pool_of(struct nnr_slot *slot, ANeuralNetworksMemory *memory)
{
	struct nnhal_request_pool *pool;
	uint32_t i;

	for (i = 0; i < slot->request.num_pools; i++)
		if (slot->pool_memories[i] == memory)
			return i;
	pool = &slot->pools[i];
	slot->pool_memories[i] = memory;
	slot->request.num_pools++;
	if (memory->buffer) {
		*pool = (struct nnhal_request_pool){ .is_token = true, .token = memory->token };
		slot->tokens[i] = -1;
		return i;
	}
	*pool = (struct nnhal_request_pool){ .memory = memory->shared };
	slot->tokens[i] = memory->id;
	/* the burst may remember it from now on */
	if (slot->burst)
		atomic_fetch_or_explicit(&slot->used, UINT64_C(1) << (memory->id % 64),
					 memory_order_release);
	return i;
}

/*
 * A whole memory from a descriptor: a device knows its own, and of shared memory it is the operand.
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

static void bind_argument(struct nnr_slot *slot, const struct nnr_argument *arg, uint32_t type,
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
		*arena = aligned(*arena + arg->length);
		return;
	}
	to->pool = pool_of(slot, arg->memory);
	to->offset = arg->offset;
	/* interfaces below level 5 have no word for it */
	if (nnr_slots_device(slot->slots)->feature_level >= 5)
		to->padding = arg->padding;
	if (arg->memory->from_desc && !arg->length)
		bind_whole(arg, type, to);
}

/* nnapi-reference computes on what the host sees: what cannot be mapped is told as such. */
static int check_mappable(const struct nnr_slot *slot)
{
	uint32_t i;
	void *data;

	for (i = 0; i < slot->request.num_pools; i++)
		if (!slot->pools[i].is_token &&
		    nnr_memory_map((ANeuralNetworksMemory *)slot->pool_memories[i], &data) !=
			    ANEURALNETWORKS_NO_ERROR)
			return ANEURALNETWORKS_UNMAPPABLE;
	return ANEURALNETWORKS_NO_ERROR;
}

/* The arena is there: point at it, and fill in the inputs. */
static void stage_inputs(struct nnr_slot *slot)
{
	const struct nnhal_request *r = &slot->request;
	uint32_t pool = pool_of(slot, slot->arena), i;

	for (i = 0; i < r->num_inputs; i++) {
		if (slot->inputs[i]->kind != NNR_ARG_POINTER)
			continue;
		slot->request_args[i].pool = pool;
		memcpy(slot->arena_data + slot->request_args[i].offset, slot->inputs[i]->buffer,
		       slot->inputs[i]->length);
	}
	for (i = 0; i < r->num_outputs; i++)
		if (slot->outputs[i]->kind == NNR_ARG_POINTER)
			slot->request_args[r->num_inputs + i].pool = pool;
}

int nnr_slot_bind(struct nnr_slot *slot)
{
	const struct nnmodel_subgraph *main = &slot->model->main;
	uint64_t arena = 0;
	uint32_t i;
	int result;

	slot->request.num_pools = 0;
	slot->staged = false;
	for (i = 0; i < main->num_inputs; i++)
		bind_argument(slot, slot->inputs[i], main->operands[main->inputs[i]].type,
			      &slot->request_args[i], &arena);
	for (i = 0; i < main->num_outputs; i++)
		bind_argument(slot, slot->outputs[i], main->operands[main->outputs[i]].type,
			      &slot->request_args[main->num_inputs + i], &arena);
	if (nnr_slots_device(slot->slots)->is_reference) {
		result = check_mappable(slot);
		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
	}
	if (!arena)
		return ANEURALNETWORKS_NO_ERROR;
	slot->staged = true;
	result = nnr_slot_reserve(slot, arena);
	if (result == ANEURALNETWORKS_NO_ERROR)
		stage_inputs(slot);
	return result;
}

/* ---- the configuration ---- */

static bool reserve_hints(struct nnr_slot *slot, uint32_t num)
{
	struct nnhal_token_value *hints;
	struct nnmodel_extension *extensions;

	if (num <= slot->max_hints)
		return true;
	hints = realloc(slot->hints, num * sizeof(*hints));
	if (hints)
		slot->hints = hints;
	extensions = realloc(slot->extensions, num * sizeof(*extensions));
	if (extensions)
		slot->extensions = extensions;
	if (!hints || !extensions)
		return false;
	slot->max_hints = num;
	return true;
}

static void name_extension(struct nnr_slot *slot, char *name, uint16_t prefix)
{
	uint32_t i;

	for (i = 0; i < slot->num_extensions; i++)
		if (slot->extensions[i].prefix == prefix)
			return;
	slot->extensions[slot->num_extensions++] =
		(struct nnmodel_extension){ .name = name, .prefix = prefix };
}

static int make_hints(struct nnr_slot *slot, const struct nnr_run *run)
{
	uint32_t i;

	slot->num_hints = 0;
	slot->num_extensions = 0;
	if (!reserve_hints(slot, run->num_attributes))
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (i = 0; i < run->num_attributes; i++) {
		const struct nnr_attribute *a = &run->attributes[i];
		uint16_t prefix;
		int result = nnr_extension_prefix(a->extension, &prefix);

		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
		slot->hints[slot->num_hints++] = (struct nnhal_token_value){
			.token = (uint32_t)prefix << 16 | a->code,
			.value = a->data,
			.size = a->size,
		};
		name_extension(slot, a->extension, prefix);
	}
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_slot_config(struct nnr_slot *slot, const struct nnr_run *run,
		    struct nnhal_execution_config *config)
{
	const uint32_t level = nnr_slots_device(slot->slots)->feature_level;
	int result;

	*config = (struct nnhal_execution_config){
		.size = sizeof(*config),
		.measure_timing = run->measure && level >= 3,
		.loop_timeout_ns = level >= 4 ? (int64_t)run->loop_timeout_ns : NNHAL_NO_TIME,
	};
	if (!run->num_attributes || level < 8)
		return ANEURALNETWORKS_NO_ERROR;
	result = make_hints(slot, run);
	config->hints = slot->hints;
	config->num_hints = slot->num_hints;
	config->extensions = slot->extensions;
	config->num_extensions = slot->num_extensions;
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

static void executed(void *cookie, enum nnhal_status status,
		     const struct nnhal_execution_result *result)
{
	static const struct nnhal_execution_result none = NNHAL_EXECUTION_RESULT_INIT;
	static const struct nnmodel_sized sized =
		NNMODEL_SIZED(nnhal_execution_result, timing, &none);
	struct nnhal_execution_result older;
	struct waiting *w = cookie;

	/* these devices say neither shapes nor times */
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

	prepared->ops->execute(prepared, request, config, NNHAL_NO_TIME, executed, &w);
	pthread_mutex_lock(&w.lock);
	while (!w.done)
		pthread_cond_wait(&w.cond, &w.lock);
	pthread_mutex_unlock(&w.lock);
	return w.status;
}

static enum nnhal_status call(struct nnr_slot *slot, const struct nnhal_execution_config *config,
			      int64_t deadline_ns, struct nnhal_execution_result *result)
{
	struct nnhal_prepared_model *prepared = nnr_slots_prepared(slot->slots);
	const uint32_t level = nnr_slots_device(slot->slots)->feature_level;

	if (level < 3)
		return execute_and_wait(prepared, &slot->request, config, result);
	if (level < 4)
		deadline_ns = NNHAL_NO_TIME;
	if (slot->burst)
		return slot->burst->ops->execute_synchronously(slot->burst, &slot->request,
							       slot->tokens,
							       slot->request.num_pools, config,
							       deadline_ns, result);
	return prepared->ops->execute_synchronously(prepared, &slot->request, config, deadline_ns,
						    result);
}

/* ---- the answer ---- */

/* What is known of an output without the device: what was said, or what its memory is. */
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

/* Takes over what the device says; false: it contradicts what is known. */
static bool refine(struct nnhal_output_shape *shape, const struct nnhal_output_shape *said)
{
	uint32_t i;

	if (said->rank > NNR_MAX_RANK || (shape->rank && said->rank != shape->rank))
		return false;
	for (i = 0; i < shape->rank; i++)
		if (shape->dims[i] && said->dims[i] != shape->dims[i])
			return false;
	shape->rank = said->rank;
	if (shape->rank)
		memcpy(shape->dims, said->dims, shape->rank * sizeof(*shape->dims));
	shape->sufficient = said->sufficient;
	return true;
}

static const char *check_shape(const struct nnr_argument *arg, uint32_t type,
			       bool complete_declared, const struct nnhal_output_shape *shape,
			       bool success)
{
	uint64_t bytes = nnr_shape_bytes(type, shape->rank, shape->dims);

	if (bytes == UINT64_MAX)
		return "an output of 4 GiB or more";
	if (!success)
		return NULL;
	if (!shape->sufficient)
		return "success, but an output was too small";
	if (nnr_type_is_tensor(type) && !shape->rank)
		return "success, but an output without a rank";
	/* whole memories from descriptors have no length of their own */
	if (!complete_declared && arg->length && bytes > arg->length)
		return "an output that is larger than its place";
	return NULL;
}

static int contradiction(const struct nnr_slot *slot, uint32_t output, const char *why)
{
	nnr_log(NNR_LOG_ERROR, "%s answered with %s (output %u)",
		nnr_slots_device(slot->slots)->name, why, output);
	return ANEURALNETWORKS_OP_FAILED;
}

static int judge_output(struct nnr_slot *slot, uint32_t index,
			const struct nnhal_output_shape *said, bool success)
{
	const struct nnmodel_subgraph *main = &slot->model->main;
	const uint32_t type = main->operands[main->outputs[index]].type;
	const struct nnr_argument *arg = slot->outputs[index];
	struct nnhal_output_shape *shape = &slot->shapes[index];
	const char *wrong;
	bool complete;

	declare(arg, type, shape);
	if (arg->kind == NNR_ARG_NO_VALUE)
		return ANEURALNETWORKS_NO_ERROR;
	complete = nnr_dims_complete(type, shape->dims, shape->rank);
	/* some output is too small, and nobody says which */
	if (!said && !success)
		shape->sufficient = false;
	if (!said)
		return complete || !success
			       ? ANEURALNETWORKS_NO_ERROR
			       : contradiction(slot, index,
					       "no shape of an output whose shape it had to find");
	if (!refine(shape, said))
		return contradiction(slot, index, "dimensions that are not those asked for");
	wrong = check_shape(arg, type, complete, shape, success);
	return wrong ? contradiction(slot, index, wrong) : ANEURALNETWORKS_NO_ERROR;
}

static int judge(struct nnr_slot *slot, bool success, const struct nnhal_execution_result *result)
{
	const uint32_t num = slot->model->main.num_outputs;
	uint32_t i, insufficient = 0;
	int judged;

	if (result->num_shapes && result->num_shapes != num)
		return contradiction(slot, result->num_shapes,
				     "shapes of other outputs than it has");
	for (i = 0; i < num; i++) {
		judged = judge_output(slot, i, result->num_shapes ? &result->shapes[i] : NULL,
				      success);
		if (judged != ANEURALNETWORKS_NO_ERROR)
			return judged;
		insufficient += !slot->shapes[i].sufficient;
	}
	if (!success && !insufficient)
		return contradiction(slot, 0, "too small an output, but none that is too small");
	return success ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
}

static void copy_outputs(struct nnr_slot *slot)
{
	const struct nnmodel_subgraph *main = &slot->model->main;
	uint32_t i;

	for (i = 0; i < main->num_outputs; i++) {
		const struct nnr_argument *arg = slot->outputs[i];
		const struct nnhal_output_shape *shape = &slot->shapes[i];
		uint64_t bytes;

		if (arg->kind != NNR_ARG_POINTER)
			continue;
		bytes = nnr_shape_bytes(main->operands[main->outputs[i]].type, shape->rank,
					shape->dims);
		/* of types whose size nobody but the device knows */
		if (!bytes && !nnmodel_type_size(main->operands[main->outputs[i]].type))
			bytes = arg->length;
		memcpy(arg->buffer,
		       slot->arena_data + slot->request_args[main->num_inputs + i].offset,
		       bytes < arg->length ? bytes : arg->length);
	}
}

int nnr_slot_execute(struct nnr_slot *slot, const struct nnr_run *run, int64_t deadline_ns)
{
	NNTRACE_RT(NNTRACE_PHASE_INPUTS_AND_OUTPUTS, "nnr_slot_execute");
	struct nnhal_execution_config config;
	struct nnhal_execution_result answer = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;
	int result = nnr_slot_bind(slot);

	slot->timing = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_slot_config(slot, run, &config);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	NNTRACE_FULL_SWITCH(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION,
			    "nnr_slot_execute::execute");
	status = call(slot, &config, deadline_ns, &answer);
	NNTRACE_RT_SWITCH(NNTRACE_PHASE_RESULTS, "nnr_slot_execute::results");
	if (status == NNHAL_NONE || status == NNHAL_OUTPUT_INSUFFICIENT_SIZE) {
		result = judge(slot, status == NNHAL_NONE, &answer);
		if (result == ANEURALNETWORKS_NO_ERROR) {
			slot->timing = answer.timing;
			copy_outputs(slot);
		}
	} else {
		result = nnr_deadline_answer(nnhal_status_result_code(status), deadline_ns);
		nnr_log_status(NNR_LOG_WARNING, nnr_slots_device(slot->slots), "execute", status,
			       answer.message);
	}
	nnhal_execution_result_clear(&answer);
	return result;
}
