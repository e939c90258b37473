// SPDX-License-Identifier: Apache-2.0
#include "capture/nnctl_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_text.h"

/* Negative: a file's tensor has no such type. */
static int file_type(uint32_t type)
{
	switch (type) {
	case NNMODEL_FLOAT32:
	case NNMODEL_TENSOR_FLOAT32:
		return NNIMPORT_FLOAT32;
	case NNMODEL_FLOAT16:
	case NNMODEL_TENSOR_FLOAT16:
		return NNIMPORT_FLOAT16;
	case NNMODEL_INT32:
	case NNMODEL_TENSOR_INT32:
		return NNIMPORT_INT32;
	case NNMODEL_BOOL:
	case NNMODEL_TENSOR_BOOL8:
		return NNIMPORT_BOOL;
	case NNMODEL_TENSOR_QUANT8_ASYMM:
		return NNIMPORT_UINT8;
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNMODEL_TENSOR_QUANT8_SYMM:
		return NNIMPORT_INT8;
	case NNMODEL_TENSOR_QUANT16_SYMM:
		return NNIMPORT_INT16;
	default:
		return -1;
	}
}

bool operand_tensor(const struct nnmodel_operand *operand, struct nnimport_tensor *tensor)
{
	uint64_t bytes;

	*tensor = (struct nnimport_tensor){ .type = file_type(operand->type),
					    .rank = operand->rank,
					    .scale = operand->scale,
					    .zero_point = operand->zero_point };
	if (tensor->type < 0 || operand->rank > NNIMPORT_MAX_RANK ||
	    (!operand->rank && !nnmodel_type_is_scalar(operand->type)) ||
	    nnmodel_operand_bytes(operand, &bytes) || !bytes)
		return false;
	for (uint32_t i = 0; i < operand->rank; i++)
		tensor->dims[i] = (int32_t)operand->dims[i];
	tensor->operand_type = tensor->type;
	tensor->size = tensor->operand_size = (size_t)bytes;
	return true;
}

static const struct nnt_example *capture_example(const struct nnt *n)
{
	return &n->examples[0];
}

const void *capture_input(const struct nnt *n, uint32_t i)
{
	return nnt_data(n, nnt_input(n, capture_example(n), i));
}

const void *capture_output(const struct nnt *n, uint32_t i)
{
	return nnt_data(n, nnt_output(n, capture_example(n), i));
}

bool capture_failed(const struct nnt *n)
{
	return capture_example(n)->flags & NNT_EXPECT_FAILURE;
}

static uint64_t halves(const uint32_t *words)
{
	return words[0] | (uint64_t)words[1] << 32;
}

struct nncapture_limits capture_limits(const struct nnt *n)
{
	const struct nnt_example *ex = capture_example(n);

	if (!(ex->flags & NNT_LIMITS))
		return (struct nncapture_limits){ 0 };
	return (struct nncapture_limits){ halves(ex->limits), halves(ex->limits + 2) };
}

void capture_origin(const struct nnt *n, char *text, size_t size)
{
	const uint32_t at = n->header->source_rev;
	const char *origin = at < n->header->sec[NNT_STRINGS].count ? n->strings + at : "";

	nnutil_text_copy(text, size, origin, strlen(origin));
}

/* The reason, or NULL. @optional: it may have no value. */
static const char *tensor_read(const struct nnt *n, const struct nnt_operand *from,
			       const struct nnmodel_operand *operand, bool optional,
			       struct nnimport_tensor *tensor)
{
	const char *name = nnt_string(n, from->name);

	if (!operand_tensor(operand, tensor))
		return "has an unknown shape, or a type that no model file has";
	nnutil_text_copy(tensor->name, sizeof(tensor->name), name, strlen(name));
	if (from->data_size == tensor->size || (optional && !from->data_size))
		return NULL;
	return from->data_size ? "has a value of another size" : "has no value";
}

static int tensors_refuse(struct nnimport *import, const char *kind, uint32_t number,
			  const char *why)
{
	snprintf(import->message, sizeof(import->message), "%s %u %s", kind, number, why);
	return -1;
}

static int tensors_read(const struct nnt *n, struct nnimport *import)
{
	const struct nnmodel_subgraph *main = &import->model->main;
	const struct nnt_example *ex = capture_example(n);
	const char *why;

	import->inputs = calloc((size_t)main->num_inputs + 1, sizeof(*import->inputs));
	import->outputs = calloc((size_t)main->num_outputs + 1, sizeof(*import->outputs));
	if (!import->inputs || !import->outputs) {
		snprintf(import->message, sizeof(import->message), "out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < main->num_inputs; i++) {
		why = tensor_read(n, nnt_input(n, ex, i), &main->operands[main->inputs[i]], false,
				  &import->inputs[i]);
		if (why)
			return tensors_refuse(import, "input", i, why);
		import->num_inputs++;
	}
	for (uint32_t i = 0; i < main->num_outputs; i++) {
		why = tensor_read(n, nnt_output(n, ex, i), &main->operands[main->outputs[i]],
				  capture_failed(n), &import->outputs[i]);
		if (why)
			return tensors_refuse(import, "output", i, why);
		import->num_outputs++;
	}
	return 0;
}

/* No operator of a file is behind an operation. */
static int origins_make(struct nnimport *import)
{
	const uint32_t count = import->model->main.num_operations;

	import->origins = calloc((size_t)count + 1, sizeof(*import->origins));
	if (!import->origins) {
		snprintf(import->message, sizeof(import->message), "out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < count; i++)
		import->origins[i] = (struct nnimport_origin){ NNIMPORT_NO_OPERATOR, "" };
	import->num_origins = count;
	return 0;
}

static int model_read(const struct nnt *n, struct nnimport *import)
{
	struct nnmodel_error error = NNMODEL_ERROR_INIT;

	if (n->num_examples != 1) {
		snprintf(
			import->message, sizeof(import->message),
			"the file has %u examples, a capture has one; nnctl verify runs all of a folder",
			n->num_examples);
		return -1;
	}
	import->model = nnt_model(n, capture_example(n));
	if (!import->model) {
		snprintf(import->message, sizeof(import->message),
			 "the constants do not fit into memory");
		return -1;
	}
	if (nnmodel_validate(import->model, NULL, &error)) {
		snprintf(import->message, sizeof(import->message), "the model is invalid: %s",
			 error.text);
		return -1;
	}
	return origins_make(import) ? -1 : tensors_read(n, import);
}

int capture_read(void *bytes, size_t size, struct nnt *n, struct nnimport *import)
{
	char error[160];
	int ret;

	memset(import, 0, sizeof(*import));
	ret = nnt_take(n, bytes, size, error, sizeof(error));
	if (ret)
		snprintf(import->message, sizeof(import->message), "%s", error);
	else
		ret = model_read(n, import);
	if (ret)
		import->verdict = NNIMPORT_FAILED;
	return ret;
}
