// SPDX-License-Identifier: Apache-2.0
/*
 * From a request to the argument table of a job. The binding holds everything that the execution
 * needs, also for asynchronous and fenced executions: the caller's request and descriptors may go
 * away.
 *
 * An argument is used in place if the device reaches its pool and it is aligned for its type there.
 * Otherwise it goes through the staging area: result first, then each staged argument at a multiple
 * of 64.
 */
#include "execute/nnhal_execute.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "values/nnhal_values.h"
#include "base/nnhal_base.h"
#include "nnutil_align.h"
#include "nnutil_clock.h"
#include "nnprog_shape.h"

#define STAGING_ALIGN 64u
#define MAX_POOLS 65536u

static enum nnhal_status import_pools(struct nnhal_binding *b,
				      const struct nnhal_request_state *state, char *message)
{
	for (uint32_t i = 0; i < b->num_pools; i++) {
		const struct nnhal_memory *memory = &state->request->pools[i].memory;
		struct nnhal_pool *pool = &b->pools[i];
		int ret;

		if ((!pool->read && !pool->write) || pool->buffer)
			continue;
		if (state->memories)
			ret = nnhal_memories_get(state->memories, state->tokens[i], memory,
						 &pool->id, pool->write, &pool->import);
		else
			ret = nnhal_import_get(&b->pm->dev->imports, memory, &pool->id, pool->write,
					       &pool->import);
		if (ret)
			return nnhal_refuse(message, nnhal_status_of(NNHAL_NO_JOB, ret),
					    "pool %u: cannot import its memory: %s", i,
					    strerror(-ret));
	}
	return NNHAL_NONE;
}

/*
 * Tell the device a shape that the program does not know. The shape of an output's device buffer is
 * left out: it is compared with what was produced afterwards.
 */
static void set_shape(struct nnaccel_arg *arg, const struct nnhal_io *io,
		      const struct nnhal_request_argument *from, const struct nnhal_buf *buffer)
{
	uint32_t rank, dims[NNPROG_MAX_RANK];

	if (io->complete)
		return;
	nnhal_io_shape(io, from, buffer, &rank, dims);
	arg->rank = rank;
	for (uint32_t i = 0; i < rank; i++)
		arg->dims[i] = dims[i];
}

static void binding_stage(struct nnhal_binding *b, uint64_t *staging_size,
			  const struct nnhal_staged_arg *what)
{
	struct nnhal_staged_arg *s = &b->staged[b->num_staged++];

	*s = *what;
	s->staging_offset = *staging_size;
	*staging_size = nnutil_align_up(*staging_size + what->length, STAGING_ALIGN);
	if (what->output && what->import)
		b->staged_out = true;
	if (!what->output)
		b->staged_in = true;
}

static int bind_argument(struct nnhal_binding *b, const struct nnhal_request *request,
			 uint32_t index, uint64_t *staging_size)
{
	bool output = index >= b->pm->num_inputs;
	uint32_t n = output ? index - b->pm->num_inputs : index;
	const struct nnhal_io *io = output ? &b->pm->outputs[n] : &b->pm->inputs[n];
	const struct nnhal_request_argument *from = output ? &request->outputs[n]
							   : &request->inputs[n];
	struct nnaccel_arg *arg = &b->args[index];
	struct nnhal_staged_arg s = { .arg = index, .output = output };
	struct nnhal_buf *buffer;
	uint32_t rank, dims[NNPROG_MAX_RANK];
	uint64_t addr;
	int ret;

	if (from->has_no_value && !output) {
		arg->flags = NNACCEL_ARG_OMITTED;
		return 0;
	}
	if (from->has_no_value) {
		set_shape(arg, io, from, NULL);
		nnhal_io_shape(io, from, NULL, &rank, dims);
		ret = nnmodel_shape_bytes(io->element, rank, dims, &s.length);
		arg->size = s.length;
		binding_stage(b, staging_size, &s);
		return ret;
	}
	buffer = b->pools[from->pool].buffer;
	set_shape(arg, io, from, output ? NULL : buffer);
	if (buffer) {
		b->buffers[index] = buffer;
		arg->addr = buffer->mem->addr;
		arg->size = buffer->bytes;
		b->in_place += buffer->bytes;
		return 0;
	}
	arg->size = from->length;
	s.import = b->pools[from->pool].import;
	if (s.import->mem) {
		addr = s.import->mem->addr + from->offset;
		if (addr % io->element == 0) {
			arg->addr = addr;
			b->in_place += from->length;
			return 0;
		}
	}
	ret = nnhal_import_map(&b->pm->dev->imports, s.import, &request->pools[from->pool].memory);
	if (ret)
		return ret;
	s.offset = from->offset;
	s.length = from->length;
	binding_stage(b, staging_size, &s);
	return 0;
}

