// SPDX-License-Identifier: Apache-2.0
/* Multiply-adds of operations, for comparing devices. */
#include <math.h>

#include "nnmodel_rows.h"

double nnmodel_elements(const struct nnmodel_operand *operand)
{
	double n = 1;
	uint32_t i;

	if (nnmodel_type_is_scalar(operand->type) || operand->lifetime == NNMODEL_NO_VALUE)
		return 0;
	if (!operand->rank)
		return (double)NAN;
	for (i = 0; i < operand->rank; i++)
		n *= operand->dims[i] ? operand->dims[i] : (double)NAN;
	return n;
}

static const struct nnmodel_operand *input(const struct nnmodel_subgraph *graph,
					   const struct nnmodel_operation *op, uint32_t i)
{
	return &graph->operands[op->inputs[i]];
}

static const struct nnmodel_operand *output(const struct nnmodel_subgraph *graph,
					    const struct nnmodel_operation *op)
{
	return &graph->operands[op->outputs[0]];
}

/* Dimension @axis of a tensor, from the last one for negative numbers; NAN: unknown. */
static double dim(const struct nnmodel_operand *operand, int axis)
{
	int i = axis < 0 ? (int)operand->rank + axis : axis;

	return i >= 0 && i < (int)operand->rank && operand->dims[i] ? operand->dims[i]
								    : (double)NAN;
}

/* Filters are [Cout, Hf, Wf, Cin]. */
double nnmodel_work_conv(const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op)
{
	const struct nnmodel_operand *filter = input(graph, op, 1);

	return nnmodel_elements(output(graph, op)) * dim(filter, 1) * dim(filter, 2) *
	       dim(filter, 3);
}

double nnmodel_work_depthwise(const struct nnmodel_subgraph *graph,
			      const struct nnmodel_operation *op)
{
	const struct nnmodel_operand *filter = input(graph, op, 1);

	return nnmodel_elements(output(graph, op)) * dim(filter, 1) * dim(filter, 2);
}

double nnmodel_work_transpose_conv(const struct nnmodel_subgraph *graph,
				   const struct nnmodel_operation *op)
{
	const struct nnmodel_operand *filter = input(graph, op, 1);

	return nnmodel_elements(input(graph, op, 0)) * dim(filter, 0) * dim(filter, 1) *
	       dim(filter, 2);
}

double nnmodel_work_fully_connected(const struct nnmodel_subgraph *graph,
				    const struct nnmodel_operation *op)
{
	return nnmodel_elements(output(graph, op)) * dim(input(graph, op, 1), 1);
}

/* [b, m, k] * [b, k, n]: every element of the first meets n others. */
double nnmodel_work_matmul(const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op)
{
	return nnmodel_elements(input(graph, op, 0)) * dim(output(graph, op), -1);
}

/* Cells: every weight is used once per row of the input. */
double nnmodel_work_recurrent(const struct nnmodel_subgraph *graph,
			      const struct nnmodel_operation *op)
{
	const struct nnmodel_operand *in = input(graph, op, 0);
	double sum = 0;
	uint32_t i;

	for (i = 1; i < op->num_inputs; i++)
		if (input(graph, op, i)->rank == 2)
			sum += nnmodel_elements(input(graph, op, i));
	return sum * nnmodel_elements(in) / dim(in, -1);
}
