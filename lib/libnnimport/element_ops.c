// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int import_plain(struct import *im, const struct import_row *row)
{
	int in[4], ret = import_check_counts(im, 1, 4, 1), out;

	if (ret)
		return ret;
	for (uint32_t i = 0; i < im->op->num_inputs; i++)
		in[i] = import_input(im, i);
	out = import_output(im, 0);
	return import_emit(im, row->nn_opcode, in, im->op->num_inputs, &out, 1);
}

int import_arithmetic(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_input(im, 1), import_activation(im));
}

/*
 * NNAPI wants the output scale of a quantized MUL above the product of the inputs'. With another
 * one it is computed in real numbers.
 */
int import_mul(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *a, *b, *y;
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	a = import_input_tensor(im, 0);
	b = import_input_tensor(im, 1);
	y = import_output_tensor(im, 0);
	if (import_is_quant8(y) && a->num_scales == 1 && b->num_scales == 1 && y->num_scales == 1 &&
	    !(tflite_scale(im->tfl, y, 0) >
	      tflite_scale(im->tfl, a, 0) * tflite_scale(im->tfl, b, 0)))
		im->real = true;
	return import_arithmetic(im, row);
}

/* A temporary of the type and shape that output 0 has without fixes. */
static int like_output(struct import *im, uint32_t type)
{
	struct import_form form;
	int ret = import_output_form(im, 0, &form);

	if (ret)
		return ret;
	if (type != UINT32_MAX)
		form.type = type;
	form.scale = 0;
	form.zero_point = 0;
	return import_temporary(im, &form);
}

static int none(struct import *im)
{
	return nnmodel_add_int32(im->nn, NNMODEL_FUSED_NONE);
}

/*
 * NNAPI's DIV of INT32 rounds to minus infinity, TFLite's to zero: one more where the quotient is
 * negative and not exact.
 */
static int div_int32(struct import *im)
{
	int a = import_input(im, 0), b = import_input(im, 1), out = import_output(im, 0);
	int quotient = like_output(im, NNMODEL_TENSOR_INT32);
	int product = like_output(im, NNMODEL_TENSOR_INT32);
	int next = like_output(im, NNMODEL_TENSOR_INT32);
	int inexact = like_output(im, NNMODEL_TENSOR_BOOL8);
	int negative = like_output(im, NNMODEL_TENSOR_BOOL8);
	int both = like_output(im, NNMODEL_TENSOR_BOOL8), ret;

	ret = IMPORT_EMIT(im, NNMODEL_DIV, quotient, a, b, none(im));
	if (!ret)
		ret = IMPORT_EMIT(im, NNMODEL_MUL, product, quotient, b, none(im));
	if (!ret)
		ret = IMPORT_EMIT(im, NNMODEL_NOT_EQUAL, inexact, product, a);
	if (!ret)
		ret = IMPORT_EMIT(im, NNMODEL_LESS, negative, quotient,
				  import_one(im, NNMODEL_TENSOR_INT32, 0));
	if (!ret)
		ret = IMPORT_EMIT(im, NNMODEL_LOGICAL_AND, both, inexact, negative);
	if (!ret)
		ret = IMPORT_EMIT(im, NNMODEL_ADD, next, quotient,
				  import_one(im, NNMODEL_TENSOR_INT32, 1), none(im));
	return ret ? ret : IMPORT_EMIT(im, NNMODEL_SELECT, out, both, next, quotient);
}

int import_div(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	return import_input_tensor(im, 0)->type == NNIMPORT_INT32 ? div_int32(im)
								  : import_arithmetic(im, row);
}

/* NNAPI's DIV of INT32 is that of FLOOR_DIV. */
int import_floor_div(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1), quotient;

	if (ret)
		return ret;
	if (import_input_tensor(im, 0)->type == NNIMPORT_INT32)
		return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
				   import_input(im, 1), none(im));
	quotient = like_output(im, UINT32_MAX);
	ret = IMPORT_EMIT(im, row->nn_opcode, quotient, import_input(im, 0), import_input(im, 1),
			  none(im));
	return ret ? ret : IMPORT_EMIT(im, NNMODEL_FLOOR, import_output(im, 0), quotient);
}

/* a - floor(a / b) * b */
int import_floor_mod(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1), quotient, whole, product, a, b;

	if (ret)
		return ret;
	a = import_input(im, 0);
	b = import_input(im, 1);
	quotient = like_output(im, UINT32_MAX);
	product = like_output(im, UINT32_MAX);
	ret = IMPORT_EMIT(im, row->nn_opcode, quotient, a, b, none(im));
	whole = quotient;
	if (!ret && import_form_of(im, quotient).type != NNMODEL_TENSOR_INT32) {
		whole = like_output(im, UINT32_MAX);
		ret = IMPORT_EMIT(im, NNMODEL_FLOOR, whole, quotient);
	}
	if (!ret)
		ret = IMPORT_EMIT(im, NNMODEL_MUL, product, whole, b, none(im));
	return ret ? ret : IMPORT_EMIT(im, NNMODEL_SUB, import_output(im, 0), a, product, none(im));
}

