/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions: depthwise, in float, transposed. */
#ifndef NNACCEL_CONV_H
#define NNACCEL_CONV_H

#include "kernels/conv_geometry.h"
#include "kernels/kernel.h"
#include "nnfw_op.h"
#include "q8_depthwise/q8_depthwise.h"

/* conv_depthwise.c: DEPTHWISE_CONV_2D: what its files (conv_depthwise*.c) share. */

/** load(), scratch() and run() of nnfw_op.h for 8 bits; the output is not empty. */
int nnfw_depthwise_q8_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size);
size_t nnfw_depthwise_q8_scratch(const struct nnfw_op_ctx *ctx);
int nnfw_depthwise_q8_run(struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g);

/** The same for 8 bits and any size, slow. */
int nnfw_depthwise_q8_long(const struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g);

/** The same for floats. */
int nnfw_depthwise_float_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size);
size_t nnfw_depthwise_float_scratch(const struct nnfw_op_ctx *ctx);
int nnfw_depthwise_float_run(struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g);

/** Taps of one output pixel that lie in the image. */
struct nnfw_depthwise_window {
	size_t ky0, ky1, kx0, kx1;
	size_t offset; /* input element of tap (ky0, kx0) */
};

static inline struct nnfw_depthwise_window
nnfw_depthwise_window_at(const struct nnfw_conv_geometry *g, size_t image, size_t oy, size_t ox)
{
	struct nnfw_depthwise_window w;
	size_t y, x;

	nnfw_taps(oy, g->stride_h, g->dilation_h, g->top, g->filter_h, g->in_h, &w.ky0, &w.ky1);
	nnfw_taps(ox, g->stride_w, g->dilation_w, g->left, g->filter_w, g->in_w, &w.kx0, &w.kx1);
	if (w.ky0 == w.ky1 || w.kx0 == w.kx1) {
		w = (struct nnfw_depthwise_window){ 0 };
		return w;
	}
	y = oy * g->stride_h + w.ky0 * g->dilation_h - g->top;
	x = ox * g->stride_w + w.kx0 * g->dilation_w - g->left;
	w.offset = ((image * g->in_h + y) * g->in_w + x) * g->in_c;
	return w;
}

/** Cost of an output pixel in moved elements: products are vectorized. */
static inline size_t nnfw_depthwise_pixel_work(const struct nnfw_conv_geometry *g)
{
	return g->filter_h * g->filter_w * g->out_c / 4;
}

/** Pixels of so many products, or channels, are computed in slices with ticks. */
static inline bool nnfw_depthwise_is_long(const struct nnfw_conv_geometry *g)
{
	return nnfw_depthwise_pixel_work(g) >= NNFW_WORK_TICK || g->out_c >= NNFW_WORK_TICK;
}

/*
 * conv_depthwise_pack.c: 8-bit depthwise convolutions: how they are computed, and what is computed
 * before.
 */

/** Channels of a block where they are many and do not make whole vectors. */
#define NNFW_DEPTHWISE_BLOCK 1024u

/**
 * Taps of a filter that are not too many, and terms of four: a filter of two rows has most, and
 * three parts.
 */
#define NNFW_DEPTHWISE_MAX_TAPS 256u
#define NNFW_DEPTHWISE_MAX_TERMS (NNFW_DEPTHWISE_MAX_TAPS / 2 * NNFW_Q8DW_PARTS)

/** What follows from the filter and the attributes, at load() as in runs. */
struct nnfw_depthwise_layout {
	bool is_long; /* nothing of this: nnfw_depthwise_q8_long() */
	bool wide; /* weights of 16 bits */
	bool on_side; /* image and filter are of one column, and taken as one row */
	bool across; /* the lanes of a strip are columns: the filter has one row */
	bool pairs; /* two rows of the output share a strip */
	bool staged; /* rows of the image are copied: pads, channels repeated or added */
	size_t channels; /* of a pixel in strips: those of the output, or more */
	size_t units; /* packed, until the channels of the first come again */
	size_t phases; /* vectors until then */
	size_t groups, places; /* of four taps */
	size_t unit_size;
	uint32_t parts; /* most of a unit */
};

struct nnfw_depthwise_pack {
	struct nnfw_depthwise_layout layout;
	struct nnfw_q8dw_finish finish;
	const uint8_t *units; /* layout.units struct nnfw_q8dw_unit */
	const uint8_t *parts; /* of each unit */
	uint8_t fill[NNFW_Q8DW_VECTOR]; /* the image's zero point */
};

