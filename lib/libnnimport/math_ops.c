// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Elements along the axis of a CUMSUM, which becomes as many additions. */
#define MAX_SUMS 512

/* Operations of two inputs that take an activation as well. */
static const uint32_t with_activation[] = { NNMODEL_ADD, NNMODEL_SUB, NNMODEL_MUL, NNMODEL_DIV };

/* @a and @b, or @a alone (@b -1), to @out. */
static int math_ops_emit(struct import *im, uint32_t opcode, int out, int a, int b)
{
	if (b < 0)
		return IMPORT_EMIT(im, opcode, out, a);
	for (size_t i = 0; i < sizeof(with_activation) / sizeof(with_activation[0]); i++)
		if (with_activation[i] == opcode)
			return IMPORT_EMIT(im, opcode, out, a, b,
					   nnmodel_add_int32(im->nn, NNMODEL_FUSED_NONE));
	return IMPORT_EMIT(im, opcode, out, a, b);
}

/* The same to a temporary of the form of @a, or of the type @type. */
static int value(struct import *im, uint32_t opcode, int a, int b, uint32_t type)
{
	struct import_form form = import_form_of(im, a);
	int out, ret;

	if (a < 0)
		return a;
	form.type = type == UINT32_MAX ? form.type : type;
	out = import_temporary(im, &form);
	ret = math_ops_emit(im, opcode, out, a, b);
	return ret ? ret : out;
}

static int unary(struct import *im, uint32_t opcode, int a)
{
	return value(im, opcode, a, -1, UINT32_MAX);
}

/* A helper that failed gave @b: it has set the message. */
static int binary(struct import *im, uint32_t opcode, int a, int b)
{
	return b < 0 ? b : value(im, opcode, a, b, UINT32_MAX);
}

/* @a and the number @number. */
static int with(struct import *im, uint32_t opcode, int a, float number)
{
	return a < 0 ? a
		     : binary(im, opcode, a, import_one(im, import_form_of(im, a).type, number));
}

static int math_ops_compare(struct import *im, uint32_t opcode, int a, float number)
{
	int b = a < 0 ? a : import_one(im, import_form_of(im, a).type, number);

	return b < 0 ? b : value(im, opcode, a, b, NNMODEL_TENSOR_BOOL8);
}

/* @number in the form of @like. */
static int math_ops_filled(struct import *im, int like, float number)
{
	struct import_form form = import_form_of(im, like);

	return like < 0 ? like : import_repeated(im, import_one(im, form.type, number), &form);
}

/* @a where @where, else @b. */
static int math_ops_choose(struct import *im, int where, int a, int b)
{
	struct import_form form = import_form_of(im, a);
	int out, ret;

	if (where < 0 || a < 0 || b < 0)
		return -EINVAL;
	out = import_temporary(im, &form);
	ret = IMPORT_EMIT(im, NNMODEL_SELECT, out, where, a, b);
	return ret ? ret : out;
}

/* 1 - 2 sin(x/2)^2: x/2 is exact, unlike x + pi/2. */
int import_cos(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1), s;

	if (ret)
		return ret;
	s = unary(im, row->nn_opcode, with(im, NNMODEL_MUL, import_input(im, 0), 0.5f));
	s = with(im, NNMODEL_MUL, binary(im, NNMODEL_MUL, s, s), -2.0f);
	return s < 0 ? s
		     : math_ops_emit(im, NNMODEL_ADD, import_output(im, 0), s,
				     import_one(im, import_form_of(im, s).type, 1.0f));
}

/*
 * To the nearest, halves to the even one. As TFLite computes it: by the distance from the whole
 * number below. The even one of the two is 2 floor(below/2 + 1/2).
 */
int import_round(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1), x, below, above, even, distance;

	if (ret)
		return ret;
	x = import_input(im, 0);
	below = unary(im, row->nn_opcode, x);
	distance = binary(im, NNMODEL_SUB, x, below);
	above = with(im, NNMODEL_ADD, below, 1.0f);
	even = with(im, NNMODEL_ADD, with(im, NNMODEL_MUL, below, 0.5f), 0.5f);
	even = with(im, NNMODEL_MUL, unary(im, row->nn_opcode, even), 2.0f);
	above = math_ops_choose(im, math_ops_compare(im, NNMODEL_GREATER, distance, 0.5f), above,
				even);
	return IMPORT_EMIT(im, NNMODEL_SELECT, import_output(im, 0),
			   math_ops_compare(im, NNMODEL_LESS, distance, 0.5f), below, above);
}

