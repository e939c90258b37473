// SPDX-License-Identifier: Apache-2.0
/*
 * CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED against the oracle, and what their descriptors
 * refuse.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "op_harness.h"
#include "oracle.h"
#include "rounds.h"
#include "test_case.h"

/* The combinations of input and filter that NNAPI has. */
static const struct kind {
	uint32_t in, filter;
	bool per_channel;
} kinds[] = {
	{ NNPROG_FLOAT32, NNPROG_FLOAT32, false }, { NNPROG_FLOAT16, NNPROG_FLOAT16, false },
	{ NNPROG_UINT8, NNPROG_UINT8, false },	   { NNPROG_UINT8, NNPROG_INT8, true },
	{ NNPROG_INT8, NNPROG_INT8, false },	   { NNPROG_INT8, NNPROG_INT8, true },
};

#define NUM_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool is_quant(const struct kind *k)
{
	return k->in == NNPROG_UINT8 || k->in == NNPROG_INT8;
}

/*
 * Quantization of input, filter and output, and a bias of @n, so that results spread over the
 * codes.
 */
static void finish_operands(struct op_test *t, const struct kind *k, uint32_t channel_dim,
			    uint32_t n, uint32_t terms)
{
	if (!is_quant(k)) {
		/*
		 * weights as a trained model has them: the tolerance is for results of the size of
		 * inputs
		 */
		for (uint64_t i = 0; i < t->in[1].elements; i++)
			oracle_set_number(&t->in[1], i,
					  oracle_number(&t->in[1], i) / sqrt((double)terms));
		t->in[2] = op_tensor(k->in, DIMS(n));
		t->out[0] = op_output(k->in, 0, 0);
		return;
	}
	op_quantize(&t->in[0], (float)op_uniform(0.01, 0.1), op_zero_point(k->in));
	if (k->per_channel)
		op_quantize_channels(&t->in[1], channel_dim, 0.02f);
	else
		op_quantize(&t->in[1], (float)op_uniform(0.01, 0.05), op_zero_point(k->filter));
	t->in[2] = op_tensor(NNPROG_INT32, DIMS(n));
	if (!k->per_channel)
		op_quantize(&t->in[2], t->in[0].scale * t->in[1].scale, 0);
	/* sums grow with the root of their terms */
	t->out[0] = op_output(k->in, (float)op_uniform(0.02, 0.1) * (float)(1 + terms / 16),
			      op_zero_point(k->in));
}

static void random_geometry(struct nnprog_attr_conv2d *a, uint32_t fh, uint32_t fw)
{
	uint32_t eh, ew;

	a->padding = op_random(3);
	a->stride_w = op_random_range(1, 3);
	a->stride_h = op_random_range(1, 3);
	a->dilation_w = op_random(3) ? 1 : op_random_range(1, 3);
	a->dilation_h = op_random(3) ? 1 : op_random_range(1, 3);
	a->activation = op_random(4);
	eh = (fh - 1) * a->dilation_h + 1;
	ew = (fw - 1) * a->dilation_w + 1;
	if (a->padding == NNPROG_PAD_EXPLICIT) {
		a->pad_left = op_random(ew);
		a->pad_right = op_random(ew);
		a->pad_top = op_random(eh);
		a->pad_bottom = op_random(eh);
	}
}

TEST(test_conv_random)
{
	op_seed(1);
	for (uint32_t round = 0; round < rounds(360); round++) {
		const struct kind *k = &kinds[round % NUM_KINDS];
		struct nnprog_attr_conv2d a = { .groups = op_random(4) ? 1
								       : op_random_range(1, 3) };
		uint32_t fh = op_random_range(1, 4), fw = op_random_range(1, 4),
			 depth = op_random_range(1, 9);
		uint32_t cout = op_random_range(1, 6) * a.groups;
		struct op_test t = { .opcode = NNPROG_OP_CONV_2D, .attrs = &a, .num_in = 3 };
		double *want;

		random_geometry(&a, fh, fw);
		t.in[0] = op_tensor(k->in, DIMS(op_random(8) ? op_random_range(1, 2) : 0,
						op_random_range(12, 15), op_random_range(12, 15),
						depth * a.groups));
		t.in[1] = op_tensor(k->filter, DIMS(cout, fh, fw, depth));
		finish_operands(&t, k, 0, cout, fh * fw * depth);
		want = op_want(&t);
		oracle_conv(&a, false, t.in, &t.out[0], want);
		op_compare(&t, want, "conv");
	}
}

