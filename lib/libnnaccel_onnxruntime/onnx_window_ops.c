// SPDX-License-Identifier: Apache-2.0
/*
 * Operators on images, NCHW: Conv, ConvTranspose, pools, Resize. NNAPI has this layout by a flag of
 * the operation. A signal, NCW, is an image with a height of 1.
 */
#include <math.h>
#include <string.h>

#include "translator.h"

enum { HEIGHT, WIDTH };

/* Windows over the two dimensions of an image. */
struct window {
	int64_t kernel[2], stride[2], dilation[2], begin[2], end[2];
};

static bool is_signal(const struct translator *t)
{
	return translator_value(t, 0)->rank == 3;
}

/* The dimensions of an image or signal as NCHW, or of weights as OIHW. */
static void image_dims(const struct onnx_value *v, int64_t *dims)
{
	memcpy(dims, v->dims, 2 * sizeof(*dims));
	dims[2] = v->rank == 3 ? 1 : v->dims[2];
	dims[3] = v->dims[v->rank - 1];
}

/* Whether input 0 and the result are images, or signals, of known size. Sets their dimensions. */
static bool images_read(struct translator *t, int64_t *x_dims, int64_t *y_dims)
{
	const struct onnx_value *x = translator_value(t, 0),
				*y = &t->g->values[t->node->outputs[0]];

	if ((x->rank != 4 && x->rank != 3) || !x->fixed || y->rank != x->rank) {
		TRANSLATOR_REFUSE(
			t,
			"tensor %s is not of 4 or 3 fixed dimensions, NCHW or NCW; only images and signals are translated",
			x->name);
		return false;
	}
	image_dims(x, x_dims);
	image_dims(y, y_dims);
	return true;
}

/* An attribute with a number for each dimension of an image: of a signal one, the width's. */
static bool node_pair(struct translator *t, const char *name, int64_t *pair)
{
	int64_t list[2 * ONNX_MAX_RANK];
	const int first = is_signal(t) ? WIDTH : HEIGHT;
	int count = onnx_ints(t->node, name, list);

	if (count == -1)
		return true;
	if (count != 2 - first) {
		TRANSLATOR_REFUSE(t, "attribute %s has not %d numbers", name, 2 - first);
		return false;
	}
	for (int i = 0; i < count; i++) {
		if (list[i] < 1 || list[i] > INT32_MAX) {
			TRANSLATOR_REFUSE(t, "attribute %s has a number below 1", name);
			return false;
		}
		pair[first + i] = list[i];
	}
	return true;
}

/* Attribute pads as those of an image: begin of height and width, then end. False: it is another.
 */
static bool node_pads(const struct translator *t, int64_t *pads)
{
	int64_t list[2 * ONNX_MAX_RANK];
	int count = onnx_ints(t->node, "pads", list);

	memset(pads, 0, 4 * sizeof(*pads));
	if (count == -1)
		return true;
	if (count != (is_signal(t) ? 2 : 4))
		return false;
	if (count == 4) {
		memcpy(pads, list, 4 * sizeof(*pads));
	} else {
		pads[WIDTH] = list[0];
		pads[2 + WIDTH] = list[1];
	}
	return true;
}

/* The dimensions of a signal as those of an operand. */
#define SIGNAL_IMAGE(v)                                                         \
	((const uint32_t[]){ (uint32_t)(v)->dims[0], (uint32_t)(v)->dims[1], 1, \
			     (uint32_t)(v)->dims[2] })

/* The operand of input 0, of a signal as an image. */
static int image_argument(struct translator *t, const struct result *r)
{
	const struct onnx_value *x = translator_value(t, 0);
	int operand = translator_argument(t, r, 0), image;
	int64_t dims[4];

	if (t->error || !is_signal(t))
		return operand;
	image_dims(x, dims);
	image = translator_similar(t, operand, SIGNAL_IMAGE(x), 4);
	translator_emit(t, NNMODEL_RESHAPE, (const int[]){ operand, translator_list(t, dims, 4) },
			2, image);
	return image;
}

