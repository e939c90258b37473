// SPDX-License-Identifier: Apache-2.0
#include "onnx_ep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delegate_common.h"
#include "onnx_graph.h"

struct chooser {
	struct ep_choice *c;
	const struct onnx_graph *g;
	const struct delegate_settings *settings;
	bool *in; /* of each node: it is in the model that is tried */
};

static void chooser_leave(struct chooser *s, uint32_t node, const struct delegate_reason *reason)
{
	if (s->c->left[node])
		return;
	s->c->left[node] = true;
	s->c->reasons[node] = *reason;
}

/* ---- single nodes ---- */

/* The only reader of a node's first output; NULL. */
static const struct onnx_node *only_reader(const struct onnx_graph *g, const struct onnx_node *n)
{
	const struct onnx_value *v =
		n->num_outputs && n->outputs[0] != ONNX_NONE ? &g->values[n->outputs[0]] : NULL;

	return v && v->consumers == 1 && !v->output ? &g->nodes[v->consumer] : NULL;
}

/* An operator with the conversions around it, which make one operation with it. */
static void chooser_unit(struct chooser *s, uint32_t place)
{
	const struct onnx_graph *g = s->g;
	const struct onnx_node *n = &g->nodes[place], *next = only_reader(g, n);

	memset(s->in, false, g->num_nodes);
	s->in[place] = true;
	if (onnx_is_conversion(n))
		return;
	for (uint32_t i = 0; i < n->num_inputs; i++) {
		int producer = n->inputs[i] == ONNX_NONE ? ONNX_NONE
							 : g->values[n->inputs[i]].producer;

		if (producer != ONNX_NONE && onnx_is(&g->nodes[producer], "DequantizeLinear") &&
		    !g->nodes[producer].taken)
			s->in[producer] = true;
	}
	if (next && !next->taken && onnx_activation(g, next)) {
		s->in[next - g->nodes] = true;
		next = only_reader(g, next);
	}
	if (next && onnx_is(next, "QuantizeLinear") && !next->taken)
		s->in[next - g->nodes] = true;
}

static int chooser_try_node(struct chooser *s, uint32_t place)
{
	struct delegate_reason reason;
	uint32_t refused;
	int ret;

	if (s->g->nodes[place].taken) {
		s->c->left[place] = true;
		return DELEGATE_REFUSE(&s->c->reasons[place], 0, "another provider has it");
	}
	chooser_unit(s, place);
	ret = ep_model_try(s->g, s->in, s->settings, &refused, &reason);
	/* what is refused may be a conversion or the activation beside it */
	if (ret && ret != -ENOMEM && refused < s->g->num_nodes && refused != place) {
		memset(s->in, false, s->g->num_nodes);
		s->in[place] = true;
		ret = ep_model_try(s->g, s->in, s->settings, &refused, &reason);
	}
	if (ret == -ENOMEM)
		return ret;
	for (uint32_t i = 0; i < s->g->num_nodes && !ret; i++)
		if (s->in[i] && (i == place || onnx_is_conversion(&s->g->nodes[i])))
			s->c->left[i] = false;
	if (ret)
		s->c->reasons[place] = reason;
	return 0;
}

/* The graph as one model, as most are: then no node needs a model of its own. */
static int chooser_try_whole(struct chooser *s)
{
	struct delegate_reason reason;
	uint32_t refused;

	for (uint32_t i = 0; i < s->g->num_nodes; i++) {
		if (s->g->nodes[i].taken)
			return -EOPNOTSUPP;
		s->in[i] = true;
	}
	return ep_model_try(s->g, s->in, s->settings, &refused, &reason);
}

/* Operators first: a conversion that is in the model of one needs no model of its own. */
static int chooser_try_nodes(struct chooser *s)
{
	int ret = chooser_try_whole(s);

	if (!ret || ret == -ENOMEM)
		return ret;
	ret = 0;
	memset(s->c->left, true, s->g->num_nodes);
	for (int conversions = 0; conversions < 2; conversions++)
		for (uint32_t i = 0; i < s->g->num_nodes && !ret; i++)
			if (onnx_is_conversion(&s->g->nodes[i]) == conversions && s->c->left[i])
				ret = chooser_try_node(s, i);
	return ret;
}

/* ---- partitions ---- */

/* Edges to readers, a list for each node: @edges from @first[node] to @first[node + 1]. */
struct edges {
	uint32_t *first, *edges, *degree;
};

