// SPDX-License-Identifier: Apache-2.0
/*
 * DEPTHWISE_CONV_2D of 8 bits: a tile of the output at a time. The part of the image under it is
 * woven into strips (q8_depthwise/), the zero point where it leaves the image, so that products
 * know no edges. With codes a and zero point za of the image, and weights w less their zero point:
 *
 *   sum (a - za) * w = sum a * w - za * sum w                                  modulo 2^32
 *
 * whose second part is known before.
 *
 * Four lanes of a strip are four rows of the filter, or of a filter of one row four columns.
 */
#include <string.h>

#include "conv.h"
#include "isa/isa.h"
#include "kernels/kernel.h"
#include "q8_depthwise/q8_depthwise.h"

/*
 * Bytes of strips that stay near the processor: blocks of channels cost nothing, but tiles compute
 * what lies under two of them twice, and are of some columns at least.
 */
#define BLOCK_BYTES 16384u
#define TILE_BYTES 32768u
#define MIN_COLUMNS 8u
/* Bytes behind a strip that may be written, and read. */
#define SLACK (NNFW_Q8DW_VECTOR * NNFW_Q8DW_TAPS)

/* How a run is divided. */
struct tiling {
	struct nnfw_conv_geometry g; /* of an image on its side as if it were one row */
	size_t channels, blocks; /* of a block; the last may have fewer */
	size_t columns, tiles; /* of a tile of the output; the last may have fewer */
	size_t rows, bands; /* of the output at a time */
	size_t span; /* columns of the image under a tile */
	size_t length; /* of them, what a strip has */
	size_t strip, staged, results; /* bytes */
};

static size_t ceil_div(size_t n, size_t by)
{
	return n / by + !!(n % by);
}

static void swap(size_t *a, size_t *b)
{
	size_t x = *a;

	*a = *b;
	*b = x;
}

static struct nnfw_conv_geometry on_side(struct nnfw_conv_geometry g)
{
	swap(&g.in_h, &g.in_w);
	swap(&g.out_h, &g.out_w);
	swap(&g.filter_h, &g.filter_w);
	swap(&g.stride_h, &g.stride_w);
	swap(&g.dilation_h, &g.dilation_w);
	swap(&g.top, &g.left);
	return g;
}

/* Columns of the image that @columns of the output need, and those of them that a strip has. */
static size_t span(const struct nnfw_conv_geometry *g, const struct nnfw_depthwise_layout *l,
		   size_t columns, size_t *length)
{
	size_t places = l->across ? NNFW_Q8DW_TAPS * (l->places - 1) : l->places - 1;
	size_t n = (columns - 1) * g->stride_w + places * g->dilation_w + 1;

	*length = n;
	return l->across ? n + (NNFW_Q8DW_TAPS - 1) * g->dilation_w : n;
}

static size_t strip_bytes(const struct nnfw_conv_geometry *g, const struct nnfw_depthwise_layout *l,
			  size_t columns, size_t channels)
{
	size_t length;

	span(g, l, columns, &length);
	return length * channels * NNFW_Q8DW_TAPS;
}

