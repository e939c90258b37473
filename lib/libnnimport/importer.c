// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_file.h"

/* Scales that converters round differently: over 256 steps less than a hundredth of a step. */
#define SCALE_NOISE 1e-5f

static bool is_unread(const struct import *im, uint32_t i)
{
	return i < 32 && im->row->unread >> i & 1;
}

int import_check_counts(struct import *im, uint32_t min, uint32_t max, uint32_t outputs)
{
	if (im->op->num_inputs < min || im->op->num_inputs > max)
		return import_failed(im, -EINVAL, "it has %u inputs, must have %u to %u",
				     im->op->num_inputs, min, max);
	if (im->op->num_outputs != outputs)
		return import_failed(im, -EINVAL, "it has %u outputs, must have %u",
				     im->op->num_outputs, outputs);
	for (uint32_t i = 0; i < min; i++)
		if (im->op->inputs[i] < 0)
			return import_failed(im, -EINVAL, "input %u is missing", i);
	/* Translations divide by extents. */
	for (uint32_t i = 0; i < im->op->num_inputs + outputs; i++) {
		const struct tflite_tensor *t =
			i < im->op->num_inputs ? import_input_tensor(im, i)
					       : import_output_tensor(im, i - im->op->num_inputs);

		if (i < im->op->num_inputs && is_unread(im, i))
			continue;
		for (uint32_t k = 0; t && k < t->rank; k++)
			if (!t->dims[k])
				return import_lacks(
					im,
					"tensor %s has no elements (dimension %u is 0): NNAPI has no empty tensors; give the dimension a size",
					t->name, k);
	}
	return 0;
}

int import_check_list(struct import *im)
{
	uint32_t n = im->op->num_inputs;

	return import_check_counts(im, n ? n : 1, UINT32_MAX, 1);
}

bool import_is_quant8(const struct tflite_tensor *t)
{
	return t->type == NNIMPORT_UINT8 || t->type == NNIMPORT_INT8;
}

static uint32_t type_of(const struct import *im, const struct tflite_tensor *t)
{
	switch (t->type) {
	case NNIMPORT_FLOAT32:
		return NNMODEL_TENSOR_FLOAT32;
	case NNIMPORT_FLOAT16:
		return NNMODEL_TENSOR_FLOAT16;
	case NNIMPORT_INT32:
		return NNMODEL_TENSOR_INT32;
	case NNIMPORT_INT64:
		return im->tensors[t - im->tfl->tensors].narrow ? NNMODEL_TENSOR_INT32 : UINT32_MAX;
	case NNIMPORT_UINT8:
		return NNMODEL_TENSOR_QUANT8_ASYMM;
	case NNIMPORT_INT8:
		return t->num_scales > 1 ? NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL
					 : NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED;
	case NNIMPORT_BOOL:
		return NNMODEL_TENSOR_BOOL8;
	default:
		return UINT32_MAX;
	}
}

uint32_t import_type(const struct import *im, const struct tflite_tensor *t)
{
	return im->real && import_is_quant8(t) ? NNMODEL_TENSOR_FLOAT32 : type_of(im, t);
}

/* Of operands: types whose values depend on scale and zero point. */
static bool is_scaled(uint32_t type)
{
	return type == NNMODEL_TENSOR_QUANT8_ASYMM || type == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED;
}

