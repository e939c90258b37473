// SPDX-License-Identifier: Apache-2.0
/* The order in which operations can be executed. */
#include <errno.h>
#include <string.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"

struct sort {
	const struct nnmodel_subgraph *graph;
	bool *known; /* per operand: has its value */
	/*
	 * of operand i: the operations that read it are readers[first[i]] to readers[first[i + 1] -
	 * 1]
	 */
	uint32_t *first, *readers;
	uint32_t *missing; /* per operation: inputs without value, as often as they are listed */
	uint32_t *heap, heap_size; /* operations that can run; the least number is on top */
	uint32_t *order, num_ordered;
};

static bool is_written(const struct nnmodel_operand *o)
{
	return o->lifetime == NNMODEL_TEMPORARY_VARIABLE || o->lifetime == NNMODEL_SUBGRAPH_OUTPUT;
}

static void execution_order_push(struct sort *s, uint32_t op)
{
	uint32_t i = s->heap_size++;

	for (; i && s->heap[(i - 1) / 2] > op; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = op;
}

static uint32_t execution_order_pop(struct sort *s)
{
	const uint32_t top = s->heap[0], last = s->heap[--s->heap_size];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < s->heap_size) {
		if (child + 1 < s->heap_size && s->heap[child + 1] < s->heap[child])
			child++;
		if (last <= s->heap[child])
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
	return top;
}

static size_t count_inputs(const struct nnmodel_subgraph *g)
{
	size_t n = 0;
	uint32_t i;

	for (i = 0; i < g->num_operations; i++)
		n += g->operations[i].num_inputs;
	return n;
}

static void list_readers(struct sort *s)
{
	const struct nnmodel_subgraph *g = s->graph;
	uint32_t i, k, at;

	for (i = 0; i < g->num_operations; i++)
		for (k = 0; k < g->operations[i].num_inputs; k++)
			s->first[g->operations[i].inputs[k] + 1]++;
	for (i = 0; i < g->num_operands; i++)
		s->first[i + 1] += s->first[i];
	/* filled from each one's end, so that first[] ends as it is read: moved by one */
	for (i = g->num_operations; i; i--)
		for (k = 0; k < g->operations[i - 1].num_inputs; k++) {
			at = --s->first[g->operations[i - 1].inputs[k] + 1];
			s->readers[at] = i - 1;
		}
	memmove(s->first, s->first + 1, g->num_operands * sizeof(*s->first));
	s->first[g->num_operands] = (uint32_t)count_inputs(g);
}

static void execution_order_start(struct sort *s)
{
	const struct nnmodel_subgraph *g = s->graph;
	uint32_t i, k;

	for (i = 0; i < g->num_operands; i++)
		s->known[i] = !is_written(&g->operands[i]);
	for (i = 0; i < g->num_operations; i++) {
		for (k = 0; k < g->operations[i].num_inputs; k++)
			s->missing[i] += !s->known[g->operations[i].inputs[k]];
		if (!s->missing[i])
			execution_order_push(s, i);
	}
}

static void execution_order_run(struct sort *s)
{
	const struct nnmodel_subgraph *g = s->graph;
	uint32_t k, r;

	while (s->heap_size) {
		const struct nnmodel_operation *op = &g->operations[s->heap[0]];

		s->order[s->num_ordered++] = execution_order_pop(s);
		for (k = 0; k < op->num_outputs; k++) {
			const uint32_t operand = op->outputs[k];

			if (s->known[operand])
				continue;
			s->known[operand] = true;
			for (r = s->first[operand]; r < s->first[operand + 1]; r++)
				if (!--s->missing[s->readers[r]])
					execution_order_push(s, s->readers[r]);
		}
	}
}

static int reorder(struct sort *s, struct nnmodel_subgraph *g, uint32_t *added_to_run)
{
	struct nnmodel_operation *sorted = nnr_array(g->num_operations, sizeof(*sorted));
	uint32_t i;

	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < g->num_operations; i++) {
		sorted[i] = g->operations[s->order[i]];
		added_to_run[s->order[i]] = i;
	}
	memcpy(g->operations, sorted, g->num_operations * sizeof(*sorted));
	free(sorted);
	return 0;
}

int nnr_sort(struct nnmodel *model, uint32_t *added_to_run)
{
	struct nnmodel_subgraph *g = &model->main;
	struct sort s = { .graph = g };
	size_t inputs = count_inputs(g);
	int ret = -ENOMEM;

	if (!g->num_operations)
		return 0;
	if (inputs > UINT32_MAX)
		return -EINVAL;
	s.known = nnr_array(g->num_operands, sizeof(*s.known));
	s.first = nnr_array((size_t)g->num_operands + 1, sizeof(*s.first));
	s.readers = nnr_array(inputs, sizeof(*s.readers));
	s.missing = nnr_array(g->num_operations, sizeof(*s.missing));
	s.heap = nnr_array(g->num_operations, sizeof(*s.heap));
	s.order = nnr_array(g->num_operations, sizeof(*s.order));
	if (s.known && s.first && s.readers && s.missing && s.heap && s.order) {
		list_readers(&s);
		execution_order_start(&s);
		execution_order_run(&s);
		ret = s.num_ordered == g->num_operations ? reorder(&s, g, added_to_run) : -EINVAL;
	}
	free(s.known);
	free(s.first);
	free(s.readers);
	free(s.missing);
	free(s.heap);
	free(s.order);
	return ret;
}
