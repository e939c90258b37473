// SPDX-License-Identifier: Apache-2.0
#include "shape_ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The shape that RESHAPE's second input names, where the file does not know the output's. */
static int named_shape(struct import *im, struct import_form *form)
{
	const struct tflite_tensor *x = import_input_tensor(im, 0);
	const struct tflite_tensor *shape = import_input_tensor(im, 1);
	int64_t left = (int64_t)tflite_elements(x);
	int n = 0, open = -1;

	/* a list of no dimensions has no contents: a scalar */
	if (!shape || tflite_elements(shape))
		n = import_constant_ints(im, 1, form->dims, NNIMPORT_MAX_RANK);
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++) {
		if (form->dims[i] == -1 && open < 0)
			open = i;
		else if (form->dims[i] < 1)
			return import_failed(im, -EINVAL, "extent %d of the shape is %d", i,
					     form->dims[i]);
		else
			left = left % form->dims[i] ? 0 : left / form->dims[i];
	}
	if (open >= 0)
		form->dims[open] = (int32_t)left;
	form->rank = n ? (uint32_t)n : 1;
	if (!n)
		form->dims[0] = 1;
	return left < 1 || (open < 0 && left != 1)
		       ? import_failed(im, -EINVAL, "tensor %s does not fit the shape", x->name)
		       : 0;
}

int import_reshape_op(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x, *y;
	struct import_form form;
	int ret = import_check_counts(im, 1, 2, 1), from;

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	y = import_output_tensor(im, 0);
	ret = import_output_form(im, 0, &form);
	if (!ret && !y->ranked && im->op->num_inputs == 2 && row->shape == IMPORT_IN_FILE)
		ret = named_shape(im, &form);
	if (ret)
		return ret;
	if (y->ranked && tflite_elements(x) != tflite_elements(y))
		return import_failed(im, -EINVAL, "tensor %s has %zu elements, tensor %s has %zu",
				     x->name, tflite_elements(x), y->name, tflite_elements(y));
	from = import_input(im, 0);
	/* of a BOOL8, import_reshape() adds several operations; no quantization is to be mended */
	if (form.type == NNMODEL_TENSOR_BOOL8)
		return import_reshape(im, from, import_output_as(im, 0, &form));
	return IMPORT_EMIT(im, NNMODEL_RESHAPE, import_output_as(im, 0, &form), from,
			   import_int32_tensor(im, form.dims, form.rank));
}

/* All inputs in one list behind @first, or in front of @last; -1: none. */
static int emit_list(struct import *im, uint32_t opcode, int first, int last, int out,
		     const struct import_form *as)
{
	uint32_t n = 0;
	int *in = calloc((size_t)im->op->num_inputs + 2, sizeof(*in)), ret;

	if (!in)
		return import_failed(im, -ENOMEM, "out of memory");
	if (first >= 0)
		in[n++] = first;
	for (uint32_t i = 0; i < im->op->num_inputs; i++)
		in[n++] = as ? import_input_in(im, i, as->scale, as->zero_point)
			     : import_input(im, i);
	if (last >= 0)
		in[n++] = last;
	ret = import_emit(im, opcode, in, n, &out, 1);
	free(in);
	return ret;
}

/*
 * The form of PACK along @axis of the inputs; scalars are of shape [1], which gives a dimension
 * more.
 */
static int packed_form(struct import *im, int32_t axis, struct import_form *form)
{
	const struct tflite_tensor *x = import_input_tensor(im, 0);
	int ret = import_output_form(im, 0, form);
	uint32_t rank = x->rank ? x->rank : 1;

	if (ret)
		return ret;
	if (axis < 0 || (uint32_t)axis > x->rank || rank >= NNIMPORT_MAX_RANK)
		return import_failed(im, -EINVAL, "axis %d is not one for tensor %s", axis,
				     x->name);
	for (uint32_t i = 1; i < im->op->num_inputs; i++) {
		const struct tflite_tensor *t = import_input_tensor(im, i);

		if (!t || t->rank != x->rank || memcmp(t->dims, x->dims, sizeof(t->dims)))
			return import_lacks(
				im,
				"tensors %s and %s differ in shape: NNAPI has this for one shape only",
				x->name, t ? t->name : "(none)");
	}
	form->rank = rank + 1;
	for (uint32_t d = 0, k = 0; d <= rank; d++)
		form->dims[d] = d == (uint32_t)axis ? (int32_t)im->op->num_inputs
				: x->rank	    ? x->dims[k++]
						    : 1;
	return 0;
}