/* The form of a tensor as it is in the file. */
static int tensor_form(struct import *im, const struct tflite_tensor *t, struct import_form *form)
{
	int64_t zero_point = 0;

	*form = (struct import_form){ .type = type_of(im, t),
				      .rank = t->rank ? t->rank : 1,
				      .dims = { 1 } };
	if (form->type == UINT32_MAX)
		return import_lacks(im, "tensor %s is %s: NNAPI has no such operand%s", t->name,
				    nnimport_type_name(t->type),
				    t->type == NNIMPORT_INT64
					    ? "; convert the model with INT32 there"
				    : t->type == NNIMPORT_INT16
					    ? "; quantize activations to 8 bits, or not at all"
					    : "");
	if (t->num_scales > 1 && (is_scaled(form->type) || (!t->data && t->type == NNIMPORT_INT8)))
		return import_lacks(
			im,
			"tensor %s is %s with %u scales: NNAPI has scales per channel for INT8 constants only",
			t->name, nnimport_type_name(t->type), t->num_scales);
	for (uint32_t i = 0; i < t->rank; i++)
		form->dims[i] = t->dims[i];
	if (t->num_scales == 1 && is_scaled(form->type)) {
		form->scale = tflite_scale(im->tfl, t, 0);
		zero_point = tflite_zero_point(im->tfl, t, 0);
	}
	/* Plain bytes: NNAPI's quantized types need a scale; 1 keeps the numbers. */
	if (is_scaled(form->type) && form->scale == 0.0f)
		form->scale = 1.0f;
	if (zero_point < INT32_MIN || zero_point > INT32_MAX)
		return import_failed(im, -EINVAL, "tensor %s has zero point %lld", t->name,
				     (long long)zero_point);
	form->zero_point = (int32_t)zero_point;
	if (form->type != NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL)
		merged_form(form);
	return 0;
}

struct import_form import_form_of(const struct import *im, int operand)
{
	const struct nnmodel_operand *o;
	struct import_form form = { 0 };

	/* of a helper that failed: it has set the message */
	if (operand < 0)
		return form;
	o = &im->nn->main.operands[operand];
	form = (struct import_form){
		.type = o->type, .rank = o->rank, .scale = o->scale, .zero_point = o->zero_point
	};
	for (uint32_t i = 0; i < o->rank && i < NNIMPORT_MAX_RANK; i++)
		form.dims[i] = (int32_t)o->dims[i];
	return form;
}

int import_temporary(struct import *im, const struct import_form *form)
{
	uint32_t dims[NNIMPORT_MAX_RANK];
	int ret;

	for (uint32_t i = 0; i < form->rank; i++)
		dims[i] = (uint32_t)form->dims[i];
	ret = nnmodel_add_operand(im->nn, form->type, NNMODEL_TEMPORARY_VARIABLE, dims, form->rank,
				  form->scale, form->zero_point);
	return ret < 0 ? import_failed(im, ret, "out of memory") : ret;
}

int import_may_make(struct import *im, size_t bytes)
{
	return tflite_may_make(im->tfl, bytes)
		       ? 0
		       : import_failed(
				 im, -EINVAL,
				 "its constants need more memory than a file of %zu bytes may take",
				 im->tfl->fb.size);
}

int import_constant(struct import *im, const struct import_form *form, const void *data,
		    size_t size)
{
	int ret, err;

	ret = import_may_make(im, size);
	if (ret)
		return ret;
	ret = import_temporary(im, form);
	if (ret < 0)
		return ret;
	/* the models of other subgraphs move into that of the first one */
	err = im->depth ? nnmodel_set_value(im->nn, (uint32_t)ret, data, size)
			: nnmodel_set_value_in_file(im->nn, &im->file, (uint32_t)ret, data, size);
	return err < 0 ? import_failed(im, err, "out of memory") : ret;
}

int import_read_constant(struct import *im, int operand, size_t offset, void *data, size_t size)
{
	const struct nnmodel_operand *o = &im->nn->main.operands[operand];
	const uint64_t at = o->location.offset + offset;

	if (o->lifetime == NNMODEL_CONSTANT_COPY) {
		memcpy(data, im->nn->values + at, size);
		return 0;
	}
	if (nnutil_pread_all(im->nn->pools[o->location.pool].fd, data, size, (off_t)at))
		return import_failed(im, -EIO, "its constants cannot be read again");
	return 0;
}

bool import_is_constant(const struct import *im, int operand)
{
	const enum nnmodel_lifetime lifetime = im->nn->main.operands[operand].lifetime;

	return lifetime == NNMODEL_CONSTANT_COPY || lifetime == NNMODEL_CONSTANT_REFERENCE;
}

