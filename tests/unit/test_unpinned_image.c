// SPDX-License-Identifier: Apache-2.0
/*
 * Rules of NNAPI that its examples do not cover, from the order of operands to the result: images.
 * Each is an NNAPI model, checked against a reference that treats width and height, left and top
 * separately throughout.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower_run.h"
#include "test_case.h"

#define MAX_ELEMENTS 4096
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum mode { EXPLICIT, SAME, VALID };

/* NNAPI's parameters under their own names. */
struct geometry {
	int in_w, in_h, in_c, out_c;
	int filter_w, filter_h;
	int stride_w, stride_h;
	int dilation_w, dilation_h;
	enum mode mode;
	int left, right, top, bottom;
	/* found by resolve() */
	int out_w, out_h;
};

static void resolve_axis(enum mode mode, int in, int filter, int stride, int *head, int *tail,
			 int *out)
{
	if (mode == VALID)
		*head = *tail = 0;
	if (mode == SAME) {
		const int needed = ((in + stride - 1) / stride - 1) * stride + filter - in;

		*head = needed > 0 ? needed / 2 : 0;
		*tail = needed > 0 ? needed - *head : 0;
	}
	*out = (in + *head + *tail - filter) / stride + 1;
}

static void resolve(struct geometry *g)
{
	resolve_axis(g->mode, g->in_w, (g->filter_w - 1) * g->dilation_w + 1, g->stride_w, &g->left,
		     &g->right, &g->out_w);
	resolve_axis(g->mode, g->in_h, (g->filter_h - 1) * g->dilation_h + 1, g->stride_h, &g->top,
		     &g->bottom, &g->out_h);
}

/* "left right top bottom" or the code, as operands. */
static void paddings_text(const struct geometry *g, char *text, size_t size)
{
	if (g->mode == EXPLICIT)
		snprintf(text, size, "i=%d i=%d i=%d i=%d", g->left, g->right, g->top, g->bottom);
	else
		snprintf(text, size, "i=%d", g->mode == SAME ? 1 : 2);
}

static void fill(float *x, size_t n, int seed)
{
	assert_true(n <= MAX_ELEMENTS);
	for (size_t i = 0; i < n; i++)
		x[i] = (float)((int)((i * 37 + (size_t)seed * 11) % 29) - 14) / 4;
}

static float image_at(const float *x, const struct geometry *g, int row, int column, int c)
{
	return row < 0 || row >= g->in_h || column < 0 || column >= g->in_w
		       ? 0
		       : x[(row * g->in_w + column) * g->in_c + c];
}

/* The geometries: every value differs along width and height. */
static const struct geometry geometries[] = {
	{ .in_w = 11,
	  .in_h = 9,
	  .filter_w = 4,
	  .filter_h = 3,
	  .stride_w = 2,
	  .stride_h = 3,
	  .dilation_w = 1,
	  .dilation_h = 1,
	  .mode = EXPLICIT,
	  .left = 3,
	  .right = 1,
	  .top = 2,
	  .bottom = 0 },
	{ .in_w = 11,
	  .in_h = 9,
	  .filter_w = 4,
	  .filter_h = 3,
	  .stride_w = 3,
	  .stride_h = 1,
	  .dilation_w = 1,
	  .dilation_h = 1,
	  .mode = EXPLICIT,
	  .left = 0,
	  .right = 2,
	  .top = 1,
	  .bottom = 2 },
	{ .in_w = 11,
	  .in_h = 9,
	  .filter_w = 4,
	  .filter_h = 3,
	  .stride_w = 2,
	  .stride_h = 3,
	  .dilation_w = 1,
	  .dilation_h = 1,
	  .mode = SAME },
	{ .in_w = 11,
	  .in_h = 9,
	  .filter_w = 2,
	  .filter_h = 5,
	  .stride_w = 1,
	  .stride_h = 2,
	  .dilation_w = 1,
	  .dilation_h = 1,
	  .mode = VALID },
	/* with dilation */
	{ .in_w = 11,
	  .in_h = 9,
	  .filter_w = 2,
	  .filter_h = 3,
	  .stride_w = 2,
	  .stride_h = 1,
	  .dilation_w = 4,
	  .dilation_h = 2,
	  .mode = EXPLICIT,
	  .left = 4,
	  .right = 1,
	  .top = 0,
	  .bottom = 3 },
	{ .in_w = 11,
	  .in_h = 9,
	  .filter_w = 2,
	  .filter_h = 3,
	  .stride_w = 2,
	  .stride_h = 1,
	  .dilation_w = 4,
	  .dilation_h = 2,
	  .mode = SAME },
};