/* 1x1 filters take the image itself as matrix; tiles are cut from many pixels; rows of weights from
 * many channels. */
TEST(test_conv_tiles)
{
	static const uint32_t shapes[][4] = {
		{ 23, 19, 33, 21 }, { 17, 31, 16, 8 }, { 40, 41, 3, 5 },
		{ 5, 5, 130, 67 },  { 64, 70, 32, 4 },
	};

	op_seed(2);
	/* short: another of the kinds with each shape */
	for (uint32_t round = 0; round < 60; round += short_form ? 7 : 1) {
		const struct kind *k = &kinds[round % NUM_KINDS];
		const uint32_t *s = shapes[round / NUM_KINDS % 5];
		uint32_t f = round < 30 ? 1 : 3;
		struct nnprog_attr_conv2d a = { .groups = 1,
						.padding = NNPROG_PAD_SAME,
						.stride_w = 1,
						.stride_h = 1,
						.dilation_w = 1,
						.dilation_h = 1,
						.activation = op_random(4) };
		struct op_test t = { .opcode = NNPROG_OP_CONV_2D, .attrs = &a, .num_in = 3 };
		double *want;

		t.in[0] = op_tensor(k->in, DIMS(1, s[0], s[1], s[2]));
		t.in[1] = op_tensor(k->filter, DIMS(s[3], f, f, s[2]));
		finish_operands(&t, k, 0, s[3], f * f * s[2]);
		want = op_want(&t);
		oracle_conv(&a, false, t.in, &t.out[0], want);
		op_compare(&t, want, "conv tiles");
	}
}

/* What 8-bit products divide: long rows, many columns, groups of several panels, wide images. */
TEST(test_conv_blocks)
{
	static const struct {
		uint32_t batch, h, w, depth, cout, fh, fw, stride, dilation, groups;
	} shapes[] = {
		{ 1, 3, 2, 9000, 3, 2, 2, 1, 1, 1 }, /* segments in several pieces */
		{ 1, 5, 3, 3000, 5, 4, 2, 1, 1, 1 }, /* several segments a piece */
		{ 1, 2, 3, 700, 1100, 1, 1, 1, 1, 1 }, /* columns in blocks */
		{ 2, 9, 8, 33, 70, 3, 3, 1, 1, 2 },
		{ 2, 17, 40, 24, 40, 1, 1, 2, 1, 1 }, /* strides beyond the filter */
		{ 1, 20, 21, 16, 16, 2, 2, 3, 1, 1 },
		{ 3, 40, 37, 5, 20, 1, 1, 1, 1, 1 }, /* a batch in one row */
		{ 1, 4, 5000, 7, 9, 3, 3, 1, 1, 1 }, /* blocks of a row */
		{ 1, 4, 3000, 12, 9, 1, 3, 2, 1, 1 },
		{ 1, 30, 31, 20, 17, 3, 3, 1, 4, 1 },
		/* weights in blocks, with pixels in blocks; of each group, too */
		{ 1, 7, 7, 260, 130, 3, 3, 1, 1, 1 },
		{ 1, 3, 5, 130, 70, 3, 3, 1, 1, 4 },
	};

	op_seed(5);
	for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		for (uint32_t padding = NNPROG_PAD_SAME; padding <= NNPROG_PAD_VALID; padding++) {
			for (uint32_t j = 2; j < NUM_KINDS; j++) {
				const struct kind *k = &kinds[j];
				struct nnprog_attr_conv2d a = {
					.groups = shapes[i].groups,
					.padding = padding,
					.stride_w = shapes[i].stride,
					.stride_h = shapes[i].stride,
					.dilation_w = shapes[i].dilation,
					.dilation_h = shapes[i].dilation,
					.activation = op_random(4),
				};
				struct op_test t = { .opcode = NNPROG_OP_CONV_2D,
						     .attrs = &a,
						     .num_in = 3 };
				uint32_t fh = shapes[i].fh, fw = shapes[i].fw,
					 depth = shapes[i].depth,
					 cout = shapes[i].cout * shapes[i].groups;
				double *want;

				/* one kind of the four */
				if (short_form && j != 2 + (i + padding) % 4)
					continue;
				t.in[0] = op_tensor(k->in, DIMS(shapes[i].batch, shapes[i].h,
								shapes[i].w, depth * a.groups));
				t.in[1] = op_tensor(k->filter, DIMS(cout, fh, fw, depth));
				finish_operands(&t, k, 0, cout, fh * fw * depth);
				want = op_want(&t);
				oracle_conv(&a, false, t.in, &t.out[0], want);
				op_compare(&t, want, "conv blocks");
			}
		}
	}
}

