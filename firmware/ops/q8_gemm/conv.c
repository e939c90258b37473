// SPDX-License-Identifier: Apache-2.0
/*
 * A convolution as products: a unit of work is a block of output pixels, whose rows of the left
 * side are overlapping pieces of a strip. The strip is the part of the input that the block needs,
 * copied with the zero point where a filter hangs over the edge, or the input itself. If taps are
 * no neighbours (dilation, groups, strides beyond the filter) the strip has each pixel's taps one
 * after the other.
 */
#include <errno.h>
#include <string.h>

#include "kernels/kernel.h"
#include "nnutil_process.h"
#include "q8_gemm/q8_blocks.h"
#include "q8_gemm/q8_gemm.h"

struct plan {
	struct nnfw_conv_geometry g;
	struct nnfw_q8_shape shape;
	bool direct; /* the input is the strip */
	bool by_row, by_tap; /* the strip has filter rows, or taps, one after the other */
	size_t width, height; /* pixels of a block */
	struct nnfw_q8_columns columns; /* of a block */
	size_t across, down; /* blocks of an image */
	size_t blocks_of_pixels, blocks_of_columns; /* in all; of all groups */
	size_t pieces;
	size_t units, grain; /* for nnfw_split() */
	/* of a slot: bytes */
	size_t strip, terms, sums, slot;
};

/* Bytes of @width pixels in a strip's row, and rows of @height pixels. */
static size_t strip_pitch(const struct plan *p, size_t width)
{
	const struct nnfw_conv_geometry *g = &p->g;

	return (p->by_tap ? width * g->filter_w : (width - 1) * g->stride_w + g->filter_w) *
	       g->depth;
}

static size_t strip_rows(const struct plan *p, size_t height)
{
	const struct nnfw_conv_geometry *g = &p->g;

	return p->by_row ? height * g->filter_h : (height - 1) * g->stride_h + g->filter_h;
}

/* No pixel's window hangs over the end of the axis. */
static bool conv_inside(size_t out, size_t stride, size_t filter, size_t head, size_t in)
{
	return !head && (out - 1) * stride + filter <= in;
}

/* One pixel after the other makes the left side: the image is a row of pixels. */
static void flatten(struct nnfw_conv_geometry *g)
{
	if (g->filter_h != 1 || g->filter_w != 1 || g->stride_h != 1 || g->stride_w != 1 ||
	    g->top || g->left || g->in_h != g->out_h || g->in_w != g->out_w)
		return;
	g->in_w = g->out_w = g->batch * g->out_h * g->out_w;
	g->batch = g->in_h = g->out_h = 1;
}

/* @n in blocks of at most @most: of one size, as far as whole tiles of rows allow. */
static size_t block_width(size_t n, size_t most)
{
	size_t blocks = (n + most - 1) / most, even = (n + blocks - 1) / blocks;

	even = (even + NNFW_Q8_ROWS - 1) / NNFW_Q8_ROWS * NNFW_Q8_ROWS;
	return even < most ? even : most;
}

/* The pixels of a block. */
static void plan_divide(struct plan *p, const struct nnfw_q8_pixels *limits)
{
	const struct nnfw_conv_geometry *g = &p->g;
	size_t most = limits->most;

	p->width = g->out_w < most ? g->out_w : most;
	while (p->width > 1 && strip_pitch(p, p->width) * strip_rows(p, 1) > limits->strip)
		p->width = (p->width + 1) / 2;
	p->height = 1;
	if (p->width < g->out_w) {
		if (p->width > NNFW_Q8_ROWS)
			p->width -= p->width % NNFW_Q8_ROWS;
		if (limits->even)
			p->width = block_width(g->out_w, p->width);
		return;
	}
	while (p->height < g->out_h && (p->height + 1) * p->width <= most &&
	       strip_pitch(p, p->width) * strip_rows(p, p->height + 1) <= limits->strip)
		p->height++;
	if (limits->even) {
		size_t down = (g->out_h + p->height - 1) / p->height;

		p->height = (g->out_h + down - 1) / down;
	}
}

