// SPDX-License-Identifier: Apache-2.0
/*
 * Operations with weights or windows. Option fields: the schema's *Options tables.
 */
#include "importer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Convolutions of groups of channels, one by one. */

/* A grouped convolution, as operands and options of the plain one of each group. */
struct import_groups {
	int x, filter, bias, out; /* operands of the whole */
	int32_t count;
	const int *rest; /* inputs of the operation behind the bias */
	uint32_t num_rest;
};

/* Each is an operation of its own. */
#define MAX_GROUPS 1024

enum { FIRST_REST = 3, MOST_INPUTS = 16 };

/* Part @i of @count of a constant, along its first dimension. */
static int constant_part(struct import *im, int operand, int32_t i, int32_t count)
{
	const struct nnmodel_operand *o = &im->nn->main.operands[operand];
	const size_t length = (size_t)o->location.length / (size_t)count;
	const uint32_t channels = o->num_scales / (uint32_t)count;
	struct import_form form = import_form_of(im, operand);
	uint8_t *copy;
	int ret;

	if (!import_is_constant(im, operand))
		return import_lacks(im, "its weights and bias must be constants");
	/* what the constant is in may move */
	copy = malloc(length + 1);
	if (!copy)
		return import_failed(im, -ENOMEM, "out of memory");
	form.dims[0] /= count;
	ret = import_read_constant(im, operand, (size_t)i * length, copy, length);
	ret = ret ? ret : import_constant(im, &form, copy, length);
	free(copy);
	o = &im->nn->main.operands[operand];
	if (ret >= 0 && channels &&
	    nnmodel_set_channel_quant(im->nn, (uint32_t)ret, o->channel_dim,
				      o->scales + (size_t)i * channels, channels))
		return import_failed(im, -ENOMEM, "out of memory");
	return ret;
}

/* Group @i: its channels, weights and result, which is returned. */
static int emit_group(struct import *im, uint32_t opcode, const struct import_groups *g, int32_t i)
{
	struct import_form x = import_form_of(im, g->x), y = import_form_of(im, g->out);
	int32_t begin[4] = { 0 };
	int in[MOST_INPUTS], out, ret;

	x.dims[3] /= g->count;
	y.dims[3] /= g->count;
	begin[3] = i * x.dims[3];
	in[0] = import_temporary(im, &x);
	ret = IMPORT_EMIT(im, NNMODEL_SLICE, in[0], g->x, import_int32_tensor(im, begin, 4),
			  import_int32_tensor(im, x.dims, 4));
	if (ret)
		return ret;
	in[1] = constant_part(im, g->filter, i, g->count);
	in[2] = in[1] < 0 ? in[1] : constant_part(im, g->bias, i, g->count);
	memcpy(in + FIRST_REST, g->rest, g->num_rest * sizeof(*in));
	out = import_temporary(im, &y);
	ret = import_emit(im, opcode, in, FIRST_REST + g->num_rest, &out, 1);
	return ret ? ret : out;
}

/* SLICE of the channels, one operation @opcode for each group, CONCATENATION. */
static int import_emit_groups(struct import *im, uint32_t opcode, const struct import_groups *g)
{
	int parts[MAX_GROUPS + 1];

	if (g->x < 0 || g->filter < 0 || g->bias < 0 || g->out < 0)
		return -EINVAL;
	if (g->count > MAX_GROUPS)
		return import_lacks(im, "it has %d groups, may have %d", g->count, MAX_GROUPS);
	for (int32_t i = 0; i < g->count; i++) {
		parts[i] = emit_group(im, opcode, g, i);
		if (parts[i] < 0)
			return parts[i];
	}
	parts[g->count] = nnmodel_add_int32(im->nn, 3);
	return import_emit(im, NNMODEL_CONCATENATION, parts, (uint32_t)g->count + 1, &g->out, 1);
}

enum { CONV_PADDING, CONV_STRIDE_W, CONV_STRIDE_H, CONV_ACT, CONV_DILATION_W, CONV_DILATION_H };
enum { DW_PADDING, DW_STRIDE_W, DW_STRIDE_H, DW_MULTIPLIER, DW_ACT, DW_DILATION_W, DW_DILATION_H };
enum { POOL_PADDING, POOL_STRIDE_W, POOL_STRIDE_H, POOL_FILTER_W, POOL_FILTER_H };
enum { TRANSPOSED_PADDING, TRANSPOSED_STRIDE_W, TRANSPOSED_STRIDE_H };
enum { FC_ACT, FC_FORMAT };

