// SPDX-License-Identifier: Apache-2.0
/*
 * Nodes of a graph, in the order in which they are run: ready operations of one device at a time,
 * together with those that become ready on it by that, as Android's runtime does it.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/nnr_base.h"
#include "plan/nnr_plan.h"

/* A queue of ready operations per device; the last is the interpreter's. */
struct queues {
	uint32_t *head, *tail; /* per device; head NNR_NONE: empty */
	uint32_t *next; /* per operation */
	uint32_t *missing; /* per operation: inputs that are not computed yet */
};

static void partition_steps_push(struct queues *q, uint32_t device, uint32_t operation)
{
	q->next[operation] = NNR_NONE;
	if (q->head[device] == NNR_NONE)
		q->head[device] = operation;
	else
		q->next[q->tail[device]] = operation;
	q->tail[device] = operation;
}

static uint32_t partition_steps_pop(struct queues *q, uint32_t device)
{
	uint32_t operation = q->head[device];

	q->head[device] = q->next[operation];
	return operation;
}

/* Operations that read outputs of @operation may be ready now. */
static void processed(struct queues *q, const struct nnr_choice *choice,
		      const struct nnmodel_operation *op)
{
	const struct nnr_flow *flow = &choice->flow;
	uint32_t i, r, reader;

	for (i = 0; i < op->num_outputs; i++)
		for (r = flow->first[op->outputs[i]]; r < flow->first[op->outputs[i] + 1]; r++) {
			reader = flow->readers[r];
			if (--q->missing[reader] == 0)
				partition_steps_push(q, choice->device[reader], reader);
		}
}

static void partition_steps_start(struct queues *q, const struct nnr_choice *choice,
				  const struct nnmodel_subgraph *graph)
{
	uint32_t i, j, d;

	for (d = 0; d <= choice->num_devices; d++)
		q->head[d] = NNR_NONE;
	for (i = 0; i < graph->num_operations; i++) {
		for (j = 0; j < graph->operations[i].num_inputs; j++)
			q->missing[i] += choice->flow.producer[graph->operations[i].inputs[j]] !=
					 NNR_NONE;
		if (!q->missing[i])
			partition_steps_push(q, choice->device[i], i);
	}
}

static void form(struct queues *q, struct nnr_choice *choice, const struct nnmodel_subgraph *graph)
{
	uint32_t d, operation, node = 0;

	for (;;) {
		/* control flow first, then the last device: earlier ones have a chance to prepare
		 * more of the inputs of others */
		for (d = choice->num_devices + 1; d-- > 0;)
			if (q->head[d] != NNR_NONE)
				break;
		if (d == UINT32_MAX)
			break;
		choice->node_device[node] = d;
		do {
			operation = partition_steps_pop(q, d);
			choice->node[operation] = node;
			processed(q, choice, &graph->operations[operation]);
		} while (d < choice->num_devices && q->head[d] != NNR_NONE);
		node++;
	}
	choice->num_nodes = node;
}

int nnr_choice_form_nodes(struct nnr_choice *choice, const struct nnmodel_subgraph *graph)
{
	size_t devices = (size_t)choice->num_devices + 1,
	       ops = choice->num_operations ? choice->num_operations : 1;
	struct queues q = {
		.head = calloc(devices, sizeof(*q.head)),
		.tail = calloc(devices, sizeof(*q.tail)),
		.next = calloc(ops, sizeof(*q.next)),
		.missing = calloc(ops, sizeof(*q.missing)),
	};
	int ret = 0;

	if (q.head && q.tail && q.next && q.missing) {
		partition_steps_start(&q, choice, graph);
		form(&q, choice, graph);
	} else {
		ret = -ENOMEM;
	}
	free(q.head);
	free(q.tail);
	free(q.next);
	free(q.missing);
	return ret;
}
