// SPDX-License-Identifier: Apache-2.0
/* Frames: their tensors, and memory for the outputs of operations. */
#include <string.h>

#include "nnprog_format.h"
#include "core_program.h"
#include "core_run.h"
#include "core.h"

/** Tensors that are reset between two ticks. */
#define RESET_SLICE 2048u

uint32_t nnfw_frame_reset(struct run *run, struct frame *frame)
{
	const struct program_graph *graph = frame->graph;
	uint32_t num = graph->sg->num_tensors;

	for (uint32_t first = 0; first < num; first += RESET_SLICE) {
		uint32_t n = num - first < RESET_SLICE ? num - first : RESET_SLICE;

		if (first && nnfw_progress_tick(&run->queue->progress.op))
			return nnfw_job_canceled(run->job);
		memcpy(frame->tensors + first, graph->tensors + first, n * sizeof(*frame->tensors));
		for (uint32_t i = first; graph->sg->arena_size && i < first + n; i++)
			if (graph->declared[i].kind == NNPROG_TEMP &&
			    graph->declared[i].offset != NNPROG_NO_OFFSET)
				frame->tensors[i].data = frame->fixed + graph->declared[i].offset;
	}
	return NNACCEL_STATUS_OK;
}

/** Memory for the next value, which the body writes: reuse that of the value before the last. */
static uint32_t next_value(struct run *run, struct loop_value *v, struct nnfw_tensor *t)
{
	if (v->spare && v->spare_room >= t->size && v->spare_room / 2 <= t->size) {
		v->next = v->spare;
		v->next_room = v->spare_room;
	} else {
		nnfw_arena_free(run->arena, v->spare, v->spare_room);
		v->next = nnfw_arena_alloc(run->arena, t->size);
		v->next_room = t->size;
	}
	v->spare = NULL;
	v->spare_room = 0;
	if (!v->next) {
		v->next_room = 0;
		return nnfw_no_memory(run, t->size);
	}
	t->data = v->next;
	return NNACCEL_STATUS_OK;
}

/** Memory for an output of a frame that is not main; its shape is complete. */
static uint32_t inner_output(struct run *run, struct frame *frame, uint32_t tensor)
{
	struct nnfw_tensor *t = &frame->tensors[tensor], *outer;
	uint32_t i = frame->graph->position[tensor], status = NNACCEL_STATUS_OK;
	const struct program_op *o = nnfw_frame_caller(frame);
	struct frame *parent = frame->parent;
	struct nnprog_shape shape;

	if (frame->loop && frame == &frame->loop->body)
		return next_value(run, &frame->loop->values[i], t);
	if (frame->loop) {
		if (t->size != sizeof(frame->loop->go_on))
			return nnfw_fail_at(run, parent, parent->pc, NNACCEL_STATUS_EXEC_FAILED,
					    "the condition has %zu values", t->size);
		t->data = &frame->loop->go_on;
		return NNACCEL_STATUS_OK;
	}
	outer = &parent->tensors[o->out[i]];
	nnfw_tensor_shape(t, &shape);
	if (!nnfw_tensor_take_shape(outer, &shape))
		return nnfw_fail_at(run, parent, parent->pc, NNACCEL_STATUS_EXEC_FAILED,
				    "output %u has another shape than the program declares", i);
	if (!outer->data)
		status = nnfw_frame_output(run, parent, o->out[i]);
	t->data = outer->data;
	return status;
}

uint32_t nnfw_frame_output(struct run *run, struct frame *frame, uint32_t tensor)
{
	struct nnfw_tensor *t = &frame->tensors[tensor];

	if (frame->graph->declared[tensor].kind == NNPROG_OUTPUT)
		return frame->parent ? inner_output(run, frame, tensor)
				     : nnfw_bind_output(run, tensor);
	t->data = nnfw_arena_alloc(run->arena, t->size);
	return t->data ? NNACCEL_STATUS_OK : nnfw_no_memory(run, t->size);
}

void nnfw_frame_release_dead(struct run *run, struct frame *frame, const struct program_op *o)
{
	for (uint32_t i = 0; i < o->num_dead; i++) {
		struct nnfw_tensor *t = &frame->tensors[frame->graph->dead[o->first_dead + i]];

		nnfw_arena_free(run->arena, t->data, t->size);
		t->data = NULL;
	}
}
