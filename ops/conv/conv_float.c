// SPDX-License-Identifier: Apache-2.0
/*
 * CONV_2D of floats. The left side of the product is the image itself: a patch is a list of its
 * pieces. A piece is a pixel's channels, or, of few channels, a row of the filter; then the pixels
 * whose filter reaches over the sides of the image have a copy. What is outside is a piece of
 * zeros.
 */
#include <string.h>

#include "conv.h"
#include "f32_gemm/f32_gemm.h"
#include "half/half.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnprog_attrs.h"

/* Channels of a pixel that are worth a piece. */
#define PIECE 32u
/* Output pixels that are computed together. */
#define PIXELS 120u
/* Pixels of the smallest piece of work. */
#define UNIT 24u
/* Elements of a patch that may be copied. */
#define COPY 16384u

/* How a convolution of this shape is done. */
struct plan {
	const struct nnfw_conv_geometry *g;
	size_t pixels, n; /* output pixels; output channels of a group */
	size_t segments, length; /* of a patch */
	bool rows; /* pieces are rows of the filter */
	bool half;
	bool by_columns; /* work is divided by output channels */
	size_t chunk; /* pixels together */
	/* scratch memory of a slot */
	size_t pointers, patches, results;
};

/* Pixels together. */
static size_t chunk_of(const struct plan *p)
{
	const struct nnfw_conv_geometry *g = p->g;
	size_t chunk = PIXELS;

	if (!p->rows)
		/* patches overlap: a pixel brings those of the image that its neighbour has not */
		return nnfw_f32_rows(p->pixels, p->n, g->k,
				     g->stride_h * g->stride_w * g->depth * sizeof(float));
	/* of large patches, fewer */
	while (chunk > UNIT && chunk * g->k > 1 << 18)
		chunk -= UNIT;
	return chunk < p->pixels ? chunk : p->pixels;
}

static struct plan plan_of(const struct nnfw_conv_geometry *g, bool half)
{
	struct plan p = {
		.g = g,
		.pixels = g->batch * g->out_h * g->out_w,
		.n = g->out_c / g->groups,
		.segments = g->filter_h * g->filter_w,
		.length = g->depth,
		.half = half,
	};

	p.rows = g->dilation_w == 1 && g->groups == 1 && g->depth < PIECE && g->filter_w > 1 &&
		 g->k <= COPY;
	if (p.rows) {
		p.segments = g->filter_h;
		p.length *= g->filter_w;
	}
	p.chunk = chunk_of(&p);
	p.by_columns = p.n > 2 * NNFW_F32_COLUMNS && g->groups == 1 &&
		       (p.pixels < 2 * UNIT || (p.chunk == p.pixels && nnfw_f32_heavy(p.n, g->k)));
	p.pointers = nnfw_align(p.chunk * p.segments * sizeof(const float *));
	p.patches = p.rows ? nnfw_align(p.chunk * g->k * sizeof(float)) : 0;
	p.results = half ? nnfw_align(p.chunk * g->out_c * sizeof(float)) : 0;
	return p;
}

/* A run's operands as floats, and its memory. */
struct run {
	struct plan plan;
	const float *image, *bias, *zeros;
	const float *filter; /* packed, a group after the other */
	bool far; /* struct nnfw_f32_weights */
	size_t group; /* floats of a group's filter */
	float lo, hi;
	void *out;
	uint8_t *slots;
};

/* ---- patches ---- */

/* Neighbouring pixels of an output row. */
struct stretch {
	size_t image, oy, ox, n;
};

/*
 * Of @n windows of @reach elements, @stride apart, of which the first begins at @at: those in
 * [0, extent), from *@first to *@end.
 */
static void conv_float_inside(ptrdiff_t at, size_t reach, size_t stride, size_t extent, size_t n,
			      size_t *first, size_t *end)
{
	ptrdiff_t room = (ptrdiff_t)extent - (ptrdiff_t)reach - at;
	size_t last = room < 0 ? 0 : (size_t)room / stride + 1;

	*end = last < n ? last : n;
	*first = at < 0 ? ((size_t)-at + stride - 1) / stride : 0;
	*first = *first < *end ? *first : *end;
}

