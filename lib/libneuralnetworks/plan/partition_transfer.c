// SPDX-License-Identifier: Apache-2.0
/*
 * Transfers in the choice of devices. The cost of a graph is the time of its operations on their
 * devices, plus the cost of moving each tensor to the devices that did not write it, plus the cost
 * of launching the nodes. A step moves to a neighbour's device if that reduces the cost. Rounds of
 * moves continue while the total decreases, so they end. Operations of unknown shape stay on the
 * device that their rating selected.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnr_base.h"
#include "plan/nnr_plan.h"

#define MAX_ROUNDS 16

struct mover {
	struct nnr_choice *choice;
	const struct nnr_costs *costs;
	const struct nnmodel_subgraph *graph;
	double ns_per_byte, step_ns;
	uint32_t reference; /* where interpreted operations have their tensors; or NNR_NONE */
	/* operations of node n: operations[first[n]] .. [first[n + 1] - 1] */
	uint32_t *first, *operations;
	uint32_t *device_mark; /* per device: the last number that marked it */
	uint32_t *operand_mark; /* per operand, the same */
	uint32_t *saved; /* devices before the round */
	uint32_t mark;
	uint64_t budget; /* of looks at readers: graphs made to be slow are left as they are */
};

static uint32_t partition_transfer_place(const struct mover *m, uint32_t device)
{
	return device == m->choice->num_devices ? m->reference : device;
}

/* Where @operation runs if node @moved were on @to. */
static uint32_t place_if(const struct mover *m, uint32_t operation, uint32_t moved, uint32_t to)
{
	return m->choice->node[operation] == moved
		       ? to
		       : partition_transfer_place(m, m->choice->device[operation]);
}

/*
 * Moving operand @o from where it is made to all that read it. NAN: the size is unknown, and it
 * moves.
 */
static double operand_ns(struct mover *m, uint32_t o, uint32_t moved, uint32_t to)
{
	const struct nnr_flow *flow = &m->choice->flow;
	uint32_t from, at, r, transfers = 0;

	if (flow->producer[o] == NNR_NONE)
		return 0;
	from = place_if(m, flow->producer[o], moved, to);
	m->mark++;
	m->device_mark[from] = m->mark;
	for (r = flow->first[o]; r < flow->first[o + 1]; r++) {
		at = place_if(m, flow->readers[r], moved, to);
		transfers += m->device_mark[at] != m->mark;
		m->device_mark[at] = m->mark;
	}
	m->budget -= m->budget < r - flow->first[o] ? m->budget : r - flow->first[o];
	return transfers ? transfers * nnr_cost_bytes(&m->graph->operands[o]) * m->ns_per_byte : 0;
}

static double total_ns(struct mover *m)
{
	double sum = m->step_ns * m->choice->num_nodes, ns;
	uint32_t i;

	for (i = 0; i < m->choice->num_operations; i++) {
		if (m->choice->device[i] == m->choice->num_devices)
			continue;
		ns = m->choice->time[(size_t)m->choice->device[i] * m->choice->num_operations + i];
		sum += isnan(ns) ? 0 : ns;
	}
	for (i = 0; i < m->graph->num_operands; i++) {
		ns = operand_ns(m, i, NNR_NONE, 0);
		sum += isnan(ns) ? 0 : ns;
	}
	return sum;
}

static void list_nodes(struct mover *m)
{
	const struct nnr_choice *choice = m->choice;
	uint32_t i;

	memset(m->first, 0, ((size_t)choice->num_operations + 2) * sizeof(*m->first));
	for (i = 0; i < choice->num_operations; i++)
		m->first[choice->node[i] + 2]++;
	for (i = 0; i < choice->num_nodes; i++)
		m->first[i + 2] += m->first[i + 1];
	for (i = 0; i < choice->num_operations; i++)
		m->operations[m->first[choice->node[i] + 1]++] = i;
}

