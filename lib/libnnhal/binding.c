// SPDX-License-Identifier: Apache-2.0
/*
 * From a request to the argument table of a job. The binding holds all that the execution needs, so the
 * caller's request and descriptors may go away: it is what asynchronous and fenced executions carry.
 *
 * An argument is used in place when the device reaches its pool and it is aligned for its type there;
 * otherwise it goes through the slot: result first, then each staged argument at a multiple of 64.
 */
#include <stdlib.h>
#include <string.h>

#include "hal.h"

#define SLOT_ALIGN	64u
#define MAX_POOLS	65536u

static uint64_t align_up(uint64_t n)
{
	return (n + SLOT_ALIGN - 1) & ~(uint64_t)(SLOT_ALIGN - 1);
}

static enum nnhal_status import_pools(struct nnhal_binding *b, const struct nnhal_request *request,
				      const struct nnhal_pool_view *views, char *message)
{
	for (uint32_t i = 0; i < request->num_pools; i++) {
		int ret;

		if (!views[i].read && !views[i].write)
			continue;
		ret = nnhal_import_get(b->pm->dev, &request->pools[i].memory, &views[i].id,
				       views[i].write, &b->imports[i]);
		if (ret) {
			nnhal_message(message, "pool %u cannot be used: %s", i, strerror(-ret));
			return nnhal_status_of(NNHAL_NO_JOB, ret);
		}
	}
	return NNHAL_NONE;
}

/* What the device is told of a shape: nothing when the program knows it already. */
static void set_shape(struct nnaccel_arg *arg, const struct nnhal_io *io,
		      const struct nnhal_request_argument *from)
{
	uint32_t rank, dims[NNPROG_MAX_RANK];

	if (io->complete)
		return;
	nnhal_io_shape(io, from, &rank, dims);
	arg->rank = rank;
	for (uint32_t i = 0; i < rank; i++)
		arg->dims[i] = dims[i];
}

static void stage(struct nnhal_binding *b, uint64_t *slot_size, const struct nnhal_staged *what)
{
	struct nnhal_staged *s = &b->staged[b->num_staged++];

	*s = *what;
	s->slot_offset = *slot_size;
	*slot_size = align_up(*slot_size + what->length);
	if (what->output && what->import)
		b->staged_out = true;
	if (!what->output)
		b->staged_in = true;
}

static int bind_argument(struct nnhal_binding *b, const struct nnhal_request *request, uint32_t index,
			 uint64_t *slot_size)
{
	bool output = index >= b->pm->num_inputs;
	uint32_t n = output ? index - b->pm->num_inputs : index;
	const struct nnhal_io *io = output ? &b->pm->outputs[n] : &b->pm->inputs[n];
	const struct nnhal_request_argument *from = output ? &request->outputs[n] : &request->inputs[n];
	struct nnaccel_arg *arg = &b->args[index];
	struct nnhal_staged s = { .arg = index, .output = output };
	uint32_t rank, dims[NNPROG_MAX_RANK];
	uint64_t addr;
	int ret;

	if (from->has_no_value && !output) {
		arg->flags = NNACCEL_ARG_OMITTED;
		return 0;
	}
	set_shape(arg, io, from);
	if (from->has_no_value) {
		nnhal_io_shape(io, from, &rank, dims);
		ret = nnhal_shape_bytes(io->element, rank, dims, &s.length);
		arg->size = s.length;
		stage(b, slot_size, &s);
		return ret;
	}
	arg->size = from->length;
	s.import = b->imports[from->pool];
	if (s.import->mem) {
		addr = s.import->mem->addr + from->offset;
		if (addr % io->element == 0) {
			arg->addr = addr;
			b->in_place += from->length;
			return 0;
		}
	}
	ret = nnhal_import_map(b->pm->dev, s.import, &request->pools[from->pool].memory);
	if (ret)
		return ret;
	s.offset = from->offset;
	s.length = from->length;
	stage(b, slot_size, &s);
	return 0;
}

/* Give staged arguments their addresses and list what the job touches. */
static int place(struct nnhal_binding *b, uint64_t slot_size)
{
	int ret = nnhal_slot_get(b->pm, slot_size, &b->slot);
	uint32_t i;

	if (ret)
		return ret;
	for (i = 0; i < b->num_staged; i++)
		b->args[b->staged[i].arg].addr = b->slot->mem->addr + b->staged[i].slot_offset;
	b->mems[b->num_mems++] = (struct nnhal_tref){ b->pm->program, false };
	b->mems[b->num_mems++] = (struct nnhal_tref){ b->slot->mem, true };
	for (i = 0; i < b->num_imports; i++)
		if (b->imports[i] && b->imports[i]->mem)
			b->mems[b->num_mems++] =
				(struct nnhal_tref){ b->imports[i]->mem, b->imports[i]->write };
	return 0;
}

static struct nnhal_binding *binding_alloc(struct nnhal_pm *pm, uint32_t num_pools)
{
	uint32_t num_args = pm->num_inputs + pm->num_outputs;
	struct nnhal_binding *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->pm = nnhal_pm_get(pm);
	b->num_args = num_args;
	b->num_imports = num_pools;
	b->args = calloc(num_args + 1, sizeof(*b->args));
	b->staged = calloc(num_args + 1, sizeof(*b->staged));
	b->mems = calloc(num_pools + 2, sizeof(*b->mems));
	b->imports = calloc(num_pools + 1, sizeof(struct nnhal_import *));
	if (b->args && b->staged && b->mems && b->imports)
		return b;
	b->num_imports = b->imports ? num_pools : 0;
	nnhal_unbind(b);
	return NULL;
}