/*
 * Floats: a vector of channels and some more, patches of more than a tile, each padding, stride and
 * dilation; outputs of few pixels and many channels.
 */
TEST(test_float_shapes)
{
	op_seed(5);
	for (uint32_t round = 0; round < (short_form ? 24 : 80); round++) {
		const struct kind *k = &kinds[round % 2];
		bool depthwise = round & 2;
		struct nnprog_attr_conv2d a = { .groups = !depthwise,
						.multiplier = depthwise ? op_random_range(1, 2)
									: 0 };
		uint32_t fh = op_random_range(1, 5), fw = op_random_range(1, 5),
			 depth = op_random_range(1, 80);
		/* no more than the oracle computes quickly */
		uint32_t most = 1 + 8000 / (fh * fw * depth);
		uint32_t cout = depthwise ? depth * a.multiplier
					  : op_random_range(1, most < 140 ? most : 140);
		struct op_test t = { .opcode = depthwise ? NNPROG_OP_DEPTHWISE_CONV_2D
							 : NNPROG_OP_CONV_2D,
				     .attrs = &a,
				     .num_in = 3 };
		double *want;

		random_geometry(&a, fh, fw);
		if (round & 4) {
			a.dilation_w = a.dilation_h = a.stride_w = a.stride_h = 1;
			a.pad_left = a.pad_right = a.pad_top = a.pad_bottom = 0;
		}
		t.in[0] = op_tensor(k->in, DIMS(1, op_random_range(13, 15), op_random_range(13, 16),
						depth));
		t.in[1] = op_tensor(k->filter,
				    DIMS(depthwise ? 1 : cout, fh, fw, depthwise ? cout : depth));
		finish_operands(&t, k, 0, cout, fh * fw * depth);
		want = op_want(&t);
		oracle_conv(&a, depthwise, t.in, &t.out[0], want);
		op_compare(&t, want, "float shapes");
	}
}

TEST(test_depthwise_random)
{
	op_seed(3);
	for (uint32_t round = 0; round < rounds(360); round++) {
		const struct kind *k = &kinds[round % NUM_KINDS];
		struct nnprog_attr_conv2d a = { .multiplier =
							op_random(3) ? 1 : op_random_range(1, 5) };
		uint32_t fh = op_random_range(1, 4), fw = op_random_range(1, 4),
			 cin = op_random(4) ? op_random_range(1, 9) : op_random_range(10, 50);
		uint32_t cout = cin * a.multiplier;
		struct op_test t = { .opcode = NNPROG_OP_DEPTHWISE_CONV_2D,
				     .attrs = &a,
				     .num_in = 3 };
		double *want;

		random_geometry(&a, fh, fw);
		t.in[0] = op_tensor(k->in,
				    DIMS(op_random(8) ? op_random_range(1, 2) : 0,
					 op_random_range(12, 15), op_random_range(12, 15), cin));
		t.in[1] = op_tensor(k->filter, DIMS(1, fh, fw, cout));
		finish_operands(&t, k, 3, cout, fh * fw);
		want = op_want(&t);
		oracle_conv(&a, true, t.in, &t.out[0], want);
		op_compare(&t, want, "depthwise");
	}
}

/* A depthwise convolution. */
struct depthwise_shape {
	uint32_t batch, h, w, channels, multiplier, fh, fw, stride_h, stride_w, dilation_h,
		dilation_w, padding;
};

