// SPDX-License-Identifier: Apache-2.0
/*
 * CONV_2D: patches of output pixels, a tile at a time, as the left side of a GEMM with the filter.
 * Floats through OpenBLAS (a 1x1 filter of stride 1 reads the image itself), 8 bits through
 * nnfw_qgemm().
 */
#include <stdlib.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "kernels/conv_geometry.h"
#include "kernels/fgemm.h"
#include "kernels/half.h"
#include "kernels/im2col.h"
#include "kernels/kernel.h"
#include "kernels/qgemm.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"

/* Patches that are copied between two ticks. */
static size_t patches(const struct nnfw_conv_geometry *g)
{
	return g->k < NNFW_WORK_TICK ? NNFW_WORK_TICK / g->k : 1;
}

/* ---- 8 bits ---- */

static int run_quant(struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	struct nnfw_requant q = nnfw_requant_output(out, a->activation);
	size_t pixels = g->batch * g->out_h * g->out_w, n = g->out_c / g->groups;
	size_t tile = nnfw_qgemm_tile(pixels, g->k), kp = nnfw_qgemm_pad(g->k);
	const int32_t *bias = ctx->in[2].data;
	const struct nnfw_qweights *w = ctx->state;
	struct nnfw_work work = { .progress = ctx->progress };
	struct nnfw_im2col source = { g, in->data, in->dtype, in->zero_point, &work };
	uint8_t *next = ctx->scratch;
	int16_t *rows = nnfw_take(&next, tile * kp * sizeof(*rows));
	int32_t *acc = nnfw_take(&next, tile * n * sizeof(*acc));
	int ret = 0;

	if (!w)
		ret = nnfw_qweights_pack(ctx->progress, next, in, &ctx->in[1], out, g->out_c, g->k,
					 &w);
	for (size_t first = 0; first < pixels && !ret; first += tile) {
		size_t count = pixels - first < tile ? pixels - first : tile;

		ret = nnfw_progress_tick(ctx->progress);
		for (size_t group = 0; group < g->groups && !ret; group++) {
			size_t c = group * n;

			ret = nnfw_work(&work, count * n / 4);
			for (size_t i = 0, step = patches(g); i < count && !ret; i += step) {
				ret = nnfw_im2col_s16(&source, group, first + i,
						      count - i < step ? count - i : step,
						      rows + i * kp, kp);
				if (!ret)
					ret = nnfw_work(&work, step * g->k);
			}
			if (!ret)
				ret = nnfw_qgemm(ctx->progress, rows, count, w, c, n, acc);
			if (!ret)
				ret = nnfw_qgemm_store(&work, acc, count, n, bias + c,
						       w->multipliers + c, &q,
						       (uint8_t *)out->data + first * g->out_c + c,
						       g->out_c);
		}
	}
	return ret;
}

/* ---- floats ---- */

/* The image is its own patch matrix. */
static bool direct(const struct nnfw_conv_geometry *g)
{
	return g->filter_h == 1 && g->filter_w == 1 && g->stride_h == 1 && g->stride_w == 1 &&
	       g->groups == 1 && !g->top && !g->left && g->out_h == g->in_h && g->out_w == g->in_w;
}

/*
 * Pixels of a GEMM: enough to pay for the packing of the filter, few enough to tick and stay
 * cached.
 */
static size_t float_tile(size_t pixels, size_t k)
{
	size_t tile = (512 << 10) / (k * sizeof(float));

	tile = tile < 64 ? 64 : tile > 2048 ? 2048 : tile;
	return tile < pixels ? tile : pixels;
}

