// SPDX-License-Identifier: Apache-2.0
/*
 * IF and WHILE. The frames of their subgraphs are in one block of the arena, which is freed when
 * the operation ends.
 *
 * IF: inputs and outputs of the branch use the memory of the operation's operands; nothing is
 * copied.
 *
 * WHILE: each input has a value that is passed from iteration to iteration. The first value is the
 * operation's input. A value that the body writes gets memory of its own, of its actual shape, and
 * the memory of the previous value is reused for the next one if the size fits. So a loop has at
 * most two buffers per value, for any number of iterations.
 */
#include <string.h>

#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "core_program.h"
#include "core_run.h"
#include "nnutil_file.h"

/** Bytes of the tables of a frame. */
static uint64_t table_bytes(const struct program_graph *graph)
{
	return nnfw_arena_align((uint64_t)graph->sg->num_tensors * sizeof(struct nnfw_tensor));
}

static uint64_t fixed_bytes(const struct program_graph *graph)
{
	return nnfw_arena_align(graph->sg->arena_size) + nnfw_arena_align(graph->scratch);
}

static uint32_t place_frame(struct run *run, struct frame *frame, const struct program_graph *graph,
			    struct frame *parent, struct loop *loop, char *tables, char *fixed)
{
	*frame = (struct frame){
		.graph = graph,
		.parent = parent,
		.loop = loop,
		.tensors = (struct nnfw_tensor *)tables,
		.fixed = fixed,
		.scratch = fixed + nnfw_arena_align(graph->sg->arena_size),
	};
	return nnfw_frame_reset(run, frame);
}

static uint32_t give_input(struct run *run, struct frame *frame, uint32_t i,
			   const struct nnfw_tensor *from)
{
	struct nnfw_tensor *t = &frame->tensors[frame->graph->inputs[i]];
	struct nnprog_shape shape;

	if (from->omitted) {
		t->omitted = frame->omitted = true;
		return NNACCEL_STATUS_OK;
	}
	*t = frame->graph->tensors[frame->graph->inputs[i]];
	nnfw_tensor_shape(from, &shape);
	if (!nnfw_tensor_take_shape(t, &shape))
		return nnfw_fail_at(run, frame->parent, frame->parent->pc,
				    NNACCEL_STATUS_EXEC_FAILED,
				    "input %u has another shape than subgraph %u declares", i,
				    (uint32_t)(frame->graph - run->program->graphs));
	t->data = from->data;
	return NNACCEL_STATUS_OK;
}

/** Read the value of a condition exactly once: its memory may be the client's. */
static uint32_t read_condition(struct run *run, struct frame *frame, const struct nnfw_tensor *t,
			       bool *value)
{
	if (t->omitted)
		return nnfw_fail_at(run, frame, frame->pc, NNACCEL_STATUS_BAD_ARGUMENT,
				    "the condition is omitted");
	if (t->elements != 1)
		return nnfw_fail_at(run, frame, frame->pc, NNACCEL_STATUS_EXEC_FAILED,
				    "the condition has %llu values",
				    (unsigned long long)t->elements);
	*value = NNUTIL_READ_ONCE(*(const uint8_t *)t->data);
	return NNACCEL_STATUS_OK;
}

static uint32_t enter_if(struct run *run, struct frame *parent, const struct program_op *o)
{
	const struct program_graph *graph;
	struct frame *frame;
	uint64_t block;
	uint32_t status;
	bool condition = false;
	char *at;

	status = read_condition(run, parent, &parent->tensors[o->in[0]], &condition);
	if (status)
		return status;
	graph = &run->program->graphs[o->graphs[condition ? 0 : 1]];
	block = nnfw_arena_align(sizeof(*frame)) + table_bytes(graph) + fixed_bytes(graph);
	at = nnfw_arena_alloc(run->arena, block);
	if (!at)
		return nnfw_no_memory(run, block);
	frame = (struct frame *)at;
	at += nnfw_arena_align(sizeof(*frame));
	status = place_frame(run, frame, graph, parent, NULL, at, at + table_bytes(graph));
	frame->block = block;
	for (uint32_t i = 1; i < o->num_in && !status; i++)
		status = give_input(run, frame, i - 1, &parent->tensors[o->in[i]]);
	run->frame = frame;
	return status;
}

