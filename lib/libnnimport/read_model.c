// SPDX-License-Identifier: Apache-2.0
#include "tflite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importer.h"

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

int tflite_translate(struct tflite_model *tfl, struct nnimport *result)
{
	int ret = tflite_import(tfl, result);

	if (!ret && describe_arguments(tfl, result)) {
		nnimport_free(result);
		ret = tflite_refuse(result, -ENOMEM, "out of memory");
	}
	tflite_free(tfl);
	return ret;
}

int tflite_refuse(struct nnimport *result, int error, const char *reason)
{
	memset(result, 0, sizeof(*result));
	result->verdict = NNIMPORT_FAILED;
	snprintf(result->message, sizeof(result->message), "%s", reason);
	return error;
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
