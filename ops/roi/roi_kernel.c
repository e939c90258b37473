// SPDX-License-Identifier: Apache-2.0
/*
 * ROI_ALIGN and ROI_POOLING in float32, one rounding an operation. 8-bit codes are counted from
 * their zero point, in steps of 1.
 */
#include <math.h>
#include <string.h>

#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_file.h"

enum { INPUT = 0, ROIS, BATCH };

/* One region in the coordinates of the input. */
struct region {
	const struct nnfw_op_ctx *ctx;
	size_t height, width, channels;
	/* channels of the current block: bounds the work between two ticks */
	size_t from, block;
	struct nnfw_tensor codes; /* the input; 8 bits in steps of 1 */
	size_t image; /* first element of the region's image */
	float x1, y1, x2, y2;
	struct nnfw_work work;
};

#define BLOCK 8192u

/* The next channels. False: there are no more. */
static bool next_block(struct region *r)
{
	r->from += r->block;
	r->block = r->channels - r->from < BLOCK ? r->channels - r->from : BLOCK;
	return r->block;
}

static void first_block(struct region *r)
{
	r->from = r->block = 0;
}

static int roi_tick(struct region *r)
{
	return nnfw_work(&r->work, 8 + 4 * r->block);
}

static void region_init(struct region *r, const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = &ctx->in[INPUT];

	*r = (struct region){
		.ctx = ctx,
		.height = in->dims[1],
		.width = in->dims[2],
		.channels = in->dims[3],
		.codes = *in,
		.work.progress = ctx->progress,
	};
	if (nnfw_is_quant8(in->dtype))
		r->codes.scale = 1;
}

/* Malformed regions are refused. Regions and batches are read once. */
static int region_load(struct region *r, struct nnfw_op_ctx *ctx, size_t n)
{
	const struct nnprog_attr_roi *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[INPUT];
	float right = (float)r->width * a->width_ratio, bottom = (float)r->height * a->height_ratio;
	float scale_x = 1 / a->width_ratio, scale_y = 1 / a->height_ratio;
	int32_t batch = NNUTIL_READ_ONCE(((const int32_t *)ctx->in[BATCH].data)[n]);
	float box[4];

	nnfw_real_load(box, &ctx->in[ROIS], n * 4, 4);
	if (batch < 0 || (uint32_t)batch >= in->dims[0])
		return nnfw_refuse(ctx, "region %zu: batch %d is out of range", n, batch);
	if (!(box[0] >= 0 && box[0] <= box[2] && box[2] <= right) ||
	    !(box[1] >= 0 && box[1] <= box[3] && box[3] <= bottom))
		return nnfw_refuse(ctx, "region %zu is malformed", n);
	r->image = (size_t)batch * r->height * r->width * r->channels;
	r->x1 = box[0] * scale_x;
	r->y1 = box[1] * scale_y;
	r->x2 = box[2] * scale_x;
	r->y2 = box[3] * scale_y;
	/* extreme ratios: no infinity becomes a position */
	if (!isfinite(r->x1) || !isfinite(r->y1) || !isfinite(r->x2) || !isfinite(r->y2))
		return nnfw_refuse(ctx, "region %zu is malformed", n);
	return 0;
}

/* The channels of a pixel; converted into @mem where they are not float32. */
static const float *roi_pixel(const struct region *r, size_t y, size_t x, float *mem)
{
	size_t at = r->image + (y * r->width + x) * r->channels + r->from;

	if (r->codes.dtype == NNPROG_FLOAT32)
		return (const float *)r->codes.data + at;
	nnfw_real_load(mem, &r->codes, at, r->block);
	return mem;
}

static size_t roi_scratch(const struct nnfw_op_ctx *ctx)
{
	/* a sum or maximum, and four pixels */
	return 5 * nnfw_align(ctx->in[INPUT].dims[3] * sizeof(float));
}

/* ---- ROI_ALIGN ---- */

/* Sampling along one dimension. */
struct axis {
	float start, step, bin;
	size_t samples, extent;
};

static struct axis axis_of(float start, float end, uint32_t out, uint32_t samples, size_t extent)
{
	struct axis a = { .start = start, .samples = samples, .extent = extent };
	float size = end - start;

	a.step = (size > 1 ? size : 1) / (float)out;
	if (!a.samples) {
		a.samples = (size_t)ceilf(a.step);
		a.samples = a.samples ? a.samples : 1;
	}
	a.bin = a.step / (float)a.samples;
	return a;
}

/* Position of sample @k of output element @j: two pixels, and the weight of the second. */
static float roi_sample(const struct axis *a, size_t j, size_t k, size_t *first, size_t *second)
{
	float at = a->start + a->step * (float)j + a->bin / 2 + a->bin * (float)k;

	*first = (size_t)at;
	if (*first >= a->extent - 1) {
		*first = *second = a->extent - 1;
		return 0;
	}
	*second = *first + 1;
	return at - (float)*first;
}

/* The mean of the samples of one output element. */
static int align_element(struct region *r, const struct axis *v, const struct axis *h, size_t i,
			 size_t j, float *sum, float *const mem[4])
{
	float count = (float)v->samples * (float)h->samples;
	size_t y1, y2, x1, x2;

	memset(sum, 0, r->block * sizeof(*sum));
	for (size_t ky = 0; ky < v->samples; ky++) {
		float dy = roi_sample(v, i, ky, &y1, &y2);

		for (size_t kx = 0; kx < h->samples; kx++) {
			float dx = roi_sample(h, j, kx, &x1, &x2);
			float w[4] = { (1 - dx) * (1 - dy), dx * (1 - dy), (1 - dx) * dy, dx * dy };
			const float *p[4] = { roi_pixel(r, y1, x1, mem[0]),
					      roi_pixel(r, y1, x2, mem[1]),
					      roi_pixel(r, y2, x1, mem[2]),
					      roi_pixel(r, y2, x2, mem[3]) };
			int ret = roi_tick(r);

			if (ret)
				return ret;
			for (size_t c = 0; c < r->block; c++)
				sum[c] += w[0] * p[0][c] + w[1] * p[1][c] + w[2] * p[2][c] +
					  w[3] * p[3][c];
		}
	}
	for (size_t c = 0; c < r->block; c++)
		sum[c] /= count;
	return 0;
}

