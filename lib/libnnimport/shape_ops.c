// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

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
	const struct tflite_tensor *x;
	struct tflite_tensor *y;
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
	if (!ret && form.rank > MERGED_RANK) {
		ret = import_set_shape(im, y, form.dims, form.rank);
		merged_form(&form);
	}
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

/* Along a dimension of 1 and behind it, or in front of one that is not repeated, two are one. */
int import_tile(struct import *im, const struct import_row *row)
{
	int32_t times[NNIMPORT_MAX_RANK];
	const struct tflite_tensor *x;
	struct import_form form, from = { .rank = 0 };
	int ret = import_check_counts(im, 2, 2, 1);
	int operand;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	if (x->rank <= MERGED_RANK)
		return import_with_ints(im, row);
	ret = import_constant_ints(im, 1, times, NNIMPORT_MAX_RANK);
	if (ret < 0)
		return ret;
	if ((uint32_t)ret != x->rank)
		return import_failed(im, -EINVAL, "it has %d multiples for rank %u", ret, x->rank);
	for (uint32_t d = 0; d < x->rank; d++) {
		uint32_t into = from.rank - 1;

		if (times[d] < 1)
			return import_failed(im, -EINVAL, "multiple %u is %d", d, times[d]);
		if (from.rank && (times[d] == 1 || from.dims[into] == 1)) {
			from.dims[into] *= x->dims[d];
			if (__builtin_mul_overflow(times[into], times[d], &times[into]))
				return import_failed(im, -EINVAL, "its output is too large");
		} else {
			from.dims[from.rank] = x->dims[d];
			times[from.rank++] = times[d];
		}
	}
	if (from.rank > MERGED_RANK)
		return merged_refuse(im, from.rank);
	ret = import_output_form(im, 0, &form);
	operand = ret ? ret : import_reshaped(im, import_input(im, 0), from.dims, from.rank);
	if (operand < 0)
		return operand;
	form.rank = from.rank;
	for (uint32_t d = 0; d < from.rank; d++)
		if (__builtin_mul_overflow(from.dims[d], times[d], &form.dims[d]))
			return import_failed(im, -EINVAL, "its output is too large");
	return IMPORT_EMIT(im, row->nn_opcode, import_output_as(im, 0, &form), operand,
			   import_int32_tensor(im, times, from.rank));
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
			   nnmodel_add_int32(im->nn, import_option_byte(im, 0, 0)));
}

/* A reduction of more dimensions: neighbours that both stay, or both go, are one. */
static int reduce_merged(struct import *im, const struct import_row *row, int flag)
{
	const struct tflite_tensor *x = import_input_tensor(im, 0);
	int32_t axes[NNIMPORT_MAX_RANK], n = import_constant_ints(im, 1, axes, NNIMPORT_MAX_RANK);
	struct import_form form, from = { .rank = 0 };
	uint32_t gone = 0, count = 0, rank = 0;
	int ret = n < 0 ? n : import_output_form(im, 0, &form), operand;
	bool last = false;

	for (int32_t i = 0; i < n && !ret; i++) {
		int32_t axis = import_axis(axes[i], x->rank);

		if (axis < 0 || (uint32_t)axis >= x->rank)
			ret = import_failed(im, -EINVAL, "axis %d is not one of tensor %s", axis,
					    x->name);
		else
			gone |= 1u << axis;
	}
	if (ret)
		return ret;
	for (uint32_t d = 0; d < x->rank; d++) {
		bool goes = gone >> d & 1;

		if (!from.rank || goes != last)
			from.dims[from.rank++] = 1;
		from.dims[from.rank - 1] *= x->dims[d];
		last = goes;
	}
	if (from.rank > MERGED_RANK)
		return merged_refuse(im, from.rank);
	for (uint32_t d = 0; d < from.rank; d++)
		if (d % 2 ? !(gone & 1) : gone & 1)
			axes[count++] = (int32_t)d;
		else
			form.dims[rank++] = from.dims[d];
	form.rank = rank ? rank : 1;
	if (!rank)
		form.dims[0] = 1;
	operand = import_reshaped(im, import_input(im, 0), from.dims, from.rank);
	return IMPORT_EMIT(im, row->nn_opcode, import_output_as(im, 0, &form), operand,
			   import_int32_tensor(im, axes, count), flag);
}