int import_add_n(struct import *im, const struct import_row *row)
{
	int ret = import_check_list(im), sum, next;
	uint32_t n = im->op->num_inputs;

	if (ret)
		return ret;
	sum = import_input(im, 0);
	if (n == 1)
		return import_reshape(im, sum, import_output(im, 0));
	for (uint32_t i = 1; i < n && !ret; i++) {
		next = i + 1 < n ? like_output(im, UINT32_MAX) : import_output(im, 0);
		ret = IMPORT_EMIT(im, row->nn_opcode, next, sum, import_input(im, i), none(im));
		sum = next;
	}
	return ret;
}

int import_elu(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_float_for(im, import_input_tensor(im, 0), 1.0f));
}

/* PRELU with one slope for all. */
int import_leaky_relu(struct import *im, const struct import_row *row)
{
	float alpha = import_option_float(im, 0, 0);
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_one(im, import_type(im, import_input_tensor(im, 0)), alpha));
}

int import_relu_0_to_1(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1), positive;
	uint32_t type;

	if (ret)
		return ret;
	type = import_type(im, import_input_tensor(im, 0));
	positive = like_output(im, UINT32_MAX);
	ret = IMPORT_EMIT(im, NNMODEL_RELU, positive, import_input(im, 0));
	return ret ? ret
		   : IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), positive,
				 import_one(im, type, 1.0f));
}

/* -floor(-x) */
int import_ceil(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1), negated, whole;

	if (ret)
		return ret;
	negated = like_output(im, UINT32_MAX);
	whole = like_output(im, UINT32_MAX);
	ret = IMPORT_EMIT(im, NNMODEL_NEG, negated, import_input(im, 0));
	if (!ret)
		ret = IMPORT_EMIT(im, row->nn_opcode, whole, negated);
	return ret ? ret : IMPORT_EMIT(im, NNMODEL_NEG, import_output(im, 0), whole);
}

int import_square(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1), x;

	if (ret)
		return ret;
	x = import_input(im, 0);
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), x, x, none(im));
}

int import_squared_difference(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1), difference;

	if (ret)
		return ret;
	difference = like_output(im, UINT32_MAX);
	ret = IMPORT_EMIT(im, NNMODEL_SUB, difference, import_input(im, 0), import_input(im, 1),
			  none(im));
	return ret ? ret
		   : IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), difference, difference,
				 none(im));
}

int import_softmax(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_float_for(im, import_input_tensor(im, 0),
					    import_option_float(im, 0, 0)));
}

int import_log_softmax(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_float_for(im, import_input_tensor(im, 0), 1.0f),
			   nnmodel_add_int32(im->nn, -1));
}

enum { LRN_RADIUS, LRN_BIAS, LRN_ALPHA, LRN_BETA };

int import_response_normalization(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x;
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_option_operand(im, LRN_RADIUS, 0),
			   import_float_for(im, x, import_option_float(im, LRN_BIAS, 0)),
			   import_float_for(im, x, import_option_float(im, LRN_ALPHA, 0)),
			   import_float_for(im, x, import_option_float(im, LRN_BETA, 0)));
}

/*
 * NNAPI's condition and values have one shape; TFLite's broadcast, and the condition of SELECT may
 * choose rows.
 */
int import_select(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *condition, *y;
	struct import_form form;
	int ret = import_check_counts(im, 3, 3, 1), where;
	int32_t dims[NNIMPORT_MAX_RANK];

	if (ret)
		return ret;
	condition = import_input_tensor(im, 0);
	y = import_output_tensor(im, 0);
	if (condition->type != NNIMPORT_BOOL)
		return import_failed(im, -EINVAL, "the condition (tensor %s) is %s",
				     condition->name, nnimport_type_name(condition->type));
	ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	where = import_input(im, 0);
	if (condition->rank == 1 && y->rank > MERGED_RANK && !im->num_groups)
		return import_lacks(im, "tensor %s has rank %u: NNAPI has up to %d dimensions",
				    y->name, y->rank, MERGED_RANK);
	if (condition->rank == 1 && y->rank > 1 && im->op->opcode == 64 &&
	    condition->dims[0] == y->dims[0]) {
		dims[0] = y->dims[0];
		for (uint32_t i = 1; i < y->rank; i++)
			dims[i] = 1;
		where = import_reshaped(im, where, dims, y->rank);
	}
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0),
			   import_repeated(im, where, &form),
			   import_repeated(im, import_input(im, 1), &form),
			   import_repeated(im, import_input(im, 2), &form));
}

/* Input @i, repeated to the shape of output 0, which input @shape names. */
static int repeat_input(struct import *im, uint32_t i, uint32_t shape)
{
	int32_t dims[NNIMPORT_MAX_RANK];
	struct import_form form;
	int ret = import_check_counts(im, 2, 2, 1), whole;

	if (!ret && !import_output_tensor(im, 0)->ranked) {
		ret = import_constant_ints(im, shape, dims, NNIMPORT_MAX_RANK);
		if (ret >= 0)
			ret = import_set_shape(im, import_output_tensor(im, 0), dims,
					       (uint32_t)ret);
	}
	if (!ret && i < shape)
		ret = merged_choose_groups(im);
	if (!ret)
		ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	whole = import_repeated(im, import_input(im, i), &form);
	if (whole < 0)
		return whole;
	if (form.type != NNMODEL_TENSOR_BOOL8)
		return IMPORT_EMIT(im, NNMODEL_RESHAPE, import_output(im, 0), whole,
				   import_int32_tensor(im, form.dims, form.rank));
	/* several operations, which write the output as it is in the file */
	im->num_groups = 0;
	return import_reshape(im, whole, import_output(im, 0));
}