/* Per-channel scales of an operand that was just added. Channels of scale 0: layers.c. */
static int set_channel_scales(struct import *im, int operand, const struct tflite_tensor *t)
{
	float *scales = calloc(t->num_scales, sizeof(*scales));
	int ret;

	if (!scales)
		return import_failed(im, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < t->num_scales; i++) {
		scales[i] = tflite_scale(im->tfl, t, i);
		if (scales[i] == 0.0f)
			scales[i] = 1.0f;
		/* TFLite's kernels do not read them either. */
		if (tflite_zero_point(im->tfl, t, i))
			import_note(
				im,
				"tensor %s: zero point %lld of channel %u is taken as 0, as TFLite does",
				t->name, (long long)tflite_zero_point(im->tfl, t, i), i);
	}
	ret = nnmodel_set_channel_quant(im->nn, (uint32_t)operand, (uint32_t)t->quantized_dimension,
					scales, t->num_scales);
	free(scales);
	return ret < 0 ? import_failed(im, ret, "out of memory") : 0;
}

/* The operand of a constant. */
static int constant_operand(struct import *im, const struct tflite_tensor *t,
			    const struct import_form *form)
{
	int32_t *ints;
	int ret;

	if (t->type == NNIMPORT_INT64) {
		ints = fold_narrow(t);
		if (!ints)
			return import_failed(im, -ENOMEM, "out of memory");
		ret = import_constant(im, form, ints, tflite_elements(t) * sizeof(*ints));
		free(ints);
		return ret;
	}
	ret = import_constant(im, form, t->data, t->size);
	if (ret >= 0 && form->type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL &&
	    set_channel_scales(im, ret, t))
		return -ENOMEM;
	return ret;
}

int import_operand(struct import *im, int32_t tensor)
{
	struct import_tensor *state = &im->tensors[tensor];
	const struct tflite_tensor *t = &im->tfl->tensors[tensor];
	struct import_form form;
	int ret;

	if (state->operand >= 0)
		return state->operand;
	if (t->data && t->type == NNIMPORT_INT64)
		state->narrow = fold_is_narrow(t);
	ret = tensor_form(im, t, &form);
	if (ret)
		return ret;
	if (t->data)
		ret = constant_operand(im, t, &form);
	else if (!form.dims[0] || !t->size)
		ret = import_lacks(im, "tensor %s has no elements: NNAPI has no empty tensors",
				   t->name);
	else
		ret = import_temporary(im, &form);
	if (ret >= 0)
		state->operand = ret;
	if (ret >= 0 && t->variable)
		state->first = ret;
	return ret;
}

/* The shape of all inputs, broadcast. */
static int importer_broadcast(struct import *im, struct import_form *form)
{
	form->rank = 1;
	form->dims[0] = 1;
	for (uint32_t i = 0; i < im->op->num_inputs; i++) {
		const struct tflite_tensor *t = import_input_tensor(im, i);
		uint32_t grow;

		if (!t || is_unread(im, i))
			continue;
		grow = t->rank > form->rank ? t->rank - form->rank : 0;
		memmove(form->dims + grow, form->dims, form->rank * sizeof(*form->dims));
		for (uint32_t k = 0; k < grow; k++)
			form->dims[k] = 1;
		form->rank += grow;
		for (uint32_t k = 0; k < t->rank; k++) {
			int32_t *dim = &form->dims[form->rank - t->rank + k];

			if (t->dims[k] != 1 && *dim != 1 && *dim != t->dims[k])
				return import_failed(im, -EINVAL,
						     "extents %d and %d do not broadcast", *dim,
						     t->dims[k]);
			if (*dim == 1)
				*dim = t->dims[k];
		}
	}
	return 0;
}

/* The shape of an output that the file does not know. */
static int infer_shape(struct import *im, struct import_form *form)
{
	const struct tflite_tensor *data = import_input_tensor(im, im->row->data);

	if (im->row->shape == IMPORT_BROADCAST)
		return importer_broadcast(im, form);
	if (im->row->shape == IMPORT_AS_DATA && data && data->rank) {
		form->rank = data->rank;
		memcpy(form->dims, data->dims, sizeof(form->dims));
	}
	return 0;
}

