// SPDX-License-Identifier: Apache-2.0
#include "delegate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delegate_common.h"

/* DELEGATE: the node is a partition of another delegate. */
#define DELEGATED 51

struct choice {
	struct tfl_context *context;
	const struct delegate_settings *settings;
	struct delegate_nodes nodes;
	uint32_t *places; /* in @nodes, of each number of the host; UINT32_MAX */
	uint32_t num_places;
	bool *left; /* of each node */
	bool *tried; /* of each node: alone */
	struct delegate_reason *reasons; /* of those that are left */
	struct tfl_int_array *chosen; /* numbers of the others */
	int partitions;
};

static void choice_list(struct choice *c)
{
	c->chosen->size = 0;
	for (uint32_t i = 0; i < c->nodes.count; i++)
		if (!c->left[i])
			c->chosen->data[c->chosen->size++] = c->nodes.list[i].number;
}

static uint32_t choice_place(const struct choice *c, int number)
{
	return number >= 0 && (uint32_t)number < c->num_places ? c->places[number] : UINT32_MAX;
}

static void choice_leave(struct choice *c, int number, const struct delegate_reason *reason)
{
	uint32_t i = choice_place(c, number);

	if (i == UINT32_MAX || c->left[i])
		return;
	c->left[i] = true;
	c->reasons[i] = *reason;
}

/* ---- nodes ---- */

static bool is_open(const struct tfl_tensor *t)
{
	const struct tfl_int_array *s = t->dims_signature;

	for (int i = 0; s && i < s->size; i++)
		if (s->data[i] < 0)
			return true;
	return false;
}

/* Rules about properties of tensors that libnnimport does not see. */
static int check_tensors(const struct tfl_context *context, const struct delegate_node *node,
			 struct delegate_reason *reason)
{
	bool open_input = false;

	/* CALL_ONCE: a translation would leave it out, because nothing needs a result of it */
	if (!node->num_outputs)
		return DELEGATE_REFUSE(reason, -EOPNOTSUPP,
				       "it has no output, and works only by what it changes");
	for (uint32_t i = 0; i < node->num_inputs + node->num_outputs; i++) {
		const struct tfl_tensor *t;

		if (node->tensors[i] < 0)
			continue;
		t = &context->tensors[node->tensors[i]];
		if (t->sparsity)
			return DELEGATE_REFUSE(
				reason, -EOPNOTSUPP,
				"tensor %s is sparse; convert the model with dense weights",
				t->name);
		if (i < node->num_inputs)
			open_input |= is_open(t);
		else if (t->allocation_type == TFL_DYNAMIC || (is_open(t) && !open_input))
			return DELEGATE_REFUSE(
				reason, -EOPNOTSUPP,
				"the shape of tensor %s is known only when the model runs; convert the model with fixed shapes",
				t->name);
	}
	return 0;
}

/* What can be seen without a model. */
static void choice_check_nodes(struct choice *c)
{
	for (uint32_t i = 0; i < c->nodes.count; i++) {
		const struct delegate_node *node = &c->nodes.list[i];
		struct delegate_reason *reason = &c->reasons[i];

		c->left[i] = node->opcode == DELEGATED ? DELEGATE_REFUSE(reason, -EOPNOTSUPP,
									 "another delegate has it")
						       : check_tensors(c->context, node, reason);
	}
}

static int choice_try_node(struct choice *c, uint32_t place)
{
	uint32_t refused;
	int ret;

	if (c->tried[place])
		return 0;
	c->tried[place] = true;
	ret = delegate_model_try(&c->nodes.list[place], 1, c->context, NULL, c->settings, &refused,
				 &c->reasons[place]);
	c->left[place] = ret;
	return ret;
}

/* Each node of a refused partition as a model of its own, once. */
static int choice_try_nodes(struct choice *c, const struct delegate_nodes *nodes, bool *some_left)
{
	*some_left = false;
	for (uint32_t n = 0; n < nodes->count; n++) {
		uint32_t place = choice_place(c, nodes->list[n].number);
		int ret = place == UINT32_MAX ? 0 : choice_try_node(c, place);

		if (ret == -ENOMEM)
			return ret;
		*some_left = *some_left || ret;
	}
	return 0;
}