static bool is_dilated(const struct geometry *g)
{
	return g->dilation_w > 1 || g->dilation_h > 1;
}

/* ---- convolutions ---- */

/*
 * All forms of the three: output channel @c reads @depth input channels from @first(c) on; filters
 * are [Cout, Hf, Wf, depth], or of DEPTHWISE [1, Hf, Wf, Cout].
 */
static void check_convolution(uint32_t opcode, struct geometry g, int groups, int multiplier)
{
	static float x[MAX_ELEMENTS], w[MAX_ELEMENTS], bias[8], want[MAX_ELEMENTS],
		got[MAX_ELEMENTS];
	const bool depthwise = opcode == NNMODEL_DEPTHWISE_CONV_2D;
	const int depth = depthwise ? 1 : g.in_c / groups;
	char in[256], out[64], paddings[64], extra[32] = "", tail[32] = "";
	size_t n = 0;

	resolve(&g);
	fill(x, (size_t)(g.in_w * g.in_h * g.in_c), 1);
	fill(w, (size_t)(g.out_c * g.filter_w * g.filter_h * depth), 2);
	fill(bias, (size_t)g.out_c, 3);
	for (int row = 0; row < g.out_h; row++)
		for (int column = 0; column < g.out_w; column++)
			for (int c = 0; c < g.out_c; c++) {
				const int first = depthwise ? c / multiplier
							    : c / (g.out_c / groups) * depth;
				float sum = bias[c];

				for (int y = 0; y < g.filter_h; y++)
					for (int v = 0; v < g.filter_w; v++)
						for (int k = 0; k < depth; k++) {
							const int at = y * g.filter_w + v;

							sum += image_at(x, &g,
									row * g.stride_h - g.top +
										y * g.dilation_h,
									column * g.stride_w -
										g.left +
										v * g.dilation_w,
									first + k) *
							       (depthwise ? w[at * g.out_c + c]
									  : w[(c * g.filter_h *
										       g.filter_w +
									       at) * depth +
									      k]);
						}
				want[n++] = sum;
			}
	paddings_text(&g, paddings, sizeof(paddings));
	if (depthwise)
		snprintf(extra, sizeof(extra), "i=%d ", multiplier);
	if (opcode == NNMODEL_GROUPED_CONV_2D) {
		snprintf(extra, sizeof(extra), "i=%d ", groups);
		snprintf(tail, sizeof(tail), " b=0");
	}
	if (is_dilated(&g))
		snprintf(tail, sizeof(tail), " b=0 i=%d i=%d", g.dilation_w, g.dilation_h);
	snprintf(in, sizeof(in), "F32:1x%dx%dx%d F32:%dx%dx%dx%d F32:%d %s i=%d i=%d %si=0%s",
		 g.in_h, g.in_w, g.in_c, depthwise ? 1 : g.out_c, g.filter_h, g.filter_w,
		 depthwise ? g.out_c : depth, g.out_c, paddings, g.stride_w, g.stride_h, extra,
		 tail);
	snprintf(out, sizeof(out), "F32:1x%dx%dx%d", g.out_h, g.out_w, g.out_c);
	run_op(opcode, in, out,
	       BUFFERS(BYTES(x, (size_t)(g.in_w * g.in_h * g.in_c) * 4),
		       BYTES(w, (size_t)(g.out_c * g.filter_w * g.filter_h * depth) * 4),
		       BYTES(bias, (size_t)g.out_c * 4)),
	       BUFFERS(BYTES(got, n * 4)));
	expect_floats(got, want, n);
}

