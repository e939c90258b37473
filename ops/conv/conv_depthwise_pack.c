// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "conv.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnprog_attrs.h"

/*
 * Strips of more bytes under a few columns of the output are not for these kernels.
 */
#define MAX_STRIP 1048576u
#define COLUMNS 8u

/* An image of one column under a filter of one column, without padding at its sides. */
static bool is_column(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];

	return in->rank == 4 && in->dims[2] == 1 && out->rank == 4 && out->dims[2] == 1 &&
	       ctx->in[1].dims[2] == 1 && (a->padding != NNPROG_PAD_EXPLICIT || !a->pad_left);
}

static int32_t zero_point(const struct nnfw_tensor *filter)
{
	return filter->num_scales ? 0 : filter->zero_point;
}

/* The same, of codes that are unsigned. */
static int32_t zero_code(const struct nnfw_tensor *filter)
{
	return zero_point(filter) + (filter->dtype == NNPROG_INT8 ? 128 : 0);
}

/* Parts of 8 bits that a weight is the sum of. */
static uint32_t parts_of(int32_t w)
{
	if (w < 0)
		w = -1 - w;
	return (uint32_t)(w > 2 * INT8_MAX ? 3 : w > INT8_MAX ? 2 : 1);
}

/* Most of weights from @lo to @hi. */
static uint32_t parts_between(int32_t lo, int32_t hi)
{
	return parts_of(lo) > parts_of(hi) ? parts_of(lo) : parts_of(hi);
}

static void set_parts(struct nnfw_depthwise_layout *l, uint32_t parts)
{
	size_t weights = l->groups * l->places * NNFW_Q8DW_STRIP;

	l->parts = l->wide ? 1 : parts;
	l->unit_size =
		sizeof(struct nnfw_q8dw_unit) + weights * (l->wide ? sizeof(int16_t) : l->parts);
}

struct nnfw_depthwise_layout nnfw_depthwise_layout(const struct nnfw_op_ctx *ctx, bool wide)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *filter = &ctx->in[1];
	struct nnfw_depthwise_layout l = { .wide = wide };
	size_t h = filter->dims[1], w = filter->dims[2], channels = filter->dims[3], strip, low;
	size_t stride_w = a->stride_w, dilation_w = a->dilation_w, stride_h = a->stride_h;
	int32_t lo, hi, zero = zero_point(filter);

	l.on_side = h > 1 && is_column(ctx);
	if (l.on_side) {
		w = h;
		h = 1;
		stride_w = a->stride_h;
		stride_h = a->stride_w;
		dilation_w = a->dilation_h;
	}
	l.across = h == 1 && w > 1;
	l.groups = l.across ? 1 : (h + NNFW_Q8DW_TAPS - 1) / NNFW_Q8DW_TAPS;
	l.places = l.across ? (w + NNFW_Q8DW_TAPS - 1) / NNFW_Q8DW_TAPS : w;
	l.pairs = !l.across && h < NNFW_Q8DW_TAPS && stride_h == 1 && a->dilation_h == 1;
	l.channels = channels;
	/* the lowest bit: the greatest power of two that divides */
	low = channels & -channels;
	l.units = low < NNFW_Q8DW_LANES ? channels / low : channels / NNFW_Q8DW_LANES;
	if (low < NNFW_Q8DW_LANES &&
	    (stride_w > 1 || channels > NNFW_DEPTHWISE_BLOCK || (low < 8 && l.units > 32))) {
		l.units = (channels + NNFW_Q8DW_LANES - 1) / NNFW_Q8DW_LANES;
		l.channels = l.units * NNFW_Q8DW_LANES;
	}
	l.staged = l.across || l.channels != channels || a->multiplier > 1;
	l.phases = l.units % 4 == 0 ? l.units / 4 : l.units % 2 == 0 ? l.units / 2 : l.units;
	strip = l.channels % NNFW_Q8DW_VECTOR == 0  ? NNFW_Q8DW_VECTOR
		: l.channels > NNFW_DEPTHWISE_BLOCK ? NNFW_DEPTHWISE_BLOCK
						    : l.channels;
	strip *= l.groups * NNFW_Q8DW_TAPS;
	l.is_long = h * w > NNFW_DEPTHWISE_MAX_TAPS ||
		    (COLUMNS * stride_w + (w + 2 * NNFW_Q8DW_TAPS) * dilation_w) >
			    MAX_STRIP / strip;
	nnfw_type_range(filter->dtype, &lo, &hi);
	set_parts(&l, parts_between(lo - zero, hi - zero));
	return l;
}