struct nnfw_depthwise_layout nnfw_depthwise_layout(const struct nnfw_op_ctx *ctx, bool wide);
/** Makes the layout as small as the weights allow. 0 or -ECANCELED. */
int nnfw_depthwise_parts(const struct nnfw_op_ctx *ctx, struct nnfw_depthwise_layout *l);
size_t nnfw_depthwise_pack_size(const struct nnfw_depthwise_layout *l);
/** *@pack = in @mem, 64-byte aligned. 0 or -ECANCELED. */
int nnfw_depthwise_pack(const struct nnfw_op_ctx *ctx, const struct nnfw_depthwise_layout *l,
			void *mem, const struct nnfw_depthwise_pack **pack);

/* conv_float.c: CONV_2D of floats. */

/** load(), scratch() and run() of nnfw_op.h; filter and output are not empty. */
int nnfw_conv_float_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size);
size_t nnfw_conv_float_scratch(const struct nnfw_op_ctx *ctx);
int nnfw_conv_float_run(struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g);

/*
 * conv_transpose.c: what the files of TRANSPOSE_CONV_2D share: conv_transpose.c has floats,
 * conv_transpose_q8.c 8 bits.
 */

/** Input pixel (y, x) reaches output pixels (y * stride_h - top + tap, ...). */
struct nnfw_transpose_geometry {
	size_t batch, in_h, in_w, in_c, out_h, out_w, out_c, filter_h, filter_w;
	size_t stride_h, stride_w;
	int64_t top, left;
};

/** Taps [*first, *end) of those at @at, @at + 1, ... that lie in [0, extent). */
static inline void nnfw_transpose_inside(int64_t at, size_t taps, size_t extent, size_t *first,
					 size_t *end)
{
	int64_t lo = at < 0 ? -at : 0, hi = (int64_t)extent - at;

	hi = hi < (int64_t)taps ? hi : (int64_t)taps;
	*first = (size_t)lo;
	*end = hi > lo ? (size_t)hi : (size_t)lo;
}

/**
 * Defines a function: products [pixel][tap][channel] of pixels [x, x + count) of input row @y,
 * added to an image. 0 or -ECANCELED.
 */
#define NNFW_TRANSPOSE_SCATTER(name, type)                                                         \
	static int name(struct nnfw_work *work, const struct nnfw_transpose_geometry *g, size_t y, \
			size_t x, size_t count, const type *products, type *image)                 \
	{                                                                                          \
		int64_t at_y = (int64_t)(y * g->stride_h) - g->top;                                \
		size_t first_y, end_y, first_x, end_x;                                             \
                                                                                                   \
		nnfw_transpose_inside(at_y, g->filter_h, g->out_h, &first_y, &end_y);              \
		for (size_t p = 0; p < count; p++) {                                               \
			int64_t at_x = (int64_t)((x + p) * g->stride_w) - g->left;                 \
                                                                                                   \
			nnfw_transpose_inside(at_x, g->filter_w, g->out_w, &first_x, &end_x);      \
			for (size_t fy = first_y; fy < end_y && first_x < end_x; fy++) {           \
				size_t row = (size_t)(at_y + (int64_t)fy) * g->out_w +             \
					     (size_t)(at_x + (int64_t)first_x);                    \
				const type *from =                                                 \
					products + (fy * g->filter_w + first_x) * g->out_c;        \
				type *to = image + row * g->out_c;                                 \
				const size_t n = (end_x - first_x) * g->out_c;                     \
                                                                                                   \
				NNFW_EACH(work, i, n, to[i] += from[i]);                           \
			}                                                                          \
			products += g->filter_h * g->filter_w * g->out_c;                          \
		}                                                                                  \
		return 0;                                                                          \
	}

/* Parts of load(), scratch() and run() of nnfw_op.h for 8 bits; filter, input and output have
 * elements. */
int nnfw_transpose_q8_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size);
size_t nnfw_transpose_q8_scratch(const struct nnfw_op_ctx *ctx,
				 const struct nnfw_transpose_geometry *g);
int nnfw_transpose_q8_run(struct nnfw_op_ctx *ctx, const struct nnfw_transpose_geometry *g);

#endif
