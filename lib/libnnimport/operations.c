// SPDX-License-Identifier: Apache-2.0
/* The table, and the translation of operations without weights and windows. */
#include "operations.h"

#include <errno.h>
#include <string.h>

#include "layers.h"

static int unary(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1);

	return ret ? ret
		   : IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0));
}

static int elu(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_float_for(im, import_input_tensor(im, 0), 1.0f));
}

static int binary(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_input(im, 1));
}

static int arithmetic(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_input(im, 1), import_activation(im, 0));
}

static int ternary(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 3, 3, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_input(im, 1), import_input(im, 2));
}

static int softmax(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_float_for(im, import_input_tensor(im, 0),
					    fb_f32(&im->op->options, 0, 0)));
}

static int log_softmax(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_float_for(im, import_input_tensor(im, 0), 1.0f),
			   nnmodel_add_int32(im->nn, -1));
}

/* The shape that the file gives the output is the one that RESHAPE computes. */
static int reshape(struct import *im, const struct import_row *row)
{
	int32_t one = 1;
	const struct tflite_tensor *out;
	int ret = import_check_counts(im, 1, 2, 1);

	if (ret)
		return ret;
	out = import_output_tensor(im, 0);
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_int32_tensor(im, out->rank ? out->dims : &one,
					       out->rank ? out->rank : 1));
}

static int expand_dims(struct import *im, const struct import_row *row)
{
	int32_t axis;
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	ret = import_constant_ints(im, 1, &axis, 1);
	if (ret < 0)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   nnmodel_add_int32(im->nn, axis));
}

static int concatenation(struct import *im, const struct import_row *row)
{
	int in[65], n = 0, ret = import_check_counts(im, 1, 64, 1), out;

	if (ret)
		return ret;
	if (import_output_tensor(im, 0)->type == NNIMPORT_INT32)
		return import_lacks(im, "NNAPI has no CONCATENATION of INT32");
	if (fb_i8(&im->op->options, 1, 0))
		return import_lacks(im, "NNAPI has no fused activation here");
	for (uint32_t i = 0; i < im->op->num_inputs; i++)
		in[n++] = import_input(im, i);
	in[n++] = nnmodel_add_int32(im->nn, import_axis(fb_i32(&im->op->options, 0, 0),
							import_output_tensor(im, 0)->rank));
	out = import_output(im, 0);
	return import_emit(im, row->nn_opcode, in, (uint32_t)n, &out, 1);
}

static int pack(struct import *im, const struct import_row *row)
{
	int in[65], n = 0, ret = import_check_counts(im, 1, 64, 1), out;

	if (ret)
		return ret;
	in[n++] = nnmodel_add_int32(im->nn, import_axis(fb_i32(&im->op->options, 1, 0),
							import_output_tensor(im, 0)->rank));
	for (uint32_t i = 0; i < im->op->num_inputs; i++)
		in[n++] = import_input(im, i);
	out = import_output(im, 0);
	return import_emit(im, row->nn_opcode, in, (uint32_t)n, &out, 1);
}

/* A tensor and an INT32 tensor of parameters: PAD, TRANSPOSE, TILE. */
static int with_int32_tensor(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *how;
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	how = import_input_tensor(im, 1);
	if (how->type != NNIMPORT_INT32)
		return import_lacks(im, "NNAPI has no %s parameters here",
				    nnimport_type_name(how->type));
	return binary(im, row);
}

static int reduce(struct import *im, const struct import_row *row)
{
	int32_t keep = fb_i8(&im->op->options, 0, 0) != 0;
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	/* MEAN alone takes the flag as INT32. */
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_input(im, 1),
			   row->nn_opcode == NNMODEL_MEAN ? nnmodel_add_int32(im->nn, keep)
							  : nnmodel_add_bool(im->nn, keep));
}

static int arg_minmax(struct import *im, const struct import_row *row)
{
	int32_t axis;
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	if (import_output_tensor(im, 0)->type != NNIMPORT_INT32)
		return import_lacks(im, "NNAPI has no %s result, only INT32",
				    nnimport_type_name(import_output_tensor(im, 0)->type));
	ret = import_constant_ints(im, 1, &axis, 1);
	if (ret < 0)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   nnmodel_add_int32(im->nn, axis));
}

