// SPDX-License-Identifier: Apache-2.0
/*
 * TRANSPOSE_CONV_2D: some input pixels of a row at a time times all taps of the filter, and each
 * tap's channels added to the output pixel that it reaches. The filter is packed as [height, width,
 * output channel, input channel], so that a tap's channels lie together.
 */
#include <stdlib.h>
#include <string.h>

#include "f32_gemm/f32_gemm.h"
#include "half/half.h"
#include "kernels/float_operand.h"
#include "kernels/kernel.h"
#include "kernels/move.h"
#include "kernels/qgemm.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_memory.h"

/* Products of one tile, elements: stays in the second-level cache. */
#define TILE_ELEMENTS 65536u

struct geometry {
	size_t batch, in_h, in_w, in_c, out_h, out_w, out_c, filter_h, filter_w;
	size_t stride_h, stride_w;
	int64_t top, left;
	size_t taps; /* rows of the packed filter */
	size_t tile; /* input pixels at a time */
};

static struct geometry geometry_of(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_transpose_conv *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *filter = &ctx->in[1], *out = &ctx->out[0];
	struct geometry g = {
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

	g.taps = g.filter_h * g.filter_w * g.out_c;
	g.tile = TILE_ELEMENTS / g.taps;
	g.tile = g.tile < 1 ? 1 : g.tile < g.in_w ? g.tile : g.in_w;
	return g;
}

/*
 * Paddings; the output shape operand may be client memory: read once; an earlier reading led to the
 * shape.
 */
static int find_padding(struct nnfw_op_ctx *ctx, struct geometry *g)
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

static size_t packed_size(uint32_t dtype, size_t taps, size_t out_c, size_t in_c)
{
	if (!nnfw_is_quant8(dtype))
		return nnfw_f32_weights_size(taps, in_c);
	return nnfw_align(out_c * sizeof(float)) +
	       nnfw_align(taps * nnfw_qgemm_pad(in_c) * sizeof(int16_t));
}

static int pack_float(struct nnfw_work *work, void *mem, const struct nnfw_tensor *filter)
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

		ret = nnfw_f32_pack(work, mem, taps * out_c, in_c, t * out_c, out_c, &from);
	}
	return ret;
}

