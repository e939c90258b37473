// SPDX-License-Identifier: Apache-2.0
/*
 * Convolutions, pooling, fully connected, recurrent. Option fields: the schema's *Options tables.
 */
#include "layers.h"

#include <errno.h>
#include <string.h>

enum { CONV_PADDING, CONV_STRIDE_W, CONV_STRIDE_H, CONV_ACT, CONV_DILATION_W, CONV_DILATION_H };
enum { DW_PADDING, DW_STRIDE_W, DW_STRIDE_H, DW_MULTIPLIER, DW_ACT, DW_DILATION_W, DW_DILATION_H };
enum { POOL_PADDING, POOL_STRIDE_W, POOL_STRIDE_H, POOL_FILTER_W, POOL_FILTER_H, POOL_ACT };
enum { FC_ACT, FC_FORMAT, FC_KEEP_DIMS };
enum { LSTM_ACT, LSTM_CELL_CLIP, LSTM_PROJ_CLIP, LSTM_TIME_MAJOR };

static int option_int(struct import *im, unsigned int field, int32_t def)
{
	return nnmodel_add_int32(im->nn, fb_i32(&im->op->options, field, def));
}

/* The forms with dilation also list the layout flag. */
static bool dilated(struct import *im, unsigned int w, unsigned int h)
{
	return fb_i32(&im->op->options, w, 1) != 1 || fb_i32(&im->op->options, h, 1) != 1;
}

static int check_filter(struct import *im)
{
	const struct tflite_tensor *in = import_input_tensor(im, 0),
				   *f = import_input_tensor(im, 1);

	if (f->rank != 4)
		return import_failed(im, -EINVAL, "the filter has rank %u", f->rank);
	if ((in->type == NNIMPORT_FLOAT32 || in->type == NNIMPORT_FLOAT16) && f->type != in->type)
		return import_lacks(im, "NNAPI has no %s input with %s filter (hybrid)",
				    nnimport_type_name(in->type), nnimport_type_name(f->type));
	return 0;
}

int import_conv2d(struct import *im, const struct import_row *row)
{
	int in[10], n = 0, ret = import_check_counts(im, 2, 3, 1);
	int out;

	if (ret || (ret = check_filter(im)))
		return ret;
	out = import_output(im, 0);
	in[n++] = import_input(im, 0);
	in[n++] = import_input(im, 1);
	in[n++] = import_bias(im, (uint32_t)import_input_tensor(im, 1)->dims[0]);
	in[n++] = import_padding(im, CONV_PADDING);
	in[n++] = option_int(im, CONV_STRIDE_W, 0);
	in[n++] = option_int(im, CONV_STRIDE_H, 0);
	in[n++] = import_activation(im, CONV_ACT);
	if (dilated(im, CONV_DILATION_W, CONV_DILATION_H)) {
		in[n++] = nnmodel_add_bool(im->nn, false);
		in[n++] = option_int(im, CONV_DILATION_W, 1);
		in[n++] = option_int(im, CONV_DILATION_H, 1);
	}
	return import_emit(im, row->nn_opcode, in, (uint32_t)n, &out, 1);
}

int import_depthwise(struct import *im, const struct import_row *row)
{
	int in[11], n = 0, ret = import_check_counts(im, 2, 3, 1);
	const struct tflite_tensor *x, *f;
	int32_t multiplier;
	int out;

	if (ret || (ret = check_filter(im)))
		return ret;
	x = import_input_tensor(im, 0);
	f = import_input_tensor(im, 1);
	if (x->rank != 4 || f->dims[3] % x->dims[3])
		return import_failed(im, -EINVAL, "the filter's channels do not match the input's");
	/* Some converters leave the option at 0: the shapes tell the multiplier. */
	multiplier = f->dims[3] / x->dims[3];
	out = import_output(im, 0);
	in[n++] = import_input(im, 0);
	in[n++] = import_input(im, 1);
	in[n++] = import_bias(im, (uint32_t)f->dims[3]);
	in[n++] = import_padding(im, DW_PADDING);
	in[n++] = option_int(im, DW_STRIDE_W, 0);
	in[n++] = option_int(im, DW_STRIDE_H, 0);
	in[n++] = nnmodel_add_int32(im->nn, multiplier);
	in[n++] = import_activation(im, DW_ACT);
	if (dilated(im, DW_DILATION_W, DW_DILATION_H)) {
		in[n++] = nnmodel_add_bool(im->nn, false);
		in[n++] = option_int(im, DW_DILATION_W, 1);
		in[n++] = option_int(im, DW_DILATION_H, 1);
	}
	return import_emit(im, row->nn_opcode, in, (uint32_t)n, &out, 1);
}

