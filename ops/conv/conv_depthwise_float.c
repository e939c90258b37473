// SPDX-License-Identifier: Apache-2.0
/*
 * DEPTHWISE_CONV_2D of floats. The filter is [taps][channels], so channels are the vector
 * dimension; the pixels of a row whose taps all lie in the image are computed together.
 */
#include <math.h>

#include "conv.h"
#include "f32_depthwise/f32_depthwise.h"
#include "half/half.h"
#include "isa/isa.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnprog_attrs.h"

/* Multiplications of a call of the kernel: less than a millisecond of the scalar one. */
#define CALL ((size_t)1 << 19)
/* Multiplications that take as long as an element of struct nnfw_work. */
#define PER_ELEMENT 4u
/* Channels that take no longer than one. */
#define VECTOR 16u
/* Channels that are computed together for one pixel at a border. */
#define FEW 64u
/* Channels at a time of a filter with many taps. */
#define CHANNELS 64u
/* Elements of some input rows that stay in the nearest cache. */
#define NEAR 8192u
/* float16 pixels that are computed before they are stored. */
#define PIXELS 64u

struct run {
	const struct nnfw_conv_geometry *g;
	const struct nnfw_f32_depthwise_kernels *kernels;
	const float *in, *taps, *bias;
	size_t multiplier;
	float lo, hi;
	bool half;
	void *out;
	float *slots; /* each PIXELS pixels */
};

/* Products of a tap, as the time that they take. */
static size_t tap_products(const struct nnfw_f32_depthwise *d)
{
	return d->pixels * nnutil_align_up(d->end - d->first, VECTOR);
}

/* All taps of some pixels and channels, a part at a time. 0 or -ECANCELED. */
static int many_taps(const struct run *r, struct nnfw_work *work, struct nnfw_f32_depthwise *d)
{
	const struct nnfw_f32_depthwise all = *d;
	size_t part = CALL / tap_products(d) + 1;
	int ret = 0;

	part = part < all.columns ? part : all.columns;
	d->rows = 1;
	for (size_t y = 0; y < all.rows; y++) {
		for (size_t x = 0; x < all.columns && !ret; x += part) {
			bool last;

			d->columns = all.columns - x < part ? all.columns - x : part;
			last = y + 1 == all.rows && x + d->columns == all.columns;
			d->in = all.in + y * all.row + x * all.column;
			d->taps = all.taps + y * all.tap_row + x * all.tap_column;
			d->lo = last ? all.lo : -INFINITY;
			d->hi = last ? all.hi : INFINITY;
			r->kernels->pixels(d);
			d->more = true;
			ret = nnfw_work(work, tap_products(d) * d->columns / PER_ELEMENT);
		}
	}
	*d = all;
	return ret;
}

/*
 * Pixels that have the same taps, and channels [d->first, d->end), in as many calls as it needs. 0
 * or -ECANCELED.
 */
static int depthwise_float_pixels(const struct run *r, struct nnfw_work *work,
				  struct nnfw_f32_depthwise *d)
{
	const size_t first = d->first, end = d->end;
	size_t channels = end - first, taps = d->rows * d->columns, count = d->pixels, step = count;
	int ret = 0;

	/* no taps at all: the bias */
	taps = taps ? taps : 1;
	/* most are one call, and divide nothing */
	if (tap_products(d) * taps > CALL) {
		if (CALL / taps / 8 < channels)
			channels = channels < CHANNELS ? channels : CHANNELS;
		step = CALL / taps / channels;
		step = step > 8 ? step & ~(size_t)7 : 8;
	}
	for (size_t i = 0; i < count && !ret; i += step) {
		d->pixels = count - i < step ? count - i : step;
		for (size_t c = first; c < end && !ret; c += channels) {
			d->first = c;
			d->end = end - c < channels ? end : c + channels;
			if (tap_products(d) * taps > 2 * CALL && d->rows && d->columns) {
				ret = many_taps(r, work, d);
				continue;
			}
			r->kernels->pixels(d);
			ret = nnfw_work(work, tap_products(d) * taps / PER_ELEMENT);
		}
		d->in += d->pixels * d->pixel;
		d->out += d->pixels * d->out_pixel;
	}
	return ret;
}

/* How many pixels of a row from @ox on have the taps of @w, of at most @limit. */
static size_t depthwise_float_alike(const struct nnfw_conv_geometry *g,
				    const struct nnfw_depthwise_window *w, size_t ox, size_t limit)
{
	size_t reach = (g->filter_w - 1) * g->dilation_w, last;

	if (w->kx0 || w->kx1 != g->filter_w)
		return 1;
	/* the last pixel whose window ends in the image */
	last = (g->in_w + g->left - reach - 1) / g->stride_w;
	return last - ox + 1 < limit ? last - ox + 1 : limit;
}