enum { PACK_COUNT, PACK_AXIS };

int import_pack(struct import *im, const struct import_row *row)
{
	int ret = import_check_list(im);
	struct import_form form;
	int32_t axis;

	if (ret)
		return ret;
	axis = import_axis(fb_i32(&im->op->options, PACK_AXIS, 0),
			   import_input_tensor(im, 0)->rank + 1);
	ret = packed_form(im, axis, &form);
	return ret ? ret
		   : emit_list(im, row->nn_opcode, nnmodel_add_int32(im->nn, axis), -1,
			       import_output_as(im, 0, &form), &form);
}

enum { CONCATENATION_AXIS };

/* NNAPI's CONCATENATION has no INT32; PACK and RESHAPE do the same for inputs of one shape. */
int import_concatenation(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x;
	int ret = import_check_list(im);
	struct import_form form;
	int32_t axis;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	axis = import_axis(fb_i32(&im->op->options, CONCATENATION_AXIS, 0), x->rank);
	if (axis < 0 || (uint32_t)axis >= x->rank)
		return import_failed(im, -EINVAL, "axis %d is not one of tensor %s", axis, x->name);
	if (x->type != NNIMPORT_INT32) {
		ret = import_output_form(im, 0, &form);
		if (!ret && !import_output_tensor(im, 0)->ranked) {
			form.rank = x->rank;
			memcpy(form.dims, x->dims, sizeof(form.dims));
			for (uint32_t i = 1; i < im->op->num_inputs; i++)
				if (__builtin_add_overflow(form.dims[axis],
							   import_input_tensor(im, i)->dims[axis],
							   &form.dims[axis]))
					return import_failed(im, -EINVAL,
							     "its output is too large");
		}
		return ret ? ret
			   : emit_list(im, row->nn_opcode, -1, nnmodel_add_int32(im->nn, axis),
				       import_output_as(im, 0, &form), NULL);
	}
	ret = packed_form(im, axis, &form);
	return ret ? ret
		   : emit_list(im, NNMODEL_PACK, nnmodel_add_int32(im->nn, axis), -1,
			       import_output_as(im, 0, &form), NULL);
}

/* Input @i as a constant INT32 tensor of @columns columns (0: of rank 1), or as an operand. */
static int ints_operand(struct import *im, uint32_t i, int32_t columns)
{
	const struct tflite_tensor *t = import_input_tensor(im, i);
	struct import_form form = { .type = NNMODEL_TENSOR_INT32, .rank = columns ? 2 : 1 };
	int32_t values[2 * NNIMPORT_MAX_RANK];
	int n;

	if (!t)
		return import_failed(im, -EINVAL, "input %u is missing", i);
	if (!t->data)
		return t->type == NNIMPORT_INT32
			       ? import_input(im, i)
			       : import_lacks(im, "input %u (tensor %s) is %s, must be INT32", i,
					      t->name, nnimport_type_name(t->type));
	n = import_constant_ints(im, i, values, 2 * NNIMPORT_MAX_RANK);
	if (n < 0)
		return n;
	form.dims[0] = columns ? n / columns : n;
	form.dims[1] = columns;
	return import_constant(im, &form, values, (size_t)n * sizeof(*values));
}

int import_with_ints(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   ints_operand(im, 1, import_input_tensor(im, 1)->rank == 2 ? 2 : 0));
}

