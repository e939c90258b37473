/* SPDX-License-Identifier: Apache-2.0 */
/* DEPTHWISE_CONV_2D: what its files (conv_depthwise*.c) share. */
#ifndef NNFW_CONV_DEPTHWISE_H
#define NNFW_CONV_DEPTHWISE_H

#include "kernels/conv_geometry.h"
#include "kernels/kernel.h"

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

#endif