static void make_plan(struct plan *p, const struct nnfw_op_ctx *ctx,
		      const struct nnfw_conv_geometry *geometry, const struct nnfw_q8_shape *shape)
{
	const struct nnfw_q8_gemm_kernels *kernels = nnfw_q8_kernels(ctx);
	struct nnfw_conv_geometry *g = &p->g;
	bool flip = (ctx->in[0].dtype == NNPROG_INT8) != kernels->left_signed;
	struct nnfw_q8_pixels limits;
	struct nnfw_q8_extent extent;
	size_t rows;

	*p = (struct plan){ .g = *geometry, .shape = *shape };
	flatten(g);
	g->depth = g->in_c / shape->groups;
	g->k = shape->depth.segments * shape->depth.length;
	p->by_row = g->filter_h > 1 ? g->dilation_h > 1 : g->stride_h > 1;
	p->by_row = p->by_row || g->stride_h > g->filter_h;
	p->by_tap = (g->filter_w > 1 && g->dilation_w > 1) || g->stride_w > g->filter_w ||
		    shape->groups > 1;
	p->direct = !flip && !p->by_row && !p->by_tap &&
		    conv_inside(g->out_h, g->stride_h, g->filter_h, g->top, g->in_h) &&
		    conv_inside(g->out_w, g->stride_w, g->filter_w, g->left, g->in_w) &&
		    shape->depth.length % kernels->unit == 0;
	extent = (struct nnfw_q8_extent){
		.pixels = g->batch * g->out_h * g->out_w,
		.input = g->batch * g->in_h * g->in_w * g->in_c,
		.depth = g->k,
		.columns = shape->columns,
		.groups = shape->groups,
		.block = kernels->block,
		.threads = nnfw_slots(ctx),
		.caches = nnutil_caches(),
	};
	limits = nnfw_q8_block_pixels(&extent);
	/* nothing is copied, and few pixels fill a block */
	if (p->direct && nnfw_q8_light(&extent))
		limits.strip = SIZE_MAX;
	plan_divide(p, &limits);
	p->across = (g->out_w + p->width - 1) / p->width;
	p->down = (g->out_h + p->height - 1) / p->height;
	p->blocks_of_pixels = g->batch * p->down * p->across;
	rows = p->width * p->height;
	p->columns = nnfw_q8_block_columns(&extent, rows, p->blocks_of_pixels);
	p->blocks_of_columns =
		shape->groups * ((shape->columns + p->columns.unit - 1) / p->columns.unit);
	p->pieces = nnfw_q8_pieces(shape->depth);
	if (!p->direct)
		p->strip = nnfw_align(strip_pitch(p, p->width) * strip_rows(p, p->height) +
				      NNFW_Q8_SLACK);
	p->terms = nnfw_align(rows * sizeof(int32_t));
	if (p->pieces > 1)
		p->sums = nnfw_align(rows * p->columns.call * sizeof(uint32_t));
	p->slot = p->strip + p->terms + p->sums;
	p->units = p->blocks_of_pixels * p->blocks_of_columns;
	p->grain = nnfw_q8_grain(&extent, rows, p->columns.unit);
}

/* ---- the strip ---- */

struct run {
	const struct plan *p;
	const struct nnfw_q8_gemm_kernels *kernels;
	const struct nnfw_q8_weights *w;
	const int32_t *column_terms;
	bool far; /* struct nnfw_q8_job */
	const uint8_t *in;
	uint8_t *out;
	uint8_t *slots;
};

/* Progress of a unit: of copies, and of products in multiply-adds. */
struct pace {
	struct nnfw_work work;
	size_t products;
};

static int conv_fill(struct pace *pace, uint8_t *dst, uint8_t value, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(&pace->work, i, n);
		if (!end)
			return -ECANCELED;
		memset(dst + i, value, end - i);
	}
	return 0;
}

