// SPDX-License-Identifier: Apache-2.0
/*
 * RESIZE of NHWC images, bilinear and nearest. Source columns and weights are computed once a run.
 * Bilinear: an input row is interpolated across once, as floats, and kept while output rows lie
 * between it and its neighbour. All coordinates in float32.
 *
 * 8 bits, bilinear: interpolated on raw codes in float32 as
 * (a * (1-dx) + b * dx) * (1-dy) + (c * (1-dx) + d * dx) * dy, rounded to nearest even.
 */
#include <math.h>
#include <string.h>

#include "half/half.h"
#include "isa/isa.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "q8_map/q8_map.h"
#include "resize_rows/resize_rows.h"

struct axis {
	size_t in;
	float scale;
	bool align, half_pixel;
};

static struct axis axis_of(const struct nnprog_attr_resize *a, size_t in, size_t out)
{
	return (struct axis){
		.in = in,
		.scale = a->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1)
						     : (float)in / (float)out,
		.align = a->align_corners,
		.half_pixel = a->half_pixel_centers,
	};
}

/* @x, not negative, as an index into the image. */
static size_t clamp_index(float x, size_t in)
{
	return x < (float)in ? ((size_t)x < in ? (size_t)x : in - 1) : in - 1;
}

static struct nnfw_tap bilinear_tap(const struct axis *a, size_t i)
{
	float x = a->half_pixel ? ((float)i + 0.5f) * a->scale - 0.5f : (float)i * a->scale;
	float lower = fmaxf(floorf(x), 0), upper = fmaxf(ceilf(x), 0);
	struct nnfw_tap t = { clamp_index(lower, a->in), clamp_index(upper, a->in), 0 };

	t.weight = x - (float)t.lo;
	return t;
}

static size_t nearest_index(const struct axis *a, size_t i)
{
	float x = a->half_pixel ? ((float)i + 0.5f) * a->scale : (float)i * a->scale;

	return clamp_index(a->align ? roundf(x) : floorf(x), a->in);
}

struct image {
	size_t batch, in_h, in_w, channels, out_h, out_w, size;
};

static struct image image_of(const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];

	return (struct image){ in->dims[0],
			       in->dims[1],
			       in->dims[2],
			       in->dims[3],
			       out->dims[1],
			       out->dims[2],
			       nnprog_dtype_size(in->dtype) };
}

/* What a run shares, and the rows of each thread. */
struct resize {
	const struct nnfw_op_ctx *ctx;
	struct image m;
	struct axis rows;
	struct nnfw_tap *taps; /* a column each */
	uint8_t *slots;
	size_t slot_size;
	bool sparse; /* few pixels of an input row are needed */
};

/* Rows as floats: an input row (not float32), two of it interpolated, a result (float16). */
struct lines {
	float *in, *across[2], *out;
	size_t held[2]; /* the input row that across[] is of */
};

#define NONE SIZE_MAX

static size_t line_size(const struct image *m, size_t pixels)
{
	return nnfw_align(pixels * m->channels * sizeof(float));
}

static size_t slot_size(const struct nnfw_op_ctx *ctx, const struct image *m)
{
	const struct nnprog_attr_resize *a = ctx->attrs;
	size_t size = 2 * line_size(m, m->out_w);

	if (a->kind != NNPROG_RESIZE_BILINEAR)
		return 0;
	if (ctx->in[0].dtype != NNPROG_FLOAT32)
		size += line_size(m, m->in_w);
	if (ctx->in[0].dtype == NNPROG_FLOAT16)
		size += line_size(m, m->out_w);
	return size;
}

static size_t resize_scratch(const struct nnfw_op_ctx *ctx)
{
	struct image m = image_of(ctx);

	return nnfw_align(m.out_w * sizeof(struct nnfw_tap)) + nnfw_slots(ctx) * slot_size(ctx, &m);
}

static struct lines lines_of(const struct resize *r, uint32_t slot)
{
	uint8_t *next = r->slots + slot * r->slot_size;
	uint32_t dtype = r->ctx->in[0].dtype;
	struct lines l = { .held = { NONE, NONE } };

	for (int i = 0; i < 2; i++)
		l.across[i] = nnfw_take(&next, line_size(&r->m, r->m.out_w));
	if (dtype != NNPROG_FLOAT32)
		l.in = nnfw_take(&next, line_size(&r->m, r->m.in_w));
	if (dtype == NNPROG_FLOAT16)
		l.out = nnfw_take(&next, line_size(&r->m, r->m.out_w));
	return l;
}

