// SPDX-License-Identifier: Apache-2.0
/* What an operation costs on a device: NNAPI's rating, and an estimate of the time. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "plan.h"

/* The nominal CPU, whose figures are 1.0: multiply-adds, and elements that are merely touched. */
#define MULTIPLY_ADD_NS	0.125
#define ELEMENT_NS	0.5

uint32_t nnr_referenced_by(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
			   const struct nnmodel_operation *op, uint32_t input)
{
	const struct nnmodel_operand *operand;

	if (input >= op->num_inputs || op->inputs[input] >= graph->num_operands)
		return 0;
	operand = &graph->operands[op->inputs[input]];
	if (operand->lifetime != NNMODEL_LIFETIME_SUBGRAPH || operand->location.offset >= model->num_referenced)
		return 0;
	return (uint32_t)operand->location.offset + 1;
}

void nnr_control_graphs(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
			const struct nnmodel_operation *op, uint32_t graphs[2])
{
	/* IF: condition, then, else, ...; WHILE: condition, body, ... */
	uint32_t first = op->type == NNMODEL_IF ? 1 : 0;

	graphs[0] = nnr_referenced_by(model, graph, op, first);
	graphs[1] = nnr_referenced_by(model, graph, op, first + 1);
}

int nnr_costs_init(struct nnr_costs *costs, const struct nnmodel *model, ANeuralNetworksDevice *const *devices,
		   uint32_t num_devices, int32_t preference)
{
	size_t n = (size_t)num_devices * model->num_referenced, i;

	*costs = (struct nnr_costs){
		.model = model, .devices = devices, .num_devices = num_devices, .preference = preference,
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

/* ---- rating ---------------------------------------------------------------------------------------- */

static double figure(const struct nnr_costs *costs, const struct nnhal_performance *p)
{
	float value = costs->preference == ANEURALNETWORKS_PREFER_LOW_POWER ? p->power_usage : p->exec_time;

	/* what a driver's table lacks */
	return value > 0 ? (double)value : (double)FLT_MAX;
}

/* The figure of plain operations: by the type of the first input. */
static double plain_rating(const struct nnr_costs *costs, uint32_t device, const struct nnmodel_subgraph *graph,
			   const struct nnmodel_operation *op)
{
	const struct nnhal_capabilities *caps = &costs->devices[device]->capabilities;
	uint32_t type;

	if (!op->num_inputs)
		return (double)FLT_MAX;
	type = graph->operands[op->inputs[0]].type;
	if (costs->model->relaxed && type == NNMODEL_FLOAT32)
		return figure(costs, &caps->relaxed_scalar);
	if (costs->model->relaxed && type == NNMODEL_TENSOR_FLOAT32)
		return figure(costs, &caps->relaxed_tensor);
	return type < NNMODEL_SUBGRAPH ? figure(costs, &caps->operand[type]) : (double)FLT_MAX;
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

double nnr_cost_rating(struct nnr_costs *costs, uint32_t device, const struct nnmodel_subgraph *graph,
		       const struct nnmodel_operation *op)
{
	const struct nnhal_capabilities *caps = &costs->devices[device]->capabilities;
	uint32_t graphs[2];
	double sum;

	if (!nnr_is_control_flow(op))
		return plain_rating(costs, device, graph, op);
	nnr_control_graphs(costs->model, graph, op, graphs);
	sum = rating_of_model(costs, device, graphs[0]) + rating_of_model(costs, device, graphs[1]);
	if (op->type == NNMODEL_IF)
		return figure(costs, &caps->if_performance) + sum / 2;
	return figure(costs, &caps->while_performance) + sum;
}

/* ---- time ------------------------------------------------------------------------------------------ */

/* NAN: not known. Scalars and omitted operands weigh nothing. */
static double elements(const struct nnmodel_operand *operand)
{
	double n = 1;
	uint32_t i;

	if (!nnr_type_is_tensor(operand->type) || operand->lifetime == NNMODEL_NO_VALUE)
		return 0;
	if (!operand->rank)
		return (double)NAN;
	for (i = 0; i < operand->rank; i++)
		n *= operand->dims[i] ? operand->dims[i] : (double)NAN;
	return n;
}

double nnr_cost_bytes(const struct nnmodel_operand *operand)
{
	uint64_t bytes = nnr_type_bytes(operand->type, operand->dims, operand->rank);

	return bytes && bytes != UINT64_MAX ? (double)bytes : (double)NAN;
}

/* Dimension @axis of a tensor, from the last one for negative numbers; NAN: unknown. */
static double dim(const struct nnmodel_operand *operand, int axis)
{
	int i = axis < 0 ? (int)operand->rank + axis : axis;

	return i >= 0 && i < (int)operand->rank && operand->dims[i] ? operand->dims[i] : (double)NAN;
}

/* Recurrent cells: every weight is used once per row of the input. */
static double recurrent_macs(const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op)
{
	const struct nnmodel_operand *in = &graph->operands[op->inputs[0]], *weights;
	double sum = 0;
	uint32_t i;

	for (i = 1; i < op->num_inputs; i++) {
		weights = &graph->operands[op->inputs[i]];
		if (weights->rank == 2)
			sum += elements(weights);
	}
	return sum * elements(in) / dim(in, -1);
}

/* Multiply-adds of operations that consist of them; below 0: others. */
static double macs(const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op)
{
	const struct nnmodel_operand *a, *b;
	double out;

	if (op->num_inputs < 2 || !op->num_outputs)
		return -1;
	a = &graph->operands[op->inputs[0]];
	b = &graph->operands[op->inputs[1]];
	out = elements(&graph->operands[op->outputs[0]]);
	switch (op->type) {
	case NNMODEL_CONV_2D:
	case NNMODEL_GROUPED_CONV_2D:
		return out * dim(b, 1) * dim(b, 2) * dim(b, 3);
	case NNMODEL_DEPTHWISE_CONV_2D:
		return out * dim(b, 1) * dim(b, 2);
	case NNMODEL_TRANSPOSE_CONV_2D:
		return elements(a) * dim(b, 0) * dim(b, 1) * dim(b, 2);
	case NNMODEL_FULLY_CONNECTED:
		return out * dim(b, 1);
	case NNMODEL_BATCH_MATMUL:
		/* [b, m, k] * [b, k, n]: k is what is left of the first by rows of the result */
		return out * elements(a) / (out / dim(&graph->operands[op->outputs[0]], -1));
	case NNMODEL_LSTM:
	case NNMODEL_RNN:
	case NNMODEL_SVDF:
	case NNMODEL_QUANTIZED_16BIT_LSTM:
	case NNMODEL_QUANTIZED_LSTM:
	case NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM:
	case NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN:
	case NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM:
	case NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN:
		return recurrent_macs(graph, op);
	default:
		return -1;
	}
}

/* On the nominal CPU. */
static double plain_work_ns(const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op)
{
	double n = macs(graph, op), touched = 0;
	uint32_t i;

	if (!(n < 0))
		return n * MULTIPLY_ADD_NS;
	for (i = 0; i < op->num_inputs; i++)
		touched += elements(&graph->operands[op->inputs[i]]);
	for (i = 0; i < op->num_outputs; i++)
		touched += elements(&graph->operands[op->outputs[i]]);
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
	nnr_control_graphs(costs->model, graph, op, graphs);
	sum = time_of_model(costs, device, graphs[0]) + time_of_model(costs, device, graphs[1]);
	return op->type == NNMODEL_IF ? sum / 2 : sum;
}