static const struct depthwise_shape depthwise_shapes[] = {
	/* whole vectors, blocks of channels, tiles of columns */
	{ 1, 7, 7, 192, 1, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 2, 5, 40, 320, 1, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 6, 40, 320, 1, 3, 3, 2, 2, 1, 1, NNPROG_PAD_SAME },
	{ 1, 3, 150, 72, 1, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 4, 150, 144, 1, 3, 3, 2, 2, 1, 1, NNPROG_PAD_SAME },
	{ 1, 3, 150, 100, 1, 3, 3, 1, 2, 1, 1, NNPROG_PAD_VALID },
	{ 1, 5, 500, 64, 1, 5, 5, 1, 1, 1, 1, NNPROG_PAD_SAME },
	/* enough work to be divided */
	{ 1, 57, 56, 64, 1, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	/* many channels that do not make vectors */
	{ 1, 4, 4, 1040, 1, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 5, 5, 1101, 1, 3, 3, 2, 2, 1, 1, NNPROG_PAD_SAME },
	{ 1, 4, 3, 2100, 1, 2, 2, 1, 1, 1, 1, NNPROG_PAD_VALID },
	/* few channels: vectors span pixels */
	{ 1, 9, 11, 1, 1, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 2, 8, 13, 8, 1, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 8, 13, 8, 1, 3, 3, 2, 2, 1, 1, NNPROG_PAD_SAME },
	{ 1, 8, 13, 24, 1, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 8, 13, 31, 1, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 8, 13, 35, 1, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 8, 13, 48, 1, 3, 3, 2, 2, 1, 1, NNPROG_PAD_SAME },
	{ 1, 8, 13, 80, 1, 3, 3, 1, 3, 1, 1, NNPROG_PAD_SAME },
	/* one input channel: a convolution */
	{ 2, 49, 40, 1, 8, 10, 8, 2, 2, 1, 1, NNPROG_PAD_SAME },
	{ 1, 9, 11, 1, 4, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 9, 11, 1, 5, 3, 2, 1, 2, 2, 3, NNPROG_PAD_VALID },
	{ 1, 9, 11, 1, 70, 2, 3, 3, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 9, 11, 1, 3, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	/* other filters */
	{ 1, 12, 12, 64, 1, 5, 5, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 12, 12, 40, 1, 5, 5, 2, 2, 1, 1, NNPROG_PAD_SAME },
	{ 1, 12, 9, 16, 1, 9, 7, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 9, 9, 32, 1, 1, 1, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 9, 9, 32, 1, 2, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 9, 9, 32, 1, 4, 1, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 16, 17, 48, 1, 3, 3, 1, 1, 7, 6, NNPROG_PAD_SAME },
	{ 1, 6, 6, 16, 1, 3, 3, 5, 4, 1, 1, NNPROG_PAD_SAME },
	{ 1, 20, 20, 16, 1, 17, 16, 1, 1, 1, 1, NNPROG_PAD_VALID },
	/* of one row, of one column */
	{ 2, 3, 50, 24, 1, 1, 7, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 4, 30, 21, 1, 1, 5, 1, 2, 1, 2, NNPROG_PAD_SAME },
	{ 1, 2, 40, 640, 1, 1, 4, 2, 1, 1, 1, NNPROG_PAD_SAME },
	{ 2, 30, 1, 40, 1, 15, 1, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 30, 1, 40, 1, 3, 1, 2, 1, 2, 1, NNPROG_PAD_SAME },
	{ 1, 30, 1, 36, 1, 6, 1, 3, 1, 1, 1, NNPROG_PAD_VALID },
	{ 1, 31, 1, 64, 1, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	/* several outputs of a channel */
	{ 1, 9, 9, 16, 4, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 9, 9, 1, 8, 3, 3, 2, 2, 1, 1, NNPROG_PAD_SAME },
	{ 1, 9, 30, 5, 7, 1, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 5, 5, 700, 3, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 9, 1, 10, 9, 5, 1, 1, 1, 1, 1, NNPROG_PAD_SAME },
	{ 1, 5, 60, 64, 5, 3, 3, 1, 1, 1, 1, NNPROG_PAD_SAME },
};

/* What is woven, blocked, laid on its side and staged is the same convolution. */
TEST(test_depthwise_shapes)
{
	op_seed(33);
	for (size_t i = 0; i < sizeof(depthwise_shapes) / sizeof(depthwise_shapes[0]); i++) {
		const struct depthwise_shape *s = &depthwise_shapes[i];

		for (size_t n = 0; n < NUM_KINDS; n++) {
			const struct kind *k = &kinds[n];
			struct nnprog_attr_conv2d a = { .multiplier = s->multiplier,
							.stride_h = s->stride_h,
							.stride_w = s->stride_w,
							.dilation_h = s->dilation_h,
							.dilation_w = s->dilation_w,
							.padding = s->padding,
							.activation = op_random(4) };
			uint32_t cout = s->channels * s->multiplier;
			struct op_test t = { .opcode = NNPROG_OP_DEPTHWISE_CONV_2D,
					     .attrs = &a,
					     .num_in = 3 };
			double *want;

			t.in[0] = op_tensor(k->in, DIMS(s->batch, s->h, s->w, s->channels));
			t.in[1] = op_tensor(k->filter, DIMS(1, s->fh, s->fw, cout));
			finish_operands(&t, k, 3, cout, s->fh * s->fw);
			want = op_want(&t);
			oracle_conv(&a, true, t.in, &t.out[0], want);
			op_compare(&t, want, "depthwise shape");
		}
	}
}

/*
 * Weights that are 255 from their zero point, in the first 16 channels of 80; sums that are far
 * beyond the output, and beyond 32 bits once they are multiplied.
 */
TEST(test_depthwise_extremes)
{
	static const float out_scales[] = { 40, 1e-3f, 1e-12f, 1e-30f };

	op_seed(34);
	for (uint32_t round = 0; round < 16; round++) {
		struct nnprog_attr_conv2d a = { .multiplier = 1,
						.stride_h = 1,
						.stride_w = 1,
						.dilation_h = 1,
						.dilation_w = 1,
						.padding = NNPROG_PAD_SAME };
		const bool high = round & 1, far = round & 2;
		struct op_test t = { .opcode = NNPROG_OP_DEPTHWISE_CONV_2D,
				     .attrs = &a,
				     .num_in = 3 };
		double *want;

		t.in[0] = op_tensor(NNPROG_UINT8, DIMS(1, 4, 5, 80));
		op_quantize(&t.in[0], 0.1f, far ? 255 : 0);
		memset(t.in[0].data, far ? 0 : 255, 240);
		t.in[1] = op_tensor(NNPROG_UINT8, DIMS(1, 3, 3, 80));
		for (size_t i = 0; i < t.in[1].elements; i++) {
			uint8_t *w = (uint8_t *)t.in[1].data + i;

			if (i % 80 < 16)
				*w = high ? 0 : 255;
			else if (i % 80 < 48)
				*w = high ? 255 - *w % 100 : *w % 100;
		}
		op_quantize(&t.in[1], 0.1f, high ? 255 : 0);
		t.in[2] = op_tensor(NNPROG_INT32, DIMS(80));
		op_quantize(&t.in[2], t.in[0].scale * t.in[1].scale, 0);
		for (size_t i = 0; i < 80; i++)
			((int32_t *)t.in[2].data)[i] %= 100000;
		t.out[0] = op_output(NNPROG_UINT8, out_scales[round / 4], 7);
		want = op_want(&t);
		oracle_conv(&a, true, t.in, &t.out[0], want);
		op_compare(&t, want, "depthwise extremes");
	}
}

TEST(test_fully_connected_random)
{
	op_seed(4);
	for (uint32_t round = 0; round < rounds(240); round++) {
		const struct kind *k = &kinds[round % NUM_KINDS];
		struct nnprog_attr_act a = { .activation = op_random(4) };
		uint32_t batch = op_random(8) ? op_random_range(1, 5) : op_random_range(100, 300),
			 units = op_random_range(1, 40);
		uint32_t n = op_random(4) ? op_random_range(1, 70) : op_random_range(500, 600);
		struct op_test t = { .opcode = NNPROG_OP_FULLY_CONNECTED,
				     .attrs = &a,
				     .num_in = 3 };
		double *want;

		if (op_random(10) == 0)
			batch = 0;
		if (op_random(2))
			t.in[0] = op_tensor(k->in, DIMS(batch, n));
		else
			t.in[0] = op_tensor(k->in, DIMS(1, batch, 1, n));
		t.in[1] = op_tensor(k->filter, DIMS(units, n));
		finish_operands(&t, k, 0, units, n);
		assert_int_equal(op_run(&t), 0);
		assert_int_equal(t.out[0].rank, 2);
		assert_int_equal(t.out[0].dims[0], batch);
		want = op_results(&t);
		oracle_fully_connected(&a, t.in, &t.out[0], want);
		op_compare(&t, want, "fully connected");
	}
}

/* Input [2,3,4] with weights [7,8]: the batch is 24 / 8. */
TEST(test_fully_connected_batch)
{
	struct nnprog_attr_act a = { 0 };
	struct op_test t = { .opcode = NNPROG_OP_FULLY_CONNECTED, .attrs = &a, .num_in = 3 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3, 4));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(7, 8));
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(7));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	assert_int_equal(t.out[0].dims[0], 3);
	assert_int_equal(t.out[0].dims[1], 7);
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(7, 5));
	op_refused(&t);
}