/* Weights and bias of an operation, with its units along dimension @channel of the weights. */
struct weights {
	uint32_t x, w, bias; /* inputs */
	uint32_t channel;
	bool symmetric; /* TFLite's kernels for INT8 take zero points of the weights as 0 */
};

static bool is_float(const struct tflite_tensor *t)
{
	return t->type == NNIMPORT_FLOAT32 || t->type == NNIMPORT_FLOAT16;
}

/* Whether a channel of the weights has scale 0, for which all its values are 0. */
static bool has_dead_channel(const struct import *im, const struct tflite_tensor *t)
{
	for (uint32_t i = 0; i < t->num_scales; i++)
		if (tflite_scale(im->tfl, t, i) == 0.0f)
			return true;
	return false;
}

static float channel_scale(const struct import *im, const struct tflite_tensor *t, uint32_t c)
{
	return t->num_scales ? tflite_scale(im->tfl, t, t->num_scales > 1 ? c : 0) : 1.0f;
}

/*
 * A scale of 0 is no scale in NNAPI. It becomes 1, and what it multiplies becomes 0: the weights of
 * the channel here, its bias in import_bias().
 */
static int clear_dead_channels(struct import *im, struct tflite_tensor *t, bool symmetric)
{
	bool from_0 = t->num_scales > 1 || (symmetric && t->type == NNIMPORT_INT8);
	size_t inner = 1, n = t->size;
	int8_t *copy;

	if (!t->data || t->type == NNIMPORT_FLOAT32 || !has_dead_channel(im, t))
		return 0;
	if (import_may_make(im, n))
		return -EINVAL;
	copy = malloc(n + 1);
	if (!copy)
		return import_failed(im, -ENOMEM, "out of memory");
	memcpy(copy, t->data, n);
	for (uint32_t d = (uint32_t)t->quantized_dimension + 1; t->num_scales > 1 && d < t->rank;
	     d++)
		inner *= (size_t)t->dims[d];
	for (size_t i = 0; i < n; i++) {
		uint32_t c = (uint32_t)(i / inner % t->num_scales);

		if (tflite_scale(im->tfl, t, c) == 0.0f)
			copy[i] = from_0 ? 0 : (int8_t)tflite_zero_point(im->tfl, t, c);
	}
	tflite_set_constant(t, copy);
	return 0;
}

/* The weights; of a float operation always as floats. */
static int import_weights(struct import *im, const struct weights *ws)
{
	struct tflite_tensor *x = import_input_tensor(im, ws->x),
			     *w = import_input_tensor(im, ws->w);
	int ret;

	if (is_float(x) && w->type != x->type) {
		if (x->type == NNIMPORT_FLOAT16)
			return import_lacks(im, "%s weights (tensor %s) with a FLOAT16 input",
					    nnimport_type_name(w->type), w->name);
		return import_real(im, ws->w);
	}
	if (is_float(x))
		return import_input(im, ws->w);
	if (!import_is_quant8(w))
		return import_lacks(im, "%s weights (tensor %s) with a quantized input",
				    nnimport_type_name(w->type), w->name);
	if (!x->num_scales || !w->num_scales)
		return import_failed(im, -EINVAL, "tensor %s has no scale",
				     x->num_scales ? w->name : x->name);
	ret = clear_dead_channels(im, w, ws->symmetric);
	if (ret)
		return ret;
	ret = import_input(im, ws->w);
	if (ret >= 0 && ws->symmetric && w->type == NNIMPORT_INT8 && w->num_scales == 1 &&
	    im->nn->main.operands[ret].zero_point) {
		import_note(
			im,
			"tensor %s: zero point %d of INT8 weights is taken as 0, as TFLite does",
			w->name, im->nn->main.operands[ret].zero_point);
		im->nn->main.operands[ret].zero_point = 0;
	}
	return ret;
}