/* ---- partitions ---- */

static void leave_partition(struct choice *c, const struct delegate_nodes *nodes,
			    const struct delegate_reason *reason)
{
	for (uint32_t i = 0; i < nodes->count; i++)
		choice_leave(c, nodes->list[i].number, reason);
}

/*
 * The whole partition first: most models are one, and each trial translates and copies weights. One
 * that is refused may have nodes that are refused alone, with reasons of their own; it can also be
 * refused where none of its nodes is. @changed: some of it is left.
 */
static int check_partition(struct choice *c, const struct tfl_delegate_params *partition,
			   bool *changed)
{
	struct delegate_reason reason;
	struct delegate_nodes nodes;
	uint32_t refused;
	bool some_left;
	int ret = delegate_nodes_copy(c->context, partition->nodes_to_replace, &nodes);

	if (ret)
		return ret;
	if (nodes.count < c->settings->min_nodes) {
		DELEGATE_REFUSE(&reason, 0, "its partition has %u nodes, min_nodes is %u",
				nodes.count, c->settings->min_nodes);
		leave_partition(c, &nodes, &reason);
		*changed = true;
	} else {
		ret = delegate_model_try(nodes.list, nodes.count, c->context,
					 partition->output_tensors, c->settings, &refused, &reason);
		if (ret && ret != -ENOMEM) {
			ret = choice_try_nodes(c, &nodes, &some_left);
			if (!some_left && refused < nodes.count)
				choice_leave(c, nodes.list[refused].number, &reason);
			else if (!some_left)
				leave_partition(c, &nodes, &reason);
			*changed = true;
		}
	}
	delegate_nodes_clear(&nodes);
	return ret;
}

/* TensorFlow Lite has no partition for nodes that wait for each other, and would drop them. */
static int choice_check_order(struct choice *c, const struct tfl_delegate_params *partitions,
			      bool *changed)
{
	bool *has = calloc((size_t)c->nodes.count + 1, sizeof(*has));
	struct delegate_reason reason;

	if (!has)
		return -ENOMEM;
	DELEGATE_REFUSE(&reason, 0, "it reads a tensor that no node before it writes");
	for (int i = 0; i < c->partitions; i++)
		for (int k = 0; k < partitions[i].nodes_to_replace->size; k++) {
			uint32_t place = choice_place(c, partitions[i].nodes_to_replace->data[k]);

			if (place != UINT32_MAX)
				has[place] = true;
		}
	for (uint32_t i = 0; i < c->nodes.count; i++)
		if (!has[i] && !c->left[i]) {
			choice_leave(c, c->nodes.list[i].number, &reason);
			*changed = true;
		}
	free(has);
	return 0;
}

/* The host's list of partitions does not outlive the next call: one pass, then a new list. */
static int choice_check_partitions(struct choice *c)
{
	struct tfl_delegate_params *partitions;
	bool changed = true;
	int ret = 0;

	while (changed && !ret) {
		changed = false;
		choice_list(c);
		c->partitions = 0;
		if (!c->chosen->size)
			return 0;
		if (c->context->preview_partitions(c->context, c->chosen, &partitions,
						   &c->partitions) != TFL_OK)
			return -EINVAL;
		ret = choice_check_order(c, partitions, &changed);
		for (int i = 0; i < c->partitions && !ret; i++)
			ret = check_partition(c, &partitions[i], &changed);
	}
	return ret;
}

/* ---- the log ---- */

static void choice_log(const struct choice *c)
{
	for (uint32_t i = 0; i < c->nodes.count; i++) {
		const struct delegate_node *node = &c->nodes.list[i];

		if (c->left[i] && c->settings->log >= DELEGATE_LOG_NODES)
			fprintf(stderr, "nnaccel: node %d (%s) stays with TensorFlow Lite: %s\n",
				node->number, node->name, c->reasons[i].text);
		else if (!c->left[i] && c->settings->log >= DELEGATE_LOG_ALL)
			fprintf(stderr, "nnaccel: node %d (%s) is delegated\n", node->number,
				node->name);
	}
	delegate_log_graph(c->settings, c->nodes.count, (uint32_t)c->chosen->size, c->partitions);
}