/* Input row @fy of a stretch, or NULL: it is outside. */
static const float *input_row(const struct run *r, const struct stretch *s, size_t fy)
{
	const struct nnfw_conv_geometry *g = r->plan.g;
	ptrdiff_t y = (ptrdiff_t)(s->oy * g->stride_h + fy * g->dilation_h) - (ptrdiff_t)g->top;

	return y < 0 || y >= (ptrdiff_t)g->in_h
		       ? NULL
		       : r->image + (s->image * g->in_h + (size_t)y) * g->in_w * g->in_c;
}

/* The taps of a filter row that begins at @x: what is in the image, else zeros. */
static void copy_row(const struct nnfw_conv_geometry *g, const float *row, ptrdiff_t x, float *to)
{
	ptrdiff_t first = x < 0 ? -x : 0, end = (ptrdiff_t)g->in_w - x;
	ptrdiff_t taps = (ptrdiff_t)g->filter_w, c = (ptrdiff_t)g->in_c;

	end = end < taps ? end : taps;
	first = first < end ? first : end > 0 ? end : 0;
	end = end < first ? first : end;
	for (ptrdiff_t i = 0; i < first * c; i++)
		to[i] = 0;
	if (first < end)
		memcpy(to + first * c, row + (x + first) * c,
		       (size_t)((end - first) * c) * sizeof(*to));
	for (ptrdiff_t i = end * c; i < taps * c; i++)
		to[i] = 0;
}

/* @n pieces, @step floats apart. */
static void progression(const float **to, size_t n, const float *piece, size_t step)
{
	for (size_t i = 0; i < n; i++)
		to[i] = piece + i * step;
}

/* Pieces that are filter rows. @patches: memory for copies. 0 or -ECANCELED. */
static int stretch_rows(struct nnfw_work *work, const struct run *r, const struct stretch *s,
			const float **to, float *patches)
{
	const struct nnfw_conv_geometry *g = r->plan.g;
	const size_t step = g->stride_w * g->in_c, length = r->plan.length;
	ptrdiff_t x = (ptrdiff_t)(s->ox * g->stride_w) - (ptrdiff_t)g->left;
	size_t first, end;

	conv_float_inside(x, g->filter_w, g->stride_w, g->in_w, s->n, &first, &end);
	for (size_t fy = 0; fy < g->filter_h; fy++, to += r->plan.chunk) {
		const float *row = input_row(r, s, fy);

		if (nnfw_work(work, s->n + (s->n - (end - first)) * length / 4))
			return -ECANCELED;
		if (!row) {
			progression(to, s->n, r->zeros, 0);
			continue;
		}
		for (size_t i = 0; i < s->n; i++) {
			/* those in between need no copy */
			if (i == first)
				i = end;
			if (i == s->n)
				break;
			to[i] = patches + i * g->k + fy * length;
			copy_row(g, row, x + (ptrdiff_t)(i * g->stride_w),
				 patches + i * g->k + fy * length);
		}
		if (first < end)
			progression(to + first, end - first,
				    row + (x + (ptrdiff_t)(first * g->stride_w)) *
						    (ptrdiff_t)g->in_c,
				    step);
	}
	return 0;
}

/* Pieces that are pixels. @channel: the first of the group. 0 or -ECANCELED. */
static int stretch_taps(struct nnfw_work *work, const struct run *r, const struct stretch *s,
			const float **to, size_t channel)
{
	const struct nnfw_conv_geometry *g = r->plan.g;
	const size_t step = g->stride_w * g->in_c;

	for (size_t fy = 0; fy < g->filter_h; fy++) {
		const float *row = input_row(r, s, fy);

		for (size_t fx = 0; fx < g->filter_w; fx++, to += r->plan.chunk) {
			ptrdiff_t x = (ptrdiff_t)(s->ox * g->stride_w + fx * g->dilation_w) -
				      (ptrdiff_t)g->left;
			size_t first = 0, end = 0;

			if (nnfw_work(work, s->n))
				return -ECANCELED;
			if (row)
				conv_float_inside(x, 1, g->stride_w, g->in_w, s->n, &first, &end);
			progression(to, first, r->zeros, 0);
			if (first < end)
				progression(to + first, end - first,
					    row + channel +
						    (x + (ptrdiff_t)(first * g->stride_w)) *
							    (ptrdiff_t)g->in_c,
					    step);
			progression(to + end, s->n - end, r->zeros, 0);
		}
	}
	return 0;
}