/* The operation, whose result is an image; a signal is made of it. */
static void image_emit(struct translator *t, uint32_t opcode, const int *inputs, uint32_t count,
		       const struct result *r)
{
	const struct onnx_value *y = &t->g->values[t->node->outputs[0]];
	int image;

	if (!is_signal(t)) {
		translator_emit(t, opcode, inputs, count, translator_result(t, r));
		return;
	}
	image = translator_like(t, r, SIGNAL_IMAGE(y), 4);
	translator_emit(t, opcode, inputs, count, image);
	translator_emit(t, NNMODEL_RESHAPE, (const int[]){ image, translator_list(t, y->dims, 3) },
			2, translator_result(t, r));
}

/*
 * The window of the current node, whose kernel is set. The padding at the end is what the output's
 * size demands: that is the rule of ceil_mode, too.
 */
static bool window_read(struct translator *t, struct window *w)
{
	const char *automatic = onnx_text(t->node, "auto_pad", "NOTSET");
	int64_t x[4], y[4], pads[4];
	bool fits = node_pads(t, pads);

	w->stride[0] = w->stride[1] = w->dilation[0] = w->dilation[1] = 1;
	if (!images_read(t, x, y))
		return false;
	if (!node_pair(t, "strides", w->stride) || !node_pair(t, "dilations", w->dilation))
		return false;
	for (int i = 0; i < 4; i++)
		fits &= pads[i] >= 0 && pads[i] <= INT32_MAX;
	if (!fits) {
		TRANSLATOR_REFUSE(
			t,
			"attribute pads has not two numbers from 0 for each dimension; use Slice for negative ones");
		return false;
	}
	if (strcmp(automatic, "NOTSET") != 0 && strcmp(automatic, "VALID") != 0 &&
	    strncmp(automatic, "SAME_", 5) != 0) {
		TRANSLATOR_REFUSE(t, "attribute auto_pad is %.32s", automatic);
		return false;
	}
	for (int i = 0; i < 2; i++) {
		int64_t span = (w->kernel[i] - 1) * w->dilation[i] + 1;
		int64_t size = x[2 + i], all = (y[2 + i] - 1) * w->stride[i] + span - size;

		if (!strncmp(automatic, "SAME_", 5)) {
			/* of pools, not of Conv, ONNX Runtime then crops both sides */
			if (all < 0 && t->row->flags) {
				TRANSLATOR_REFUSE(
					t,
					"its stride is larger than its window, with auto_pad %s; set pads",
					automatic);
				return false;
			}
			all = all > 0 ? all : 0;
			w->begin[i] = (all + (automatic[5] == 'L')) / 2;
		} else {
			w->begin[i] = !strcmp(automatic, "VALID") ? 0 : pads[i];
			if (all > w->begin[i] + (*automatic == 'V' ? 0 : pads[2 + i]) &&
			    !onnx_int(t->node, "ceil_mode", 0)) {
				TRANSLATOR_REFUSE(t, "its window is larger than the padded image");
				return false;
			}
		}
		/* ONNX Runtime's own kernels leave such a window out, against the shape of the
		 * output */
		if ((y[2 + i] - 1) * w->stride[i] >= size + w->begin[i]) {
			TRANSLATOR_REFUSE(t,
					  "its last window is in the padding; set ceil_mode to 0");
			return false;
		}
		w->end[i] = all > w->begin[i] ? all - w->begin[i] : 0;
		if (span > INT32_MAX || w->begin[i] >= span || w->end[i] >= span) {
			TRANSLATOR_REFUSE(
				t,
				"its padding is not below the size of the window; use Pad before");
			return false;
		}
	}
	return true;
}

static uint32_t window_pads(struct translator *t, const struct window *w, int *inputs)
{
	inputs[0] = translator_int32(t, w->begin[WIDTH]);
	inputs[1] = translator_int32(t, w->end[WIDTH]);
	inputs[2] = translator_int32(t, w->begin[HEIGHT]);
	inputs[3] = translator_int32(t, w->end[HEIGHT]);
	inputs[4] = translator_int32(t, w->stride[WIDTH]);
	inputs[5] = translator_int32(t, w->stride[HEIGHT]);
	return 6;
}

/* ---- Conv ---- */

