// SPDX-License-Identifier: Apache-2.0
#include "delegate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUSTOM 32

/* ---- nodes ---- */

static int node_copy(const struct tfl_context *context, int number, const struct tfl_node *from,
		     const struct tfl_registration *reg, struct delegate_node *to)
{
	uint32_t num_in = from->inputs ? (uint32_t)from->inputs->size : 0;
	uint32_t num_out = from->outputs ? (uint32_t)from->outputs->size : 0;

	*to = (struct delegate_node){ .number = number,
				      .opcode = reg->builtin_code,
				      .num_inputs = num_in,
				      .num_outputs = num_out,
				      .custom = reg->builtin_code == CUSTOM };
	to->tensors = calloc((size_t)num_in + num_out + 1, sizeof(*to->tensors));
	if (!to->tensors)
		return -ENOMEM;
	for (uint32_t i = 0; i < num_in + num_out; i++) {
		int t = i < num_in ? from->inputs->data[i] : from->outputs->data[i - num_in];

		if (t >= 0 && (size_t)t >= context->tensors_size)
			return -EINVAL;
		to->tensors[i] = t < 0 ? -1 : t;
	}
	to->num_options = builtin_options_read(to->opcode, reg->version,
					       to->custom ? NULL : from->builtin_data, to->options);
	if (to->custom)
		snprintf(to->name, sizeof(to->name), "%s",
			 reg->custom_name ? reg->custom_name : "CUSTOM");
	else
		snprintf(to->name, sizeof(to->name), "%s", nnimport_operator_name(to->opcode));
	return 0;
}

int delegate_nodes_copy(struct tfl_context *context, const struct tfl_int_array *numbers,
			struct delegate_nodes *nodes)
{
	struct tfl_registration *reg;
	struct tfl_node *node;
	int ret;

	*nodes = (struct delegate_nodes){ .list = calloc((size_t)numbers->size + 1,
							 sizeof(*nodes->list)) };
	if (!nodes->list)
		return -ENOMEM;
	for (int i = 0; i < numbers->size; i++) {
		ret = context->get_node(context, numbers->data[i], &node, &reg) == TFL_OK ? 0
											  : -EINVAL;
		if (!ret) {
			ret = node_copy(context, numbers->data[i], node, reg,
					&nodes->list[nodes->count]);
			nodes->count++;
		}
		if (ret) {
			delegate_nodes_clear(nodes);
			return ret;
		}
	}
	return 0;
}

void delegate_nodes_clear(struct delegate_nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->count; i++)
		free(nodes->list[i].tensors);
	free(nodes->list);
	*nodes = (struct delegate_nodes){ NULL, 0 };
}

int32_t *delegate_nodes_shapes(const struct delegate_nodes *nodes,
			       const struct tfl_context *context, size_t *count)
{
	int32_t *shapes = NULL;
	size_t n = 0;

	/* first count, then write */
	for (int pass = 0; pass < 2; pass++) {
		if (pass) {
			shapes = calloc(n + 1, sizeof(*shapes));
			if (!shapes)
				return NULL;
			*count = n;
			n = 0;
		}
		for (uint32_t i = 0; i < nodes->count; i++) {
			const struct delegate_node *node = &nodes->list[i];

			for (uint32_t k = 0; k < node->num_inputs + node->num_outputs; k++) {
				const struct tfl_int_array *dims =
					node->tensors[k] < 0
						? NULL
						: context->tensors[node->tensors[k]].dims;
				int32_t rank = dims ? dims->size : -1;

				if (shapes)
					shapes[n] = rank;
				n++;
				for (int32_t d = 0; d < rank; d++, n++)
					if (shapes)
						shapes[n] = dims->data[d];
			}
		}
	}
	return shapes;
}

/* ---- the graph of some nodes ---- */

struct graph {
	const struct tfl_context *context;
	int32_t *number; /* of each tensor of the host: that in the graph; -1: none */
	int32_t *tensors; /* the other way */
	bool *written; /* of each tensor of the graph: an input, or by a node */
	struct nnimport_graph_tensor *list;
	struct nnimport_graph_operator *operators;
	int32_t *lists; /* of the operators, then inputs, then outputs */
	uint32_t num_tensors;
	struct nnimport_graph graph;
};