static int resize(struct import *im, const struct import_row *row)
{
	/* The options of RESIZE_BILINEAR begin with two unused fields. */
	unsigned int first = row->nn_opcode == NNMODEL_RESIZE_BILINEAR ? 2 : 0;
	bool align = fb_i8(&im->op->options, first, 0),
	     half = fb_i8(&im->op->options, first + 1, 0);
	int in[6], n = 0, ret = import_check_counts(im, 2, 2, 1), out;
	int32_t size[2];

	if (ret)
		return ret;
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

/* NNAPI has no requantization: it is done through float, and the driver fuses the two. */
static int quantize(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x;
	int ret = import_check_counts(im, 1, 1, 1), real;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	if (x->type == NNIMPORT_FLOAT32 || x->type == NNIMPORT_FLOAT16)
		return unary(im, row);
	if (x->type != NNIMPORT_UINT8 && x->type != NNIMPORT_INT8)
		return import_lacks(im, "NNAPI has no QUANTIZE of %s", nnimport_type_name(x->type));
	real = import_temporary(im, NNMODEL_TENSOR_FLOAT32, x->dims, x->rank, 0, 0);
	ret = IMPORT_EMIT(im, NNMODEL_DEQUANTIZE, real, import_input(im, 0));
	return ret ? ret : IMPORT_EMIT(im, NNMODEL_QUANTIZE, import_output(im, 0), real);
}

static int gather(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, 2, 1);

	if (ret)
		return ret;
	if (fb_i32(&im->op->options, 1, 0))
		return import_lacks(im, "NNAPI has no batch dimensions here");
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   nnmodel_add_int32(im->nn, fb_i32(&im->op->options, 0, 0)),
			   import_input(im, 1));
}

