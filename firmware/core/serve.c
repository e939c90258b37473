// SPDX-License-Identifier: Apache-2.0
/* A turn of a queue: load a program ahead, or begin, continue and end the run of its first job. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "nnprog_format.h"
#include "core_program.h"
#include "core_run.h"
#include "core.h"
#include "nntrace.h"
#include "nnutil_align.h"

/* The result of a job: struct nnaccel_result in client memory. */

static void fill_output(struct nnaccel_output_shape *to, const struct run_arg *arg,
			const struct nnfw_tensor *t)
{
	memset(to, 0, sizeof(*to));
	if (!nnfw_tensor_complete(t))
		return;
	to->flags =
		htole32(NNACCEL_OUTPUT_KNOWN | (arg->insufficient ? 0 : NNACCEL_OUTPUT_SUFFICIENT));
	to->rank = htole32(t->rank);
	for (uint32_t i = 0; i < t->rank; i++)
		to->dims[i] = htole32(t->dims[i]);
	to->size = htole64(t->size);
}

/** Number of output shapes that fit into @room bytes; none before the run has begun. */
static uint32_t count_outputs(const struct job *job, size_t room)
{
	uint32_t n = job->run ? job->run->program->main->num_outputs : 0;

	return n < room / sizeof(struct nnaccel_output_shape)
		       ? n
		       : (uint32_t)(room / sizeof(struct nnaccel_output_shape));
}

/* Write the client's result. OK, or FAULT or NO_MEMORY when it cannot be written. */
static uint32_t result_write(struct nnfw *fw, const struct queue *q, struct job *job,
			     uint32_t status)
{
	const struct job_error *error = &job->error;
	const struct nnfw_platform *platform = &fw->platform;
	const struct run *run = job->run;
	struct nnaccel_result r;
	struct nnaccel_output_shape shape;
	struct nnfw_map map = { 0 };
	uint32_t outputs = 0, times = 0;
	uint64_t len, fault = 0;
	int ret;

	if (!job->desc.result_addr || !job->desc.result_size)
		return NNACCEL_STATUS_OK;
	if (job->desc.result_size > sizeof(r))
		outputs = count_outputs(job, job->desc.result_size - sizeof(r));
	len = sizeof(r) + outputs * sizeof(shape);
	if (run)
		times = nnfw_op_times_count(run);
	len += times * sizeof(struct nnaccel_op_time);
	if (len > job->desc.result_size)
		len = job->desc.result_size;
	memset(&r, 0, sizeof(r));
	r.seqno = htole64(job->desc.seqno);
	r.status = htole32(status);
	r.num_outputs = htole32(outputs);
	r.offset = htole64(status == NNACCEL_STATUS_BAD_PROGRAM ? error->offset : 0);
	r.operation = htole32(status == NNACCEL_STATUS_EXEC_FAILED ? error->operation : NNFW_NONE);
	r.subgraph = htole32(status == NNACCEL_STATUS_EXEC_FAILED ? error->subgraph : NNFW_NONE);
	r.num_op_times = htole32(times);
	if (run) {
		r.bytes_direct = htole64(run->bytes_direct);
		r.bytes_bounced = htole64(run->bytes_bounced);
		r.arena_peak = htole64(run->arena->peak);
	}
	if (status != NNACCEL_STATUS_OK)
		memcpy(r.text, error->text, strnlen(error->text, sizeof(r.text) - 1));

	ret = platform->dma_map(platform->priv, q->context->id, job->desc.result_addr, len, true,
				&map, &fault);
	if (ret == -EFAULT && status != NNACCEL_STATUS_FAULT)
		job->error.fault = fault;
	if (ret)
		return ret == -EFAULT ? NNACCEL_STATUS_FAULT : NNACCEL_STATUS_NO_MEMORY;
	memcpy(map.ptr, &r, len < sizeof(r) ? len : sizeof(r));
	for (uint32_t i = 0; i < outputs; i++) {
		const struct run_arg *arg = &run->args[run->program->main->num_inputs + i];

		fill_output(&shape, arg, &run->main.tensors[arg->tensor]);
		memcpy((char *)map.ptr + sizeof(r) + i * sizeof(shape), &shape, sizeof(shape));
	}
	if (times)
		nnfw_op_times_write(
			run, (void *)((char *)map.ptr + sizeof(r) + outputs * sizeof(shape)));
	platform->dma_unmap(platform->priv, q->context->id, &map, true);
	return NNACCEL_STATUS_OK;
}

/** Bytes of a table in the bookkeeping. */
static size_t room(size_t count, size_t size)
{
	return nnutil_align_up(count * size, 16);
}

/** Take the next @size bytes of the bookkeeping. */
static void *serve_take(char **at, size_t count, size_t size)
{
	void *p = *at;

	*at += room(count, size);
	return p;
}

/** Tensors of main, and operands if they are fixed, as at the start of the program. */
static uint32_t serve_place(struct run *run)
{
	bool fixed = nnfw_operands_fit(run->program, run->job);
	struct arena *arena = run->arena;
	uint32_t status;

	if (!fixed) {
		run->placed = NULL;
		arena->placed = 0;
		return nnfw_frame_reset(run, &run->main);
	}
	/* a run changes no more than the addresses of arguments */
	if (arena->placed == run->program->number)
		return NNACCEL_STATUS_OK;
	arena->placed = 0;
	status = nnfw_frame_reset(run, &run->main);
	if (status)
		return status;
	nnfw_operands_place(run);
	arena->placed = run->program->number;
	return NNACCEL_STATUS_OK;
}

/** Set up job->run, which takes over the reference to @program. On failure nnfw_run_end() cleans
 * up. */