/* A scalar for the one value of a constant. */
static int scalar_of(struct import *im, const struct tflite_tensor *t)
{
	uint32_t type = t->type == NNIMPORT_FLOAT32   ? NNMODEL_FLOAT32
			: t->type == NNIMPORT_FLOAT16 ? NNMODEL_FLOAT16
						      : NNMODEL_INT32;
	int32_t word;
	int ret;

	if (import_is_quant8(t)) {
		word = t->type == NNIMPORT_INT8 ? *(const int8_t *)t->data
						: *(const uint8_t *)t->data;
		return nnmodel_add_int32(im->nn, word);
	}
	ret = nnmodel_add_operand(im->nn, type, NNMODEL_TEMPORARY_VARIABLE, NULL, 0, 0, 0);
	if (ret < 0)
		return import_failed(im, ret, "out of memory");
	word = nnmodel_set_value(im->nn, (uint32_t)ret, t->data, t->size);
	return word < 0 ? import_failed(im, word, "out of memory") : ret;
}

int import_pad_with(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *value;
	int ret = import_check_counts(im, 3, 3, 1);

	if (ret)
		return ret;
	value = import_input_tensor(im, 2);
	if (!value->data || tflite_elements(value) != 1 ||
	    value->type != import_input_tensor(im, 0)->type)
		return import_lacks(im,
				    "the value (tensor %s) must be a constant of the input's type",
				    value->name);
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   ints_operand(im, 1, 2), scalar_of(im, value));
}

int import_mirror_pad(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	/* REFLECT and SYMMETRIC have NNAPI's numbers. */
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   ints_operand(im, 1, 2),
			   nnmodel_add_int32(im->nn, fb_i8(&im->op->options, 0, 0)));
}

/* The output of a reduction, of a scalar or of known axes where the file has no shape. */
static int reduce(struct import *im, const struct import_row *row, bool flag_is_int)
{
	bool keep = fb_i8(&im->op->options, 0, 0);
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   ints_operand(im, 1, 0),
			   flag_is_int ? nnmodel_add_int32(im->nn, keep)
				       : nnmodel_add_bool(im->nn, keep));
}

int import_mean(struct import *im, const struct import_row *row)
{
	return reduce(im, row, true);
}

int import_reduce(struct import *im, const struct import_row *row)
{
	return reduce(im, row, false);
}

static bool is_model_output(const struct import *im, int32_t tensor)
{
	for (uint32_t i = 0; i < im->tfl->num_outputs; i++)
		if (im->tfl->outputs[i] == tensor)
			return true;
	return false;
}

int import_arg_minmax(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *y;
	int ret = import_check_counts(im, 2, 2, 1);
	int32_t axis;

	if (ret)
		return ret;
	y = import_output_tensor(im, 0);
	if (y->type == NNIMPORT_INT64 && is_model_output(im, im->op->outputs[0]))
		return import_lacks(
			im,
			"its result (tensor %s), an output of the model, is INT64: NNAPI has INT32 only; convert with output_type int32",
			y->name);
	/* an index is below 2^31 */
	im->tensors[im->op->outputs[0]].narrow = true;
	ret = import_constant_ints(im, 1, &axis, 1);
	if (ret < 0)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   nnmodel_add_int32(im->nn, axis));
}

int import_topk(struct import *im, const struct import_row *row)
{
	int32_t k;
	int ret = import_check_counts(im, 2, 2, 2);

	if (ret)
		return ret;
	ret = import_constant_ints(im, 1, &k, 1);
	if (ret < 0)
		return ret;
	return import_emit(im, row->nn_opcode,
			   (const int[]){ import_input(im, 0), nnmodel_add_int32(im->nn, k) }, 2,
			   (const int[]){ import_output(im, 0), import_output(im, 1) }, 2);
}

static int resize(struct import *im, const struct import_row *row, unsigned int first)
{
	bool align = fb_i8(&im->op->options, first, 0),
	     half = fb_i8(&im->op->options, first + 1, 0);
	int in[6], n = 0, ret = import_check_counts(im, 2, 2, 1), out;
	int32_t size[2];

	if (ret)
		return ret;
	if (align && half)
		return import_lacks(
			im,
			"NNAPI has align_corners or half_pixel_centers, not both; convert with one of them");
	ret = import_constant_ints(im, 1, size, 2);
	if (ret < 0)
		return ret;
	if (ret != 2)
		return import_failed(im, -EINVAL, "the size has %d values instead of 2", ret);
	out = import_output(im, 0);
	in[n++] = import_input(im, 0);
	in[n++] = nnmodel_add_int32(im->nn, size[1]);
	in[n++] = nnmodel_add_int32(im->nn, size[0]);
	in[n++] = nnmodel_add_bool(im->nn, false);
	if (align || half) {
		in[n++] = nnmodel_add_bool(im->nn, align);
		in[n++] = nnmodel_add_bool(im->nn, half);
	}
	return import_emit(im, row->nn_opcode, in, (uint32_t)n, &out, 1);
}

