// SPDX-License-Identifier: Apache-2.0
#include "onnx_graph.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "nnmodel.h"

/* An attribute of more bytes is none that NNAPI could express. */
#define MAX_ATTRIBUTE 4096
/* Inputs and outputs of a graph's nodes, together */
#define MAX_REFERENCES (1u << 24)

static const struct {
	const char *name;
	uint8_t size; /* 0: NNAPI has no such type */
} types[ORT_TYPE_COUNT] = {
	[1] = { "float", 4 },	  [2] = { "uint8", 1 },	     [3] = { "int8", 1 },
	[4] = { "uint16", 0 },	  [5] = { "int16", 0 },	     [6] = { "int32", 4 },
	[7] = { "int64", 8 },	  [8] = { "string", 0 },     [9] = { "bool", 1 },
	[10] = { "float16", 2 },  [11] = { "double", 0 },    [12] = { "uint32", 0 },
	[13] = { "uint64", 0 },	  [14] = { "complex64", 0 }, [15] = { "complex128", 0 },
	[16] = { "bfloat16", 0 }, [21] = { "uint4", 0 },     [22] = { "int4", 0 },
};

size_t onnx_type_size(int type)
{
	return type > 0 && type < ORT_TYPE_COUNT ? types[type].size : 0;
}

const char *onnx_type_name(int type)
{
	return type > 0 && type < ORT_TYPE_COUNT && types[type].name ? types[type].name
								     : "of an unknown type";
}

struct reader {
	const struct ort_api *api;
	struct onnx_graph *graph;
	struct delegate_reason *reason;
	struct hsearch_data names;
	size_t max_values;
	bool fused;
};

int onnx_check(const struct ort_api *api, struct ort_status *status, struct delegate_reason *reason)
{
	if (!status)
		return 0;
	DELEGATE_REFUSE(reason, 0, "ONNX Runtime refuses a call: %s",
			api->get_error_message(status));
	api->release_status(status);
	return -EINVAL;
}

static int reader_check(struct reader *r, struct ort_status *status)
{
	return onnx_check(r->api, status, r->reason);
}

static int reader_no_memory(struct reader *r)
{
	return DELEGATE_REFUSE(r->reason, -ENOMEM, "out of memory");
}

/* ---- values ---- */

void onnx_value_measure(struct onnx_value *v)
{
	v->fixed = true;
	v->elements = 1;
	for (uint32_t i = 0; i < v->rank && v->fixed; i++)
		v->fixed =
			v->dims[i] > 0 &&
			!__builtin_mul_overflow(v->elements, (uint64_t)v->dims[i], &v->elements) &&
			v->elements <= INT32_MAX;
}

/* The number of a name, from 1; 0: it has none, or there are too many. */
static int reader_dim_name(struct reader *r, const char *name, uint32_t *number)
{
	struct onnx_graph *g = r->graph;

	*number = 0;
	if (!name || !*name)
		return 0;
	for (uint32_t i = 0; i < g->num_dim_names && !*number; i++)
		if (!strcmp(g->dim_names[i], name))
			*number = i + 1;
	if (*number || g->num_dim_names == ONNX_MAX_DIM_NAMES)
		return 0;
	g->dim_names[g->num_dim_names] = strdup(name);
	if (!g->dim_names[g->num_dim_names])
		return reader_no_memory(r);
	*number = ++g->num_dim_names;
	return 0;
}

/* Open dimensions: the host shows -1. */
static int reader_open_dims(struct reader *r, const struct ort_tensor_info *tensor,
			    struct onnx_value *v)
{
	const char *names[ONNX_MAX_RANK] = { NULL };
	bool open = false;
	int ret = 0;

	for (uint32_t i = 0; i < v->rank; i++)
		open |= v->dims[i] < 0;
	if (!open)
		return 0;
	r->graph->open = true;
	ret = reader_check(r, r->api->get_dim_names(tensor, names, v->rank));
	for (uint32_t i = 0; i < v->rank && !ret; i++)
		ret = v->dims[i] < 0 ? reader_dim_name(r, names[i], &v->names[i]) : 0;
	return ret;
}

