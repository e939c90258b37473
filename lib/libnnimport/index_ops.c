// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <errno.h>
#include <string.h>

/* A table of numbers on the stack. */
#define MAX_DEPTH_OF_ONE_HOT 4096

static int temporary_ints(struct import *im, const int32_t *dims, uint32_t rank)
{
	struct import_form form = { .type = NNMODEL_TENSOR_INT32, .rank = rank };

	memcpy(form.dims, dims, rank * sizeof(*dims));
	return import_temporary(im, &form);
}

/* Column @k of the table @indices of @rows rows, as a list. */
static int column(struct import *im, int indices, int32_t rows, int32_t k)
{
	int32_t begin[2] = { 0, k }, size[2] = { rows, 1 };
	int part = temporary_ints(im, size, 2), ret;

	ret = IMPORT_EMIT(im, NNMODEL_SLICE, part, indices, import_int32_tensor(im, begin, 2),
			  import_int32_tensor(im, size, 2));
	return ret ? ret : import_reshaped(im, part, &rows, 1);
}

/* What @index counts in steps of @stride, added to @sum (-1: none). */
static int add_scaled(struct import *im, int sum, int index, int32_t rows, int32_t stride)
{
	int none = nnmodel_add_int32(im->nn, NNMODEL_FUSED_NONE), scaled, total, ret;

	if (stride != 1) {
		scaled = temporary_ints(im, &rows, 1);
		ret = IMPORT_EMIT(im, NNMODEL_MUL, scaled, index,
				  import_int32_tensor(im, &stride, 1), none);
		if (ret)
			return ret;
		index = scaled;
	}
	if (sum < 0)
		return index;
	total = temporary_ints(im, &rows, 1);
	ret = IMPORT_EMIT(im, NNMODEL_ADD, total, sum, index, none);
	return ret ? ret : total;
}

/*
 * A row of the indices names a place along the first dimensions. These become one dimension, and
 * the row its number along it: a GATHER.
 */
int import_gather_nd(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x, *t;
	int ret = import_check_counts(im, 2, 2, 1), from, indices, flat = -1;
	struct import_form form;
	int32_t table[2], rows, columns, stride = 1;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	t = import_input_tensor(im, 1);
	if (!t->rank || t->dims[t->rank - 1] > (int32_t)x->rank)
		return import_failed(im, -EINVAL,
				     "the indices (tensor %s) do not fit tensor %s of rank %u",
				     t->name, x->name, x->rank);
	columns = t->dims[t->rank - 1];
	rows = (int32_t)(tflite_elements(t) / (size_t)columns);
	table[0] = rows;
	table[1] = columns;
	ret = import_output_form(im, 0, &form);
	from = ret ? ret : import_input(im, 0);
	indices = ret ? ret : import_reshaped(im, import_input(im, 1), table, 2);
	if (from < 0 || indices < 0)
		return from < 0 ? from : indices;
	for (int32_t k = columns; k-- > 0; stride *= x->dims[k]) {
		int part = column(im, indices, rows, k);

		flat = part < 0 ? part : add_scaled(im, flat, part, rows, stride);
		if (flat < 0)
			return flat;
	}
	table[0] = stride;
	table[1] = (int32_t)(tflite_elements(x) / (size_t)stride);
	form.rank = 2;
	form.dims[0] = rows;
	form.dims[1] = table[1];
	return IMPORT_EMIT(im, row->nn_opcode, import_output_as(im, 0, &form),
			   import_reshaped(im, from, table, 2), nnmodel_add_int32(im->nn, 0), flat);
}

/* The numbers from 0 on, along the first of @rank dimensions. */
static int count_up(struct import *im, int32_t depth, uint32_t rank)
{
	struct import_form form = { .type = NNMODEL_TENSOR_INT32, .rank = rank };
	int32_t values[MAX_DEPTH_OF_ONE_HOT];

	for (uint32_t d = 0; d < rank; d++)
		form.dims[d] = d ? 1 : depth;
	for (int32_t i = 0; i < depth; i++)
		values[i] = i;
	return import_constant(im, &form, values, (size_t)depth * sizeof(*values));
}

/* SELECT between two values by a comparison of the indices with the numbers up to the depth. */
int import_one_hot(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x, *y;
	int ret = import_check_counts(im, 4, 4, 1), index, equal;
	struct import_form form, bits;
	int32_t dims[NNIMPORT_MAX_RANK] = { 0 }, axis;
	uint32_t rank;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	y = import_output_tensor(im, 0);
	rank = x->rank + 1;
	axis = import_axis(import_option_int(im, 0, 0), rank);
	if (y->rank != rank || rank > NNIMPORT_MAX_RANK || axis < 0 || (uint32_t)axis >= rank)
		return import_failed(im, -EINVAL, "axis %d is not one of tensor %s", axis, y->name);
	if (y->dims[axis] > MAX_DEPTH_OF_ONE_HOT)
		return import_lacks(im, "its depth is %d, must be at most %d", y->dims[axis],
				    MAX_DEPTH_OF_ONE_HOT);
	for (uint32_t d = 0, k = 0; d < rank; d++)
		dims[d] = d == (uint32_t)axis ? 1 : x->dims[k++];
	ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	bits = form;
	bits.type = NNMODEL_TENSOR_BOOL8;
	bits.scale = 0;
	bits.zero_point = 0;
	equal = import_temporary(im, &bits);
	index = import_reshaped(im, import_input(im, 0), dims, rank);
	ret = IMPORT_EMIT(im, NNMODEL_EQUAL, equal, index,
			  count_up(im, y->dims[axis], rank - (uint32_t)axis));
	return ret ? ret
		   : IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), equal,
				 import_repeated(im, import_input(im, 2), &form),
				 import_repeated(im, import_input(im, 3), &form));
}