/* The raw numbers from element @from on as floats. */
static int load_numbers(const struct resize *r, struct nnfw_work *work, float *dst, size_t from,
			size_t n)
{
	const struct nnfw_tensor *in = &r->ctx->in[0];
	uint8_t flip = in->dtype == NNPROG_INT8 ? 0x80 : 0;

	if (in->dtype == NNPROG_FLOAT16)
		return nnfw_half_load_long(work, dst, (const uint16_t *)in->data + from, n);
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(work, i, n);
		if (!end)
			return -ECANCELED;
		NNFW_KERNELS(q8_map)->dequantize(dst + i, (const uint8_t *)in->data + from + i,
						 end - i, flip, flip, 1);
	}
	return 0;
}

static int blend_long(struct nnfw_work *work, float *dst, const float *top, const float *bottom,
		      size_t n, float weight)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(work, i, n);
		if (!end)
			return -ECANCELED;
		NNFW_KERNELS(resize_rows)->down_f32(dst + i, top + i, bottom + i, end - i, weight);
	}
	return 0;
}

/* Pixels are loaded one by one. */
static int across_sparse(const struct resize *r, struct nnfw_work *work, const struct lines *l,
			 float *dst, size_t row)
{
	const size_t n = r->m.channels;

	for (size_t x = 0; x < r->m.out_w; x++, dst += n) {
		const struct nnfw_tap *t = &r->taps[x];

		if (load_numbers(r, work, l->in, (row + t->lo) * n, n) ||
		    load_numbers(r, work, l->in + n, (row + t->hi) * n, n) || nnfw_work(work, 32) ||
		    blend_long(work, dst, l->in, l->in + n, n, t->weight))
			return -ECANCELED;
	}
	return 0;
}

static int across(const struct resize *r, struct nnfw_work *work, const struct lines *l, float *dst,
		  size_t row)
{
	const size_t n = r->m.channels, from = row * r->m.in_w * n, step = 8192 / n;
	const float *src = (const float *)r->ctx->in[0].data + from;

	if (r->sparse)
		return across_sparse(r, work, l, dst, row * r->m.in_w);
	if (l->in) {
		if (load_numbers(r, work, l->in, from, r->m.in_w * n))
			return -ECANCELED;
		src = l->in;
	}
	for (size_t x = 0, count; x < r->m.out_w; x += count, dst += count * n) {
		const struct nnfw_tap *t = &r->taps[x];

		count = r->m.out_w - x < step ? r->m.out_w - x : step;
		if (!step) {
			count = 1;
			if (blend_long(work, dst, src + t->lo * n, src + t->hi * n, n, t->weight))
				return -ECANCELED;
			continue;
		}
		if (nnfw_work(work, count * (n + 8)))
			return -ECANCELED;
		NNFW_KERNELS(resize_rows)->across(dst, src, t, count, n);
	}
	return 0;
}

/* Input row @row across, but not in the place of row @other; NULL: canceled. */
static const float *held_row(const struct resize *r, struct nnfw_work *work, struct lines *l,
			     size_t row, size_t other)
{
	int i = l->held[0] == row ? 0 : l->held[1] == row ? 1 : l->held[0] == other;

	if (l->held[i] != row) {
		l->held[i] = NONE;
		if (across(r, work, l, l->across[i], row))
			return NULL;
		l->held[i] = row;
	}
	return l->across[i];
}

/* Output rows [first, end) of all images. */
static int bilinear_rows(void *arg, uint32_t slot, size_t first, size_t end,
			 struct nnfw_progress *progress)
{
	const struct resize *r = arg;
	const struct nnfw_tensor *out = &r->ctx->out[0];
	const size_t n = r->m.out_w * r->m.channels;
	struct nnfw_work work = { .progress = progress };
	struct lines l = lines_of(r, slot);

	for (size_t y = first; y < end; y++) {
		struct nnfw_tap t = bilinear_tap(&r->rows, y % r->m.out_h);
		size_t image = y / r->m.out_h * r->m.in_h;
		const float *top = held_row(r, &work, &l, image + t.lo, image + t.hi);
		const float *bottom = top ? held_row(r, &work, &l, image + t.hi, image + t.lo)
					  : NULL;
		float *single = l.out ? l.out : (float *)out->data + y * n;

		if (!bottom)
			return -ECANCELED;
		if (!nnfw_is_quant8(out->dtype)) {
			if (blend_long(&work, single, top, bottom, n, t.weight))
				return -ECANCELED;
			if (l.out &&
			    nnfw_half_store_long(&work, (uint16_t *)out->data + y * n, l.out, n))
				return -ECANCELED;
			continue;
		}
		for (size_t i = 0, stop; i < n; i = stop) {
			stop = nnfw_slice(&work, i, n);
			if (!stop)
				return -ECANCELED;
			NNFW_KERNELS(resize_rows)
				->down_q8((uint8_t *)out->data + y * n + i, top + i, bottom + i,
					  stop - i, t.weight, out->dtype == NNPROG_INT8);
		}
	}
	return 0;
}