/*
 * Sums beyond 32 bits wrap: any answer would do, but not undefined behaviour, and the same
 * everywhere.
 */
TEST(test_overflow)
{
	struct nnprog_attr_act a = { 0 };
	struct op_test t = { .opcode = NNPROG_OP_FULLY_CONNECTED, .attrs = &a, .num_in = 3 };
	double want[3];

	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(1, 100003));
	t.in[1] = op_tensor(NNPROG_UINT8, DIMS(3, 100003));
	t.in[2] = op_tensor(NNPROG_INT32, DIMS(3));
	memset(t.in[0].data, 255, t.in[0].size);
	memset(t.in[1].data, 255, t.in[1].size);
	for (int i = 0; i < 3; i++)
		((int32_t *)t.in[2].data)[i] = INT32_MAX - i;
	op_quantize(&t.in[0], 1, 0);
	op_quantize(&t.in[1], 1, 0);
	op_quantize(&t.in[2], 1, 0);
	t.out[0] = op_output(NNPROG_UINT8, 2e7f, 100);
	assert_int_equal(op_run(&t), 0);
	oracle_fully_connected(&a, t.in, &t.out[0], want);
	oracle_compare(&t.out[0], want, "overflow");
	op_release();
}

/*
 * Weights that do not stay in any second-level cache, with pixels of several blocks and rows of
 * several products; sums that almost fill 32 bits, of both signs.
 */