int import_broadcast_to(struct import *im, const struct import_row *row)
{
	(void)row;
	return repeat_input(im, 0, 1);
}

int import_fill(struct import *im, const struct import_row *row)
{
	(void)row;
	return repeat_input(im, 1, 0);
}

/* A constant tensor of one value in the shape of output 0. */
static int element_ops_filled(struct import *im, uint32_t type, float value)
{
	int one = import_one(im, type, value);
	struct import_form form;
	int ret = import_output_form(im, 0, &form);

	return ret ? ret : import_repeated(im, one, &form);
}

/* NNAPI's CAST takes no BOOL8. */
int import_cast(struct import *im, const struct import_row *row)
{
	struct tflite_tensor *x, *y;
	int ret = import_check_counts(im, 1, 1, 1), in;
	uint32_t type;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	y = import_output_tensor(im, 0);
	/* Values that fit 32 bits keep them. */
	if (y->type == NNIMPORT_INT64 && x->type != NNIMPORT_FLOAT32 && x->type != NNIMPORT_FLOAT16)
		im->tensors[im->op->outputs[0]].narrow = true;
	in = import_input(im, 0);
	if (in < 0)
		return in;
	if (x->type == NNIMPORT_BOOL && y->type != NNIMPORT_BOOL) {
		type = import_type(im, y);
		return IMPORT_EMIT(im, NNMODEL_SELECT, import_output(im, 0), in,
				   element_ops_filled(im, type, 1),
				   element_ops_filled(im, type, 0));
	}
	type = import_form_of(im, in).type;
	if (y->type == NNIMPORT_BOOL && x->type != NNIMPORT_BOOL)
		return IMPORT_EMIT(im, NNMODEL_NOT_EQUAL, import_output(im, 0), in,
				   import_one(im, type, 0));
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), in);
}

int import_dequantize(struct import *im, const struct import_row *row)
{
	struct tflite_tensor *x, *y;
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	y = import_output_tensor(im, 0);
	if (y->type != NNIMPORT_FLOAT32)
		return import_failed(im, -EINVAL, "the output (tensor %s) is %s", y->name,
				     nnimport_type_name(y->type));
	if (x->data && fold_has_real(x) && tflite_elements(x) == tflite_elements(y))
		return import_fold(im, 0, fold_real(im->tfl, x));
	if (x->type == NNIMPORT_FLOAT16)
		return IMPORT_EMIT(im, NNMODEL_CAST, import_output(im, 0), import_input(im, 0));
	if (!import_is_quant8(x))
		return import_lacks(im, "NNAPI has no DEQUANTIZE of %s (tensor %s)",
				    nnimport_type_name(x->type), x->name);
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0));
}

int import_densify(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x, *y;
	int ret = import_check_counts(im, 1, 1, 1);
	void *copy;

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	y = import_output_tensor(im, 0);
	if (!x->data)
		return import_lacks(im, "tensor %s must be a constant", x->name);
	if (x->type != y->type || x->size != y->size)
		return import_failed(im, -EINVAL, "tensors %s and %s differ in size", x->name,
				     y->name);
	copy = malloc(x->size + 1);
	if (copy)
		memcpy(copy, x->data, x->size);
	return import_fold(im, 0, copy);
}

/* NNAPI has no requantization: it is done through float, and the driver fuses the two. */
int import_quantize(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x, *y;
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	y = import_output_tensor(im, 0);
	if (!import_is_quant8(y))
		return import_lacks(im, "NNAPI has no QUANTIZE to %s (tensor %s)",
				    nnimport_type_name(y->type), y->name);
	if (x->type == NNIMPORT_FLOAT32 || x->type == NNIMPORT_FLOAT16)
		return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0));
	if (!import_is_quant8(x))
		return import_lacks(im, "NNAPI has no QUANTIZE of %s (tensor %s)",
				    nnimport_type_name(x->type), x->name);
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_real(im, 0));
}

enum { MATMUL_ADJOINT_X, MATMUL_ADJOINT_Y };

int import_batch_matmul(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1), in[2];

	if (ret)
		return ret;
	for (uint32_t i = 0; i < 2; i++) {
		const struct tflite_tensor *t = import_input_tensor(im, i);

		in[i] = t->type != import_input_tensor(im, 0)->type ? import_real(im, i)
								    : import_input(im, i);
	}
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), in[0], in[1],
			   nnmodel_add_bool(im->nn, import_option_byte(im, MATMUL_ADJOINT_X, 0)),
			   nnmodel_add_bool(im->nn, import_option_byte(im, MATMUL_ADJOINT_Y, 0)));
}