/* ---- nearest ---- */

#define COPY_PIXELS(size)                                                          \
	case size:                                                                 \
		for (size_t x = 0; x < n; x++)                                     \
			memcpy(to + x * (size), from + taps[x].lo * (size), size); \
		break

/* Sizes of pixels that are frequent and too short for a call of memcpy(). */
static void copy_pixels(uint8_t *to, const uint8_t *from, const struct nnfw_tap *taps, size_t n,
			size_t pixel)
{
	switch (pixel) {
		COPY_PIXELS(1);
		COPY_PIXELS(2);
		COPY_PIXELS(3);
		COPY_PIXELS(4);
		COPY_PIXELS(6);
		COPY_PIXELS(8);
		COPY_PIXELS(12);
		COPY_PIXELS(16);
		COPY_PIXELS(32);
	default:
		for (size_t x = 0; x < n; x++)
			memcpy(to + x * pixel, from + taps[x].lo * pixel, pixel);
		break;
	}
}

static int nearest_rows(void *arg, uint32_t slot, size_t first, size_t end,
			struct nnfw_progress *progress)
{
	const struct resize *r = arg;
	const size_t pixel = r->m.channels * r->m.size, row = r->m.out_w * pixel;
	const size_t step = 65536 / pixel + 1;
	struct nnfw_work work = { .progress = progress };
	size_t last = NONE;

	(void)slot;
	for (size_t y = first; y < end; y++) {
		size_t from = y / r->m.out_h * r->m.in_h + nearest_index(&r->rows, y % r->m.out_h);
		uint8_t *to = (uint8_t *)r->ctx->out[0].data + y * row;

		if (from == last) {
			if (nnfw_copy_long(&work, to, to - row, row))
				return -ECANCELED;
			continue;
		}
		last = from;
		for (size_t x = 0, n; x < r->m.out_w; x += n) {
			n = r->m.out_w - x < step ? r->m.out_w - x : step;
			if (nnfw_work(&work, n * (pixel / 4 + 1)))
				return -ECANCELED;
			copy_pixels(to + x * pixel,
				    (const uint8_t *)r->ctx->in[0].data + from * r->m.in_w * pixel,
				    r->taps + x, n, pixel);
		}
	}
	return 0;
}

/* ---- the operation ---- */

static int resize_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_resize *a = ctx->attrs;
	bool bilinear = a->kind == NNPROG_RESIZE_BILINEAR;
	struct nnfw_work work = { .progress = ctx->progress };
	uint8_t *next = ctx->scratch;
	struct axis columns;
	struct resize r = { .ctx = ctx };

	if (!ctx->out[0].elements)
		return 0;
	r.m = image_of(ctx);
	r.rows = axis_of(a, r.m.in_h, r.m.out_h);
	r.taps = nnfw_take(&next, r.m.out_w * sizeof(*r.taps));
	r.slots = next;
	r.slot_size = slot_size(ctx, &r.m);
	r.sparse = ctx->in[0].dtype != NNPROG_FLOAT32 && r.m.in_w / 2 > r.m.out_w;
	columns = axis_of(a, r.m.in_w, r.m.out_w);
	for (size_t x = 0; x < r.m.out_w; x++) {
		if (nnfw_work(&work, 8))
			return -ECANCELED;
		if (bilinear)
			r.taps[x] = bilinear_tap(&columns, x);
		else
			r.taps[x].lo = nearest_index(&columns, x);
	}
	/* rows that a thread begins with are interpolated again */
	return nnfw_split(ctx, r.m.batch * r.m.out_h, 8 + 32768 / (r.m.out_w * r.m.channels + 1),
			  bilinear ? bilinear_rows : nearest_rows, &r);
}

const struct nnfw_op nnfw_op_resize = {
	.opcode = NNPROG_OP_RESIZE,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.scratch = resize_scratch,
	.run = resize_run,
};
