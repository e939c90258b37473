// SPDX-License-Identifier: Apache-2.0
#include "onnx_ep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delegate_common.h"

int ep_model_try(const struct onnx_graph *graph, const bool *in,
		 const struct delegate_settings *settings, uint32_t *refused,
		 struct delegate_reason *reason)
{
	struct translation t;
	int ret = onnx_translate(graph, in, &t, refused, reason);

	if (!ret) {
		ret = delegate_ask_devices(t.model, settings, refused, reason);
		*refused = *refused < t.model->main.num_operations ? t.origins[*refused]
								   : UINT32_MAX;
	}
	translation_clear(&t);
	return ret;
}

/* One partition, @graph, after its compilation, whatever the outcome. */
static void partition_explain(const struct delegate_settings *settings,
			      const struct onnx_graph *graph,
			      const ANeuralNetworksCompilation *compilation)
{
	cJSON *names = cJSON_CreateArray();

	for (uint32_t i = 0; i < graph->num_nodes; i++)
		cJSON_AddItemToArray(names, cJSON_CreateString(graph->nodes[i].name));
	explain_partition(settings, names, compilation);
}

/* ---- compiling ---- */

static int translation_compile(struct ep_model *m, const struct onnx_graph *graph,
			       const struct delegate_settings *settings,
			       struct delegate_reason *reason)
{
	int ret = delegate_compilation_create(m->translation.model, settings, &m->runtime,
					      &m->compilation, reason);
	char where[64];

	if (ret)
		return ret;
	ret = delegate_compilation_finish(m->compilation, settings, reason);
	partition_explain(settings, graph, m->compilation);
	if (ret)
		return ret;
	snprintf(where, sizeof(where), "%u nodes from %.32s on", graph->num_nodes,
		 graph->nodes[0].name);
	return delegate_compare_open(m->translation.model, settings, where, &m->compare, reason);
}

/* Arguments for the values @numbers, and their places among the fused node's @count @names. */
static int find_arguments(char *const *names, size_t count, const struct onnx_graph *graph,
			  const int *numbers, uint32_t num, struct ep_argument **list,
			  struct delegate_reason *reason)
{
	struct ep_argument *arguments = calloc((size_t)num + 1, sizeof(*arguments));

	*list = arguments;
	if (!arguments)
		return DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < num; i++) {
		const struct onnx_value *v = &graph->values[numbers[i]];
		struct ep_argument *a = &arguments[i];

		while (a->index < count && (!names[a->index] || strcmp(names[a->index], v->name)))
			a->index++;
		if (a->index == count)
			return DELEGATE_REFUSE(reason, -EINVAL,
					       "the fused node has no input or output %s", v->name);
		snprintf(a->name, sizeof(a->name), "%s", v->name);
		a->type = v->type;
		a->rank = v->rank;
		memcpy(a->dims, v->dims, sizeof(a->dims));
		a->size = v->elements * onnx_type_size(v->type);
	}
	return 0;
}

/* Of the inputs, then the outputs. */
static const struct ep_argument *model_argument(const struct ep_model *m, uint32_t i)
{
	return i < m->translation.num_inputs ? &m->inputs[i]
					     : &m->outputs[i - m->translation.num_inputs];
}

int ep_model_compile(struct ep_model *m, const struct onnx_graph *graph,
		     const struct ep_fused *fused, const struct delegate_settings *settings,
		     struct delegate_reason *reason)
{
	struct translation *t = &m->translation;
	bool *in = malloc((size_t)graph->num_nodes + 1);
	uint32_t refused;
	int ret = 0;

	memset(m, 0, sizeof(*m));
	if (!in)
		return DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
	memset(in, true, graph->num_nodes);
	ret = onnx_translate(graph, in, t, &refused, reason);
	ret = ret ? ret
		  : find_arguments(fused->inputs, fused->num_inputs, graph, t->inputs,
				   t->num_inputs, &m->inputs, reason);
	ret = ret ? ret
		  : find_arguments(fused->outputs, fused->num_outputs, graph, t->outputs,
				   t->num_outputs, &m->outputs, reason);
	if (!ret && t->num_outputs != fused->num_outputs)
		ret = DELEGATE_REFUSE(reason, -EINVAL,
				      "the fused node has %zu outputs, and its model %u",
				      fused->num_outputs, t->num_outputs);
	ret = ret ? ret : translation_compile(m, graph, settings, reason);
	for (uint32_t i = 0; i < t->num_inputs + t->num_outputs && !ret; i++)
		if (model_argument(m, i)->type == ORT_INT64)
			m->narrow += model_argument(m, i)->size / 2;
	if (ret)
		ep_model_clear(m);
	free(in);
	return ret;
}

void ep_model_clear(struct ep_model *m)
{
	delegate_compare_close(m->compare);
	ANeuralNetworksCompilation_free(m->compilation);
	runtime_model_free(&m->runtime);
	translation_clear(&m->translation);
	free(m->inputs);
	free(m->outputs);
	memset(m, 0, sizeof(*m));
}

/* ---- computing ---- */

