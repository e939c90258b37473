// SPDX-License-Identifier: Apache-2.0
/* What an operation costs on a device: NNAPI's rating, and an estimate of the time. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "plan/nnr_plan.h"

/* The nominal CPU, whose figures are 1.0: multiply-adds, and elements that are merely touched. */
#define MULTIPLY_ADD_NS 0.125
#define ELEMENT_NS 0.5

int nnr_costs_init(struct nnr_costs *costs, const struct nnmodel *model,
		   ANeuralNetworksDevice *const *devices, uint32_t num_devices, int32_t preference)
{
	size_t n = (size_t)num_devices * model->num_referenced, i;

	*costs = (struct nnr_costs){
		.model = model,
		.devices = devices,
		.num_devices = num_devices,
		.preference = preference,
	};
	if (!n)
		return 0;
	costs->ratings = calloc(n, sizeof(*costs->ratings));
	costs->times = calloc(n, sizeof(*costs->times));
	if (!costs->ratings || !costs->times) {
		nnr_costs_fini(costs);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		costs->ratings[i] = -1;
		costs->times[i] = -1;
	}
	return 0;
}

void nnr_costs_fini(struct nnr_costs *costs)
{
	free(costs->ratings);
	free(costs->times);
	costs->ratings = NULL;
	costs->times = NULL;
}

/* ---- rating ---- */

static double cost_figure(const struct nnr_costs *costs, const struct nnhal_performance *p)
{
	float value = costs->preference == ANEURALNETWORKS_PREFER_LOW_POWER ? p->power_usage
									    : p->exec_time;

	/* a figure that the driver's table lacks */
	return value > 0 ? (double)value : (double)FLT_MAX;
}

/* The figure of plain operations: by the type of the first input. */
static double plain_rating(const struct nnr_costs *costs, uint32_t device,
			   const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op)
{
	const struct nnhal_capabilities *caps = &costs->devices[device]->capabilities;
	uint32_t type;

	if (!op->num_inputs)
		return (double)FLT_MAX;
	type = graph->operands[op->inputs[0]].type;
	if (costs->model->relaxed && type == NNMODEL_FLOAT32)
		return cost_figure(costs, &caps->relaxed_scalar);
	if (costs->model->relaxed && type == NNMODEL_TENSOR_FLOAT32)
		return cost_figure(costs, &caps->relaxed_tensor);
	return type < NNMODEL_SUBGRAPH ? cost_figure(costs, &caps->operand[type]) : (double)FLT_MAX;
}

static double rating_of_model(struct nnr_costs *costs, uint32_t device, uint32_t subgraph)
{
	const struct nnmodel_subgraph *graph;
	double *memo, sum = 0;
	uint32_t i;

	if (!subgraph)
		return 0;
	/* many operations may refer to one model, at many levels: each is added up once */
	memo = &costs->ratings[(size_t)device * costs->model->num_referenced + subgraph - 1];
	if (*memo >= 0)
		return *memo;
	graph = nnr_subgraph(costs->model, subgraph);
	for (i = 0; i < graph->num_operations; i++)
		sum += nnr_cost_rating(costs, device, graph, &graph->operations[i]);
	*memo = sum;
	return sum;
}

double nnr_cost_rating(struct nnr_costs *costs, uint32_t device,
		       const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op)
{
	const struct nnhal_capabilities *caps = &costs->devices[device]->capabilities;
	uint32_t graphs[2];
	double sum;

	if (!nnr_is_control_flow(op))
		return plain_rating(costs, device, graph, op);
	nnr_control_flow_graphs(costs->model, graph, op, graphs);
	sum = rating_of_model(costs, device, graphs[0]) + rating_of_model(costs, device, graphs[1]);
	if (op->type == NNMODEL_IF)
		return cost_figure(costs, &caps->if_performance) + sum / 2;
	return cost_figure(costs, &caps->while_performance) + sum;
}

/* ---- time ---- */

double nnr_cost_bytes(const struct nnmodel_operand *operand)
{
	uint64_t bytes = nnr_type_bytes(operand->type, operand->dims, operand->rank);

	return bytes && bytes != UINT64_MAX ? (double)bytes : (double)NAN;
}

/* On the nominal CPU. */
static double plain_work_ns(const struct nnmodel_subgraph *graph,
			    const struct nnmodel_operation *op)
{
	const struct nnmodel_op_row *row = nnmodel_op_find(op->type);
	double touched = 0;
	uint32_t i;

	if (row && row->multiply_adds)
		return row->multiply_adds(graph, op) * MULTIPLY_ADD_NS;
	for (i = 0; i < op->num_inputs; i++)
		touched += nnmodel_elements(&graph->operands[op->inputs[i]]);
	for (i = 0; i < op->num_outputs; i++)
		touched += nnmodel_elements(&graph->operands[op->outputs[i]]);
	return touched * ELEMENT_NS;
}

static double time_of_model(struct nnr_costs *costs, uint32_t device, uint32_t subgraph)
{
	const struct nnmodel_subgraph *graph;
	double *memo, sum = 0;
	uint32_t i;

	if (!subgraph)
		return 0;
	memo = &costs->times[(size_t)device * costs->model->num_referenced + subgraph - 1];
	if (!(*memo < 0))
		return *memo;
	graph = nnr_subgraph(costs->model, subgraph);
	for (i = 0; i < graph->num_operations; i++)
		sum += nnr_cost_time(costs, device, graph, &graph->operations[i]);
	*memo = sum;
	return sum;
}

double nnr_cost_time(struct nnr_costs *costs, uint32_t device, const struct nnmodel_subgraph *graph,
		     const struct nnmodel_operation *op)
{
	uint32_t graphs[2];
	double sum;

	if (!nnr_is_control_flow(op))
		return plain_rating(costs, device, graph, op) * plain_work_ns(graph, op);
	/* a loop counts once: how often it turns is not known */
	nnr_control_flow_graphs(costs->model, graph, op, graphs);
	sum = time_of_model(costs, device, graphs[0]) + time_of_model(costs, device, graphs[1]);
	return op->type == NNMODEL_IF ? sum / 2 : sum;
}