static int reader_shape(struct reader *r, const struct ort_value_info *info, struct onnx_value *v)
{
	const struct ort_tensor_info *tensor = NULL;
	const struct ort_type_info *type;
	size_t rank;
	int ret = reader_check(r, r->api->get_value_type(info, &type));

	if (!ret && type)
		ret = reader_check(r, r->api->cast_to_tensor_info(type, &tensor));
	if (ret || !tensor)
		return ret;
	ret = reader_check(r, r->api->get_element_type(tensor, &v->type));
	if (!ret)
		ret = reader_check(r, r->api->get_rank(tensor, &rank));
	if (ret || rank > ONNX_MAX_RANK)
		return ret;
	v->rank = (uint32_t)rank;
	ret = rank ? reader_check(r, r->api->get_dims(tensor, v->dims, rank)) : 0;
	if (ret)
		return ret;
	memcpy(v->shown, v->dims, sizeof(v->shown));
	onnx_value_measure(v);
	return reader_open_dims(r, tensor, v);
}

/* A constant counts if the host has all of its bytes. */
static int reader_constant(struct reader *r, const struct ort_value_info *info,
			   struct onnx_value *v)
{
	const struct ort_value *value = NULL;
	bool constant = false;
	const void *data;
	size_t bytes;
	int ret = reader_check(r, r->api->is_constant(info, &constant));

	if (!ret && constant)
		ret = reader_check(r, r->api->get_initializer(info, &value));
	if (ret || !value || !v->fixed || !onnx_type_size(v->type))
		return ret;
	ret = reader_check(r, r->api->get_tensor_size(value, &bytes));
	if (!ret)
		ret = reader_check(r, r->api->get_tensor_data(value, &data));
	if (!ret && bytes == v->elements * onnx_type_size(v->type))
		v->data = data;
	return ret;
}

/* The value of @info, entered when it is first seen, in *@number. */
static int reader_value(struct reader *r, const struct ort_value_info *info, int *number)
{
	struct onnx_graph *g = r->graph;
	struct onnx_value *v = &g->values[g->num_values];
	const char *name;
	ENTRY entry, *found;
	bool outer = false;
	int ret;

	*number = ONNX_NONE;
	if (!info)
		return 0;
	ret = reader_check(r, r->api->get_value_name(info, &name));
	if (ret || !name || !*name)
		return ret;
	entry = (ENTRY){ .key = (char *)name };
	if (hsearch_r(entry, FIND, &found, &r->names)) {
		*number = (int)(intptr_t)found->data;
		return 0;
	}
	if (g->num_values == r->max_values)
		return DELEGATE_REFUSE(r->reason, -EINVAL,
				       "the graph has more values than its nodes name");
	*v = (struct onnx_value){ .producer = ONNX_NONE,
				  .consumer = ONNX_NONE,
				  .name = strdup(name) };
	*number = (int)g->num_values;
	entry = (ENTRY){ .key = v->name, .data = (void *)(intptr_t)*number };
	if (!v->name)
		return reader_no_memory(r);
	g->num_values++;
	if (!hsearch_r(entry, ENTER, &found, &r->names))
		return reader_no_memory(r);
	ret = reader_shape(r, info, v);
	if (!ret)
		ret = reader_constant(r, info, v);
	if (ret || r->fused)
		return ret;
	ret = reader_check(r, r->api->is_from_outer_scope(info, &outer));
	g->inner |= outer;
	return ret ? ret : reader_check(r, r->api->is_graph_output(info, &v->output));
}

