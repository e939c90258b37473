// SPDX-License-Identifier: Apache-2.0
/* Which device takes which operation of a graph: the rule of Android's runtime. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "plan/nnr_plan.h"

/* ---- flow ---- */

static void count_and_link(struct nnr_flow *flow, const struct nnmodel_subgraph *graph)
{
	uint32_t i, j, o;

	for (o = 0; o < graph->num_operands; o++)
		flow->producer[o] = NNR_NONE;
	for (i = 0; i < graph->num_operations; i++) {
		const struct nnmodel_operation *op = &graph->operations[i];

		for (j = 0; j < op->num_outputs; j++)
			flow->producer[op->outputs[j]] = i;
		for (j = 0; j < op->num_inputs; j++)
			flow->first[op->inputs[j] + 1]++;
	}
	for (o = 0; o < graph->num_operands; o++)
		flow->first[o + 1] += flow->first[o];
	/* each list is filled from its end, so operations come backwards to end up ascending */
	for (i = graph->num_operations; i-- > 0;) {
		const struct nnmodel_operation *op = &graph->operations[i];

		for (j = 0; j < op->num_inputs; j++)
			flow->readers[--flow->first[op->inputs[j] + 1]] = i;
	}
	/* first[o + 1] is now where o's list begins */
	memmove(flow->first, flow->first + 1, graph->num_operands * sizeof(*flow->first));
}

int nnr_flow_init(struct nnr_flow *flow, const struct nnmodel_subgraph *graph)
{
	uint64_t num_reads = 0;
	uint32_t i;

	*flow = (struct nnr_flow){ 0 };
	for (i = 0; i < graph->num_operations; i++)
		num_reads += graph->operations[i].num_inputs;
	if (num_reads >= NNR_NONE)
		return -ENOMEM;
	flow->producer = calloc((size_t)graph->num_operands + 1, sizeof(*flow->producer));
	flow->first = calloc((size_t)graph->num_operands + 2, sizeof(*flow->first));
	flow->readers = calloc((size_t)num_reads + 1, sizeof(*flow->readers));
	if (!flow->producer || !flow->first || !flow->readers) {
		nnr_flow_fini(flow);
		return -ENOMEM;
	}
	count_and_link(flow, graph);
	flow->first[graph->num_operands] = (uint32_t)num_reads;
	return 0;
}

void nnr_flow_fini(struct nnr_flow *flow)
{
	free(flow->producer);
	free(flow->first);
	free(flow->readers);
	*flow = (struct nnr_flow){ 0 };
}

/* ---- candidates ---- */

static int partition_choice_allocate(struct nnr_choice *choice)
{
	size_t ops = choice->num_operations ? choice->num_operations : 1;
	size_t pairs = ops * (choice->num_devices ? choice->num_devices : 1);

	choice->supported = calloc(pairs, sizeof(*choice->supported));
	choice->rating = calloc(pairs, sizeof(*choice->rating));
	choice->time = calloc(pairs, sizeof(*choice->time));
	choice->reasons = calloc(pairs, sizeof(*choice->reasons));
	choice->unknown_size = calloc(ops, sizeof(*choice->unknown_size));
	choice->device = calloc(ops, sizeof(*choice->device));
	choice->base = calloc(ops, sizeof(*choice->base));
	choice->node = calloc(ops, sizeof(*choice->node));
	choice->node_device = calloc(ops, sizeof(*choice->node_device));
	if (!choice->supported || !choice->rating || !choice->time || !choice->reasons ||
	    !choice->unknown_size || !choice->device || !choice->base || !choice->node ||
	    !choice->node_device)
		return -ENOMEM;
	return 0;
}

void nnr_choice_fini(struct nnr_choice *choice)
{
	size_t pairs = (size_t)choice->num_operations * choice->num_devices, i;

	for (i = 0; choice->reasons && i < pairs; i++)
		free(choice->reasons[i]);
	nnr_flow_fini(&choice->flow);
	free(choice->supported);
	free(choice->rating);
	free(choice->time);
	free(choice->reasons);
	free(choice->unknown_size);
	free(choice->device);
	free(choice->base);
	free(choice->node);
	free(choice->node_device);
	*choice = (struct nnr_choice){ 0 };
}

