// SPDX-License-Identifier: Apache-2.0
#include "delegate.h"

#include <stdlib.h>
#include <string.h>

struct kernel {
	const struct delegate_settings *settings;
	struct delegate_nodes nodes;
	struct tfl_int_array *outputs;
	struct delegate_model model;
	/* the shapes that @model is compiled for; NULL: it is not */
	int32_t *shapes;
	size_t num_shapes;
};

static void kernel_free(struct tfl_context *context, void *user_data)
{
	struct kernel *k = user_data;

	(void)context;
	if (!k)
		return;
	if (k->shapes)
		delegate_model_clear(&k->model);
	free(k->shapes);
	free(k->outputs);
	delegate_nodes_clear(&k->nodes);
	free(k);
}

/* Nodes can be seen here only. NULL: prepare() reports it. */
static void *kernel_init(struct tfl_context *context, const char *buffer, size_t length)
{
	const struct tfl_delegate_params *params = (const void *)buffer;
	const struct delegate *delegate = (const struct delegate *)params->delegate;
	size_t size = sizeof(*params->output_tensors) +
		      (size_t)params->output_tensors->size * sizeof(int);
	struct kernel *k = calloc(1, sizeof(*k));

	(void)length;
	if (!k)
		return NULL;
	k->settings = &delegate->settings;
	k->outputs = malloc(size);
	if (!k->outputs || delegate_nodes_copy(context, params->nodes_to_replace, &k->nodes)) {
		kernel_free(context, k);
		return NULL;
	}
	memcpy(k->outputs, params->output_tensors, size);
	return k;
}

static int kernel_fail(struct tfl_context *context, const struct kernel *k,
		       const struct delegate_reason *reason)
{
	context->report_error(context, "nnaccel: nodes %d to %d: %s", k->nodes.list[0].number,
			      k->nodes.list[k->nodes.count - 1].number, reason->text);
	return TFL_ERROR;
}

/* The sizes of outputs are those that the host computed, but where it cannot. */
static int resize_outputs(struct kernel *k, struct tfl_context *context, bool dynamic)
{
	for (uint32_t i = 0; i < k->model.io.import.num_outputs; i++) {
		const struct nnimport_tensor *t = &k->model.io.import.outputs[i];
		struct tfl_tensor *to = &context->tensors[k->model.io.outputs[i]];
		struct tfl_int_array *dims;

		if ((to->allocation_type == TFL_DYNAMIC) != dynamic ||
		    (to->bytes == t->size && (to->data || !dynamic)))
			continue;
		dims = malloc(sizeof(*dims) + t->rank * sizeof(int));
		if (!dims)
			return TFL_ERROR;
		dims->size = (int)t->rank;
		memcpy(dims->data, t->dims, t->rank * sizeof(int));
		if (context->resize_tensor(context, to, dims) != TFL_OK)
			return TFL_ERROR;
	}
	return TFL_OK;
}

/* The host calls this again when shapes may have changed. */
static int kernel_prepare(struct tfl_context *context, struct tfl_node *node)
{
	struct kernel *k = node->user_data;
	struct delegate_reason reason;
	int32_t *shapes;
	size_t count;

	shapes = k ? delegate_nodes_shapes(&k->nodes, context, &count) : NULL;
	if (!shapes) {
		context->report_error(context, "nnaccel: out of memory");
		return TFL_ERROR;
	}
	if (k->shapes && k->num_shapes == count &&
	    !memcmp(k->shapes, shapes, count * sizeof(*shapes))) {
		free(shapes);
		return resize_outputs(k, context, false);
	}
	if (k->shapes)
		delegate_model_clear(&k->model);
	free(k->shapes);
	k->shapes = NULL;
	if (delegate_model_compile(&k->model, &k->nodes, context, k->outputs, k->settings,
				   &reason)) {
		free(shapes);
		return kernel_fail(context, k, &reason);
	}
	k->shapes = shapes;
	k->num_shapes = count;
	return resize_outputs(k, context, false);
}

static int kernel_invoke(struct tfl_context *context, struct tfl_node *node)
{
	struct kernel *k = node->user_data;
	struct delegate_reason reason;

	if (resize_outputs(k, context, true) != TFL_OK)
		return TFL_ERROR;
	return delegate_model_compute(&k->model, context, &reason)
		       ? kernel_fail(context, k, &reason)
		       : TFL_OK;
}

const struct tfl_registration delegate_kernel = {
	.init = kernel_init,
	.free = kernel_free,
	.prepare = kernel_prepare,
	.invoke = kernel_invoke,
	.custom_name = "NnaccelDelegate",
	.version = 1,
};
