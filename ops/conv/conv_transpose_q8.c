// SPDX-License-Identifier: Apache-2.0
/*
 * TRANSPOSE_CONV_2D of 8 bits: some input pixels of a row at a time times all taps of the filter,
 * and each tap's sums added to those of the output pixel that it reaches. A column of the right
 * side is an output channel of a tap; taps follow each other, so that a tap's channels lie
 * together.
 */
#include <string.h>

#include "conv.h"
#include "isa/isa.h"
#include "kernels/kernel.h"
#include "nnprog_attrs.h"
#include "nnutil_process.h"
#include "q8_gemm/q8_blocks.h"
#include "q8_gemm/q8_gemm.h"

static struct nnfw_q8_shape tap_shape(const struct nnfw_tensor *filter)
{
	const size_t taps = (size_t)filter->dims[1] * filter->dims[2], depth = filter->dims[3];

	return (struct nnfw_q8_shape){
		.columns = taps * filter->dims[0],
		.groups = 1,
		.depth = { .segments = 1, .length = depth },
		.column = taps * depth,
		.element = 1,
		.run = filter->dims[0],
		.run_stride = depth,
	};
}

static uint32_t activation_of(const struct nnfw_op_ctx *ctx)
{
	return ((const struct nnprog_attr_transpose_conv *)ctx->attrs)->activation;
}

/* ---- the state ---- */

struct state {
	const struct nnfw_q8_weights *weights;
};

int nnfw_transpose_q8_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnfw_q8_shape shape = tap_shape(&ctx->in[1]);
	size_t head = nnfw_align(sizeof(struct state));
	size_t bytes = head + nnfw_align(nnfw_q8_weights_size(&shape));
	struct state *s = nnfw_alloc_state(ctx, bytes);

	*state = s;
	if (!s)
		return -ENOMEM;
	*size = bytes;
	if (nnfw_state_pages(ctx, s, bytes))
		return -ECANCELED;
	nnfw_leave_unread(ctx, 1);
	return nnfw_q8_weights_pack(ctx, &shape, activation_of(ctx), (uint8_t *)s + head,
				    &s->weights);
}

/* ---- the plan ---- */

struct plan {
	const struct nnfw_transpose_geometry *g;
	struct nnfw_q8_shape shape;
	const struct nnfw_q8_gemm_kernels *kernels;
	size_t tile; /* input pixels at a time */
	size_t call; /* columns of a call of a kernel */
	/* of scratch memory: bytes */
	size_t left, terms, products, image, bias;
};

static void plan_init(struct plan *p, const struct nnfw_op_ctx *ctx,
		      const struct nnfw_transpose_geometry *g)
{
	const struct nnfw_q8_gemm_kernels *kernels = nnfw_q8_kernels(ctx);
	const struct nnfw_q8_shape shape = tap_shape(&ctx->in[1]);
	const struct nnfw_q8_extent extent = {
		.pixels = g->in_w,
		.input = g->in_w * g->in_c,
		.depth = g->in_c,
		.columns = shape.columns,
		.groups = 1,
		.block = kernels->block,
		.threads = 1,
		.caches = nnutil_caches(),
	};
	const struct nnfw_q8_pixels limits = nnfw_q8_block_pixels(&extent);
	/* the products stay in the second-level cache */
	size_t tile = extent.caches.second / 4 / sizeof(uint32_t) / shape.columns;

	tile = tile < limits.most ? tile : limits.most;
	tile = tile < 1 ? 1 : tile < g->in_w ? tile : g->in_w;
	*p = (struct plan){
		.g = g,
		.shape = shape,
		.kernels = kernels,
		.tile = tile,
		.call = nnfw_q8_block_columns(&extent, tile, 1).call,
		.left = nnfw_align(tile * g->in_c + NNFW_Q8_SLACK),
		.terms = nnfw_align(tile * sizeof(uint32_t)),
		.products = nnfw_align(tile * shape.columns * sizeof(uint32_t)),
		.image = nnfw_align(g->out_h * g->out_w * g->out_c * sizeof(uint32_t)),
		.bias = nnfw_align(nnutil_align_up(g->out_c, NNFW_Q8_PANEL) * sizeof(int32_t)),
	};
}