static int conv_copy(const struct run *r, struct pace *pace, uint8_t *dst, const uint8_t *src,
		     size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(&pace->work, i, n);
		if (!end)
			return -ECANCELED;
		r->kernels->copy(dst + i, src + i, end - i, r->w->left_flip);
	}
	return 0;
}

/* Neighbouring pixels [@x, @x + @n) of an input row, the zero point where they are outside. */
static int copy_pixels(const struct run *r, struct pace *pace, uint8_t *dst, const uint8_t *row,
		       int64_t x, size_t n)
{
	const struct nnfw_conv_geometry *g = &r->p->g;
	int64_t first = x < 0 ? -x : 0, end = (int64_t)g->in_w - x;
	uint8_t zero = (uint8_t)r->w->left_zero;

	first = first < (int64_t)n ? first : (int64_t)n;
	end = end < (int64_t)n ? end : (int64_t)n;
	end = end > first ? end : first;
	if (conv_fill(pace, dst, zero, (size_t)first * g->depth))
		return -ECANCELED;
	if (end > first &&
	    conv_copy(r, pace, dst + (size_t)first * g->depth, row + (x + first) * (int64_t)g->in_c,
		      (size_t)(end - first) * g->depth))
		return -ECANCELED;
	return conv_fill(pace, dst + (size_t)end * g->depth, zero, (n - (size_t)end) * g->depth);
}

/* The taps of @n output pixels from @ox, pixel by pixel. @row is at the group's first channel. */
static int copy_taps(const struct run *r, struct pace *pace, uint8_t *dst, const uint8_t *row,
		     size_t ox, size_t n)
{
	const struct nnfw_conv_geometry *g = &r->p->g;

	for (size_t i = 0; i < n; i++) {
		int64_t x = (int64_t)((ox + i) * g->stride_w) - (int64_t)g->left;

		for (size_t t = 0; t < g->filter_w; t++) {
			if (x < 0 || x >= (int64_t)g->in_w) {
				if (conv_fill(pace, dst, (uint8_t)r->w->left_zero, g->depth))
					return -ECANCELED;
			} else if (conv_copy(r, pace, dst, row + x * (int64_t)g->in_c, g->depth)) {
				return -ECANCELED;
			}
			dst += g->depth;
			x += (int64_t)g->dilation_w;
		}
	}
	return 0;
}

/* A block of output pixels of one image, and of a group's columns. */
struct block {
	size_t image, x, y, width, height, group, first, end;
};

static int copy_strip(const struct run *r, struct pace *pace, const struct block *b, uint8_t *strip)
{
	const struct plan *p = r->p;
	const struct nnfw_conv_geometry *g = &p->g;
	size_t rows = strip_rows(p, b->height), pitch = strip_pitch(p, b->width);

	for (size_t i = 0; i < rows; i++, strip += pitch) {
		size_t oy = p->by_row ? b->y + i / g->filter_h : b->y;
		size_t tap = p->by_row ? i % g->filter_h * g->dilation_h : i;
		int64_t y = (int64_t)(oy * g->stride_h + tap) - (int64_t)g->top;
		const uint8_t *row;
		int ret;

		if (y < 0 || y >= (int64_t)g->in_h) {
			ret = conv_fill(pace, strip, (uint8_t)r->w->left_zero, pitch);
		} else {
			row = r->in + (b->image * g->in_h + (size_t)y) * g->in_w * g->in_c +
			      b->group * g->depth;
			if (p->by_tap)
				ret = copy_taps(r, pace, strip, row, b->x, b->width);
			else
				ret = copy_pixels(r, pace, strip, row,
						  (int64_t)(b->x * g->stride_w) - (int64_t)g->left,
						  pitch / g->depth);
		}
		if (ret)
			return ret;
	}
	return 0;
}

/* ---- products ---- */