/* Weights OIHW, or IOHW if they are @turned, as OHWI; of a depthwise convolution as 1HWO. */
static void *order_weights(struct translator *t, const struct weights *w, const int64_t *dims,
			   bool turned, bool depthwise)
{
	const size_t outputs = (size_t)dims[turned ? 1 : 0], inputs = (size_t)dims[turned ? 0 : 1],
		     plane = (size_t)(dims[2] * dims[3]);
	const uint8_t *from = w->data;
	uint8_t *to = translator_alloc(t, outputs * inputs * plane, w->size);

	for (size_t o = 0; to && o < outputs; o++)
		for (size_t i = 0; i < inputs; i++)
			for (size_t p = 0; p < plane; p++)
				memcpy(to + (depthwise ? p * outputs + o
						       : (o * plane + p) * inputs + i) *
						       w->size,
				       from + ((turned ? i * outputs + o : o * inputs + i) * plane +
					       p) * w->size,
				       w->size);
	return to;
}

/* Constant weights, whose last dimensions are the kernel's. Sets @dims, of 4. */
static bool window_of_weights(struct translator *t, struct window *window, int64_t *dims)
{
	const struct onnx_value *x = translator_value(t, 0), *w = translator_value(t, 1);

	if ((x->rank != 4 && x->rank != 3) || w->rank != x->rank || !w->fixed ||
	    (!w->data && !translator_dequantizer(t, translator_input(t, 1)))) {
		TRANSLATOR_REFUSE(
			t,
			"weights %s are not a constant of 4 dimensions, or of 3 for a signal; make them an initializer",
			w->name);
		return false;
	}
	image_dims(w, dims);
	window->kernel[HEIGHT] = dims[2];
	window->kernel[WIDTH] = dims[3];
	if (!node_pair(t, "kernel_shape", window->kernel))
		return false;
	if (window->kernel[HEIGHT] != dims[2] || window->kernel[WIDTH] != dims[3])
		TRANSLATOR_REFUSE(t, "attribute kernel_shape is not that of the weights");
	return !t->error;
}

static void translate_conv(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0), *w = translator_value(t, 1);
	const int64_t groups = onnx_int(t->node, "group", 1);
	struct window window = { 0 };
	int64_t from[4];
	uint32_t dims[4], count, opcode, units;
	struct weights weights;
	struct result r;
	bool depthwise, grouped;
	int inputs[16];
	void *ordered;

	if (!window_of_weights(t, &window, from) || !window_read(t, &window))
		return;
	units = (uint32_t)from[0];
	if (groups < 1 || from[0] % groups || from[1] * groups != x->dims[1]) {
		TRANSLATOR_REFUSE(t, "weights %s do not fit to %lld groups of %lld channels",
				  w->name, (long long)groups, (long long)x->dims[1]);
		return;
	}
	depthwise = groups > 1 && from[1] == 1;
	grouped = groups > 1 && !depthwise;
	opcode = depthwise ? NNMODEL_DEPTHWISE_CONV_2D
		 : grouped ? NNMODEL_GROUPED_CONV_2D
			   : NNMODEL_CONV_2D;
	if (grouped && (window.dilation[0] != 1 || window.dilation[1] != 1)) {
		TRANSLATOR_REFUSE(t,
				  "NNAPI has no convolution with groups and dilations; use either");
		return;
	}
	r = weights_plan(t, 0, &weights);
	if (t->error)
		return;
	ordered = order_weights(t, &weights, from, false, depthwise);
	dims[0] = depthwise ? 1 : units;
	dims[1] = (uint32_t)from[2];
	dims[2] = (uint32_t)from[3];
	dims[3] = depthwise ? units : (uint32_t)from[1];
	inputs[0] = image_argument(t, &r);
	inputs[1] = weights_operand(t, &weights, dims, 4, depthwise ? 3 : 0, ordered);
	inputs[2] = weights_bias(t, &weights, &r, units, 1);
	count = 3 + window_pads(t, &window, inputs + 3);
	if (groups > 1)
		inputs[count++] = translator_int32(t, depthwise ? from[0] / groups : groups);
	inputs[count++] = translator_int32(t, r.activation);
	inputs[count++] = translator_bool(t, true);
	if (!grouped) {
		inputs[count++] = translator_int32(t, window.dilation[WIDTH]);
		inputs[count++] = translator_int32(t, window.dilation[HEIGHT]);
	}
	image_emit(t, opcode, inputs, count, &r);
}

