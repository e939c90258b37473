/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of TRANSPOSE_CONV_2D share: conv_transpose.c has floats, conv_transpose_q8.c 8
 * bits. */
#ifndef NNFW_CONV_TRANSPOSE_H
#define NNFW_CONV_TRANSPOSE_H

#include "kernels/kernel.h"

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