/* Pieces of pixels [@first, @first + @count). 0 or -ECANCELED. */
static int conv_float_gather(struct nnfw_work *work, const struct run *r, size_t first,
			     size_t count, size_t group, const float **rows, float *patches)
{
	const struct plan *p = &r->plan;
	const struct nnfw_conv_geometry *g = p->g;
	struct stretch s = { .image = first / g->out_w / g->out_h,
			     .oy = first / g->out_w % g->out_h,
			     .ox = first % g->out_w };
	int ret = 0;

	if (g->filter_h * g->filter_w == 1 && g->stride_h * g->stride_w == 1 && !g->top &&
	    !g->left && g->out_h == g->in_h && g->out_w == g->in_w) {
		progression(rows, count, r->image + first * g->in_c + group * g->depth, g->in_c);
		return 0;
	}
	for (size_t i = 0; i < count && !ret; i += s.n) {
		s.n = count - i < g->out_w - s.ox ? count - i : g->out_w - s.ox;
		ret = p->rows ? stretch_rows(work, r, &s, rows + i, patches + i * g->k)
			      : stretch_taps(work, r, &s, rows + i, group * g->depth);
		s.ox = 0;
		s.oy++;
		if (s.oy == g->out_h) {
			s.oy = 0;
			s.image++;
		}
	}
	return ret;
}

/* ---- the products ---- */

/* Channels [@c, @end) of each group, of pixels [@first, @last). */
static int pixels(const struct run *r, uint32_t slot, size_t first, size_t last, size_t c,
		  size_t end, struct nnfw_progress *progress)
{
	const struct plan *p = &r->plan;
	const struct nnfw_conv_geometry *g = p->g;
	struct nnfw_work work = { .progress = progress };
	uint8_t *next = r->slots + slot * (p->pointers + p->patches + p->results);
	const float **rows = nnfw_take(&next, p->pointers);
	float *patches = nnfw_take(&next, p->patches), *results = nnfw_take(&next, p->results);
	int ret = 0;

	for (size_t i = first; i < last && !ret; i += p->chunk) {
		const struct nnfw_f32_left left = {
			.rows = rows,
			.stride = p->chunk,
			.m = last - i < p->chunk ? last - i : p->chunk,
			.segments = p->segments,
			.length = p->length,
		};

		for (size_t group = 0; group < g->groups && !ret; group++) {
			const struct nnfw_f32_weights w = { .n = p->n,
							    .k = g->k,
							    .data = r->filter + group * r->group,
							    .far = r->far };
			const struct nnfw_f32_result to = {
				.data = (p->half ? results : (float *)r->out + i * g->out_c) +
					group * p->n,
				.ld = g->out_c,
				.bias = r->bias + group * p->n,
				.lo = r->lo,
				.hi = r->hi,
			};

			ret = conv_float_gather(&work, r, i, left.m, group, rows, patches);
			if (!ret)
				ret = nnfw_f32_gemm(&work, &left, &w, c, end, &to);
		}
		for (size_t k = 0; k < left.m && p->half && !ret; k++) {
			size_t at = k * g->out_c + c, n = p->by_columns ? end - c : g->out_c;

			ret = nnfw_half_store_long(&work, (uint16_t *)r->out + i * g->out_c + at,
						   results + at, n);
		}
	}
	return ret;
}

static int by_pixels(void *arg, uint32_t slot, size_t first, size_t end,
		     struct nnfw_progress *progress)
{
	const struct run *r = arg;
	size_t last = end * UNIT < r->plan.pixels ? end * UNIT : r->plan.pixels;

	return pixels(r, slot, first * UNIT, last, 0, r->plan.n, progress);
}

static int by_columns(void *arg, uint32_t slot, size_t first, size_t end,
		      struct nnfw_progress *progress)
{
	const struct run *r = arg;
	size_t last = end * NNFW_F32_COLUMNS < r->plan.n ? end * NNFW_F32_COLUMNS : r->plan.n;

	return pixels(r, slot, 0, r->plan.pixels, first * NNFW_F32_COLUMNS, last, progress);
}

/* ---- the operation ---- */