static int input_producer(const struct onnx_graph *g, const struct onnx_node *n, uint32_t i)
{
	int v = i < n->num_inputs ? n->inputs[i] : n->implicit[i - n->num_inputs];

	return v == ONNX_NONE ? ONNX_NONE : g->values[v].producer;
}

static int edges_make(const struct onnx_graph *g, struct edges *e)
{
	size_t count = 0;

	for (uint32_t i = 0; i < g->num_nodes; i++)
		count += g->nodes[i].num_inputs + g->nodes[i].num_implicit;
	e->first = calloc((size_t)g->num_nodes + 2, sizeof(*e->first));
	e->degree = calloc((size_t)g->num_nodes + 1, sizeof(*e->degree));
	e->edges = calloc(count + 1, sizeof(*e->edges));
	if (!e->first || !e->degree || !e->edges)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->num_nodes; i++)
		for (uint32_t j = 0; j < g->nodes[i].num_inputs + g->nodes[i].num_implicit; j++) {
			int producer = input_producer(g, &g->nodes[i], j);

			if (producer != ONNX_NONE) {
				e->first[producer + 2]++;
				e->degree[i]++;
			}
		}
	for (uint32_t i = 2; i < g->num_nodes + 2; i++)
		e->first[i] += e->first[i - 1];
	for (uint32_t i = 0; i < g->num_nodes; i++)
		for (uint32_t j = 0; j < g->nodes[i].num_inputs + g->nodes[i].num_implicit; j++) {
			int producer = input_producer(g, &g->nodes[i], j);

			if (producer != ONNX_NONE)
				e->edges[e->first[producer + 1]++] = i;
		}
	return 0;
}

/*
 * Each node goes into the group that is open when its inputs are there. A node that is left, and
 * reads from the open group, waits until this closes; so no path leaves a group and returns.
 */
static int chooser_group(struct chooser *s)
{
	const uint32_t count = s->g->num_nodes;
	struct edges e = { 0 };
	uint32_t *now = calloc((size_t)count + 1, sizeof(*now)),
		 *later = calloc((size_t)count + 1, sizeof(*later));
	uint32_t *border = calloc((size_t)count + 1, sizeof(*border)), head = 0, end = 0,
		 waiting = 0, members = 0;
	int ret = edges_make(s->g, &e);

	if (!now || !later || !border)
		ret = -ENOMEM;
	s->c->num_groups = 0;
	s->c->taken = 0;
	for (uint32_t i = 0; i < count && !ret; i++)
		if (!e.degree[i])
			now[end++] = i;
	while (!ret && (head < end || waiting)) {
		uint32_t n;

		if (head == end) {
			s->c->num_groups += members > 0;
			members = 0;
			memcpy(now, later, waiting * sizeof(*now));
			head = 0;
			end = waiting;
			waiting = 0;
		}
		n = now[head++];
		if (s->c->left[n] && border[n] == (uint32_t)s->c->num_groups + 1) {
			later[waiting++] = n;
			continue;
		}
		if (!s->c->left[n]) {
			s->c->groups[n] = s->c->num_groups;
			s->c->taken++;
			members++;
		}
		for (uint32_t i = e.first[n]; i < e.first[n + 1]; i++) {
			if (!s->c->left[n])
				border[e.edges[i]] = (uint32_t)s->c->num_groups + 1;
			if (!--e.degree[e.edges[i]])
				now[end++] = e.edges[i];
		}
	}
	s->c->num_groups += members > 0;
	free(now);
	free(later);
	free(border);
	free(e.first);
	free(e.degree);
	free(e.edges);
	return ret;
}

/* Of a partition that can be a model: its shapes must follow from its inputs of a run, too. */
static int chooser_check_shapes(struct chooser *s, bool *changed)
{
	struct delegate_reason reason;
	const struct onnx_node *n;
	uint32_t node;
	int ret = s->g->open ? onnx_shapes_follow(s->g, s->in, &node) : 0;

	if (ret <= 0)
		return ret;
	n = &s->g->nodes[node];
	DELEGATE_REFUSE(
		&reason, 0,
		"the size of tensor %s does not follow from those of the inputs; give add_free_dimension_override_by_name the sizes",
		n->num_outputs && n->outputs[0] != ONNX_NONE ? s->g->values[n->outputs[0]].name
							     : n->name);
	chooser_leave(s, node, &reason);
	*changed = true;
	return 0;
}

static void chooser_leave_group(struct chooser *s, const struct delegate_reason *reason)
{
	for (uint32_t i = 0; i < s->g->num_nodes; i++)
		if (s->in[i])
			chooser_leave(s, i, reason);
}