int import_resize_bilinear(struct import *im, const struct import_row *row)
{
	return resize(im, row, 2);
}

int import_resize_nearest(struct import *im, const struct import_row *row)
{
	return resize(im, row, 0);
}

enum { GATHER_AXIS, GATHER_BATCH_DIMS };

int import_gather(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x;
	int ret = import_check_counts(im, 2, 2, 1), from, indices;
	struct import_form form, data, index;
	int32_t axis;
	uint32_t rank = 0;

	if (ret)
		return ret;
	if (fb_i32(&im->op->options, GATHER_BATCH_DIMS, 0))
		return import_lacks(im, "NNAPI has no batch dimensions here");
	x = import_input_tensor(im, 0);
	axis = import_axis(fb_i32(&im->op->options, GATHER_AXIS, 0), x->rank);
	if (axis < 0 || (uint32_t)axis >= x->rank)
		return import_failed(im, -EINVAL, "axis %d is not one of tensor %s", axis, x->name);
	ret = import_output_form(im, 0, &form);
	from = ret ? ret : import_input(im, 0);
	indices = ret ? ret : import_input(im, 1);
	if (from < 0 || indices < 0)
		return from < 0 ? from : indices;
	data = import_form_of(im, from);
	index = import_form_of(im, indices);
	if (data.rank - 1 + index.rank > NNIMPORT_MAX_RANK)
		return import_lacks(im, "its result has rank %u", data.rank - 1 + index.rank);
	for (uint32_t d = 0; d < data.rank; d++)
		for (uint32_t k = 0; k < (d == (uint32_t)axis ? index.rank : 1); k++)
			form.dims[rank++] = d == (uint32_t)axis ? index.dims[k] : data.dims[d];
	form.rank = rank;
	return IMPORT_EMIT(im, row->nn_opcode, import_output_as(im, 0, &form), from,
			   nnmodel_add_int32(im->nn, axis), indices);
}

int import_embedding(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1);
	bool hybrid;

	if (ret)
		return ret;
	hybrid = import_output_tensor(im, 0)->type == NNIMPORT_FLOAT32;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   hybrid ? import_real(im, 1) : import_input(im, 1));
}

int import_hashtable(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 3, 3, 2);

	if (ret)
		return ret;
	return import_emit(im, row->nn_opcode,
			   (const int[]){ import_input(im, 0), import_input(im, 1),
					  import_input(im, 2) },
			   3, (const int[]){ import_output(im, 0), import_output(im, 1) }, 2);
}

int import_depth(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_option(im, 0, 0));
}

int import_space_to_batch(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 3, 3, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   ints_operand(im, 1, 0), ints_operand(im, 2, 2));
}