void nnhal_unbind(struct nnhal_binding *b)
{
	for (uint32_t i = 0; i < b->num_imports; i++)
		if (b->imports[i])
			nnhal_import_put(b->pm->dev, b->imports[i]);
	if (b->slot)
		nnhal_slot_put(b->pm, b->slot);
	free(b->args);
	free(b->staged);
	free(b->mems);
	free(b->imports);
	nnhal_pm_put(b->pm);
	free(b);
}

static enum nnhal_status fill(struct nnhal_binding *b, const struct nnhal_request *request,
			      const struct nnhal_pool_view *views, char *message)
{
	enum nnhal_status status;
	uint64_t slot_size;
	int ret = 0;

	status = import_pools(b, request, views, message);
	if (status)
		return status;
	b->result_size = sizeof(struct nnaccel_result) +
			 (uint64_t)b->pm->num_outputs * sizeof(struct nnaccel_output_shape);
	slot_size = align_up(b->result_size);
	for (uint32_t i = 0; i < b->num_args && !ret; i++)
		ret = bind_argument(b, request, i, &slot_size);
	if (!ret)
		ret = place(b, slot_size);
	if (ret)
		nnhal_message(message, "no memory to stage the request: %s", strerror(-ret));
	return nnhal_status_of(NNHAL_NO_JOB, ret);
}

static uint64_t loop_limit(const struct nnhal_execution_config *config)
{
	int64_t ns = config->loop_timeout_ns;

	if (ns == NNHAL_NO_TIME)
		return NNHAL_LOOP_TIMEOUT_DEFAULT_NS;
	return ns > 0 ? (uint64_t)ns : 1;	/* 0 would be the device's default */
}

enum nnhal_status nnhal_bind(struct nnhal_pm *pm, const struct nnhal_request *request,
			     const struct nnhal_execution_config *config, bool complete,
			     struct nnhal_binding **binding, char *message)
{
	int64_t start_ns = nnhal_monotonic_ns();
	struct nnhal_pool_view *views;
	struct nnhal_binding *b = NULL;
	enum nnhal_status status;

	*binding = NULL;
	if (!request || request->num_inputs != pm->num_inputs ||
	    request->num_outputs != pm->num_outputs || request->num_pools > MAX_POOLS ||
	    (!request->inputs && request->num_inputs) || (!request->outputs && request->num_outputs) ||
	    (!request->pools && request->num_pools)) {
		nnhal_message(message, "the request has not the model's %u inputs and %u outputs",
			      pm->num_inputs, pm->num_outputs);
		return NNHAL_INVALID_ARGUMENT;
	}
	views = calloc(request->num_pools + 1, sizeof(*views));
	if (!views)
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	status = nnhal_request_check(pm, request, complete, views, message);
	if (!status) {
		b = binding_alloc(pm, request->num_pools);
		status = b ? fill(b, request, views, message) : NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}
	free(views);
	if (status) {
		if (b)
			nnhal_unbind(b);
		return status;
	}
	b->measure = config->measure_timing;
	b->loop_ns = loop_limit(config);
	b->start_ns = start_ns;
	*binding = b;
	return NNHAL_NONE;
}

void nnhal_binding_stage_in(struct nnhal_binding *b)
{
	uint8_t *slot = b->slot->mem->cpu;
	uint64_t bytes = 0;

	memset(slot, 0, b->result_size);
	for (uint32_t i = 0; i < b->num_staged; i++) {
		const struct nnhal_staged *s = &b->staged[i];

		if (s->output)
			continue;
		nnhal_import_cpu_begin(s->import, false);
		memcpy(slot + s->slot_offset, s->import->cpu + s->offset, s->length);
		nnhal_import_cpu_end(s->import, false);
		bytes += s->length;
	}
	atomic_fetch_add_explicit(&b->pm->dev->counters.staged_in, bytes, memory_order_relaxed);
}

void nnhal_binding_stage_out(struct nnhal_binding *b, const uint64_t *sizes)
{
	const uint8_t *slot = b->slot->mem->cpu;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < b->num_staged; i++) {
		const struct nnhal_staged *s = &b->staged[i];
		uint64_t size;

		if (!s->output || !s->import)
			continue;
		size = sizes[s->arg - b->pm->num_inputs];
		if (size > s->length)
			size = s->length;
		nnhal_import_cpu_begin(s->import, true);
		memcpy(s->import->cpu + s->offset, slot + s->slot_offset, size);
		nnhal_import_cpu_end(s->import, true);
		bytes += size;
	}
	atomic_fetch_add_explicit(&b->pm->dev->counters.staged_out, bytes, memory_order_relaxed);
}

void nnhal_binding_submit(const struct nnhal_binding *b, uint64_t deadline_ns,
			  struct nnhal_tsubmit *submit)
{
	*submit = (struct nnhal_tsubmit){
		.program_addr = b->pm->program->addr,
		.program_size = b->pm->program_size,
		.program_generation = b->pm->generation,
		.result_addr = b->slot->mem->addr,
		.result_size = b->result_size,
		.deadline_ns = deadline_ns,
		.loop_ns = b->loop_ns,
		.args = b->args,
		.num_args = b->num_args,
		.mems = b->mems,
		.num_mems = b->num_mems,
	};
}
