// SPDX-License-Identifier: Apache-2.0
/*
 * The interpreter: runs one operation after the other and is resumable between any two. IF and
 * WHILE begin and end frames (interp_control_flow.c); between two steps the frames are the whole
 * state.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "core_program.h"
#include "core_run.h"
#include "nnprog_desc.h"
#include "nnprog_format.h"
#include "nntrace_op.h"
#include "nnutil_clock.h"

/*
 * Marks of operations in a trace, with NNTRACE_DETAIL=1 one around each.
 * NNTRACE_DETAIL=2 adds one after each operation with its time (by a clock that costs less than a
 * mark) and its work: nntrace_op.h.
 */

struct op_mark {
	nntrace_scope_t scope;
	int64_t start_ns; /* 0: no second mark */
};

static void op_mark_begin(struct op_mark *mark, const struct nnprog_op_desc *desc)
{
	const int detail = nntrace_detail();
	char text[64];
	int n;

	*mark = (struct op_mark){ 0 };
	if (!detail)
		return;
	n = snprintf(text, sizeof(text),
		     NNTRACE_MARK("", NNTRACE_LAYER_CPU, NNTRACE_PHASE_COMPUTATION, "%s"),
		     desc->name);
	mark->scope = nntrace_begin(text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	if (detail > 1 && mark->scope)
		mark->start_ns = nnutil_monotonic_ns();
}

static void write_work(int64_t ns, const struct run *run, const struct frame *frame,
		       const struct nnfw_op_ctx *ctx)
{
	const struct op_work work = nnfw_op_work(ctx);

	nntrace_op_mark(&(struct nntrace_op){
		.graph = (uint32_t)(frame->graph - run->program->graphs),
		.number = frame->pc,
		.name = ctx->desc->name,
		.type = ctx->num_in ? nnprog_dtype_name(ctx->in[0].dtype) : "none",
		.ns = (uint64_t)ns,
		.macs = work.macs,
		.elements = work.elements,
		.bytes = work.bytes,
		.times = 1,
	});
}

static void op_mark_end(const struct op_mark *mark, const struct run *run,
			const struct frame *frame, const struct nnfw_op_ctx *ctx)
{
	const int64_t ns = mark->start_ns ? nnutil_monotonic_ns() - mark->start_ns : 0;

	nntrace_scope_end(&mark->scope);
	if (mark->start_ns)
		write_work(ns, run, frame, ctx);
}

/**
 * Shapes and memory of the operation's outputs, except those whose shapes only run() knows.
 */
static uint32_t prepare_outputs(struct run *run, struct frame *frame, const struct program_op *o)
{
	uint32_t status = NNACCEL_STATUS_OK;

	if (nnfw_shapes_resolved(frame, frame->pc))
		status = nnfw_check_empty(run, frame, frame->pc);
	else
		status = nnfw_shapes_infer(run, frame, frame->pc, true);
	for (uint32_t i = 0; i < o->num_out && !status; i++)
		if (!frame->tensors[o->out[i]].data && !nnfw_run_shape(o->desc, i))
			status = nnfw_frame_output(run, frame, o->out[i]);
	return status;
}

/** Private memory of the largest size for outputs whose shapes only run() knows. */
static uint32_t prepare_bounds(struct run *run, struct frame *frame, const struct program_op *o)
{
	struct nnprog_operand *results = run->shapes + o->num_in;
	struct nnprog_error why = { .text = "" };

	/* infer() has just filled run->shapes: such operations are never resolved earlier */
	if (o->desc->bound(o->attrs, run->shapes, o->num_in, results, o->num_out, &why))
		return nnfw_fail_at(run, frame, frame->pc, NNACCEL_STATUS_EXEC_FAILED, "%s",
				    why.text);
	for (uint32_t i = 0; i < o->num_out; i++) {
		struct nnfw_tensor *t = &run->operands[o->num_in + i];

		if (!nnfw_run_shape(o->desc, i))
			continue;
		nnfw_tensor_set_shape(t, &results[i].shape);
		if (!nnfw_tensor_complete(t) || nnfw_tensor_sizes(t))
			return nnfw_fail_at(run, frame, frame->pc, NNACCEL_STATUS_EXEC_FAILED,
					    "an output may become too large");
		t->data = nnfw_arena_alloc(run->arena, t->size);
		if (!t->data)
			return nnfw_no_memory(run, t->size);
		run->bounds[i] = t->size;
	}
	return NNACCEL_STATUS_OK;
}

/**
 * Move output @i, whose shape run() has set, from private memory to its tensor.
 */
static uint32_t settle_bound(struct run *run, struct frame *frame, const struct program_op *o,
			     uint32_t i)
{
	struct nnfw_tensor *from = &run->operands[o->num_in + i];
	struct nnfw_tensor *to = &frame->tensors[o->out[i]];
	uint64_t room = run->bounds[i];
	struct nnprog_shape shape;
	uint32_t status;

	if (!nnfw_tensor_complete(from) || nnfw_tensor_sizes(from) || from->size > room)
		return nnfw_fail_at(run, frame, frame->pc, NNACCEL_STATUS_INTERNAL,
				    "output %u is larger than its bound", i);
	nnfw_tensor_shape(from, &shape);
	if (!nnfw_tensor_take_shape(to, &shape))
		return nnfw_fail_at(run, frame, frame->pc, NNACCEL_STATUS_EXEC_FAILED,
				    "output %u has another shape than the program declares", i);
	if (!to->data && frame->graph->declared[o->out[i]].kind == NNPROG_TEMP) {
		nnfw_arena_shrink(run->arena, from->data, room, to->size);
		to->data = from->data;
		return NNACCEL_STATUS_OK;
	}
	status = to->data ? NNACCEL_STATUS_OK : nnfw_frame_output(run, frame, o->out[i]);
	if (!status) {
		status = nnfw_run_copy(run, to->data, from->data, to->size);
		nnfw_arena_free(run->arena, from->data, room);
	}
	return status;
}

static uint32_t finish_op(struct run *run, struct frame *frame, const struct program_op *o,
			  const struct nnfw_op_ctx *ctx, int ret)
{
	uint32_t status = ret == -ECANCELED ? nnfw_job_canceled(run->job) : NNACCEL_STATUS_OK;

	if (status)
		return status;
	if (ret == -EINVAL)
		return nnfw_fail_at(run, frame, frame->pc, NNACCEL_STATUS_EXEC_FAILED, "%.*s",
				    (int)sizeof(ctx->error), ctx->error);
	if (ret == -ENOMEM)
		return nnfw_fail_at(run, frame, frame->pc, NNACCEL_STATUS_NO_MEMORY,
				    "no memory for a thread's buffer");
	if (ret)
		return nnfw_fail_at(run, frame, frame->pc, NNACCEL_STATUS_INTERNAL, "failed (%d)",
				    ret);
	for (uint32_t i = 0; i < o->num_out && !status; i++)
		if (nnfw_run_shape(o->desc, i))
			status = settle_bound(run, frame, o, i);
	return status;
}

static int run_timed(struct run *run, struct frame *frame, const struct program_op *o,
		     struct nnfw_op_ctx *ctx)
{
	const int64_t start = nnutil_monotonic_ns();
	int ret = o->op->run(ctx);

	if (!ret)
		nnfw_op_times_add(run, frame, ctx, (uint64_t)(nnutil_monotonic_ns() - start));
	return ret;
}

/* A mark per operation costs more than many operations: only with nntrace_detail(). */
static int run_kernel(struct run *run, struct frame *frame, const struct program_op *o,
		      struct nnfw_op_ctx *ctx)
{
	struct op_mark mark;
	int ret;

	if (run->num_times)
		return run_timed(run, frame, o, ctx);
	if (!nntrace_enabled())
		return o->op->run(ctx);
	op_mark_begin(&mark, o->desc);
	ret = o->op->run(ctx);
	op_mark_end(&mark, run, frame, ctx);
	return ret;
}

/** Set up @ctx for operation @o with its operands at @operands. */
static void fill_ctx(struct nnfw_op_ctx *ctx, struct run *run, const struct frame *frame,
		     const struct program_op *o, struct nnfw_tensor *operands)
{
	ctx->desc = o->desc;
	ctx->attrs = o->attrs;
	ctx->in = operands;
	ctx->num_in = o->num_in;
	ctx->out = operands + o->num_in;
	ctx->num_out = o->num_out;
	ctx->relaxed = run->program->prog.header->flags & NNPROG_FLAG_RELAXED;
	ctx->state = o->state;
	ctx->far = run->program->far;
	ctx->isa = run->program->isa;
	ctx->scratch = frame->scratch;
	ctx->progress = &run->queue->progress.op;
	ctx->crew = run->fw->crew_threads > 1 ? &run->queue->crew.base : NULL;
	ctx->slots = run->fw->crew_threads;
	ctx->reserve = NULL;
	ctx->loading = NULL;
	ctx->error[0] = 0;
}

/** The next operation of a program whose operands are in place. */
static uint32_t run_placed(struct run *run, struct frame *frame)
{
	const struct program_op *o = &frame->graph->ops[frame->pc];
	struct nnfw_op_ctx ctx;
	int ret;

	fill_ctx(&ctx, run, frame, o, run->placed + o->first_operand);
	ret = run_kernel(run, frame, o, &ctx);
	if (ret)
		return finish_op(run, frame, o, &ctx, ret);
	frame->pc++;
	return NNACCEL_STATUS_OK;
}

static uint32_t run_op(struct run *run, struct frame *frame)
{
	const struct program_op *o = &frame->graph->ops[frame->pc];
	struct nnfw_op_ctx ctx;
	size_t scratch = 0;
	uint32_t status;
	int ret;

	fill_ctx(&ctx, run, frame, o, run->operands);
	status = prepare_outputs(run, frame, o);
	if (status)
		return status;
	for (uint32_t i = 0; i < o->num_in; i++)
		run->operands[i] = frame->tensors[o->in[i]];
	for (uint32_t i = 0; i < o->num_out; i++)
		ctx.out[i] = frame->tensors[o->out[i]];
	if (o->desc->run_shapes) {
		status = prepare_bounds(run, frame, o);
		if (status)
			return status;
	}
	if ((!o->fixed_shapes || frame->omitted) && o->op->scratch) {
		scratch = o->op->scratch(&ctx);
		ctx.scratch = nnfw_arena_alloc(run->arena, scratch);
		if (!ctx.scratch)
			return nnfw_no_memory(run, scratch);
	}
	ret = run_kernel(run, frame, o, &ctx);
	nnfw_arena_free(run->arena, ctx.scratch, scratch);
	status = finish_op(run, frame, o, &ctx, ret);
	if (status)
		return status;
	nnfw_frame_release_dead(run, frame, o);
	frame->pc++;
	return NNACCEL_STATUS_OK;
}

enum run_step nnfw_run_step(struct run *run, uint32_t *status)
{
	for (;;) {
		struct frame *frame = run->frame;
		bool end = frame->pc == frame->graph->sg->num_operations;

		if (end && !frame->parent)
			break;
		if (nnfw_progress_note(&run->queue->progress)) {
			*status = nnfw_job_canceled(run->job);
			return RUN_DONE;
		}
		/*
		 * each turn runs at least one step; here the frames are the state, so the thread
		 * need not be kept
		 */
		if (run->stepped && nnfw_sched_preempt(run->fw, &run->queue->progress)) {
			run->stepped = false;
			return RUN_YIELD;
		}
		if (run->placed)
			*status = run_placed(run, frame);
		else if (end)
			*status = nnfw_control_leave(run);
		else if (frame->graph->ops[frame->pc].control)
			*status = nnfw_control_enter(run);
		else
			*status = run_op(run, frame);
		if (*status)
			return RUN_DONE;
		run->stepped = true;
	}
	*status = run->insufficient ? NNACCEL_STATUS_OUTPUT_INSUFFICIENT : NNACCEL_STATUS_OK;
	return RUN_DONE;
}
