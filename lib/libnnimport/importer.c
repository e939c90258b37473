// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operator_names.h"

static void refuse(struct import *im, enum nnimport_verdict verdict, const char *fmt, va_list ap)
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
	refuse(im, NNIMPORT_LACKS, fmt, ap);
	va_end(ap);
	return -EOPNOTSUPP;
}

int import_failed(struct import *im, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	refuse(im, NNIMPORT_FAILED, fmt, ap);
	va_end(ap);
	return err;
}

const struct tflite_tensor *import_input_tensor(const struct import *im, uint32_t i)
{
	if (i >= im->op->num_inputs || im->op->inputs[i] < 0)
		return NULL;
	return &im->tfl->tensors[im->op->inputs[i]];
}

const struct tflite_tensor *import_output_tensor(const struct import *im, uint32_t i)
{
	return i < im->op->num_outputs ? &im->tfl->tensors[im->op->outputs[i]] : NULL;
}

int import_check_counts(struct import *im, uint32_t min, uint32_t max, uint32_t outputs)
{
	if (im->op->num_inputs < min || im->op->num_inputs > max)
		return import_failed(im, -EINVAL, "it has %u inputs, which is not valid",
				     im->op->num_inputs);
	if (im->op->num_outputs != outputs)
		return import_failed(im, -EINVAL, "it has %u outputs, which is not valid",
				     im->op->num_outputs);
	for (uint32_t i = 0; i < min; i++)
		if (im->op->inputs[i] < 0)
			return import_failed(im, -EINVAL, "input %u is missing", i);
	/* Translations divide by extents. */
	for (uint32_t i = 0; i < im->op->num_inputs + outputs; i++) {
		const struct tflite_tensor *t =
			i < im->op->num_inputs ? import_input_tensor(im, i)
					       : import_output_tensor(im, i - im->op->num_inputs);

		for (uint32_t k = 0; t && k < t->rank; k++)
			if (!t->dims[k])
				return import_failed(im, -EINVAL, "dimension %u of tensor %s is 0",
						     k, t->name);
	}
	return 0;
}

uint32_t import_type(const struct tflite_tensor *t)
{
	switch (t->type) {
	case NNIMPORT_FLOAT32:
		return NNMODEL_TENSOR_FLOAT32;
	case NNIMPORT_FLOAT16:
		return NNMODEL_TENSOR_FLOAT16;
	case NNIMPORT_INT32:
		return NNMODEL_TENSOR_INT32;
	case NNIMPORT_UINT8:
		return NNMODEL_TENSOR_QUANT8_ASYMM;
	case NNIMPORT_INT8:
		return t->num_scales > 1 ? NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL
					 : NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED;
	case NNIMPORT_BOOL:
		return NNMODEL_TENSOR_BOOL8;
	case NNIMPORT_INT16:
		return t->num_scales ? NNMODEL_TENSOR_QUANT16_SYMM : UINT32_MAX;
	default:
		return UINT32_MAX;
	}
}

static bool is_quantized(uint32_t type)
{
	return type == NNMODEL_TENSOR_QUANT8_ASYMM || type == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED ||
	       type == NNMODEL_TENSOR_QUANT16_SYMM;
}

/* Per-channel scales of an operand that was just added. */
static int set_channel_scales(struct import *im, int operand, const struct tflite_tensor *t)
{
	float *scales = calloc(t->num_scales, sizeof(*scales));
	int ret;

	if (!scales)
		return import_failed(im, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < t->num_scales; i++) {
		scales[i] = tflite_scale(im->tfl, t, i);
		if (tflite_zero_point(im->tfl, t, i)) {
			free(scales);
			return import_lacks(im, "tensor %s has per-channel zero points", t->name);
		}
		/*
		 * A channel whose weights are all zero may have scale 0; any scale gives the same.
		 */
		if (scales[i] == 0.0f)
			scales[i] = 1.0f;
	}
	ret = nnmodel_set_channel_quant(im->nn, (uint32_t)operand, (uint32_t)t->quantized_dimension,
					scales, t->num_scales);
	free(scales);
	return ret < 0 ? import_failed(im, ret, "out of memory") : 0;
}

