// SPDX-License-Identifier: Apache-2.0
/* Models that are read: files, and graphs of a client in memory. */
#include "tflite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importer.h"
#include "nnimport_graph.h"
#include "nnutil_text.h"

static void describe_tensor(const struct tflite_model *tfl, int32_t number,
			    struct nnimport_tensor *out)
{
	const struct tflite_tensor *t = &tfl->tensors[number];

	memcpy(out->name, t->name, sizeof(out->name));
	out->number = (uint32_t)number;
	out->type = t->type;
	out->rank = t->rank;
	memcpy(out->dims, t->dims, sizeof(out->dims));
	if (t->num_scales == 1) {
		out->scale = tflite_scale(tfl, t, 0);
		out->zero_point = (int32_t)tflite_zero_point(tfl, t, 0);
	}
	out->size = out->operand_size = t->size;
	out->operand_type = t->type;
	if (t->type == NNIMPORT_INT64) {
		out->operand_type = NNIMPORT_INT32;
		out->operand_size = t->size / 2;
	}
}

static int describe_arguments(const struct tflite_model *tfl, struct nnimport *result)
{
	result->inputs = calloc(tfl->num_inputs + 1, sizeof(*result->inputs));
	result->outputs = calloc(tfl->num_outputs + 1, sizeof(*result->outputs));
	if (!result->inputs || !result->outputs)
		return -ENOMEM;
	result->num_inputs = tfl->num_inputs;
	result->num_outputs = tfl->num_outputs;
	for (uint32_t i = 0; i < tfl->num_inputs; i++)
		describe_tensor(tfl, tfl->inputs[i], &result->inputs[i]);
	for (uint32_t i = 0; i < tfl->num_outputs; i++)
		describe_tensor(tfl, tfl->outputs[i], &result->outputs[i]);
	return 0;
}

/* The result of what is inconsistent before any translation. Returns @error. */
static int tflite_refuse(struct nnimport *result, int error, const char *reason)
{
	memset(result, 0, sizeof(*result));
	result->verdict = NNIMPORT_FAILED;
	snprintf(result->message, sizeof(result->message), "%s", reason);
	return error;
}

/* Translate @tfl into @result, with its lists, and free @tfl in any case. As nnimport_read(). */
static int tflite_translate(struct tflite_model *tfl, struct nnimport *result)
{
	int ret = tflite_import(tfl, result);

	if (!ret && describe_arguments(tfl, result)) {
		nnimport_free(result);
		ret = tflite_refuse(result, -ENOMEM, "out of memory");
	}
	tflite_free(tfl);
	return ret;
}

int nnimport_read(const void *bytes, size_t size, struct nnimport *result)
{
	struct tflite_model tfl;
	char error[160];
	int ret = tflite_parse(bytes, size, &tfl, error, sizeof(error));

	return ret ? tflite_refuse(result, ret, error) : tflite_translate(&tfl, result);
}

void nnimport_free(struct nnimport *result)
{
	nnmodel_free(result->model);
	free(result->inputs);
	free(result->outputs);
	free(result->states);
	free(result->origins);
	memset(result, 0, sizeof(*result));
}

static void graph_copy_name(char *to, size_t size, const char *name)
{
	nnutil_text_copy(to, size, name ? name : "", name ? strnlen(name, size) : 0);
}

static bool read_tensor(struct tflite_model *model, const struct nnimport_graph_tensor *from,
			struct tflite_tensor *to)
{
	graph_copy_name(to->name, sizeof(to->name), from->name);
	to->type = from->type;
	to->variable = from->variable;
	to->rank = from->rank;
	for (uint32_t i = 0; i < from->rank && i < NNIMPORT_MAX_RANK; i++)
		to->dims[i] = from->dims[i];
	if (!tflite_check_type(&model->fb, 0, to) ||
	    !tflite_check_shape(&model->fb, 0, from->has_rank, to))
		return false;
	if (from->num_scales) {
		to->scale.count = from->num_scales;
		to->scales = from->scales;
		to->zero_point.count = from->num_zero_points;
		to->zero_points = from->num_zero_points ? from->zero_points : NULL;
		to->quantized_dimension = from->quantized_dimension;
		if (!tflite_check_quantization(model, to))
			return false;
	}
	return !from->data || !from->size ||
	       tflite_set_contents(model, 0, from->data, from->size, to);
}

/* NULL: no memory, or a failure in model->fb. */
static int32_t *read_list(struct tflite_model *model, const int32_t *list, uint32_t count,
			  bool optional, const char *what)
{
	int32_t *copy = calloc((size_t)count + 1, sizeof(*copy));

	if (copy && count)
		memcpy(copy, list, count * sizeof(*copy));
	if (copy &&
	    tflite_check_list(&model->fb, 0, copy, count, model->num_tensors, optional, what))
		return copy;
	free(copy);
	return NULL;
}

static bool read_operator(struct tflite_model *model, const struct nnimport_graph_operator *from,
			  struct tflite_operator *to)
{
	to->opcode = from->opcode;
	graph_copy_name(to->custom, sizeof(to->custom), from->custom);
	to->values = from->options;
	to->num_values = from->num_options;
	to->num_inputs = from->num_inputs;
	to->num_outputs = from->num_outputs;
	to->inputs = read_list(model, from->inputs, from->num_inputs, true, "operation input");
	if (to->inputs)
		to->outputs = read_list(model, from->outputs, from->num_outputs, false,
					"operation output");
	return to->inputs && to->outputs;
}

/* The least size of a file of the same contents: it bounds the constants that are made of it. */
static size_t graph_size(const struct nnimport_graph *graph)
{
	size_t size = sizeof(*graph->tensors) * graph->num_tensors +
		      sizeof(*graph->operators) * graph->num_operators;

	for (uint32_t i = 0; i < graph->num_tensors; i++)
		size += graph->tensors[i].data ? graph->tensors[i].size : 0;
	return size;
}

static bool read_graph(const struct nnimport_graph *graph, struct tflite_model *model)
{
	model->tensors = calloc((size_t)graph->num_tensors + 1, sizeof(*model->tensors));
	model->operators = calloc((size_t)graph->num_operators + 1, sizeof(*model->operators));
	if (!model->tensors || !model->operators)
		return false;
	model->num_tensors = graph->num_tensors;
	for (uint32_t i = 0; i < graph->num_tensors; i++)
		if (!read_tensor(model, &graph->tensors[i], &model->tensors[i]))
			return false;
	model->num_operators = graph->num_operators;
	for (uint32_t i = 0; i < graph->num_operators; i++)
		if (!read_operator(model, &graph->operators[i], &model->operators[i]))
			return false;
	model->num_inputs = graph->num_inputs;
	model->num_outputs = graph->num_outputs;
	model->inputs = read_list(model, graph->inputs, graph->num_inputs, false, "model input");
	if (model->inputs)
		model->outputs =
			read_list(model, graph->outputs, graph->num_outputs, false, "model output");
	return model->inputs && model->outputs;
}

int nnimport_read_graph(const struct nnimport_graph *graph, struct nnimport *result)
{
	struct tflite_model model = { .num_tensors = 0 };
	int ret;

	fb_init(&model.fb, NULL, graph_size(graph));
	if (read_graph(graph, &model))
		return tflite_translate(&model, result);
	ret = model.fb.failed ? tflite_refuse(result, -EINVAL, model.fb.error)
			      : tflite_refuse(result, -ENOMEM, "out of memory");
	tflite_free(&model);
	return ret;
}