/* A list of values of a node: @take writes @count of them. */
static int reader_list(struct reader *r, const struct ort_node *node, size_t count,
		       struct ort_status *(*take)(const struct ort_node *node,
						  const struct ort_value_info **list, size_t count),
		       int **numbers, uint32_t *num)
{
	const struct ort_value_info **infos = calloc(count + 1, sizeof(*infos));
	int *list = calloc(count + 1, sizeof(*list)), ret = 0;

	if (!infos || !list)
		ret = reader_no_memory(r);
	else if (count)
		ret = reader_check(r, take(node, infos, count));
	for (size_t i = 0; i < count && !ret; i++)
		ret = reader_value(r, infos[i], &list[i]);
	free(infos);
	*numbers = list;
	*num = ret ? 0 : (uint32_t)count;
	return ret;
}

/* ---- nodes ---- */

static int reader_attribute(struct reader *r, const struct ort_attribute *source,
			    struct onnx_attribute *a)
{
	struct ort_status *status;
	size_t size = 0, unit;
	const char *name;
	char probe[16];
	int ret = reader_check(r, r->api->get_attribute_name(source, &name));

	if (!ret)
		ret = reader_check(r, r->api->get_attribute_type(source, &a->type));
	if (ret)
		return ret;
	a->name = strdup(name ? name : "");
	if (!a->name)
		return reader_no_memory(r);
	if (a->type < ORT_ATTR_INT || a->type > ORT_ATTR_STRING)
		return 0;
	unit = a->type == ORT_ATTR_STRING ? 1
	       : a->type <= ORT_ATTR_INTS ? sizeof(int64_t)
					  : sizeof(float);
	/* the first call is for the size: it fails where the contents are longer than @probe */
	status = r->api->read_attribute(source, a->type, probe, sizeof(probe), &size);
	if (status)
		r->api->release_status(status);
	if (size > MAX_ATTRIBUTE || size % unit) {
		a->type = 0;
		return 0;
	}
	a->data = calloc(1, size + sizeof(int64_t));
	if (!a->data)
		return reader_no_memory(r);
	a->count = size / unit;
	return size ? reader_check(r, r->api->read_attribute(source, a->type, a->data, size, &size))
		    : 0;
}

static int reader_attributes(struct reader *r, struct onnx_node *n)
{
	const struct ort_attribute **list;
	size_t count;
	int ret = reader_check(r, r->api->get_num_attributes(n->handle, &count));

	if (ret || !count)
		return ret;
	list = calloc(count, sizeof(*list));
	n->attributes = calloc(count, sizeof(*n->attributes));
	if (!list || !n->attributes)
		ret = reader_no_memory(r);
	else
		ret = reader_check(r, r->api->get_attributes(n->handle, list, count));
	for (size_t i = 0; i < count && !ret; i++, n->num_attributes++)
		ret = list[i] ? reader_attribute(r, list[i], &n->attributes[i]) : 0;
	free(list);
	return ret;
}

static int reader_node(struct reader *r, struct onnx_node *n, int place)
{
	const struct ort_api *api = r->api;
	const char *name, *op, *domain, *ep;
	size_t inputs, outputs, implicit, subgraphs;
	int ret = reader_check(r, api->get_node_name(n->handle, &name));

	ret = ret ? ret : reader_check(r, api->get_operator(n->handle, &op));
	ret = ret ? ret : reader_check(r, api->get_domain(n->handle, &domain));
	ret = ret ? ret : reader_check(r, api->get_since_version(n->handle, &n->version));
	ret = ret ? ret : reader_check(r, api->get_num_subgraphs(n->handle, &subgraphs));
	ret = ret ? ret : reader_check(r, api->get_node_ep(n->handle, &ep));
	ret = ret ? ret : reader_check(r, api->get_num_inputs(n->handle, &inputs));
	ret = ret ? ret : reader_check(r, api->get_num_outputs(n->handle, &outputs));
	ret = ret ? ret : reader_check(r, api->get_num_implicit_inputs(n->handle, &implicit));
	if (ret)
		return ret;
	n->name = strdup(name ? name : "");
	n->op = strdup(op ? op : "");
	if (!n->name || !n->op)
		return reader_no_memory(r);
	n->standard = !domain || !*domain || !strcmp(domain, "ai.onnx");
	n->subgraphs = subgraphs;
	n->taken = ep && *ep;
	ret = reader_list(r, n->handle, inputs, api->get_inputs, &n->inputs, &n->num_inputs);
	ret = ret ? ret
		  : reader_list(r, n->handle, outputs, api->get_outputs, &n->outputs,
				&n->num_outputs);
	ret = ret ? ret
		  : reader_list(r, n->handle, implicit, api->get_implicit_inputs, &n->implicit,
				&n->num_implicit);
	for (uint32_t i = 0; i < n->num_outputs && !ret; i++)
		if (n->outputs[i] != ONNX_NONE)
			r->graph->values[n->outputs[i]].producer = place;
	return ret ? ret : reader_attributes(r, n);
}