size_t nnfw_transpose_q8_scratch(const struct nnfw_op_ctx *ctx,
				 const struct nnfw_transpose_geometry *g)
{
	struct plan p;

	plan_init(&p, ctx, g);
	return p.left + p.terms + p.products + p.image + p.bias +
	       (ctx->state ? 0 : nnfw_align(nnfw_q8_weights_size(&p.shape)));
}

/* ---- the run ---- */

struct run {
	struct plan plan;
	const struct nnfw_q8_weights *w;
	uint8_t *left;
	uint32_t *terms; /* of the left side's rows */
	uint32_t *products; /* [pixel][tap][channel] */
	uint32_t *image; /* the sums of one image of the output */
	int32_t *bias; /* padded */
	struct nnfw_work work;
	size_t since; /* multiply-adds since the last tick */
};

/* So many multiply-adds come now. */
static int run_count(struct run *r, size_t products)
{
	r->since += products;
	if (r->since < NNFW_Q8_TICK * r->plan.kernels->block)
		return 0;
	r->since = products;
	return nnfw_progress_tick(r->work.progress);
}

static int copy_left(struct run *r, const uint8_t *from, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(&r->work, i, n);
		if (!end)
			return -ECANCELED;
		r->plan.kernels->copy(r->left + i, from + i, end - i, r->w->left_flip);
	}
	return 0;
}

/* The product of @count pixels with piece @i of all columns. */
static struct nnfw_q8_job job_of(const struct run *r, size_t count, size_t i)
{
	const struct plan *p = &r->plan;
	const struct nnfw_q8_piece piece = nnfw_q8_piece(p->shape.depth, i);

	return (struct nnfw_q8_job){
		.left = r->left + piece.offset,
		.rows = count,
		.run = count,
		.row_stride = p->g->in_c,
		.segment_stride = p->g->in_c,
		.depth = piece.depth,
		.weights = r->w->packed + i * r->w->piece_size,
		.columns = p->shape.columns,
	};
}

/* The terms of rows: the sums of their codes times the weights' zero point. */
static int find_terms(struct run *r, size_t count)
{
	const size_t pieces = r->w->right_zero ? nnfw_q8_pieces(r->plan.shape.depth) : 0;

	memset(r->terms, 0, count * sizeof(*r->terms));
	for (size_t i = 0; i < pieces; i++) {
		struct nnfw_q8_job job = job_of(r, count, i);

		if (run_count(r, 32 * count * job.depth.length))
			return -ECANCELED;
		r->plan.kernels->row_sums(&job, r->terms);
	}
	for (size_t i = 0; i < count; i++)
		r->terms[i] *= 0 - (uint32_t)r->w->right_zero;
	return 0;
}

/* All products of the @count pixels at @from. */
static int multiply_pixels(struct run *r, const uint8_t *from, size_t count)
{
	const struct plan *p = &r->plan;
	const size_t n = p->shape.columns, pieces = nnfw_q8_pieces(p->shape.depth);
	const uint32_t *terms = (const uint32_t *)r->w->column_terms;
	int ret = copy_left(r, from, count * p->g->in_c);

	if (!ret)
		ret = find_terms(r, count);
	for (size_t i = 0; i < count && !ret; i++) {
		const uint32_t term = r->terms[i];
		uint32_t *to = r->products + i * n;

		NNFW_EACH(&r->work, c, n, to[c] = terms[c] + term);
	}
	for (size_t first = 0, end; first < n && !ret; first = end) {
		end = n - first < p->call ? n : first + p->call;
		for (size_t i = 0; i < pieces && !ret; i++) {
			struct nnfw_q8_job job = job_of(r, count, i);

			job.first = first;
			job.end = end;
			ret = run_count(r, (count * (end - first) + 32 * (count + end - first)) *
						   job.depth.length);
			if (!ret)
				p->kernels->add(&job, r->products + first, n);
		}
	}
	return ret;
}

