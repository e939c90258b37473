// SPDX-License-Identifier: Apache-2.0
/*
 * The operator that is being translated: its tensors, its options, messages about it; and its
 * inputs: as they are, as real values, or in another quantization.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importer.h"
#include "tflite.h"

static void import_refuse(struct import *im, enum nnimport_verdict verdict, const char *fmt,
			  va_list ap)
{
	struct nnimport *r = im->result;
	int n = 0;

	if (r->verdict != NNIMPORT_OK)
		return;
	r->verdict = verdict;
	r->operation = im->position;
	if (im->op)
		n = snprintf(r->message, sizeof(r->message), "operation %u (%s): ", im->position,
			     tflite_operator_name(im->op));
	if (n >= 0 && (size_t)n < sizeof(r->message))
		vsnprintf(r->message + n, sizeof(r->message) - (size_t)n, fmt, ap);
}

int import_lacks(struct import *im, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	import_refuse(im, NNIMPORT_LACKS, fmt, ap);
	va_end(ap);
	return -EOPNOTSUPP;
}

int import_failed(struct import *im, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	import_refuse(im, NNIMPORT_FAILED, fmt, ap);
	va_end(ap);
	return err;
}

void import_note(struct import *im, const char *fmt, ...)
{
	struct nnimport *r = im->result;
	va_list ap;
	int n;

	if (r->note[0])
		return;
	n = snprintf(r->note, sizeof(r->note), "operation %u (%s): ", im->position,
		     tflite_operator_name(im->op));
	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < sizeof(r->note))
		vsnprintf(r->note + n, sizeof(r->note) - (size_t)n, fmt, ap);
	va_end(ap);
}

struct tflite_tensor *import_input_tensor(const struct import *im, uint32_t i)
{
	if (i >= im->op->num_inputs || im->op->inputs[i] < 0)
		return NULL;
	return &im->tfl->tensors[im->op->inputs[i]];
}

struct tflite_tensor *import_output_tensor(const struct import *im, uint32_t i)
{
	return i < im->op->num_outputs ? &im->tfl->tensors[im->op->outputs[i]] : NULL;
}

/* ---- options: fields of a table in a file, or the list of an operator of a graph ---- */

static const struct nnimport_graph_option *option_find(const struct import *im, unsigned int field)
{
	for (uint32_t i = 0; i < im->op->num_values; i++)
		if (im->op->values[i].field == field)
			return &im->op->values[i];
	return NULL;
}

int8_t import_option_byte(const struct import *im, unsigned int field, int8_t def)
{
	const struct nnimport_graph_option *o = option_find(im, field);

	if (!o)
		return fb_i8(&im->op->options, field, def);
	return o->integer < INT8_MIN || o->integer > INT8_MAX ? INT8_MAX : (int8_t)o->integer;
}

int32_t import_option_int(const struct import *im, unsigned int field, int32_t def)
{
	const struct nnimport_graph_option *o = option_find(im, field);

	return o ? o->integer : fb_i32(&im->op->options, field, def);
}

float import_option_float(const struct import *im, unsigned int field, float def)
{
	const struct nnimport_graph_option *o = option_find(im, field);

	return o ? o->real : fb_f32(&im->op->options, field, def);
}

/* ---- inputs ---- */

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
