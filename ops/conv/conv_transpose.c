// SPDX-License-Identifier: Apache-2.0
/*
 * TRANSPOSE_CONV_2D; 8 bits are in conv_transpose_q8.c. Floats: some input pixels of a row at a
 * time times all taps of the filter, and each tap's channels added to the output pixel that it
 * reaches. The filter is packed as [height, width, output channel, input channel], so that a tap's
 * channels lie together.
 */
#include <stdlib.h>
#include <string.h>

#include "conv.h"
#include "f32_gemm/f32_gemm.h"
#include "half/half.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_file.h"

/* Products of one tile, elements: stays in the second-level cache. */
#define TILE_ELEMENTS 65536u

static struct nnfw_transpose_geometry geometry_of(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_transpose_conv *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *filter = &ctx->in[1], *out = &ctx->out[0];

	return (struct nnfw_transpose_geometry){
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
	};
}

/* Rows of the packed filter. */
static size_t taps_of(const struct nnfw_transpose_geometry *g)
{
	return g->filter_h * g->filter_w * g->out_c;
}

/* Input pixels at a time. */
static size_t tile_of(const struct nnfw_transpose_geometry *g)
{
	size_t tile = TILE_ELEMENTS / taps_of(g);

	return tile < 1 ? 1 : tile < g->in_w ? tile : g->in_w;
}

/*
 * Paddings; the output shape operand may be client memory: read once; an earlier reading led to the
 * shape.
 */
static int find_padding(struct nnfw_op_ctx *ctx, struct nnfw_transpose_geometry *g)
{
	const struct nnprog_attr_transpose_conv *a = ctx->attrs;
	int32_t wanted[2] = { 0 };
	uint32_t h, w;

	if (a->padding == NNPROG_PAD_SAME) {
		if (ctx->num_in < 4 || ctx->in[3].omitted || ctx->in[3].elements != 4)
			return nnfw_refuse(ctx, "the output shape must have 4 elements");
		for (int i = 0; i < 2; i++)
			wanted[i] = NNUTIL_READ_ONCE(((const int32_t *)ctx->in[3].data)[1 + i]);
		if (wanted[0] < 1 || wanted[1] < 1)
			return nnfw_refuse(ctx, "output shape: %d, %d", wanted[0], wanted[1]);
	}
	if (nnprog_transpose_window((uint32_t)g->in_h, (uint32_t)g->filter_h, a->stride_h,
				    a->padding, (uint32_t)wanted[0], a->pad_top, a->pad_bottom, &h,
				    &g->top) ||
	    nnprog_transpose_window((uint32_t)g->in_w, (uint32_t)g->filter_w, a->stride_w,
				    a->padding, (uint32_t)wanted[1], a->pad_left, a->pad_right, &w,
				    &g->left) ||
	    h != g->out_h || w != g->out_w)
		return nnfw_refuse(ctx, "output shape changed during the run");
	return 0;
}

/* ---- the packed filter ---- */

static int pack_float(const struct nnfw_op_ctx *ctx, void *mem, const struct nnfw_tensor *filter)
{
	size_t out_c = filter->dims[0], taps = (size_t)filter->dims[1] * filter->dims[2];
	size_t in_c = filter->dims[3], size = nnprog_dtype_size(filter->dtype);
	int ret = 0;

	for (size_t t = 0; t < taps && !ret; t++) {
		const struct nnfw_f32_source from = {
			.data = (const uint8_t *)filter->data + t * in_c * size,
			.half = filter->dtype == NNPROG_FLOAT16,
			.column = taps * in_c,
			.depth = 1,
		};

		ret = nnfw_f32_pack_split(ctx, mem, taps * out_c, in_c, t * out_c, out_c, &from);
	}
	return ret;
}

static int conv_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnfw_tensor *filter = &ctx->in[1];
	size_t bytes;

	*state = NULL;
	*size = 0;
	if (!filter->constant || !filter->data)
		return 0;
	if (nnfw_is_quant8(ctx->in[0].dtype))
		return nnfw_transpose_q8_load(ctx, state, size);
	bytes = nnfw_f32_weights_size(nnfw_extent(filter, 0, 3), filter->dims[3]);
	*state = nnfw_alloc_state(ctx, bytes);
	if (!*state)
		return -ENOMEM;
	*size = bytes;
	if (nnfw_state_pages(ctx, *state, bytes))
		return -ECANCELED;
	nnfw_leave_unread(ctx, 1);
	return pack_float(ctx, *state, filter);
}

/* ---- accumulation ---- */

NNFW_TRANSPOSE_SCATTER(scatter_f32, float)

/* image[pixel][c] = clamp(image[pixel][c] + bias[c]). 0 or -ECANCELED. */
static int add_bias(struct nnfw_work *work, float *image, size_t pixels, size_t channels,
		    const float *bias, float lo, float hi)
{
	for (size_t i = 0; i < pixels; i++, image += channels)
		NNFW_EACH(work, c, channels, image[c] = nnfw_clampf(image[c] + bias[c], lo, hi));
	return 0;
}