NNFW_TRANSPOSE_SCATTER(scatter_s32, uint32_t)

/* The results of an image's sums. */
static int finish_image(struct run *r, uint8_t *out, bool is_signed)
{
	const struct plan *p = &r->plan;
	const size_t n = p->g->out_c, pixels = p->g->out_h * p->g->out_w;
	struct nnfw_q8_job job = {
		.columns = n,
		.column_terms = r->bias,
		.multipliers = r->w->multipliers,
		.rule = r->w->rule,
		.is_signed = is_signed,
		.tame = r->w->tame,
		.out_stride = n,
	};

	for (; job.first < n; job.first = job.end) {
		job.end = n - job.first < NNFW_WORK_TICK ? n : job.first + NNFW_WORK_TICK;
		for (size_t i = 0; i < pixels; i += job.rows) {
			job.rows = NNFW_WORK_TICK / 4 / (job.end - job.first);
			job.rows = !job.rows ? 1 : job.rows < pixels - i ? job.rows : pixels - i;
			if (nnfw_work(&r->work, job.rows * (job.end - job.first)))
				return -ECANCELED;
			job.out = out + i * n;
			p->kernels->finish(&job, r->image + i * n + job.first, n);
		}
	}
	return 0;
}

static int run_image(struct run *r, const uint8_t *in, uint8_t *out, bool is_signed)
{
	const struct plan *p = &r->plan;
	const struct nnfw_transpose_geometry *g = p->g;
	const uint32_t zero = 0;
	int ret = nnfw_fill_long(&r->work, r->image, g->out_h * g->out_w * g->out_c,
				 sizeof(*r->image), &zero);

	for (size_t i = 0, count; i < g->in_h * g->in_w && !ret; i += count) {
		size_t y = i / g->in_w, x = i % g->in_w;

		count = g->in_w - x < p->tile ? g->in_w - x : p->tile;
		ret = multiply_pixels(r, in + i * g->in_c, count);
		if (!ret)
			ret = scatter_s32(&r->work, g, y, x, count, r->products, r->image);
	}
	return ret ? ret : finish_image(r, out, is_signed);
}

int nnfw_transpose_q8_run(struct nnfw_op_ctx *ctx, const struct nnfw_transpose_geometry *g)
{
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	const size_t in_size = g->in_h * g->in_w * g->in_c,
		     out_size = g->out_h * g->out_w * g->out_c;
	const struct state *s = ctx->state;
	uint8_t *next = ctx->scratch;
	struct run r = { .work.progress = ctx->progress };
	int ret;

	plan_init(&r.plan, ctx, g);
	r.left = nnfw_take(&next, r.plan.left);
	r.terms = nnfw_take(&next, r.plan.terms);
	r.products = nnfw_take(&next, r.plan.products);
	r.image = nnfw_take(&next, r.plan.image);
	r.bias = nnfw_take(&next, r.plan.bias);
	if (s) {
		r.w = s->weights;
	} else {
		ret = nnfw_q8_weights_pack(ctx, &r.plan.shape, activation_of(ctx), next, &r.w);
		if (ret)
			return ret;
	}
	memset(r.bias + g->out_c, 0, r.plan.bias - g->out_c * sizeof(*r.bias));
	ret = nnfw_copy_long(&r.work, r.bias, ctx->in[2].data, g->out_c * sizeof(*r.bias));
	for (size_t b = 0; b < g->batch && !ret; b++)
		ret = run_image(&r, (const uint8_t *)in->data + b * in_size,
				(uint8_t *)out->data + b * out_size, out->dtype == NNPROG_INT8);
	return ret;
}
