/* SPDX-License-Identifier: Apache-2.0 */
/* Extents of a 2-D convolution, and which filter taps lie inside the image. */
#ifndef NNFW_CONV_GEOMETRY_H
#define NNFW_CONV_GEOMETRY_H

#include "nnprog_attrs.h"
#include "nnprog_shape.h"
#include "nnfw_op.h"

struct nnfw_conv_geometry {
	size_t batch, in_h, in_w, in_c;
	size_t out_h, out_w, out_c;
	size_t filter_h, filter_w;
	size_t stride_h, stride_w, dilation_h, dilation_w;
	size_t top, left;
	size_t groups; /* CONV_2D */
	size_t depth; /* CONV_2D: input channels of a group */
	size_t k; /* CONV_2D: taps of an output element, filter_h * filter_w * depth */
};

/** From operands whose shapes have passed the descriptor. */
static inline struct nnfw_conv_geometry nnfw_conv_geometry(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *filter = &ctx->in[1], *out = &ctx->out[0];
	struct nnfw_conv_geometry g = {
		.batch = in->dims[0],
		.in_h = in->dims[1],
		.in_w = in->dims[2],
		.in_c = in->dims[3],
		.out_h = out->dims[1],
		.out_w = out->dims[2],
		.out_c = out->dims[3],
		.filter_h = filter->dims[1],
		.filter_w = filter->dims[2],
		.stride_h = a->stride_h,
		.stride_w = a->stride_w,
		.dilation_h = a->dilation_h,
		.dilation_w = a->dilation_w,
		.groups = a->groups,
		.depth = filter->dims[3],
	};
	uint32_t n, top, left, tail;

	g.k = g.filter_h * g.filter_w * g.depth;
	nnprog_window(in->dims[1], filter->dims[1], a->stride_h, a->dilation_h, a->padding,
		      a->pad_top, a->pad_bottom, &n, &top, &tail);
	nnprog_window(in->dims[2], filter->dims[2], a->stride_w, a->dilation_w, a->padding,
		      a->pad_left, a->pad_right, &n, &left, &tail);
	g.top = top;
	g.left = left;
	return g;
}

/**
 * Taps [*first, *end) of a window at @out that lie inside [0, in); position of tap t is
 * out * stride + t * dilation - head. Empty: *first == *end.
 */
static inline void nnfw_taps(size_t out, size_t stride, size_t dilation, size_t head, size_t filter,
			     size_t in, size_t *first, size_t *end)
{
	size_t start = out * stride, lo = 0, hi;

	/* most windows lie inside, and need no division */
	if (start >= head && start - head + (filter - 1) * dilation < in) {
		*first = 0;
		*end = filter;
		return;
	}
	if (start < head)
		lo = (head - start + dilation - 1) / dilation;
	/* start + t * dilation - head <= in - 1 */
	hi = in + head > start ? (in + head - start - 1) / dilation + 1 : 0;
	*end = hi < filter ? hi : filter;
	*first = lo < *end ? lo : *end;
}

#endif