static struct tiling tiling(const struct nnfw_conv_geometry *geometry,
			    const struct nnfw_depthwise_layout *l)
{
	struct tiling t = { .g = l->on_side ? on_side(*geometry) : *geometry };
	const struct nnfw_conv_geometry *g = &t.g;
	size_t near, per_channel;

	t.rows = l->pairs && g->out_h > 1 ? 2 : 1;
	t.bands = ceil_div(g->out_h, t.rows);
	t.channels = l->channels;
	t.columns = g->out_w;
	per_channel = strip_bytes(g, l, t.columns, 1) * l->groups;
	if (l->channels % NNFW_Q8DW_VECTOR == 0) {
		near = BLOCK_BYTES / per_channel / NNFW_Q8DW_VECTOR * NNFW_Q8DW_VECTOR;
		near = near ? near : NNFW_Q8DW_VECTOR;
		t.channels = near < l->channels ? near : l->channels;
	} else if (l->channels > NNFW_DEPTHWISE_BLOCK) {
		t.channels = NNFW_DEPTHWISE_BLOCK;
	}
	t.blocks = ceil_div(l->channels, t.channels);
	if (per_channel * t.channels > TILE_BYTES) {
		size_t halo = strip_bytes(g, l, 1, t.channels) * l->groups;
		size_t column = g->stride_w * t.channels * NNFW_Q8DW_TAPS * l->groups;

		near = halo < TILE_BYTES ? (TILE_BYTES - halo) / column + 1 : 1;
		near = near > MIN_COLUMNS ? near : MIN_COLUMNS;
		/* of about the same size, and whole vectors of most channels */
		near = ceil_div(t.columns, ceil_div(t.columns, near));
		near = ceil_div(near, MIN_COLUMNS) * MIN_COLUMNS;
		t.columns = near < t.columns ? near : t.columns;
	}
	t.tiles = ceil_div(g->out_w, t.columns);
	t.span = span(g, l, t.columns, &t.length);
	t.strip = nnfw_align(t.length * t.channels * NNFW_Q8DW_TAPS) + SLACK;
	if (l->staged)
		t.staged = nnfw_align(t.span * t.channels) + NNFW_Q8DW_VECTOR;
	if (l->channels != g->out_c)
		t.results = nnfw_align(t.columns * t.channels) + NNFW_Q8DW_VECTOR;
	return t;
}

static size_t slot_bytes(const struct tiling *t, const struct nnfw_depthwise_layout *l)
{
	size_t staged = l->across ? t->staged : t->staged * NNFW_Q8DW_TAPS;

	return t->strip * l->groups + staged + t->results * t->rows;
}

struct job {
	struct nnfw_op_ctx *ctx;
	const struct nnfw_depthwise_pack *pack;
	const struct nnfw_q8_depthwise_kernels *kernels;
	struct tiling t;
	uint8_t *slots;
	size_t slot_size;
	uint8_t flip;
};

/* A part of the output: @rows from @oy, and what of the image is under it. */
struct tile {
	size_t image, oy, ox, rows, columns;
	size_t first, channels; /* of the strips' channels */
	/* columns of a strip, or of what is staged: outside, inside from @ix, outside */
	size_t lead, inside, rest, ix;
	uint8_t *strips, *staged, *results;
};

static struct tile tile_at(const struct job *j, uint8_t *slot, size_t unit)
{
	const struct tiling *t = &j->t;
	const struct nnfw_conv_geometry *g = &t->g;
	const struct nnfw_depthwise_layout *l = &j->pack->layout;
	struct tile p;
	size_t n, x, length;

	p.oy = unit % t->bands * t->rows;
	unit /= t->bands;
	p.ox = unit % t->tiles * t->columns;
	unit /= t->tiles;
	p.first = unit % t->blocks * t->channels;
	p.image = unit / t->blocks;
	p.rows = g->out_h - p.oy < t->rows ? g->out_h - p.oy : t->rows;
	p.columns = g->out_w - p.ox < t->columns ? g->out_w - p.ox : t->columns;
	p.channels = l->channels - p.first < t->channels ? l->channels - p.first : t->channels;
	n = span(g, l, p.columns, &length);
	x = p.ox * g->stride_w;
	p.lead = x < g->left ? g->left - x : 0;
	p.lead = p.lead < n ? p.lead : n;
	p.ix = x + p.lead - g->left;
	p.inside = p.ix < g->in_w ? g->in_w - p.ix : 0;
	p.inside = p.inside < n - p.lead ? p.inside : n - p.lead;
	p.rest = n - p.lead - p.inside;
	p.strips = slot;
	p.staged = slot + t->strip * l->groups;
	p.results = p.staged + (l->across ? t->staged : t->staged * NNFW_Q8DW_TAPS);
	return p;
}