int import_output_form(struct import *im, uint32_t i, struct import_form *form)
{
	struct tflite_tensor *t = import_output_tensor(im, i);
	const struct tflite_tensor *data = import_input_tensor(im, im->row->data);
	const struct import_tensor *state;
	struct import_form like;
	int ret;

	if (!t)
		return import_failed(im, -EINVAL, "output %u is missing", i);
	ret = tensor_form(im, t, form);
	if (!ret && !t->ranked)
		ret = infer_shape(im, form);
	if (!ret && form->rank > MERGED_RANK)
		ret = import_set_shape(im, t, form->dims, form->rank);
	if (ret)
		return ret;
	if (im->num_groups && !i)
		merged_by_groups(im, t, form);
	else
		merged_form(form);
	if (im->real && import_is_quant8(t)) {
		form->type = NNMODEL_TENSOR_FLOAT32;
		form->scale = 0;
		form->zero_point = 0;
	}
	if (!is_scaled(form->type) || i)
		return 0;
	switch (im->row->quant) {
	case IMPORT_SAME:
	case IMPORT_SAME_REAL:
		if (!data || data->type != t->type)
			return 0;
		state = &im->tensors[im->op->inputs[im->row->data]];
		/* the operand may have another scale than the file gives the tensor */
		if (state->operand >= 0)
			like = import_form_of(im, state->operand);
		else if ((ret = tensor_form(im, data, &like)))
			return ret;
		form->scale = like.scale;
		form->zero_point = like.zero_point;
		break;
	case IMPORT_OF_256:
		form->scale = 1.0f / 256;
		form->zero_point = form->type == NNMODEL_TENSOR_QUANT8_ASYMM ? 0 : -128;
		break;
	case IMPORT_OF_128:
		form->scale = 1.0f / 128;
		form->zero_point = form->type == NNMODEL_TENSOR_QUANT8_ASYMM ? 128 : 0;
		break;
	}
	return 0;
}

int import_output(struct import *im, uint32_t i)
{
	struct import_form form;
	int ret = import_output_form(im, i, &form);

	return ret ? ret : import_output_as(im, i, &form);
}

static bool same_shape(const struct import_form *a, const struct import_form *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims));
}

int import_set_shape(struct import *im, struct tflite_tensor *t, const int32_t *dims, uint32_t rank)
{
	size_t size = nnimport_type_size(t->type);

	t->rank = rank;
	memcpy(t->dims, dims, rank * sizeof(*dims));
	for (uint32_t i = 0; i < rank; i++)
		if (dims[i] < 1 || __builtin_mul_overflow(size, (size_t)dims[i], &size) ||
		    size > 1u << 30)
			return import_failed(im, -EINVAL, "tensor %s is empty or larger than 1 GiB",
					     t->name);
	t->size = size;
	t->ranked = true;
	return 0;
}

/* Whether an operand of one quantization can stand for the other. */
static bool quantized_alike(const struct import_form *a, const struct import_form *b)
{
	return a->zero_point == b->zero_point &&
	       fabsf(a->scale - b->scale) <= SCALE_NOISE * b->scale;
}

int import_choose_real(struct import *im)
{
	const struct tflite_tensor *y = import_output_tensor(im, 0);
	struct import_form file, nnapi;
	int ret;

	if (!y || !import_is_quant8(y) || im->row->quant == IMPORT_OWN ||
	    im->row->quant == IMPORT_SAME)
		return 0;
	ret = tensor_form(im, y, &file);
	if (!ret)
		ret = import_output_form(im, 0, &nnapi);
	if (!ret && !quantized_alike(&file, &nnapi))
		im->real = true;
	return ret;
}