int import_sign(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1), x, rest;

	if (ret)
		return ret;
	x = import_input(im, 0);
	rest = math_ops_choose(im, math_ops_compare(im, NNMODEL_LESS, x, 0),
			       math_ops_filled(im, x, -1), math_ops_filled(im, x, 0));
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0),
			   math_ops_compare(im, NNMODEL_GREATER, x, 0), math_ops_filled(im, x, 1),
			   rest);
}

static int math_ops_reciprocal(struct import *im, int a)
{
	struct import_form form = import_form_of(im, a);
	int out, ret;

	if (a < 0)
		return a;
	out = import_temporary(im, &form);
	ret = math_ops_emit(im, NNMODEL_DIV, out, import_one(im, form.type, 1.0f), a);
	return ret ? ret : out;
}

/* 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
static int gelu_by_tanh(struct import *im, int x, int out)
{
	int y = with(im, NNMODEL_MUL, binary(im, NNMODEL_MUL, x, x), 0.044715f);

	y = binary(im, NNMODEL_MUL, with(im, NNMODEL_ADD, y, 1.0f), x);
	y = unary(im, NNMODEL_TANH, with(im, NNMODEL_MUL, y, 0.7978845608f));
	y = with(im, NNMODEL_MUL, with(im, NNMODEL_ADD, y, 1.0f), 0.5f);
	return y < 0 ? y : math_ops_emit(im, NNMODEL_MUL, out, y, x);
}

/*
 * x times the normal distribution is max(x, 0) - |x| q(|x|), where q is the tail of the
 * distribution beyond |x|: half of the error function's complement, which a polynomial in
 * 1 / (1 + p |x|) times exp(-x^2 / 2) approximates to 1e-7 (Abramowitz and Stegun, 7.1.26).
 */
static int gelu_by_tail(struct import *im, int x)
{
	static const float halves[] = { 0.5307027145f, -0.7265760135f, 0.7107068705f, -0.142248368f,
					0.127414796f };
	/* beyond 20 the tail is 0, and the square of an infinite number times it is none */
	int a = with(im, NNMODEL_MINIMUM, unary(im, NNMODEL_ABS, x), 20.0f), t, q, e;

	/* p / sqrt(2) */
	t = with(im, NNMODEL_ADD, with(im, NNMODEL_MUL, a, 0.2316418882f), 1.0f);
	t = math_ops_reciprocal(im, t);
	q = with(im, NNMODEL_MUL, t, halves[0]);
	for (size_t i = 1; i < sizeof(halves) / sizeof(halves[0]); i++)
		q = binary(im, NNMODEL_MUL, with(im, NNMODEL_ADD, q, halves[i]), t);
	e = with(im, NNMODEL_MUL, binary(im, NNMODEL_MUL, a, a), -0.5f);
	q = binary(im, NNMODEL_MUL, q, unary(im, NNMODEL_EXP, e));
	return binary(im, NNMODEL_MUL, q, a);
}

enum { GELU_APPROXIMATE };

int import_gelu(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1), x, y;

	if (ret)
		return ret;
	x = import_input(im, 0);
	if (import_option_byte(im, GELU_APPROXIMATE, 0))
		return gelu_by_tanh(im, x, import_output(im, 0));
	y = gelu_by_tail(im, x);
	x = unary(im, NNMODEL_RELU, x);
	return x < 0 || y < 0 ? -EINVAL
			      : math_ops_emit(im, row->nn_opcode, import_output(im, 0), x, y);
}

/* Extents in front of an axis, along it, and behind it. */
static int axis_view(struct import *im, int x, const struct tflite_tensor *t, int32_t axis,
		     int32_t view[3])
{
	if (axis < 0 || (uint32_t)axis >= t->rank)
		return import_failed(im, -EINVAL, "axis %d is not one of tensor %s", axis, t->name);
	merged_around(t, axis, view);
	return x < 0 ? x : import_reshaped(im, x, view, 3);
}

/* @count entries from @start on along the middle one of three dimensions. */
static int math_ops_part(struct import *im, int x, int32_t start, int32_t count)
{
	struct import_form form = import_form_of(im, x);
	const int32_t begin[3] = { 0, start, 0 };
	int out, ret;

	if (x < 0)
		return x;
	form.dims[1] = count;
	out = import_temporary(im, &form);
	ret = IMPORT_EMIT(im, NNMODEL_SLICE, out, x, import_int32_tensor(im, begin, 3),
			  import_int32_tensor(im, form.dims, 3));
	return ret ? ret : out;
}

enum { CUMSUM_EXCLUSIVE, CUMSUM_REVERSE };