/* The columns of a tile that are outside of the image, until another tile takes the memory. */
static void fill_outside(const struct job *j, const struct tile *p)
{
	const struct nnfw_depthwise_layout *l = &j->pack->layout;
	size_t before = p->lead * p->channels, behind = (p->lead + p->inside) * p->channels;
	size_t rest = p->rest * p->channels;
	uint8_t fill = j->pack->fill[0];

	if (l->across) {
		memset(p->staged, fill, before);
		memset(p->staged + behind, fill, rest);
		return;
	}
	for (size_t i = 0; i < l->groups; i++) {
		uint8_t *strip = p->strips + i * j->t.strip;

		memset(strip, fill ^ j->flip, before * NNFW_Q8DW_TAPS);
		memset(strip + behind * NNFW_Q8DW_TAPS, fill ^ j->flip, rest * NNFW_Q8DW_TAPS);
	}
}

/* @n channels from channel @first of the output, each a copy of that of the image at @x. */
static void repeat(uint8_t *to, const uint8_t *x, size_t first, size_t n, size_t multiplier)
{
	size_t i = 0, q = first % multiplier;

	x += first / multiplier;
	/* eight at a time, of which some may be the next channel's */
	for (; !q && multiplier <= 8 && i + 8 <= n; i += multiplier) {
		uint64_t all = *x++ * 0x0101010101010101u;

		memcpy(to + i, &all, sizeof(all));
	}
	for (; i < n; x++, q = 0)
		for (; q < multiplier && i < n; q++)
			to[i++] = *x;
}

/* What is inside of the row @iy, with the strips' channels. */
static void depthwise_q8_stage(const struct job *j, const struct tile *p, size_t iy, uint8_t *to)
{
	const struct nnfw_conv_geometry *g = &j->t.g;
	size_t multiplier = g->out_c / g->in_c, n = g->out_c - p->first;
	const uint8_t *x = j->ctx->in[0].data;

	x += ((p->image * g->in_h + iy) * g->in_w + p->ix) * g->in_c;
	n = n < p->channels ? n : p->channels;
	if (multiplier == 1 && n == g->in_c && n == p->channels) {
		memcpy(to, x, p->inside * n);
		return;
	}
	for (size_t i = 0; i < p->inside; i++, x += g->in_c, to += p->channels) {
		if (multiplier == 1)
			memcpy(to, x + p->first, n);
		else
			repeat(to, x, p->first, n, multiplier);
	}
}

/* Lanes of a strip from the rows of the filter that begin with @ky. */
static void weave_down(const struct job *j, const struct tile *p, size_t ky, uint8_t *strip)
{
	const struct nnfw_conv_geometry *g = &j->t.g;
	const struct nnfw_depthwise_layout *l = &j->pack->layout;
	size_t used = g->filter_h + p->rows - 1, steps[NNFW_Q8DW_TAPS] = { 0 };
	const uint8_t *rows[NNFW_Q8DW_TAPS];
	/* pixels at a time: all if they lie behind each other */
	bool whole = p->channels == (l->staged ? p->channels : g->in_c);
	size_t pixels = whole ? p->inside : 1;

	for (size_t t = 0; t < NNFW_Q8DW_TAPS; t++, ky++) {
		size_t y = p->oy * g->stride_h + ky * g->dilation_h;

		rows[t] = j->pack->fill;
		if (ky >= used || y < g->top || y - g->top >= g->in_h)
			continue;
		y -= g->top;
		steps[t] = NNFW_Q8DW_VECTOR;
		if (l->staged) {
			uint8_t *to = p->staged + t * j->t.staged;

			depthwise_q8_stage(j, p, y, to);
			rows[t] = to;
		} else {
			rows[t] = (const uint8_t *)j->ctx->in[0].data +
				  ((p->image * g->in_h + y) * g->in_w + p->ix) * g->in_c + p->first;
		}
	}
	strip += p->lead * p->channels * NNFW_Q8DW_TAPS;
	for (size_t i = 0; i < p->inside; i += pixels) {
		j->kernels->weave(strip, rows, steps, pixels * p->channels, j->pack->fill[0],
				  j->flip);
		strip += pixels * p->channels * NNFW_Q8DW_TAPS;
		for (size_t t = 0; t < NNFW_Q8DW_TAPS; t++)
			rows[t] += steps[t] ? g->in_c : 0;
	}
}