TEST(test_unpinned_convolution_order)
{
	for (size_t i = 0; i < COUNT(geometries); i++) {
		struct geometry g = geometries[i];

		g.in_c = 3;
		g.out_c = 2;
		check_convolution(NNMODEL_CONV_2D, g, 1, 0);
		g.in_c = 2;
		g.out_c = 4;
		check_convolution(NNMODEL_DEPTHWISE_CONV_2D, g, 1, 2);
		/* GROUPED has no dilation */
		if (!is_dilated(&g))
			check_convolution(NNMODEL_GROUPED_CONV_2D, g, 2, 0);
	}
}

/* Every product where it belongs; explicit paddings, or those of a requested shape. */
TEST(test_unpinned_transpose_convolution_order)
{
	static float x[MAX_ELEMENTS], w[MAX_ELEMENTS], want[MAX_ELEMENTS], got[MAX_ELEMENTS];
	const float bias[2] = { 0.5f, -1 };
	const int in_w = 4, in_h = 3, in_c = 2, out_c = 2, filter_w = 3, filter_h = 2, stride_w = 3,
		  stride_h = 2;

	for (int form = 0; form < 3; form++) {
		int left = 2, right = 1, top = 0, bottom = 1, out_w, out_h;
		char in[256], out[64], paddings[64];

		if (form == 1) { /* SAME of 6 high, 11 wide: one column too many, cut on the right
				  */
			out_w = 11;
			out_h = 6;
			left = 0;
			right = (in_w - 1) * stride_w + filter_w - out_w;
			top = bottom = 0;
			snprintf(paddings, sizeof(paddings), "I:4=1,%d,%d,%d i=1", out_h, out_w,
				 out_c);
		} else if (form == 2) { /* VALID */
			left = right = top = bottom = 0;
			snprintf(paddings, sizeof(paddings), "I:4=1,1,1,1 i=2");
		} else {
			snprintf(paddings, sizeof(paddings), "i=%d i=%d i=%d i=%d", left, right,
				 top, bottom);
		}
		out_w = (in_w - 1) * stride_w + filter_w - left - right;
		out_h = (in_h - 1) * stride_h + filter_h - top - bottom;
		fill(x, (size_t)(in_w * in_h * in_c), 1);
		fill(w, (size_t)(out_c * filter_w * filter_h * in_c), 2);
		for (int i = 0; i < out_w * out_h * out_c; i++)
			want[i] = bias[i % out_c];
		for (int row = 0; row < in_h; row++)
			for (int column = 0; column < in_w; column++)
				for (int y = 0; y < filter_h; y++)
					for (int v = 0; v < filter_w; v++)
						for (int c = 0; c < out_c; c++) {
							const int to_row = row * stride_h - top + y;
							const int to_column =
								column * stride_w - left + v;

							if (to_row < 0 || to_row >= out_h ||
							    to_column < 0 || to_column >= out_w)
								continue;
							for (int k = 0; k < in_c; k++)
								want[(to_row * out_w + to_column) *
									     out_c +
								     c] += x[(row * in_w + column) *
										     in_c +
									     k] *
									   w[((c * filter_h + y) *
										      filter_w +
									      v) * in_c +
									     k];
						}
		snprintf(in, sizeof(in),
			 "F32:1x%dx%dx%d F32:%dx%dx%dx%d F32:2=0.5,-1 %s i=%d i=%d i=0 b=0", in_h,
			 in_w, in_c, out_c, filter_h, filter_w, in_c, paddings, stride_w, stride_h);
		snprintf(out, sizeof(out), "F32:1x%dx%dx%d", out_h, out_w, out_c);
		run_op(NNMODEL_TRANSPOSE_CONV_2D, in, out,
		       BUFFERS(BYTES(x, (size_t)(in_w * in_h * in_c) * 4),
			       BYTES(w, (size_t)(out_c * filter_w * filter_h * in_c) * 4)),
		       BUFFERS(BYTES(got, (size_t)(out_w * out_h * out_c) * 4)));
		expect_floats(got, want, (size_t)(out_w * out_h * out_c));
	}
}

/* ---- pooling ---- */

