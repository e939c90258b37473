// SPDX-License-Identifier: Apache-2.0
/*
 * Plans of several steps: values go from node to node; what fails is tried again (client_api.md
 * section 12).
 */
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

#define MOST_DYNAMIC (UINT64_C(1) << 31)

/* A value between steps, or an output that the application does not want but a later step reads. */
static bool is_temporary(const struct nnr_frame *frame, uint32_t operand)
{
	const struct nnr_argument *arg = &frame->args[operand];

	return !frame->output[operand] || (arg->kind == NNR_ARG_NO_VALUE && frame->read[operand]) ||
	       (arg->kind == NNR_ARG_MEMORY && arg->memory == frame->temps[operand].memory);
}

static int place_temporary(struct nnr_frame *frame, uint32_t operand)
{
	const struct nnmodel_operand *o = &frame->graph->operands[operand];
	struct nnr_temporary *temp = &frame->temps[operand];
	uint64_t bytes = nnr_type_bytes(o->type, o->dims, o->rank);
	int result = nnr_temporary_reserve(temp, bytes);
	const struct nnr_argument place = {
		.kind = NNR_ARG_MEMORY,
		.memory = temp->memory,
		.offset = temp->offset,
		.length = bytes ? bytes : temp->capacity,
		.rank = o->rank,
		.dims = o->dims,
	};

	if (result == ANEURALNETWORKS_NO_ERROR)
		nnr_frame_place(frame, operand, &place);
	return result;
}

/* Main's outputs are what the application hears of. */
static void tell_shape(struct nnr_context *c, const struct nnr_frame *frame, uint32_t operand,
		       const struct nnhal_output_shape *shape)
{
	uint32_t i;

	if (frame != c->frames)
		return;
	for (i = 0; i < frame->graph->num_outputs; i++)
		if (frame->graph->outputs[i] == operand &&
		    c->run->outputs[i].kind != NNR_ARG_NO_VALUE)
			nnr_run_shape(c->run, i, shape);
}

