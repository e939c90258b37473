// SPDX-License-Identifier: Apache-2.0
#include "delegate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delegate_common.h"

/* ---- what the devices support ---- */

/* The first operation that no device supports, in the words of its operator. */
static int ask_devices(const struct delegate_import *io, const struct delegate_settings *settings,
		       uint32_t *refused, struct delegate_reason *reason)
{
	uint32_t operation;
	int ret = delegate_ask_devices(io->import.model, settings, &operation, reason);

	if (ret && operation < io->import.num_origins)
		*refused = io->import.origins[operation].number;
	return ret;
}

int delegate_model_try(const struct delegate_node *nodes, uint32_t count,
		       const struct tfl_context *context, const struct tfl_int_array *outputs,
		       const struct delegate_settings *settings, uint32_t *refused,
		       struct delegate_reason *reason)
{
	struct delegate_import io;
	int ret = delegate_nodes_import(nodes, count, context, outputs, &io);

	*refused = UINT32_MAX;
	if (ret) {
		if (io.import.operation < count)
			*refused = io.import.operation;
		DELEGATE_REFUSE(reason, ret, "%s", delegate_import_reason(&io.import));
	} else if (!io.import.model->main.num_operations) {
		ret = DELEGATE_REFUSE(reason, -EOPNOTSUPP, "nothing is left of it to compute");
	} else {
		ret = ask_devices(&io, settings, refused, reason);
	}
	delegate_import_clear(&io);
	return ret;
}

/* ---- compilations ---- */

/* One partition, after its compilation, whatever the outcome. */
static void partition_explain(const struct delegate_settings *settings,
			      const struct delegate_nodes *nodes,
			      const ANeuralNetworksCompilation *compilation)
{
	cJSON *numbers = cJSON_CreateArray();

	for (uint32_t i = 0; i < nodes->count; i++)
		cJSON_AddItemToArray(numbers, cJSON_CreateNumber(nodes->list[i].number));
	explain_partition(settings, numbers, compilation);
}

static int compile(struct delegate_model *m, const struct delegate_nodes *nodes,
		   const struct delegate_settings *settings, struct delegate_reason *reason)
{
	int ret = delegate_compilation_create(m->io.import.model, settings, &m->runtime,
					      &m->compilation, reason);
	char where[64];

	if (ret)
		return ret;
	ret = delegate_compilation_finish(m->compilation, settings, reason);
	partition_explain(settings, nodes, m->compilation);
	if (ret)
		return ret;
	snprintf(where, sizeof(where), "nodes %d to %d", nodes->list[0].number,
		 nodes->list[nodes->count - 1].number);
	return delegate_compare_open(m->io.import.model, settings, where, &m->compare, reason);
}

int delegate_model_compile(struct delegate_model *m, const struct delegate_nodes *nodes,
			   const struct tfl_context *context, const struct tfl_int_array *outputs,
			   const struct delegate_settings *settings, struct delegate_reason *reason)
{
	int ret;

	memset(m, 0, sizeof(*m));
	ret = delegate_nodes_import(nodes->list, nodes->count, context, outputs, &m->io);
	if (ret)
		DELEGATE_REFUSE(reason, ret, "%s", m->io.import.message);
	else
		ret = compile(m, nodes, settings, reason);
	if (!ret) {
		m->num_buffers = delegate_num_arguments(m->io.import.model);
		m->buffers = calloc(m->num_buffers + 1, sizeof(*m->buffers));
		m->data = calloc(m->num_buffers + 1, sizeof(*m->data));
		if (!m->buffers || !m->data)
			ret = DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
	}
	if (ret)
		delegate_model_clear(m);
	return ret;
}

void delegate_model_clear(struct delegate_model *m)
{
	delegate_compare_close(m->compare);
	ANeuralNetworksCompilation_free(m->compilation);
	runtime_model_free(&m->runtime);
	delegate_import_clear(&m->io);
	for (size_t i = 0; m->buffers && i < m->num_buffers; i++)
		free(m->buffers[i]);
	free(m->buffers);
	free(m->data);
	memset(m, 0, sizeof(*m));
}

/* ---- computing ---- */

/* The buffer of argument @i, made when first needed. Sizes do not change within a model. */
static void *model_buffer(struct delegate_model *m, size_t i, size_t size)
{
	if (!m->buffers[i])
		m->buffers[i] = malloc(size + 1);
	return m->buffers[i];
}

static int narrow_input(const struct nnimport_tensor *t, const int64_t *from, int32_t *to,
			struct delegate_reason *reason)
{
	for (size_t i = 0; i < t->operand_size / sizeof(*to); i++) {
		if (from[i] < INT32_MIN || from[i] > INT32_MAX)
			return DELEGATE_REFUSE(
				reason, -ERANGE,
				"element %zu of tensor %s is %lld: NNAPI has integers of 32 bits; convert the model with INT32 there",
				i, t->name, (long long)from[i]);
		to[i] = (int32_t)from[i];
	}
	return 0;
}