/* NNAPI crops nothing: a SLICE behind it does. */
int import_batch_to_space(struct import *im, const struct import_row *row)
{
	int32_t block[2], crops[4], begin[4] = { 0 };
	int ret = import_check_counts(im, 3, 3, 1), whole, out;
	const struct tflite_tensor *x, *y;
	struct import_form form;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	y = import_output_tensor(im, 0);
	if (x->rank != 4 || (y->ranked && y->rank != 4))
		return import_lacks(im, "input 0 (tensor %s) has rank %u, must be 4", x->name,
				    x->rank);
	ret = import_constant_ints(im, 1, block, 2);
	if (ret == 2)
		ret = import_constant_ints(im, 2, crops, 4);
	if (ret < 0)
		return ret;
	if (ret != 4 || block[0] < 1 || block[1] < 1 || block[0] > x->dims[0] ||
	    block[1] > x->dims[0] || x->dims[1] > INT32_MAX / block[0] ||
	    x->dims[2] > INT32_MAX / block[1])
		return import_failed(im, -EINVAL, "its blocks or crops do not fit tensor %s",
				     x->name);
	if (!crops[0] && !crops[1] && !crops[2] && !crops[3])
		return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
				   import_int32_tensor(im, block, 2));
	ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	out = import_output(im, 0);
	form.dims[1] = x->dims[1] * block[0];
	form.dims[2] = x->dims[2] * block[1];
	whole = import_temporary(im, &form);
	ret = IMPORT_EMIT(im, row->nn_opcode, whole, import_input(im, 0),
			  import_int32_tensor(im, block, 2));
	if (ret)
		return ret;
	begin[1] = crops[0];
	begin[2] = crops[2];
	form = import_form_of(im, out);
	return IMPORT_EMIT(im, NNMODEL_SLICE, out, whole, import_int32_tensor(im, begin, 4),
			   import_int32_tensor(im, form.dims, 4));
}

/* NNAPI reverses along one axis. */
int import_reverse(struct import *im, const struct import_row *row)
{
	int32_t axes[NNIMPORT_MAX_RANK];
	int ret = import_check_counts(im, 2, 2, 1), n, from, to;
	struct import_form form;

	if (ret)
		return ret;
	n = import_constant_ints(im, 1, axes, NNIMPORT_MAX_RANK);
	if (n < 1)
		return n < 0 ? n : import_lacks(im, "it has no axis");
	from = import_input(im, 0);
	form = import_form_of(im, from);
	for (int i = 0; i < n && !ret; i++) {
		axes[i] = import_axis(axes[i], form.rank);
		to = i + 1 < n ? import_temporary(im, &form) : import_output(im, 0);
		ret = IMPORT_EMIT(im, row->nn_opcode, to, from,
				  import_int32_tensor(im, &axes[i], 1));
		from = to;
	}
	return ret;
}

/* A constant output of @count integers. */
static int fold_ints(struct import *im, const int32_t *values, uint32_t count)
{
	struct tflite_tensor *y = import_output_tensor(im, 0);
	size_t element = nnimport_type_size(y->type);
	uint8_t *data;

	if (!y->ranked) {
		y->ranked = true;
		y->rank = count == 1 ? 0 : 1;
		y->dims[0] = (int32_t)count;
		y->size = count * element;
	}
	if ((y->type != NNIMPORT_INT32 && y->type != NNIMPORT_INT64) || tflite_elements(y) != count)
		return import_failed(im, -EINVAL, "the output (tensor %s) has %zu elements of %s",
				     y->name, tflite_elements(y), nnimport_type_name(y->type));
	data = calloc(count + 1, element);
	for (uint32_t i = 0; data && i < count; i++) {
		int64_t value = values[i];

		/* little-endian, as the file is */
		memcpy(data + i * element, &value, element);
	}
	return import_fold(im, 0, data);
}

int import_shape_of(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x;
	int ret = import_check_counts(im, 1, 1, 1);

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	return x->rank ? fold_ints(im, x->dims, x->rank)
		       : import_lacks(im, "the shape of a scalar has no elements");
}

int import_rank(struct import *im, const struct import_row *row)
{
	int32_t rank;
	int ret = import_check_counts(im, 1, 1, 1);

	(void)row;
	if (ret)
		return ret;
	rank = (int32_t)import_input_tensor(im, 0)->rank;
	return fold_ints(im, &rank, 1);
}

int import_zeros(struct import *im, const struct import_row *row)
{
	uint8_t zero[4] = { 0 };
	struct import_form form, one;
	int ret = import_check_counts(im, 1, 1, 1), whole;

	(void)row;
	if (!ret)
		ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	one = form;
	one.rank = 1;
	one.dims[0] = 1;
	/* real zeros, whatever the quantization */
	if (import_is_quant8(import_output_tensor(im, 0)))
		zero[0] = (uint8_t)form.zero_point;
	whole = import_repeated(im, import_constant(im, &one, zero, nnmodel_type_size(one.type)),
				&form);
	return whole < 0 ? whole : import_copy(im, whole, import_output(im, 0));
}