static int new_operand(struct import *im, const struct tflite_tensor *t, float scale,
		       bool with_scale)
{
	uint32_t type = import_type(t), dims[NNIMPORT_MAX_RANK] = { 1 };
	int64_t zero_point = 0;
	void *zeros;
	int ret, err;

	if (type == UINT32_MAX)
		return import_lacks(im, "NNAPI has no operand type for tensor %s of type %s",
				    t->name, nnimport_type_name(t->type));
	if (!with_scale) {
		scale = 0;
		if (t->num_scales == 1 && type != NNMODEL_TENSOR_FLOAT32 &&
		    type != NNMODEL_TENSOR_FLOAT16 && type != NNMODEL_TENSOR_BOOL8) {
			scale = tflite_scale(im->tfl, t, 0);
			zero_point = tflite_zero_point(im->tfl, t, 0);
		}
		/* Plain bytes: NNAPI's quantized types need a scale; 1 keeps the numbers. */
		if (is_quantized(type) && scale == 0.0f)
			scale = 1.0f;
	}
	if (zero_point < INT32_MIN || zero_point > INT32_MAX)
		return import_failed(im, -EINVAL, "tensor %s has zero point %lld", t->name,
				     (long long)zero_point);
	for (uint32_t i = 0; i < t->rank; i++)
		dims[i] = (uint32_t)t->dims[i];
	ret = nnmodel_add_operand(im->nn, type, NNMODEL_TEMPORARY_VARIABLE, dims,
				  t->rank ? t->rank : 1, scale, (int32_t)zero_point);
	if (ret < 0)
		return import_failed(im, ret, "out of memory");
	if (type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
		err = set_channel_scales(im, ret, t);
		if (err)
			return err;
	}
	if (!t->data && !t->variable)
		return ret;
	if (t->data) {
		err = nnmodel_set_value(im->nn, (uint32_t)ret, t->data, t->size);
	} else {
		zeros = calloc(1, t->size ? t->size : 1);
		err = zeros ? nnmodel_set_value(im->nn, (uint32_t)ret, zeros, t->size) : -ENOMEM;
		free(zeros);
	}
	return err < 0 ? import_failed(im, err, "out of memory") : ret;
}

int import_operand(struct import *im, int32_t tensor)
{
	int ret;

	if (im->operands[tensor] >= 0)
		return im->operands[tensor];
	ret = new_operand(im, &im->tfl->tensors[tensor], 0, false);
	if (ret >= 0)
		im->operands[tensor] = ret;
	return ret;
}

int import_input(struct import *im, uint32_t i)
{
	if (!import_input_tensor(im, i))
		return import_failed(im, -EINVAL, "input %u is missing", i);
	return import_operand(im, im->op->inputs[i]);
}

int import_output(struct import *im, uint32_t i)
{
	if (!import_output_tensor(im, i))
		return import_failed(im, -EINVAL, "output %u is missing", i);
	return import_operand(im, im->op->outputs[i]);
}

int import_optional(struct import *im, uint32_t i, uint32_t type)
{
	int ret;

	if (import_input_tensor(im, i))
		return import_input(im, i);
	ret = nnmodel_add_operand(im->nn, type, NNMODEL_NO_VALUE, (const uint32_t[]){ 0 }, 1, 0, 0);
	return ret < 0 ? import_failed(im, ret, "out of memory") : ret;
}

int import_temporary(struct import *im, uint32_t type, const int32_t *dims, uint32_t rank,
		     float scale, int32_t zero_point)
{
	uint32_t udims[NNIMPORT_MAX_RANK] = { 1 };
	int ret;

	for (uint32_t i = 0; i < rank && i < NNIMPORT_MAX_RANK; i++)
		udims[i] = (uint32_t)dims[i];
	ret = nnmodel_add_operand(im->nn, type, NNMODEL_TEMPORARY_VARIABLE, udims, rank ? rank : 1,
				  scale, zero_point);
	return ret < 0 ? import_failed(im, ret, "out of memory") : ret;
}

int import_int32_tensor(struct import *im, const int32_t *values, uint32_t count)
{
	int ret = nnmodel_add_operand(im->nn, NNMODEL_TENSOR_INT32, NNMODEL_TEMPORARY_VARIABLE,
				      &count, 1, 0, 0);
	int err;

	if (ret < 0)
		return import_failed(im, ret, "out of memory");
	err = nnmodel_set_value(im->nn, (uint32_t)ret, values, count * sizeof(*values));
	return err < 0 ? import_failed(im, err, "out of memory") : ret;
}

/*
 * NNAPI needs the bias scale to be the product of input and filter scale within 1e-6. Converters
 * store a rounded product: the exact one is used when the difference is within the tolerance of
 * TFLite (2 % of an output step).
 */