/* Lanes of the strip from four columns of the filter's one row. */
static void weave_across(const struct job *j, const struct tile *p)
{
	static const size_t steps[NNFW_Q8DW_TAPS] = { NNFW_Q8DW_VECTOR, NNFW_Q8DW_VECTOR,
						      NNFW_Q8DW_VECTOR, NNFW_Q8DW_VECTOR };
	const struct nnfw_conv_geometry *g = &j->t.g;
	size_t y = p->oy * g->stride_h, n = p->lead + p->inside + p->rest;
	const uint8_t *rows[NNFW_Q8DW_TAPS];

	if (y < g->top || y - g->top >= g->in_h)
		memset(p->staged + p->lead * p->channels, j->pack->fill[0],
		       p->inside * p->channels);
	else
		depthwise_q8_stage(j, p, y - g->top, p->staged + p->lead * p->channels);
	for (size_t t = 0; t < NNFW_Q8DW_TAPS; t++)
		rows[t] = p->staged + t * g->dilation_w * p->channels;
	n -= (NNFW_Q8DW_TAPS - 1) * g->dilation_w;
	j->kernels->weave(p->strips, rows, steps, n * p->channels, j->pack->fill[0], j->flip);
}

/* Work that a run of a kernel is at most. */
#define RUN_PRODUCTS 524288u

static int depthwise_q8_multiply(const struct job *j, struct nnfw_q8dw_run *run, size_t n,
				 struct nnfw_work *work)
{
	size_t products = run->rows * run->terms * NNFW_Q8DW_STRIP * NNFW_Q8DW_UNITS;
	size_t most = products < RUN_PRODUCTS ? RUN_PRODUCTS / products : 1;

	while (n) {
		run->n = n < most ? n : most;
		if (nnfw_work(work, run->n * products / 4))
			return -ECANCELED;
		j->kernels->product(run);
		for (size_t u = 0; u < NNFW_Q8DW_UNITS; u++)
			run->src[u] += run->n * run->src_step;
		for (size_t r = 0; r < run->rows; r++)
			run->dst[r] += run->n * run->dst_step;
		n -= run->n;
	}
	return 0;
}

/* The vector of @bytes at @run from the unit @first of the strips, which is @unit of the packed. */
static void set_units(const struct job *j, const struct tile *p, struct nnfw_q8dw_run *run,
		      size_t first, size_t unit, size_t bytes)
{
	const struct nnfw_conv_geometry *g = &j->t.g;
	const struct nnfw_depthwise_pack *pack = j->pack;
	const struct nnfw_depthwise_layout *l = &pack->layout;
	size_t per_pixel = p->channels / NNFW_Q8DW_LANES, x = 0, k = first, parts = 1;

	/* neighbours in the output, but in the image a stride apart */
	if (g->stride_w > 1) {
		x = first / per_pixel;
		k = first % per_pixel;
	}
	run->bytes = bytes;
	for (size_t u = 0; u < NNFW_Q8DW_UNITS; u++) {
		if (u * NNFW_Q8DW_LANES >= bytes) {
			/* not stored */
			run->src[u] = run->src[0];
			run->units[u] = run->units[0];
			continue;
		}
		run->src[u] = p->strips + x * g->stride_w * p->channels * NNFW_Q8DW_TAPS +
			      k * NNFW_Q8DW_STRIP;
		run->units[u] = (const void *)(pack->units + unit * l->unit_size);
		parts = pack->parts[unit] > parts ? pack->parts[unit] : parts;
		if (++unit == l->units)
			unit = 0;
		if (++k == per_pixel && g->stride_w > 1) {
			k = 0;
			x++;
		}
	}
	run->terms = parts * l->groups * l->places;
}

