// SPDX-License-Identifier: Apache-2.0
/*
 * Shapes that are known only in a run. Shapes that follow from the arguments are inferred before
 * any operation runs, so that an output that is too small is found at once; shapes that depend on
 * computed contents are inferred when their operation is due.
 */
#include <errno.h>
#include <string.h>

#include "nnprog_desc.h"
#include "nnprog_format.h"
#include "core.h"
#include "core_run.h"
#include "core_program.h"

static void fill_operand(const struct nnfw_tensor *t, const void *data, struct nnprog_operand *op)
{
	*op = (struct nnprog_operand){
		.dtype = t->dtype,
		.omitted = t->omitted,
		.scale = t->scale,
		.zero_point = t->zero_point,
		.scales = t->scales,
		.num_scales = t->num_scales,
		.channel_dim = t->channel_dim,
		.data = data,
	};
	nnfw_tensor_shape(t, &op->shape);
}

/** Fill in input @i of an operation, with its contents if the rule reads them and they are known.
 * The contents are private: constants, temporaries, and staged arguments. */
static uint32_t fill_input(struct run *run, const struct frame *frame, uint32_t n, uint32_t i,
			   bool running, struct nnprog_operand *op)
{
	const struct program_op *o = &frame->graph->ops[n];
	const struct nnfw_tensor *t = &frame->tensors[o->in[i]];
	bool values = i < 32 && o->desc->value_inputs & 1u << i;
	const void *data = NULL;

	if (t->omitted && (!nnprog_input_optional(o->desc, i) ||
			   (i < 32 && o->desc->program_omits >> i & 1 &&
			    frame->graph->declared[o->in[i]].kind == NNPROG_INPUT)))
		return nnfw_fail_at(run, frame, n, NNACCEL_STATUS_BAD_ARGUMENT,
				    "needs its input %u, which is omitted", i);
	if (values && !t->omitted && nnfw_tensor_complete(t)) {
		if (t->elements > NNPROG_MAX_VALUES)
			return nnfw_fail_at(run, frame, n, NNACCEL_STATUS_EXEC_FAILED,
					    "an input of its shape has too many values");
		if (running || t->constant || frame->graph->declared[o->in[i]].kind == NNPROG_INPUT)
			data = t->data;
	}
	fill_operand(t, data, op);
	return NNACCEL_STATUS_OK;
}

/** Merge inferred shapes into the tensors. */
static uint32_t merge_outputs(struct run *run, struct frame *frame, uint32_t n,
			      const struct nnprog_operand *results)
{
	const struct program_op *o = &frame->graph->ops[n];

	for (uint32_t i = 0; i < o->num_out; i++) {
		struct nnfw_tensor *t = &frame->tensors[o->out[i]];
		struct nnprog_shape shape;

		nnfw_tensor_shape(t, &shape);
		if (nnprog_shape_merge(&shape, &results[i].shape))
			return nnfw_fail_at(
				run, frame, n, NNACCEL_STATUS_EXEC_FAILED,
				"an output has another shape than the program declares");
		nnfw_tensor_set_shape(t, &shape);
		if (nnfw_tensor_complete(t) && nnfw_tensor_sizes(t))
			return nnfw_fail_at(run, frame, n, NNACCEL_STATUS_EXEC_FAILED,
					    "an output is too large");
	}
	return NNACCEL_STATUS_OK;
}

uint32_t nnfw_check_empty(struct run *run, const struct frame *frame, uint32_t n)
{
	const struct program_op *o = &frame->graph->ops[n];

	for (uint32_t i = 0; i < o->num_in; i++) {
		const struct nnfw_tensor *t = &frame->tensors[o->in[i]];

		if (t->omitted || !nnfw_tensor_complete(t) || t->elements)
			continue;
		switch (nnprog_empty_rule(o->desc, o->attrs, frame->tensors[o->in[0]].rank, i)) {
		case NNPROG_EMPTY_RUNS:
			break;
		case NNPROG_EMPTY_BAD_DATA:
			return nnfw_fail_at(run, frame, n, NNACCEL_STATUS_BAD_ARGUMENT,
					    "input %u has no elements", i);
		default:
			return nnfw_fail_at(run, frame, n, NNACCEL_STATUS_EXEC_FAILED,
					    "input %u has no elements", i);
		}
	}
	return NNACCEL_STATUS_OK;
}

uint32_t nnfw_shapes_infer(struct run *run, struct frame *frame, uint32_t n, bool running)
{
	const struct program_op *o = &frame->graph->ops[n];
	struct nnprog_operand *results = run->shapes + o->num_in;
	struct nnprog_error why = { .text = "" };
	uint32_t status, missing = 0;

	status = nnfw_check_empty(run, frame, n);
	for (uint32_t i = 0; i < o->num_in && !status; i++)
		status = fill_input(run, frame, n, i, running, &run->shapes[i]);
	if (status)
		return status;
	for (uint32_t i = 0; i < o->num_out; i++)
		fill_operand(&frame->tensors[o->out[i]], NULL, &results[i]);
	if (o->desc->infer(o->attrs, run->shapes, o->num_in, results, o->num_out, &why))
		return nnfw_fail_at(run, frame, n, NNACCEL_STATUS_EXEC_FAILED, "%s", why.text);
	for (uint32_t i = 0; i < o->num_out; i++)
		if (!nnprog_shape_complete(&results[i].shape) &&
		    !(running && nnfw_run_shape(o->desc, i)))
			missing++;
	status = merge_outputs(run, frame, n, results);
	if (status)
		return status;
	if (frame->resolved)
		frame->resolved[n] = !missing && !o->desc->run_shapes;
	if (running && missing)
		return nnfw_fail_at(run, frame, n, NNACCEL_STATUS_EXEC_FAILED,
				    "the shape of an output cannot be known");
	return NNACCEL_STATUS_OK;
}

/** Operations whose shapes are inferred between two ticks. */
#define TICK_OPERATIONS 512u

uint32_t nnfw_shapes_infer_all(struct run *run)
{
	struct frame *frame = &run->main;
	const struct program_graph *graph = frame->graph;
	uint32_t status = NNACCEL_STATUS_OK;

	for (uint32_t n = 0; n < graph->sg->num_operations && !status; n++) {
		if (n % TICK_OPERATIONS == TICK_OPERATIONS - 1 &&
		    nnfw_progress_tick(&run->queue->progress.op))
			return nnfw_job_canceled(run->job);
		/* output shapes of IF and WHILE are known when they have run */
		if (graph->ops[n].control)
			continue;
		if (graph->ops[n].fixed_shapes && !frame->omitted)
			frame->resolved[n] = 1;
		else
			status = nnfw_shapes_infer(run, frame, n, false);
	}
	return status;
}