int import_bias(struct import *im, uint32_t units)
{
	const struct tflite_tensor *in = import_input_tensor(im, 0),
				   *filter = import_input_tensor(im, 1);
	const struct tflite_tensor *bias = import_input_tensor(im, 2);
	bool quantized = is_quantized(import_type(in));
	struct tflite_tensor zeros = { .rank = 1, .dims = { (int32_t)units } };
	float scale = 0;

	if (quantized && in->num_scales == 1 && filter->num_scales == 1)
		scale = tflite_scale(im->tfl, in, 0) * tflite_scale(im->tfl, filter, 0);
	if (!bias) {
		zeros.type = quantized ? NNIMPORT_INT32 : in->type;
		zeros.size = units * nnimport_type_size(zeros.type);
		zeros.variable = true;
		snprintf(zeros.name, sizeof(zeros.name), "(no bias)");
		return new_operand(im, &zeros, scale, true);
	}
	if (!quantized)
		return import_operand(im, im->op->inputs[2]);
	if (bias->num_scales == 1 && scale > 0) {
		float stored = tflite_scale(im->tfl, bias, 0);

		if (fabsf(stored - scale) > 0.01f * scale)
			return import_lacks(
				im, "bias scale %g is not input scale times filter scale %g",
				stored, scale);
	}
	return new_operand(im, bias, scale, true);
}

int import_float_for(struct import *im, const struct tflite_tensor *t, float value)
{
	_Float16 half = (_Float16)value;
	int ret, err;

	if (t->type != NNIMPORT_FLOAT16)
		return nnmodel_add_float32(im->nn, value);
	ret = nnmodel_add_operand(im->nn, NNMODEL_FLOAT16, NNMODEL_TEMPORARY_VARIABLE, NULL, 0, 0,
				  0);
	if (ret < 0)
		return ret;
	err = nnmodel_set_value(im->nn, (uint32_t)ret, &half, sizeof(half));
	return err < 0 ? err : ret;
}

int import_constant_ints(struct import *im, uint32_t i, int32_t *values, uint32_t max)
{
	const struct tflite_tensor *t = import_input_tensor(im, i);

	if (!t || !t->data || t->type != NNIMPORT_INT32 || t->size > max * sizeof(*values))
		return import_lacks(im, "input %u must be a constant INT32 tensor", i);
	memcpy(values, t->data, t->size);
	return (int)(t->size / sizeof(*values));
}

int import_activation(struct import *im, unsigned int field)
{
	int8_t act = fb_i8(&im->op->options, field, 0);

	/* NONE, RELU, RELU_N1_TO_1 and RELU6 have NNAPI's numbers. */
	if (act < 0 || act > 3)
		return import_lacks(im, "NNAPI has no fused activation %d", act);
	return nnmodel_add_int32(im->nn, act);
}

int import_padding(struct import *im, unsigned int field)
{
	int8_t padding = fb_i8(&im->op->options, field, 0);

	if (padding != 0 && padding != 1)
		return import_failed(im, -EINVAL, "unknown padding code %d", padding);
	return nnmodel_add_int32(im->nn, padding ? NNMODEL_PADDING_VALID : NNMODEL_PADDING_SAME);
}

int import_emit(struct import *im, uint32_t opcode, const int *inputs, uint32_t num_inputs,
		const int *outputs, uint32_t num_outputs)
{
	uint32_t *in = calloc(num_inputs + num_outputs, sizeof(*in)), *out;
	int ret = 0;

	if (!in)
		return import_failed(im, -ENOMEM, "out of memory");
	out = in + num_inputs;
	for (uint32_t i = 0; i < num_inputs && !ret; i++) {
		in[i] = (uint32_t)inputs[i];
		ret = inputs[i] < 0 ? inputs[i] : 0;
	}
	for (uint32_t i = 0; i < num_outputs && !ret; i++) {
		out[i] = (uint32_t)outputs[i];
		ret = outputs[i] < 0 ? outputs[i] : 0;
	}
	if (!ret)
		ret = nnmodel_add_operation(im->nn, opcode, in, num_inputs, out, num_outputs);
	free(in);
	/* Failed helpers have set a message; this one is kept only when there is none. */
	return ret < 0 ? import_failed(im, ret, "out of memory") : 0;
}

int32_t import_axis(int32_t axis, uint32_t rank)
{
	return axis < 0 ? axis + (int32_t)rank : axis;
}