TEST(test_heavy_weights)
{
	static const struct {
		uint32_t batch, columns, depth;
		bool extreme;
	} shapes[] = {
		{ 50, 140, 16000, false }, { 9, 110, 20000, false }, { 1, 4096, 4096, false },
		{ 3, 5, 66300, true },	   { 7, 70, 66300, true },
	};

	op_seed(6);
	for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		for (uint32_t j = 2; j < NUM_KINDS; j++) {
			const struct kind *k = &kinds[j];
			const uint32_t columns = shapes[i].columns, depth = shapes[i].depth;
			struct nnprog_attr_act a = { .activation = op_random(4) };
			struct op_test t = { .opcode = NNPROG_OP_FULLY_CONNECTED,
					     .attrs = &a,
					     .num_in = 3 };
			double *want;

			if (short_form && j != 2 + i % 4)
				continue;
			t.in[0] = op_tensor(k->in, DIMS(shapes[i].batch, depth));
			t.in[1] = op_tensor(k->filter, DIMS(columns, depth));
			finish_operands(&t, k, 0, columns, depth);
			if (shapes[i].extreme) {
				bool is_signed = k->filter == NNPROG_INT8;
				uint8_t *w = t.in[1].data;

				a.activation = NNPROG_ACT_NONE;
				memset(t.in[0].data, k->in == NNPROG_INT8 ? 0x7f : 0xff,
				       t.in[0].size);
				t.in[0].zero_point = k->in == NNPROG_INT8 ? -128 : 0;
				if (!t.in[1].num_scales)
					t.in[1].zero_point = is_signed ? 0 : 128;
				/* 255 * 127 * 66300 is 2147125500 */
				for (uint32_t c = 0; c < columns; c++)
					memset(w + (size_t)c * depth,
					       (is_signed ? 0 : 128) + (c % 2 ? 127 : -127), depth);
				memset(t.in[2].data, 0, t.in[2].size);
				t.out[0].scale *= 200;
			}
			want = op_want(&t);
			oracle_fully_connected(&a, t.in, &t.out[0], want);
			op_compare(&t, want, "heavy weights");
		}
	}
}

/* One input value at a time says which tap goes where: strides, dilation and padding, width before
 * height in the attributes' names, not in their order. */
