// SPDX-License-Identifier: Apache-2.0
/* The operator that is being translated: its tensors, its options, and messages about it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

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