static int run_float(struct nnfw_op_ctx *ctx, const struct nnfw_transpose_geometry *g)
{
	const struct nnprog_attr_transpose_conv *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	bool half = in->dtype == NNPROG_FLOAT16;
	size_t pixels = g->out_h * g->out_w;
	uint8_t *next = ctx->scratch;
	float *rows = nnfw_take(&next, half ? tile_of(g) * g->in_c * sizeof(*rows) : 0);
	float *bias_mem = nnfw_take(&next, half ? g->out_c * sizeof(*bias_mem) : 0);
	float *products = nnfw_take(&next, tile_of(g) * taps_of(g) * sizeof(*products));
	float *image = nnfw_take(&next, pixels * g->out_c * sizeof(*image));
	struct nnfw_work work = { .progress = ctx->progress };
	struct nnfw_f32_weights w = { .n = taps_of(g), .k = g->in_c, .data = ctx->state };
	const struct nnfw_f32_result sums = { .data = products, .ld = taps_of(g), NNFW_F32_ALL };
	const float *bias;
	const uint32_t zero = 0;
	float lo, hi;
	int ret;

	ret = nnfw_float_view(&work, &ctx->in[2], bias_mem, &bias);
	if (!w.data && !ret) {
		ret = pack_float(ctx, next, &ctx->in[1]);
		w.data = (const float *)next;
	}
	if (ret)
		return ret;
	nnfw_activation_range(a->activation, &lo, &hi);
	for (size_t b = 0; b < g->batch; b++) {
		size_t to = b * pixels * g->out_c;

		ret = nnfw_fill_long(&work, image, pixels * g->out_c, sizeof(*image), &zero);
		if (ret)
			return ret;
		for (size_t i = 0; i < g->in_h * g->in_w;) {
			size_t y = i / g->in_w, x = i % g->in_w;
			size_t count = g->in_w - x < tile_of(g) ? g->in_w - x : tile_of(g);
			size_t from = ((b * g->in_h * g->in_w) + i) * g->in_c;
			const float *left = half ? rows : (const float *)in->data + from;

			ret = nnfw_progress_tick(ctx->progress);
			if (half && !ret)
				ret = nnfw_half_load_long(&work, rows,
							  (const uint16_t *)in->data + from,
							  count * g->in_c);
			if (!ret)
				ret = nnfw_f32_product(&work, left, g->in_c, count, &w, 0,
						       taps_of(g), &sums);
			if (ret)
				return ret;
			ret = scatter_f32(&work, g, y, x, count, products, image);
			if (ret)
				return ret;
			i += count;
		}
		ret = add_bias(&work, image, pixels, g->out_c, bias, lo, hi);
		if (half && !ret)
			ret = nnfw_half_store_long(&work, (uint16_t *)out->data + to, image,
						   pixels * g->out_c);
		else if (!ret)
			ret = nnfw_copy_long(&work, (float *)out->data + to, image,
					     pixels * g->out_c * sizeof(*image));
		if (ret)
			return ret;
	}
	return 0;
}

/* ---- the operation ---- */

static size_t conv_scratch(const struct nnfw_op_ctx *ctx)
{
	struct nnfw_transpose_geometry g = geometry_of(ctx);
	size_t size;

	if (nnfw_is_quant8(ctx->in[0].dtype))
		return nnfw_transpose_q8_scratch(ctx, &g);
	size = nnfw_align(tile_of(&g) * taps_of(&g) * sizeof(float)) +
	       nnfw_align(g.out_h * g.out_w * g.out_c * sizeof(float));
	if (ctx->in[0].dtype == NNPROG_FLOAT16)
		size += nnfw_align(tile_of(&g) * g.in_c * sizeof(float)) +
			nnfw_align(g.out_c * sizeof(float));
	return size + (ctx->state ? 0 : nnfw_f32_weights_size(taps_of(&g), g.in_c));
}

static int conv_run(struct nnfw_op_ctx *ctx)
{
	struct nnfw_transpose_geometry g = geometry_of(ctx);
	int ret = find_padding(ctx, &g);

	if (ret || !ctx->out[0].elements)
		return ret;
	return nnfw_is_quant8(ctx->in[0].dtype) ? nnfw_transpose_q8_run(ctx, &g)
						: run_float(ctx, &g);
}

/* An input channel's filter for each of its elements. */
static uint64_t conv_macs(const struct nnfw_op_ctx *ctx)
{
	const uint32_t *filter = ctx->in[1].dims;

	return ctx->in[0].elements * filter[0] * filter[1] * filter[2];
}

const struct nnfw_op nnfw_op_transpose_conv_2d = {
	.opcode = NNPROG_OP_TRANSPOSE_CONV_2D,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.products = true,
	.macs = conv_macs,
	.load = conv_load,
	.unload = free,
	.scratch = conv_scratch,
	.run = conv_run,
};