/* The bias with 0 for channels of scale 0, or a bias of zeros. */
static int bias_values(struct import *im, const struct weights *ws, struct import_form *form)
{
	const struct tflite_tensor *w = import_input_tensor(im, ws->w),
				   *bias = import_input_tensor(im, ws->bias);
	size_t element = form->type == NNMODEL_TENSOR_FLOAT16 ? 2 : 4, n = (size_t)form->dims[0];
	uint8_t *values = calloc(n + 1, element);
	int ret;

	if (!values)
		return import_failed(im, -ENOMEM, "out of memory");
	if (bias) {
		memcpy(values, bias->data, n * element);
		for (uint32_t c = 0; form->type == NNMODEL_TENSOR_INT32 && c < n; c++)
			if (channel_scale(im, w, c) == 0.0f)
				memset(values + c * element, 0, element);
	}
	ret = import_constant(im, form, values, n * element);
	free(values);
	return ret;
}

/*
 * NNAPI needs the bias scale to be the product of input and filter scale within 1e-6. Converters
 * store a rounded product: the exact one is used when the difference is within the tolerance of
 * TFLite (2 % of an output step). TFLite counts the elements of a bias, NNAPI wants rank 1.
 */
static int import_bias(struct import *im, const struct weights *ws, int x_operand, int w_operand)
{
	const struct tflite_tensor *x = import_input_tensor(im, ws->x),
				   *w = import_input_tensor(im, ws->w);
	const struct tflite_tensor *bias = import_input_tensor(im, ws->bias);
	struct import_form form = { .type = is_float(x) ? import_form_of(im, x_operand).type
							: NNMODEL_TENSOR_INT32,
				    .rank = 1 };
	float declared;
	int operand;

	if (x_operand < 0 || w_operand < 0)
		return -EINVAL;
	form.dims[0] = w->dims[ws->channel];
	if (bias && tflite_elements(bias) != (size_t)form.dims[0])
		return import_failed(im, -EINVAL,
				     "the bias (tensor %s) has %zu elements for %d units",
				     bias->name, tflite_elements(bias), form.dims[0]);
	if (!is_float(x) && w->num_scales == 1) {
		form.scale =
			import_form_of(im, x_operand).scale * import_form_of(im, w_operand).scale;
		declared = tflite_scale(im->tfl, x, 0) * tflite_scale(im->tfl, w, 0);
		if (bias && bias->num_scales == 1 && declared > 0 &&
		    fabsf(tflite_scale(im->tfl, bias, 0) - declared) > 0.01f * declared)
			return import_lacks(
				im,
				"the bias (tensor %s) has scale %.9g, input scale times weight scale is %.9g",
				bias->name, (double)tflite_scale(im->tfl, bias, 0),
				(double)declared);
	}
	if (bias && is_float(x) && bias->type != x->type)
		operand = import_real(im, ws->bias);
	else if (bias && !is_float(x) && bias->type != NNIMPORT_INT32)
		return import_lacks(im, "the bias (tensor %s) is %s, NNAPI wants INT32", bias->name,
				    nnimport_type_name(bias->type));
	else if (!bias || bias->data)
		return bias_values(im, ws, &form);
	else
		operand = import_input(im, ws->bias);
	/* a number of INT32 has a scale in a bias only */
	if (operand >= 0)
		im->nn->main.operands[operand].scale = form.scale;
	return import_reshaped(im, operand, form.dims, 1);
}

/* Extent of the output of a window along one dimension. */
static int32_t window_extent(struct import *im, int32_t in, int32_t filter, int32_t stride,
			     int32_t dilation, bool valid)
{
	int64_t span = ((int64_t)filter - 1) * dilation + 1;
	int64_t out = stride < 1 ? 0
		      : valid	 ? (in - span + stride) / stride
				 : ((int64_t)in + stride - 1) / stride;

	if (out < 1 || out > INT32_MAX)
		import_failed(im, -EINVAL, "a window of %d with stride %d does not fit %d", filter,
			      stride, in);
	return out < 1 || out > INT32_MAX ? 0 : (int32_t)out;
}

struct window {
	int32_t height, width, channels; /* of the filter, and of the output */
	unsigned int padding, stride_w, stride_h, dilation_w, dilation_h; /* option fields */
};