static void graph_count_consumers(struct onnx_graph *g)
{
	for (uint32_t i = 0; i < g->num_nodes; i++)
		for (uint32_t j = 0; j < g->nodes[i].num_inputs + g->nodes[i].num_implicit; j++) {
			const struct onnx_node *n = &g->nodes[i];
			int v = j < n->num_inputs ? n->inputs[j] : n->implicit[j - n->num_inputs];

			if (v == ONNX_NONE)
				continue;
			g->values[v].consumers++;
			g->values[v].consumer = (int)i;
		}
}

/* ---- quantization ---- */

/* Scale and zero point of one tensor, not of channels. False: they are not constant, or not one. */
static bool node_quant(const struct onnx_graph *g, const struct onnx_node *n, int type,
		       float *scale, int32_t *zero)
{
	const struct onnx_value *s, *z = NULL;

	if (n->num_inputs < 2 || n->inputs[1] == ONNX_NONE)
		return false;
	s = &g->values[n->inputs[1]];
	if (n->num_inputs > 2 && n->inputs[2] != ONNX_NONE)
		z = &g->values[n->inputs[2]];
	if (!s->data || s->type != ORT_FLOAT32 || s->elements != 1 ||
	    (z && (!z->data || z->type != type || z->elements != 1)))
		return false;
	memcpy(scale, s->data, sizeof(*scale));
	*zero = !z ? 0 : type == ORT_INT8 ? *(const int8_t *)z->data : *(const uint8_t *)z->data;
	return isfinite(*scale) && *scale > 0;
}

static void graph_find_quantization(struct onnx_graph *g)
{
	for (uint32_t i = 0; i < g->num_nodes; i++) {
		const struct onnx_node *n = &g->nodes[i];
		bool q = !strcmp(n->op, "QuantizeLinear"), dq = !strcmp(n->op, "DequantizeLinear");
		int number = q && n->num_outputs   ? n->outputs[0]
			     : dq && n->num_inputs ? n->inputs[0]
						   : ONNX_NONE;
		struct onnx_value *v;
		int32_t zero;
		float scale;

		if (number == ONNX_NONE || !n->standard)
			continue;
		v = &g->values[number];
		if (v->type != ORT_INT8 && v->type != ORT_UINT8)
			continue;
		if (!node_quant(g, n, v->type, &scale, &zero) ||
		    (v->quant == ONNX_QUANT_KNOWN && (v->scale != scale || v->zero_point != zero)))
			v->quant = ONNX_QUANT_CONFLICT;
		if (v->quant != ONNX_QUANT_UNKNOWN)
			continue;
		v->quant = ONNX_QUANT_KNOWN;
		v->scale = scale;
		v->zero_point = zero;
	}
}

/* ---- graphs ---- */