/*
 * NNAPI crops the full result, (size - 1) * stride + kernel, by the padding. output_padding is
 * what ONNX crops less at the end, and the output's size says how much that is.
 */
static bool transposed_window_read(struct translator *t, struct window *w)
{
	const char *automatic = onnx_text(t->node, "auto_pad", "NOTSET");
	int64_t x[4], y[4], pads[4], shape[2 * ONNX_MAX_RANK];
	bool fits = node_pads(t, pads);

	w->stride[0] = w->stride[1] = w->dilation[0] = w->dilation[1] = 1;
	if (!images_read(t, x, y))
		return false;
	if (!node_pair(t, "strides", w->stride) || !node_pair(t, "dilations", w->dilation))
		return false;
	if (w->dilation[0] != 1 || w->dilation[1] != 1 || onnx_int(t->node, "group", 1) != 1) {
		TRANSLATOR_REFUSE(
			t, "NNAPI's transposed convolution has neither groups nor dilations");
		return false;
	}
	if ((strcmp(automatic, "NOTSET") != 0 && strcmp(automatic, "VALID") != 0) ||
	    onnx_ints(t->node, "output_shape", shape) != -1 || !fits) {
		TRANSLATOR_REFUSE(
			t,
			"it has auto_pad or output_shape, or not two pads for each dimension; set pads instead");
		return false;
	}
	for (int i = 0; i < 2; i++) {
		w->begin[i] = *automatic == 'V' ? 0 : pads[i];
		w->end[i] = (x[2 + i] - 1) * w->stride[i] + w->kernel[i] - w->begin[i] - y[2 + i];
		if (w->begin[i] < 0 || w->end[i] < 0 || w->end[i] > INT32_MAX) {
			TRANSLATOR_REFUSE(
				t,
				"output_padding is above the padding at the end, or pads are negative; use Pad after it");
			return false;
		}
	}
	return true;
}

static void translate_transposed_conv(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0), *w = translator_value(t, 1);
	struct window window = { 0 };
	struct weights weights;
	struct result r;
	int64_t from[4];
	int inputs[16];
	uint32_t dims[4], count;

	if (!window_of_weights(t, &window, from) || !transposed_window_read(t, &window))
		return;
	if (from[0] != x->dims[1]) {
		TRANSLATOR_REFUSE(t, "weights %s do not fit to %lld channels", w->name,
				  (long long)x->dims[1]);
		return;
	}
	r = weights_plan(t, 1, &weights);
	if (t->error)
		return;
	dims[0] = (uint32_t)from[1];
	dims[1] = (uint32_t)from[2];
	dims[2] = (uint32_t)from[3];
	dims[3] = (uint32_t)from[0];
	inputs[0] = image_argument(t, &r);
	inputs[1] = weights_operand(t, &weights, dims, 4, 0,
				    order_weights(t, &weights, from, true, false));
	inputs[2] = weights_bias(t, &weights, &r, dims[0], 1);
	count = 3 + window_pads(t, &window, inputs + 3);
	inputs[count++] = translator_int32(t, r.activation);
	inputs[count++] = translator_bool(t, true);
	image_emit(t, NNMODEL_TRANSPOSE_CONV_2D, inputs, count, &r);
}

/* ---- pools ---- */

static void translator_pool(struct translator *t, const struct window *window, uint32_t opcode)
{
	struct result r = translator_plan(t, 1, t->row->flags);
	int inputs[16] = { image_argument(t, &r) };
	uint32_t count = 1 + window_pads(t, window, inputs + 1);

	inputs[count++] = translator_int32(t, window->kernel[WIDTH]);
	inputs[count++] = translator_int32(t, window->kernel[HEIGHT]);
	inputs[count++] = translator_int32(t, r.activation);
	inputs[count++] = translator_bool(t, true);
	image_emit(t, opcode, inputs, count, &r);
}