/* A product of @job's rows with @columns comes now, or their sums: 0 columns. */
static int conv_count(const struct run *r, struct pace *pace, const struct nnfw_q8_job *job,
		      size_t columns)
{
	/* what is read may come from far */
	size_t products = (job->rows * columns + 32 * (job->rows + columns)) * job->depth.segments *
			  job->depth.length;

	pace->products += products;
	if (pace->products < NNFW_Q8_TICK * r->kernels->block)
		return 0;
	pace->products = products;
	return nnfw_progress_tick(pace->work.progress);
}

static struct nnfw_q8_job piece_job(const struct nnfw_q8_job *whole, size_t piece_size, size_t i)
{
	struct nnfw_q8_piece piece = nnfw_q8_piece(whole->depth, i);
	struct nnfw_q8_job job = *whole;

	job.left += piece.segment * job.segment_stride + piece.offset;
	job.depth = piece.depth;
	job.weights = (const uint8_t *)whole->weights + i * piece_size;
	return job;
}

/* Long rows: a product for each piece is added up. */
static int multiply_pieces(const struct run *r, struct pace *pace, const struct nnfw_q8_job *whole,
			   uint32_t *sums)
{
	size_t n = whole->end - whole->first;

	memset(sums, 0, whole->rows * n * sizeof(*sums));
	for (size_t i = 0; i < r->p->pieces; i++) {
		struct nnfw_q8_job job = piece_job(whole, r->w->piece_size, i);

		if (conv_count(r, pace, &job, n))
			return -ECANCELED;
		r->kernels->add(&job, sums, n);
	}
	r->kernels->finish(whole, sums, n);
	return 0;
}

/* The columns of a unit, a call of a kernel after the other. */
static int multiply_columns(const struct run *r, struct pace *pace, const struct nnfw_q8_job *whole,
			    uint32_t *sums)
{
	const struct plan *p = r->p;
	struct nnfw_q8_job job = *whole;
	int ret = 0;

	for (; job.first < whole->end && !ret; job.first = job.end) {
		job.end = whole->end - job.first < p->columns.call ? whole->end
								   : job.first + p->columns.call;
		if (p->pieces > 1) {
			ret = multiply_pieces(r, pace, &job, sums);
			continue;
		}
		ret = conv_count(r, pace, &job, job.end - job.first);
		if (!ret)
			r->kernels->multiply(&job);
	}
	return ret;
}

/* The terms of rows: the sums of their codes times the weights' zero point. */
static int row_terms(const struct run *r, struct pace *pace, const struct nnfw_q8_job *whole,
		     uint32_t *terms)
{
	memset(terms, 0, whole->rows * sizeof(*terms));
	for (size_t i = 0; i < r->p->pieces; i++) {
		struct nnfw_q8_job job = piece_job(whole, r->w->piece_size, i);

		if (conv_count(r, pace, &job, 0))
			return -ECANCELED;
		r->kernels->row_sums(&job, terms);
	}
	for (size_t i = 0; i < whole->rows; i++)
		terms[i] *= 0 - (uint32_t)r->w->right_zero;
	return 0;
}

static int do_block(const struct run *r, struct pace *pace, const struct block *b, uint8_t *slot)
{
	const struct plan *p = r->p;
	const struct nnfw_conv_geometry *g = &p->g;
	const struct nnfw_q8_weights *w = r->w;
	size_t pitch = p->direct ? g->in_w * g->in_c : strip_pitch(p, b->width);
	size_t pixel = (b->image * g->out_h + b->y) * g->out_w + b->x;
	uint32_t *terms = (uint32_t *)(slot + p->strip);
	struct nnfw_q8_job job = {
		.left = slot,
		.rows = b->width * b->height,
		.run = b->width,
		.run_stride = pitch * (p->by_row ? g->filter_h : g->stride_h),
		.row_stride = (p->by_tap ? g->filter_w : g->stride_w) * g->depth,
		.segment_stride = pitch,
		.depth = p->shape.depth,
		.weights = w->packed + b->group * p->pieces * w->piece_size,
		.far = r->far,
		.columns = p->shape.columns,
		.first = b->first,
		.end = b->end,
		.column_terms = r->column_terms + b->group * w->pitch,
		.multipliers = w->multipliers + b->group * w->pitch,
		.rule = w->rule,
		.is_signed = w->is_signed,
		.tame = w->tame,
		.out = r->out + pixel * g->out_c + b->group * p->shape.columns,
		.out_stride = g->out_c,
	};

	if (p->direct)
		job.left = r->in + ((b->image * g->in_h + b->y * g->stride_h) * g->in_w +
				    b->x * g->stride_w) *
					   g->in_c;
	else if (copy_strip(r, pace, b, slot))
		return -ECANCELED;
	if (w->right_zero) {
		if (row_terms(r, pace, &job, terms))
			return -ECANCELED;
		job.row_terms = (const int32_t *)terms;
	}
	return multiply_columns(r, pace, &job, (uint32_t *)(slot + p->strip + p->terms));
}