static int reader_nodes(struct reader *r, const struct ort_graph *source,
			const struct ort_node *fused)
{
	struct onnx_graph *g = r->graph;
	const struct ort_node **nodes;
	size_t count, references = 0, some[3] = { 0 };
	int ret = reader_check(r, r->api->get_num_nodes(source, &count)), *outputs = NULL;
	uint32_t num_outputs;

	if (ret || !count)
		return ret;
	nodes = calloc(count, sizeof(*nodes));
	g->nodes = calloc(count, sizeof(*g->nodes));
	if (!nodes || !g->nodes)
		ret = reader_no_memory(r);
	ret = ret ? ret : reader_check(r, r->api->get_nodes(source, nodes, count));
	for (size_t i = 0; i <= count && !ret; i++) {
		const struct ort_node *n = i < count ? nodes[i] : fused;

		if (!n)
			continue;
		ret = reader_check(r, r->api->get_num_inputs(n, &some[0]));
		ret = ret ? ret : reader_check(r, r->api->get_num_outputs(n, &some[1]));
		ret = ret ? ret : reader_check(r, r->api->get_num_implicit_inputs(n, &some[2]));
		references += some[0] + some[1] + some[2];
		if (!ret && (references > MAX_REFERENCES || some[0] > MAX_REFERENCES))
			ret = DELEGATE_REFUSE(r->reason, -E2BIG,
					      "the graph has more than %u inputs of nodes",
					      MAX_REFERENCES);
	}
	if (!ret) {
		r->max_values = references;
		g->values = calloc(references + 1, sizeof(*g->values));
		if (!g->values || !hcreate_r(references * 2 + 16, &r->names))
			ret = reader_no_memory(r);
	}
	for (size_t i = 0; i < count && !ret; i++) {
		g->nodes[i].handle = nodes[i];
		g->num_nodes++;
		ret = reader_node(r, &g->nodes[i], (int)i);
	}
	if (!ret && fused) {
		ret = reader_list(r, fused, some[1], r->api->get_outputs, &outputs, &num_outputs);
		for (uint32_t i = 0; i < num_outputs; i++)
			if (outputs[i] != ONNX_NONE)
				g->values[outputs[i]].output = true;
		free(outputs);
	}
	free(nodes);
	return ret;
}

int onnx_graph_read(const struct ort_api *api, const struct ort_graph *source,
		    const struct ort_node *fused, struct onnx_graph *graph,
		    struct delegate_reason *reason)
{
	struct reader r = { .api = api, .graph = graph, .reason = reason, .fused = fused };
	size_t inputs = 0;
	int ret;

	memset(graph, 0, sizeof(*graph));
	ret = reader_check(&r, api->get_num_graph_inputs(source, &inputs));
	graph->inner = !inputs;
	ret = ret ? ret : reader_nodes(&r, source, fused);
	hdestroy_r(&r.names);
	if (ret)
		return ret;
	graph_count_consumers(graph);
	graph_find_quantization(graph);
	return 0;
}

void onnx_graph_clear(struct onnx_graph *g)
{
	for (uint32_t i = 0; i < g->num_nodes; i++) {
		struct onnx_node *n = &g->nodes[i];

		for (uint32_t j = 0; n->attributes && j < n->num_attributes; j++) {
			free(n->attributes[j].name);
			free(n->attributes[j].data);
		}
		free(n->attributes);
		free(n->name);
		free(n->op);
		free(n->inputs);
		free(n->outputs);
		free(n->implicit);
	}
	for (uint32_t i = 0; i < g->num_values; i++) {
		free(g->values[i].name);
		free(g->values[i].owned);
	}
	for (uint32_t i = 0; i < g->num_dim_names; i++)
		free(g->dim_names[i]);
	free(g->nodes);
	free(g->values);
	memset(g, 0, sizeof(*g));
}

int onnx_graph_own(struct onnx_graph *g)
{
	for (uint32_t i = 0; i < g->num_values; i++) {
		struct onnx_value *v = &g->values[i];
		size_t size = v->data ? v->elements * onnx_type_size(v->type) : 0;

		if (!size)
			continue;
		v->owned = malloc(size);
		if (!v->owned)
			return -ENOMEM;
		memcpy(v->owned, v->data, size);
		v->data = v->owned;
	}
	return 0;
}