/* The output, whose shape the window gives when the file does not know it. */
static int window_output(struct import *im, const struct window *w)
{
	const struct tflite_tensor *x = import_input_tensor(im, im->row->data),
				   *y = import_output_tensor(im, 0);
	bool valid = import_option_byte(im, w->padding, 0);
	struct import_form form;
	int ret;

	if (y->ranked)
		return import_output(im, 0);
	ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	form.rank = 4;
	form.dims[0] = x->dims[0];
	form.dims[1] =
		window_extent(im, x->dims[1], w->height, import_option_int(im, w->stride_h, 0),
			      w->dilation_h ? import_option_int(im, w->dilation_h, 1) : 1, valid);
	form.dims[2] =
		window_extent(im, x->dims[2], w->width, import_option_int(im, w->stride_w, 0),
			      w->dilation_w ? import_option_int(im, w->dilation_w, 1) : 1, valid);
	form.dims[3] = w->channels;
	return form.dims[1] && form.dims[2] ? import_output_as(im, 0, &form) : -EINVAL;
}

/* The forms with dilation also list the layout flag. */
static bool dilated(struct import *im, unsigned int w, unsigned int h)
{
	return import_option_int(im, w, 1) != 1 || import_option_int(im, h, 1) != 1;
}

static int check_images(struct import *im, uint32_t x, uint32_t w)
{
	const struct tflite_tensor *in = import_input_tensor(im, x),
				   *f = import_input_tensor(im, w);

	if (in->rank != 4)
		return import_lacks(im, "input %u (tensor %s) has rank %u, must be 4", x, in->name,
				    in->rank);
	if (f->rank != 4)
		return import_failed(im, -EINVAL, "the filter (tensor %s) has rank %u, must be 4",
				     f->name, f->rank);
	return 0;
}

int import_conv2d(struct import *im, const struct import_row *row)
{
	const struct weights ws = { 0, 1, 2, 0, true };
	const struct tflite_tensor *x, *f;
	int in[10], n = 0, ret = import_check_counts(im, 2, 3, 1);
	bool grouped;
	int out;

	if (ret || (ret = check_images(im, 0, 1)))
		return ret;
	x = import_input_tensor(im, 0);
	f = import_input_tensor(im, 1);
	if (f->dims[3] > x->dims[3] || x->dims[3] % f->dims[3] ||
	    f->dims[0] % (x->dims[3] / f->dims[3]))
		return import_failed(
			im, -EINVAL,
			"the filter (tensor %s) has %d channels to %d units, the input %d", f->name,
			f->dims[3], f->dims[0], x->dims[3]);
	out = window_output(im, &(struct window){ f->dims[1], f->dims[2], f->dims[0], CONV_PADDING,
						  CONV_STRIDE_W, CONV_STRIDE_H, CONV_DILATION_W,
						  CONV_DILATION_H });
	in[n++] = import_input(im, 0);
	in[n++] = import_weights(im, &ws);
	in[2] = import_bias(im, &ws, in[0], in[1]);
	n++;
	in[n++] = import_padding(im, CONV_PADDING);
	in[n++] = import_option_operand(im, CONV_STRIDE_W, 0);
	in[n++] = import_option_operand(im, CONV_STRIDE_H, 0);
	grouped = f->dims[3] != x->dims[3];
	if (grouped && dilated(im, CONV_DILATION_W, CONV_DILATION_H)) {
		in[n++] = import_activation(im);
		in[n++] = nnmodel_add_bool(im->nn, false);
		in[n++] = import_option_operand(im, CONV_DILATION_W, 1);
		in[n++] = import_option_operand(im, CONV_DILATION_H, 1);
		return import_emit_groups(im, row->nn_opcode,
					  &(struct import_groups){
						  .x = in[0],
						  .filter = in[1],
						  .bias = in[2],
						  .out = out,
						  .count = x->dims[3] / f->dims[3],
						  .rest = in + 3,
						  .num_rest = (uint32_t)n - 3,
					  });
	}
	if (grouped) {
		in[n++] = nnmodel_add_int32(im->nn, x->dims[3] / f->dims[3]);
	}
	in[n++] = import_activation(im);
	if (grouped) {
		in[n++] = nnmodel_add_bool(im->nn, false);
	} else if (dilated(im, CONV_DILATION_W, CONV_DILATION_H)) {
		in[n++] = nnmodel_add_bool(im->nn, false);
		in[n++] = import_option_operand(im, CONV_DILATION_W, 1);
		in[n++] = import_option_operand(im, CONV_DILATION_H, 1);
	}
	return import_emit(im, grouped ? NNMODEL_GROUPED_CONV_2D : row->nn_opcode, in, (uint32_t)n,
			   &out, 1);
}