static const struct import_row rows[] = {
	{ 0, NNMODEL_ADD, arithmetic },
	{ 1, NNMODEL_AVERAGE_POOL_2D, import_pool },
	{ 2, NNMODEL_CONCATENATION, concatenation },
	{ 3, NNMODEL_CONV_2D, import_conv2d },
	{ 4, NNMODEL_DEPTHWISE_CONV_2D, import_depthwise },
	{ 5, NNMODEL_DEPTH_TO_SPACE, NULL },
	{ 6, NNMODEL_DEQUANTIZE, unary },
	{ 7, NNMODEL_EMBEDDING_LOOKUP, binary },
	{ 8, NNMODEL_FLOOR, unary },
	{ 9, NNMODEL_FULLY_CONNECTED, import_fully_connected },
	{ 10, NNMODEL_HASHTABLE_LOOKUP, NULL },
	{ 11, NNMODEL_L2_NORMALIZATION, unary },
	{ 12, NNMODEL_L2_POOL_2D, import_pool },
	{ 13, NNMODEL_LOCAL_RESPONSE_NORMALIZATION, NULL },
	{ 14, NNMODEL_LOGISTIC, unary },
	{ 15, NNMODEL_LSH_PROJECTION, NULL },
	{ 16, NNMODEL_LSTM, NULL },
	{ 17, NNMODEL_MAX_POOL_2D, import_pool },
	{ 18, NNMODEL_MUL, arithmetic },
	{ 19, NNMODEL_RELU, unary },
	{ 20, NNMODEL_RELU1, unary },
	{ 21, NNMODEL_RELU6, unary },
	{ 22, NNMODEL_RESHAPE, reshape },
	{ 23, NNMODEL_RESIZE_BILINEAR, resize },
	{ 24, NNMODEL_RNN, NULL },
	{ 25, NNMODEL_SOFTMAX, softmax },
	{ 26, NNMODEL_SPACE_TO_DEPTH, NULL },
	{ 27, NNMODEL_SVDF, NULL },
	{ 28, NNMODEL_TANH, unary },
	{ 34, NNMODEL_PAD, with_int32_tensor },
	{ 35, NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN, NULL },
	{ 36, NNMODEL_GATHER, gather },
	{ 37, NNMODEL_BATCH_TO_SPACE_ND, NULL },
	{ 38, NNMODEL_SPACE_TO_BATCH_ND, NULL },
	{ 39, NNMODEL_TRANSPOSE, with_int32_tensor },
	{ 40, NNMODEL_MEAN, reduce },
	{ 41, NNMODEL_SUB, arithmetic },
	{ 42, NNMODEL_DIV, arithmetic },
	{ 43, NNMODEL_RESHAPE, reshape }, /* SQUEEZE: the file knows the result's shape */
	{ 44, NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, import_sequence_lstm },
	{ 45, NNMODEL_STRIDED_SLICE, NULL },
	{ 46, NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, NULL },
	{ 47, NNMODEL_EXP, unary },
	{ 48, NNMODEL_TOPK_V2, NULL },
	{ 49, NNMODEL_SPLIT, NULL },
	{ 50, NNMODEL_LOG_SOFTMAX, log_softmax },
	{ 52, NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, NULL },
	{ 53, NNMODEL_CAST, unary },
	{ 54, NNMODEL_PRELU, binary },
	{ 55, NNMODEL_MAXIMUM, binary },
	{ 56, NNMODEL_ARGMAX, arg_minmax },
	{ 57, NNMODEL_MINIMUM, binary },
	{ 58, NNMODEL_LESS, binary },
	{ 59, NNMODEL_NEG, unary },
	{ 60, NNMODEL_PAD_V2, NULL },
	{ 61, NNMODEL_GREATER, binary },
	{ 62, NNMODEL_GREATER_EQUAL, binary },
	{ 63, NNMODEL_LESS_EQUAL, binary },
	{ 64, NNMODEL_SELECT, ternary },
	{ 65, NNMODEL_SLICE, ternary },
	{ 66, NNMODEL_SIN, unary },
	{ 67, NNMODEL_TRANSPOSE_CONV_2D, NULL },
	{ 69, NNMODEL_TILE, with_int32_tensor },
	{ 70, NNMODEL_EXPAND_DIMS, expand_dims },
	{ 71, NNMODEL_EQUAL, binary },
	{ 72, NNMODEL_NOT_EQUAL, binary },
	{ 73, NNMODEL_LOG, unary },
	{ 74, NNMODEL_REDUCE_SUM, reduce },
	{ 75, NNMODEL_SQRT, unary },
	{ 76, NNMODEL_RSQRT, unary },
	{ 78, NNMODEL_POW, binary },
	{ 79, NNMODEL_ARGMIN, arg_minmax },
	{ 81, NNMODEL_REDUCE_PROD, reduce },
	{ 82, NNMODEL_REDUCE_MAX, reduce },
	{ 83, NNMODEL_PACK, pack },
	{ 84, NNMODEL_LOGICAL_OR, binary },
	{ 86, NNMODEL_LOGICAL_AND, binary },
	{ 87, NNMODEL_LOGICAL_NOT, unary },
	{ 89, NNMODEL_REDUCE_MIN, reduce },
	{ 91, NNMODEL_REDUCE_ANY, reduce },
	{ 94, NNMODEL_FILL, NULL },
	{ 97, NNMODEL_RESIZE_NEAREST_NEIGHBOR, resize },
	{ 100, NNMODEL_MIRROR_PAD, NULL },
	{ 101, NNMODEL_ABS, unary },
	{ 105, NNMODEL_REVERSE, NULL },
	{ 110, NNMODEL_RANK, NULL },
	{ 111, NNMODEL_ELU, elu },
	{ 114, NNMODEL_QUANTIZE, quantize },
	{ 117, NNMODEL_HARD_SWISH, unary },
	{ 118, NNMODEL_IF, NULL },
	{ 119, NNMODEL_WHILE, NULL },
	{ 126, NNMODEL_BATCH_MATMUL, NULL },
};

const struct import_row *import_row_find(int opcode)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return NULL;
}
