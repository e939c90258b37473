// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "conv_depthwise_pack.h"
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

/* Parts of 8 bits that a weight is the sum of. */
static uint32_t parts_of(int32_t w)
{
	if (w < 0)
		w = -1 - w;
	return (uint32_t)(w > 2 * INT8_MAX ? 3 : w > INT8_MAX ? 2 : 1);
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
	set_parts(&l, parts_of(lo - zero) > parts_of(hi - zero) ? parts_of(lo - zero)
								: parts_of(hi - zero));
	return l;
}

int nnfw_depthwise_parts(const struct nnfw_op_ctx *ctx, struct nnfw_depthwise_layout *l)
{
	struct nnfw_work work = { .progress = ctx->progress };
	const struct nnfw_tensor *filter = &ctx->in[1];
	const uint8_t *codes = filter->data;
	int32_t zero = zero_point(filter);
	uint32_t parts = 1;

	NNFW_EACH(&work, i, filter->elements, {
		uint32_t n = parts_of(nnfw_code(filter->dtype, codes[i]) - zero);

		parts = n > parts ? n : parts;
	});
	set_parts(l, parts);
	return 0;
}

size_t nnfw_depthwise_pack_size(const struct nnfw_depthwise_layout *l)
{
	return nnfw_align(sizeof(struct nnfw_depthwise_pack)) +
	       nnfw_align(l->units * l->unit_size) + nnfw_align(l->units);
}

static void put_weight(const struct nnfw_depthwise_layout *l, struct nnfw_q8dw_unit *unit,
		       size_t place, size_t lane, size_t t, int32_t w)
{
	size_t part = l->groups * l->places * NNFW_Q8DW_STRIP;
	size_t at = place * NNFW_Q8DW_STRIP;

	if (l->wide) {
		int16_t *wide = (int16_t *)(void *)unit->weights + at;

		wide[t % 2 * 2 * NNFW_Q8DW_LANES + 2 * lane + t / 2] = (int16_t)w;
		return;
	}
	for (size_t p = 0; p < l->parts; p++) {
		int32_t now = w < INT8_MIN ? INT8_MIN : w > INT8_MAX ? INT8_MAX : w;

		unit->weights[p * part + at + NNFW_Q8DW_TAPS * lane + t] = (int8_t)now;
		w -= now;
	}
}

/* One lane of a unit; returns how many parts it takes. */
static uint32_t pack_lane(const struct nnfw_op_ctx *ctx, const struct nnfw_depthwise_layout *l,
			  struct nnfw_q8dw_unit *unit, size_t lane, size_t channel)
{
	const struct nnfw_tensor *in = &ctx->in[0], *filter = &ctx->in[1], *out = &ctx->out[0];
	const float scale = filter->num_scales ? filter->scales[channel] : filter->scale;
	const size_t channels = filter->dims[3], h = l->on_side ? 1 : filter->dims[1],
		     w = l->on_side ? filter->dims[1] : filter->dims[2];
	const uint8_t *codes = filter->data;
	uint32_t sum = 0, parts = 1;

	for (size_t ky = 0; ky < h; ky++) {
		for (size_t kx = 0; kx < w; kx++) {
			size_t code = (ky * w + kx) * channels + channel;
			int32_t d = nnfw_code(filter->dtype, codes[code]) - zero_point(filter);
			uint32_t n = parts_of(d);

			if (l->across)
				put_weight(l, unit, kx / NNFW_Q8DW_TAPS, lane, kx % NNFW_Q8DW_TAPS,
					   d);
			else
				put_weight(l, unit, ky / NNFW_Q8DW_TAPS * l->places + kx, lane,
					   ky % NNFW_Q8DW_TAPS, d);
			sum += (uint32_t)d;
			parts = n > parts ? n : parts;
		}
	}
	/* int8 is woven as 128 more than it is */
	sum *= (uint32_t)(in->zero_point + (in->dtype == NNPROG_INT8 ? 128 : 0));
	unit->init[lane] = (int32_t)(((const uint32_t *)ctx->in[2].data)[channel] - sum);
	unit->multipliers[lane] = (float)((double)in->scale * scale / out->scale);
	return parts;
}

int nnfw_depthwise_pack(const struct nnfw_op_ctx *ctx, const struct nnfw_depthwise_layout *l,
			void *mem, const struct nnfw_depthwise_pack **pack)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_requant q = nnfw_requant_output(&ctx->out[0], a->activation);
	const size_t channels = ctx->in[1].dims[3];
	struct nnfw_work work = { .progress = ctx->progress };
	uint8_t *next = mem;
	struct nnfw_depthwise_pack *p = nnfw_take(&next, sizeof(*p));
	uint8_t *units = nnfw_take(&next, l->units * l->unit_size);
	uint8_t *parts = nnfw_take(&next, l->units);
	bool tame = true;

	for (size_t i = 0; i < l->units; i++) {
		struct nnfw_q8dw_unit *unit = (void *)(units + i * l->unit_size);

		if (nnfw_work(&work, l->unit_size))
			return -ECANCELED;
		memset(unit, 0, l->unit_size);
		parts[i] = 1;
		for (size_t lane = 0; lane < NNFW_Q8DW_LANES; lane++) {
			size_t c = i * NNFW_Q8DW_LANES + lane;
			uint32_t n;

			if (l->channels != channels && c >= channels)
				break;
			n = pack_lane(ctx, l, unit, lane, c % channels);
			if (!l->wide && n > parts[i])
				parts[i] = (uint8_t)n;
			tame = tame && !(fabsf(unit->multipliers[lane]) >= 1);
		}
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