/* All channels: vectors go on from pixel to pixel. */
static int flat(const struct job *j, const struct tile *p, struct nnfw_q8dw_run *run,
		uint8_t *const dst[2], struct nnfw_work *work)
{
	const struct nnfw_depthwise_layout *l = &j->pack->layout;
	size_t bytes = p->columns * p->channels, whole = bytes / NNFW_Q8DW_VECTOR;
	size_t vectors = ceil_div(bytes, NNFW_Q8DW_VECTOR), tail = bytes % NNFW_Q8DW_VECTOR;
	int ret = 0;

	run->src_step = l->phases * NNFW_Q8DW_VECTOR * NNFW_Q8DW_TAPS * j->t.g.stride_w;
	run->dst_step = l->phases * NNFW_Q8DW_VECTOR;
	for (size_t f = 0, unit = 0; f < l->phases && f < vectors && !ret; f++) {
		size_t n = whole > f ? ceil_div(whole - f, l->phases) : 0;
		size_t last = f + n * l->phases;

		if (n) {
			set_units(j, p, run, f * NNFW_Q8DW_UNITS, unit, NNFW_Q8DW_VECTOR);
			for (size_t r = 0; r < p->rows; r++)
				run->dst[r] = dst[r] + f * NNFW_Q8DW_VECTOR;
			ret = depthwise_q8_multiply(j, run, n, work);
		}
		if (!ret && tail && last == whole) {
			set_units(j, p, run, last * NNFW_Q8DW_UNITS, unit, tail);
			for (size_t r = 0; r < p->rows; r++)
				run->dst[r] = dst[r] + last * NNFW_Q8DW_VECTOR;
			ret = depthwise_q8_multiply(j, run, 1, work);
		}
		unit = (unit + NNFW_Q8DW_UNITS) % l->units;
	}
	return ret;
}

/* A block of channels: vectors go on from pixel to pixel with the same channels. */
static int blocked(const struct job *j, const struct tile *p, struct nnfw_q8dw_run *run,
		   uint8_t *const dst[2], size_t pitch, struct nnfw_work *work)
{
	int ret = 0;

	run->src_step = j->t.g.stride_w * p->channels * NNFW_Q8DW_TAPS;
	run->dst_step = pitch;
	for (size_t c = 0; c < p->channels && !ret; c += NNFW_Q8DW_VECTOR) {
		size_t left = p->channels - c;

		set_units(j, p, run, c / NNFW_Q8DW_LANES, (p->first + c) / NNFW_Q8DW_LANES,
			  left < NNFW_Q8DW_VECTOR ? left : NNFW_Q8DW_VECTOR);
		for (size_t r = 0; r < p->rows; r++)
			run->dst[r] = dst[r] + c;
		ret = depthwise_q8_multiply(j, run, p->columns, work);
	}
	return ret;
}

/* Results with the strips' channels go to the output. */
static void unstage(const struct job *j, const struct tile *p, uint8_t *to, const uint8_t *from)
{
	size_t channels = j->t.g.out_c, n = channels - p->first;

	n = n < p->channels ? n : p->channels;
	for (size_t i = 0; i < p->columns; i++, to += channels, from += p->channels)
		memcpy(to, from, n);
}

static int run_tile(const struct job *j, const struct tile *p, struct nnfw_work *work)
{
	const struct nnfw_conv_geometry *g = &j->t.g;
	const struct nnfw_depthwise_layout *l = &j->pack->layout;
	bool direct = l->channels == g->out_c;
	size_t pitch = (l->across ? NNFW_Q8DW_TAPS : 1) * g->dilation_w * p->channels;
	size_t offsets[NNFW_DEPTHWISE_MAX_TERMS], n = 0;
	struct nnfw_q8dw_run run = {
		.offsets = offsets,
		.rows = (uint32_t)p->rows,
		.finish = &j->pack->finish,
	};
	uint8_t *out = (uint8_t *)j->ctx->out[0].data +
		       ((p->image * g->out_h + p->oy) * g->out_w + p->ox) * g->out_c + p->first;
	uint8_t *dst[2];
	int ret;

	if (l->across) {
		weave_across(j, p);
	} else {
		for (size_t i = 0; i < l->groups; i++)
			weave_down(j, p, i * NNFW_Q8DW_TAPS, p->strips + i * j->t.strip);
	}
	for (size_t part = 0; part < l->parts; part++)
		for (size_t i = 0; i < l->groups; i++)
			for (size_t k = 0; k < l->places; k++)
				offsets[n++] = i * j->t.strip + k * pitch * NNFW_Q8DW_TAPS;
	for (size_t r = 0; r < 2; r++)
		dst[r] = direct ? out + r * g->out_w * g->out_c : p->results + r * j->t.results;
	if (nnfw_work(work, j->t.length * p->channels * l->groups / 4))
		return -ECANCELED;
	if (p->channels == l->channels)
		ret = flat(j, p, &run, dst, work);
	else
		ret = blocked(j, p, &run, dst, direct ? g->out_c : p->channels, work);
	for (size_t r = 0; r < p->rows && !direct && !ret; r++)
		unstage(j, p, out + r * g->out_w * g->out_c, dst[r]);
	return ret;
}