/*
 * Gain or loss of computing node @n on @to; NAN: it cannot move there, or the figures are unknown.
 */
static double compute_delta(const struct mover *m, uint32_t n, uint32_t to)
{
	const struct nnr_choice *choice = m->choice;
	uint32_t from = choice->node_device[n], i, op;
	double delta = 0;
	bool differs = false;

	for (i = m->first[n]; i < m->first[n + 1]; i++) {
		size_t here, there;

		op = m->operations[i];
		here = (size_t)from * choice->num_operations + op;
		there = (size_t)to * choice->num_operations + op;
		/*
		 * nnapi-reference would not take an IF or WHILE as it is: the runtime would
		 * interpret it
		 */
		if (!nnr_choice_sure(choice, to, op) || choice->unknown_size[op] ||
		    (to == m->reference && nnr_is_control_flow(&m->graph->operations[op])))
			return (double)NAN;
		differs |= choice->rating[here] < choice->rating[there] ||
			   choice->rating[here] > choice->rating[there];
		delta += choice->time[there] - choice->time[here];
	}
	return differs ? delta : (double)NAN;
}

static double transfer_delta_of(struct mover *m, uint32_t o, uint32_t n, uint32_t to)
{
	return operand_ns(m, o, n, to) - operand_ns(m, o, NNR_NONE, 0);
}

/* What moving node @n to @to changes for the tensors at its border. */
static double transfer_delta(struct mover *m, uint32_t n, uint32_t to)
{
	uint32_t i, j, seen;
	double delta = 0;

	/* operands that are looked at carry a mark of their own, above all earlier ones */
	seen = ++m->mark;
	for (i = m->first[n]; i < m->first[n + 1]; i++) {
		const struct nnmodel_operation *op = &m->graph->operations[m->operations[i]];

		for (j = 0; j < op->num_inputs + op->num_outputs; j++) {
			uint32_t o = j < op->num_inputs ? op->inputs[j]
							: op->outputs[j - op->num_inputs];

			if (m->operand_mark[o] >= seen)
				continue;
			m->operand_mark[o] = seen;
			delta += transfer_delta_of(m, o, n, to);
		}
	}
	return delta;
}

/* Calls @look with the place and node of each neighbour of node @n. */
static void for_each_neighbour(struct mover *m, uint32_t n,
			       void (*partition_transfer_look)(struct mover *m, uint32_t operation,
							       void *cookie),
			       void *cookie)
{
	const struct nnr_flow *flow = &m->choice->flow;
	uint32_t i, j, r;

	for (i = m->first[n]; i < m->first[n + 1]; i++) {
		const struct nnmodel_operation *op = &m->graph->operations[m->operations[i]];

		for (j = 0; j < op->num_inputs; j++)
			if (flow->producer[op->inputs[j]] != NNR_NONE)
				partition_transfer_look(m, flow->producer[op->inputs[j]], cookie);
		for (j = 0; j < op->num_outputs; j++)
			for (r = flow->first[op->outputs[j]]; r < flow->first[op->outputs[j] + 1];
			     r++)
				partition_transfer_look(m, flow->readers[r], cookie);
	}
}

struct neighbours {
	uint32_t node;
	bool *is, *joins; /* per device: is one's place; has a step that the moved one can join */
};

static void partition_transfer_look(struct mover *m, uint32_t operation, void *cookie)
{
	struct neighbours *nb = cookie;
	uint32_t at = partition_transfer_place(m, m->choice->device[operation]);

	m->budget -= m->budget > 0;
	if (m->choice->node[operation] == nb->node)
		return;
	nb->is[at] = true;
	nb->joins[at] |= m->choice->device[operation] == at;
}

