// SPDX-License-Identifier: Apache-2.0
/* The interpreter: one operation after the other, resumable between any two of them. */
#include <errno.h>
#include <string.h>

#include "core.h"

int nnfw_progress_tick(struct nnfw_progress *progress)
{
	struct nnfw *fw;

	/* loading ahead of a job has no queue whose progress it could be */
	if (!progress || !progress->job)
		return 0;
	fw = progress->fw;
	progress->count++;
	if (fw->platform.progress)
		fw->platform.progress(fw->platform.priv, progress->queue, progress->count,
				      progress->seqno);
	return atomic_load_explicit(&progress->job->cancel, memory_order_relaxed) ? -ECANCELED : 0;
}

static uint32_t no_memory(struct run *run, uint64_t size)
{
	if (run->insufficient)
		return NNACCEL_STATUS_OUTPUT_INSUFFICIENT;
	return nnfw_fail(&run->job->error, NNACCEL_STATUS_NO_MEMORY,
			 "operation %u: no room for %llu bytes in an arena of %llu", run->pc,
			 (unsigned long long)size, (unsigned long long)run->arena->limit);
}

/** Shapes and memory of what the operation writes. */
static uint32_t prepare_outputs(struct run *run, const struct program_op *o)
{
	uint32_t status = NNACCEL_STATUS_OK;

	if (!run->resolved[run->pc])
		status = nnfw_shapes_infer(run, run->pc, true);
	for (uint32_t i = 0; i < o->num_out && !status; i++) {
		const struct program *p = run->program;
		struct nnfw_tensor *t = &run->tensors[o->out[i]];

		if (t->data)
			continue;
		if (p->prog.tensors[p->main->first_tensor + o->out[i]].kind == NNPROG_OUTPUT) {
			status = nnfw_bind_output(run, o->out[i]);
			continue;
		}
		t->data = nnfw_arena_alloc(run->arena, t->size);
		if (!t->data)
			status = no_memory(run, t->size);
	}
	return status;
}

static uint32_t finish_op(struct run *run, const struct program_op *o, const struct nnfw_op_ctx *ctx,
			  int ret)
{
	struct job_error *error = &run->job->error;
	uint32_t status;

	if (!ret)
		return NNACCEL_STATUS_OK;
	status = ret == -ECANCELED ? nnfw_job_canceled(run->job) : NNACCEL_STATUS_OK;
	if (status)
		return status;
	error->operation = run->pc;
	error->subgraph = 0;
	if (ret == -EINVAL)
		return nnfw_fail(error, NNACCEL_STATUS_EXEC_FAILED, "operation %u (%s): %.*s", run->pc,
				 o->desc->name, (int)sizeof(ctx->error), ctx->error);
	return nnfw_fail(error, NNACCEL_STATUS_INTERNAL, "operation %u (%s) failed (%d)", run->pc,
			 o->desc->name, ret);
}

static uint32_t run_op(struct run *run)
{
	const struct program *p = run->program;
	const struct program_op *o = &p->ops[run->pc];
	struct nnfw_op_ctx ctx = {
		.desc = o->desc,
		.attrs = o->attrs,
		.in = run->operands,
		.num_in = o->num_in,
		.out = run->operands + o->num_in,
		.num_out = o->num_out,
		.relaxed = p->prog.header->flags & NNPROG_FLAG_RELAXED,
		.state = o->state,
		.scratch = run->scratch,
		.progress = &run->queue->progress,
	};
	size_t scratch = 0;
	uint32_t status;
	int ret;

	status = prepare_outputs(run, o);
	if (status)
		return status;
	for (uint32_t i = 0; i < o->num_in; i++)
		run->operands[i] = run->tensors[o->in[i]];
	for (uint32_t i = 0; i < o->num_out; i++)
		ctx.out[i] = run->tensors[o->out[i]];
	if ((!o->fixed_shapes || run->omitted) && o->op->scratch) {
		scratch = o->op->scratch(&ctx);
		ctx.scratch = nnfw_arena_alloc(run->arena, scratch);
		if (!ctx.scratch)
			return no_memory(run, scratch);
	}
	ctx.error[0] = 0;
	ret = o->op->run(&ctx);
	status = finish_op(run, o, &ctx, ret);
	nnfw_arena_free(run->arena, ctx.scratch, scratch);
	for (uint32_t i = 0; i < o->num_dead && !status; i++) {
		struct nnfw_tensor *t = &run->tensors[p->dead[o->first_dead + i]];

		nnfw_arena_free(run->arena, t->data, t->size);
		t->data = NULL;
	}
	return status;
}

enum run_step nnfw_run_step(struct run *run, uint64_t since_ns, uint32_t *status)
{
	uint32_t count = run->program->main->num_operations;

	for (; run->pc < count; run->pc++) {
		if (nnfw_progress_tick(&run->queue->progress)) {
			*status = nnfw_job_canceled(run->job);
			return RUN_DONE;
		}
		/* a step makes progress, whoever waits */
		if (run->stepped && nnfw_sched_preempt(run->fw, run->queue, since_ns)) {
			run->stepped = false;
			return RUN_YIELD;
		}
		*status = run_op(run);
		if (*status)
			return RUN_DONE;
		run->stepped = true;
	}
	*status = run->insufficient ? NNACCEL_STATUS_OUTPUT_INSUFFICIENT : NNACCEL_STATUS_OK;
	return RUN_DONE;
}