static uint32_t run_begin(struct nnfw *fw, struct queue *q, struct job *job,
			  struct program *program)
{
	const struct program_graph *graph = &program->graphs[0];
	const struct nnprog_subgraph *sg = graph->sg;
	size_t args = (size_t)sg->num_inputs + sg->num_outputs, meta;
	struct arena *arena = nnfw_arena_get(fw);
	const uint32_t times = nnfw_op_times_room(job, program);
	uint32_t status;
	struct run *run;
	char *at;

	meta = room(1, sizeof(*run)) + room(args, sizeof(*run->args)) +
	       room(sg->num_operations, 1) + room(sg->num_tensors, sizeof(*run->main.tensors)) +
	       room(graph->num_placed, sizeof(*run->placed)) +
	       room(program->max_operands, sizeof(*run->operands)) +
	       room(program->max_operands, sizeof(*run->shapes)) + room(times, sizeof(*run->times));
	if (!arena || nnfw_arena_begin(arena, meta, sg->arena_size + graph->scratch,
				       fw->config.arena_limit)) {
		if (arena)
			nnfw_arena_put(fw, arena, job->start_ns);
		nnfw_program_put(fw, program);
		return nnfw_fail(
			&job->error, NNACCEL_STATUS_NO_MEMORY,
			"temporaries of %llu bytes and %llu of scratch do not fit into %llu",
			(unsigned long long)sg->arena_size, (unsigned long long)graph->scratch,
			(unsigned long long)fw->config.arena_limit);
	}
	at = arena->meta.ptr;
	run = serve_take(&at, 1, sizeof(*run));
	*run = (struct run){ .fw = fw, .queue = q, .job = job, .program = program, .arena = arena };
	run->args = serve_take(&at, args, sizeof(*run->args));
	memset(run->args, 0, args * sizeof(*run->args));
	run->main.graph = graph;
	run->main.resolved = serve_take(&at, sg->num_operations, 1);
	memset(run->main.resolved, 0, sg->num_operations);
	run->main.tensors = serve_take(&at, sg->num_tensors, sizeof(*run->main.tensors));
	run->main.fixed = arena->chunks[0].ptr;
	run->main.scratch = run->main.fixed + sg->arena_size;
	run->placed = serve_take(&at, graph->num_placed, sizeof(*run->placed));
	run->operands = serve_take(&at, program->max_operands, sizeof(*run->operands));
	run->shapes = serve_take(&at, program->max_operands, sizeof(*run->shapes));
	run->times = serve_take(&at, times, sizeof(*run->times));
	memset(run->times, 0, times * sizeof(*run->times));
	run->num_times = times;
	run->frame = &run->main;
	status = serve_place(run);
	if (status) {
		/* the run is not initialised */
		nnfw_arena_put(fw, arena, job->start_ns);
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
	if (!status && run->placed)
		nnfw_operands_bind(run);
	return status;
}

void nnfw_run_end(struct nnfw *fw, struct queue *q, struct job *job, uint32_t status)
{
	struct run *run = job->run;
	uint32_t result;
	uint64_t now;

	if (run) {
		if (status == NNACCEL_STATUS_OK)
			status = nnfw_bind_write(run);
		nnfw_bind_release(run, status == NNACCEL_STATUS_OK);
	}
	/* a job that has not begun accesses no client memory */
	result = job->started ? result_write(fw, q, job, status) : status;
	if (status == NNACCEL_STATUS_OK)
		status = result;
	now = fw->platform.clock_ns(fw->platform.priv);
	if (run) {
		nnfw_program_put(fw, run->program);
		job->run = NULL;
		nnfw_arena_put(fw, run->arena, now);
	}
	nnfw_job_complete(fw, q, job, status, now);
}

/** One turn of @job. Returns whether it ended; *@status: how. */
static bool run_job(struct nnfw *fw, struct queue *q, struct job *job, uint32_t *status)
{
	NNTRACE_COMP("nnfw job");
	const struct nnaccel_job *j = &job->desc;
	struct program_request request;
	uint64_t now;

	*status = nnfw_job_canceled(job);
	if (*status)
		return true;
	now = fw->platform.clock_ns(fw->platform.priv);
	if (!job->started) {
		job->started = true;
		job->start_ns = now;
		q->progress.cancel = &job->cancel;
		q->progress.seqno = j->seqno;
		nnfw_turn_begin(fw, q, now);
		nnfw_progress_note(&q->progress);
	} else {
		nnfw_turn_begin(fw, q, now);
	}
	if (!job->run) {
		*status = nnfw_job_check(job);
		if (*status || j->op == NNACCEL_JOB_NULL)
			return true;
		request = (struct program_request){
			.addr = j->program_addr,
			.size = j->program_size,
			.generation = j->program_generation,
			.error = &job->error,
		};
		*status = nnfw_program_get(fw, q, &request);
		if (request.parked)
			return false;
		if (*status == NNACCEL_STATUS_ABORTED)
			*status = nnfw_job_canceled(job);
		if (!*status)
			*status = run_begin(fw, q, job, request.program);
	}
	return *status || nnfw_run_step(job->run, status) != RUN_YIELD;
}

void nnfw_serve(struct nnfw *fw, struct queue *q)
{
	uint32_t status;
	struct job *job;

	if (q->loader) {
		nnfw_load_ahead(fw, q->context);
		return;
	}
	job = STAILQ_FIRST(&q->jobs);
	pthread_mutex_unlock(&fw->lock);
	if (run_job(fw, q, job, &status))
		nnfw_run_end(fw, q, job, status);
	else
		nnfw_turn_end(fw, q, fw->platform.clock_ns(fw->platform.priv));
	pthread_mutex_lock(&fw->lock);
}
