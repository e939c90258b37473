// SPDX-License-Identifier: Apache-2.0
/* Finishing a model: from what the client added to what devices are offered. */
#include <errno.h>
#include <string.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "registry/nnr_registry.h"

/* The order in which operations can be executed. */

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

/*
 * Sort main's operations, stable where possible. @added_to_run (one per operation) becomes the new
 * number of each. 0; -EINVAL: a cycle, or an operand that is read but never written; -ENOMEM.
 */
static int sort_operations(struct nnmodel *model, uint32_t *added_to_run)
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

/*
 * Trailing inputs that have their default value go, so that devices of feature levels that do not
 * know them can have the operation.
 */

/*
 * An operation of more than @first inputs may lack those from there on that are, a letter each: F
 * false, 1, - minus one. Of two rules with inputs in common the kind of input @first decides.
 */
struct rule {
	uint32_t opcode, first;
	const char *tail;
	bool tied; /* the last two come together */
};

/* rules[], of the defaults in ops/ */
#include "nnr_default_inputs.h"

static uint32_t letter_type(char letter)
{
	return letter == 'F' ? NNMODEL_BOOL : NNMODEL_INT32;
}

static bool is_default(const struct nnmodel *model, const struct nnmodel_operand *o, char letter)
{
	const void *data;
	int32_t value;
	size_t size;

	if (o->lifetime != NNMODEL_CONSTANT_COPY || o->type != letter_type(letter) ||
	    nnmodel_constant(model, NULL, o, &data, &size))
		return false;
	if (letter == 'F')
		return size == 1 && !*(const uint8_t *)data;
	if (size != sizeof(value))
		return false;
	memcpy(&value, data, sizeof(value));
	return value == (letter == '1' ? 1 : -1);
}

static uint32_t inputs_left(const struct nnmodel *model, const struct nnmodel_operation *op,
			    const struct rule *rule)
{
	const struct nnmodel_operand *operands = model->main.operands;
	uint32_t n = op->num_inputs;

	if (n <= rule->first || n > rule->first + strlen(rule->tail) ||
	    operands[op->inputs[rule->first]].type != letter_type(rule->tail[0]))
		return n;
	while (n > rule->first &&
	       is_default(model, &operands[op->inputs[n - 1]], rule->tail[n - 1 - rule->first]))
		n--;
	return rule->tied && n + 1 == rule->first + strlen(rule->tail) ? op->num_inputs : n;
}

/* Remove trailing inputs of main's operations that have their default value. */
static void remove_defaults(struct nnmodel *model)
{
	uint32_t i, k;

	for (i = 0; i < model->main.num_operations; i++) {
		struct nnmodel_operation *op = &model->main.operations[i];

		for (k = 0; k < sizeof(rules) / sizeof(rules[0]); k++)
			if (rules[k].opcode == op->type)
				op->num_inputs = inputs_left(model, op, &rules[k]);
	}
}

/* ---- extension names ---- */

static void mark_prefixes(const struct nnmodel_subgraph *g, bool *used)
{
	uint32_t i;

	for (i = 0; i < g->num_operands; i++)
		used[g->operands[i].type >> 16] = true;
	for (i = 0; i < g->num_operations; i++)
		used[g->operations[i].type >> 16] = true;
}

static int add_name(struct nnmodel *m, uint16_t prefix)
{
	const char *name = nnr_extension_name(prefix);
	char *copy;

	if (!name || !nnr_extension_registered(name))
		return nnr_refuse(BAD_DATA, "no device supports the extension %s",
				  name ? name : "(unknown prefix)");
	copy = strdup(name);
	if (!copy)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	m->extensions[m->num_extensions++] = (struct nnmodel_extension){ copy, prefix };
	return ANEURALNETWORKS_NO_ERROR;
}

/* List the extensions that main and the referenced models use. */
static int name_extensions(struct nnmodel *m)
{
	bool *used = nnr_array(0x10000, sizeof(*used));
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i, n = 0;

	if (!used)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	mark_prefixes(&m->main, used);
	for (i = 0; i < m->num_referenced; i++)
		mark_prefixes(&m->referenced[i], used);
	for (i = 1; i < 0x10000; i++)
		n += used[i];
	if (n) {
		m->extensions = nnr_array(n, sizeof(*m->extensions));
		if (!m->extensions)
			result = ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	for (i = 1; n && i < 0x10000 && result == ANEURALNETWORKS_NO_ERROR; i++)
		if (used[i])
			result = add_name(m, (uint16_t)i);
	free(used);
	return result;
}

/* ---- validity ---- */

static int finish_validate(const struct nnmodel *m, uint32_t *feature_level)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	int ret = nnr_model_validate(m, feature_level, &err);

	if (!ret && *feature_level <= NNR_RUNTIME_LEVEL)
		return ANEURALNETWORKS_NO_ERROR;
	if (ret == -ENOMEM)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	if (ret)
		return nnr_refuse(BAD_DATA, "the model is invalid: %s", err.text);
	return nnr_refuse(BAD_DATA, "the model needs feature level %u, the runtime has %u",
			  *feature_level, NNR_RUNTIME_LEVEL);
}

