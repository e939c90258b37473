// SPDX-License-Identifier: Apache-2.0
#include "fake_ort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The host's objects are those of the test; the provider sees them as incomplete types. */
#define NODE(node) ((const struct fake_node *)(const void *)(node))
#define VALUE(value) ((const struct fake_value *)(const void *)(value))
#define GRAPH(graph) ((const struct fake_graph *)(const void *)(graph))
#define ATTRIBUTE(attribute) ((const struct fake_attribute *)(const void *)(attribute))

static struct fake_ort *current;

static struct ort_status *create_status(int code, const char *text)
{
	(void)code;
	return (void *)strdup(text);
}

static const char *get_error_message(const struct ort_status *status)
{
	return (const void *)status;
}

static void release_status(struct ort_status *status)
{
	free(status);
}

static size_t value_size(const struct fake_value *v)
{
	size_t size = v->type == ORT_INT64			       ? 8
		      : v->type == ORT_FLOAT32 || v->type == ORT_INT32 ? 4
								       : 1;

	for (size_t i = 0; i < v->rank; i++)
		size *= (size_t)v->dims[i];
	return size;
}

/* A function of the table that shows @value of an object. */
#define SHOW(function, object, type, out, value)                              \
	static struct ort_status *function(const struct object *o, type *out) \
	{                                                                     \
		(void)o;                                                      \
		*out = value;                                                 \
		return NULL;                                                  \
	}
/* The same of a list. */
#define SHOW_LIST(function, object, type, value)                                            \
	static struct ort_status *function(const struct object *o, type *list, size_t size) \
	{                                                                                   \
		for (size_t i = 0; i < size; i++)                                           \
			list[i] = (type)value;                                              \
		return NULL;                                                                \
	}

/* ---- values: their types and infos are the values themselves ---- */

SHOW(get_value_name, ort_value_info, const char *, name, VALUE(o)->name)
SHOW(get_value_type, ort_value_info, const struct ort_type_info *, type, (const void *)o)
SHOW(cast_to_tensor_info, ort_type_info, const struct ort_tensor_info *, info, (const void *)o)
SHOW(get_element_type, ort_tensor_info, int, type, VALUE(o)->type)
SHOW(get_rank, ort_tensor_info, size_t, rank, VALUE(o)->rank)
SHOW_LIST(get_dims, ort_tensor_info, int64_t, VALUE(o)->dims[i])
SHOW_LIST(get_dim_names, ort_tensor_info, const char *,
	  VALUE(o)->dim_names[i] ? VALUE(o)->dim_names[i] : "")
SHOW(get_value_tensor_info, ort_value, struct ort_tensor_info *, info, (void *)(uintptr_t)o)
SHOW(get_tensor_size, ort_value, size_t, bytes, value_size(VALUE(o)))
SHOW(get_tensor_data, ort_value, const void *, data, VALUE(o)->data)
SHOW(get_initializer, ort_value_info, const struct ort_value *, value,
     VALUE(o)->constant ? (const void *)o : NULL)
SHOW(is_constant, ort_value_info, bool, is, VALUE(o)->constant)
SHOW(is_graph_output, ort_value_info, bool, is, VALUE(o)->output)

static struct ort_status *get_tensor_mutable_data(struct ort_value *value, void **data)
{
	*data = VALUE(value)->data;
	return NULL;
}

static void release_tensor_info(struct ort_tensor_info *info)
{
	(void)info;
}

/* ---- nodes ---- */