/* The host's tensor is what the model was compiled for. */
static int check_tensor(const struct ort_api *api, const struct ort_value *value,
			const struct ep_argument *a, struct delegate_reason *reason)
{
	struct ort_tensor_info *info = NULL;
	int64_t dims[ONNX_MAX_RANK];
	size_t rank = 0, size = 0;
	int type = 0, ret = onnx_check(api, api->get_value_tensor_info(value, &info), reason);

	ret = ret ? ret : onnx_check(api, api->get_element_type(info, &type), reason);
	ret = ret ? ret : onnx_check(api, api->get_rank(info, &rank), reason);
	if (!ret && rank == a->rank)
		ret = onnx_check(api, api->get_dims(info, dims, rank), reason);
	ret = ret ? ret : onnx_check(api, api->get_tensor_size(value, &size), reason);
	if (!ret && (type != a->type || rank != a->rank || size != a->size ||
		     memcmp(dims, a->dims, rank * sizeof(*dims)) != 0))
		ret = DELEGATE_REFUSE(
			reason, -EINVAL,
			"input %s has another shape or type than the model was compiled for, %zu bytes instead of %zu",
			a->name, size, a->size);
	if (info)
		api->release_tensor_info(info);
	return ret;
}

/* The memory of each input, and of each output behind them. */
static int find_inputs(const struct ep_model *m, const struct ort_api *api,
		       const struct ort_kernel_context *context, void **list,
		       struct delegate_reason *reason)
{
	for (uint32_t i = 0; i < m->translation.num_inputs; i++) {
		const struct ep_argument *a = &m->inputs[i];
		const struct ort_value *value = NULL;
		const void *data = NULL;
		int ret = onnx_check(api, api->get_kernel_input(context, a->index, &value), reason);

		if (!ret && !value)
			ret = DELEGATE_REFUSE(reason, -EINVAL, "input %s is missing", a->name);
		ret = ret ? ret : check_tensor(api, value, a, reason);
		ret = ret ? ret : onnx_check(api, api->get_tensor_data(value, &data), reason);
		if (ret)
			return ret;
		list[i] = (void *)(uintptr_t)data;
	}
	return 0;
}

static int find_outputs(const struct ep_model *m, const struct ort_api *api,
			struct ort_kernel_context *context, void **list,
			struct delegate_reason *reason)
{
	for (uint32_t i = 0; i < m->translation.num_outputs; i++) {
		const struct ep_argument *a = &m->outputs[i];
		struct ort_value *value = NULL;
		void *data = NULL;
		size_t size = 0;
		int ret = onnx_check(
			api, api->get_kernel_output(context, a->index, a->dims, a->rank, &value),
			reason);

		ret = ret ? ret : onnx_check(api, api->get_tensor_size(value, &size), reason);
		ret = ret ? ret
			  : onnx_check(api, api->get_tensor_mutable_data(value, &data), reason);
		if (!ret && size != a->size)
			ret = DELEGATE_REFUSE(reason, -EINVAL,
					      "output %s has %zu bytes instead of %zu", a->name,
					      size, a->size);
		if (ret)
			return ret;
		list[m->translation.num_inputs + i] = data;
	}
	return 0;
}

/* ---- int64 of the host, int32 of the model ---- */

static int argument_narrow(const struct ep_argument *a, const int64_t *wide, int32_t *narrow,
			   struct delegate_reason *reason)
{
	for (size_t i = 0; i < a->size / sizeof(*wide); i++) {
		narrow[i] = (int32_t)wide[i];
		if (narrow[i] != wide[i])
			return DELEGATE_REFUSE(
				reason, -ERANGE,
				"element %zu of input %s is %lld, and NNAPI has 32 bits; give the session no nnaccel provider for such numbers",
				i, a->name, (long long)wide[i]);
	}
	return 0;
}

/* @data with memory for int32 where @host has int64: of inputs the numbers, too. */
static int model_narrow(const struct ep_model *m, void *const *host, void **data, uint8_t *memory,
			struct delegate_reason *reason)
{
	int ret = 0;

	for (uint32_t i = 0; i < delegate_num_arguments(m->translation.model) && !ret; i++) {
		const struct ep_argument *a = model_argument(m, i);

		data[i] = host[i];
		if (a->type != ORT_INT64)
			continue;
		data[i] = memory;
		memory += a->size / 2;
		if (i < m->translation.num_inputs)
			ret = argument_narrow(a, host[i], data[i], reason);
	}
	return ret;
}

static void model_widen(const struct ep_model *m, void *const *host, void *const *data)
{
	for (uint32_t i = m->translation.num_inputs;
	     i < delegate_num_arguments(m->translation.model); i++) {
		const struct ep_argument *a = model_argument(m, i);
		const int32_t *narrow = data[i];
		int64_t *wide = host[i];

		for (size_t j = 0; a->type == ORT_INT64 && j < a->size / sizeof(*wide); j++)
			wide[j] = narrow[j];
	}
}

int ep_model_compute(const struct ep_model *m, const struct ort_api *api,
		     struct ort_kernel_context *context, struct delegate_reason *reason)
{
	const struct nnmodel *model = m->translation.model;
	const size_t count = delegate_num_arguments(model);
	/* the host's memory, then that of the model's arguments */
	void **host = calloc(2 * count + 1, sizeof(*host)), **data = host ? host + count : NULL;
	uint8_t *narrow = malloc(m->narrow + 1);
	int ret = host && narrow ? 0 : DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");

	ret = ret ? ret : find_inputs(m, api, context, host, reason);
	ret = ret ? ret : find_outputs(m, api, context, host, reason);
	ret = ret ? ret : model_narrow(m, host, data, narrow, reason);
	ret = ret ? ret : delegate_run(m->compilation, model, data, reason);
	if (!ret) {
		delegate_compare_look(m->compare, data);
		model_widen(m, host, data);
	}
	free(narrow);
	free(host);
	return ret;
}
