// SPDX-License-Identifier: Apache-2.0
#include "fake_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delegate.h"
#include "temp.h"
#include "test_case.h"

#define PARAMS_SIZE 128

char fake_host_reported[512];

void fake_host_report(const char *text)
{
	snprintf(fake_host_reported, sizeof(fake_host_reported), "%s", text);
}

static struct fake_host *host_of(struct tfl_context *context)
{
	return (struct fake_host *)context;
}

static struct tfl_int_array *array_new(int size)
{
	struct tfl_int_array *a = calloc(1, sizeof(*a) + ((size_t)size + 1) * sizeof(int));

	assert_non_null(a);
	a->size = size;
	return a;
}

static struct tfl_int_array *array_of(const int32_t *values, uint32_t count)
{
	struct tfl_int_array *a = array_new((int)count);

	memcpy(a->data, values, count * sizeof(*values));
	return a;
}

static bool array_has(const struct tfl_int_array *a, int value)
{
	for (int i = 0; i < a->size; i++)
		if (a->data[i] == value)
			return true;
	return false;
}

static void array_add(struct tfl_int_array *a, int value)
{
	if (!array_has(a, value))
		a->data[a->size++] = value;
}

/* ---- the context ---- */

static int get_plan(struct tfl_context *context, struct tfl_int_array **plan)
{
	*plan = host_of(context)->plan;
	return TFL_OK;
}

static int get_node(struct tfl_context *context, int index, struct tfl_node **node,
		    struct tfl_registration **registration)
{
	struct fake_host *h = host_of(context);

	if (index < 0 || index >= h->num_nodes)
		return TFL_ERROR;
	*node = &h->nodes[index];
	*registration = &h->registrations[index];
	return TFL_OK;
}

static int resize(struct tfl_context *context, struct tfl_tensor *t, struct tfl_int_array *dims)
{
	size_t bytes = t->bytes;

	(void)context;
	for (int i = 0; i < t->dims->size; i++)
		bytes /= (size_t)t->dims->data[i];
	for (int i = 0; i < dims->size; i++)
		bytes *= (size_t)dims->data[i];
	free(t->dims);
	t->dims = dims;
	t->bytes = bytes;
	if (t->allocation_type == TFL_DYNAMIC || t->data) {
		t->data = realloc(t->data, bytes + 1);
		assert_non_null(t->data);
	}
	return TFL_OK;
}

__attribute__((format(printf, 2, 3))) static void report(struct tfl_context *context,
							 const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(host_of(context)->error, sizeof(host_of(context)->error), format, ap);
	va_end(ap);
}

/* Whether a tensor is needed outside of some nodes. */
static bool is_needed(const struct fake_host *h, const struct tfl_int_array *inside, int tensor)
{
	for (uint32_t i = 0; i < h->model.num_outputs; i++)
		if (h->model.outputs[i] == tensor)
			return true;
	for (int i = 0; i < h->plan->size; i++)
		if (!array_has(inside, h->plan->data[i]) &&
		    array_has(h->nodes[h->plan->data[i]].inputs, tensor))
			return true;
	return false;
}

static void fill_partition(const struct fake_host *h, struct tfl_delegate_params *p)
{
	int most = 0;

	for (int i = 0; i < p->nodes_to_replace->size; i++) {
		const struct tfl_node *n = &h->nodes[p->nodes_to_replace->data[i]];

		most += n->inputs->size + n->outputs->size;
	}
	p->input_tensors = array_new(most);
	p->output_tensors = array_new(most);
	p->input_tensors->size = p->output_tensors->size = 0;
	for (int i = 0; i < p->nodes_to_replace->size; i++) {
		const struct tfl_node *n = &h->nodes[p->nodes_to_replace->data[i]];

		for (int k = 0; k < n->inputs->size; k++)
			if (n->inputs->data[k] >= 0)
				array_add(p->input_tensors, n->inputs->data[k]);
		for (int k = 0; k < n->outputs->size; k++)
			if (is_needed(h, p->nodes_to_replace, n->outputs->data[k]))
				array_add(p->output_tensors, n->outputs->data[k]);
	}
}