/* NNAPI's reference cannot express greater steps of the input. */
static int align_scales(struct nnfw_op_ctx *ctx, const struct axis *v, const struct axis *h)
{
	double samples = (double)v->samples * (double)h->samples;

	if (nnfw_is_quant8(ctx->in[INPUT].dtype) &&
	    !((double)ctx->in[INPUT].scale / (255.0 * (double)ctx->out[0].scale * samples) < 1))
		return nnfw_refuse(ctx, "output scale is too small for the input's");
	return 0;
}

static int roi_align_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_roi *a = ctx->attrs;
	struct nnfw_tensor out = ctx->out[0];
	uint8_t *next = ctx->scratch;
	float *sum, *mem[4];
	struct region r;
	size_t to = 0;
	int ret;

	if (!out.elements)
		return 0;
	region_init(&r, ctx);
	sum = nnfw_take(&next, r.channels * sizeof(float));
	for (int i = 0; i < 4; i++)
		mem[i] = nnfw_take(&next, r.channels * sizeof(float));
	if (nnfw_is_quant8(out.dtype))
		out.scale = (float)((double)out.scale / (double)ctx->in[INPUT].scale);
	for (size_t n = 0; n < out.dims[0]; n++) {
		struct axis v, h;

		ret = region_load(&r, ctx, n);
		if (ret)
			return ret;
		v = axis_of(r.y1, r.y2, a->height, a->height_samples, r.height);
		h = axis_of(r.x1, r.x2, a->width, a->width_samples, r.width);
		ret = align_scales(ctx, &v, &h);
		if (ret)
			return ret;
		for (size_t i = 0; i < a->height; i++) {
			for (size_t j = 0; j < a->width; j++) {
				for (first_block(&r); next_block(&r); to += r.block) {
					ret = align_element(&r, &v, &h, i, j, sum, mem);
					if (ret)
						return ret;
					nnfw_real_store(&out, to, sum, r.block);
				}
			}
		}
	}
	return 0;
}

/* ---- ROI_POOLING ---- */

/* Pixels [*from, *to) of cell @j along a dimension, within the image. */
static void roi_cell(float start, float step, size_t j, size_t extent, size_t *from, size_t *to)
{
	float head = floorf(start + step * (float)j), tail = ceilf(start + step * (float)(j + 1));

	*from = head >= (float)extent ? extent : (size_t)head;
	*to = tail >= (float)extent ? extent : (size_t)tail;
}

static float cell_step(float start, float end, uint32_t out)
{
	float size = end - start + 1;

	return (size > 1 ? size : 1) / (float)out;
}

/* The greatest of a cell; of no pixels 0. */
static int pool_element(struct region *r, const size_t y[2], const size_t x[2], float *max,
			float *mem)
{
	bool first = true;
	int ret = roi_tick(r);

	if (ret)
		return ret;
	memset(max, 0, r->block * sizeof(*max));
	for (size_t i = y[0]; i < y[1]; i++) {
		for (size_t j = x[0]; j < x[1]; j++) {
			const float *p = roi_pixel(r, i, j, mem);

			ret = roi_tick(r);
			if (ret)
				return ret;
			for (size_t c = 0; c < r->block; c++)
				max[c] = first || p[c] > max[c] ? p[c] : max[c];
			first = false;
		}
	}
	return 0;
}

static int roi_pooling_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_roi *a = ctx->attrs;
	struct nnfw_tensor out = ctx->out[0];
	uint8_t *next = ctx->scratch;
	size_t to = 0, y[2], x[2];
	float *max, *mem;
	struct region r;
	int ret;

	region_init(&r, ctx);
	max = nnfw_take(&next, r.channels * sizeof(float));
	mem = nnfw_take(&next, r.channels * sizeof(float));
	out.scale = r.codes.scale;
	for (size_t n = 0; n < out.dims[0]; n++) {
		float top, left, step_y, step_x;

		ret = region_load(&r, ctx, n);
		if (ret)
			return ret;
		top = roundf(r.y1);
		left = roundf(r.x1);
		step_y = cell_step(top, roundf(r.y2), a->height);
		step_x = cell_step(left, roundf(r.x2), a->width);
		for (size_t i = 0; i < a->height; i++) {
			roi_cell(top, step_y, i, r.height, &y[0], &y[1]);
			for (size_t j = 0; j < a->width; j++) {
				roi_cell(left, step_x, j, r.width, &x[0], &x[1]);
				for (first_block(&r); next_block(&r); to += r.block) {
					ret = pool_element(&r, y, x, max, mem);
					if (ret)
						return ret;
					nnfw_real_store(&out, to, max, r.block);
				}
			}
		}
	}
	return 0;
}

const struct nnfw_op nnfw_op_roi_align = {
	.opcode = NNPROG_OP_ROI_ALIGN,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.scratch = roi_scratch,
	.run = roi_align_run,
};

const struct nnfw_op nnfw_op_roi_pooling = {
	.opcode = NNPROG_OP_ROI_POOLING,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.scratch = roi_scratch,
	.run = roi_pooling_run,
};