static float pooled(uint32_t opcode, const float *x, const struct geometry *g, int row, int column,
		    int c)
{
	float sum = 0, squares = 0, best = -INFINITY;
	int n = 0;

	for (int y = row * g->stride_h - g->top; y < row * g->stride_h - g->top + g->filter_h; y++)
		for (int v = column * g->stride_w - g->left;
		     v < column * g->stride_w - g->left + g->filter_w; v++) {
			float value;

			if (y < 0 || y >= g->in_h || v < 0 || v >= g->in_w)
				continue;
			value = x[(y * g->in_w + v) * g->in_c + c];
			sum += value;
			squares += value * value;
			best = fmaxf(best, value);
			n++;
		}
	if (opcode == NNMODEL_MAX_POOL_2D)
		return best;
	return opcode == NNMODEL_AVERAGE_POOL_2D ? sum / (float)n : sqrtf(squares / (float)n);
}

TEST(test_unpinned_pooling_order)
{
	static const uint32_t opcodes[] = { NNMODEL_AVERAGE_POOL_2D, NNMODEL_MAX_POOL_2D,
					    NNMODEL_L2_POOL_2D };
	static float x[MAX_ELEMENTS], want[MAX_ELEMENTS], got[MAX_ELEMENTS];

	for (size_t o = 0; o < COUNT(opcodes); o++)
		for (size_t i = 0; i < COUNT(geometries); i++) {
			struct geometry g = geometries[i];
			char in[256], out[64], paddings[64];
			size_t n = 0;

			if (is_dilated(&g))
				continue;
			g.in_c = 3;
			resolve(&g);
			fill(x, (size_t)(g.in_w * g.in_h * g.in_c), (int)i);
			for (int row = 0; row < g.out_h; row++)
				for (int column = 0; column < g.out_w; column++)
					for (int c = 0; c < g.in_c; c++)
						want[n++] =
							pooled(opcodes[o], x, &g, row, column, c);
			paddings_text(&g, paddings, sizeof(paddings));
			snprintf(in, sizeof(in), "F32:1x%dx%dx%d %s i=%d i=%d i=%d i=%d i=0",
				 g.in_h, g.in_w, g.in_c, paddings, g.stride_w, g.stride_h,
				 g.filter_w, g.filter_h);
			snprintf(out, sizeof(out), "F32:1x%dx%dx%d", g.out_h, g.out_w, g.in_c);
			run_op(opcodes[o], in, out,
			       BUFFERS(BYTES(x, (size_t)(g.in_w * g.in_h * g.in_c) * 4)),
			       BUFFERS(BYTES(got, n * 4)));
			expect_floats(got, want, n);
		}
}

/* (sum + n / 2) / n in integers, of n elements in the image; mirrored below 0. */
TEST(test_unpinned_average_pool_rounding)
{
	const uint8_t x[8] = { 3, 4, 0, 1, 255, 254, 9, 9 };
	const int8_t s[8] = { -3, -4, 0, -1, -128, -127, 1, 2 };
	const uint8_t thirds[6] = { 1, 1, 2, 0, 0, 1 };
	uint8_t y[4];
	int8_t z[4];

	run_op(NNMODEL_AVERAGE_POOL_2D, "Q8:1x1x8x1@1,7 i=2 i=2 i=1 i=2 i=1 i=0", "Q8:1x1x4x1@1,7",
	       BUFFERS(BUFFER(x)), BUFFERS(BUFFER(y)));
	assert_memory_equal(y, ((uint8_t[]){ 4, 1, 255, 9 }), 4);
	run_op(NNMODEL_AVERAGE_POOL_2D, "Q8S:1x1x8x1@1,7 i=2 i=2 i=1 i=2 i=1 i=0",
	       "Q8S:1x1x4x1@1,7", BUFFERS(BUFFER(s)), BUFFERS(BUFFER(z)));
	assert_memory_equal(z, ((int8_t[]){ -4, -1, -128, 2 }), 4);
	/* 4 / 3 and 1 / 3 round down, and a corner counts its own elements: (1 + 1 + 1) / 2 */
	run_op(NNMODEL_AVERAGE_POOL_2D, "Q8:1x1x6x1@1,0 i=2 i=3 i=1 i=3 i=1 i=0", "Q8:1x1x2x1@1,0",
	       BUFFERS(BUFFER(thirds)), BUFFERS(BYTES(y, 2)));
	assert_memory_equal(y, ((uint8_t[]){ 1, 0 }), 2);
	run_op(NNMODEL_AVERAGE_POOL_2D, "Q8:1x1x6x1@1,0 i=1 i=0 i=0 i=0 i=5 i=1 i=3 i=1 i=0",
	       "Q8:1x1x1x1@1,0", BUFFERS(BUFFER(thirds)), BUFFERS(BYTES(y, 1)));
	assert_int_equal(y[0], 1);
}