/** Begin an iteration of the loop's condition or body: set its inputs to the values. */
static uint32_t begin_turn(struct run *run, struct loop *loop, struct frame *frame)
{
	const struct nnprog_subgraph *sg = frame->graph->sg;
	uint32_t status = NNACCEL_STATUS_OK;

	/* with fixed shapes only the memory of outputs changes between iterations */
	if (!frame->graph->fixed_shapes)
		status = nnfw_frame_reset(run, frame);
	for (uint32_t i = 0; i < sg->num_outputs; i++)
		frame->tensors[frame->graph->outputs[i]].data = NULL;
	frame->pc = 0;
	frame->omitted = false;
	for (uint32_t i = 0; i < loop->num_values && !status; i++)
		status = give_input(run, frame, i, &loop->values[i].tensor);
	run->frame = frame;
	return status;
}

/** Time limit of the loops around @frame. */
static uint64_t outer_limit(const struct frame *frame)
{
	for (; frame; frame = frame->parent)
		if (frame->loop)
			return frame->loop->until_ns;
	return UINT64_MAX;
}

static uint32_t enter_while(struct run *run, struct frame *parent, const struct program_op *o)
{
	const struct program_graph *condition = &run->program->graphs[o->graphs[0]];
	const struct program_graph *body = &run->program->graphs[o->graphs[1]];
	const struct nnfw_platform *platform = &run->fw->platform;
	uint64_t values, fixed, block, limit = run->job->desc.loop_ns, outer = outer_limit(parent);
	struct loop *loop;
	uint32_t status;
	char *at;

	values = nnfw_arena_align((uint64_t)o->num_in * sizeof(*loop->values));
	/* condition and body share the memory of their temporaries */
	fixed = fixed_bytes(condition) > fixed_bytes(body) ? fixed_bytes(condition)
							   : fixed_bytes(body);
	block = nnfw_arena_align(sizeof(*loop)) + values + table_bytes(condition) +
		table_bytes(body) + fixed;
	at = nnfw_arena_alloc(run->arena, block);
	if (!at)
		return nnfw_no_memory(run, block);
	loop = (struct loop *)at;
	at += nnfw_arena_align(sizeof(*loop));
	*loop = (struct loop){ .block = block, .num_values = o->num_in };
	loop->values = (struct loop_value *)at;
	at += values;
	for (uint32_t i = 0; i < o->num_in; i++) {
		/* also inputs that neither condition nor body reads */
		if (parent->tensors[o->in[i]].omitted)
			return nnfw_fail_at(run, parent, parent->pc, NNACCEL_STATUS_BAD_ARGUMENT,
					    "needs its input %u, which is omitted", i);
		loop->values[i] = (struct loop_value){ .tensor = parent->tensors[o->in[i]] };
	}
	status = place_frame(run, &loop->condition, condition, parent, loop, at,
			     at + table_bytes(condition) + table_bytes(body));
	if (!status)
		status = place_frame(run, &loop->body, body, parent, loop,
				     at + table_bytes(condition),
				     at + table_bytes(condition) + table_bytes(body));
	if (status)
		return status;
	loop->until_ns =
		platform->clock_ns(platform->priv) + (limit ? limit : NNACCEL_LOOP_NS_DEFAULT);
	if (outer < loop->until_ns)
		loop->until_ns = outer;
	return begin_turn(run, loop, &loop->condition);
}

uint32_t nnfw_control_enter(struct run *run)
{
	struct frame *frame = run->frame;
	const struct program_op *o = &frame->graph->ops[frame->pc];

	return o->desc->opcode == NNPROG_OP_IF ? enter_if(run, frame, o)
					       : enter_while(run, frame, o);
}

