// SPDX-License-Identifier: Apache-2.0
/*
 * Arguments of a run are checked against the program, then their memory is mapped. A tensor is used
 * in the client's memory, unless it is misaligned for its elements or a shape rule reads its
 * contents: then it is staged in the arena, so that it cannot change between check and use.
 */
#include <errno.h>
#include <string.h>

#include "nnprog_format.h"
#include "core_program.h"
#include "core_run.h"

static const char *kind(const struct run *run, uint32_t arg)
{
	return arg < run->program->main->num_inputs ? "input" : "output";
}

static uint32_t bind_number(const struct run *run, uint32_t arg)
{
	uint32_t inputs = run->program->main->num_inputs;

	return arg < inputs ? arg : arg - inputs;
}

#define BAD(run, arg, format, ...)                                                   \
	nnfw_fail(&(run)->job->error, NNACCEL_STATUS_BAD_ARGUMENT, "%s %u: " format, \
		  kind(run, arg), bind_number(run, arg), ##__VA_ARGS__)

/** The shape of an argument; for outputs an extent of 0 is unknown. */
static uint32_t given_shape(struct run *run, uint32_t n, struct nnprog_shape *shape)
{
	const struct nnaccel_arg *arg = &run->job->args[n];
	bool output = n >= run->program->main->num_inputs;

	*shape = (struct nnprog_shape){ .rank = NNPROG_RANK_UNKNOWN };
	if (arg->rank > NNPROG_MAX_RANK)
		return BAD(run, n, "rank %u", arg->rank);
	for (uint32_t i = arg->rank; i < NNPROG_MAX_RANK; i++)
		if (arg->dims[i])
			return BAD(run, n, "dimension %u beyond rank %u", i, arg->rank);
	if (!arg->rank)
		return NNACCEL_STATUS_OK;
	shape->rank = arg->rank;
	for (uint32_t i = 0; i < arg->rank; i++) {
		if (arg->dims[i] == NNPROG_DIM_UNKNOWN)
			return BAD(run, n, "dimension %u is too large", i);
		shape->dims[i] = output && !arg->dims[i] ? NNPROG_DIM_UNKNOWN : arg->dims[i];
	}
	return NNACCEL_STATUS_OK;
}

static uint32_t check_input(struct run *run, uint32_t n)
{
	const struct nnaccel_arg *arg = &run->job->args[n];
	struct nnfw_tensor *t = &run->main.tensors[run->args[n].tensor];
	struct nnprog_shape given, shape;
	uint32_t status;

	status = given_shape(run, n, &given);
	if (status)
		return status;
	if (arg->flags & NNACCEL_ARG_OMITTED) {
		if (arg->addr || arg->size || arg->rank)
			return BAD(run, n, "omitted, but has an address, a size or a rank");
		t->omitted = true;
		run->main.omitted = true;
		return NNACCEL_STATUS_OK;
	}
	nnfw_tensor_shape(t, &shape);
	if (nnprog_shape_merge(&shape, &given))
		return BAD(run, n, "shape differs from the program's");
	nnfw_tensor_set_shape(t, &shape);
	if (!nnfw_tensor_complete(t))
		return BAD(run, n, "shape is not complete");
	if (nnfw_tensor_sizes(t))
		return BAD(run, n, "tensor is too large");
	if (t->num_scales && t->dims[t->channel_dim] != t->num_scales)
		return BAD(run, n, "channels differ from the program's");
	if (arg->size != t->size)
		return BAD(run, n, "%llu bytes, but the tensor has %zu",
			   (unsigned long long)arg->size, t->size);
	return NNACCEL_STATUS_OK;
}

/**
 * Check the known part of an output's shape against the argument. The client may not know the shape
 * that the program infers, so a mismatch is a failure of the operation, not a bad argument.
 */
static uint32_t check_given(struct run *run, uint32_t n, const struct nnfw_tensor *t)
{
	struct nnprog_shape shape;

	nnfw_tensor_shape(t, &shape);
	if (nnprog_shape_merge(&shape, &run->args[n].given))
		return nnfw_fail(&run->job->error, NNACCEL_STATUS_EXEC_FAILED,
				 "output %u has another shape than the argument says",
				 bind_number(run, n));
	return NNACCEL_STATUS_OK;
}

static uint32_t check_output(struct run *run, uint32_t n)
{
	const struct nnfw_tensor *t = &run->main.tensors[run->args[n].tensor];
	uint32_t status;

	if (run->job->args[n].flags & NNACCEL_ARG_OMITTED)
		return BAD(run, n, "cannot be omitted");
	status = given_shape(run, n, &run->args[n].given);
	if (status)
		return status;
	return check_given(run, n, t);
}

uint32_t nnfw_bind_check(struct run *run)
{
	const struct program *p = run->program;
	const struct nnprog_subgraph *sg = p->main;
	const uint32_t *inputs = p->prog.index + sg->inputs, *outputs = p->prog.index + sg->outputs;
	uint32_t count = sg->num_inputs + sg->num_outputs;

	if (run->job->desc.num_args != count)
		return nnfw_fail(&run->job->error, NNACCEL_STATUS_BAD_ARGUMENT,
				 "%u arguments, but the program has %u inputs and %u outputs",
				 run->job->desc.num_args, sg->num_inputs, sg->num_outputs);
	for (uint32_t n = 0; n < count; n++) {
		const struct nnaccel_arg *arg = &run->job->args[n];
		uint32_t status;

		run->args[n].tensor = n < sg->num_inputs ? inputs[n] : outputs[n - sg->num_inputs];
		if (arg->flags & ~NNACCEL_ARG_FLAGS)
			return BAD(run, n, "unknown flags 0x%x", arg->flags);
		if (arg->size > UINT64_MAX - arg->addr || (!arg->addr && arg->size))
			return BAD(run, n, "no memory of %llu bytes is at %#llx",
				   (unsigned long long)arg->size, (unsigned long long)arg->addr);
		status = n < sg->num_inputs ? check_input(run, n) : check_output(run, n);
		if (status)
			return status;
	}
	return NNACCEL_STATUS_OK;
}

static void count_bytes(struct run *run, uint64_t bytes, bool bounced)
{
	struct nnfw *fw = run->fw;

	if (bounced)
		run->bytes_bounced += bytes;
	else
		run->bytes_direct += bytes;
	atomic_fetch_add_explicit(bounced ? &fw->bytes_bounced : &fw->bytes_direct, bytes,
				  memory_order_relaxed);
}

static uint32_t map_arg(struct run *run, uint32_t n, uint64_t size, bool write)
{
	const struct nnfw_platform *platform = &run->fw->platform;
	struct run_arg *arg = &run->args[n];
	uint64_t fault = 0;
	int ret;

	ret = platform->dma_map(platform->priv, run->queue->context->id, run->job->args[n].addr,
				size, write, &arg->map, &fault);
	if (ret == -EFAULT) {
		run->job->error.fault = fault;
		return nnfw_fail(&run->job->error, NNACCEL_STATUS_FAULT,
				 "%s %u: address %#llx is not mapped%s", kind(run, n),
				 bind_number(run, n), (unsigned long long)fault,
				 write ? " for writing" : "");
	}
	if (ret)
		return nnfw_fail(&run->job->error, NNACCEL_STATUS_NO_MEMORY,
				 "%s %u: %llu bytes cannot be mapped", kind(run, n),
				 bind_number(run, n), (unsigned long long)size);
	arg->mapped = true;
	return NNACCEL_STATUS_OK;
}

static void unmap_arg(struct run *run, struct run_arg *arg, bool commit)
{
	const struct nnfw_platform *platform = &run->fw->platform;

	if (!arg->mapped)
		return;
	arg->mapped = false;
	platform->dma_unmap(platform->priv, run->queue->context->id, &arg->map, commit);
}

static bool must_stage(const struct run *run, const struct run_arg *arg,
		       const struct nnfw_tensor *t)
{
	return run->program->graphs[0].staged[arg->tensor] ||
	       (uintptr_t)arg->map.ptr % nnprog_dtype_size(t->dtype);
}

static uint32_t bind_input(struct run *run, uint32_t n)
{
	struct run_arg *arg = &run->args[n];
	struct nnfw_tensor *t = &run->main.tensors[arg->tensor];
	uint32_t status;

	if (t->omitted)
		return NNACCEL_STATUS_OK;
	if (!t->size) {
		t->data = nnfw_arena_alloc(run->arena, 0);
		return NNACCEL_STATUS_OK;
	}
	status = map_arg(run, n, t->size, false);
	if (status)
		return status;
	arg->staged = must_stage(run, arg, t);
	count_bytes(run, t->size, arg->staged || arg->map.bounced);
	t->data = arg->map.ptr;
	if (!arg->staged)
		return NNACCEL_STATUS_OK;
	t->data = nnfw_arena_alloc(run->arena, t->size);
	if (!t->data)
		return nnfw_no_memory(run, t->size);
	status = nnfw_run_copy(run, t->data, arg->map.ptr, t->size);
	unmap_arg(run, arg, false);
	return status;
}

uint32_t nnfw_bind_inputs(struct run *run)
{
	uint32_t status = NNACCEL_STATUS_OK;

	for (uint32_t n = 0; n < run->program->main->num_inputs && !status; n++)
		status = bind_input(run, n);
	return status;
}

/** Check the complete shape and the size of an output against the argument. */
static uint32_t check_room(struct run *run, uint32_t n)
{
	struct run_arg *arg = &run->args[n];
	const struct nnfw_tensor *t = &run->main.tensors[arg->tensor];
	uint32_t status = check_given(run, n, t);

	if (status)
		return status;
	if (t->size <= run->job->args[n].size)
		return NNACCEL_STATUS_OK;
	if (!run->insufficient)
		nnfw_fail(&run->job->error, NNACCEL_STATUS_OUTPUT_INSUFFICIENT,
			  "output %u needs %zu bytes, %llu are there", bind_number(run, n), t->size,
			  (unsigned long long)run->job->args[n].size);
	arg->insufficient = true;
	run->insufficient = true;
	return NNACCEL_STATUS_OK;
}

static uint32_t bind_memory(struct run *run, uint32_t n)
{
	struct run_arg *arg = &run->args[n];
	struct nnfw_tensor *t = &run->main.tensors[arg->tensor];
	uint32_t status;

	if (t->size && !arg->insufficient) {
		status = map_arg(run, n, t->size, true);
		if (status)
			return status;
		arg->staged = must_stage(run, arg, t);
		count_bytes(run, t->size, arg->staged || arg->map.bounced);
		t->data = arg->map.ptr;
		if (!arg->staged)
			return NNACCEL_STATUS_OK;
	}
	t->data = nnfw_arena_alloc(run->arena, t->size);
	return t->data ? NNACCEL_STATUS_OK : nnfw_no_memory(run, t->size);
}

uint32_t nnfw_bind_outputs(struct run *run)
{
	const struct nnprog_subgraph *sg = run->program->main;
	uint32_t count = sg->num_inputs + sg->num_outputs, status = NNACCEL_STATUS_OK;
	bool all = true;

	for (uint32_t n = sg->num_inputs; n < count && !status; n++) {
		if (nnfw_tensor_complete(&run->main.tensors[run->args[n].tensor]))
			status = check_room(run, n);
		else
			all = false;
	}
	if (!status && run->insufficient && all)
		status = NNACCEL_STATUS_OUTPUT_INSUFFICIENT;
	for (uint32_t n = sg->num_inputs; n < count && !status; n++)
		if (nnfw_tensor_complete(&run->main.tensors[run->args[n].tensor]))
			status = bind_memory(run, n);
	return status;
}

uint32_t nnfw_bind_output(struct run *run, uint32_t tensor)
{
	uint32_t n = run->program->main->num_inputs, status;

	while (run->args[n].tensor != tensor)
		n++;
	status = check_room(run, n);
	return status ? status : bind_memory(run, n);
}

uint32_t nnfw_bind_write(struct run *run)
{
	const struct nnprog_subgraph *sg = run->program->main;
	uint32_t status = NNACCEL_STATUS_OK;

	for (uint32_t n = sg->num_inputs; n < sg->num_inputs + sg->num_outputs && !status; n++) {
		const struct run_arg *arg = &run->args[n];

		if (arg->staged && arg->mapped)
			status = nnfw_run_copy(run, arg->map.ptr,
					       run->main.tensors[arg->tensor].data,
					       run->main.tensors[arg->tensor].size);
	}
	return status;
}

void nnfw_bind_release(struct run *run, bool commit)
{
	const struct nnprog_subgraph *sg = run->program->main;

	for (uint32_t n = 0; n < sg->num_inputs + sg->num_outputs; n++)
		unmap_arg(run, &run->args[n], commit && n >= sg->num_inputs);
}

/* Bytes that are copied between two ticks. */
#define COPY_SLICE ((size_t)1 << 20)

uint32_t nnfw_run_copy(struct run *run, void *to, const void *from, size_t n)
{
	for (; n > COPY_SLICE; n -= COPY_SLICE) {
		memcpy(to, from, COPY_SLICE);
		to = (char *)to + COPY_SLICE;
		from = (const char *)from + COPY_SLICE;
		if (nnfw_progress_tick(&run->queue->progress.op))
			return nnfw_job_canceled(run->job);
	}
	if (n)
		memcpy(to, from, n);
	return NNACCEL_STATUS_OK;
}
