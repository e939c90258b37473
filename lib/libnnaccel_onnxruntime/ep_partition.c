// SPDX-License-Identifier: Apache-2.0
#include "onnx_ep.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_graph.h"

/* The partition with the sizes of @key. */
struct shape {
	struct ep_model model;
	int64_t *key; /* the dimensions of each open input */
	uint64_t used; /* number of the last run */
	uint32_t users; /* runs that compute with it */
};

struct open_input {
	size_t index; /* among the fused node's inputs */
	int value;
};

struct ep_partition {
	struct ep_fused fused;
	const struct delegate_settings *settings;
	struct open_input *open;
	uint32_t num_open, max_shapes;
	pthread_mutex_t lock; /* of what follows */
	struct onnx_graph graph; /* empty without open inputs */
	struct shape **shapes;
	uint32_t num_shapes;
	uint64_t runs;
};

static int refuse_memory(struct delegate_reason *reason)
{
	return DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
}

/* ---- the fused node ---- */

static int read_names(const struct ort_api *api, const struct ort_node *fused, bool outputs,
		      char ***list, size_t *num, struct delegate_reason *reason)
{
	const struct ort_value_info **infos;
	const char *name;
	size_t count;
	int ret = onnx_check(api,
			     outputs ? api->get_num_outputs(fused, &count)
				     : api->get_num_inputs(fused, &count),
			     reason);

	if (ret)
		return ret;
	infos = calloc(count + 1, sizeof(*infos));
	*list = calloc(count + 1, sizeof(**list));
	if (!infos || !*list)
		ret = refuse_memory(reason);
	else if (count)
		ret = onnx_check(api,
				 outputs ? api->get_outputs(fused, infos, count)
					 : api->get_inputs(fused, infos, count),
				 reason);
	for (size_t i = 0; i < count && !ret; i++) {
		name = NULL;
		ret = infos[i] ? onnx_check(api, api->get_value_name(infos[i], &name), reason) : 0;
		if (ret || !name)
			continue;
		(*list)[i] = strdup(name);
		if (!(*list)[i])
			ret = refuse_memory(reason);
	}
	free(infos);
	*num = ret ? 0 : count;
	return ret;
}

static void free_names(char **list, size_t count)
{
	for (size_t i = 0; list && i < count; i++)
		free(list[i]);
	free(list);
}

static int partition_find_open(struct ep_partition *p, struct delegate_reason *reason)
{
	p->open = calloc(p->fused.num_inputs + 1, sizeof(*p->open));
	if (!p->open)
		return refuse_memory(reason);
	for (size_t i = 0; i < p->fused.num_inputs; i++) {
		const char *name = p->fused.inputs[i];
		int number = name ? onnx_graph_find(&p->graph, name) : ONNX_NONE;

		if (number != ONNX_NONE && !p->graph.values[number].fixed)
			p->open[p->num_open++] = (struct open_input){ i, number };
	}
	return 0;
}

/* ---- shapes ---- */

static size_t key_size(const struct ep_partition *p)
{
	return p->num_open * ONNX_MAX_RANK * sizeof(int64_t);
}

static void shape_free(struct shape *s)
{
	if (s)
		ep_model_clear(&s->model);
	if (s)
		free(s->key);
	free(s);
}

static int partition_compile(struct ep_partition *p, const int64_t *key, struct shape **result,
			     struct delegate_reason *reason)
{
	struct shape *s = calloc(1, sizeof(*s));
	int ret;

	if (s)
		s->key = malloc(key_size(p) + 1);
	if (!s || !s->key) {
		shape_free(s);
		return refuse_memory(reason);
	}
	memcpy(s->key, key, key_size(p));
	onnx_shapes_reset(&p->graph);
	for (uint32_t i = 0; i < p->num_open; i++)
		onnx_shapes_set(&p->graph, p->open[i].value, key + (size_t)i * ONNX_MAX_RANK);
	onnx_shapes_complete(&p->graph);
	ret = ep_model_compile(&s->model, &p->graph, &p->fused, p->settings, reason);
	if (ret) {
		shape_free(s);
		return ret;
	}
	if (p->num_open && p->settings->log >= DELEGATE_LOG_SUMMARY)
		fprintf(stderr,
			"nnaccel: %u nodes from %.64s on are compiled for the sizes of this run\n",
			p->graph.num_nodes, p->graph.nodes[0].name);
	*result = s;
	return 0;
}

/* Drop models that no run uses, the oldest first, while there are more than @max. */
static void partition_trim(struct ep_partition *p, uint32_t max)
{
	while (p->num_shapes > max) {
		uint32_t oldest = p->num_shapes;

		for (uint32_t i = 0; i < p->num_shapes; i++)
			if (!p->shapes[i]->users && (oldest == p->num_shapes ||
						     p->shapes[i]->used < p->shapes[oldest]->used))
				oldest = i;
		if (oldest == p->num_shapes)
			return;
		shape_free(p->shapes[oldest]);
		p->shapes[oldest] = p->shapes[--p->num_shapes];
	}
}

static struct shape *partition_find(const struct ep_partition *p, const int64_t *key)
{
	for (uint32_t i = 0; i < p->num_shapes; i++)
		if (!memcmp(p->shapes[i]->key, key, key_size(p)))
			return p->shapes[i];
	return NULL;
}