/* Block of pixels @pixels by block of columns @columns, which counts over the groups. */
static struct block block_at(const struct plan *p, size_t pixels, size_t columns)
{
	size_t of_group = p->blocks_of_columns / p->shape.groups;
	struct block b = {
		.image = pixels / p->across / p->down,
		.x = pixels % p->across * p->width,
		.y = pixels / p->across % p->down * p->height,
		.group = columns / of_group,
		.first = columns % of_group * p->columns.unit,
	};

	b.width = p->g.out_w - b.x < p->width ? p->g.out_w - b.x : p->width;
	b.height = p->g.out_h - b.y < p->height ? p->g.out_h - b.y : p->height;
	b.end = p->shape.columns - b.first < p->columns.unit ? p->shape.columns
							     : b.first + p->columns.unit;
	return b;
}

static int units(void *arg, uint32_t slot, size_t first, size_t end, struct nnfw_progress *progress)
{
	const struct run *r = arg;
	const struct plan *p = r->p;
	struct pace pace = { .work = { .progress = progress } };
	int ret = 0;

	for (size_t i = first; i < end && !ret; i++) {
		size_t n = p->columns.weights_first ? p->blocks_of_pixels : p->blocks_of_columns;
		struct block b = p->columns.weights_first ? block_at(p, i % n, i / n)
							  : block_at(p, i / n, i % n);

		ret = do_block(r, &pace, &b, r->slots + slot * p->slot);
	}
	return ret;
}

/* ---- the operation ---- */

/* What load() makes. */
struct state {
	const struct nnfw_q8_weights *weights;
	/* for these shapes, if they were known */
	bool planned;
	uint32_t in[4], out[4];
	struct plan plan;
};

static bool conv_known(const struct nnfw_tensor *t)
{
	if (!t->rank || t->rank > 4)
		return false;
	for (uint32_t i = 0; i < t->rank; i++)
		if (!t->dims[i] || t->dims[i] == NNPROG_DIM_UNKNOWN)
			return false;
	return true;
}

int nnfw_q8_conv_load(const struct nnfw_op_ctx *ctx, const struct nnfw_q8_conv *conv, void **state,
		      size_t *size)
{
	size_t head = nnfw_align(sizeof(struct state));
	size_t bytes = head + nnfw_align(nnfw_q8_weights_size(&conv->shape));
	struct state *s = nnfw_alloc_state(ctx, bytes);

	*state = s;
	if (!s)
		return -ENOMEM;
	*size = bytes;
	*s = (struct state){ .planned = conv_known(&ctx->in[0]) && conv_known(&ctx->out[0]) };
	if (s->planned) {
		struct nnfw_conv_geometry g = conv->geometry(ctx);

		make_plan(&s->plan, ctx, &g, &conv->shape);
		memcpy(s->in, ctx->in[0].dims, sizeof(s->in));
		memcpy(s->out, ctx->out[0].dims, sizeof(s->out));
	}
	if (nnfw_state_pages(ctx, s, bytes))
		return -ECANCELED;
	nnfw_leave_unread(ctx, 1);
	return nnfw_q8_weights_pack(ctx, &conv->shape, conv->activation, (uint8_t *)s + head,
				    &s->weights);
}