int nnfw_depthwise_parts(const struct nnfw_op_ctx *ctx, struct nnfw_depthwise_layout *l)
{
	struct nnfw_work work = { .progress = ctx->progress };
	const struct nnfw_tensor *filter = &ctx->in[1];
	const uint8_t *codes = filter->data, flip = filter->dtype == NNPROG_INT8 ? 0x80 : 0;
	uint8_t lo = UINT8_MAX, hi = 0;

	NNFW_EACH(&work, i, filter->elements, {
		const uint8_t code = codes[i] ^ flip;

		lo = code < lo ? code : lo;
		hi = code > hi ? code : hi;
	});
	set_parts(l, parts_between(lo - zero_code(filter), hi - zero_code(filter)));
	return 0;
}

size_t nnfw_depthwise_pack_size(const struct nnfw_depthwise_layout *l)
{
	return nnfw_align(sizeof(struct nnfw_depthwise_pack)) +
	       nnfw_align(l->units * l->unit_size) + nnfw_align(l->units);
}

/* A unit while it is packed. */
struct lanes {
	const struct nnfw_depthwise_layout *l;
	const struct nnfw_tensor *filter;
	struct nnfw_q8dw_unit *unit;
	size_t h, w; /* of the filter, as it lies */
	size_t n; /* lanes that have a channel */
	size_t channel[NNFW_Q8DW_LANES];
	bool neighbours; /* 16 channels, one after the other */
	int32_t sums[NNFW_Q8DW_LANES]; /* of weights: they fit */
	int16_t lo, hi; /* weights are between, and 0 */
};

/* A weight of each lane, zeros where there is no channel. */
typedef int16_t lane_weights[NNFW_Q8DW_LANES];

static void load_tap(struct lanes *u, size_t tap, lane_weights weights)
{
	const uint8_t *codes = (const uint8_t *)u->filter->data + tap * u->filter->dims[3];
	const uint8_t flip = u->filter->dtype == NNPROG_INT8 ? 0x80 : 0;
	const int32_t zero = zero_code(u->filter);
	uint8_t some[NNFW_Q8DW_LANES];

	if (u->neighbours) {
		memcpy(some, codes + u->channel[0], sizeof(some));
	} else {
		for (size_t i = 0; i < u->n; i++)
			some[i] = codes[u->channel[i]];
		memset(some + u->n, 0, sizeof(some) - u->n);
	}
	for (size_t i = 0; i < NNFW_Q8DW_LANES; i++)
		weights[i] = (int16_t)((some[i] ^ flip) - zero);
	for (size_t i = u->n; i < NNFW_Q8DW_LANES; i++)
		weights[i] = 0;
	for (size_t i = 0; i < NNFW_Q8DW_LANES; i++) {
		u->sums[i] += weights[i];
		u->lo = weights[i] < u->lo ? weights[i] : u->lo;
		u->hi = weights[i] > u->hi ? weights[i] : u->hi;
	}
}

static void put_wide(struct nnfw_q8dw_unit *unit, size_t place,
		     lane_weights weights[NNFW_Q8DW_TAPS])
{
	int16_t *to = (int16_t *)(void *)unit->weights + place * NNFW_Q8DW_STRIP;

	for (size_t t = 0; t < 2; t++, to += 2 * NNFW_Q8DW_LANES) {
		for (size_t i = 0; i < NNFW_Q8DW_LANES; i++) {
			to[2 * i] = weights[t][i];
			to[2 * i + 1] = weights[t + 2][i];
		}
	}
}

/* What 8 bits hold of the weights goes to @to, and is taken from them. */
static void put_part(int8_t *to, lane_weights weights[NNFW_Q8DW_TAPS])
{
	for (size_t i = 0; i < NNFW_Q8DW_LANES; i++) {
		for (size_t t = 0; t < NNFW_Q8DW_TAPS; t++) {
			int16_t w = weights[t][i];

			w = w < INT8_MIN ? INT8_MIN : w > INT8_MAX ? INT8_MAX : w;
			to[NNFW_Q8DW_TAPS * i + t] = (int8_t)w;
			weights[t][i] = (int16_t)(weights[t][i] - w);
		}
	}
}

/* Of taps from @tap, @step apart, @n or four; the others have weights of 0. */
static void pack_four(struct lanes *u, size_t place, size_t tap, size_t step, size_t n)
{
	const struct nnfw_depthwise_layout *l = u->l;
	int8_t *to = u->unit->weights + place * NNFW_Q8DW_STRIP;
	lane_weights weights[NNFW_Q8DW_TAPS] = { 0 };

	for (size_t t = 0; t < n && t < NNFW_Q8DW_TAPS; t++)
		load_tap(u, tap + t * step, weights[t]);
	if (l->wide) {
		put_wide(u->unit, place, weights);
		return;
	}
	for (size_t part = 0; part < l->parts; part++)
		put_part(to + part * l->groups * l->places * NNFW_Q8DW_STRIP, weights);
}