/* Give staged arguments their addresses, and list the memory that the job touches. */
static int binding_place(struct nnhal_binding *b, uint64_t staging_size)
{
	int ret = nnhal_staging_get(b->pm, staging_size, &b->staging);
	uint32_t i;

	if (ret)
		return ret;
	for (i = 0; i < b->num_staged; i++)
		b->args[b->staged[i].arg].addr =
			b->staging->mem->addr + b->staged[i].staging_offset;
	b->mems[b->num_mems++] = (struct nnhal_tref){ b->pm->program, false };
	b->mems[b->num_mems++] = (struct nnhal_tref){ b->staging->mem, true };
	for (i = 0; i < b->num_pools; i++) {
		const struct nnhal_pool *pool = &b->pools[i];

		if (pool->buffer && (pool->read || pool->write))
			b->mems[b->num_mems++] =
				(struct nnhal_tref){ pool->buffer->mem, pool->write };
		else if (pool->import && pool->import->mem)
			b->mems[b->num_mems++] =
				(struct nnhal_tref){ pool->import->mem, pool->import->write };
	}
	return 0;
}

struct nnhal_binding *nnhal_binding_new(struct nnhal_pm *pm)
{
	uint32_t num_args = pm->num_inputs + pm->num_outputs;
	struct nnhal_binding *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	atomic_init(&b->refs, 1);
	b->pm = nnhal_pm_get(pm);
	b->num_args = num_args;
	b->num_op_times = nnhal_op_times_wanted(pm);
	b->result_size = sizeof(struct nnaccel_result) +
			 (uint64_t)pm->num_outputs * sizeof(struct nnaccel_output_shape) +
			 (uint64_t)b->num_op_times * sizeof(struct nnaccel_op_time);
	b->args = calloc(num_args + 1, sizeof(*b->args));
	b->buffers = calloc(num_args + 1, sizeof(struct nnhal_buf *));
	b->writes = calloc(num_args + 1, sizeof(*b->writes));
	b->staged = calloc(num_args + 1, sizeof(*b->staged));
	b->judged = malloc((pm->num_outputs + 1) * sizeof(*b->judged) + b->result_size);
	if (b->args && b->buffers && b->writes && b->staged && b->judged)
		return b;
	nnhal_unbind(b);
	return NULL;
}

/* Make room for the pools of a request. The arrays of a reused binding only grow. */
static int reserve_pools(struct nnhal_binding *b, uint32_t count)
{
	struct nnhal_pool *pools;
	struct nnhal_tref *mems;

	if (b->pools && count <= b->max_pools)
		return 0;
	pools = calloc((size_t)count + 1, sizeof(*pools));
	mems = calloc((size_t)count + 2, sizeof(*mems));
	if (!pools || !mems) {
		free(pools);
		free(mems);
		return -ENOMEM;
	}
	free(b->pools);
	free(b->mems);
	b->pools = pools;
	b->mems = mems;
	b->max_pools = count;
	return 0;
}

void nnhal_binding_empty(struct nnhal_binding *b)
{
	for (uint32_t i = 0; i < b->num_pools; i++) {
		if (b->pools[i].import)
			nnhal_import_put(&b->pm->dev->imports, b->pools[i].import);
		if (b->pools[i].buffer)
			nnhal_buf_put(b->pools[i].buffer);
	}
	if (b->staging)
		nnhal_staging_put(b->pm, b->staging);
	b->staging = NULL;
	b->num_pools = b->num_mems = b->num_staged = 0;
	b->staged_in = b->staged_out = b->complete = false;
	b->in_place = 0;
}