static int run_float(struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	size_t pixels = g->batch * g->out_h * g->out_w, n = g->out_c / g->groups;
	size_t tile = float_tile(pixels, g->k);
	bool half = in->dtype == NNPROG_FLOAT16, image = direct(g) && !half;
	uint8_t *next = ctx->scratch;
	float *rows = nnfw_take(&next, image ? 0 : tile * g->k * sizeof(*rows));
	float *results = nnfw_take(&next, half ? tile * g->out_c * sizeof(*results) : 0);
	float *bias_mem = nnfw_take(&next, half ? g->out_c * sizeof(*bias_mem) : 0);
	struct nnfw_work work = { .progress = ctx->progress };
	struct nnfw_im2col source = { g, in->data, in->dtype, 0, &work };
	const float *bias, *filter;
	float lo, hi;
	int ret;

	nnfw_activation_range(a->activation, &lo, &hi);
	ret = nnfw_float_operand(ctx->progress, &ctx->in[2], NULL, bias_mem, &bias);
	if (!ret)
		ret = nnfw_float_operand(ctx->progress, &ctx->in[1], ctx->state, next, &filter);
	for (size_t first = 0; first < pixels && !ret; first += tile) {
		size_t count = pixels - first < tile ? pixels - first : tile;
		float *to = half ? results : (float *)out->data + first * g->out_c;

		ret = nnfw_progress_tick(ctx->progress);
		for (size_t group = 0; group < g->groups && !ret; group++) {
			const float *left = image ? (const float *)in->data + first * g->k : rows;

			ret = nnfw_work(&work, count * n / 4);
			for (size_t i = 0, step = patches(g); i < count && !image && !ret;
			     i += step) {
				ret = nnfw_im2col_f32(&source, group, first + i,
						      count - i < step ? count - i : step,
						      rows + i * g->k, g->k);
				if (!ret)
					ret = nnfw_work(&work, step * g->k);
			}
			if (!ret)
				ret = nnfw_fgemm(ctx->progress, left, count, g->k,
						 filter + group * n * g->k, n, g->k, to + group * n,
						 g->out_c);
		}
		if (!ret)
			ret = nnfw_fgemm_finish(&work, to, count, g->out_c, g->out_c, bias, lo, hi);
		if (half && !ret)
			ret = nnfw_half_store_long(&work, (uint16_t *)out->data + first * g->out_c,
						   results, count * g->out_c);
	}
	return ret;
}

/* ---- the operation ---- */

static int conv_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnfw_tensor *filter = &ctx->in[1];
	const struct nnfw_qweights *packed;
	size_t n, k, bytes;

	*state = NULL;
	*size = 0;
	if (!filter->constant || !filter->data)
		return 0;
	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return nnfw_load_half(ctx, filter, state, size);
	n = filter->dims[0];
	k = nnfw_extent(filter, 1, 4);
	bytes = nnfw_qweights_size(n, k);
	*state = nnfw_alloc_state(ctx, bytes);
	if (!*state)
		return -ENOMEM;
	*size = nnfw_align(bytes);
	return nnfw_qweights_pack(ctx->progress, *state, &ctx->in[0], filter, &ctx->out[0], n, k,
				  &packed);
}

static size_t conv_scratch(const struct nnfw_op_ctx *ctx)
{
	struct nnfw_conv_geometry g = nnfw_conv_geometry(ctx);
	size_t pixels = g.batch * g.out_h * g.out_w, size, tile;
	bool half = ctx->in[0].dtype == NNPROG_FLOAT16;

	if (nnfw_is_quant8(ctx->in[0].dtype)) {
		tile = nnfw_qgemm_tile(pixels, g.k);
		size = nnfw_align(tile * nnfw_qgemm_pad(g.k) * sizeof(int16_t)) +
		       nnfw_align(tile * (g.out_c / g.groups) * sizeof(int32_t));
		return size + (ctx->state ? 0 : nnfw_qweights_size(g.out_c, g.k));
	}
	tile = float_tile(pixels, g.k);
	size = direct(&g) && !half ? 0 : nnfw_align(tile * g.k * sizeof(float));
	if (half) {
		size += nnfw_align(tile * g.out_c * sizeof(float)) +
			nnfw_align(g.out_c * sizeof(float));
		if (!ctx->state)
			size += nnfw_align(ctx->in[1].elements * sizeof(float));
	}
	return size;
}

static int conv_run(struct nnfw_op_ctx *ctx)
{
	struct nnfw_conv_geometry g = nnfw_conv_geometry(ctx);

	if (!ctx->out[0].elements)
		return 0;
	return nnfw_is_quant8(ctx->in[0].dtype) ? run_quant(ctx, &g) : run_float(ctx, &g);
}

const struct nnfw_op nnfw_op_conv2d = {
	.opcode = NNPROG_OP_CONV_2D,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.load = conv_load,
	.unload = free,
	.scratch = conv_scratch,
	.run = conv_run,
};