static void widen_output(const struct nnimport_tensor *t, const int32_t *from, int64_t *to)
{
	for (size_t i = 0; i < t->operand_size / sizeof(*from); i++)
		to[i] = from[i];
}

/* The memory of a tensor of the host, of the size that the model has. NULL: the reason. */
static void *tensor_data(const struct tfl_context *context, int32_t number, size_t size,
			 struct delegate_reason *reason)
{
	const struct tfl_tensor *t = &context->tensors[number];

	if (t->data && t->bytes == size)
		return t->data;
	DELEGATE_REFUSE(reason, -EINVAL, "tensor %s has %zu bytes%s, the compiled model needs %zu",
			t->name ? t->name : "without a name", t->bytes,
			t->data ? "" : " and no memory", size);
	return NULL;
}

/* The memory of each input, in its order. */
static int find_inputs(struct delegate_model *m, struct tfl_context *context,
		       struct delegate_reason *reason)
{
	const struct nnimport *im = &m->io.import;
	int ret;

	for (uint32_t i = 0; i < im->num_inputs; i++) {
		const struct nnimport_tensor *t = &im->inputs[i];
		void *wide = tensor_data(context, m->io.inputs[i], t->size, reason);

		if (!wide)
			return -EINVAL;
		m->data[i] = wide;
		if (t->operand_type == t->type)
			continue;
		m->data[i] = model_buffer(m, i, t->operand_size);
		if (!m->data[i])
			return DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
		ret = narrow_input(t, wide, m->data[i], reason);
		if (ret)
			return ret;
	}
	for (uint32_t i = 0; i < im->num_states; i++) {
		const struct nnimport_state *s = &im->states[i];
		bool own = s->tensor == NNIMPORT_NO_TENSOR;

		m->data[s->input] =
			own ? model_buffer(m, s->input, s->size)
			    : tensor_data(context, m->io.tensors[s->tensor], s->size, reason);
		if (!m->data[s->input])
			return own ? DELEGATE_REFUSE(reason, -ENOMEM, "out of memory") : -EINVAL;
		if (own)
			memset(m->data[s->input], s->fill, s->size);
	}
	return 0;
}

/* The memory of each output, behind that of the inputs. */
static int find_outputs(struct delegate_model *m, struct tfl_context *context,
			struct delegate_reason *reason)
{
	const struct nnimport *im = &m->io.import;
	const size_t first = im->model->main.num_inputs;

	for (uint32_t i = 0; i < im->num_outputs; i++) {
		const struct nnimport_tensor *t = &im->outputs[i];

		m->data[first + i] = tensor_data(context, m->io.outputs[i], t->size, reason);
		if (!m->data[first + i])
			return -EINVAL;
		if (t->operand_type != t->type)
			m->data[first + i] = model_buffer(m, first + i, t->operand_size);
		if (!m->data[first + i])
			return DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
	}
	for (uint32_t i = 0; i < im->num_states; i++) {
		const struct nnimport_state *s = &im->states[i];

		if (s->output == NNIMPORT_NO_OUTPUT)
			continue;
		m->data[first + s->output] = model_buffer(m, first + s->output, s->size);
		if (!m->data[first + s->output])
			return DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
	}
	return 0;
}

/* Results in buffers go to the tensors. */
static void take_outputs(struct delegate_model *m, struct tfl_context *context)
{
	const struct nnimport *im = &m->io.import;
	const size_t first = im->model->main.num_inputs;

	for (uint32_t i = 0; i < im->num_outputs; i++)
		if (im->outputs[i].operand_type != im->outputs[i].type)
			widen_output(&im->outputs[i], m->buffers[first + i],
				     context->tensors[m->io.outputs[i]].data);
	for (uint32_t i = 0; i < im->num_states; i++) {
		const struct nnimport_state *s = &im->states[i];

		if (s->output != NNIMPORT_NO_OUTPUT && s->tensor != NNIMPORT_NO_TENSOR)
			memcpy(context->tensors[m->io.tensors[s->tensor]].data,
			       m->buffers[first + s->output], s->size);
	}
}

int delegate_model_compute(struct delegate_model *m, struct tfl_context *context,
			   struct delegate_reason *reason)
{
	int ret = find_inputs(m, context, reason);

	if (!ret)
		ret = find_outputs(m, context, reason);
	if (!ret)
		ret = delegate_run(m->compilation, m->io.import.model, m->data, reason);
	if (ret)
		return ret;
	delegate_compare_look(m->compare, m->data);
	take_outputs(m, context);
	return 0;
}