/* Types that the schema has; TFL_NO_TYPE and unknown ones become one that it lacks. */
static int schema_type(int type)
{
	static const int types[TFL_TYPE_COUNT] = {
		[TFL_NO_TYPE] = -1,
		[TFL_FLOAT32] = NNIMPORT_FLOAT32,
		[TFL_INT32] = NNIMPORT_INT32,
		[TFL_UINT8] = NNIMPORT_UINT8,
		[TFL_INT64] = NNIMPORT_INT64,
		[TFL_STRING] = NNIMPORT_STRING,
		[TFL_BOOL] = NNIMPORT_BOOL,
		[TFL_INT16] = NNIMPORT_INT16,
		[TFL_COMPLEX64] = 8,
		[TFL_INT8] = NNIMPORT_INT8,
		[TFL_FLOAT16] = NNIMPORT_FLOAT16,
		[TFL_FLOAT64] = 10,
		[TFL_COMPLEX128] = 11,
		[TFL_UINT64] = 12,
		[TFL_RESOURCE] = 13,
		[TFL_VARIANT] = 14,
		[TFL_UINT32] = 15,
		[TFL_UINT16] = 16,
		[TFL_INT4] = NNIMPORT_INT4,
	};

	return type >= 0 && type < TFL_TYPE_COUNT ? types[type] : -1;
}

static bool tensor_is_constant(const struct tfl_tensor *t)
{
	return t->allocation_type == TFL_MMAP_RO && t->data && !t->is_variable;
}

static struct nnimport_graph_tensor tensor_of(const struct tfl_tensor *t)
{
	const struct tfl_affine *q = t->quantization.params;
	struct nnimport_graph_tensor to = {
		.name = t->name,
		.type = schema_type(t->type),
		.rank = t->dims ? (uint32_t)t->dims->size : 0,
		.dims = t->dims ? t->dims->data : NULL,
		.variable = t->is_variable,
	};

	if (tensor_is_constant(t)) {
		to.data = t->data;
		to.size = t->bytes;
	}
	if (t->quantization.type == TFL_AFFINE_QUANTIZATION && q && q->scale) {
		to.num_scales = (uint32_t)q->scale->size;
		to.scales = q->scale->data;
		to.num_zero_points = q->zero_point ? (uint32_t)q->zero_point->size : 0;
		to.zero_points = q->zero_point ? q->zero_point->data : NULL;
		to.quantized_dimension = q->quantized_dimension;
	}
	return to;
}

/* The number of a tensor of the host in the graph; new ones are appended. */
static int32_t graph_tensor(struct graph *g, int32_t tensor)
{
	if (g->number[tensor] < 0) {
		g->number[tensor] = (int32_t)g->num_tensors;
		g->tensors[g->num_tensors] = tensor;
		g->list[g->num_tensors++] = tensor_of(&g->context->tensors[tensor]);
	}
	return g->number[tensor];
}

static int graph_alloc(struct graph *g, const struct delegate_node *nodes, uint32_t count,
		       const struct tfl_int_array *outputs)
{
	size_t uses = outputs ? (size_t)outputs->size : 0;

	for (uint32_t i = 0; i < count; i++)
		uses += (size_t)nodes[i].num_inputs + nodes[i].num_outputs;
	g->number = malloc((g->context->tensors_size + 1) * sizeof(*g->number));
	g->tensors = calloc(uses + 1, sizeof(*g->tensors));
	g->written = calloc(uses + 1, sizeof(*g->written));
	g->list = calloc(uses + 1, sizeof(*g->list));
	g->operators = calloc((size_t)count + 1, sizeof(*g->operators));
	g->lists = calloc(3 * uses + 1, sizeof(*g->lists));
	if (!g->number || !g->tensors || !g->written || !g->list || !g->operators || !g->lists)
		return -ENOMEM;
	for (size_t i = 0; i < g->context->tensors_size; i++)
		g->number[i] = -1;
	return 0;
}

static void graph_clear(struct graph *g)
{
	free(g->number);
	free(g->tensors);
	free(g->written);
	free(g->list);
	free(g->operators);
	free(g->lists);
}