static int ask_devices(struct nnr_choice *choice, struct nnr_costs *costs,
		       const struct nnmodel_subgraph *graph)
{
	uint32_t d, i;
	int ret;

	for (d = 0; d < choice->num_devices; d++) {
		size_t row = (size_t)d * choice->num_operations;

		ret = nnr_supported_operations(costs->model, choice->subgraph, costs->devices[d],
					       choice->supported + row, choice->reasons + row);
		if (ret)
			return ret;
		for (i = 0; i < choice->num_operations; i++) {
			choice->rating[row + i] =
				nnr_cost_rating(costs, d, graph, &graph->operations[i]);
			choice->time[row + i] =
				nnr_cost_time(costs, d, graph, &graph->operations[i]);
		}
	}
	return 0;
}

static bool has_reference(const struct nnr_costs *costs)
{
	uint32_t d;

	for (d = 0; d < costs->num_devices; d++)
		if (costs->devices[d]->is_reference)
			return true;
	return false;
}

bool nnr_choice_sure(const struct nnr_choice *choice, uint32_t device, uint32_t operation)
{
	const size_t at = (size_t)device * choice->num_operations + operation;

	return choice->supported[at] && !choice->reasons[at];
}

static bool any_device_is_sure(const struct nnr_choice *choice, uint32_t operation)
{
	uint32_t d;

	for (d = 0; d < choice->num_devices; d++)
		if (nnr_choice_sure(choice, d, operation))
			return true;
	return false;
}

/*
 * The device with the least rating; of equal ones nnapi-reference, else the first in the list.
 * nnapi-reference takes IF and WHILE of unknown size; if it is not in the client's list, a device
 * that supports them may. An operation that nnapi-reference only decides at execution goes to
 * another device that supports it.
 */
static uint32_t best_device(const struct nnr_choice *choice, const struct nnr_costs *costs,
			    uint32_t operation)
{
	bool reference_only = choice->unknown_size[operation] && has_reference(costs);
	const bool sure_only = !reference_only && any_device_is_sure(choice, operation);
	uint32_t best = NNR_NONE, d;
	double least = 0, rating;

	for (d = 0; d < choice->num_devices; d++) {
		size_t at = (size_t)d * choice->num_operations + operation;

		if (!choice->supported[at] ||
		    (reference_only && !costs->devices[d]->is_reference) ||
		    (sure_only && !nnr_choice_sure(choice, d, operation)))
			continue;
		rating = choice->rating[at];
		if (best == NNR_NONE || rating < least ||
		    (rating <= least && costs->devices[d]->is_reference)) {
			best = d;
			least = rating;
		}
	}
	return best;
}

static bool is_interpreted(const struct nnr_choice *choice, const struct nnr_costs *costs,
			   const struct nnmodel_operation *op, uint32_t operation, uint32_t device)
{
	return device != NNR_NONE && costs->devices[device]->is_reference &&
	       nnr_is_control_flow(op) && !choice->unknown_size[operation];
}

int nnr_choice_init(struct nnr_choice *choice, struct nnr_costs *costs, uint32_t subgraph)
{
	const struct nnmodel_subgraph *graph = nnr_subgraph(costs->model, subgraph);
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i, d;

	*choice = (struct nnr_choice){
		.subgraph = subgraph,
		.num_operations = graph->num_operations,
		.num_devices = costs->num_devices,
	};
	if (partition_choice_allocate(choice) || nnr_flow_init(&choice->flow, graph) ||
	    ask_devices(choice, costs, graph))
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (i = 0; i < graph->num_operations; i++) {
		const struct nnmodel_operation *op = &graph->operations[i];

		choice->unknown_size[i] = nnr_is_control_flow(op) &&
					  nnr_flow_unknown(costs->model, graph, op);
		d = best_device(choice, costs, i);
		if (d == NNR_NONE)
			result = ANEURALNETWORKS_BAD_DATA;
		choice->base[i] = d;
		choice->device[i] = is_interpreted(choice, costs, op, i, d) ? choice->num_devices
									    : d;
		choice->node[i] = NNR_NONE;
	}
	return result;
}