static void clear_partitions(struct fake_host *h)
{
	for (int i = 0; i < h->num_partitions; i++) {
		free(h->partitions[i].nodes_to_replace);
		free(h->partitions[i].input_tensors);
		free(h->partitions[i].output_tensors);
	}
	free(h->partitions);
	h->partitions = NULL;
	h->num_partitions = 0;
}

/* Whether no node from place @at of the plan on writes what the node there reads. */
static bool is_ready(const struct fake_host *h, int at)
{
	const struct tfl_int_array *inputs = h->nodes[h->plan->data[at]].inputs;

	for (int i = at; i < h->plan->size; i++)
		for (int k = 0; k < inputs->size; k++)
			if (inputs->data[k] >= 0 &&
			    array_has(h->nodes[h->plan->data[i]].outputs, inputs->data[k]))
				return false;
	return true;
}

/* Neighbours in the plan are a partition. As in TensorFlow Lite, a node that is never ready is in
 * none, and replace_nodes() drops it. */
static int preview(struct tfl_context *context, const struct tfl_int_array *nodes,
		   struct tfl_delegate_params **partitions, int *count)
{
	struct fake_host *h = host_of(context);
	struct tfl_delegate_params *p = NULL;

	clear_partitions(h);
	h->partitions = calloc((size_t)h->plan->size + 1, sizeof(*h->partitions));
	assert_non_null(h->partitions);
	for (int i = 0; i < h->plan->size; i++) {
		if (!array_has(nodes, h->plan->data[i]) || !is_ready(h, i)) {
			p = NULL;
			continue;
		}
		if (!p) {
			p = &h->partitions[h->num_partitions++];
			p->nodes_to_replace = array_new(h->plan->size);
			p->nodes_to_replace->size = 0;
		}
		array_add(p->nodes_to_replace, h->plan->data[i]);
	}
	for (int i = 0; i < h->num_partitions; i++)
		fill_partition(h, &h->partitions[i]);
	*partitions = h->partitions;
	*count = h->num_partitions;
	return TFL_OK;
}

static int replace(struct tfl_context *context, struct tfl_registration registration,
		   const struct tfl_int_array *nodes, struct tfl_delegate *delegate)
{
	struct fake_host *h = host_of(context);
	struct tfl_int_array *plan = array_new(h->plan->size);
	struct tfl_delegate_params *partitions;
	int count, at = 0;

	preview(context, nodes, &partitions, &count);
	plan->size = 0;
	for (int i = 0; i < h->plan->size; i++) {
		int node = h->plan->data[i];

		if (!array_has(nodes, node)) {
			array_add(plan, node);
		} else if (at < count && partitions[at].nodes_to_replace->data[0] == node) {
			struct tfl_delegate_params *p = &partitions[at++];
			int n = h->num_nodes++;

			p->delegate = delegate;
			registration.builtin_code = 51;
			h->registrations[n] = registration;
			h->nodes[n] = (struct tfl_node){
				.inputs = array_of(p->input_tensors->data,
						   (uint32_t)p->input_tensors->size),
				.outputs = array_of(p->output_tensors->data,
						    (uint32_t)p->output_tensors->size),
				.delegate = delegate,
			};
			h->nodes[n].user_data = registration.init(context, (const char *)p, 0);
			array_add(plan, n);
		}
	}
	free(h->plan);
	h->plan = plan;
	return TFL_OK;
}

/* ---- the graph ---- */

static int host_type(int type)
{
	static const int types[NNIMPORT_TYPE_COUNT] = {
		TFL_FLOAT32, TFL_FLOAT16,  TFL_INT32,	  TFL_UINT8,  TFL_INT64,   TFL_STRING,
		TFL_BOOL,    TFL_INT16,	   TFL_COMPLEX64, TFL_INT8,   TFL_FLOAT64, TFL_COMPLEX128,
		TFL_UINT64,  TFL_RESOURCE, TFL_VARIANT,	  TFL_UINT32, TFL_UINT16,  TFL_INT4,
	};

	return types[type];
}

