// SPDX-License-Identifier: Apache-2.0
/* Operations whose result the file knows; and constants computed from constants. */
#include "importer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Constants of the file need not be aligned: every load is a copy. */
static int64_t load_int(const struct tflite_tensor *t, size_t i)
{
	const uint8_t *p = (const uint8_t *)t->data + i * nnimport_type_size(t->type);
	int64_t wide;
	int32_t word;
	int16_t half;

	switch (t->type) {
	case NNIMPORT_INT64:
		return memcpy(&wide, p, sizeof(wide)), wide;
	case NNIMPORT_INT32:
		return memcpy(&word, p, sizeof(word)), word;
	case NNIMPORT_INT16:
		return memcpy(&half, p, sizeof(half)), half;
	case NNIMPORT_INT8:
		return (int8_t)*p;
	default:
		return *p;
	}
}

static float load_float(const struct tflite_tensor *t, size_t i)
{
	const uint8_t *p = (const uint8_t *)t->data + i * nnimport_type_size(t->type);
	_Float16 half;
	float value;

	if (t->type == NNIMPORT_FLOAT16)
		return memcpy(&half, p, sizeof(half)), (float)half;
	return memcpy(&value, p, sizeof(value)), value;
}

bool fold_is_narrow(const struct tflite_tensor *t)
{
	for (size_t i = 0; i < tflite_elements(t); i++) {
		int64_t v = load_int(t, i);

		if (v < INT32_MIN || v > INT32_MAX)
			return false;
	}
	return true;
}

int32_t *fold_narrow(const struct tflite_tensor *t)
{
	size_t n = tflite_elements(t);
	int32_t *values = malloc((n + 1) * sizeof(*values));

	for (size_t i = 0; values && i < n; i++)
		values[i] = (int32_t)load_int(t, i);
	return values;
}

bool fold_has_real(const struct tflite_tensor *t)
{
	switch (t->type) {
	case NNIMPORT_FLOAT32:
	case NNIMPORT_FLOAT16:
		return true;
	case NNIMPORT_INT8:
	case NNIMPORT_UINT8:
	case NNIMPORT_INT16:
	case NNIMPORT_INT32:
		return t->num_scales > 0;
	default:
		return false;
	}
}

float *fold_real(const struct tflite_model *model, const struct tflite_tensor *t)
{
	size_t n = tflite_elements(t), inner = 1;
	float *values = malloc((n + 1) * sizeof(*values));

	if (!values)
		return NULL;
	for (uint32_t d = (uint32_t)t->quantized_dimension + 1; t->num_scales > 1 && d < t->rank;
	     d++)
		inner *= (size_t)t->dims[d];
	for (size_t i = 0; i < n; i++) {
		uint32_t channel = (uint32_t)(i / inner % (t->num_scales ? t->num_scales : 1));

		if (t->type == NNIMPORT_FLOAT32 || t->type == NNIMPORT_FLOAT16)
			values[i] = load_float(t, i);
		else
			values[i] = (float)((double)load_int(t, i) -
					    (double)tflite_zero_point(model, t, channel)) *
				    tflite_scale(model, t, channel);
	}
	return values;
}

/* Elements that an operation may make of a few numbers. */
#define MAX_ELEMENTS (1 << 20)

/* The shape of an output that the file does not know. */
static void set_result_shape(struct tflite_tensor *y, uint32_t rank, int32_t rows, int32_t columns)
{
	y->ranked = true;
	y->rank = rank;
	y->dims[0] = rows;
	y->dims[1] = columns;
	y->size = (size_t)rows * (size_t)columns * nnimport_type_size(y->type);
}