SHOW(get_num_nodes, ort_graph, size_t, count, GRAPH(o)->num_nodes)
SHOW_LIST(get_nodes, ort_graph, const struct ort_node *, (const void *)&GRAPH(o)->nodes[i])
SHOW(get_num_graph_inputs, ort_graph, size_t, count, current->subgraph ? 0 : 1)
SHOW(is_from_outer_scope, ort_value_info, bool, is, false)
SHOW(get_operator, ort_node, const char *, name, NODE(o)->op)
SHOW(get_since_version, ort_node, int, version, NODE(o)->version)
SHOW(get_num_inputs, ort_node, size_t, count, NODE(o)->num_inputs)
SHOW_LIST(get_inputs, ort_node, const struct ort_value_info *, (const void *)NODE(o)->inputs[i])
SHOW(get_num_outputs, ort_node, size_t, count, NODE(o)->num_outputs)
SHOW_LIST(get_outputs, ort_node, const struct ort_value_info *, (const void *)NODE(o)->outputs[i])
SHOW(get_none, ort_node, size_t, count, 0)
SHOW(get_node_ep, ort_node, const char *, name, NULL)
SHOW(get_num_attributes, ort_node, size_t, count, NODE(o)->num_attributes)
SHOW_LIST(get_attributes, ort_node, const struct ort_attribute *,
	  (const void *)&NODE(o)->attributes[i])
SHOW(get_attribute_name, ort_attribute, const char *, name, ATTRIBUTE(o)->name)
SHOW(get_attribute_type, ort_attribute, int, type, ATTRIBUTE(o)->type)

static struct ort_status *get_domain(const struct ort_node *node, const char **name)
{
	*name = NODE(node)->domain;
	return current->failing && !strcmp(current->failing, NODE(node)->op)
		       ? create_status(ORT_CODE_FAIL, "no domain")
		       : NULL;
}

static struct ort_status *read_attribute(const struct ort_attribute *attribute, int type,
					 void *data, size_t size, size_t *length)
{
	const struct fake_attribute *a = ATTRIBUTE(attribute);

	*length = type == ORT_ATTR_FLOAT    ? sizeof(float)
		  : type == ORT_ATTR_STRING ? strlen(a->text)
					    : a->count * sizeof(int64_t);
	if (size < *length)
		return create_status(ORT_CODE_INVALID_ARGUMENT, "too small");
	memcpy(data,
	       type == ORT_ATTR_FLOAT	 ? (const void *)&a->number
	       : type == ORT_ATTR_STRING ? (const void *)a->text
					 : a->ints,
	       *length);
	return NULL;
}

/* ---- options, devices, capabilities ---- */

static void get_key_values(const struct ort_key_values *pairs, const char *const **keys,
			   const char *const **values, size_t *count)
{
	static const char *names[3], *texts[3];

	(void)pairs;
	names[0] = "session.something";
	texts[0] = "1";
	names[1] = "ep.nnaccelexecutionprovider.log";
	texts[1] = "off";
	names[2] = current->option;
	texts[2] = current->value;
	*keys = names;
	*values = texts;
	*count = current->option ? 3 : 2;
}

static struct ort_status *get_session_options(const struct ort_session_options *options,
					      struct ort_key_values **pairs)
{
	(void)options;
	*pairs = (void *)current;
	return NULL;
}

static void release_key_values(struct ort_key_values *pairs)
{
	(void)pairs;
}

static int get_hardware_type(const struct ort_hardware *device)
{
	return *(const int *)(const void *)device;
}

static struct ort_status *create_ep_device(struct ort_ep_factory *factory,
					   const struct ort_hardware *device,
					   const struct ort_key_values *metadata,
					   const struct ort_key_values *options,
					   struct ort_ep_device **ep_device)
{
	(void)factory;
	(void)metadata;
	(void)options;
	*ep_device = (void *)(uintptr_t)device;
	return NULL;
}

static struct fake_value *partition_value(struct fake_partition *p, const struct fake_value *from)
{
	for (size_t i = 0; from && i < p->graph.num_values; i++)
		if (!strcmp(p->graph.values[i].name, from->name))
			return &p->graph.values[i];
	if (!from)
		return NULL;
	p->graph.values[p->graph.num_values] = *from;
	return &p->graph.values[p->graph.num_values++];
}

/* Whether a node outside of the claimed ones needs @v */
static bool is_needed(const struct fake_value *v, const struct ort_node *const *nodes, size_t count)
{
	for (size_t i = 0; i < current->graph.num_nodes; i++) {
		const struct fake_node *n = &current->graph.nodes[i];
		bool inside = false;

		for (size_t j = 0; j < count; j++)
			inside |= NODE(nodes[j]) == n;
		for (size_t j = 0; j < n->num_inputs && !inside; j++)
			if (n->inputs[j] == v)
				return true;
	}
	return v->output;
}