TEST(test_geometry_order)
{
	struct nnprog_attr_conv2d a = {
		.padding = NNPROG_PAD_EXPLICIT,
		.pad_left = 3,
		.pad_right = 1,
		.pad_top = 0,
		.pad_bottom = 2,
		.stride_w = 3,
		.stride_h = 2,
		.dilation_w = 2,
		.dilation_h = 1,
		.groups = 1,
	};
	struct op_test t = { .opcode = NNPROG_OP_CONV_2D, .attrs = &a, .num_in = 3 };
	float *x, *w, *out;

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 5, 8, 1));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(1, 3, 3, 1));
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(1));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	x = t.in[0].data;
	w = t.in[1].data;
	memset(x, 0, t.in[0].size);
	((float *)t.in[2].data)[0] = 0;
	for (int i = 0; i < 9; i++)
		w[i] = (float)(i + 1);
	x[3 * 8 + 4] = 1;
	assert_int_equal(op_run(&t), 0);
	/* height: (5 + 0 + 2 - 3) / 2 + 1; width: (8 + 3 + 1 - 5) / 3 + 1 */
	assert_int_equal(t.out[0].dims[1], 3);
	assert_int_equal(t.out[0].dims[2], 3);
	out = t.out[0].data;
	for (int oy = 0; oy < 3; oy++) {
		for (int ox = 0; ox < 3; ox++) {
			int ky = 3 - 2 * oy, kx2 = 4 + 3 - 3 * ox;
			float want = 0;

			if (ky >= 0 && ky < 3 && kx2 >= 0 && kx2 % 2 == 0 && kx2 / 2 < 3)
				want = w[ky * 3 + kx2 / 2];
			assert_true(out[oy * 3 + ox] == want);
		}
	}
	op_release();
}

/* Ties of the rule: halves go to the even code, on both sides of zero. */
TEST(test_rounding)
{
	static const int32_t sums[] = { 1, 3, 5, -1, -3, -5, 2, 7 };
	static const int8_t want[] = { 0, 2, 2, 0, -2, -2, 1, 4 };
	struct nnprog_attr_act a = { 0 };
	struct op_test t = { .opcode = NNPROG_OP_FULLY_CONNECTED, .attrs = &a, .num_in = 3 };

	t.in[0] = op_tensor(NNPROG_INT8, DIMS(1, 1));
	t.in[1] = op_tensor(NNPROG_INT8, DIMS(8, 1));
	t.in[2] = op_tensor(NNPROG_INT32, DIMS(8));
	*(int8_t *)t.in[0].data = 0;
	memcpy(t.in[2].data, sums, sizeof(sums));
	op_quantize(&t.in[0], 0.5f, 0);
	op_quantize(&t.in[1], 0.5f, 3);
	op_quantize(&t.in[2], 0.25f, 0);
	t.out[0] = op_output(NNPROG_INT8, 0.5f, 0);
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, want, sizeof(want));
	op_release();
}

static void good_conv(struct op_test *t, struct nnprog_attr_conv2d *a)
{
	*a = (struct nnprog_attr_conv2d){ .padding = NNPROG_PAD_SAME,
					  .stride_w = 1,
					  .stride_h = 1,
					  .dilation_w = 1,
					  .dilation_h = 1,
					  .groups = 1 };
	*t = (struct op_test){ .opcode = NNPROG_OP_CONV_2D, .attrs = a, .num_in = 3 };
	t->in[0] = op_tensor(NNPROG_UINT8, DIMS(1, 6, 7, 4));
	t->in[1] = op_tensor(NNPROG_UINT8, DIMS(5, 3, 3, 4));
	t->in[2] = op_tensor(NNPROG_INT32, DIMS(5));
	op_quantize(&t->in[0], 0.5f, 3);
	op_quantize(&t->in[1], 0.25f, 4);
	op_quantize(&t->in[2], 0.125f, 0);
	t->out[0] = op_output(NNPROG_UINT8, 8, 7);
}

#define REFUSED(change)                                \
	do {                                           \
		good_conv(&t, &a);                     \
		change;                                \
		assert_int_equal(op_run(&t), -EINVAL); \
		assert_true(strlen(t.error) > 0);      \
		op_release();                          \
	} while (0)

