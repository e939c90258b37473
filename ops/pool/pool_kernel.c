// SPDX-License-Identifier: Apache-2.0
/*
 * POOL_2D over NHWC; channels are the vector dimension, sums and maxima of an output pixel are kept
 * in scratch memory; threads divide rows. Elements outside the image take no part: averages divide
 * by what is inside.
 *
 * 8-bit averages: (sum + n / 2) / n in integers, away from zero for negative sums.
 */
#include <math.h>
#include <string.h>

#include "half/half.h"
#include "isa/isa.h"
#include "kernels/conv_geometry.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "q8_pool/q8_pool.h"

struct pool {
	size_t in_h, in_w, channels, out_h, out_w;
	size_t stride_h, stride_w, filter_h, filter_w, top, left;
	size_t block; /* channels that are pooled at a time */
	size_t most; /* channels that are pooled at a time at most */
	bool few; /* pixels of a window, for the 8-bit kernels */
	size_t mask; /* columns between two ticks, a power of two, less 1 */
	struct nnfw_work *work;
};

/* Most channels of a block: bounds the work between two ticks. */
#define BLOCK 16384u

static struct pool geometry(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_pool2d *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	uint32_t n, top, left, tail;

	nnprog_window(in->dims[1], a->filter_h, a->stride_h, 1, a->padding, a->pad_top,
		      a->pad_bottom, &n, &top, &tail);
	nnprog_window(in->dims[2], a->filter_w, a->stride_w, 1, a->padding, a->pad_left,
		      a->pad_right, &n, &left, &tail);
	return (struct pool){
		.in_h = in->dims[1],
		.in_w = in->dims[2],
		.channels = in->dims[3],
		.out_h = out->dims[1],
		.out_w = out->dims[2],
		.stride_h = a->stride_h,
		.stride_w = a->stride_w,
		.filter_h = a->filter_h,
		.filter_w = a->filter_w,
		.top = top,
		.left = left,
	};
}

/* Part of the image under an output pixel. Never empty: paddings are smaller than the filter. */
struct window {
	size_t offset; /* first element */
	size_t rows, columns;
};

static struct window window_at(const struct pool *p, size_t image, size_t oy, size_t ox)
{
	size_t y0, y1, x0, x1;

	nnfw_taps(oy, p->stride_h, 1, p->top, p->filter_h, p->in_h, &y0, &y1);
	nnfw_taps(ox, p->stride_w, 1, p->left, p->filter_w, p->in_w, &x0, &x1);
	return (struct window){
		.offset = ((image * p->in_h + oy * p->stride_h + y0 - p->top) * p->in_w +
			   ox * p->stride_w + x0 - p->left) *
			  p->channels,
		.rows = y1 - y0,
		.columns = x1 - x0,
	};
}

/* @left columns of a row are to be pooled. 0 or -ECANCELED before the next of them. */
static int piece_work(const struct pool *p, size_t left)
{
	return nnfw_work(p->work, (left <= p->mask ? left : p->mask + 1) * p->block);
}

/* ---- 8 bits, windows of more pixels than the kernels take ---- */

/* Pixels whose 8-bit codes a 32-bit sum holds. */
#define SUM_PIXELS 8388608u

#define QUANT_POOL(suffix, type)                                                                  \
	static int average_##suffix(const struct pool *p, const struct window *w, const type *in, \
				    type *out, int32_t *sums, int64_t *totals, int32_t lo,        \
				    int32_t hi)                                                   \
	{                                                                                         \
		int64_t count = (int64_t)(w->rows * w->columns);                                  \
		size_t held = 0;                                                                  \
                                                                                                  \
		memset(sums, 0, p->block * sizeof(*sums));                                        \
		memset(totals, 0, p->block * sizeof(*totals));                                    \
		for (size_t y = 0; y < w->rows; y++) {                                            \
			const type *x = in + w->offset + y * p->in_w * p->channels;               \
                                                                                                  \
			for (size_t k = 0; k < w->columns; k++, x += p->channels) {               \
				if (!(k & p->mask) && piece_work(p, w->columns - k))              \
					return -ECANCELED;                                        \
				for (size_t c = 0; c < p->block; c++)                             \
					sums[c] += x[c];                                          \
				if (++held < SUM_PIXELS)                                          \
					continue;                                                 \
				for (size_t c = 0; c < p->block; c++) {                           \
					totals[c] += sums[c];                                     \
					sums[c] = 0;                                              \
				}                                                                 \
				held = 0;                                                         \
			}                                                                         \
		}                                                                                 \
		for (size_t c = 0; c < p->block; c++) {                                           \
			int64_t sum = totals[c] + sums[c];                                        \
			int64_t r = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;        \
                                                                                                  \
			out[c] = (type)(r < lo ? lo : r > hi ? hi : r);                           \
		}                                                                                 \
		return 0;                                                                         \
	}                                                                                         \
                                                                                                  \
	static int max_##suffix(const struct pool *p, const struct window *w, const type *in,     \
				type *restrict out, int32_t lo, int32_t hi)                       \
	{                                                                                         \
		memcpy(out, in + w->offset, p->block * sizeof(*out));                             \
		for (size_t y = 0; y < w->rows; y++) {                                            \
			const type *x = in + w->offset + y * p->in_w * p->channels;               \
                                                                                                  \
			for (size_t k = 0; k < w->columns; k++, x += p->channels) {               \
				if (!(k & p->mask) && piece_work(p, w->columns - k))              \
					return -ECANCELED;                                        \
				for (size_t c = 0; c < p->block; c++)                             \
					out[c] = x[c] > out[c] ? x[c] : out[c];                   \
			}                                                                         \
		}                                                                                 \
		for (size_t c = 0; c < p->block; c++)                                             \
			out[c] = (type)(out[c] < lo ? lo : out[c] > hi ? hi : out[c]);            \
		return 0;                                                                         \
	}