static struct ort_status *add_nodes_to_fuse(struct ort_graph_support *support,
					    const struct ort_node *const *nodes, size_t count,
					    const struct ort_fusion_options *options)
{
	struct fake_partition *p = &current->partitions[current->num_partitions++];

	(void)support;
	if (!options->drop_constants || options->version != ORT_VERSION)
		return create_status(ORT_CODE_FAIL, "options");
	for (size_t i = 0; i < count; i++) {
		struct fake_node *from = (struct fake_node *)(uintptr_t)nodes[i],
				 *to = &p->graph.nodes[p->graph.num_nodes++];

		*to = *from;
		from->claimed = true;
		for (size_t j = 0; j < from->num_inputs; j++) {
			bool known = false;

			to->inputs[j] = partition_value(p, from->inputs[j]);
			for (size_t k = 0; k < i; k++)
				known |= to->inputs[j] == p->graph.nodes[k].outputs[0];
			for (size_t k = 0; k < p->fused.num_inputs; k++)
				known |= to->inputs[j] == p->fused.inputs[k];
			if (to->inputs[j] && !known && !to->inputs[j]->constant)
				p->fused.inputs[p->fused.num_inputs++] = to->inputs[j];
		}
		for (size_t j = 0; j < from->num_outputs; j++) {
			to->outputs[j] = partition_value(p, from->outputs[j]);
			if (is_needed(from->outputs[j], nodes, count))
				p->fused.outputs[p->fused.num_outputs++] = to->outputs[j];
		}
	}
	return NULL;
}

/* ---- running ---- */

static struct ort_status *get_kernel_input(const struct ort_kernel_context *context, size_t index,
					   const struct ort_value **value)
{
	*value = (const void *)NODE(context)->inputs[index];
	return NULL;
}

static struct ort_status *get_kernel_output(struct ort_kernel_context *context, size_t index,
					    const int64_t *dims, size_t rank,
					    struct ort_value **value)
{
	const struct fake_value *v = NODE(context)->outputs[index];

	if (rank != v->rank || memcmp(dims, v->dims, rank * sizeof(*dims)) != 0)
		return create_status(ORT_CODE_FAIL, "the output has another shape");
	*value = (void *)(uintptr_t)v;
	return NULL;
}

static const struct ort_ep_api ep_api = { .create_ep_device = create_ep_device,
					  .add_nodes_to_fuse = add_nodes_to_fuse };

static const struct ort_ep_api *get_ep_api(void)
{
	return &ep_api;
}

static const struct ort_api api = {
	.create_status = create_status,
	.get_error_message = get_error_message,
	.get_tensor_mutable_data = get_tensor_mutable_data,
	.cast_to_tensor_info = cast_to_tensor_info,
	.get_element_type = get_element_type,
	.get_rank = get_rank,
	.get_dims = get_dims,
	.get_dim_names = get_dim_names,
	.get_value_tensor_info = get_value_tensor_info,
	.get_kernel_input = get_kernel_input,
	.get_kernel_output = get_kernel_output,
	.release_status = release_status,
	.release_tensor_info = release_tensor_info,
	.read_attribute = read_attribute,
	.get_value_name = get_value_name,
	.get_value_type = get_value_type,
	.get_key_values = get_key_values,
	.release_key_values = release_key_values,
	.get_hardware_type = get_hardware_type,
	.get_ep_api = get_ep_api,
	.get_tensor_size = get_tensor_size,
	.get_initializer = get_initializer,
	.is_graph_output = is_graph_output,
	.is_constant = is_constant,
	.get_num_nodes = get_num_nodes,
	.get_nodes = get_nodes,
	.get_num_graph_inputs = get_num_graph_inputs,
	.is_from_outer_scope = is_from_outer_scope,
	.get_node_name = get_operator,
	.get_operator = get_operator,
	.get_domain = get_domain,
	.get_since_version = get_since_version,
	.get_num_inputs = get_num_inputs,
	.get_inputs = get_inputs,
	.get_num_outputs = get_num_outputs,
	.get_outputs = get_outputs,
	.get_num_implicit_inputs = get_none,
	.get_num_attributes = get_num_attributes,
	.get_attributes = get_attributes,
	.get_attribute_type = get_attribute_type,
	.get_attribute_name = get_attribute_name,
	.get_num_subgraphs = get_none,
	.get_node_ep = get_node_ep,
	.get_tensor_data = get_tensor_data,
	.get_session_options = get_session_options,
};