int onnx_graph_find(const struct onnx_graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->num_values; i++)
		if (!strcmp(g->values[i].name, name))
			return (int)i;
	return ONNX_NONE;
}

/* ---- attributes ---- */

static const struct onnx_attribute *node_attribute(const struct onnx_node *n, const char *name,
						   int type)
{
	for (uint32_t i = 0; i < n->num_attributes; i++)
		if (n->attributes[i].name && n->attributes[i].type == type &&
		    !strcmp(n->attributes[i].name, name))
			return &n->attributes[i];
	return NULL;
}

int64_t onnx_int(const struct onnx_node *n, const char *name, int64_t fallback)
{
	const struct onnx_attribute *a = node_attribute(n, name, ORT_ATTR_INT);

	return a && a->count ? a->ints[0] : fallback;
}

float onnx_float(const struct onnx_node *n, const char *name, float fallback)
{
	const struct onnx_attribute *a = node_attribute(n, name, ORT_ATTR_FLOAT);

	return a && a->count ? a->floats[0] : fallback;
}

const char *onnx_text(const struct onnx_node *n, const char *name, const char *fallback)
{
	const struct onnx_attribute *a = node_attribute(n, name, ORT_ATTR_STRING);

	return a && a->count ? a->text : fallback;
}

int onnx_ints(const struct onnx_node *n, const char *name, int64_t *list)
{
	const struct onnx_attribute *a = node_attribute(n, name, ORT_ATTR_INTS);

	if (!a)
		return -1;
	if (a->count > 2 * ONNX_MAX_RANK)
		return -2;
	memcpy(list, a->ints, a->count * sizeof(*list));
	return (int)a->count;
}

/* ---- operators ---- */

bool onnx_is(const struct onnx_node *n, const char *op)
{
	return n->standard && !strcmp(n->op, op);
}

bool onnx_is_conversion(const struct onnx_node *n)
{
	return onnx_is(n, "DequantizeLinear") || onnx_is(n, "QuantizeLinear");
}

uint32_t onnx_dims(const struct onnx_value *v, uint32_t *dims)
{
	dims[0] = 1;
	for (uint32_t i = 0; i < v->rank; i++)
		dims[i] = (uint32_t)v->dims[i];
	return v->rank ? v->rank : 1;
}

int onnx_axis(int64_t axis, uint32_t rank)
{
	if (axis < 0)
		axis += rank;
	return axis >= 0 && axis < rank ? (int)axis : -1;
}

/* A bound of Clip: an input, or an attribute before operator set 11. False: it is not constant. */
static bool clip_bound(const struct onnx_graph *g, const struct onnx_node *n, uint32_t i,
		       const char *name, float *bound)
{
	const struct onnx_value *v;

	*bound = onnx_float(n, name, i == 1 ? -INFINITY : INFINITY);
	if (n->num_inputs <= i || n->inputs[i] == ONNX_NONE)
		return true;
	v = &g->values[n->inputs[i]];
	if (!v->data || v->type != ORT_FLOAT32 || v->elements != 1)
		return false;
	memcpy(bound, v->data, sizeof(*bound));
	return true;
}

uint32_t onnx_activation(const struct onnx_graph *g, const struct onnx_node *n)
{
	float low, high;

	if (onnx_is(n, "Relu"))
		return NNMODEL_FUSED_RELU;
	if (!onnx_is(n, "Clip") || !clip_bound(g, n, 1, "min", &low) ||
	    !clip_bound(g, n, 2, "max", &high))
		return NNMODEL_FUSED_NONE;
	if (low == 0 && high == 6)
		return NNMODEL_FUSED_RELU6;
	if (low == 0 && high >= 3e38f)
		return NNMODEL_FUSED_RELU;
	return low == -1 && high == 1 ? NNMODEL_FUSED_RELU1 : NNMODEL_FUSED_NONE;
}
