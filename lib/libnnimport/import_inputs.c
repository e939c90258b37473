// SPDX-License-Identifier: Apache-2.0
/* The inputs of an operation: as they are, as real values, or in another quantization. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "importer.h"

int import_input(struct import *im, uint32_t i)
{
	const struct tflite_tensor *t = import_input_tensor(im, i);
	struct import_form form;
	int operand;

	if (!t)
		return import_failed(im, -EINVAL, "input %u is missing", i);
	if (!t->data && !t->variable && !im->tensors[im->op->inputs[i]].written)
		return import_failed(im, -EINVAL,
				     "it reads tensor %s, which no operation before it writes",
				     t->name);
	operand = im->real && import_is_quant8(t) ? import_real(im, i)
						  : import_operand(im, im->op->inputs[i]);
	if (operand < 0 || !im->num_groups)
		return operand;
	merged_by_groups(im, t, &form);
	return import_reshaped(im, operand, form.dims, form.rank);
}

int import_optional(struct import *im, uint32_t i, uint32_t type)
{
	int ret;

	if (import_input_tensor(im, i))
		return import_input(im, i);
	ret = nnmodel_add_operand(im->nn, type, NNMODEL_NO_VALUE, (const uint32_t[]){ 0 }, 1, 0, 0);
	return ret < 0 ? import_failed(im, ret, "out of memory") : ret;
}

int import_real(struct import *im, uint32_t i)
{
	struct tflite_tensor *t = import_input_tensor(im, i);
	struct import_tensor *state;
	struct import_form form;
	uint32_t opcode = NNMODEL_DEQUANTIZE;
	float *values;
	int from, ret;

	if (!t)
		return import_failed(im, -EINVAL, "input %u is missing", i);
	state = &im->tensors[im->op->inputs[i]];
	if (t->type == NNIMPORT_FLOAT32)
		return import_input(im, i);
	if (state->real >= 0)
		return state->real;
	form = (struct import_form){ .type = NNMODEL_TENSOR_FLOAT32,
				     .rank = t->rank ? t->rank : 1,
				     .dims = { 1 } };
	if (t->rank)
		memcpy(form.dims, t->dims, sizeof(form.dims));
	merged_form(&form);
	if (t->data && fold_has_real(t)) {
		values = fold_real(im->tfl, t);
		if (!values)
			return import_failed(im, -ENOMEM, "out of memory");
		ret = import_constant(im, &form, values, tflite_elements(t) * sizeof(*values));
		free(values);
		if (ret >= 0)
			state->real = ret;
		return ret;
	}
	if (t->type == NNIMPORT_FLOAT16)
		opcode = NNMODEL_CAST;
	else if (!import_is_quant8(t))
		return import_lacks(im, "input %u (tensor %s) is %s, which NNAPI cannot dequantize",
				    i, t->name, nnimport_type_name(t->type));
	if (!t->data && !t->variable && !state->written)
		return import_failed(im, -EINVAL,
				     "it reads tensor %s, which no operation before it writes",
				     t->name);
	from = import_operand(im, im->op->inputs[i]);
	ret = from < 0 ? from : import_temporary(im, &form);
	if (ret < 0)
		return ret;
	from = IMPORT_EMIT(im, opcode, ret, from);
	if (from)
		return from;
	state->real = ret;
	return ret;
}

int import_input_in(struct import *im, uint32_t i, float scale, int32_t zero_point)
{
	int operand = import_input(im, i), to, ret;
	struct import_form form = import_form_of(im, operand);
	int real;

	if (operand < 0 || !import_is_quant8(import_input_tensor(im, i)) || im->real ||
	    (form.scale == scale && form.zero_point == zero_point))
		return operand;
	real = import_real(im, i);
	form.scale = scale;
	form.zero_point = zero_point;
	to = import_temporary(im, &form);
	ret = IMPORT_EMIT(im, NNMODEL_QUANTIZE, to, real);
	return ret ? ret : to;
}