/** End the current operation of @parent. */
static void control_flow_finish(struct run *run, struct frame *parent)
{
	nnfw_frame_release_dead(run, parent, &parent->graph->ops[parent->pc]);
	parent->pc++;
	run->frame = parent;
}

/** Give a value to output @i of the operation. */
static uint32_t give_output(struct run *run, struct frame *parent, const struct program_op *o,
			    uint32_t i, struct loop_value *v)
{
	struct nnfw_tensor *t = &parent->tensors[o->out[i]];
	struct nnprog_shape shape;
	uint32_t status;

	nnfw_tensor_shape(&v->tensor, &shape);
	if (!nnfw_tensor_take_shape(t, &shape))
		return nnfw_fail_at(run, parent, parent->pc, NNACCEL_STATUS_EXEC_FAILED,
				    "output %u has another shape than the program declares", i);
	if (!t->data && v->data && parent->graph->declared[o->out[i]].kind == NNPROG_TEMP) {
		nnfw_arena_shrink(run->arena, v->data, v->room, t->size);
		t->data = v->data;
		v->data = NULL;
		v->room = 0;
		return NNACCEL_STATUS_OK;
	}
	status = t->data ? NNACCEL_STATUS_OK : nnfw_frame_output(run, parent, o->out[i]);
	if (!status && t->data != v->tensor.data)
		status = nnfw_run_copy(run, t->data, v->tensor.data, t->size);
	return status;
}

static uint32_t leave_while(struct run *run, struct loop *loop)
{
	struct frame *parent = loop->condition.parent;
	const struct program_op *o = nnfw_frame_caller(&loop->condition);
	uint32_t status = NNACCEL_STATUS_OK;

	for (uint32_t i = 0; i < o->num_out && !status; i++)
		status = give_output(run, parent, o, i, &loop->values[i]);
	if (status)
		return status;
	for (uint32_t i = 0; i < loop->num_values; i++) {
		nnfw_arena_free(run->arena, loop->values[i].data, loop->values[i].room);
		nnfw_arena_free(run->arena, loop->values[i].spare, loop->values[i].spare_room);
	}
	nnfw_arena_free(run->arena, loop, loop->block);
	control_flow_finish(run, parent);
	return NNACCEL_STATUS_OK;
}

static uint32_t leave_condition(struct run *run, struct loop *loop)
{
	const struct nnfw_platform *platform = &run->fw->platform;
	struct frame *parent = loop->condition.parent;
	uint64_t limit = run->job->desc.loop_ns;

	if (!loop->go_on)
		return leave_while(run, loop);
	if (!(run->fw->config.flags & NNFW_CONFIG_NO_LOOP_LIMIT) &&
	    platform->clock_ns(platform->priv) >= loop->until_ns)
		return nnfw_fail_at(run, parent, parent->pc, NNACCEL_STATUS_LOOP_TIMEOUT,
				    "has not ended within %llu ns",
				    (unsigned long long)(limit ? limit : NNACCEL_LOOP_NS_DEFAULT));
	return begin_turn(run, loop, &loop->body);
}

/** Take the outputs of the body as the new values. */
static uint32_t leave_body(struct run *run, struct loop *loop)
{
	const struct program_graph *body = loop->body.graph;

	for (uint32_t i = 0; i < body->sg->num_outputs; i++) {
		struct loop_value *v = &loop->values[i];

		v->tensor = loop->body.tensors[body->outputs[i]];
		v->spare = v->data;
		v->spare_room = v->room;
		v->data = v->next;
		v->room = v->next_room;
		v->next = NULL;
		v->next_room = 0;
	}
	return begin_turn(run, loop, &loop->condition);
}

uint32_t nnfw_control_leave(struct run *run)
{
	struct frame *frame = run->frame;

	if (frame->loop)
		return frame == &frame->loop->condition ? leave_condition(run, frame->loop)
							: leave_body(run, frame->loop);
	control_flow_finish(run, frame->parent);
	nnfw_arena_free(run->arena, frame, frame->block);
	return NNACCEL_STATUS_OK;
}