/* With require_all, the first node that stays is an error. */
static int choice_require_all(const struct choice *c)
{
	for (uint32_t i = 0; i < c->nodes.count; i++)
		if (c->left[i] && c->settings->require_all) {
			c->context->report_error(
				c->context,
				"nnaccel: require_all is 1, and node %d (%s) cannot be delegated: %s",
				c->nodes.list[i].number, c->nodes.list[i].name, c->reasons[i].text);
			return TFL_ERROR;
		}
	return TFL_OK;
}

/* Numbers of the host are places in its list of all nodes, so that they are few. */
static int choice_index(struct choice *c)
{
	for (uint32_t i = 0; i < c->nodes.count; i++)
		if ((uint32_t)c->nodes.list[i].number >= c->num_places)
			c->num_places = (uint32_t)c->nodes.list[i].number + 1;
	c->places = malloc(((size_t)c->num_places + 1) * sizeof(*c->places));
	if (!c->places)
		return -ENOMEM;
	memset(c->places, 0xff, (size_t)c->num_places * sizeof(*c->places));
	for (uint32_t i = 0; i < c->nodes.count; i++)
		c->places[c->nodes.list[i].number] = i;
	return 0;
}

static int choice_make(struct choice *c)
{
	struct tfl_int_array *plan;
	size_t count;
	int ret;

	if (c->context->get_execution_plan(c->context, &plan) != TFL_OK)
		return -EINVAL;
	ret = delegate_nodes_copy(c->context, plan, &c->nodes);
	if (ret)
		return ret;
	count = c->nodes.count;
	c->left = calloc(count + 1, sizeof(*c->left));
	c->tried = calloc(count + 1, sizeof(*c->tried));
	c->reasons = calloc(count + 1, sizeof(*c->reasons));
	c->chosen = calloc(1, sizeof(*c->chosen) + (count + 1) * sizeof(c->chosen->data[0]));
	if (!c->left || !c->tried || !c->reasons || !c->chosen || choice_index(c))
		return -ENOMEM;
	choice_check_nodes(c);
	return choice_check_partitions(c);
}

/* One graph: the reasons of the nodes that are left. Does nothing without the option "explain". */
static void choice_explain(const struct delegate_settings *settings,
			   const struct delegate_nodes *nodes, const bool *left,
			   const struct delegate_reason *reasons, int partitions)
{
	cJSON *stay = cJSON_CreateArray(), *node;

	for (uint32_t i = 0; i < nodes->count; i++) {
		if (!left[i])
			continue;
		node = cJSON_CreateObject();
		cJSON_AddNumberToObject(node, "node", nodes->list[i].number);
		cJSON_AddStringToObject(node, "operator", nodes->list[i].name);
		cJSON_AddStringToObject(node, "reason", reasons[i].text);
		cJSON_AddItemToArray(stay, node);
	}
	explain_graph(settings, nodes->count, partitions, stay);
}

int delegate_choose(struct tfl_context *context, const struct delegate_settings *settings,
		    struct tfl_int_array **chosen)
{
	struct choice c = { .context = context, .settings = settings };
	int ret = choice_make(&c), status = TFL_ERROR;

	if (!ret) {
		choice_log(&c);
		choice_explain(settings, &c.nodes, c.left, c.reasons, c.partitions);
		status = choice_require_all(&c);
	} else {
		context->report_error(context, "nnaccel: no partitions: %s",
				      ret == -ENOMEM ? "out of memory"
						     : "the host does not answer");
	}
	*chosen = NULL;
	if (status == TFL_OK) {
		*chosen = c.chosen;
		c.chosen = NULL;
	}
	delegate_nodes_clear(&c.nodes);
	free(c.places);
	free(c.left);
	free(c.tried);
	free(c.reasons);
	free(c.chosen);
	return status;
}