/* The filter of all groups, packed. 0 or -ECANCELED. */
static int conv_float_pack(const struct nnfw_op_ctx *ctx, void *mem,
			   const struct nnfw_tensor *filter, size_t groups)
{
	size_t n = filter->dims[0] / groups, k = nnfw_extent(filter, 1, 4);
	bool half = filter->dtype == NNPROG_FLOAT16;
	int ret = 0;

	for (size_t i = 0; i < groups && !ret; i++) {
		const struct nnfw_f32_source from = {
			.data = (const uint8_t *)filter->data +
				i * n * k * (half ? sizeof(uint16_t) : sizeof(float)),
			.half = half,
			.column = k,
			.depth = 1,
		};

		ret = nnfw_f32_pack_split(
			ctx, (float *)((uint8_t *)mem + i * nnfw_f32_weights_size(n, k)), n, k, 0,
			n, &from);
	}
	return ret;
}

static size_t packed_size(const struct nnfw_tensor *filter, size_t groups)
{
	return groups * nnfw_f32_weights_size(filter->dims[0] / groups, nnfw_extent(filter, 1, 4));
}

int nnfw_conv_float_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *filter = &ctx->in[1];

	*size = packed_size(filter, a->groups);
	*state = nnfw_alloc_state(ctx, *size);
	if (!*state)
		return -ENOMEM;
	if (nnfw_state_pages(ctx, *state, *size))
		return -ECANCELED;
	nnfw_leave_unread(ctx, 1);
	return conv_float_pack(ctx, *state, filter, a->groups);
}

size_t nnfw_conv_float_scratch(const struct nnfw_op_ctx *ctx)
{
	struct nnfw_conv_geometry g = nnfw_conv_geometry(ctx);
	struct plan p = plan_of(&g, ctx->in[0].dtype == NNPROG_FLOAT16);
	size_t size = nnfw_slots(ctx) * (p.pointers + p.patches + p.results) +
		      nnfw_align(p.length * sizeof(float));

	if (p.half)
		size += nnfw_align(ctx->in[0].elements * sizeof(float)) +
			nnfw_align(g.out_c * sizeof(float));
	return size + (ctx->state ? 0 : packed_size(&ctx->in[1], g.groups));
}

int nnfw_conv_float_run(struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0];
	struct nnfw_work work = { .progress = ctx->progress };
	struct run r = {
		.plan = plan_of(g, in->dtype == NNPROG_FLOAT16),
		.filter = ctx->state,
		.far = ctx->far,
		.out = ctx->out[0].data,
	};
	const struct plan *p = &r.plan;
	uint8_t *next = ctx->scratch;
	float *zeros, *image, *bias;
	const uint32_t zero = 0;
	int ret;

	r.slots = nnfw_take(&next, nnfw_slots(ctx) * (p->pointers + p->patches + p->results));
	zeros = nnfw_take(&next, p->length * sizeof(*zeros));
	image = nnfw_take(&next, p->half ? in->elements * sizeof(*image) : 0);
	bias = nnfw_take(&next, p->half ? g->out_c * sizeof(*bias) : 0);
	r.zeros = zeros;
	r.group = nnfw_f32_weights_size(p->n, g->k) / sizeof(float);
	nnfw_activation_range(a->activation, &r.lo, &r.hi);
	ret = nnfw_fill_long(&work, zeros, p->length, sizeof(*zeros), &zero);
	if (!ret)
		ret = nnfw_float_view(&work, in, image, &r.image);
	if (!ret)
		ret = nnfw_float_view(&work, &ctx->in[2], bias, &r.bias);
	if (!r.filter && !ret) {
		ret = conv_float_pack(ctx, next, &ctx->in[1], g->groups);
		r.filter = (const float *)next;
	}
	if (ret)
		return ret;
	if (p->by_columns)
		return nnfw_split(ctx, (p->n + NNFW_F32_COLUMNS - 1) / NNFW_F32_COLUMNS,
				  nnfw_f32_grain(p->pixels * NNFW_F32_COLUMNS * g->k), by_columns,
				  &r);
	return nnfw_split(ctx, (p->pixels + UNIT - 1) / UNIT,
			  nnfw_f32_grain(UNIT * g->out_c * g->k), by_pixels, &r);
}