struct nnhal_binding *nnhal_binding_get(struct nnhal_binding *b)
{
	atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
	return b;
}

bool nnhal_binding_try(struct nnhal_binding *b)
{
	if (atomic_exchange_explicit(&b->busy, true, memory_order_acq_rel))
		return false;
	nnhal_binding_get(b);
	return true;
}

void nnhal_binding_release(struct nnhal_binding *b)
{
	atomic_store_explicit(&b->busy, false, memory_order_release);
	nnhal_unbind(b);
}

void nnhal_unbind(struct nnhal_binding *b)
{
	if (atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
		return;
	nnhal_binding_empty(b);
	free(b->args);
	free(b->buffers);
	free(b->writes);
	free(b->staged);
	free(b->mems);
	free(b->pools);
	free(b->judged);
	nnhal_pm_put(b->pm);
	free(b);
}

static enum nnhal_status binding_fill(struct nnhal_binding *b,
				      const struct nnhal_request_state *state, char *message)
{
	enum nnhal_status status = import_pools(b, state, message);
	uint64_t staging_size = nnutil_align_up(b->result_size, STAGING_ALIGN);
	int ret = 0;

	if (status)
		return status;
	memset(b->args, 0, b->num_args * sizeof(*b->args));
	memset(b->buffers, 0, b->num_args * sizeof(struct nnhal_buf *));
	for (uint32_t i = 0; i < b->num_args && !ret; i++)
		ret = bind_argument(b, state->request, i, &staging_size);
	if (!ret)
		ret = binding_place(b, staging_size);
	if (ret)
		nnhal_message(message, "no memory to stage the request: %s", strerror(-ret));
	return nnhal_status_of(NNHAL_NO_JOB, ret);
}

static uint64_t loop_limit(const struct nnhal_execution_config *config)
{
	int64_t ns = config->loop_timeout_ns;

	if (ns == NNHAL_NO_TIME)
		return NNHAL_LOOP_TIMEOUT_DEFAULT_NS;
	return ns > 0 ? (uint64_t)ns : 1; /* 0 is the device's default */
}

static bool request_matches(const struct nnhal_request *request, const struct nnhal_pm *pm)
{
	return request->num_inputs == pm->num_inputs && request->num_outputs == pm->num_outputs &&
	       request->num_pools <= MAX_POOLS && (request->inputs || !request->num_inputs) &&
	       (request->outputs || !request->num_outputs) &&
	       (request->pools || !request->num_pools);
}

enum nnhal_status nnhal_bind_fill(struct nnhal_binding *b, struct nnhal_request_state *state,
				  char *message)
{
	NNHAL_TRACE_PE("bind");
	const struct nnhal_pm *pm = b->pm;
	enum nnhal_status status;

	if (!request_matches(state->request, pm))
		return nnhal_refuse(
			message, NNHAL_INVALID_ARGUMENT,
			"the request does not match the model's %u inputs and %u outputs",
			pm->num_inputs, pm->num_outputs);
	if (reserve_pools(b, state->request->num_pools))
		return nnhal_refuse(message, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT, "out of memory");
	b->measure = state->config->measure_timing;
	/* reading the clock may be a system call: in a burst only if the time is used */
	b->start_ns = !b->lean || b->measure || state->deadline_ns != NNHAL_NO_TIME
			      ? nnutil_monotonic_ns()
			      : 0;
	b->loop_ns = loop_limit(state->config);
	b->num_pools = state->request->num_pools;
	memset(b->pools, 0, b->num_pools * sizeof(*b->pools));
	state->pm = pm;
	state->pools = b->pools;
	status = nnhal_request_check(state, message);
	if (!status)
		status = binding_fill(b, state, message);
	b->complete = state->complete;
	if (status)
		nnhal_binding_empty(b);
	return status;
}

enum nnhal_status nnhal_bind(struct nnhal_pm *pm, const struct nnhal_request *request,
			     const struct nnhal_execution_config *config, int64_t deadline_ns,
			     struct nnhal_binding **binding, char *message)
{
	struct nnhal_request_state state = { .request = request,
					     .config = config,
					     .deadline_ns = deadline_ns };
	struct nnhal_binding *b;
	enum nnhal_status status;

	*binding = NULL;
	status = nnhal_request_begin(&state, message);
	if (status)
		return status;
	if (nnhal_inherited(pm->dev))
		return nnhal_dead(message);
	b = nnhal_binding_new(pm);
	if (!b)
		return nnhal_refuse(message, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT, "out of memory");
	status = nnhal_bind_fill(b, &state, message);
	if (status)
		nnhal_unbind(b);
	else
		*binding = b;
	return status;
}

enum nnhal_status nnhal_binding_ready(struct nnhal_binding *b,
				      struct nnhal_promise *const *waited_for,
				      uint32_t num_waited_for, char *message)
{
	for (uint32_t i = 0; i < b->pm->num_inputs; i++)
		if (b->buffers[i] && !nnhal_buf_readable(b->buffers[i], waited_for, num_waited_for))
			return nnhal_refuse(message, NNHAL_GENERAL_FAILURE,
					    "input %u: its device buffer is not initialised", i);
	return NNHAL_NONE;
}

void nnhal_binding_begin(struct nnhal_binding *b, struct nnhal_promise *writer)
{
	for (uint32_t i = b->pm->num_inputs; i < b->num_args; i++)
		if (b->buffers[i])
			b->writes[i] = nnhal_buf_begin(b->buffers[i], writer);
}

void nnhal_binding_done(struct nnhal_binding *b, struct nnhal_promise *writer,
			enum nnhal_status status)
{
	for (uint32_t i = b->pm->num_inputs; i < b->num_args; i++)
		if (b->buffers[i])
			nnhal_buf_end(b->buffers[i], b->writes[i], writer, status == NNHAL_NONE);
}

void nnhal_binding_stage_in(struct nnhal_binding *b)
{
	NNHAL_TRACE_PE("stage inputs");
	uint8_t *staging = b->staging->mem->cpu;
	uint64_t bytes = 0;

	memset(staging, 0, b->result_size);
	for (uint32_t i = 0; i < b->num_staged; i++) {
		const struct nnhal_staged_arg *s = &b->staged[i];

		if (s->output)
			continue;
		nnhal_import_cpu_begin(s->import, false);
		memcpy(staging + s->staging_offset, s->import->cpu + s->offset, s->length);
		nnhal_import_cpu_end(s->import, false);
		bytes += s->length;
	}
	atomic_fetch_add_explicit(&b->pm->dev->counters.staged_in, bytes, memory_order_relaxed);
}

void nnhal_binding_stage_out(struct nnhal_binding *b, const uint64_t *sizes)
{
	const uint8_t *staging = b->staging->mem->cpu;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < b->num_staged; i++) {
		const struct nnhal_staged_arg *s = &b->staged[i];
		uint64_t size;

		if (!s->output || !s->import)
			continue;
		size = sizes[s->arg - b->pm->num_inputs];
		if (size > s->length)
			size = s->length;
		nnhal_import_cpu_begin(s->import, true);
		memcpy(s->import->cpu + s->offset, staging + s->staging_offset, size);
		nnhal_import_cpu_end(s->import, true);
		bytes += size;
	}
	atomic_fetch_add_explicit(&b->pm->dev->counters.staged_out, bytes, memory_order_relaxed);
}

void nnhal_binding_submit(const struct nnhal_binding *b, uint64_t deadline_ns,
			  struct nnhal_tsubmit *submit)
{
	*submit = (struct nnhal_tsubmit){
		.program_addr = b->pm->program->addr + b->pm->program_offset,
		.program_size = b->pm->program_size,
		.program_generation = b->pm->generation,
		.result_addr = b->staging->mem->addr,
		.result_size = b->result_size,
		.deadline_ns = deadline_ns,
		.loop_ns = b->loop_ns,
		.args = b->args,
		.num_args = b->num_args,
		.mems = b->mems,
		.num_mems = b->num_mems,
	};
}