int import_pool(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
			   import_padding(im, POOL_PADDING), option_int(im, POOL_STRIDE_W, 0),
			   option_int(im, POOL_STRIDE_H, 0), option_int(im, POOL_FILTER_W, 0),
			   option_int(im, POOL_FILTER_H, 0), import_activation(im, POOL_ACT));
}

/* NNAPI's output is always [batch, units]; TFLite may keep the input's leading dimensions. */
int import_fully_connected(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x, *w, *y;
	int32_t flat[2], shape[NNIMPORT_MAX_RANK];
	int ret = import_check_counts(im, 2, 3, 1);
	bool same;
	int out;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	w = import_input_tensor(im, 1);
	y = import_output_tensor(im, 0);
	if (fb_i8(&im->op->options, FC_FORMAT, 0))
		return import_lacks(im, "NNAPI has no shuffled weights");
	if (w->rank != 2)
		return import_failed(im, -EINVAL, "the weights have rank %u", w->rank);
	if (w->num_scales > 1)
		return import_lacks(im, "NNAPI has no per-channel weights here");
	if ((x->type == NNIMPORT_FLOAT32 || x->type == NNIMPORT_FLOAT16) && w->type != x->type)
		return import_lacks(im, "NNAPI has no %s input with %s weights (hybrid)",
				    nnimport_type_name(x->type), nnimport_type_name(w->type));
	if (x->rank < 2 || x->rank > 4)
		return import_lacks(im, "NNAPI has no input of rank %u here", x->rank);
	flat[0] = 1;
	for (uint32_t i = 0; i < x->rank; i++)
		flat[0] *= x->dims[i];
	flat[0] /= w->dims[1];
	flat[1] = w->dims[0];
	same = y->rank == 2 && y->dims[0] == flat[0] && y->dims[1] == flat[1];
	out = same ? import_output(im, 0)
		   : import_temporary(im, import_type(y), flat, 2,
				      y->num_scales ? tflite_scale(im->tfl, y, 0) : 0,
				      y->num_scales ? (int32_t)tflite_zero_point(im->tfl, y, 0)
						    : 0);
	ret = IMPORT_EMIT(im, row->nn_opcode, out, import_input(im, 0), import_input(im, 1),
			  import_bias(im, (uint32_t)w->dims[0]), import_activation(im, FC_ACT));
	if (ret || same)
		return ret;
	memcpy(shape, y->dims, sizeof(shape));
	return IMPORT_EMIT(im, NNMODEL_RESHAPE, import_output(im, 0), out,
			   import_int32_tensor(im, shape, y->rank));
}

/*
 * TFLite's 24 inputs are NNAPI's 0 to 19 and, behind the scalars, its layer normalization weights.
 */
int import_sequence_lstm(struct import *im, const struct import_row *row)
{
	int in[28], n = 0, ret = import_check_counts(im, 1, 24, 1);
	const struct tflite_tensor *x;
	int8_t act;
	int out;

	if (ret)
		return ret;
	if (im->op->num_inputs != 20 && im->op->num_inputs != 24)
		return import_failed(im, -EINVAL, "it has %u inputs, which is not valid",
				     im->op->num_inputs);
	x = import_input_tensor(im, 0);
	if (x->type != NNIMPORT_FLOAT32 && x->type != NNIMPORT_FLOAT16)
		return import_lacks(im, "%s: NNAPI has FLOAT32 and FLOAT16 only",
				    nnimport_type_name(x->type));
	for (uint32_t i = 0; i < im->op->num_inputs; i++) {
		const struct tflite_tensor *t = import_input_tensor(im, i);

		if (t && t->type != x->type)
			return import_lacks(
				im, "%s input with %s operands: NNAPI has FLOAT32 and FLOAT16 only",
				nnimport_type_name(x->type), nnimport_type_name(t->type));
	}
	/* NONE, RELU, RELU6, TANH and SIGMOID are NNAPI's 0, 1, 3, 4 and 6. */
	act = fb_i8(&im->op->options, LSTM_ACT, 0);
	if (act != 0 && act != 1 && act != 3 && act != 4)
		return import_lacks(im, "NNAPI has no activation %d here", act);
	out = import_output(im, 0);
	for (uint32_t i = 0; i < 20; i++)
		in[n++] = import_optional(im, i, import_type(x));
	in[n++] = nnmodel_add_int32(im->nn, act);
	in[n++] = import_float_for(im, x, fb_f32(&im->op->options, LSTM_CELL_CLIP, 0));
	in[n++] = import_float_for(im, x, fb_f32(&im->op->options, LSTM_PROJ_CLIP, 0));
	in[n++] = nnmodel_add_bool(im->nn, fb_i8(&im->op->options, LSTM_TIME_MAJOR, 0));
	for (uint32_t i = 20; i < 24; i++)
		in[n++] = import_optional(im, i, import_type(x));
	return import_emit(im, row->nn_opcode, in, (uint32_t)n, &out, 1);
}