TEST(test_refusals)
{
	struct nnprog_attr_conv2d a;
	struct op_test t;

	good_conv(&t, &a);
	assert_int_equal(op_run(&t), 0);
	op_release();
	/* bias scale within 1e-6 of the product is taken, else not */
	good_conv(&t, &a);
	t.in[2].scale = 0.125f * (1 + 5e-7f);
	assert_int_equal(op_run(&t), 0);
	op_release();
	REFUSED(t.in[2].scale = 0.125f * (1 + 3e-6f));
	REFUSED(t.in[2].scale = 0);
	REFUSED(t.in[2].zero_point = 1);
	REFUSED(t.in[0].scale = 0);
	REFUSED(t.out[0].scale = 0);
	REFUSED(t.out[0].dtype = NNPROG_INT8);
	REFUSED(t.in[2].dtype = NNPROG_FLOAT32);
	REFUSED(t.in[1].dims[3] = 3);
	REFUSED(t.in[1].dims[0] = 6);
	REFUSED(t.in[2].dims[0] = 6);
	REFUSED(t.in[0].rank = 3);
	REFUSED(t.in[1].rank = 3);
	REFUSED(t.in[2].rank = 2);
	REFUSED(t.in[0].dims[1] = 0);
	REFUSED(t.in[0].dims[3] = 0);
	REFUSED(a.stride_w = 0);
	REFUSED(a.stride_h = 0);
	REFUSED(a.dilation_w = 0);
	REFUSED(a.dilation_h = 0);
	REFUSED(a.activation = 4);
	REFUSED(a.padding = 3);
	REFUSED(a.pad_left = 1);
	REFUSED(a.groups = 0);
	REFUSED(a.groups = 2);
	REFUSED(a.multiplier = 2);
	/* padding has to stay below the effective filter */
	REFUSED((a.padding = NNPROG_PAD_EXPLICIT, a.pad_left = 3));
	REFUSED((a.padding = NNPROG_PAD_EXPLICIT, a.pad_right = 3));
	REFUSED((a.padding = NNPROG_PAD_EXPLICIT, a.pad_top = 3));
	REFUSED((a.padding = NNPROG_PAD_EXPLICIT, a.pad_bottom = UINT32_MAX));
	good_conv(&t, &a);
	a.padding = NNPROG_PAD_EXPLICIT;
	a.pad_left = 3;
	a.dilation_w = 2;
	assert_int_equal(op_run(&t), 0);
	op_release();
	/* VALID with a filter beyond the image */
	REFUSED((a.padding = NNPROG_PAD_VALID, a.dilation_h = 3));
	REFUSED((a.padding = NNPROG_PAD_SAME, a.dilation_h = UINT32_MAX));
}

TEST(test_refusals_depthwise)
{
	struct nnprog_attr_conv2d a;
	struct op_test t;

	for (int variant = 0; variant < 5; variant++) {
		good_conv(&t, &a);
		t.opcode = NNPROG_OP_DEPTHWISE_CONV_2D;
		a.groups = 0;
		a.multiplier = 2;
		t.in[1] = op_tensor(NNPROG_UINT8, DIMS(1, 3, 3, 8));
		t.in[2] = op_tensor(NNPROG_INT32, DIMS(8));
		op_quantize(&t.in[1], 0.25f, 4);
		op_quantize(&t.in[2], 0.125f, 0);
		if (variant == 1)
			a.multiplier = 3;
		if (variant == 2)
			a.multiplier = 0;
		if (variant == 3)
			a.groups = 1;
		if (variant == 4)
			t.in[1].dims[0] = 2;
		assert_int_equal(op_run(&t), variant ? -EINVAL : 0);
		op_release();
	}
}

/* A long operation ticks, and stops at once. */
TEST(test_cancel)
{
	struct nnprog_attr_conv2d a;
	struct op_test t;

	for (uint32_t depthwise = 0; depthwise < 2; depthwise++) {
		good_conv(&t, &a);
		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 200, 100, 4));
		t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(depthwise ? 1 : 4, 3, 3, 4));
		t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(4));
		t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
		if (depthwise) {
			t.opcode = NNPROG_OP_DEPTHWISE_CONV_2D;
			a.groups = 0;
			a.multiplier = 1;
		}
		op_cancel_at(3);
		assert_int_equal(op_run(&t), -ECANCELED);
		assert_int_equal(t.ticks, 3);
		op_cancel_at(0);
		op_release();
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conv_random),
		cmocka_unit_test(test_conv_tiles),
		cmocka_unit_test(test_conv_blocks),
		cmocka_unit_test(test_float_shapes),
		cmocka_unit_test(test_depthwise_random),
		cmocka_unit_test(test_depthwise_shapes),
		cmocka_unit_test(test_depthwise_extremes),
		cmocka_unit_test(test_fully_connected_random),
		cmocka_unit_test(test_fully_connected_batch),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_heavy_weights),
		cmocka_unit_test(test_geometry_order),
		cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_refusals_depthwise),
		cmocka_unit_test(test_cancel),
	};

	rounds_init(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