QUANT_POOL(u8, uint8_t)
QUANT_POOL(s8, int8_t)

/* ---- floats ---- */

/* Sums in double: a window may be the whole image. */
static int sum_float(const struct pool *p, const struct window *w, const float *in, float *out,
		     double *sums, bool squares)
{
	double count = (double)(w->rows * w->columns);

	memset(sums, 0, p->block * sizeof(*sums));
	for (size_t y = 0; y < w->rows; y++) {
		const float *x = in + w->offset + y * p->in_w * p->channels;

		for (size_t k = 0; k < w->columns; k++, x += p->channels) {
			if (!(k & p->mask) && piece_work(p, w->columns - k))
				return -ECANCELED;
			if (squares) {
				for (size_t c = 0; c < p->block; c++)
					sums[c] += (double)x[c] * x[c];
			} else {
				for (size_t c = 0; c < p->block; c++)
					sums[c] += x[c];
			}
		}
	}
	for (size_t c = 0; c < p->block; c++)
		out[c] = (float)(squares ? sqrt(sums[c] / count) : sums[c] / count);
	return 0;
}

static int max_float(const struct pool *p, const struct window *w, const float *in,
		     float *restrict out)
{
	memcpy(out, in + w->offset, p->block * sizeof(*out));
	for (size_t y = 0; y < w->rows; y++) {
		const float *x = in + w->offset + y * p->in_w * p->channels;

		for (size_t k = 0; k < w->columns; k++, x += p->channels) {
			if (!(k & p->mask) && piece_work(p, w->columns - k))
				return -ECANCELED;
			for (size_t c = 0; c < p->block; c++)
				out[c] = x[c] > out[c] ? x[c] : out[c];
		}
	}
	return 0;
}

/* ---- the operation ---- */

/* Scratch: for float16 the image as float32; for each slot accumulators, and such an output pixel.
 */
struct memory {
	double *sums; /* also int64_t totals */
	int32_t *partial;
	float *image, *pixel;
};

static bool is_half(const struct nnfw_op_ctx *ctx)
{
	return ctx->in[0].dtype == NNPROG_FLOAT16;
}

static size_t image_size(const struct nnfw_op_ctx *ctx)
{
	return is_half(ctx) ? nnfw_align(ctx->in[0].elements * sizeof(float)) : 0;
}

static size_t slot_size(const struct nnfw_op_ctx *ctx)
{
	size_t channels = ctx->in[0].dims[3];

	return nnfw_align(channels * sizeof(double)) + nnfw_align(channels * sizeof(int32_t)) +
	       (is_half(ctx) ? nnfw_align(channels * sizeof(float)) : 0);
}

static void layout(const struct nnfw_op_ctx *ctx, uint32_t slot, struct memory *m)
{
	size_t channels = ctx->in[0].dims[3];
	uint8_t *next = (uint8_t *)ctx->scratch + image_size(ctx) + slot * slot_size(ctx);

	m->image = ctx->scratch;
	m->sums = nnfw_take(&next, channels * sizeof(*m->sums));
	m->partial = nnfw_take(&next, channels * sizeof(*m->partial));
	m->pixel = nnfw_take(&next, is_half(ctx) ? channels * sizeof(*m->pixel) : 0);
}

static size_t pool_scratch(const struct nnfw_op_ctx *ctx)
{
	return image_size(ctx) + nnfw_slots(ctx) * slot_size(ctx);
}

static int pool_float(const struct nnfw_op_ctx *ctx, const struct pool *p, const struct window *w,
		      const struct memory *m, size_t to)
{
	const struct nnprog_attr_pool2d *a = ctx->attrs;
	bool half = is_half(ctx);
	const float *in = half ? m->image : ctx->in[0].data;
	float *out = half ? m->pixel : (float *)ctx->out[0].data + to;
	float lo, hi;
	int ret;

	if (a->kind == NNPROG_POOL_MAX)
		ret = max_float(p, w, in, out);
	else
		ret = sum_float(p, w, in, out, m->sums, a->kind == NNPROG_POOL_L2);
	if (ret)
		return ret;
	nnfw_activation_range(a->activation, &lo, &hi);
	for (size_t c = 0; c < p->block; c++)
		out[c] = nnfw_clampf(out[c], lo, hi);
	if (half)
		nnfw_half_store((uint16_t *)ctx->out[0].data + to, out, p->block);
	return 0;
}