static void translate_pool(struct translator *t)
{
	struct window window = { .kernel = { is_signal(t) } };
	int64_t x[4], y[4];

	if (!images_read(t, x, y) || !node_pair(t, "kernel_shape", window.kernel) ||
	    !window_read(t, &window))
		return;
	if (!window.kernel[WIDTH])
		TRANSLATOR_REFUSE(t, "attribute kernel_shape is missing");
	else if (window.dilation[0] != 1 || window.dilation[1] != 1)
		TRANSLATOR_REFUSE(t, "NNAPI's pools have no dilations");
	else if (onnx_int(t->node, "count_include_pad", 0) &&
		 (window.begin[0] || window.begin[1] || window.end[0] || window.end[1]))
		TRANSLATOR_REFUSE(
			t,
			"NNAPI's average does not count the padding; set count_include_pad to 0, or pad before");
	else
		translator_pool(t, &window, t->row->opcode);
}

static void translate_global_pool(struct translator *t)
{
	struct window window = { .stride = { 1, 1 } };
	int64_t x[4], y[4];

	if (!images_read(t, x, y))
		return;
	window.kernel[HEIGHT] = x[2];
	window.kernel[WIDTH] = x[3];
	translator_pool(t, &window, t->row->opcode);
}

/* ---- Resize ---- */

/* Larger images are not compared element by element. */
#define MAX_NEAREST (1 << 20)

/* The element that ONNX takes for element @i of @to, from @from. */
static int64_t nearest_element(const char *coordinates, const char *rounding, int64_t i,
			       int64_t from, int64_t to)
{
	double scale = (double)from / (double)to, x = (double)i * scale;

	if (!strcmp(coordinates, "half_pixel") ||
	    (!strcmp(coordinates, "pytorch_half_pixel") && to > 1))
		x = ((double)i + 0.5) * scale - 0.5;
	else if (!strcmp(coordinates, "align_corners"))
		x = to > 1 ? (double)i * (double)(from - 1) / (double)(to - 1) : 0;
	else if (!strcmp(coordinates, "pytorch_half_pixel"))
		x = 0;
	x = !strcmp(rounding, "floor")		     ? floor(x)
	    : !strcmp(rounding, "ceil")		     ? ceil(x)
	    : !strcmp(rounding, "round_prefer_ceil") ? floor(x + 0.5)
						     : ceil(x - 0.5);
	return x < 0 ? 0 : x > (double)from - 1 ? from - 1 : (int64_t)x;
}

/* Whether NNAPI's form takes the same elements: by the left corner, or by the center of a pixel. */
static bool nearest_agrees(const char *coordinates, const char *rounding, int64_t from, int64_t to,
			   bool center)
{
	if (to > MAX_NEAREST)
		return false;
	for (int64_t i = 0; i < to; i++) {
		double x = ((double)i + (center ? 0.5 : 0)) * ((double)from / (double)to);
		int64_t ours = (int64_t)floor(x) < from ? (int64_t)floor(x) : from - 1;

		if (ours != nearest_element(coordinates, rounding, i, from, to))
			return false;
	}
	return true;
}

/* The factors of the two dimensions are those of the sizes, and no other dimension changes. */
static bool resize_scales_fit(struct translator *t, const struct onnx_value *x,
			      const struct onnx_value *y)
{
	const float *scales = translator_input(t, 2) == ONNX_NONE
				      ? NULL
				      : translator_floats(t, translator_input(t, 2));
	const struct onnx_value *v = translator_value(t, 2);

	if (x->dims[0] != y->dims[0] || x->dims[1] != y->dims[1])
		return false;
	if (!v || !v->elements || !scales)
		return true;
	return v->elements == 4 &&
	       fabs((double)scales[2] * (double)x->dims[2] - (double)y->dims[2]) < 1e-3 &&
	       fabs((double)scales[3] * (double)x->dims[3] - (double)y->dims[3]) < 1e-3;
}