/* A whole partition can be refused where its nodes are not. Whether some of it is left. */
static int chooser_try_group(struct chooser *s, int group, bool *changed)
{
	struct delegate_reason reason;
	uint32_t count = 0, refused;
	bool work = false;
	int ret;

	for (uint32_t i = 0; i < s->g->num_nodes; i++) {
		s->in[i] = !s->c->left[i] && s->c->groups[i] == group;
		count += s->in[i];
		work |= s->in[i] && !onnx_is_conversion(&s->g->nodes[i]);
	}
	if (!count)
		return 0;
	if (!work || count < s->settings->min_nodes) {
		if (!work)
			DELEGATE_REFUSE(&reason, 0,
					"no operator beside it is delegated, and it only converts");
		else
			DELEGATE_REFUSE(&reason, 0, "its partition has %u nodes, min_nodes is %u",
					count, s->settings->min_nodes);
		chooser_leave_group(s, &reason);
		*changed = true;
		return 0;
	}
	ret = ep_model_try(s->g, s->in, s->settings, &refused, &reason);
	if (!ret)
		return chooser_check_shapes(s, changed);
	if (ret == -ENOMEM)
		return ret;
	if (refused < s->g->num_nodes)
		chooser_leave(s, refused, &reason);
	else
		chooser_leave_group(s, &reason);
	*changed = true;
	return 0;
}

static int chooser_partition(struct chooser *s)
{
	bool changed = true;
	int ret = 0;

	while (changed && !ret) {
		changed = false;
		ret = chooser_group(s);
		for (int i = 0; i < s->c->num_groups && !ret; i++)
			ret = chooser_try_group(s, i, &changed);
	}
	return ret;
}

/* ---- the log ---- */

static void choice_log(const struct ep_choice *c, const struct delegate_settings *settings)
{
	for (uint32_t i = 0; i < c->graph->num_nodes; i++) {
		const struct onnx_node *n = &c->graph->nodes[i];

		if (c->left[i] && settings->log >= DELEGATE_LOG_NODES)
			fprintf(stderr,
				"nnaccel: node %u %.64s (%.64s) stays with ONNX Runtime: %s\n", i,
				n->name, n->op, c->reasons[i].text);
		else if (!c->left[i] && settings->log >= DELEGATE_LOG_ALL)
			fprintf(stderr, "nnaccel: node %u %.64s (%.64s) is delegated\n", i, n->name,
				n->op);
	}
	delegate_log_graph(settings, c->graph->num_nodes, c->taken, c->num_groups);
}

/* One graph: the reasons of the nodes that are left. Does nothing without the option "explain". */
static void choice_explain(const struct delegate_settings *settings, const struct onnx_graph *graph,
			   const bool *left, const struct delegate_reason *reasons, int partitions)
{
	cJSON *stay = cJSON_CreateArray(), *node;

	for (uint32_t i = 0; i < graph->num_nodes; i++) {
		if (!left[i])
			continue;
		node = cJSON_CreateObject();
		cJSON_AddNumberToObject(node, "node", i);
		cJSON_AddStringToObject(node, "name", graph->nodes[i].name);
		cJSON_AddStringToObject(node, "operator", graph->nodes[i].op);
		cJSON_AddStringToObject(node, "reason", reasons[i].text);
		cJSON_AddItemToArray(stay, node);
	}
	explain_graph(settings, graph->num_nodes, partitions, stay);
}

int ep_choose(const struct onnx_graph *graph, const struct delegate_settings *settings,
	      struct ep_choice *c)
{
	struct chooser s = { .c = c,
			     .g = graph,
			     .settings = settings,
			     .in = calloc((size_t)graph->num_nodes + 1, 1) };
	int ret = -ENOMEM;

	*c = (struct ep_choice){
		.graph = graph,
		.left = calloc((size_t)graph->num_nodes + 1, sizeof(*c->left)),
		.reasons = calloc((size_t)graph->num_nodes + 1, sizeof(*c->reasons)),
		.groups = calloc((size_t)graph->num_nodes + 1, sizeof(*c->groups)),
	};
	if (s.in && c->left && c->reasons && c->groups)
		ret = chooser_try_nodes(&s);
	ret = ret ? ret : chooser_partition(&s);
	if (!ret) {
		choice_log(c, settings);
		choice_explain(settings, graph, c->left, c->reasons, c->num_groups);
	}
	free(s.in);
	return ret;
}

void ep_choice_clear(struct ep_choice *c)
{
	free(c->left);
	free(c->reasons);
	free(c->groups);
	memset(c, 0, sizeof(*c));
}