/* Move node @n where the graph gains most. */
static bool move_node(struct mover *m, uint32_t n, struct neighbours *nb)
{
	uint32_t from = m->choice->node_device[n], best = NNR_NONE, d, i;
	double least = 0, delta;

	memset(nb->is, 0, m->choice->num_devices * sizeof(*nb->is));
	memset(nb->joins, 0, m->choice->num_devices * sizeof(*nb->joins));
	nb->node = n;
	for_each_neighbour(m, n, partition_transfer_look, nb);
	for (d = 0; d < m->choice->num_devices; d++) {
		if (d == from || !nb->is[d])
			continue;
		delta = compute_delta(m, n, d);
		if (isnan(delta))
			continue;
		delta += transfer_delta(m, n, d) - (nb->joins[d] ? m->step_ns : 0);
		if (delta < least) {
			least = delta;
			best = d;
		}
	}
	if (best == NNR_NONE)
		return false;
	for (i = m->first[n]; i < m->first[n + 1]; i++)
		m->choice->device[m->operations[i]] = best;
	m->choice->node_device[n] = best;
	return true;
}

/* 1: the cost became less. 0: not, and nothing has changed. -ENOMEM. */
static int move_round(struct mover *m, struct neighbours *nb, double *total)
{
	struct nnr_choice *choice = m->choice;
	size_t bytes = choice->num_operations * sizeof(*choice->device);
	bool moved = false;
	double now;
	uint32_t n;

	memcpy(m->saved, choice->device, bytes);
	list_nodes(m);
	for (n = 0; n < choice->num_nodes && m->budget; n++)
		if (choice->node_device[n] < choice->num_devices)
			moved |= move_node(m, n, nb);
	if (!moved)
		return 0;
	if (nnr_choice_form_nodes(choice, m->graph))
		return -ENOMEM;
	now = total_ns(m);
	if (now < *total) {
		*total = now;
		return 1;
	}
	memcpy(choice->device, m->saved, bytes);
	return nnr_choice_form_nodes(choice, m->graph) ? -ENOMEM : 0;
}

static int move_all(struct mover *m)
{
	size_t devices = m->choice->num_devices;
	struct neighbours nb = {
		.is = calloc(devices, sizeof(*nb.is)),
		.joins = calloc(devices, sizeof(*nb.joins)),
	};
	double total = total_ns(m);
	int ret = nb.is && nb.joins ? 1 : -ENOMEM, round;

	for (round = 0; ret > 0 && round < MAX_ROUNDS && m->budget; round++)
		ret = move_round(m, &nb, &total);
	free(nb.is);
	free(nb.joins);
	return ret < 0 ? ret : 0;
}

int nnr_choice_count_transfers(struct nnr_choice *choice, const struct nnr_costs *costs,
			       const struct nnr_config *config)
{
	const struct nnmodel_subgraph *graph = nnr_subgraph(costs->model, choice->subgraph);
	struct mover m = {
		.choice = choice,
		.costs = costs,
		.graph = graph,
		.reference = NNR_NONE,
		.ns_per_byte = config->transfer_ns_per_kib / 1024,
		.step_ns = config->step_ns,
		.budget = 1000000 + 64ull * choice->flow.first[graph->num_operands],
	};
	uint32_t d;
	int ret = nnr_choice_form_nodes(choice, graph);

	if (ret || choice->num_nodes < 2)
		return ret;
	for (d = 0; d < costs->num_devices; d++)
		if (costs->devices[d]->is_reference)
			m.reference = d;
	m.first = calloc((size_t)choice->num_operations + 2, sizeof(*m.first));
	m.operations = calloc(choice->num_operations, sizeof(*m.operations));
	m.device_mark = calloc(choice->num_devices, sizeof(*m.device_mark));
	m.operand_mark = calloc(graph->num_operands, sizeof(*m.operand_mark));
	m.saved = calloc(choice->num_operations, sizeof(*m.saved));
	if (m.first && m.operations && m.device_mark && m.operand_mark && m.saved)
		ret = move_all(&m);
	else
		ret = -ENOMEM;
	free(m.first);
	free(m.operations);
	free(m.device_mark);
	free(m.operand_mark);
	free(m.saved);
	return ret;
}