static void translate_resize(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0),
				*y = &t->g->values[t->node->outputs[0]];
	const char *mode = onnx_text(t->node, "mode", "nearest");
	const char *coordinates =
		onnx_text(t->node, "coordinate_transformation_mode", "half_pixel");
	const char *rounding = onnx_text(t->node, "nearest_mode", "round_prefer_floor");
	bool nearest = !strcmp(mode, "nearest"), align = !strcmp(coordinates, "align_corners");
	bool center = !strcmp(coordinates, "half_pixel") ||
		      !strcmp(coordinates, "pytorch_half_pixel");
	int64_t axes[2 * ONNX_MAX_RANK];
	struct result r;
	int inputs[6];

	if (t->node->version < 11) {
		TRANSLATOR_REFUSE(
			t,
			"its form before operator set 11 is not translated; convert to 11 or later");
		return;
	}
	if (x->rank != 4 || !x->fixed || y->rank != 4 || onnx_ints(t->node, "axes", axes) != -1 ||
	    onnx_int(t->node, "antialias", 0) || onnx_int(t->node, "exclude_outside", 0) ||
	    !resize_scales_fit(t, x, y)) {
		TRANSLATOR_REFUSE(
			t,
			"only height and width of NCHW can be resized, with scales that are exact, without axes and antialias");
		return;
	}
	if (!nearest && !strcmp(coordinates, "pytorch_half_pixel") &&
	    (y->dims[2] == 1 || y->dims[3] == 1)) {
		TRANSLATOR_REFUSE(
			t, "NNAPI has no pytorch_half_pixel for a size of 1; use half_pixel");
		return;
	}
	if ((!nearest && strcmp(mode, "linear") != 0) ||
	    (!center && !align && strcmp(coordinates, "asymmetric") != 0)) {
		TRANSLATOR_REFUSE(
			t,
			"NNAPI has no mode %s with %s; use nearest or linear, and half_pixel, align_corners or asymmetric",
			mode, coordinates);
		return;
	}
	if (nearest) {
		align = false;
		center = !(nearest_agrees(coordinates, rounding, x->dims[2], y->dims[2], false) &&
			   nearest_agrees(coordinates, rounding, x->dims[3], y->dims[3], false));
		if (center &&
		    !(nearest_agrees(coordinates, rounding, x->dims[2], y->dims[2], true) &&
		      nearest_agrees(coordinates, rounding, x->dims[3], y->dims[3], true))) {
			TRANSLATOR_REFUSE(
				t,
				"NNAPI rounds to another element than %s with %s; use asymmetric and floor",
				rounding, coordinates);
			return;
		}
	}
	r = translator_plan(t, 1, t->row->flags);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_int32(t, y->dims[3]);
	inputs[2] = translator_int32(t, y->dims[2]);
	inputs[3] = translator_bool(t, true);
	inputs[4] = translator_bool(t, align);
	inputs[5] = translator_bool(t, center);
	translator_emit(t, nearest ? NNMODEL_RESIZE_NEAREST_NEIGHBOR : NNMODEL_RESIZE_BILINEAR,
			inputs, 6, translator_result(t, &r));
}

const struct onnx_operator onnx_window_operators[] = {
	ONNX_ROW("Conv", translate_conv, NNMODEL_CONV_2D, 2, .shape = ONNX_SHAPE_FIRST),
	ONNX_ROW("ConvTranspose", translate_transposed_conv, 0, 2, .shape = ONNX_SHAPE_FIRST),
	ONNX_ROW("MaxPool", translate_pool, NNMODEL_MAX_POOL_2D, 1,
		 .flags = RESULT_ACTIVATION | RESULT_QUANTIZED | RESULT_SAME,
		 .shape = ONNX_SHAPE_FIRST),
	ONNX_ROW("AveragePool", translate_pool, NNMODEL_AVERAGE_POOL_2D, 1,
		 .flags = RESULT_ACTIVATION | RESULT_QUANTIZED | RESULT_SAME,
		 .shape = ONNX_SHAPE_FIRST),
	ONNX_ROW("GlobalAveragePool", translate_global_pool, NNMODEL_AVERAGE_POOL_2D, 1,
		 .flags = RESULT_ACTIVATION | RESULT_QUANTIZED | RESULT_SAME,
		 .shape = ONNX_SHAPE_FIRST),
	ONNX_ROW("GlobalMaxPool", translate_global_pool, NNMODEL_MAX_POOL_2D, 1,
		 .flags = RESULT_ACTIVATION | RESULT_QUANTIZED | RESULT_SAME,
		 .shape = ONNX_SHAPE_FIRST),
	ONNX_ROW("Resize", translate_resize, 0, 1, .flags = RESULT_QUANTIZED | RESULT_SAME,
		 .shape = ONNX_SHAPE_FIRST),
	{ 0 },
};