/* The weights of all lanes. */
static void pack_weights(struct lanes *u)
{
	const struct nnfw_depthwise_layout *l = u->l;

	for (size_t x = 0; x < l->places && l->across; x++)
		pack_four(u, x, x * NNFW_Q8DW_TAPS, 1, u->w - x * NNFW_Q8DW_TAPS);
	for (size_t y = 0; y < l->groups && !l->across; y++)
		for (size_t x = 0; x < u->w; x++)
			pack_four(u, y * l->places + x, y * NNFW_Q8DW_TAPS * u->w + x, u->w,
				  u->h - y * NNFW_Q8DW_TAPS);
}

/* What a lane's sums begin with, and its multiplier. */
static void finish_lane(const struct nnfw_op_ctx *ctx, struct lanes *u, size_t lane)
{
	const struct nnfw_tensor *in = &ctx->in[0], *filter = u->filter;
	const size_t channel = u->channel[lane];
	const float scale = filter->num_scales ? filter->scales[channel] : filter->scale;
	/* int8 is woven as 128 more than it is */
	uint32_t zero = (uint32_t)(in->zero_point + (in->dtype == NNPROG_INT8 ? 128 : 0));

	u->unit->init[lane] = (int32_t)(((const uint32_t *)ctx->in[2].data)[channel] -
					(uint32_t)u->sums[lane] * zero);
	u->unit->multipliers[lane] = (float)((double)in->scale * scale / ctx->out[0].scale);
}

/* Unit @i, which is full of zeros; returns how many parts it takes. */
static uint32_t pack_unit(const struct nnfw_op_ctx *ctx, const struct nnfw_depthwise_layout *l,
			  struct nnfw_q8dw_unit *unit, size_t i)
{
	const struct nnfw_tensor *filter = &ctx->in[1];
	const size_t channels = filter->dims[3];
	struct lanes u = {
		.l = l,
		.filter = filter,
		.unit = unit,
		.h = l->on_side ? 1 : filter->dims[1],
		.w = l->on_side ? filter->dims[1] : filter->dims[2],
	};

	for (size_t lane = 0; lane < NNFW_Q8DW_LANES; lane++) {
		size_t c = i * NNFW_Q8DW_LANES + lane;

		if (l->channels != channels && c >= channels)
			break;
		u.channel[lane] = c % channels;
		u.n++;
	}
	u.neighbours = u.n == NNFW_Q8DW_LANES && u.channel[0] + NNFW_Q8DW_LANES <= channels;
	pack_weights(&u);
	for (size_t lane = 0; lane < u.n; lane++)
		finish_lane(ctx, &u, lane);
	return parts_between(u.lo, u.hi);
}

int nnfw_depthwise_pack(const struct nnfw_op_ctx *ctx, const struct nnfw_depthwise_layout *l,
			void *mem, const struct nnfw_depthwise_pack **pack)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_requant q = nnfw_requant_output(&ctx->out[0], a->activation);
	struct nnfw_work work = { .progress = ctx->progress };
	uint8_t *next = mem;
	struct nnfw_depthwise_pack *p = nnfw_take(&next, sizeof(*p));
	uint8_t *units = nnfw_take(&next, l->units * l->unit_size);
	uint8_t *parts = nnfw_take(&next, l->units);
	bool tame = true;

	for (size_t i = 0; i < l->units; i++) {
		struct nnfw_q8dw_unit *unit = (void *)(units + i * l->unit_size);
		uint32_t most;

		if (nnfw_work(&work, l->unit_size))
			return -ECANCELED;
		memset(unit, 0, l->unit_size);
		most = pack_unit(ctx, l, unit, i);
		parts[i] = (uint8_t)(l->wide ? 1 : most);
		for (size_t lane = 0; lane < NNFW_Q8DW_LANES; lane++)
			tame = tame && !(fabsf(unit->multipliers[lane]) >= 1);
	}
	*p = (struct nnfw_depthwise_pack){
		.layout = *l,
		.finish = {
			.zero_point = q.zero_point,
			.lo = (int32_t)q.lo + q.zero_point,
			.hi = (int32_t)q.hi + q.zero_point,
			.is_signed = ctx->out[0].dtype == NNPROG_INT8,
			.tame = tame,
		},
		.units = units,
		.parts = parts,
	};
	memset(p->fill, ctx->in[0].zero_point, sizeof(p->fill));
	*pack = p;
	return 0;
}
