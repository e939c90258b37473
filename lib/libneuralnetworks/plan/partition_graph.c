// SPDX-License-Identifier: Apache-2.0
/* Nodes become steps with models of their own, and graphs of those that the runtime runs itself. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "plan/nnr_plan.h"

/* Why an operand is at the border of a step. */
enum { READ_HERE = 1, READ_ELSEWHERE = 2, WRITTEN_HERE = 4, LISTED = 8 };

struct builder {
	struct nnr_plan *plan;
	struct nnr_report *report;
	const struct nnmodel *model;
	struct nnr_costs costs;
	uint32_t *graph_of; /* per subgraph its number in plan->graphs, or NNR_NONE */
};

/* Lists of the step being made; room for all operands of the graph. */
struct lists {
	uint8_t *flags; /* per operand of the graph; all 0 between steps */
	uint32_t *ops, *inputs, *outputs;
	uint32_t num_ops, num_inputs, num_outputs;
	uint32_t *first, *by_node; /* operations of each node, ascending */
};

static void lists_fini(struct lists *l)
{
	free(l->flags);
	free(l->inputs);
	free(l->outputs);
	free(l->first);
	free(l->by_node);
}

static int lists_init(struct lists *l, const struct nnr_choice *choice,
		      const struct nnmodel_subgraph *graph)
{
	uint32_t i;

	*l = (struct lists){
		.flags = calloc((size_t)graph->num_operands + 1, sizeof(*l->flags)),
		.inputs = calloc((size_t)graph->num_operands + 1, sizeof(*l->inputs)),
		.outputs = calloc((size_t)graph->num_operands + 1, sizeof(*l->outputs)),
		.first = calloc((size_t)choice->num_nodes + 2, sizeof(*l->first)),
		.by_node = calloc((size_t)choice->num_operations + 1, sizeof(*l->by_node)),
	};
	if (!l->flags || !l->inputs || !l->outputs || !l->first || !l->by_node) {
		lists_fini(l);
		return -ENOMEM;
	}
	for (i = 0; i < choice->num_operations; i++)
		l->first[choice->node[i] + 2]++;
	for (i = 0; i < choice->num_nodes; i++)
		l->first[i + 2] += l->first[i + 1];
	for (i = 0; i < choice->num_operations; i++)
		l->by_node[l->first[choice->node[i] + 1]++] = i;
	return 0;
}

static bool is_constant(const struct nnmodel_operand *o)
{
	return o->lifetime == NNMODEL_CONSTANT_COPY || o->lifetime == NNMODEL_CONSTANT_REFERENCE ||
	       o->lifetime == NNMODEL_NO_VALUE || o->lifetime == NNMODEL_LIFETIME_SUBGRAPH;
}

/* Read by a node other than @node. */
static bool read_elsewhere(const struct nnr_choice *choice, uint32_t operand, uint32_t node)
{
	uint32_t r;

	for (r = choice->flow.first[operand]; r < choice->flow.first[operand + 1]; r++)
		if (choice->node[choice->flow.readers[r]] != node)
			return true;
	return false;
}

static void flag_operands(struct lists *l, const struct nnr_choice *choice,
			  const struct nnmodel_subgraph *graph, uint32_t node)
{
	uint32_t i, j, o;

	for (i = 0; i < l->num_ops; i++) {
		const struct nnmodel_operation *op = &graph->operations[l->ops[i]];

		for (j = 0; j < op->num_inputs; j++)
			l->flags[op->inputs[j]] |= READ_HERE;
		for (j = 0; j < op->num_outputs; j++) {
			o = op->outputs[j];
			l->flags[o] |= WRITTEN_HERE |
				       (read_elsewhere(choice, o, node) ? READ_ELSEWHERE : 0);
		}
	}
}

static void list_input(struct lists *l, const struct nnmodel_subgraph *graph, uint32_t o)
{
	if ((l->flags[o] & (READ_HERE | WRITTEN_HERE | LISTED)) == READ_HERE &&
	    !is_constant(&graph->operands[o])) {
		l->flags[o] |= LISTED;
		l->inputs[l->num_inputs++] = o;
	}
}

static void list_output(struct lists *l, uint32_t o, bool of_graph)
{
	if ((l->flags[o] & (WRITTEN_HERE | LISTED)) == WRITTEN_HERE &&
	    (of_graph || (l->flags[o] & READ_ELSEWHERE))) {
		l->flags[o] |= LISTED;
		l->outputs[l->num_outputs++] = o;
	}
}

/*
 * Inputs and outputs of a step: the graph's own first, in the graph's order, so that a step that is
 * a whole graph has its lists; then what crosses steps, in the order of its operations.
 */