static int run_units(void *arg, uint32_t slot, size_t first, size_t end,
		     struct nnfw_progress *progress)
{
	const struct job *j = arg;
	struct nnfw_work work = { .progress = progress };
	int ret = 0;

	for (size_t i = first; i < end && !ret; i++) {
		struct tile p = tile_at(j, j->slots + slot * j->slot_size, i);

		if (i == first || i % j->t.bands == 0)
			fill_outside(j, &p);
		ret = run_tile(j, &p, &work);
	}
	return ret;
}

int nnfw_depthwise_q8_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnfw_tensor *filter = &ctx->in[1], *bias = &ctx->in[2];
	const struct nnfw_depthwise_pack *pack;
	struct nnfw_depthwise_layout l;
	size_t bytes;
	int ret;

	*state = NULL;
	*size = 0;
	if (!filter->constant || !filter->data || !bias->constant || !bias->data)
		return 0;
	l = nnfw_depthwise_layout(ctx, NNFW_KERNELS(q8_depthwise)->wide);
	if (l.is_long)
		return 0;
	ret = nnfw_depthwise_parts(ctx, &l);
	if (ret)
		return ret;
	bytes = nnfw_depthwise_pack_size(&l);
	*state = nnfw_alloc_state(ctx, bytes);
	if (!*state)
		return -ENOMEM;
	*size = nnfw_align(bytes);
	nnfw_leave_unread(ctx, 1);
	return nnfw_depthwise_pack(ctx, &l, *state, &pack);
}

/* The layout of a run: what load() has packed, or will be packed now. */
static struct nnfw_depthwise_layout run_layout(const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_depthwise_pack *pack = ctx->state;

	return pack ? pack->layout : nnfw_depthwise_layout(ctx, NNFW_KERNELS(q8_depthwise)->wide);
}

size_t nnfw_depthwise_q8_scratch(const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_conv_geometry g = nnfw_conv_geometry(ctx);
	const struct nnfw_depthwise_layout l = run_layout(ctx);
	struct tiling t;
	size_t size;

	if (l.is_long || !ctx->out[0].elements)
		return 0;
	t = tiling(&g, &l);
	size = slot_bytes(&t, &l) * nnfw_slots(ctx);
	return size + (ctx->state ? 0 : nnfw_depthwise_pack_size(&l));
}

/* Products that are worth a thread's waking. */
#define GRAIN_PRODUCTS 262144u

int nnfw_depthwise_q8_run(struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g)
{
	struct nnfw_depthwise_layout l = run_layout(ctx);
	struct job j = {
		.ctx = ctx,
		.pack = ctx->state,
		.kernels = NNFW_KERNELS(q8_depthwise),
		.slots = ctx->scratch,
		.flip = ctx->in[0].dtype == NNPROG_INT8 ? 0x80 : 0,
	};
	size_t units, products;
	int ret;

	if (l.is_long)
		return nnfw_depthwise_q8_long(ctx, g);
	j.t = tiling(g, &l);
	j.slot_size = slot_bytes(&j.t, &l);
	if (!j.pack) {
		ret = nnfw_depthwise_pack(ctx, &l, j.slots + j.slot_size * nnfw_slots(ctx),
					  &j.pack);
		if (ret)
			return ret;
	}
	units = j.t.bands * j.t.tiles * j.t.blocks * g->batch;
	products = j.t.rows * j.t.columns * j.t.channels * g->filter_h * g->filter_w;
	return nnfw_split(ctx, units, GRAIN_PRODUCTS / products + 1, run_units, &j);
}