int import_output_as(struct import *im, uint32_t i, const struct import_form *computed)
{
	struct tflite_tensor *t = import_output_tensor(im, i);
	struct import_form form;
	struct import_fix *fixes;
	bool same;
	int ret = 0, operand;

	if (!t)
		return import_failed(im, -EINVAL, "output %u is missing", i);
	if (t->data || im->tensors[im->op->outputs[i]].written)
		return import_failed(im, -EINVAL, "tensor %s has a value before it is written",
				     t->name);
	if (!t->ranked)
		ret = import_set_shape(im, t, computed->dims, computed->rank);
	if (!ret)
		ret = tensor_form(im, t, &form);
	if (ret)
		return ret;
	same = form.type == computed->type && same_shape(&form, computed) && !(im->after && !i);
	if (same && (!is_scaled(form.type) ||
		     (fabsf(form.scale - computed->scale) <= SCALE_NOISE * computed->scale &&
		      form.zero_point == computed->zero_point))) {
		operand = import_operand(im, im->op->outputs[i]);
		if (operand >= 0 && is_scaled(form.type))
			im->nn->main.operands[operand].scale = computed->scale;
		return operand;
	}
	operand = import_temporary(im, computed);
	if (operand < 0)
		return operand;
	fixes = realloc(im->fixes, (im->num_fixes + 1) * sizeof(*fixes));
	if (!fixes)
		return import_failed(im, -ENOMEM, "out of memory");
	im->fixes = fixes;
	im->fixes[im->num_fixes++] = (struct import_fix){ operand, i };
	return operand;
}

int import_int32_tensor(struct import *im, const int32_t *values, uint32_t count)
{
	const struct import_form form = { .type = NNMODEL_TENSOR_INT32,
					  .rank = 1,
					  .dims = { (int32_t)count } };

	return import_constant(im, &form, values, count * sizeof(*values));
}

int import_one(struct import *im, uint32_t type, float value)
{
	const struct import_form form = { .type = type, .rank = 1, .dims = { 1 } };
	_Float16 half = (_Float16)value;
	int32_t word = (int32_t)value;

	if (type == NNMODEL_TENSOR_FLOAT16)
		return import_constant(im, &form, &half, sizeof(half));
	if (type == NNMODEL_TENSOR_INT32)
		return import_constant(im, &form, &word, sizeof(word));
	return import_constant(im, &form, &value, sizeof(value));
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
	int32_t *ints;
	size_t n;

	if (!t)
		return import_failed(im, -EINVAL, "input %u is missing", i);
	if (!t->data || (t->type != NNIMPORT_INT32 && t->type != NNIMPORT_INT64))
		return import_lacks(im, "input %u (tensor %s) must be a constant of INT32", i,
				    t->name);
	n = tflite_elements(t);
	if (n > max)
		return import_failed(im, -EINVAL,
				     "input %u (tensor %s) has %zu values, at most %u are valid", i,
				     t->name, n, max);
	if (!fold_is_narrow(t))
		return import_lacks(im, "input %u (tensor %s) has values beyond 32 bits", i,
				    t->name);
	ints = fold_narrow(t);
	if (!ints)
		return import_failed(im, -ENOMEM, "out of memory");
	memcpy(values, ints, n * sizeof(*values));
	free(ints);
	return (int)n;
}

int import_activation(struct import *im)
{
	return nnmodel_add_int32(im->nn, im->fuse);
}

int import_padding(struct import *im, unsigned int field)
{
	int8_t padding = import_option_byte(im, field, 0);

	if (padding != 0 && padding != 1)
		return import_failed(im, -EINVAL, "unknown padding code %d", padding);
	return nnmodel_add_int32(im->nn, padding ? NNMODEL_PADDING_VALID : NNMODEL_PADDING_SAME);
}

int import_option_operand(struct import *im, unsigned int field, int32_t def)
{
	return nnmodel_add_int32(im->nn, import_option_int(im, field, def));
}

int import_fold(struct import *im, uint32_t i, void *data)
{
	struct tflite_tensor *t = import_output_tensor(im, i);

	if (!data)
		return import_failed(im, -ENOMEM, "out of memory");
	if (t->data || im->tensors[im->op->outputs[i]].written) {
		free(data);
		return import_failed(im, -EINVAL, "tensor %s has a value before it is written",
				     t->name);
	}
	tflite_set_constant(t, data);
	return import_may_make(im, t->size);
}

int32_t import_axis(int32_t axis, uint32_t rank)
{
	return axis < 0 ? axis + (int32_t)rank : axis;
}