int import_depthwise(struct import *im, const struct import_row *row)
{
	const struct weights ws = { 0, 1, 2, 3, true };
	int in[11], n = 0, ret = import_check_counts(im, 2, 3, 1);
	const struct tflite_tensor *x, *f;
	int out;

	if (ret || (ret = check_images(im, 0, 1)))
		return ret;
	x = import_input_tensor(im, 0);
	f = import_input_tensor(im, 1);
	if (f->dims[3] % x->dims[3])
		return import_failed(im, -EINVAL,
				     "the filter (tensor %s) has %d channels, the input %d",
				     f->name, f->dims[3], x->dims[3]);
	out = window_output(im, &(struct window){ f->dims[1], f->dims[2], f->dims[3], DW_PADDING,
						  DW_STRIDE_W, DW_STRIDE_H, DW_DILATION_W,
						  DW_DILATION_H });
	in[n++] = import_input(im, 0);
	in[n++] = import_weights(im, &ws);
	in[2] = import_bias(im, &ws, in[0], in[1]);
	n++;
	in[n++] = import_padding(im, DW_PADDING);
	in[n++] = import_option_operand(im, DW_STRIDE_W, 0);
	in[n++] = import_option_operand(im, DW_STRIDE_H, 0);
	/* Some converters leave the option of the multiplier at 0: the shapes tell it. */
	in[n++] = nnmodel_add_int32(im->nn, f->dims[3] / x->dims[3]);
	in[n++] = import_activation(im);
	if (dilated(im, DW_DILATION_W, DW_DILATION_H)) {
		in[n++] = nnmodel_add_bool(im->nn, false);
		in[n++] = import_option_operand(im, DW_DILATION_W, 1);
		in[n++] = import_option_operand(im, DW_DILATION_H, 1);
	}
	return import_emit(im, row->nn_opcode, in, (uint32_t)n, &out, 1);
}

int import_transpose_conv(struct import *im, const struct import_row *row)
{
	const struct weights ws = { 2, 1, 3, 0, true };
	int32_t shape[4];
	int in[9], n = 0, ret = import_check_counts(im, 3, 4, 1);
	struct import_form form;
	int out;

	if (ret || (ret = check_images(im, 2, 1)))
		return ret;
	ret = import_constant_ints(im, 0, shape, 4);
	if (ret < 0)
		return ret;
	if (ret != 4)
		return import_failed(im, -EINVAL, "the output shape has %d values instead of 4",
				     ret);
	ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	form.rank = 4;
	memcpy(form.dims, shape, sizeof(shape));
	out = import_output_as(im, 0, &form);
	in[0] = import_input(im, 2);
	in[1] = import_weights(im, &ws);
	in[2] = import_bias(im, &ws, in[0], in[1]);
	n = 3;
	in[n++] = import_int32_tensor(im, shape, 4);
	in[n++] = import_padding(im, TRANSPOSED_PADDING);
	in[n++] = import_option_operand(im, TRANSPOSED_STRIDE_W, 0);
	in[n++] = import_option_operand(im, TRANSPOSED_STRIDE_H, 0);
	in[n++] = import_activation(im);
	in[n++] = nnmodel_add_bool(im->nn, false);
	return import_emit(im, row->nn_opcode, in, (uint32_t)n, &out, 1);
}