/* A constant output of @count integers. */
static int fold_ints(struct import *im, const int32_t *values, uint32_t count)
{
	struct tflite_tensor *y = import_output_tensor(im, 0);
	size_t element = nnimport_type_size(y->type);
	uint8_t *data;

	if (!y->ranked)
		set_result_shape(y, count == 1 ? 0 : 1, (int32_t)count, 1);
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

/* The one value of a constant number. */
static int constant_number(struct import *im, uint32_t i, double *value)
{
	const struct tflite_tensor *t = import_input_tensor(im, i);
	float real;
	int32_t word;
	int ret;

	if (!t->data || tflite_elements(t) != 1)
		return import_lacks(
			im,
			"input %u (tensor %s) must be a constant number: NNAPI has no shape that depends on data",
			i, t->name);
	if (t->type == NNIMPORT_FLOAT32) {
		memcpy(&real, t->data, sizeof(real));
		*value = (double)real;
		return 0;
	}
	ret = import_constant_ints(im, i, &word, 1);
	*value = word;
	return ret < 0 ? ret : 0;
}

int import_range(struct import *im, const struct import_row *row)
{
	struct tflite_tensor *y;
	double range[3] = { 0 }, count;
	int ret = import_check_counts(im, 3, 3, 1);
	uint8_t *data;
	int64_t whole;
	float real;

	(void)row;
	for (uint32_t i = 0; i < 3 && !ret; i++)
		ret = constant_number(im, i, &range[i]);
	if (ret)
		return ret;
	y = import_output_tensor(im, 0);
	real = (float)range[0];
	whole = (int64_t)range[0];
	if (y->type == NNIMPORT_FLOAT32)
		count = (double)ceilf(((float)range[1] - real) / (float)range[2]);
	else
		count = ceil((range[1] - range[0]) / range[2]);
	if (!(count >= 1 && count <= MAX_ELEMENTS))
		return import_lacks(im, "its result has %g elements, may have 1 to %d", count,
				    MAX_ELEMENTS);
	if (!y->ranked)
		set_result_shape(y, 1, (int32_t)count, 1);
	if (y->type != import_input_tensor(im, 0)->type || tflite_elements(y) != (size_t)count)
		return import_failed(im, -EINVAL,
				     "the output (tensor %s) has %zu elements of %s instead of %g",
				     y->name, tflite_elements(y), nnimport_type_name(y->type),
				     count);
	data = calloc((size_t)count + 1, nnimport_type_size(y->type));
	for (size_t i = 0; data && i < (size_t)count; i++) {
		if (y->type == NNIMPORT_FLOAT32)
			memcpy(data + i * sizeof(real), &real, sizeof(real));
		else
			memcpy(data + i * nnimport_type_size(y->type), &whole,
			       nnimport_type_size(y->type));
		/* a sum of steps, which rounds each time, as in TFLite */
		real += (float)range[2];
		whole += (int64_t)range[2];
	}
	return import_fold(im, 0, data);
}

/* Whether element @i of a constant is not 0. */
static bool is_set(const struct tflite_tensor *t, size_t i)
{
	const uint8_t *p = (const uint8_t *)t->data + i * nnimport_type_size(t->type);

	for (size_t k = 0; k < nnimport_type_size(t->type); k++)
		/* -0.0 is 0 */
		if (k + 1 == nnimport_type_size(t->type) && t->type == NNIMPORT_FLOAT32
			    ? p[k] & 0x7f
			    : p[k])
			return true;
	return false;
}

/* The places of the elements that are set, a row each. */
int import_where(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x;
	struct tflite_tensor *y;
	int ret = import_check_counts(im, 1, 1, 1);
	size_t n, count = 0, at = 0;
	int64_t *data;

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	y = import_output_tensor(im, 0);
	if (!x->data || !x->rank)
		return import_lacks(
			im,
			"its condition (tensor %s) must be a constant: NNAPI has no shape that depends on data",
			x->name);
	n = tflite_elements(x);
	for (size_t i = 0; i < n; i++)
		count += is_set(x, i);
	if (!count || count > MAX_ELEMENTS)
		return import_lacks(im, "its result has %zu rows, may have 1 to %d", count,
				    MAX_ELEMENTS);
	if (!y->ranked)
		set_result_shape(y, 2, (int32_t)count, (int32_t)x->rank);
	if (y->type != NNIMPORT_INT64 || tflite_elements(y) != count * x->rank)
		return import_failed(im, -EINVAL, "the output (tensor %s) has %zu elements of %s",
				     y->name, tflite_elements(y), nnimport_type_name(y->type));
	data = malloc((count * x->rank + 1) * sizeof(*data));
	for (size_t i = 0; data && i < n; i++) {
		size_t rest = i;

		if (!is_set(x, i))
			continue;
		for (uint32_t d = x->rank; d-- > 0; rest /= (size_t)x->dims[d])
			data[at + d] = (int64_t)(rest % (size_t)x->dims[d]);
		at += x->rank;
	}
	return import_fold(im, 0, data);
}

/* The shape that two shapes broadcast to. */
int import_broadcast_args(struct import *im, const struct import_row *row)
{
	int32_t shapes[2][NNIMPORT_MAX_RANK], n[2] = { 0 }, *large = shapes[0], *small = shapes[1];
	int ret = import_check_counts(im, 2, 2, 1), more;

	(void)row;
	for (uint32_t i = 0; i < 2 && ret >= 0; i++)
		n[i] = ret = import_constant_ints(im, i, shapes[i], NNIMPORT_MAX_RANK);
	if (ret < 0)
		return ret;
	more = n[0] - n[1];
	if (more < 0) {
		large = shapes[1];
		small = shapes[0];
		more = -more;
	}
	ret = n[0] > n[1] ? n[0] : n[1];
	for (int i = more; i < ret; i++) {
		if (large[i] != small[i - more] && large[i] != 1 && small[i - more] != 1)
			return import_failed(im, -EINVAL, "extents %d and %d do not broadcast",
					     large[i], small[i - more]);
		if (large[i] == 1)
			large[i] = small[i - more];
	}
	return fold_ints(im, large, (uint32_t)ret);
}