static void make_tensor(const struct tflite_model *m, const struct tflite_tensor *from,
			struct tfl_tensor *to)
{
	struct tfl_affine *q;

	*to = (struct tfl_tensor){
		.type = host_type(from->type),
		.dims = array_of(from->dims, from->rank),
		.allocation_type = from->data ? TFL_MMAP_RO : TFL_ARENA_RW,
		.bytes = from->size,
		.name = from->name,
		.data = (void *)(uintptr_t)from->data,
		.is_variable = from->variable,
	};
	if (from->variable)
		to->allocation_type = TFL_ARENA_RW_PERSISTENT;
	if (!from->num_scales)
		return;
	q = calloc(1, sizeof(*q));
	assert_non_null(q);
	q->zero_point = array_new((int)from->num_scales);
	q->scale = (struct tfl_float_array *)array_new((int)from->num_scales);
	for (uint32_t i = 0; i < from->num_scales; i++) {
		q->scale->data[i] = tflite_scale(m, from, i);
		q->zero_point->data[i] = (int)tflite_zero_point(m, from, i);
	}
	q->quantized_dimension = from->quantized_dimension;
	to->quantization.type = TFL_AFFINE_QUANTIZATION;
	to->quantization.params = q;
}

/* The schema's default of what the file lacks: 1 of dilations, and of the order of a LSTM of both
 * ways. */
static int32_t default_of(const struct builtin_option *row)
{
	return (row->opcode == 3 && row->field >= 4) || (row->opcode == 4 && row->field >= 5) ||
	       (row->opcode == 52 && row->field == 4);
}

static void *make_params(const struct tflite_operator *op)
{
	uint8_t *params = calloc(1, PARAMS_SIZE);

	assert_non_null(params);
	for (size_t i = 0; i < builtin_options_count; i++) {
		const struct builtin_option *row = &builtin_options[i];
		bool byte = row->kind != BUILTIN_INT && row->kind != BUILTIN_FLOAT;
		float real;
		int32_t value;

		if (row->opcode != op->opcode)
			continue;
		value = byte ? fb_i8(&op->options, row->field, (int8_t)default_of(row))
			     : fb_i32(&op->options, row->field, default_of(row));
		real = row->kind == BUILTIN_FLOAT ? fb_f32(&op->options, row->field, 0) : 0;
		value += row->kind == BUILTIN_FROM_1;
		if (row->kind == BUILTIN_FLOAT)
			memcpy(params + row->offset, &real, sizeof(real));
		else if (row->kind == BUILTIN_BOOL)
			params[row->offset] = value != 0;
		else
			memcpy(params + row->offset, &value, sizeof(value));
	}
	return params;
}

struct fake_host *fake_host_open(const char *path)
{
	struct fake_host *h = calloc(1, sizeof(*h));
	char error[160];
	size_t size, nodes;