static void find_border(struct lists *l, const struct nnr_choice *choice,
			const struct nnmodel_subgraph *graph, uint32_t node)
{
	uint32_t i, j;

	l->ops = l->by_node + l->first[node];
	l->num_ops = l->first[node + 1] - l->first[node];
	l->num_inputs = 0;
	l->num_outputs = 0;
	flag_operands(l, choice, graph, node);
	for (i = 0; i < graph->num_inputs; i++)
		list_input(l, graph, graph->inputs[i]);
	for (i = 0; i < graph->num_outputs; i++)
		list_output(l, graph->outputs[i], true);
	for (i = 0; i < l->num_ops; i++) {
		const struct nnmodel_operation *op = &graph->operations[l->ops[i]];

		for (j = 0; j < op->num_inputs; j++)
			list_input(l, graph, op->inputs[j]);
		for (j = 0; j < op->num_outputs; j++)
			list_output(l, op->outputs[j], false);
	}
	for (i = 0; i < l->num_ops; i++) {
		const struct nnmodel_operation *op = &graph->operations[l->ops[i]];

		for (j = 0; j < op->num_inputs; j++)
			l->flags[op->inputs[j]] = 0;
		for (j = 0; j < op->num_outputs; j++)
			l->flags[op->outputs[j]] = 0;
	}
}

static bool is_unknown(const struct nnmodel_operand *o)
{
	return !nnr_dims_complete(o->type, o->dims, o->rank);
}

/*
 * A tensor of unknown shape that crosses steps. Devices below feature level 3 have no way to report
 * its shape.
 */
static int check_dynamic(struct builder *b, const struct nnr_choice *choice,
			 const struct nnmodel_subgraph *graph, const struct lists *l,
			 const ANeuralNetworksDevice *device)
{
	const struct nnmodel_operand *o;
	uint32_t i;

	for (i = 0; i < l->num_outputs; i++) {
		o = &graph->operands[l->outputs[i]];
		if (!nnr_type_is_tensor(o->type) || !is_unknown(o) ||
		    choice->flow.first[l->outputs[i]] == choice->flow.first[l->outputs[i] + 1])
			continue;
		b->plan->has_dynamic_temporaries = true;
		if (o->lifetime != NNMODEL_SUBGRAPH_OUTPUT && device->feature_level < 3) {
			nnr_report_reason(
				b->report,
				"%s may not know the shape of operand %u, which another step reads",
				device->name, l->outputs[i]);
			return ANEURALNETWORKS_OP_FAILED;
		}
	}
	return ANEURALNETWORKS_NO_ERROR;
}

static int extract_step(struct builder *b, const struct nnr_choice *choice, const struct lists *l,
			uint32_t node, struct nnr_step **step)
{
	ANeuralNetworksDevice *device = b->costs.devices[choice->node_device[node]];
	struct nnmodel *model;
	int ret;

	ret = nnr_extract(b->model, choice->subgraph, l->ops, l->num_ops, l->inputs, l->num_inputs,
			  l->outputs, l->num_outputs, &model);
	if (ret) {
		nnr_report_reason(b->report, "cannot extract the model of a step: %s",
				  strerror(-ret));
		return ret == -ENOMEM ? ANEURALNETWORKS_OUT_OF_MEMORY : ANEURALNETWORKS_OP_FAILED;
	}
	*step = nnr_step_new(device, b->plan, model, l->inputs, l->num_inputs, l->outputs,
			     l->num_outputs);
	if (!*step)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	(*step)->subgraph = choice->subgraph;
	(*step)->operations = nnr_copy_list(l->ops, l->num_ops);
	(*step)->num_operations = l->num_ops;
	return (*step)->operations ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUT_OF_MEMORY;
}

static int build_step(struct builder *b, const struct nnr_choice *choice,
		      const struct nnmodel_subgraph *graph, struct lists *l, uint32_t node,
		      struct nnr_node *made)
{
	const ANeuralNetworksDevice *device = b->costs.devices[choice->node_device[node]];
	int result;

	find_border(l, choice, graph, node);
	if (!l->num_inputs || !l->num_outputs) {
		nnr_report_reason(b->report, "a step on %s would have no %s", device->name,
				  l->num_inputs ? "outputs" : "inputs");
		return ANEURALNETWORKS_OP_FAILED;
	}
	result = check_dynamic(b, choice, graph, l, device);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	made->kind = NNR_NODE_STEP;
	return extract_step(b, choice, l, node, &made->step);
}

static int build_graph(struct builder *b, uint32_t subgraph);

static int build_control(struct builder *b, const struct nnmodel_subgraph *graph,
			 uint32_t operation, struct nnr_node *made)
{
	const struct nnmodel_operation *op = &graph->operations[operation];
	uint32_t subgraphs[2], i;
	int result;

	made->kind = op->type == NNMODEL_IF ? NNR_NODE_IF : NNR_NODE_WHILE;
	made->operation = operation;
	nnr_control_flow_graphs(b->model, graph, op, subgraphs);
	for (i = 0; i < 2; i++) {
		if (!subgraphs[i])
			return ANEURALNETWORKS_BAD_DATA;
		/* a graph that several operations name is stored once */
		if (b->graph_of[subgraphs[i]] == NNR_NONE) {
			result = build_graph(b, subgraphs[i]);
			if (result != ANEURALNETWORKS_NO_ERROR)
				return result;
		}
		made->graphs[i] = b->graph_of[subgraphs[i]];
	}
	return ANEURALNETWORKS_NO_ERROR;
}