/* Operators with the numbers of the graph. Returns the end of their lists. */
static int32_t *graph_add_operators(struct graph *g, const struct delegate_node *nodes,
				    uint32_t count)
{
	int32_t *at = g->lists;

	for (uint32_t i = 0; i < count; i++) {
		const struct delegate_node *node = &nodes[i];
		uint32_t uses = node->num_inputs + node->num_outputs;

		for (uint32_t k = 0; k < uses; k++)
			at[k] = node->tensors[k] < 0 ? -1 : graph_tensor(g, node->tensors[k]);
		g->operators[i] = (struct nnimport_graph_operator){
			.opcode = node->opcode,
			.custom = node->custom ? node->name : NULL,
			.num_inputs = node->num_inputs,
			.num_outputs = node->num_outputs,
			.inputs = at,
			.outputs = at + node->num_inputs,
			.num_options = node->num_options,
			.options = node->options,
		};
		at += uses;
	}
	return at;
}

/* Tensors that the nodes read before they write them, but for constants and states. */
static uint32_t graph_find_inputs(struct graph *g, uint32_t count, int32_t *inputs)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct nnimport_graph_operator *op = &g->operators[i];

		for (uint32_t k = 0; k < op->num_inputs; k++) {
			int32_t t = op->inputs[k];

			if (t < 0 || g->written[t] || g->list[t].data || g->list[t].variable)
				continue;
			g->written[t] = true;
			inputs[n++] = t;
		}
		for (uint32_t k = 0; k < op->num_outputs; k++)
			if (op->outputs[k] >= 0)
				g->written[op->outputs[k]] = true;
	}
	return n;
}

static uint32_t graph_find_outputs(struct graph *g, uint32_t count,
				   const struct tfl_int_array *wanted, int32_t *outputs)
{
	uint32_t n = 0;

	for (int i = 0; wanted && i < wanted->size; i++)
		if (wanted->data[i] >= 0 && g->number[wanted->data[i]] >= 0)
			outputs[n++] = g->number[wanted->data[i]];
	for (uint32_t i = 0; !wanted && i < count; i++)
		for (uint32_t k = 0; k < g->operators[i].num_outputs; k++)
			if (g->operators[i].outputs[k] >= 0)
				outputs[n++] = g->operators[i].outputs[k];
	return n;
}

/* Numbers of the graph become those of the host. */
static int32_t *host_tensors(const struct graph *g, const int32_t *numbers, uint32_t count)
{
	int32_t *list = calloc((size_t)count + 1, sizeof(*list));

	for (uint32_t i = 0; list && i < count; i++)
		list[i] = g->tensors[numbers[i]];
	return list;
}

static int graph_translate(struct graph *g, const struct delegate_node *nodes, uint32_t count,
			   const struct tfl_int_array *outputs, struct delegate_import *result)
{
	int32_t *inputs = graph_add_operators(g, nodes, count), *outs;
	uint32_t num_in = graph_find_inputs(g, count, inputs), num_out;

	outs = inputs + num_in;
	num_out = graph_find_outputs(g, count, outputs, outs);
	g->graph = (struct nnimport_graph){ g->num_tensors, count,	  num_in, num_out,
					    g->list,	    g->operators, inputs, outs };
	result->inputs = host_tensors(g, inputs, num_in);
	result->outputs = host_tensors(g, outs, num_out);
	result->tensors = g->tensors;
	g->tensors = NULL;
	if (!result->inputs || !result->outputs)
		return -ENOMEM;
	return nnimport_read_graph(&g->graph, &result->import);
}

int delegate_nodes_import(const struct delegate_node *nodes, uint32_t count,
			  const struct tfl_context *context, const struct tfl_int_array *outputs,
			  struct delegate_import *result)
{
	struct graph g = { .context = context };
	int ret = graph_alloc(&g, nodes, count, outputs);

	*result = (struct delegate_import){ .inputs = NULL };
	if (!ret)
		ret = graph_translate(&g, nodes, count, outputs, result);
	graph_clear(&g);
	if (ret == -ENOMEM && !result->import.message[0]) {
		result->import.verdict = NNIMPORT_FAILED;
		snprintf(result->import.message, sizeof(result->import.message), "out of memory");
	}
	return ret;
}

void delegate_import_clear(struct delegate_import *result)
{
	nnimport_free(&result->import);
	free(result->inputs);
	free(result->outputs);
	free(result->tensors);
	*result = (struct delegate_import){ .inputs = NULL };
}

const char *delegate_import_reason(const struct nnimport *import)
{
	const char *behind;

	if (strncmp(import->message, "operation ", 10))
		return import->message;
	behind = strstr(import->message, "): ");
	return behind ? behind + 3 : import->message;
}
