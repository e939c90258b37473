// SPDX-License-Identifier: Apache-2.0
#include "import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operations.h"
#include "operator_names.h"

/* Mark the operations that a model output needs, from the last to the first. */
static uint32_t mark_needed(const struct tflite_model *tfl, bool *tensor, bool *op)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < tfl->num_outputs; i++)
		tensor[tfl->outputs[i]] = true;
	for (uint32_t i = tfl->num_operators; i-- > 0;) {
		const struct tflite_operator *o = &tfl->operators[i];

		for (uint32_t k = 0; k < o->num_outputs; k++)
			op[i] |= tensor[o->outputs[k]];
		for (uint32_t k = 0; op[i] && k < o->num_inputs; k++)
			if (o->inputs[k] >= 0)
				tensor[o->inputs[k]] = true;
		count += op[i];
	}
	return count;
}

static int import_io(struct import *im)
{
	const struct tflite_model *tfl = im->tfl;
	uint32_t *list = calloc(tfl->num_inputs + tfl->num_outputs + 1, sizeof(*list));
	int ret = 0;

	if (!list)
		return import_failed(im, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < tfl->num_inputs + tfl->num_outputs && ret >= 0; i++) {
		ret = import_operand(im, i < tfl->num_inputs ? tfl->inputs[i]
							     : tfl->outputs[i - tfl->num_inputs]);
		list[i] = (uint32_t)ret;
	}
	if (ret >= 0)
		ret = nnmodel_set_io(im->nn, list, tfl->num_inputs, list + tfl->num_inputs,
				     tfl->num_outputs);
	free(list);
	return ret < 0 ? import_failed(im, ret,
				       "NNAPI cannot express the inputs and outputs of the model")
		       : 0;
}

static int import_operations(struct import *im, const bool *needed)
{
	for (uint32_t i = 0; i < im->tfl->num_operators; i++) {
		const struct import_row *row;
		int ret;

		if (!needed[i])
			continue;
		im->op = &im->tfl->operators[i];
		im->position = i;
		row = import_row_find(im->op->opcode);
		if (!row)
			return import_lacks(im, "NNAPI has no such operation");
		if (!row->import) {
			im->result->verdict = NNIMPORT_UNSUPPORTED;
			im->result->operation = i;
			snprintf(im->result->message, sizeof(im->result->message),
				 "operation %u (%s): nnctl does not translate it", i,
				 tflite_operator_name(im->op));
			return -EOPNOTSUPP;
		}
		ret = row->import(im, row);
		/* Reads of scalar options are not checked one by one: ask once per operation. */
		if (!ret && im->tfl->fb.failed)
			ret = import_failed(im, -EINVAL, "offset %zu: %s", im->tfl->fb.error_offset,
					    im->tfl->fb.error);
		if (ret)
			return import_failed(im, ret, "out of memory");
	}
	im->op = NULL;
	return 0;
}

int tflite_import(const struct tflite_model *tfl, struct nnimport *result)
{
	struct import im = { .tfl = tfl, .result = result };
	bool *tensor = calloc(tfl->num_tensors + 1, sizeof(*tensor));
	bool *needed = calloc(tfl->num_operators + 1, sizeof(*needed));
	int ret;

	memset(result, 0, sizeof(*result));
	im.operands = calloc(tfl->num_tensors + 1, sizeof(*im.operands));
	im.nn = nnmodel_new();
	if (!tensor || !needed || !im.operands || !im.nn) {
		ret = import_failed(&im, -ENOMEM, "out of memory");
		goto out;
	}
	for (uint32_t i = 0; i < tfl->num_tensors; i++)
		im.operands[i] = -1;
	result->pruned = tfl->num_operators - mark_needed(tfl, tensor, needed);
	ret = import_operations(&im, needed);
	if (!ret)
		ret = import_io(&im);
out:
	if (ret)
		nnmodel_free(im.nn);
	else
		result->model = im.nn;
	free(im.operands);
	free(needed);
	free(tensor);
	return ret;
}