/* ---- what is refused ---- */

static void expect_refusal(uint32_t opcode, const char *in, const char *out, const char *text)
{
	struct nnmodel *m = spec_model(opcode, in, out);
	struct nnhal_lowered program;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;

	assert_true(spec_lower(m, &program, &err) < 0);
	if (!strstr(err.text, text)) {
		print_error("%s\n", err.text);
		fail();
	}
	nnmodel_free(m);
}

/* Scales of a tensor: each case has a bias that fits and one that does not. */
TEST(test_unpinned_bias_scale)
{
	static const struct {
		uint32_t opcode;
		const char *head, *tail, *out;
	} cases[] = {
		{ NNMODEL_CONV_2D, "Q8:1x4x4x2@0.5,3 Q8:3x2x2x2@0.25,7 I32:3@", " i=1 i=1 i=1 i=0",
		  "Q8:1x4x4x3" },
		{ NNMODEL_DEPTHWISE_CONV_2D, "Q8:1x4x4x2@0.5,3 Q8:1x2x2x2@0.25,7 I32:2@",
		  " i=1 i=1 i=1 i=1 i=0", "Q8:1x4x4x2" },
		{ NNMODEL_GROUPED_CONV_2D, "Q8:1x4x4x2@0.5,3 Q8:2x2x2x1@0.25,7 I32:2@",
		  " i=1 i=1 i=1 i=2 i=0 b=0", "Q8:1x4x4x2" },
		{ NNMODEL_TRANSPOSE_CONV_2D, "Q8:1x4x4x2@0.5,3 Q8:3x2x2x2@0.25,7 I32:3@",
		  " i=0 i=0 i=0 i=0 i=1 i=1 i=0 b=0", "Q8:1x5x5x3" },
		{ NNMODEL_FULLY_CONNECTED, "Q8S:2x3@0.5,3 Q8S:4x3@0.25,7 I32:4@", " i=0",
		  "Q8S:2x4" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		static const struct {
			const char *scale;
			bool fits;
		} scales[] = {
			{ "0.125", true },	{ "0.12500008", true }, { "0.12499992", true },
			{ "0.1250004", false }, { "0.1249996", false }, { "0.25", false },
			{ "0", false },
		};

		for (size_t k = 0; k < COUNT(scales); k++) {
			char in[256];
			struct nnmodel *m;
			struct nnhal_lowered program;
			struct nnmodel_error err = NNMODEL_ERROR_INIT;

			snprintf(in, sizeof(in), "%s%s%s", cases[i].head, scales[k].scale,
				 cases[i].tail);
			if (!scales[k].fits) {
				expect_refusal(cases[i].opcode, in, cases[i].out, "bias");
				continue;
			}
			m = spec_model(cases[i].opcode, in, cases[i].out);
			assert_int_equal(spec_lower(m, &program, &err), 0);
			free(program.bytes);
			nnmodel_free(m);
		}
	}
}

/* A padding reaches less far than the filter; on any side. */
TEST(test_unpinned_padding_sanity)
{
	static const struct {
		uint32_t opcode;
		const char *head, *tail;
	} cases[] = {
		{ NNMODEL_CONV_2D, "F32:1x9x9x1 F32:1x2x3x1 F32:1", "i=1 i=1 i=0" },
		{ NNMODEL_DEPTHWISE_CONV_2D, "F32:1x9x9x1 F32:1x2x3x1 F32:1", "i=1 i=1 i=1 i=0" },
		{ NNMODEL_GROUPED_CONV_2D, "F32:1x9x9x1 F32:1x2x3x1 F32:1", "i=1 i=1 i=1 i=0 b=0" },
		{ NNMODEL_AVERAGE_POOL_2D, "F32:1x9x9x1", "i=1 i=1 i=3 i=2 i=0" },
		{ NNMODEL_MAX_POOL_2D, "F32:1x9x9x1", "i=1 i=1 i=3 i=2 i=0" },
		{ NNMODEL_L2_POOL_2D, "F32:1x9x9x1", "i=1 i=1 i=3 i=2 i=0" },
	};
	/* the filter is 3 wide, 2 high */
	static const int limits[4] = { 3, 3, 2, 2 };

	for (size_t i = 0; i < COUNT(cases); i++)
		for (int side = 0; side < 4; side++)
			for (int over = 0; over < 2; over++) {
				int pad[4] = { 0, 0, 0, 0 };
				char in[256];
				struct nnmodel *m;
				struct nnhal_lowered program;
				struct nnmodel_error err = NNMODEL_ERROR_INIT;

				pad[side] = limits[side] - 1 + over;
				snprintf(in, sizeof(in), "%s i=%d i=%d i=%d i=%d %s", cases[i].head,
					 pad[0], pad[1], pad[2], pad[3], cases[i].tail);
				if (over) {
					expect_refusal(cases[i].opcode, in, "F32:0x0x0x1",
						       "padding");
					continue;
				}
				m = spec_model(cases[i].opcode, in, "F32:0x0x0x1");
				assert_int_equal(spec_lower(m, &program, &err), 0);
				free(program.bytes);
				nnmodel_free(m);
			}
	/* dilation makes the filter larger: 3 of 2 apart are 5 */
	expect_refusal(NNMODEL_CONV_2D,
		       "F32:1x9x9x1 F32:1x2x3x1 F32:1 i=5 i=0 i=0 i=0 i=1 i=1 i=0 b=0 i=2 i=1",
		       "F32:0x0x0x1", "padding");
}

TEST(test_unpinned_resize_flags)
{
	expect_refusal(NNMODEL_RESIZE_BILINEAR, "F32:1x4x4x2 i=8 i=6 b=0 b=1 b=1", "F32:1x6x8x2",
		       "align_corners");
	expect_refusal(NNMODEL_RESIZE_BILINEAR, "F32:1x4x4x2 f=2 f=1.5 b=0 b=1 b=1", "F32:1x6x8x2",
		       "align_corners");
	expect_refusal(NNMODEL_RESIZE_NEAREST_NEIGHBOR, "Q8:1x4x4x2 i=8 i=6 b=0 b=1 b=1",
		       "Q8:1x6x8x2", "align_corners");
	expect_refusal(NNMODEL_RESIZE_NEAREST_NEIGHBOR, "F32:1x2x4x4 f=2 f=1.5 b=1 b=1 b=1",
		       "F32:1x2x6x8", "align_corners");
}

TEST(test_unpinned_softmax_beta)
{
	static const char *const types[] = { "F32:2x3", "Q8:2x3", "Q8S:2x3" };
	static const char *const outs[] = { "F32:2x3", "Q8:2x3@0.00390625,0",
					    "Q8S:2x3@0.00390625,-128" };
	static const char *const betas[] = { "0", "-0.0", "-1", "-1e-30" };

	for (size_t t = 0; t < COUNT(types); t++)
		for (size_t b = 0; b < COUNT(betas); b++) {
			char in[64];

			snprintf(in, sizeof(in), "%s f=%s", types[t], betas[b]);
			expect_refusal(NNMODEL_SOFTMAX, in, outs[t], "beta");
			snprintf(in, sizeof(in), "%s f=%s i=0", types[t], betas[b]);
			expect_refusal(NNMODEL_SOFTMAX, in, outs[t], "beta");
		}
	/* float16, as bits: -1 */
	expect_refusal(NNMODEL_SOFTMAX, "F16:2x3 f16=-1", "F16:2x3", "beta");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpinned_convolution_order),
		cmocka_unit_test(test_unpinned_transpose_convolution_order),
		cmocka_unit_test(test_unpinned_pooling_order),
		cmocka_unit_test(test_unpinned_average_pool_rounding),
		cmocka_unit_test(test_unpinned_bias_scale),
		cmocka_unit_test(test_unpinned_padding_sanity),
		cmocka_unit_test(test_unpinned_resize_flags),
		cmocka_unit_test(test_unpinned_softmax_beta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