static void find_kinds(struct nnr_model_data *data, const struct nnmodel_subgraph *g)
{
	uint32_t i;

	for (i = 0; i < g->num_operations; i++) {
		data->has_extensions |= nnr_is_extension(g->operations[i].type);
		data->has_oem |= g->operations[i].type == ANEURALNETWORKS_OEM_OPERATION;
	}
}

/* ---- the data ---- */

/* The pools and models in use, with the identities of models and pools. */
static int take_used(const struct nnr_model_builder *b, struct nnr_model_data *data)
{
	uint32_t *graphs = nnr_array(b->model->num_referenced, sizeof(*graphs));
	uint32_t *pools = nnr_array(b->model->num_pools, sizeof(*pools));
	int ret = -ENOMEM;
	uint32_t i;

	if (graphs && pools)
		ret = nnr_extract_whole(b->model, 0, &data->model, graphs, pools);
	if (!ret) {
		data->referenced_ids =
			nnr_array(data->model->num_referenced, sizeof(*data->referenced_ids));
		data->pool_ids = nnr_array(data->model->num_pools, sizeof(*data->pool_ids));
		if (!data->referenced_ids || !data->pool_ids)
			ret = -ENOMEM;
	}
	for (i = 0; !ret && i < data->model->num_referenced; i++)
		data->referenced_ids[i] = b->referenced_ids[graphs[i]];
	for (i = 0; !ret && i < data->model->num_pools; i++)
		data->pool_ids[i] = b->pool_ids[pools[i]];
	free(graphs);
	free(pools);
	return ret;
}

static int finish_fill(struct nnr_model_builder *b, struct nnr_model_data *data)
{
	struct nnmodel *m = b->model;
	uint32_t i;
	int result, ret;

	data->num_added = m->main.num_operations;
	data->added_to_run = nnr_array(data->num_added, sizeof(*data->added_to_run));
	if (!data->added_to_run)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	ret = sort_operations(m, data->added_to_run);
	if (ret == -EINVAL)
		nnutil_log(
			NNUTIL_LOG_WARNING,
			"the model has a cycle, or an operation reads an operand that is never written");
	if (ret)
		return ret == -ENOMEM ? ANEURALNETWORKS_OUT_OF_MEMORY : ANEURALNETWORKS_BAD_DATA;
	result = name_extensions(m);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = finish_validate(m, &data->feature_level);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	remove_defaults(m);
	ret = take_used(b, data);
	if (ret) {
		nnutil_log(NNUTIL_LOG_ERROR, "cannot finish the model: %s", strerror(-ret));
		return ret == -ENOMEM ? ANEURALNETWORKS_OUT_OF_MEMORY : ANEURALNETWORKS_OP_FAILED;
	}
	find_kinds(data, &data->model->main);
	for (i = 0; i < data->model->num_referenced; i++)
		find_kinds(data, &data->model->referenced[i]);
	/* less may be needed now */
	return finish_validate(data->model, &data->feature_level);
}

int nnr_model_finish(ANeuralNetworksModel *model)
{
	struct nnr_model_data *data = calloc(1, sizeof(*data));
	int result;

	if (!data)
		return nnr_refuse(OUT_OF_MEMORY, "out of memory");
	atomic_init(&data->refs, 1);
	data->id = nnr_model_id();
	result = nnr_builder_copy_large(model->builder);
	if (result != ANEURALNETWORKS_NO_ERROR) {
		nnr_model_data_put(data);
		return result;
	}
	/* from here on the builder changes: the call cannot be repeated */
	model->finished = true;
	result = finish_fill(model->builder, data);
	nnr_builder_free(model->builder);
	model->builder = NULL;
	if (result == ANEURALNETWORKS_NO_ERROR) {
		model->data = data;
	} else {
		model->invalid = true;
		nnr_model_data_put(data);
	}
	return result;
}