static int pack_quant(struct nnfw_work *work, void *mem, const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *filter = &ctx->in[1];
	size_t out_c = filter->dims[0], taps = (size_t)filter->dims[1] * filter->dims[2];
	size_t in_c = filter->dims[3], kp = nnfw_qgemm_pad(in_c);
	int32_t zero_point = filter->num_scales ? 0 : filter->zero_point;
	uint8_t *next = mem;
	float *multipliers = nnfw_take(&next, out_c * sizeof(*multipliers));
	int16_t *rows = (int16_t *)next;

	for (size_t c = 0; c < out_c; c++) {
		float scale = filter->num_scales ? filter->scales[c] : filter->scale;

		multipliers[c] = (float)((double)ctx->in[0].scale * scale / ctx->out[0].scale);
		for (size_t t = 0; t < taps; t++) {
			int16_t *to = rows + (t * out_c + c) * kp;

			int ret = nnfw_work(work, 16);

			if (!ret)
				ret = nnfw_widen_row(work, to,
						     (const uint8_t *)filter->data +
							     (c * taps + t) * in_c,
						     in_c, kp, filter->dtype, zero_point);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int pack(void *mem, const struct nnfw_op_ctx *ctx)
{
	struct nnfw_work work = { .progress = ctx->progress };

	return nnfw_is_quant8(ctx->in[0].dtype) ? pack_quant(&work, mem, ctx)
						: pack_float(&work, mem, &ctx->in[1]);
}

static int conv_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnfw_tensor *filter = &ctx->in[1];
	size_t bytes;

	*state = NULL;
	*size = 0;
	if (!filter->constant || !filter->data)
		return 0;
	bytes = packed_size(ctx->in[0].dtype, nnfw_extent(filter, 0, 3), filter->dims[0],
			    filter->dims[3]);
	*state = nnfw_alloc_state(ctx, bytes);
	if (!*state)
		return -ENOMEM;
	*size = bytes;
	return pack(*state, ctx);
}

/* ---- accumulation ---- */

/* Taps [*first, *end) of those at @at, @at + 1, ... that lie in [0, extent). */
static void inside(int64_t at, size_t taps, size_t extent, size_t *first, size_t *end)
{
	int64_t lo = at < 0 ? -at : 0, hi = (int64_t)extent - at;

	hi = hi < (int64_t)taps ? hi : (int64_t)taps;
	*first = (size_t)lo;
	*end = hi > lo ? (size_t)hi : (size_t)lo;
}

/*
 * Products [pixel][tap][channel] of pixels [x, x + count) of input row @y, added to an image. 0 or
 * -ECANCELED.
 */
#define SCATTER(name, type, sum_type)                                                           \
	static int name(struct nnfw_work *work, const struct geometry *g, size_t y, size_t x,   \
			size_t count, const type *products, type *image)                        \
	{                                                                                       \
		int64_t at_y = (int64_t)(y * g->stride_h) - g->top;                             \
		size_t first_y, end_y, first_x, end_x;                                          \
                                                                                                \
		inside(at_y, g->filter_h, g->out_h, &first_y, &end_y);                          \
		for (size_t p = 0; p < count; p++, products += g->taps) {                       \
			int64_t at_x = (int64_t)((x + p) * g->stride_w) - g->left;              \
                                                                                                \
			inside(at_x, g->filter_w, g->out_w, &first_x, &end_x);                  \
			for (size_t fy = first_y; fy < end_y && first_x < end_x; fy++) {        \
				size_t row = (size_t)(at_y + (int64_t)fy) * g->out_w +          \
					     (size_t)(at_x + (int64_t)first_x);                 \
				const type *from =                                              \
					products + (fy * g->filter_w + first_x) * g->out_c;     \
				type *to = image + row * g->out_c;                              \
				const size_t n = (end_x - first_x) * g->out_c;                  \
                                                                                                \
				NNFW_EACH(work, i, n,                                           \
					  to[i] = (type)((sum_type)to[i] + (sum_type)from[i])); \
			}                                                                       \
		}                                                                               \
		return 0;                                                                       \
	}

SCATTER(scatter_f32, float, float)
SCATTER(scatter_s32, int32_t, uint32_t)

static int run_quant(struct nnfw_op_ctx *ctx, const struct geometry *g)
{
	const struct nnprog_attr_transpose_conv *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	struct nnfw_requant q = nnfw_requant_output(out, a->activation);
	size_t kp = nnfw_qgemm_pad(g->in_c), pixels = g->out_h * g->out_w;
	uint8_t *next = ctx->scratch;
	int16_t *rows = nnfw_take(&next, g->tile * kp * sizeof(*rows));
	int32_t *products = nnfw_take(&next, g->tile * g->taps * sizeof(*products));
	int32_t *image = nnfw_take(&next, pixels * g->out_c * sizeof(*image));
	const uint8_t *packed = ctx->state;
	struct nnfw_qweights w = { .n = g->taps, .k = g->in_c, .kp = kp };
	struct nnfw_work work = { .progress = ctx->progress };
	const uint32_t zero = 0;
	int ret;

	if (!packed) {
		ret = pack(next, ctx);
		if (ret)
			return ret;
		packed = next;
	}
	w.multipliers = (const float *)packed;
	w.rows = (const int16_t *)(packed + nnfw_align(g->out_c * sizeof(float)));
	for (size_t b = 0; b < g->batch; b++) {
		ret = nnfw_fill_long(&work, image, pixels * g->out_c, sizeof(*image), &zero);
		if (ret)
			return ret;
		for (size_t i = 0; i < g->in_h * g->in_w;) {
			size_t y = i / g->in_w, x = i % g->in_w;
			size_t count = g->in_w - x < g->tile ? g->in_w - x : g->tile;

			ret = nnfw_progress_tick(ctx->progress);
			for (size_t p = 0; p < count && !ret; p++)
				ret = nnfw_widen_row(&work, rows + p * kp,
						     (const uint8_t *)in->data +
							     (b * g->in_h * g->in_w + i + p) *
								     g->in_c,
						     g->in_c, kp, in->dtype, in->zero_point);
			if (!ret)
				ret = nnfw_qgemm(ctx->progress, rows, count, &w, 0, g->taps,
						 products);
			if (ret)
				return ret;
			ret = scatter_s32(&work, g, y, x, count, products, image);
			if (ret)
				return ret;
			i += count;
		}
		ret = nnfw_qgemm_store(&work, image, pixels, g->out_c, ctx->in[2].data,
				       w.multipliers, &q,
				       (uint8_t *)out->data + b * pixels * g->out_c, g->out_c);
		if (ret)
			return ret;
	}
	return 0;
}

/* image[pixel][c] = clamp(image[pixel][c] + bias[c]). 0 or -ECANCELED. */
static int add_bias(struct nnfw_work *work, float *image, size_t pixels, size_t channels,
		    const float *bias, float lo, float hi)
{
	for (size_t i = 0; i < pixels; i++, image += channels)
		NNFW_EACH(work, c, channels, image[c] = nnfw_clampf(image[c] + bias[c], lo, hi));
	return 0;
}

static int run_float(struct nnfw_op_ctx *ctx, const struct geometry *g)
{
	const struct nnprog_attr_transpose_conv *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	bool half = in->dtype == NNPROG_FLOAT16;
	size_t pixels = g->out_h * g->out_w;
	uint8_t *next = ctx->scratch;
	float *rows = nnfw_take(&next, half ? g->tile * g->in_c * sizeof(*rows) : 0);
	float *bias_mem = nnfw_take(&next, half ? g->out_c * sizeof(*bias_mem) : 0);
	float *products = nnfw_take(&next, g->tile * g->taps * sizeof(*products));
	float *image = nnfw_take(&next, pixels * g->out_c * sizeof(*image));
	struct nnfw_work work = { .progress = ctx->progress };
	struct nnfw_f32_weights w = { .n = g->taps, .k = g->in_c, .data = ctx->state };
	const struct nnfw_f32_result sums = { .data = products, .ld = g->taps, NNFW_F32_ALL };
	const float *bias;
	const uint32_t zero = 0;
	float lo, hi;
	int ret;

	ret = nnfw_float_view(&work, &ctx->in[2], bias_mem, &bias);
	if (!w.data && !ret) {
		ret = pack(next, ctx);
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
			size_t count = g->in_w - x < g->tile ? g->in_w - x : g->tile;
			size_t from = ((b * g->in_h * g->in_w) + i) * g->in_c;
			const float *left = half ? rows : (const float *)in->data + from;

			ret = nnfw_progress_tick(ctx->progress);
			if (half && !ret)
				ret = nnfw_half_load_long(&work, rows,
							  (const uint16_t *)in->data + from,
							  count * g->in_c);
			if (!ret)
				ret = nnfw_f32_product(&work, left, g->in_c, count, &w, 0, g->taps,
						       &sums);
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
	struct geometry g = geometry_of(ctx);
	uint32_t dtype = ctx->in[0].dtype;
	size_t size = nnfw_align(g.tile * g.taps * sizeof(float)) +
		      nnfw_align(g.out_h * g.out_w * g.out_c * sizeof(float));

	if (nnfw_is_quant8(dtype))
		size += nnfw_align(g.tile * nnfw_qgemm_pad(g.in_c) * sizeof(int16_t));
	if (dtype == NNPROG_FLOAT16)
		size += nnfw_align(g.tile * g.in_c * sizeof(float)) +
			nnfw_align(g.out_c * sizeof(float));
	return size + (ctx->state ? 0 : packed_size(dtype, g.taps, g.out_c, g.in_c));
}

static int conv_run(struct nnfw_op_ctx *ctx)
{
	struct geometry g = geometry_of(ctx);
	int ret = find_padding(ctx, &g);

	if (ret || !ctx->out[0].elements)
		return ret;
	return nnfw_is_quant8(ctx->in[0].dtype) ? run_quant(ctx, &g) : run_float(ctx, &g);
}

const struct nnfw_op nnfw_op_transpose_conv = {
	.opcode = NNPROG_OP_TRANSPOSE_CONV_2D,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.load = conv_load,
	.unload = free,
	.scratch = conv_scratch,
	.run = conv_run,
};
