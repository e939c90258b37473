// SPDX-License-Identifier: Apache-2.0
#include "delegate_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "delegate_explain.h"
#include "delegate_runtime.h"

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

static int compile(struct delegate_model *m, const struct delegate_nodes *nodes,
		   const struct delegate_settings *settings, struct delegate_reason *reason)
{
	int ret = delegate_compilation_create(m->io.import.model, settings, &m->runtime,
					      &m->compilation, reason);

	if (ret)
		return ret;
	ret = delegate_compilation_finish(m->compilation, settings, reason);
	delegate_explain_partition(settings, nodes, m->compilation);
	return ret;
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
		m->num_buffers = (size_t)m->io.import.model->main.num_inputs +
				 m->io.import.model->main.num_outputs;
		m->buffers = calloc(m->num_buffers + 1, sizeof(*m->buffers));
		if (!m->buffers)
			ret = DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
	}
	if (ret)
		delegate_model_clear(m);
	return ret;
}

void delegate_model_clear(struct delegate_model *m)
{
	ANeuralNetworksCompilation_free(m->compilation);
	runtime_model_free(&m->runtime);
	delegate_import_clear(&m->io);
	for (size_t i = 0; m->buffers && i < m->num_buffers; i++)
		free(m->buffers[i]);
	free(m->buffers);
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

static int set_inputs(struct delegate_model *m, struct tfl_context *context,
		      ANeuralNetworksExecution *e, struct delegate_reason *reason)
{
	const struct nnimport *im = &m->io.import;
	int result = ANEURALNETWORKS_NO_ERROR, ret;

	for (uint32_t i = 0; i < im->num_inputs && result == ANEURALNETWORKS_NO_ERROR; i++) {
		const struct nnimport_tensor *t = &im->inputs[i];
		void *data = tensor_data(context, m->io.inputs[i], t->size, reason), *wide = data;

		if (!data)
			return -EINVAL;
		if (t->operand_type != t->type) {
			data = model_buffer(m, i, t->operand_size);
			if (!data)
				return DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
			ret = narrow_input(t, wide, data, reason);
			if (ret)
				return ret;
		}
		result = ANeuralNetworksExecution_setInput(e, (int32_t)i, NULL, data,
							   t->operand_size);
	}
	for (uint32_t i = 0; i < im->num_states && result == ANEURALNETWORKS_NO_ERROR; i++) {
		const struct nnimport_state *s = &im->states[i];
		void *data =
			s->tensor == NNIMPORT_NO_TENSOR
				? model_buffer(m, s->input, s->size)
				: tensor_data(context, m->io.tensors[s->tensor], s->size, reason);

		if (!data)
			return s->tensor == NNIMPORT_NO_TENSOR
				       ? DELEGATE_REFUSE(reason, -ENOMEM, "out of memory")
				       : -EINVAL;
		if (s->tensor == NNIMPORT_NO_TENSOR)
			memset(data, s->fill, s->size);
		result = ANeuralNetworksExecution_setInput(e, (int32_t)s->input, NULL, data,
							   s->size);
	}
	return result == ANEURALNETWORKS_NO_ERROR ? 0
						  : DELEGATE_REFUSE(reason, -EINVAL, "setInput: %s",
								    runtime_result_name(result));
}

static int set_outputs(struct delegate_model *m, struct tfl_context *context,
		       ANeuralNetworksExecution *e, struct delegate_reason *reason)
{
	const struct nnimport *im = &m->io.import;
	const size_t first = im->model->main.num_inputs;
	int result = ANEURALNETWORKS_NO_ERROR;

	for (uint32_t i = 0; i < im->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++) {
		const struct nnimport_tensor *t = &im->outputs[i];
		void *data = tensor_data(context, m->io.outputs[i], t->size, reason);

		if (!data)
			return -EINVAL;
		if (t->operand_type != t->type)
			data = model_buffer(m, first + i, t->operand_size);
		if (!data)
			return DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
		result = ANeuralNetworksExecution_setOutput(e, (int32_t)i, NULL, data,
							    t->operand_size);
	}
	for (uint32_t i = 0; i < im->num_states && result == ANEURALNETWORKS_NO_ERROR; i++) {
		const struct nnimport_state *s = &im->states[i];
		void *data;

		if (s->output == NNIMPORT_NO_OUTPUT)
			continue;
		data = model_buffer(m, first + s->output, s->size);
		if (!data)
			return DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
		result = ANeuralNetworksExecution_setOutput(e, (int32_t)s->output, NULL, data,
							    s->size);
	}
	return result == ANEURALNETWORKS_NO_ERROR
		       ? 0
		       : DELEGATE_REFUSE(reason, -EINVAL, "setOutput: %s",
					 runtime_result_name(result));
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
	ANeuralNetworksExecution *e;
	int ret = delegate_execution_create(m->compilation, &e, reason);

	if (ret)
		return ret;
	ret = set_inputs(m, context, e, reason);
	if (!ret)
		ret = set_outputs(m, context, e, reason);
	if (!ret)
		ret = delegate_execution_compute(e, reason);
	ANeuralNetworksExecution_free(e);
	if (!ret)
		take_outputs(m, context);
	return ret;
}