/* Channels of which 8-bit kernels pool at most so many elements, whole vectors of them. */
#define FEW_ELEMENTS 1048576u
#define VECTOR 64u

static size_t few_channels(const struct pool *p)
{
	size_t n = FEW_ELEMENTS / (p->filter_h * p->filter_w) / VECTOR * VECTOR;

	return n < BLOCK ? n : BLOCK;
}

static int pool_quant(const struct nnfw_op_ctx *ctx, const struct pool *p, const struct window *w,
		      const struct memory *m, size_t to, int32_t lo, int32_t hi)
{
	const struct nnprog_attr_pool2d *a = ctx->attrs;
	const struct nnfw_q8_pool_kernels *kernels = NNFW_KERNELS(q8_pool);
	const void *in = ctx->in[0].data;
	void *out = (uint8_t *)ctx->out[0].data + to;
	bool max = a->kind == NNPROG_POOL_MAX;
	const struct nnfw_q8_window window = {
		.in = (const uint8_t *)in + w->offset,
		.rows = w->rows,
		.columns = w->columns,
		.row_pitch = p->in_w * p->channels,
		.pixel_pitch = p->channels,
		.channels = p->block,
		.is_signed = ctx->in[0].dtype == NNPROG_INT8,
		.lo = lo,
		.hi = hi,
	};

	if (p->few) {
		(max ? kernels->max : kernels->average)(&window, out);
		return nnfw_work(p->work, w->rows * w->columns * p->block / 4);
	}
	if (ctx->in[0].dtype == NNPROG_INT8)
		return max ? max_s8(p, w, in, out, lo, hi)
			   : average_s8(p, w, in, out, m->partial, (int64_t *)m->sums, lo, hi);
	return max ? max_u8(p, w, in, out, lo, hi)
		   : average_u8(p, w, in, out, m->partial, (int64_t *)m->sums, lo, hi);
}

struct rows {
	const struct nnfw_op_ctx *ctx;
	struct pool pool;
	bool quant;
	int32_t lo, hi;
};

/* Rows of all images; @to: the first element of the output's row. */
static int pool_row(const struct rows *r, struct pool *p, const struct memory *m, size_t row,
		    size_t to)
{
	for (size_t ox = 0; ox < p->out_w; ox++) {
		struct window w = window_at(p, row / p->out_h, row % p->out_h, ox);

		for (size_t c = 0; c < p->channels; c += p->most) {
			int ret;

			p->block = p->channels - c < p->most ? p->channels - c : p->most;
			ret = nnfw_work(p->work, 2 * p->block);
			if (!ret)
				ret = r->quant ? pool_quant(r->ctx, p, &w, m, to, r->lo, r->hi)
					       : pool_float(r->ctx, p, &w, m, to);
			if (ret)
				return ret;
			w.offset += p->block;
			to += p->block;
		}
	}
	return 0;
}

static int pool_rows(void *arg, uint32_t slot, size_t first, size_t end,
		     struct nnfw_progress *progress)
{
	const struct rows *r = arg;
	struct nnfw_work work = { .progress = progress };
	struct pool p = r->pool;
	struct memory m;

	layout(r->ctx, slot, &m);
	p.work = &work;
	for (size_t row = first; row < end; row++) {
		int ret = nnfw_progress_tick(progress);

		if (!ret)
			ret = pool_row(r, &p, &m, row, row * p.out_w * p.channels);
		if (ret)
			return ret;
	}
	return 0;
}

/* Elements of inputs that are worth a thread. */
#define GRAIN 16384u

static int pool_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_pool2d *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	struct rows r = { .ctx = ctx, .quant = nnfw_is_quant8(in->dtype) };
	struct nnfw_work work = { .progress = ctx->progress };
	struct pool *p = &r.pool;

	if (!out->elements)
		return 0;
	*p = geometry(ctx);
	for (p->mask = 1; p->mask * p->channels < NNFW_WORK_TICK; p->mask *= 2)
		;
	p->mask--;
	p->most = BLOCK;
	p->few = p->filter_h * p->filter_w <= NNFW_Q8_POOL_PIXELS;
	if (r.quant && p->few)
		p->most = few_channels(p);
	if (is_half(ctx) && nnfw_half_load_long(&work, ctx->scratch, in->data, in->elements))
		return -ECANCELED;
	if (r.quant) {
		struct nnfw_requant q = nnfw_requant_output(out, a->activation);

		r.lo = (int32_t)q.lo + q.zero_point;
		r.hi = (int32_t)q.hi + q.zero_point;
	}
	return nnfw_split(ctx, out->dims[0] * p->out_h,
			  1 + GRAIN / (p->out_w * p->channels * p->filter_h * p->filter_w + 1),
			  pool_rows, &r);
}

const struct nnfw_op nnfw_op_pool_2d = {
	.opcode = NNPROG_OP_POOL_2D,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.scratch = pool_scratch,
	.run = pool_run,
};