/* A sum after the other, in TFLite's order, and a PACK of all. */
static int emit_sums(struct import *im, int x, const int32_t view[3],
		     const struct import_form *form)
{
	const bool exclusive = import_option_byte(im, CUMSUM_EXCLUSIVE, 0);
	const bool reverse = import_option_byte(im, CUMSUM_REVERSE, 0);
	const int32_t row[2] = { view[0], view[2] };
	int in[MAX_SUMS + 1] = { nnmodel_add_int32(im->nn, 1) }, sum = -1, out, next;

	for (int32_t i = 0; i < view[1]; i++) {
		int32_t at = reverse ? view[1] - 1 - i : i;

		next = import_reshaped(im, math_ops_part(im, x, at, 1), row, 2);
		if (next < 0)
			return next;
		if (exclusive)
			in[1 + at] = sum < 0 ? math_ops_filled(im, next, 0) : sum;
		sum = sum < 0 ? next : binary(im, NNMODEL_ADD, sum, next);
		if (!exclusive)
			in[1 + at] = sum;
		if (sum < 0)
			return sum;
	}
	out = import_output_as(im, 0, form);
	return import_emit(im, NNMODEL_PACK, in, (uint32_t)view[1] + 1, &out, 1);
}

int import_cumsum(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1), x;
	const struct tflite_tensor *t;
	struct import_form form;
	int32_t axis, view[3];

	(void)row;
	if (ret)
		return ret;
	ret = import_constant_ints(im, 1, &axis, 1);
	if (ret != 1)
		return ret < 0 ? ret : import_failed(im, -EINVAL, "it has %d axes", ret);
	t = import_input_tensor(im, 0);
	x = axis_view(im, import_input(im, 0), t, import_axis(axis, t->rank), view);
	if (x < 0)
		return x;
	if (view[1] > MAX_SUMS)
		return import_lacks(im, "it adds %d elements along axis %d, must be at most %d",
				    view[1], axis, MAX_SUMS);
	ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	form.rank = 3;
	memcpy(form.dims, view, sizeof(view));
	return emit_sums(im, x, view, &form);
}

/* Halves of a dimension on each other until one entry is left. */
static int halve(struct import *im, uint32_t opcode, int x, int32_t n)
{
	int rest = -1, half;

	while (n > 1 && x >= 0) {
		half = n / 2;
		if (n % 2)
			rest = rest < 0 ? math_ops_part(im, x, n - 1, 1)
					: binary(im, opcode, rest, math_ops_part(im, x, n - 1, 1));
		x = binary(im, opcode, math_ops_part(im, x, 0, half),
			   math_ops_part(im, x, half, half));
		n = half;
	}
	return rest < 0 || x < 0 ? x : binary(im, opcode, x, rest);
}

/* The operation of two numbers behind a reduction. */
static uint32_t pairwise(uint32_t reduction)
{
	static const uint32_t pairs[][2] = {
		{ NNMODEL_REDUCE_SUM, NNMODEL_ADD },
		{ NNMODEL_REDUCE_PROD, NNMODEL_MUL },
		{ NNMODEL_REDUCE_MAX, NNMODEL_MAXIMUM },
		{ NNMODEL_REDUCE_MIN, NNMODEL_MINIMUM },
	};
	uint32_t i = 0;

	while (pairs[i][0] != reduction)
		i++;
	return pairs[i][1];
}

int import_reduce_int32(struct import *im, const struct import_row *row)
{
	const bool keep = import_option_byte(im, 0, 0);
	int32_t axes[NNIMPORT_MAX_RANK], view[3];
	struct tflite_tensor t = *import_input_tensor(im, 0);
	bool gone[NNIMPORT_MAX_RANK] = { false };
	struct import_form out;
	int n = import_constant_ints(im, 1, axes, NNIMPORT_MAX_RANK), x;
	int ret = n < 0 ? n : import_output_form(im, 0, &out);

	if (ret)
		return ret;
	x = import_input(im, 0);
	for (int i = 0; i < n && x >= 0; i++) {
		int32_t axis = import_axis(axes[i], t.rank);

		x = axis_view(im, x, &t, axis, view);
		if (x < 0)
			break;
		x = halve(im, pairwise(row->nn_opcode), x, view[1]);
		t.dims[axis] = 1;
		gone[axis] = true;
	}
	if (x < 0)
		return x;
	out.rank = 0;
	for (uint32_t d = 0; d < t.rank; d++)
		if (keep || !gone[d])
			out.dims[out.rank++] = t.dims[d];
	if (!out.rank)
		out.dims[out.rank++] = 1;
	if (!import_output_tensor(im, 0)->ranked &&
	    import_set_shape(im, import_output_tensor(im, 0), out.dims, out.rank))
		return -EINVAL;
	merged_form(&out);
	return IMPORT_EMIT(im, NNMODEL_RESHAPE, import_output_as(im, 0, &out), x,
			   import_int32_tensor(im, out.dims, out.rank));
}