int import_pool(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x;
	int ret = import_check_counts(im, 1, 1, 1);

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	if (x->rank != 4)
		return import_lacks(im, "input 0 (tensor %s) has rank %u, must be 4", x->name,
				    x->rank);
	return IMPORT_EMIT(im, row->nn_opcode,
			   window_output(im,
					 &(struct window){ import_option_int(im, POOL_FILTER_H, 0),
							   import_option_int(im, POOL_FILTER_W, 0),
							   x->dims[3], POOL_PADDING, POOL_STRIDE_W,
							   POOL_STRIDE_H, 0, 0 }),
			   import_input(im, 0), import_padding(im, POOL_PADDING),
			   import_option_operand(im, POOL_STRIDE_W, 0),
			   import_option_operand(im, POOL_STRIDE_H, 0),
			   import_option_operand(im, POOL_FILTER_W, 0),
			   import_option_operand(im, POOL_FILTER_H, 0), import_activation(im));
}

/* As a convolution of 1x1, which has weights per channel: rows are images of one pixel. */
static int fully_connected_by_channel(struct import *im, int32_t rows, struct import_form *form)
{
	const struct weights ws = { 0, 1, 2, 0, true };
	const struct tflite_tensor *w = import_input_tensor(im, 1);
	const int32_t image[4] = { rows, 1, 1, w->dims[1] };
	const int32_t filter[4] = { w->dims[0], 1, 1, w->dims[1] };
	int x = import_input(im, 0), f = import_weights(im, &ws);
	struct nnmodel_operand *o;
	int bias = import_bias(im, &ws, x, f), out;
	uint32_t *dims;

	if (x < 0 || f < 0 || bias < 0)
		return -EINVAL;
	o = &im->nn->main.operands[f];
	if (!import_is_constant(im, f) || w->quantized_dimension)
		return import_lacks(
			im,
			"tensor %s: NNAPI has weights per channel along dimension 0 only, and constants",
			w->name);
	if (o->rank != 4) {
		dims = realloc(o->dims, sizeof(filter));
		if (!dims)
			return import_failed(im, -ENOMEM, "out of memory");
		memcpy(dims, filter, sizeof(filter));
		o->dims = dims;
		o->rank = 4;
	}
	form->rank = 4;
	memcpy(form->dims, image, sizeof(image));
	form->dims[3] = w->dims[0];
	out = import_output_as(im, 0, form);
	return IMPORT_EMIT(im, NNMODEL_CONV_2D, out, import_reshaped(im, x, image, 4), f, bias,
			   nnmodel_add_int32(im->nn, NNMODEL_PADDING_VALID),
			   nnmodel_add_int32(im->nn, 1), nnmodel_add_int32(im->nn, 1),
			   import_activation(im));
}

/* NNAPI's output is always [batch, units]; TFLite may keep the input's leading dimensions. */
int import_fully_connected(struct import *im, const struct import_row *row)
{
	const struct weights ws = { 0, 1, 2, 0, false };
	const struct tflite_tensor *x, *w;
	int ret = import_check_counts(im, 2, 3, 1), x_operand, w_operand;
	struct import_form form;
	int32_t flat[2];
	size_t rows;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	w = import_input_tensor(im, 1);
	if (import_option_byte(im, FC_FORMAT, 0))
		return import_lacks(im, "NNAPI has no shuffled weights (tensor %s)", w->name);
	if (w->rank != 2)
		return import_failed(im, -EINVAL, "the weights (tensor %s) have rank %u, must be 2",
				     w->name, w->rank);
	rows = tflite_elements(x) / (size_t)w->dims[1];
	if (rows * (size_t)w->dims[1] != tflite_elements(x) || rows > INT32_MAX)
		return import_failed(im, -EINVAL,
				     "input 0 (tensor %s) has %zu elements, not rows of %d",
				     x->name, tflite_elements(x), w->dims[1]);
	ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	if (w->num_scales > 1 && !is_float(x))
		return fully_connected_by_channel(im, (int32_t)rows, &form);
	flat[0] = form.dims[0] = (int32_t)rows;
	flat[1] = w->dims[1];
	form.dims[1] = w->dims[0];
	form.rank = 2;
	x_operand = import_input(im, 0);
	w_operand = import_weights(im, &ws);
	if (x->rank < 2 || x->rank > 4)
		x_operand = import_reshaped(im, x_operand, flat, 2);
	return IMPORT_EMIT(im, row->nn_opcode, import_output_as(im, 0, &form), x_operand, w_operand,
			   import_bias(im, &ws, x_operand, w_operand), import_activation(im));
}