/* Channels [@first, @end) of an output row. */
static int output_row(const struct run *r, struct nnfw_work *work, uint32_t slot, size_t row,
		      size_t first, size_t end)
{
	const struct nnfw_conv_geometry *g = r->g;
	size_t limit = r->half ? PIXELS : g->out_w;
	int ret = 0;

	for (size_t ox = 0, n; ox < g->out_w && !ret; ox += n) {
		const struct nnfw_depthwise_window w =
			nnfw_depthwise_window_at(g, row / g->out_h, row % g->out_h, ox);
		size_t at = (row * g->out_w + ox) * g->out_c;
		float *to = r->half ? r->slots + slot * PIXELS * g->out_c : (float *)r->out + at;
		struct nnfw_f32_depthwise d = {
			.in = r->in + w.offset,
			.pixel = g->stride_w * g->in_c,
			.row = g->dilation_h * g->in_w * g->in_c,
			.column = g->dilation_w * g->in_c,
			.taps = r->taps + (w.ky0 * g->filter_w + w.kx0) * g->out_c,
			.tap_row = g->filter_w * g->out_c,
			.tap_column = g->out_c,
			.rows = w.ky1 - w.ky0,
			.columns = w.kx1 - w.kx0,
			.first = first,
			.end = end,
			.multiplier = r->multiplier,
			.bias = r->bias,
			.lo = r->lo,
			.hi = r->hi,
			.out = to,
			.out_pixel = g->out_c,
		};

		n = g->out_w - ox < limit ? g->out_w - ox : limit;
		n = depthwise_float_alike(g, &w, ox, n);
		d.pixels = n;
		ret = depthwise_float_pixels(r, work, &d);
		for (size_t k = 0; k < n && r->half && !ret; k++) {
			size_t c = k * g->out_c + first;

			ret = nnfw_half_store_long(work, (uint16_t *)r->out + at + c, to + c,
						   end - first);
		}
	}
	return ret;
}

/* Channels whose input rows of one output row stay in the nearest cache for the next one. */
static size_t near_channels(const struct nnfw_conv_geometry *g)
{
	size_t n = NEAR / (g->filter_h * g->in_w) & ~(size_t)(FEW - 1);

	/* narrow columns of an image are slow to read */
	return n && n + FEW < g->out_c ? n : g->out_c;
}

static int rows(void *arg, uint32_t slot, size_t first, size_t end, struct nnfw_progress *progress)
{
	struct nnfw_work work = { .progress = progress };
	const struct run *r = arg;
	const size_t all = r->g->out_c, channels = end - first > 1 ? near_channels(r->g) : all;
	int ret = 0;

	for (size_t c = 0; c < all && !ret; c += channels)
		for (size_t row = first; row < end && !ret; row++)
			ret = output_row(r, &work, slot, row, c,
					 all - c < channels ? all : c + channels);
	return ret;
}

int nnfw_depthwise_float_run(struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *filter = &ctx->in[1];
	bool half = in->dtype == NNPROG_FLOAT16;
	struct nnfw_work work = { .progress = ctx->progress };
	struct run r = {
		.g = g,
		.kernels = NNFW_KERNELS(f32_depthwise),
		.taps = ctx->state,
		.multiplier = a->multiplier,
		.half = half,
		.out = ctx->out[0].data,
	};
	size_t products = g->out_w * g->out_c * g->filter_h * g->filter_w;
	uint8_t *next = ctx->scratch;
	float *image, *bias;
	int ret;

	r.slots = nnfw_take(&next, half ? nnfw_slots(ctx) * PIXELS * g->out_c * sizeof(float) : 0);
	image = nnfw_take(&next, half ? in->elements * sizeof(*image) : 0);
	bias = nnfw_take(&next, half ? g->out_c * sizeof(*bias) : 0);
	nnfw_activation_range(a->activation, &r.lo, &r.hi);
	ret = nnfw_float_view(&work, in, image, &r.in);
	if (!ret)
		ret = nnfw_float_view(&work, &ctx->in[2], bias, &r.bias);
	if (!r.taps && !ret)
		ret = nnfw_float_view(&work, filter, (float *)next, &r.taps);
	return ret ? ret
		   : nnfw_split(ctx, g->batch * g->out_h, 1 + 200000 / (products + 1), rows, &r);
}

int nnfw_depthwise_float_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	int ret = nnfw_load_half(ctx, &ctx->in[1], state, size);

	if (*state)
		nnfw_leave_unread(ctx, 1);
	return ret;
}

size_t nnfw_depthwise_float_scratch(const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *filter = &ctx->in[1];
	size_t channels = filter->dims[3], size;

	if (ctx->in[0].dtype == NNPROG_FLOAT32)
		return 0;
	size = nnfw_align(nnfw_slots(ctx) * PIXELS * channels * sizeof(float)) +
	       nnfw_align(ctx->in[0].elements * sizeof(float)) +
	       nnfw_align(channels * sizeof(float));
	return size + (ctx->state ? 0 : nnfw_align(filter->elements * sizeof(float)));
}