static int partition_add(struct ep_partition *p, const int64_t *key, struct shape **result,
			 struct delegate_reason *reason)
{
	struct shape **list;
	int ret;

	partition_trim(p, p->max_shapes - 1);
	list = reallocarray(p->shapes, p->num_shapes + 1, sizeof(*list));
	if (!list)
		return refuse_memory(reason);
	p->shapes = list;
	ret = partition_compile(p, key, result, reason);
	if (!ret)
		list[p->num_shapes++] = *result;
	return ret;
}

int ep_partition_open(struct ep_partition **partition, const struct ort_api *api,
		      const struct ort_graph *source, const struct ort_node *fused,
		      const struct delegate_settings *settings, uint32_t shapes,
		      struct delegate_reason *reason)
{
	struct ep_partition *p = calloc(1, sizeof(*p));
	const int64_t none = 0;
	struct shape *s;
	int ret;

	if (!p)
		return refuse_memory(reason);
	p->settings = settings;
	p->max_shapes = shapes;
	pthread_mutex_init(&p->lock, NULL);
	ret = onnx_graph_read(api, source, fused, &p->graph, reason);
	ret = ret ? ret
		  : read_names(api, fused, false, &p->fused.inputs, &p->fused.num_inputs, reason);
	ret = ret ? ret
		  : read_names(api, fused, true, &p->fused.outputs, &p->fused.num_outputs, reason);
	ret = ret ? ret : partition_find_open(p, reason);
	if (!ret && !p->num_open) {
		ret = partition_add(p, &none, &s, reason);
		onnx_graph_clear(&p->graph);
	} else if (!ret && onnx_graph_own(&p->graph)) {
		ret = refuse_memory(reason);
	}
	if (ret) {
		ep_partition_close(p);
		return ret;
	}
	*partition = p;
	return 0;
}

void ep_partition_close(struct ep_partition *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->num_shapes; i++)
		shape_free(p->shapes[i]);
	free(p->shapes);
	free(p->open);
	free_names(p->fused.inputs, p->fused.num_inputs);
	free_names(p->fused.outputs, p->fused.num_outputs);
	onnx_graph_clear(&p->graph);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* ---- runs ---- */

/* The dimensions of the tensor that open input @i has in this run. */
static int read_dims(const struct ep_partition *p, uint32_t i, const struct ort_api *api,
		     const struct ort_kernel_context *context, int64_t *dims,
		     struct delegate_reason *reason)
{
	const struct onnx_value *v = &p->graph.values[p->open[i].value];
	const struct ort_value *value = NULL;
	struct ort_tensor_info *info = NULL;
	size_t rank = 0;
	int ret = onnx_check(api, api->get_kernel_input(context, p->open[i].index, &value), reason);

	if (!ret && !value)
		return DELEGATE_REFUSE(reason, -EINVAL, "input %s is missing", v->name);
	ret = ret ? ret : onnx_check(api, api->get_value_tensor_info(value, &info), reason);
	ret = ret ? ret : onnx_check(api, api->get_rank(info, &rank), reason);
	if (!ret && rank == v->rank)
		ret = onnx_check(api, api->get_dims(info, dims, rank), reason);
	if (info)
		api->release_tensor_info(info);
	if (!ret && rank != v->rank)
		ret = DELEGATE_REFUSE(reason, -EINVAL, "input %s has %zu dimensions instead of %u",
				      v->name, rank, v->rank);
	for (uint32_t j = 0; j < v->rank && !ret; j++)
		if (dims[j] <= 0)
			ret = DELEGATE_REFUSE(reason, -EINVAL, "input %s has no elements", v->name);
	return ret;
}

/* The model for the sizes of a run, which uses it until partition_put(). */
static int partition_get(struct ep_partition *p, const int64_t *key, struct shape **result,
			 struct delegate_reason *reason)
{
	struct shape *s;
	int ret = 0;

	pthread_mutex_lock(&p->lock);
	s = partition_find(p, key);
	if (!s)
		ret = partition_add(p, key, &s, reason);
	if (!ret) {
		s->users++;
		s->used = ++p->runs;
	}
	pthread_mutex_unlock(&p->lock);
	*result = s;
	return ret;
}

static void partition_put(struct ep_partition *p, struct shape *s)
{
	pthread_mutex_lock(&p->lock);
	s->users--;
	partition_trim(p, p->max_shapes);
	pthread_mutex_unlock(&p->lock);
}

int ep_partition_compute(struct ep_partition *p, const struct ort_api *api,
			 struct ort_kernel_context *context, struct delegate_reason *reason)
{
	int64_t *key = calloc(1, key_size(p) + 1);
	struct shape *s;
	int ret = key ? 0 : refuse_memory(reason);

	for (uint32_t i = 0; i < p->num_open && !ret; i++)
		ret = read_dims(p, i, api, context, key + (size_t)i * ONNX_MAX_RANK, reason);
	ret = ret ? ret : partition_get(p, key, &s, reason);
	free(key);
	if (ret)
		return ret;
	ret = ep_model_compute(&s->model, api, context, reason);
	partition_put(p, s);
	return ret;
}