/* The output of a reduction, of a scalar or of known axes where the file has no shape. */
static int shape_ops_reduce(struct import *im, const struct import_row *row, bool flag_is_int)
{
	bool keep = import_option_byte(im, 0, 0);
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	if (import_input_tensor(im, 0)->type == NNIMPORT_INT32)
		return import_reduce_int32(im, row);
	if (import_input_tensor(im, 0)->rank > MERGED_RANK)
		return reduce_merged(im, row,
				     flag_is_int ? nnmodel_add_int32(im->nn, 0)
						 : nnmodel_add_bool(im->nn, false));
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   ints_operand(im, 1, 0),
			   flag_is_int ? nnmodel_add_int32(im->nn, keep)
				       : nnmodel_add_bool(im->nn, keep));
}

int import_mean(struct import *im, const struct import_row *row)
{
	return shape_ops_reduce(im, row, true);
}

int import_reduce(struct import *im, const struct import_row *row)
{
	return shape_ops_reduce(im, row, false);
}

int import_arg_minmax(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x;
	int ret = import_check_counts(im, 2, 2, 1);
	struct import_form form;
	int32_t axis, view[3];

	if (ret)
		return ret;
	/* an index is below 2^31 */
	im->tensors[im->op->outputs[0]].narrow = true;
	ret = import_constant_ints(im, 1, &axis, 1);
	if (ret < 0)
		return ret;
	x = import_input_tensor(im, 0);
	if (x->rank > MERGED_RANK) {
		ret = import_output_form(im, 0, &form);
		merged_around(x, import_axis(axis, x->rank), view);
		form.rank = 2;
		form.dims[0] = view[0];
		form.dims[1] = view[2];
		return ret ? ret
			   : IMPORT_EMIT(im, row->nn_opcode, import_output_as(im, 0, &form),
					 import_reshaped(im, import_input(im, 0), view, 3),
					 nnmodel_add_int32(im->nn, 1));
	}
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
	bool align = import_option_byte(im, first, 0), half = import_option_byte(im, first + 1, 0);
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

/* Numbers of rows in a batch, as numbers of rows among all batches of @rows each. */
static int count_from_first(struct import *im, int indices, int32_t batches, int32_t rows)
{
	struct import_form form = import_form_of(im, indices), column = form;
	int32_t *first = calloc((size_t)batches + 1, sizeof(*first));
	int out, ret;

	if (!first)
		return import_failed(im, -ENOMEM, "out of memory");
	column.dims[1] = 1;
	for (int32_t b = 0; b < batches; b++)
		first[b] = b * rows;
	ret = import_constant(im, &column, first, (size_t)batches * sizeof(*first));
	free(first);
	out = ret < 0 ? ret : import_temporary(im, &form);
	ret = IMPORT_EMIT(im, NNMODEL_ADD, out, indices, ret,
			  nnmodel_add_int32(im->nn, NNMODEL_FUSED_NONE));
	return ret ? ret : out;
}

/* Each batch has its own indices: those of rows of all batches. */
static int gather_batches(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x = import_input_tensor(im, 0), *t = import_input_tensor(im, 1);
	const int32_t count = import_axis(import_option_int(im, GATHER_BATCH_DIMS, 0), t->rank);
	const int32_t axis = import_axis(import_option_int(im, GATHER_AXIS, 0), x->rank);
	int32_t batches = 1, list[2], table[2], flat;
	struct import_form form;
	int ret, indices;

	if (count < 0 || axis < count || (uint32_t)axis >= x->rank || (uint32_t)count > t->rank)
		return import_failed(im, -EINVAL, "axis %d with %d batch dimensions", axis, count);
	if (axis != count)
		return import_lacks(im, "axis %d behind %d batch dimensions: must be axis %d", axis,
				    count, count);
	for (int32_t d = 0; d < count; d++) {
		if (x->dims[d] != t->dims[d])
			return import_failed(im, -EINVAL,
					     "extents %d and %d of dimension %d differ", x->dims[d],
					     t->dims[d], d);
		batches *= x->dims[d];
	}
	list[0] = batches;
	list[1] = (int32_t)(tflite_elements(t) / (size_t)batches);
	table[0] = batches * x->dims[axis];
	table[1] = (int32_t)(tflite_elements(x) / (size_t)table[0]);
	flat = list[0] * list[1];
	ret = import_output_form(im, 0, &form);
	indices = ret ? ret : import_reshaped(im, import_input(im, 1), list, 2);
	if (indices < 0)
		return indices;
	indices = count_from_first(im, indices, batches, x->dims[axis]);
	form.rank = 2;
	form.dims[0] = flat;
	form.dims[1] = table[1];
	return IMPORT_EMIT(im, row->nn_opcode, import_output_as(im, 0, &form),
			   import_reshaped(im, import_input(im, 0), table, 2),
			   nnmodel_add_int32(im->nn, 0), import_reshaped(im, indices, &flat, 1));
}

int import_gather(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x;
	int ret = import_check_counts(im, 2, 2, 1), from, indices;
	struct import_form form, data, index;
	int32_t axis;
	uint32_t rank = 0;

	if (ret)
		return ret;
	if (import_option_int(im, GATHER_BATCH_DIMS, 0))
		return gather_batches(im, row);
	x = import_input_tensor(im, 0);
	axis = import_axis(import_option_int(im, GATHER_AXIS, 0), x->rank);
	if (axis < 0 || (uint32_t)axis >= x->rank)
		return import_failed(im, -EINVAL, "axis %d is not one of tensor %s", axis, x->name);
	ret = import_output_form(im, 0, &form);
	from = ret ? ret : import_input(im, 0);
	indices = ret ? ret : import_input(im, 1);
	if (from < 0 || indices < 0)
		return from < 0 ? from : indices;
	data = import_form_of(im, from);
	index = import_form_of(im, indices);
	if (x->rank - 1 + import_input_tensor(im, 1)->rank > MERGED_RANK || x->rank > MERGED_RANK) {
		int32_t view[3], n = (int32_t)tflite_elements(import_input_tensor(im, 1));

		merged_around(x, axis, view);
		from = import_reshaped(im, from, view, 3);
		indices = import_reshaped(im, indices, &n, 1);
		data = import_form_of(im, from);
		index = import_form_of(im, indices);
		axis = 1;
	}
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
			   import_option_operand(im, 0, 0));
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
	const struct tflite_tensor *x;
	struct import_form form;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	n = import_constant_ints(im, 1, axes, NNIMPORT_MAX_RANK);
	if (n < 1)
		return n < 0 ? n : import_lacks(im, "it has no axis");
	from = import_input(im, 0);
	form = import_form_of(im, from);
	for (int i = 0; i < n && !ret; i++) {
		axes[i] = import_axis(axes[i], x->rank ? x->rank : 1);
		if (x->rank > MERGED_RANK) {
			form.rank = 3;
			merged_around(x, axes[i], form.dims);
			from = import_reshaped(im, from, form.dims, 3);
			axes[i] = 1;
		}
		to = i + 1 < n ? import_temporary(im, &form) : import_output_as(im, 0, &form);
		ret = IMPORT_EMIT(im, row->nn_opcode, to, from,
				  import_int32_tensor(im, &axes[i], 1));
		from = to;
	}
	return ret;
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
