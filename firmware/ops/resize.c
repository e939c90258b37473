// SPDX-License-Identifier: Apache-2.0
/*
 * RESIZE of NHWC images, bilinear and nearest. Source columns and weights are computed once a run,
 * rows once an output row; channels are the vector dimension. All coordinates in float32.
 *
 * 8 bits, bilinear: interpolated on raw codes in float32 as
 * (a * (1-dx) + b * dx) * (1-dy) + (c * (1-dx) + d * dx) * dy, rounded to nearest even.
 */
#include <math.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "kernels/half.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"

/* Two neighbours along an axis and the weight of the second. */
struct tap {
	size_t lo, hi;
	float weight;
};

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

static struct tap bilinear_tap(const struct axis *a, size_t i)
{
	float x = a->half_pixel ? ((float)i + 0.5f) * a->scale - 0.5f : (float)i * a->scale;
	float lower = fmaxf(floorf(x), 0), upper = fmaxf(ceilf(x), 0);
	struct tap t = { clamp_index(lower, a->in), clamp_index(upper, a->in), 0 };

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

#define BLEND(T, STORE)                                                                         \
	do {                                                                                    \
		const T *a = (const T *)top + t->lo * n, *b = (const T *)top + t->hi * n;       \
		const T *c = (const T *)bottom + t->lo * n, *d = (const T *)bottom + t->hi * n; \
		T *to = (T *)out + x * n;                                                       \
		for (size_t i = from; i < end; i++) {                                           \
			float upper = (float)a[i] * (1 - dx) + (float)b[i] * dx;                \
			float lower = (float)c[i] * (1 - dx) + (float)d[i] * dx;                \
			float v = upper * (1 - dy) + lower * dy;                                \
			to[i] = STORE;                                                          \
		}                                                                               \
	} while (0)

/* One output row from two input rows. */
static int blend_row(struct nnfw_work *work, uint32_t dtype, const struct image *m,
		     const struct tap *taps, const void *top, const void *bottom, float dy,
		     void *out)
{
	static const struct nnfw_requant u8 = { 0, 0, 255 }, s8 = { 0, -128, 127 };
	size_t n = m->channels;

	for (size_t x = 0; x < m->out_w; x++) {
		const struct tap *t = &taps[x];
		float dx = t->weight;

		for (size_t from = 0, end; from < n; from = end) {
			end = nnfw_slice(work, from, n);
			if (!end || nnfw_work(work, end - from))
				return -ECANCELED;
			if (dtype == NNPROG_FLOAT32)
				BLEND(float, v);
			else if (dtype == NNPROG_INT8)
				BLEND(int8_t, (int8_t)nnfw_requant_real(v, &s8));
			else
				BLEND(uint8_t, (uint8_t)nnfw_requant_real(v, &u8));
		}
	}
	return 0;
}

/* Scratch: a tap per column; for float16 two input rows and an output row as float32. */
struct memory {
	struct tap *taps;
	float *top, *bottom, *out;
};

static struct memory layout(const struct nnfw_op_ctx *ctx, const struct image *m)
{
	bool half = ctx->in[0].dtype == NNPROG_FLOAT16;
	size_t in_row = half ? m->in_w * m->channels * sizeof(float) : 0;
	uint8_t *next = ctx->scratch;
	struct memory mem;

	mem.taps = nnfw_take(&next, m->out_w * sizeof(*mem.taps));
	mem.top = nnfw_take(&next, in_row);
	mem.bottom = nnfw_take(&next, in_row);
	mem.out = nnfw_take(&next, half ? m->out_w * m->channels * sizeof(float) : 0);
	return mem;
}

static size_t resize_scratch(const struct nnfw_op_ctx *ctx)
{
	struct image m = image_of(ctx);
	size_t size = nnfw_align(m.out_w * sizeof(struct tap));

	if (ctx->in[0].dtype == NNPROG_FLOAT16)
		size += 2 * nnfw_align(m.in_w * m.channels * sizeof(float)) +
			nnfw_align(m.out_w * m.channels * sizeof(float));
	return size;
}

static int bilinear_row(const struct nnfw_op_ctx *ctx, struct nnfw_work *work,
			const struct image *m, const struct memory *mem, const uint8_t *image,
			const struct tap *t, uint8_t *out)
{
	size_t in_row = m->in_w * m->channels;
	const uint8_t *top = image + t->lo * in_row * m->size,
		      *bottom = image + t->hi * in_row * m->size;

	if (ctx->in[0].dtype != NNPROG_FLOAT16)
		return blend_row(work, ctx->in[0].dtype, m, mem->taps, top, bottom, t->weight, out);
	if (nnfw_half_load_long(work, mem->top, (const uint16_t *)top, in_row) ||
	    nnfw_half_load_long(work, mem->bottom, (const uint16_t *)bottom, in_row) ||
	    blend_row(work, NNPROG_FLOAT32, m, mem->taps, mem->top, mem->bottom, t->weight,
		      mem->out))
		return -ECANCELED;
	return nnfw_half_store_long(work, (uint16_t *)out, mem->out, m->out_w * m->channels);
}

static int nearest_row(struct nnfw_work *work, const struct image *m, const struct memory *mem,
		       const uint8_t *image, size_t y, uint8_t *out)
{
	size_t pixel = m->channels * m->size;
	const uint8_t *row = image + y * m->in_w * pixel;

	for (size_t x = 0; x < m->out_w; x++) {
		if (nnfw_work(work, pixel / 4 + 1))
			return -ECANCELED;
		memcpy(out + x * pixel, row + mem->taps[x].lo * pixel, pixel);
	}
	return 0;
}

static int resize_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_resize *a = ctx->attrs;
	bool bilinear = a->kind == NNPROG_RESIZE_BILINEAR;
	const uint8_t *image = ctx->in[0].data;
	uint8_t *out = ctx->out[0].data;
	struct nnfw_work work = { .progress = ctx->progress };
	struct axis rows, columns;
	struct memory mem;
	struct image m;

	if (!ctx->out[0].elements)
		return 0;
	m = image_of(ctx);
	mem = layout(ctx, &m);
	rows = axis_of(a, m.in_h, m.out_h);
	columns = axis_of(a, m.in_w, m.out_w);
	for (size_t x = 0; x < m.out_w; x++) {
		if (nnfw_work(&work, 8))
			return -ECANCELED;
		if (bilinear)
			mem.taps[x] = bilinear_tap(&columns, x);
		else
			mem.taps[x].lo = nearest_index(&columns, x);
	}
	for (size_t b = 0; b < m.batch; b++) {
		for (size_t y = 0; y < m.out_h; y++) {
			int ret = nnfw_progress_tick(ctx->progress);

			if (ret)
				return ret;
			if (bilinear) {
				struct tap t = bilinear_tap(&rows, y);

				ret = bilinear_row(ctx, &work, &m, &mem, image, &t, out);
			} else {
				ret = nearest_row(&work, &m, &mem, image, nearest_index(&rows, y),
						  out);
			}
			if (ret)
				return ret;
			out += m.out_w * m.channels * m.size;
		}
		image += m.in_h * m.in_w * m.channels * m.size;
	}
	return 0;
}

const struct nnfw_op nnfw_op_resize = {
	.opcode = NNPROG_OP_RESIZE,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.scratch = resize_scratch,
	.run = resize_run,
};
