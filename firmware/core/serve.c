// SPDX-License-Identifier: Apache-2.0
/* The life of a job's run: set up, (interp.c), end. */
#include <errno.h>
#include <string.h>

#include "core.h"

uint32_t nnfw_job_check(struct job *job)
{
	const struct nnaccel_job *j = &job->desc;
	struct job_error *error = &job->error;

	if (j->op != NNACCEL_JOB_RUN && j->op != NNACCEL_JOB_NULL)
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT, "unknown job operation %u",
				 j->op);
	if (j->flags || j->pad)
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT,
				 "reserved field of the job is not 0");
	if (j->num_args > (j->op == NNACCEL_JOB_NULL ? 0 : NNACCEL_MAX_ARGS))
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT, "%u arguments", j->num_args);
	if (j->loop_ns > NNACCEL_LOOP_NS_MAX)
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT,
				 "loop limit of %llu ns is too long",
				 (unsigned long long)j->loop_ns);
	if (j->op == NNACCEL_JOB_RUN && (!j->program_size || !j->program_addr))
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT, "no program");
	if (j->program_size > UINT64_MAX - j->program_addr)
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT,
				 "program beyond the address space");
	return NNACCEL_STATUS_OK;
}

uint32_t nnfw_job_canceled(struct job *job)
{
	switch (atomic_load_explicit(&job->cancel, memory_order_relaxed)) {
	case CANCEL_ABORT:
		return nnfw_fail(&job->error, NNACCEL_STATUS_ABORTED, "aborted");
	case CANCEL_CLOSE:
		return nnfw_fail(&job->error, NNACCEL_STATUS_CANCELED, "the queue was closed");
	default:
		return NNACCEL_STATUS_OK;
	}
}

/** Take the next @size bytes of the bookkeeping. */
static void *take(char **at, size_t count, size_t size)
{
	void *p = *at;

	*at += (count * size + 15) & ~(size_t)15;
	return p;
}

static size_t room(size_t count, size_t size)
{
	return (count * size + 15) & ~(size_t)15;
}

/** Bytes that are copied between two ticks. */
#define COPY_SLICE ((size_t)1 << 20)

uint32_t nnfw_run_copy(struct run *run, void *to, const void *from, size_t n)
{
	for (; n > COPY_SLICE; n -= COPY_SLICE) {
		memcpy(to, from, COPY_SLICE);
		to = (char *)to + COPY_SLICE;
		from = (const char *)from + COPY_SLICE;
		if (nnfw_progress_tick(&run->queue->progress))
			return nnfw_job_canceled(run->job);
	}
	if (n)
		memcpy(to, from, n);
	return NNACCEL_STATUS_OK;
}

uint32_t nnfw_run_begin(struct nnfw *fw, struct queue *q, struct job *job, struct program *program)
{
	const struct program_graph *graph = &program->graphs[0];
	const struct nnprog_subgraph *sg = graph->sg;
	size_t args = (size_t)sg->num_inputs + sg->num_outputs, meta;
	struct arena *arena = nnfw_arena_get(fw);
	uint32_t status;
	struct run *run;
	char *at;

	meta = room(1, sizeof(*run)) + room(args, sizeof(*run->args)) +
	       room(sg->num_operations, 1) + room(sg->num_tensors, sizeof(*run->main.tensors)) +
	       room(program->max_operands, sizeof(*run->operands)) +
	       room(program->max_operands, sizeof(*run->shapes));
	if (!arena || nnfw_arena_begin(arena, meta, sg->arena_size + graph->scratch,
				       fw->config.arena_limit)) {
		if (arena)
			nnfw_arena_put(fw, arena);
		nnfw_program_put(fw, program);
		return nnfw_fail(
			&job->error, NNACCEL_STATUS_NO_MEMORY,
			"temporaries of %llu bytes and %llu of scratch do not fit into %llu",
			(unsigned long long)sg->arena_size, (unsigned long long)graph->scratch,
			(unsigned long long)fw->config.arena_limit);
	}
	at = arena->meta.ptr;
	run = take(&at, 1, sizeof(*run));
	*run = (struct run){ .fw = fw, .queue = q, .job = job, .program = program, .arena = arena };
	run->args = take(&at, args, sizeof(*run->args));
	memset(run->args, 0, args * sizeof(*run->args));
	run->main.graph = graph;
	run->main.resolved = take(&at, sg->num_operations, 1);
	memset(run->main.resolved, 0, sg->num_operations);
	run->main.tensors = take(&at, sg->num_tensors, sizeof(*run->main.tensors));
	run->main.fixed = arena->chunks[0].ptr;
	run->main.scratch = run->main.fixed + sg->arena_size;
	run->operands = take(&at, program->max_operands, sizeof(*run->operands));
	run->shapes = take(&at, program->max_operands, sizeof(*run->shapes));
	run->frame = &run->main;
	status = nnfw_frame_reset(run, &run->main);
	if (status) {
		/* nothing of the run may be looked at */
		nnfw_arena_put(fw, arena);
		nnfw_program_put(fw, program);
		return status;
	}
	job->run = run;

	status = nnfw_bind_check(run);
	if (!status)
		status = nnfw_bind_inputs(run);
	if (!status && (!graph->fixed_shapes || run->main.omitted))
		status = nnfw_shapes_infer_all(run);
	if (!status)
		status = nnfw_bind_outputs(run);
	return status;
}

void nnfw_run_end(struct nnfw *fw, struct queue *q, struct job *job, uint32_t status)
{
	struct run *run = job->run;
	uint32_t result;

	if (run) {
		if (status == NNACCEL_STATUS_OK)
			status = nnfw_bind_write(run);
		nnfw_bind_release(run, status == NNACCEL_STATUS_OK);
	}
	/* a job that has not begun touches nothing */
	result = job->started ? nnfw_result_write(fw, q, job, status) : status;
	if (status == NNACCEL_STATUS_OK)
		status = result;
	if (run) {
		nnfw_program_put(fw, run->program);
		job->run = NULL;
		nnfw_arena_put(fw, run->arena);
	}
	nnfw_job_complete(fw, q, job, status);
}
