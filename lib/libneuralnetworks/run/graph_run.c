// SPDX-License-Identifier: Apache-2.0
/* Runs of plans of several steps: values go from node to node, and what fails is tried again. */
#include <stdlib.h>
#include <string.h>

#include "nnutil_clock.h"

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "plan/nnr_plan.h"
#include "run/nnr_run.h"

#define MOST_DYNAMIC (UINT64_C(1) << 31)

/* ---- one step ---- */

/*
 * Outputs were too small. NO_ERROR: those between steps are larger now. INSUFFICIENT: the
 * application's are too small.
 */
static int graph_run_grow(struct nnr_invocation *inv, struct nnr_scope *scope,
			  const struct nnr_step *step, const struct nnr_workspace *ws)
{
	int result = ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
	bool applications = false;
	uint32_t i;

	for (i = 0; i < step->num_outputs; i++) {
		const uint32_t operand = step->outputs[i];
		const struct nnhal_output_shape *shape = &ws->shapes[i];
		uint64_t bytes;

		if (!nnr_scope_is_temporary(scope, operand)) {
			nnr_scope_tell_shape(inv, scope, operand, shape);
			applications = applications || !shape->sufficient;
			continue;
		}
		if (shape->sufficient)
			continue;
		/* its size was known: a larger buffer would not help */
		if (nnr_dims_complete(scope->graph->operands[operand].type,
				      scope->graph->operands[operand].dims,
				      scope->graph->operands[operand].rank))
			return ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
		bytes = nnr_shape_bytes(scope->graph->operands[operand].type, shape->rank,
					shape->dims);
		if (bytes <= scope->temps[operand].capacity)
			bytes = scope->temps[operand].capacity * 2;
		if (bytes >= MOST_DYNAMIC)
			return nnr_refuse(OP_FAILED, "operand %u between steps needs 2 GiB or more",
					  operand);
		if (nnr_temporary_reserve(&scope->temps[operand], bytes) !=
		    ANEURALNETWORKS_NO_ERROR)
			return ANEURALNETWORKS_OUT_OF_MEMORY;
		result = nnr_scope_place_temporary(scope, operand);
		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
	}
	return applications ? ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE : result;
}

static void add_timing(struct nnr_invocation *inv, const struct nnhal_timing *timing)
{
	struct nnhal_timing *sum = &inv->run->timing;

	if (timing->on_device_ns < 0 || timing->in_driver_ns < 0)
		inv->timed = false;
	sum->on_device_ns += timing->on_device_ns;
	sum->in_driver_ns += timing->in_driver_ns;
}

static int finish_step(struct nnr_invocation *inv, struct nnr_scope *scope,
		       const struct nnr_step *step, const struct nnr_workspace *ws)
{
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i;

	for (i = 0; i < step->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = nnr_scope_produced(inv, scope, step->outputs[i], &ws->shapes[i]);
	add_timing(inv, &ws->timing);
	return result;
}

static int graph_run_attempt(struct nnr_invocation *inv, struct nnr_scope *scope,
			     struct nnr_step *step, struct nnr_workspaces *workspaces,
			     int64_t deadline_ns)
{
	struct nnr_workspace *ws;
	int result = nnr_workspace_take(workspaces, inv->run->set, step->model, &ws);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	result = nnr_scope_bind(scope, step, ws);
	while (result == ANEURALNETWORKS_NO_ERROR) {
		result = nnr_workspace_execute(ws, inv->run, deadline_ns);
		if (result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
			break;
		result = graph_run_grow(inv, scope, step, ws);
	}
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = finish_step(inv, scope, step, ws);
	nnr_workspace_give(ws);
	return result;
}

/* nnapi-reference cannot use device buffers. */
static bool has_buffers(const struct nnr_scope *scope, const struct nnr_step *step)
{
	uint32_t i;

	for (i = 0; i < step->num_inputs + step->num_outputs; i++) {
		const struct nnr_argument *arg =
			&scope->args[i < step->num_inputs ? step->inputs[i]
							  : step->outputs[i - step->num_inputs]];

		if (arg->kind == NNR_ARG_MEMORY && arg->memory->buffer)
			return true;
	}
	return false;
}

static int run_step(struct nnr_invocation *inv, struct nnr_scope *scope, struct nnr_step *step)
{
	struct nnr_workspaces *workspaces;
	int result = graph_run_attempt(inv, scope, step, step->workspaces, inv->run->deadline_ns);

	if (!nnr_run_failed(result) || inv->give_up || !inv->plan->fallback ||
	    step->device->is_reference || has_buffers(scope, step))
		return result;
	nnr_run_device_failed(inv->run, step->device, result, "retrying this step");
	if (nnr_step_fallback(inv->plan, step, &workspaces) != ANEURALNETWORKS_NO_ERROR)
		return result;
	return graph_run_attempt(inv, scope, step, workspaces, NNHAL_NO_TIME);
}

/* ---- graphs ---- */

static int check_deadline(struct nnr_invocation *inv)
{
	if (inv->run->deadline_ns == NNHAL_NO_TIME || nnutil_boottime_ns() < inv->run->deadline_ns)
		return ANEURALNETWORKS_NO_ERROR;
	inv->final = true;
	/* it had not passed when the application's call began */
	return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
}

static int run_control_flow(struct nnr_invocation *inv, struct nnr_scope *scope,
			    const struct nnr_node *node, uint32_t number)
{
	const struct nnmodel_operation *op = &scope->graph->operations[node->operation];
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i;

	for (i = 0; i < op->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++)
		if (nnr_scope_is_temporary(scope, op->outputs[i]))
			result = nnr_scope_place_temporary(scope, op->outputs[i]);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	return node->kind == NNR_NODE_IF ? nnr_if_run(inv, scope, node)
					 : nnr_while_run(inv, scope, node, &scope->whiles[number]);
}

int nnr_graph_run(struct nnr_invocation *inv, uint32_t number)
{
	const struct nnr_graph *graph = &inv->plan->graphs[number];
	struct nnr_scope *scope = &inv->scopes[number];
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t n;

	for (n = 0; n < graph->num_nodes && result == ANEURALNETWORKS_NO_ERROR; n++) {
		result = check_deadline(inv);
		if (result != ANEURALNETWORKS_NO_ERROR)
			break;
		if (graph->nodes[n].kind == NNR_NODE_STEP)
			result = run_step(inv, scope, graph->nodes[n].step);
		else
			result = run_control_flow(inv, scope, &graph->nodes[n], n);
	}
	return result;
}

int nnr_compound_run(struct nnr_invocation *inv, struct nnr_run *run)
{
	int result;

	nnr_invocation_begin(inv, run);
	run->timing = (struct nnhal_timing){ 0, 0 };
	result = nnr_graph_run(inv, 0);
	if (!inv->timed || result != ANEURALNETWORKS_NO_ERROR)
		run->timing = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	return result;
}