	assert_non_null(h);
	h->bytes = (void *)temp_read(path, &size);
	if (tflite_parse(h->bytes, size, &h->model, error, sizeof(error))) {
		free(h->bytes);
		free(h);
		return NULL;
	}
	nodes = h->model.num_operators;
	h->tensors = calloc(h->model.num_tensors + 1, sizeof(*h->tensors));
	h->nodes = calloc(2 * nodes + 1, sizeof(*h->nodes));
	h->registrations = calloc(2 * nodes + 1, sizeof(*h->registrations));
	h->plan = array_new((int)nodes);
	assert_true(h->tensors && h->nodes && h->registrations);
	for (uint32_t i = 0; i < h->model.num_tensors; i++)
		make_tensor(&h->model, &h->model.tensors[i], &h->tensors[i]);
	for (size_t i = 0; i < nodes; i++) {
		const struct tflite_operator *op = &h->model.operators[i];

		h->registrations[i] = (struct tfl_registration){
			.builtin_code = op->opcode,
			.custom_name = op->custom[0] ? op->custom : NULL,
			.version = 99,
		};
		h->nodes[i] = (struct tfl_node){
			.inputs = array_of(op->inputs, op->num_inputs),
			.outputs = array_of(op->outputs, op->num_outputs),
			.builtin_data = make_params(op),
		};
		h->plan->data[i] = (int)i;
	}
	h->num_nodes = (int)nodes;
	h->context = (struct tfl_context){ .tensors_size = h->model.num_tensors,
					   .get_execution_plan = get_plan,
					   .tensors = h->tensors,
					   .impl = h,
					   .resize_tensor = resize,
					   .report_error = report,
					   .get_node = get_node,
					   .replace_nodes = replace,
					   .preview_partitions = preview };
	return h;
}

void fake_host_close(struct fake_host *h)
{
	clear_partitions(h);
	for (int i = 0; i < h->num_nodes; i++) {
		if (h->nodes[i].delegate)
			h->registrations[i].free(&h->context, h->nodes[i].user_data);
		free(h->nodes[i].inputs);
		free(h->nodes[i].outputs);
		free(h->nodes[i].builtin_data);
	}
	for (uint32_t i = 0; i < h->model.num_tensors; i++) {
		struct tfl_affine *q = h->tensors[i].quantization.params;

		if (h->tensors[i].allocation_type != TFL_MMAP_RO)
			free(h->tensors[i].data);
		free(h->tensors[i].dims);
		free(q ? q->scale : NULL);
		free(q ? q->zero_point : NULL);
		free(q);
	}
	free(h->tensors);
	free(h->nodes);
	free(h->registrations);
	free(h->plan);
	tflite_free(&h->model);
	free(h->bytes);
	free(h);
}

/* ---- a life ---- */

int fake_host_apply(struct fake_host *h, struct tfl_delegate *delegate)
{
	return delegate->prepare(&h->context, delegate);
}

int fake_host_prepare(struct fake_host *h)
{
	for (int i = 0; i < h->plan->size; i++) {
		int n = h->plan->data[i], status;

		if (!h->nodes[n].delegate)
			continue;
		status = h->registrations[n].prepare(&h->context, &h->nodes[n]);
		if (status != TFL_OK)
			return status;
	}
	for (uint32_t i = 0; i < h->model.num_tensors; i++) {
		struct tfl_tensor *t = &h->tensors[i];
		const struct tfl_affine *q = t->quantization.params;
		bool new = !t->data;

		if (t->allocation_type == TFL_MMAP_RO || t->allocation_type == TFL_DYNAMIC)
			continue;
		t->data = realloc(t->data, t->bytes + 1);
		assert_non_null(t->data);
		if (new)
			memset(t->data, q && t->is_variable ? q->zero_point->data[0] : 0, t->bytes);
	}
	return TFL_OK;
}

int fake_host_invoke(struct fake_host *h)
{
	int status = TFL_OK;

	for (int i = 0; i < h->plan->size && status == TFL_OK; i++) {
		int n = h->plan->data[i];

		assert_non_null(h->nodes[n].delegate);
		status = h->registrations[n].invoke(&h->context, &h->nodes[n]);
	}
	return status;
}

int fake_host_left(const struct fake_host *h)
{
	int left = 0;

	for (int i = 0; i < h->plan->size; i++)
		left += !h->nodes[h->plan->data[i]].delegate;
	return left;
}

int fake_host_kernels(const struct fake_host *h)
{
	return h->plan->size - fake_host_left(h);
}

void fake_host_resize(struct fake_host *h, int32_t tensor, const int32_t *dims)
{
	struct tfl_tensor *t = &h->tensors[tensor];

	resize(&h->context, t, array_of(dims, (uint32_t)t->dims->size));
}