static const struct ort_api *get_api(uint32_t version)
{
	return version <= current->newest ? &api : NULL;
}

static const char *get_version(void)
{
	return "1.22.0";
}

/* ---- for tests ---- */

void fake_ort_init(struct fake_ort *fake)
{
	memset(fake, 0, sizeof(*fake));
	fake->base = (struct ort_api_base){ get_api, get_version };
	fake->newest = ORT_VERSION;
	current = fake;
}

struct fake_value *fake_value(struct fake_ort *fake, const char *name, int type, size_t rank,
			      const int64_t *dims)
{
	struct fake_value *v = &fake->graph.values[fake->graph.num_values++];

	*v = (struct fake_value){ .name = name, .type = type, .rank = rank };
	if (rank)
		memcpy(v->dims, dims, rank * sizeof(*dims));
	return v;
}

struct fake_value *fake_constant(struct fake_ort *fake, const char *name, int type, size_t rank,
				 const int64_t *dims, void *data)
{
	struct fake_value *v = fake_value(fake, name, type, rank, dims);

	v->constant = true;
	v->data = data;
	return v;
}

struct fake_node *fake_node(struct fake_ort *fake, const char *op, struct fake_value *const *inputs,
			    struct fake_value *const *outputs)
{
	struct fake_node *n = &fake->graph.nodes[fake->graph.num_nodes++];

	*n = (struct fake_node){ .op = op, .domain = "", .version = 13 };
	while (inputs[n->num_inputs]) {
		n->inputs[n->num_inputs] = inputs[n->num_inputs];
		n->num_inputs++;
	}
	while (outputs[n->num_outputs]) {
		n->outputs[n->num_outputs] = outputs[n->num_outputs];
		n->num_outputs++;
	}
	return n;
}

void fake_ints(struct fake_node *n, const char *name, const int64_t *list, size_t count)
{
	struct fake_attribute *a = &n->attributes[n->num_attributes++];

	*a = (struct fake_attribute){ .name = name, .type = ORT_ATTR_INTS, .count = count };
	memcpy(a->ints, list, count * sizeof(*list));
}

bool fake_ort_check(struct fake_ort *fake, struct ort_status *status)
{
	if (!status)
		return true;
	snprintf(fake->error, sizeof(fake->error), "%s", get_error_message(status));
	release_status(status);
	return false;
}

bool fake_ort_prepare(struct fake_ort *fake, struct ort_ep *ep)
{
	if (!fake_ort_check(fake, ep->get_capability(ep, (const void *)&fake->graph, NULL)))
		return false;
	for (size_t i = 0; i < fake->num_partitions; i++) {
		const struct ort_graph *graph = (const void *)&fake->partitions[i].graph;
		const struct ort_node *fused = (const void *)&fake->partitions[i].fused;

		if (!fake_ort_check(fake, ep->compile(ep, &graph, &fused, 1,
						      &fake->partitions[i].info, NULL)))
			return false;
	}
	return true;
}

bool fake_ort_run(struct fake_ort *fake)
{
	for (size_t i = 0; i < fake->num_partitions; i++) {
		struct fake_partition *p = &fake->partitions[i];
		void *state;

		if (!fake_ort_check(fake, p->info->create_state(p->info, NULL, &state)) ||
		    !fake_ort_check(fake, p->info->compute(p->info, state, (void *)&p->fused)))
			return false;
		p->info->release_state(p->info, state);
	}
	return true;
}

void fake_ort_release(struct fake_ort *fake, struct ort_ep *ep)
{
	for (size_t i = 0; i < fake->num_partitions; i++)
		if (fake->partitions[i].info)
			ep->release_compute_infos(ep, &fake->partitions[i].info, 1);
}
