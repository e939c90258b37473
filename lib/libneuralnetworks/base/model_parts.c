// SPDX-License-Identifier: Apache-2.0
/*
 * Parts of models for several rooms: the subgraphs that IF and WHILE name, dimensions of operands,
 * lists that grow.
 */
#include "base/nnr_base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The subgraph that input @input of an IF or WHILE names. 0: it names none. */
static uint32_t referenced_by(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
			      const struct nnmodel_operation *op, uint32_t input)
{
	const struct nnmodel_operand *operand;

	if (input >= op->num_inputs || op->inputs[input] >= graph->num_operands)
		return 0;
	operand = &graph->operands[op->inputs[input]];
	if (operand->lifetime != NNMODEL_LIFETIME_SUBGRAPH ||
	    operand->location.offset >= model->num_referenced)
		return 0;
	return (uint32_t)operand->location.offset + 1;
}

void nnr_control_flow_graphs(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
			     const struct nnmodel_operation *op, uint32_t graphs[2])
{
	/* IF: condition, then, else, ...; WHILE: condition, body, ... */
	uint32_t first = op->type == NNMODEL_IF ? 1 : 0;

	graphs[0] = referenced_by(model, graph, op, first);
	graphs[1] = referenced_by(model, graph, op, first + 1);
}

int nnr_operand_set_dims(struct nnmodel_operand *operand, uint32_t rank, const void *dims)
{
	uint32_t *copy = malloc(rank * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	memcpy(copy, dims, rank * sizeof(*copy));
	free(operand->dims);
	operand->dims = copy;
	operand->rank = rank;
	return 0;
}

int nnr_grow(void *array, uint32_t *room, size_t need, size_t size)
{
	void **p = array;
	size_t bigger = *room ? *room : 16, bytes;
	uint8_t *moved;

	if (need <= *room)
		return 0;
	while (bigger < need)
		bigger *= 2;
	if (bigger > UINT32_MAX)
		bigger = UINT32_MAX;
	if (bigger < need || __builtin_mul_overflow(bigger, size, &bytes))
		return -ENOMEM;
	moved = realloc(*p, bytes);
	if (!moved)
		return -ENOMEM;
	memset(moved + *room * size, 0, (bigger - *room) * size);
	*p = moved;
	*room = (uint32_t)bigger;
	return 0;
}