/* load() knew these shapes. */
static bool is_planned(const struct nnfw_op_ctx *ctx)
{
	const struct state *s = ctx->state;

	return s && s->planned && !memcmp(s->in, ctx->in[0].dims, sizeof(s->in)) &&
	       !memcmp(s->out, ctx->out[0].dims, sizeof(s->out));
}

static bool has_bias(const struct nnfw_op_ctx *ctx)
{
	return ctx->state && ((const struct state *)ctx->state)->weights->with_bias;
}

size_t nnfw_q8_conv_scratch(const struct nnfw_op_ctx *ctx, const struct nnfw_q8_conv *conv)
{
	const struct state *s = ctx->state;
	struct plan p;
	size_t size;

	if (is_planned(ctx)) {
		p = s->plan;
	} else {
		const struct nnfw_conv_geometry g = conv->geometry(ctx);

		if (!g.batch || !g.out_h || !g.out_w)
			return 0;
		make_plan(&p, ctx, &g, &conv->shape);
	}
	size = nnfw_slots(ctx) * p.slot;
	if (!has_bias(ctx))
		size += nnfw_q8_terms_size(&conv->shape);
	return size + (s ? 0 : nnfw_align(nnfw_q8_weights_size(&conv->shape)));
}

/* The columns' terms with the bias, which is an input of the run. */
static int add_bias(const struct nnfw_op_ctx *ctx, const struct nnfw_q8_weights *w, uint32_t *terms)
{
	struct nnfw_work work = { .progress = ctx->progress };
	const uint32_t *bias = ctx->in[2].data;

	for (size_t g = 0; g < w->shape.groups; g++) {
		const uint32_t *from = (const uint32_t *)w->column_terms + g * w->pitch;
		uint32_t *to = terms + g * w->pitch;

		NNFW_EACH(&work, i, w->shape.columns, to[i] = from[i] + bias[i]);
		memset(to + w->shape.columns, 0, (w->pitch - w->shape.columns) * sizeof(*to));
		bias += w->shape.columns;
	}
	return 0;
}

static int run_plan(struct nnfw_op_ctx *ctx, const struct plan *p, const struct nnfw_q8_weights *w,
		    uint8_t *scratch)
{
	struct run r = {
		.p = p,
		.kernels = nnfw_q8_kernels(ctx),
		.w = w,
		.column_terms = w->column_terms,
		.far = ctx->far,
		.in = ctx->in[0].data,
		.out = ctx->out[0].data,
	};

	if (!w->with_bias) {
		uint32_t *terms = nnfw_take(&scratch, nnfw_q8_terms_size(&p->shape));
		int ret = add_bias(ctx, w, terms);

		if (ret)
			return ret;
		r.column_terms = (const int32_t *)terms;
	}
	r.slots = scratch;
	return nnfw_split(ctx, p->units, p->grain, units, &r);
}

int nnfw_q8_conv_run(struct nnfw_op_ctx *ctx, const struct nnfw_q8_conv *conv)
{
	const struct state *s = ctx->state;
	const struct nnfw_q8_weights *w;
	struct nnfw_conv_geometry g;
	uint8_t *next = ctx->scratch;
	struct plan p;

	if (is_planned(ctx))
		return run_plan(ctx, &s->plan, s->weights, next);
	g = conv->geometry(ctx);
	make_plan(&p, ctx, &g, &conv->shape);
	if (s) {
		w = s->weights;
	} else {
		void *mem = nnfw_take(&next, nnfw_q8_weights_size(&conv->shape));
		int ret = nnfw_q8_weights_pack(ctx, &conv->shape, conv->activation, mem, &w);

		if (ret)
			return ret;
	}
	return run_plan(ctx, &p, w, next);
}