int nnr_frame_produced(struct nnr_context *c, struct nnr_frame *frame, uint32_t operand,
		       const struct nnhal_output_shape *shape)
{
	struct nnr_argument *arg = &frame->args[operand];
	uint32_t i;

	tell_shape(c, frame, operand, shape);
	if (arg->kind == NNR_ARG_NO_VALUE)
		return ANEURALNETWORKS_NO_ERROR;
	arg->rank = shape->rank;
	if (arg->rank && arg->dims != shape->dims)
		memcpy(arg->dims, shape->dims, arg->rank * sizeof(*arg->dims));
	for (i = 0; i < arg->rank; i++)
		if (!arg->dims[i] && frame->read[operand]) {
			nnutil_log(NNUTIL_LOG_INFO,
				"operand %u is without elements and is read by another step",
				operand);
			c->give_up = true;
			return ANEURALNETWORKS_OP_FAILED;
		}
	/* of a device's buffer there is no length */
	if (arg->kind == NNR_ARG_POINTER || !arg->memory->buffer)
		arg->length =
			nnr_shape_bytes(frame->graph->operands[operand].type, arg->rank, arg->dims);
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- one step ---- */

/*
 * Outputs were too small. NO_ERROR: those between steps are larger now; INSUFFICIENT: the
 * application's are.
 */
static int grow(struct nnr_context *c, struct nnr_frame *frame, const struct nnr_step *step,
		const struct nnr_slot *slot)
{
	int result = ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
	bool applications = false;
	uint32_t i;

	for (i = 0; i < step->num_outputs; i++) {
		const uint32_t operand = step->outputs[i];
		const struct nnhal_output_shape *shape = &slot->shapes[i];
		uint64_t bytes;

		if (!is_temporary(frame, operand)) {
			tell_shape(c, frame, operand, shape);
			applications = applications || !shape->sufficient;
			continue;
		}
		if (shape->sufficient)
			continue;
		/* its size was known: more of it would teach nothing */
		if (nnr_dims_complete(frame->graph->operands[operand].type,
				      frame->graph->operands[operand].dims,
				      frame->graph->operands[operand].rank))
			return ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
		bytes = nnr_shape_bytes(frame->graph->operands[operand].type, shape->rank,
					shape->dims);
		if (bytes <= frame->temps[operand].capacity)
			bytes = frame->temps[operand].capacity * 2;
		if (bytes >= MOST_DYNAMIC) {
			nnutil_log(NNUTIL_LOG_WARNING,
				"operand %u between steps would have 2 GiB or more", operand);
			return ANEURALNETWORKS_OP_FAILED;
		}
		if (nnr_temporary_reserve(&frame->temps[operand], bytes) !=
		    ANEURALNETWORKS_NO_ERROR)
			return ANEURALNETWORKS_OUT_OF_MEMORY;
		result = place_temporary(frame, operand);
		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
	}
	return applications ? ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE : result;
}

static void add_timing(struct nnr_context *c, const struct nnhal_timing *timing)
{
	struct nnhal_timing *sum = &c->run->timing;

	if (timing->on_device_ns < 0 || timing->in_driver_ns < 0)
		c->timed = false;
	sum->on_device_ns += timing->on_device_ns;
	sum->in_driver_ns += timing->in_driver_ns;
}

static int finish_step(struct nnr_context *c, struct nnr_frame *frame, const struct nnr_step *step,
		       const struct nnr_slot *slot)
{
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i;

	for (i = 0; i < step->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = nnr_frame_produced(c, frame, step->outputs[i], &slot->shapes[i]);
	add_timing(c, &slot->timing);
	return result;
}

int nnr_frame_bind(struct nnr_frame *frame, const struct nnr_step *step, struct nnr_slot *slot)
{
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i;

	for (i = 0; i < step->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++) {
		if (is_temporary(frame, step->outputs[i]))
			result = place_temporary(frame, step->outputs[i]);
		slot->outputs[i] = &frame->args[step->outputs[i]];
	}
	for (i = 0; i < step->num_inputs; i++)
		slot->inputs[i] = &frame->args[step->inputs[i]];
	return result;
}

static int attempt(struct nnr_context *c, struct nnr_frame *frame, struct nnr_step *step,
		   struct nnr_slots *slots, int64_t deadline_ns)
{
	struct nnr_slot *slot;
	int result = nnr_slot_take(slots, c->run->cache, step->model, &slot);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	result = nnr_frame_bind(frame, step, slot);
	while (result == ANEURALNETWORKS_NO_ERROR) {
		result = nnr_slot_execute(slot, c->run, deadline_ns);
		if (result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
			break;
		result = grow(c, frame, step, slot);
	}
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = finish_step(c, frame, step, slot);
	nnr_slot_give(slot);
	return result;
}

/* A device's buffers are nothing that nnapi-reference could use. */
static bool has_buffers(const struct nnr_frame *frame, const struct nnr_step *step)
{
	uint32_t i;

	for (i = 0; i < step->num_inputs + step->num_outputs; i++) {
		const struct nnr_argument *arg =
			&frame->args[i < step->num_inputs ? step->inputs[i]
							  : step->outputs[i - step->num_inputs]];

		if (arg->kind == NNR_ARG_MEMORY && arg->memory->buffer)
			return true;
	}
	return false;
}

static int run_step(struct nnr_context *c, struct nnr_frame *frame, struct nnr_step *step)
{
	struct nnhal_prepared_model *prepared;
	struct nnr_slots *slots;
	int result = attempt(c, frame, step, step->slots, c->run->deadline_ns);

	if (!nnr_run_failed(result) || c->give_up || !c->plan->fallback ||
	    step->device->is_reference || has_buffers(frame, step))
		return result;
	nnutil_log(NNUTIL_LOG_WARNING, "%s failed (result %d): this step is tried on nnapi-reference",
		step->device->name, result);
	if (nnr_step_fallback(c->plan, step, &prepared, &slots) != ANEURALNETWORKS_NO_ERROR)
		return result;
	return attempt(c, frame, step, slots, NNHAL_NO_TIME);
}

/* ---- graphs ---- */

static int check_deadline(struct nnr_context *c)
{
	if (c->run->deadline_ns == NNHAL_NO_TIME || nnr_now() < c->run->deadline_ns)
		return ANEURALNETWORKS_NO_ERROR;
	c->final = true;
	/* it had not when the application's call began */
	return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
}

static int run_control(struct nnr_context *c, struct nnr_frame *frame, const struct nnr_node *node,
		       uint32_t number)
{
	const struct nnmodel_operation *op = &frame->graph->operations[node->operation];
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i;

	for (i = 0; i < op->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++)
		if (is_temporary(frame, op->outputs[i]))
			result = place_temporary(frame, op->outputs[i]);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	return node->kind == NNR_NODE_IF ? nnr_if_run(c, frame, node)
					 : nnr_while_run(c, frame, node, &frame->loops[number]);
}

int nnr_graph_run(struct nnr_context *c, uint32_t number)
{
	const struct nnr_graph *graph = &c->plan->graphs[number];
	struct nnr_frame *frame = &c->frames[number];
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t n;

	for (n = 0; n < graph->num_nodes && result == ANEURALNETWORKS_NO_ERROR; n++) {
		result = check_deadline(c);
		if (result != ANEURALNETWORKS_NO_ERROR)
			break;
		if (graph->nodes[n].kind == NNR_NODE_STEP)
			result = run_step(c, frame, graph->nodes[n].step);
		else
			result = run_control(c, frame, &graph->nodes[n], n);
	}
	return result;
}

void nnr_context_begin(struct nnr_context *c, struct nnr_run *run)
{
	const struct nnmodel_subgraph *main = &c->plan->data->model->main;
	uint32_t i;

	c->run = run;
	c->give_up = false;
	c->final = false;
	c->timed = run->measure;
	for (i = 0; i < main->num_inputs; i++) {
		struct nnr_argument place = run->inputs[i];

		/* a whole memory from a descriptor, where the host sees it */
		if (place.kind == NNR_ARG_MEMORY && !place.memory->buffer && !place.length)
			place.length = place.memory->shared.size;
		nnr_frame_place(c->frames, main->inputs[i], &place);
	}
	for (i = 0; i < main->num_outputs; i++)
		nnr_frame_place(c->frames, main->outputs[i], &run->outputs[i]);
}

int nnr_compound_run(struct nnr_context *c, struct nnr_run *run)
{
	int result;

	nnr_context_begin(c, run);
	run->timing = (struct nnhal_timing){ 0, 0 };
	result = nnr_graph_run(c, 0);
	if (!c->timed || result != ANEURALNETWORKS_NO_ERROR)
		run->timing = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	return result;
}