static int build_nodes(struct builder *b, const struct nnr_choice *choice, struct nnr_graph *made)
{
	const struct nnmodel_subgraph *graph = nnr_subgraph(b->model, choice->subgraph);
	int result = ANEURALNETWORKS_NO_ERROR;
	struct lists l;
	uint32_t n;

	made->nodes = calloc((size_t)choice->num_nodes + 1, sizeof(*made->nodes));
	if (!made->nodes || lists_init(&l, choice, graph))
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (n = 0; n < choice->num_nodes && result == ANEURALNETWORKS_NO_ERROR; n++) {
		/* counted first, so that an incomplete node is freed with the others */
		made->num_nodes++;
		if (choice->node_device[n] == choice->num_devices)
			result = build_control(b, graph, l.by_node[l.first[n]], &made->nodes[n]);
		else
			result = build_step(b, choice, graph, &l, n, &made->nodes[n]);
	}
	lists_fini(&l);
	return result;
}

/* One device for all of main, not the interpreter. */
static bool is_simple(const struct nnr_choice *choice)
{
	return !choice->subgraph && choice->num_nodes == 1 &&
	       choice->node_device[0] < choice->num_devices;
}

/* Devices name the operation, too. */
static const char *without_name(const char *reason)
{
	const char *colon = !strncmp(reason, "operation ", 10) ? strstr(reason, ": ") : NULL;

	return colon ? colon + 2 : reason;
}

/* Why no device can run it: each device's reason. finish() logs the first such operation. */
static void tell_refusals(struct builder *b, const struct nnr_choice *choice, uint32_t operation)
{
	const uint32_t type = nnr_subgraph(b->model, choice->subgraph)->operations[operation].type;
	char text[sizeof(b->report->reason)] = "";
	size_t used = 0;
	uint32_t d;

	for (d = 0; d < choice->num_devices && used < sizeof(text); d++) {
		const char *reason =
			choice->reasons[(size_t)d * choice->num_operations + operation];
		const int n = snprintf(text + used, sizeof(text) - used, "%s%s: %s", d ? "; " : "",
				       b->costs.devices[d]->name,
				       reason ? without_name(reason) : "not supported");

		used += n > 0 ? (size_t)n : 0;
	}
	nnr_report_reason(b->report, "no device can run operation %u (%s): %s", operation,
			  nnmodel_operation_name(type), text);
}

static int partition_graph_choose(struct builder *b, struct nnr_choice *choice, uint32_t subgraph)
{
	int result = nnr_choice_init(choice, &b->costs, subgraph);
	uint32_t i;

	for (i = 0; result == ANEURALNETWORKS_BAD_DATA && i < choice->num_operations; i++)
		if (choice->device[i] == NNR_NONE)
			tell_refusals(b, choice, i);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	return nnr_choice_count_transfers(choice, &b->costs, nnr_config())
		       ? ANEURALNETWORKS_OUT_OF_MEMORY
		       : ANEURALNETWORKS_NO_ERROR;
}

static int build_graph(struct builder *b, uint32_t subgraph)
{
	struct nnr_choice *choice = &b->report->choices[b->report->num_choices++];
	struct nnr_graph *made;
	int result = partition_graph_choose(b, choice, subgraph);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (is_simple(choice)) {
		b->report->simple = true;
		return nnr_plan_single(b->plan, b->costs.devices[choice->node_device[0]]);
	}
	b->graph_of[subgraph] = b->plan->num_graphs;
	made = &b->plan->graphs[b->plan->num_graphs++];
	made->subgraph = subgraph;
	return build_nodes(b, choice, made);
}

int nnr_plan_partition(struct nnr_plan *plan, struct nnr_report *report)
{
	const struct nnmodel *model = plan->data->model;
	size_t num = (size_t)model->num_referenced + 1, i;
	struct builder b = { .plan = plan, .report = report, .model = model };
	int result = ANEURALNETWORKS_OUT_OF_MEMORY;

	/* subgraphs are chosen for and built at most once: nothing moves while it is referred to */
	plan->graphs = calloc(num, sizeof(*plan->graphs));
	report->choices = calloc(num, sizeof(*report->choices));
	b.graph_of = calloc(num, sizeof(*b.graph_of));
	if (plan->graphs && report->choices && b.graph_of &&
	    !nnr_costs_init(&b.costs, model, report->devices, report->num_devices,
			    report->preference)) {
		for (i = 0; i < num; i++)
			b.graph_of[i] = NNR_NONE;
		result = build_graph(&b, 0);
		nnr_costs_fini(&b.costs);
	}
	free(b.graph_of);
	return result;
}
