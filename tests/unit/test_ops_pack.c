// SPDX-License-Identifier: Apache-2.0
/*
 * Packed weights, byte by byte against their description, for each instruction set: shapes that
 * fill no panel, zero points, scales of channels, and any division among threads.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conv/conv.h"
#include "f32_gemm/f32_gemm.h"
#include "half/half.h"
#include "isa/isa.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "op_harness.h"
#include "q8_gemm/q8_gemm.h"
#include "test_case.h"

static void *zeros(size_t n)
{
	void *p = calloc(n + !n, 1);

	assert_non_null(p);
	return p;
}

/* Memory as scratch memory is: 64-byte aligned, full of something. */
static void *dirty(size_t n)
{
	void *p = aligned_alloc(NNFW_ALIGN, nnfw_align(n + !n));

	assert_non_null(p);
	memset(p, 0xa5, n);
	return p;
}

static void expect_bytes(const void *is, const void *wanted, size_t n, const char *what)
{
	for (size_t i = 0; i < n; i++)
		if (((const uint8_t *)is)[i] != ((const uint8_t *)wanted)[i])
			fail_msg("%s: byte %zu of %zu is %#x instead of %#x", what, i, n,
				 ((const uint8_t *)is)[i], ((const uint8_t *)wanted)[i]);
}

/* ---- weights of 8-bit products ---- */

/* Panels of columns, in which a column has so many elements together. */
static const struct layout {
	const char *isa;
	size_t panel, unit;
} layouts[] = {
	{ "scalar", 1, 1 },  { "avx2", 16, 2 },	      { "avxvnni", 16, 4 },
	{ "avx512", 16, 2 }, { "avx512vnni", 64, 4 }, { "amx", 64, 4 },
	{ "neon", 16, 4 },   { "dotprod", 16, 4 },    { "i8mm", 16, 8 },
};

static const struct layout *layout(void)
{
	size_t i = 0;

	while (strcmp(layouts[i].isa, nnfw_isa()->name))
		i++;
	return &layouts[i];
}

static size_t column_bytes(struct nnfw_q8_depth d)
{
	return d.segments * nnutil_align_up(d.length, layout()->unit);
}

/* Columns of a panel, padded. */
static size_t panel_width(size_t columns, size_t first)
{
	const size_t panel = layout()->panel, left = columns - first;

	return left >= panel ? panel : nnutil_align_up(left, 16);
}

static size_t packed_bytes(size_t columns, struct nnfw_q8_depth d)
{
	return (layout()->panel > 1 ? nnutil_align_up(columns, 16) : columns) * column_bytes(d);
}

static size_t place(size_t columns, struct nnfw_q8_depth d, size_t c, size_t s, size_t i)
{
	const size_t unit = layout()->unit, first = c / layout()->panel * layout()->panel;
	const size_t row = s * (nnutil_align_up(d.length, unit) / unit) + i / unit;

	return first * column_bytes(d) + row * panel_width(columns, first) * unit +
	       (c - first) * unit + i % unit;
}

enum order { BY_COLUMN, BY_ELEMENT, BY_TAP, NUM_ORDERS };

/* Weights, and the operation that has them. */
struct weights {
	enum order order;
	size_t groups, columns, runs; /* BY_TAP: as many runs make the columns */
	struct nnfw_q8_depth depth;
	struct nnfw_tensor in[3], out;
	struct nnfw_op_ctx ctx;
	struct nnfw_q8_shape shape;
};

static int32_t code_of(const struct weights *w, size_t g, size_t c, size_t s, size_t i)
{
	const size_t k = w->depth.segments * w->depth.length, e = s * w->depth.length + i;
	const size_t channels = w->columns / w->runs;
	size_t at = (g * w->columns + c) * k + e;
	uint8_t code;

	if (w->order == BY_ELEMENT)
		at = e * w->columns + c;
	else if (w->order == BY_TAP)
		at = (c % channels * w->runs + c / channels) * k + e;
	code = ((const uint8_t *)w->in[1].data)[at];
	return w->in[1].dtype == NNPROG_INT8 ? (int8_t)code : code - 128;
}

static void make_shape(struct weights *w)
{
	const size_t k = w->depth.segments * w->depth.length;

	w->shape = (struct nnfw_q8_shape){
		.columns = w->columns,
		.groups = w->groups,
		.depth = w->depth,
		.column = w->order == BY_ELEMENT ? 1
			  : w->order == BY_TAP	 ? w->runs * k
						 : k,
		.element = w->order == BY_ELEMENT ? w->columns : 1,
	};
	if (w->order == BY_TAP) {
		w->shape.run = w->columns / w->runs;
		w->shape.run_stride = k;
	}
}

static void make(struct weights *w)
{
	const uint32_t type = op_random(2) ? NNPROG_INT8 : NNPROG_UINT8;
	const uint32_t channels = (uint32_t)(w->groups * w->columns / w->runs);
	const uint32_t k = (uint32_t)(w->depth.segments * w->depth.length);

	w->in[0] = op_tensor(type, DIMS(1));
	op_quantize(&w->in[0], 0.02f, op_zero_point(type));
	w->in[1] = op_tensor(type, DIMS(channels, (uint32_t)w->runs * k));
	if (op_random(2))
		op_quantize_channels(&w->in[1], 0, 0.01f);
	else
		op_quantize(&w->in[1], 0.01f, op_zero_point(type));
	w->in[2] = op_tensor(NNPROG_INT32, DIMS(channels));
	w->in[2].constant = op_random(2);
	if (!op_random(3))
		w->in[2] = op_omitted();
	w->out = op_output(type, op_random(8) ? 0.7f : 1e-4f, op_zero_point(type));
	make_shape(w);
	w->ctx = (struct nnfw_op_ctx){
		.in = w->in, .num_in = op_random(4) ? 3 : 2, .out = &w->out, .num_out = 1
	};
}

/* The packed bytes of piece @i of a group, and its columns' sums. */
static void expect_piece(const struct weights *w, const struct nnfw_q8_weights *is, size_t g,
			 size_t i, uint32_t *sums)
{
	const struct nnfw_q8_piece p = nnfw_q8_piece(w->depth, i);
	const size_t size = packed_bytes(w->columns, p.depth);
	uint8_t *wanted = zeros(size);

	for (size_t c = 0; c < w->columns; c++)
		for (size_t s = 0; s < p.depth.segments; s++)
			for (size_t e = 0; e < p.depth.length; e++) {
				int32_t code = code_of(w, g, c, p.segment + s, p.offset + e);

				wanted[place(w->columns, p.depth, c, s, e)] = (uint8_t)code;
				sums[c] += (uint32_t)code;
			}
	assert_int_equal(NNFW_KERNELS(q8_gemm)->size(w->columns, p.depth), size);
	expect_bytes(is->packed + (g * nnfw_q8_pieces(w->depth) + i) * is->piece_size, wanted, size,
		     "packed weights");
	free(wanted);
}

static void expect_group(const struct weights *w, const struct nnfw_q8_weights *is, size_t g)
{
	const struct nnfw_tensor *in = &w->in[0], *filter = &w->in[1], *bias = &w->in[2];
	const bool is_signed = in->dtype == NNPROG_INT8;
	const bool biased = w->ctx.num_in > 2 && !bias->omitted;
	const int64_t za = in->zero_point + (is_signed ? 128 : 0) -
			   (NNFW_KERNELS(q8_gemm)->left_signed ? 128 : 0);
	const int64_t zw = filter->num_scales ? 0 : filter->zero_point - (is_signed ? 0 : 128);
	const int64_t k = (int64_t)(w->depth.segments * w->depth.length);
	uint32_t *terms = zeros(is->pitch * sizeof(*terms));
	float *multipliers = zeros(is->pitch * sizeof(*multipliers));

	for (size_t i = 0; i < nnfw_q8_pieces(w->depth); i++)
		expect_piece(w, is, g, i, terms);
	for (size_t c = 0; c < w->columns; c++) {
		size_t channel = g * w->columns + c % (w->columns / w->runs);
		float scale = filter->num_scales ? filter->scales[channel] : filter->scale;

		terms[c] = (uint32_t)(k * za * zw - za * (int32_t)terms[c]);
		if (biased && w->order != BY_TAP && bias->constant)
			terms[c] += ((const uint32_t *)bias->data)[channel];
		multipliers[c] = (float)((double)in->scale * scale / w->out.scale);
	}
	expect_bytes(is->column_terms + g * is->pitch, terms, is->pitch * sizeof(*terms), "terms");
	expect_bytes(is->multipliers + g * is->pitch, multipliers, is->pitch * sizeof(*multipliers),
		     "multipliers");
	free(terms);
	free(multipliers);
}

static void expect_weights(const struct weights *w, struct nnfw_crew *crew)
{
	const struct nnfw_q8_weights *is;
	struct nnfw_op_ctx ctx = w->ctx;
	void *mem = dirty(nnfw_q8_weights_size(&w->shape));
	bool tame = true;

	ctx.crew = crew;
	assert_int_equal(nnfw_q8_weights_pack(&ctx, &w->shape, 0, mem, &is), 0);
	assert_int_equal(is->pitch, nnutil_align_up(w->columns, NNFW_Q8_PANEL));
	for (size_t g = 0; g < w->groups; g++)
		expect_group(w, is, g);
	for (size_t i = 0; i < w->groups * is->pitch; i++)
		tame = tame && is->multipliers[i] > -1 && is->multipliers[i] < 1;
	assert_int_equal(is->tame, tame);
	free(mem);
}

/* On this thread, and divided. */
static void check_weights(struct weights *w)
{
	struct nnfw_crew crew = { .split = op_split_backwards };

	make(w);
	expect_weights(w, NULL);
	expect_weights(w, &crew);
	op_release();
}

static size_t pick(const size_t *from, size_t n)
{
	return from[op_random((uint32_t)n)];
}
#define PICK(...)                             \
	pick((const size_t[]){ __VA_ARGS__ }, \
	     sizeof((const size_t[]){ __VA_ARGS__ }) / sizeof(size_t))

static void test_q8(void **unused)
{
	(void)unused;
	op_seed(51);
	for (uint32_t round = 0; round < 400; round++) {
		struct weights w = { .order = round % NUM_ORDERS, .groups = 1, .runs = 1 };

		w.columns = op_random(2) ? PICK(1, 3, 15, 16, 17, 48, 63, 64, 65, 80, 129)
					 : op_random_range(1, 150);
		w.depth.length = op_random(2)
					 ? PICK(1, 2, 3, 4, 8, 15, 16, 17, 32, 33, 63, 64, 65, 130)
					 : op_random_range(1, 200);
		w.depth.segments = op_random(2) ? 1 : op_random_range(2, 4);
		if (w.order == BY_COLUMN && !op_random(4))
			w.groups = op_random_range(2, 3);
		if (w.order == BY_TAP) {
			w.runs = op_random_range(1, 5);
			w.columns *= w.runs;
			w.depth.segments = 1;
		}
		check_weights(&w);
	}
}

/* Deep: several pieces, which begin inside a segment or between segments. */
static void test_q8_pieces(void **unused)
{
	static const struct nnfw_q8_depth depths[] = { { 1, 40000 }, { 7, 3001 }, { 2, 16385 } };

	(void)unused;
	op_seed(52);
	for (size_t i = 0; i < 2 * sizeof(depths) / sizeof(depths[0]); i++) {
		struct weights w = {
			.order = i % 2 ? BY_ELEMENT : BY_COLUMN,
			.groups = 1,
			.columns = 21,
			.runs = 1,
			.depth = depths[i / 2],
		};

		check_weights(&w);
	}
}

/* ---- weights of float products ---- */

struct floats {
	size_t n, k;
	struct nnfw_f32_source from;
	void *data;
	float *wanted;
};

static void make_floats(struct floats *f, bool half, bool by_element)
{
	const size_t count = f->n * f->k, width = f->n < NNFW_F32_PANEL ? f->n : NNFW_F32_PANEL;
	float *values = zeros(count * sizeof(*values));

	f->from = (struct nnfw_f32_source){
		.half = half,
		.column = by_element ? 1 : f->k,
		.depth = by_element ? f->n : 1,
	};
	f->data = zeros(count * sizeof(*values));
	f->wanted = zeros(nnfw_f32_weights_size(f->n, f->k));
	/* any bits, signaling NaN as well */
	for (size_t i = 0; i < count * (half ? 2 : 4); i++)
		((uint8_t *)f->data)[i] = (uint8_t)op_random(256);
	if (half)
		nnfw_half_load(values, f->data, count);
	else
		memcpy(values, f->data, count * sizeof(*values));
	for (size_t c = 0; c < f->n; c++)
		for (size_t i = 0; i < f->k; i++)
			memcpy(&f->wanted[c / NNFW_F32_PANEL * NNFW_F32_PANEL * f->k + i * width +
					  c % NNFW_F32_PANEL],
			       &values[by_element ? i * f->n + c : c * f->k + i], sizeof(float));
	free(values);
}

/* @step columns at a time, on this thread or divided. */
static void expect_floats(const struct floats *f, size_t step)
{
	const size_t size = f->n < NNFW_F32_PANEL
				    ? f->n * f->k * sizeof(float)
				    : nnutil_align_up(f->n, NNFW_F32_PANEL) * f->k * sizeof(float);
	float *packed = dirty(nnfw_f32_weights_size(f->n, f->k));
	struct nnfw_work work = { 0 };
	struct nnfw_crew crew = { .split = op_split_backwards };
	const struct nnfw_op_ctx ctx = { .crew = &crew };
	const bool divided = op_random(2);

	for (size_t c = 0; c < f->n; c += step) {
		size_t count = f->n - c < step ? f->n - c : step;
		struct nnfw_f32_source from = f->from;

		from.data = (const uint8_t *)f->data + c * from.column * (from.half ? 2 : 4);
		if (divided)
			assert_int_equal(
				nnfw_f32_pack_split(&ctx, packed, f->n, f->k, c, count, &from), 0);
		else
			assert_int_equal(nnfw_f32_pack(&work, packed, f->n, f->k, c, count, &from),
					 0);
	}
	expect_bytes(packed, f->wanted, size, "packed floats");
	free(packed);
}

static void test_f32(void **unused)
{
	(void)unused;
	op_seed(53);
	for (uint32_t round = 0; round < 400; round++) {
		struct floats f = {
			.n = op_random(2) ? PICK(1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 64, 65)
					  : op_random_range(1, 100),
			.k = op_random(2) ? PICK(1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 80)
					  : op_random_range(1, 200),
		};

		make_floats(&f, round & 1, round >> 1 & 1);
		expect_floats(&f, f.n);
		expect_floats(&f, op_random_range(1, (uint32_t)f.n));
		free(f.data);
		free(f.wanted);
	}
}

/* ---- filters of 8-bit depthwise convolutions ---- */

struct depthwise {
	struct nnprog_attr_conv2d attr;
	struct nnfw_tensor in[3], out;
	struct nnfw_op_ctx ctx;
	struct nnfw_depthwise_layout l;
};

static void make_depthwise(struct depthwise *d)
{
	const uint32_t type = op_random(2) ? NNPROG_INT8 : NNPROG_UINT8;
	const bool column = !op_random(6);
	uint32_t h = op_random_range(1, 7), w = column ? 1 : op_random_range(1, 7), in_c, out_c;

	d->attr = (struct nnprog_attr_conv2d){
		.padding = NNPROG_PAD_SAME,
		.stride_w = op_random_range(1, 2),
		.stride_h = 1,
		.dilation_w = 1,
		.dilation_h = 1,
		.multiplier = op_random_range(1, 2),
	};
	in_c = op_random(3) ? (uint32_t)PICK(1, 3, 8, 12, 16, 24, 40, 48, 64)
			    : op_random_range(1, 70);
	out_c = in_c * d->attr.multiplier;
	d->in[0] = op_tensor(type, DIMS(1, 9, column ? 1 : 9, in_c));
	op_quantize(&d->in[0], 0.02f, op_zero_point(type));
	d->in[1] = op_tensor(type, DIMS(1, h, w, out_c));
	/* small codes take fewer parts */
	for (size_t i = 0; i < d->in[1].size && !op_random(3); i++)
		((uint8_t *)d->in[1].data)[i] &= 63;
	if (op_random(2))
		op_quantize_channels(&d->in[1], 3, 0.01f);
	else
		op_quantize(&d->in[1], 0.01f, op_zero_point(type));
	d->in[2] = op_tensor(NNPROG_INT32, DIMS(out_c));
	d->out = op_tensor(type, DIMS(1, 9, column ? 1 : 9, out_c));
	op_quantize(&d->out, op_random(8) ? 0.7f : 1e-4f, op_zero_point(type));
	d->ctx = (struct nnfw_op_ctx){
		.attrs = &d->attr, .in = d->in, .num_in = 3, .out = &d->out, .num_out = 1
	};
}

/* 8 bits of what is left of a weight. */
static int32_t take_part(int32_t *w)
{
	const int32_t part = *w < INT8_MIN ? INT8_MIN : *w > INT8_MAX ? INT8_MAX : *w;

	*w -= part;
	return part;
}

/* Puts weight @w of lane @lane for the tap at (@ky, @kx); returns how many parts it takes. */
static uint32_t put(const struct nnfw_depthwise_layout *l, struct nnfw_q8dw_unit *unit, size_t lane,
		    size_t ky, size_t kx, int32_t w)
{
	const size_t four = l->across ? kx / 4 : ky / 4 * l->places + kx;
	const size_t t = l->across ? kx % 4 : ky % 4, part = l->groups * l->places * 64;
	uint32_t parts = 0;

	if (l->wide) {
		((int16_t *)(void *)unit->weights)[four * 64 + t % 2 * 32 + lane * 2 + t / 2] =
			(int16_t)w;
		return 1;
	}
	do
		unit->weights[parts++ * part + four * 64 + lane * 4 + t] = (int8_t)take_part(&w);
	while (w);
	return parts;
}

/* Unit @i; returns how many parts it takes. */
static uint32_t wanted_unit(const struct depthwise *d, size_t i, struct nnfw_q8dw_unit *unit)
{
	const struct nnfw_tensor *in = &d->in[0], *filter = &d->in[1];
	const size_t channels = filter->dims[3], h = filter->dims[1], w = filter->dims[2];
	const int32_t zero = filter->num_scales ? 0 : filter->zero_point;
	const int32_t left = in->zero_point + (in->dtype == NNPROG_INT8 ? 128 : 0);
	uint32_t most = 1;

	for (size_t lane = 0; lane < 16; lane++) {
		size_t c = (i * 16 + lane) % channels;
		int32_t sum = 0;

		if (d->l.channels != channels && i * 16 + lane >= channels)
			break;
		for (size_t tap = 0; tap < h * w; tap++) {
			uint8_t code = ((const uint8_t *)filter->data)[tap * channels + c];
			int32_t x = filter->dtype == NNPROG_INT8 ? (int8_t)code : code;
			uint32_t parts = put(&d->l, unit, lane, d->l.on_side ? 0 : tap / w,
					     d->l.on_side ? tap : tap % w, x - zero);

			most = parts > most ? parts : most;
			sum += x - zero;
		}
		unit->init[lane] = (int32_t)(((const uint32_t *)d->in[2].data)[c] -
					     (uint32_t)sum * (uint32_t)left);
		unit->multipliers[lane] =
			(float)((double)in->scale *
				(filter->num_scales ? filter->scales[c] : filter->scale) /
				d->out.scale);
	}
	return most;
}

static void expect_depthwise(struct depthwise *d)
{
	void *mem = dirty(nnfw_depthwise_pack_size(&d->l));
	const struct nnfw_depthwise_pack *is;
	bool tame = true;

	assert_int_equal(nnfw_depthwise_pack(&d->ctx, &d->l, mem, &is), 0);
	for (size_t i = 0; i < d->l.units; i++) {
		struct nnfw_q8dw_unit *wanted = zeros(d->l.unit_size);

		assert_int_equal(is->parts[i], wanted_unit(d, i, wanted));
		expect_bytes(is->units + i * d->l.unit_size, wanted, d->l.unit_size, "unit");
		for (size_t lane = 0; lane < 16; lane++)
			tame = tame && wanted->multipliers[lane] < 1;
		free(wanted);
	}
	assert_int_equal(is->finish.tame, tame);
	free(mem);
}

static void test_depthwise(void **unused)
{
	(void)unused;
	op_seed(54);
	for (uint32_t round = 0; round < 400; round++) {
		struct depthwise d;

		make_depthwise(&d);
		d.l = nnfw_depthwise_layout(&d.ctx, round & 1);
		assert_false(d.l.is_long);
		if (round & 2)
			assert_int_equal(nnfw_depthwise_parts(&d.ctx, &d.l), 0);
		expect_depthwise(&d);
		op_release();
	}
}

/* ---- pages ---- */

/* The pages of @size bytes at @state that are there, and how many there are. */
static size_t pages_there(const uint8_t *state, size_t size, size_t *all)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const uint8_t *first = state - (uintptr_t)state % page;
	unsigned char *there;
	size_t n = 0;

	*all = ((size_t)(state + size - first) + page - 1) / page;
	there = zeros(*all);
	assert_int_equal(mincore((void *)first, *all * page, there), 0);
	for (size_t i = 0; i < *all; i++)
		n += there[i] & 1;
	free(there);
	return n;
}

/* Whether the kernel makes pages ahead: Linux from 5.14 on. qemu-user accepts the call only. */
static bool populates(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t all;
	bool ret;

	assert_true(p != MAP_FAILED);
	ret = !madvise(p, page, 23 /* MADV_POPULATE_WRITE */) && pages_there(p, page, &all);
	munmap(p, page);
	return ret;
}

/*
 * A large state has all of its pages before it is filled, and what was in it. On a kernel without
 * MADV_POPULATE_WRITE it has those that were written.
 */
static void test_pages(void **unused)
{
	static const size_t sizes[] = { 300000, 3000000, 9 << 20 };
	struct nnfw_crew crew = { .split = op_split_backwards };
	const struct nnfw_op_ctx ctx = { .crew = &crew };

	(void)unused;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t *map = mmap(NULL, sizes[i] + 64, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		uint8_t *state = map + 64;
		size_t all, written;

		assert_true(map != MAP_FAILED);
		/* where huge pages are the default, two writes could make all of them */
		(void)madvise(map, sizes[i] + 64, MADV_NOHUGEPAGE);
		state[0] = state[sizes[i] - 1] = 77;
		written = pages_there(state, sizes[i], &all);
		assert_true(written < all);
		assert_int_equal(nnfw_state_pages(&ctx, state, sizes[i]), 0);
		assert_int_equal(pages_there(state, sizes[i], &all), populates() ? all : written);
		assert_int_equal(state[0], 77);
		assert_int_equal(state[sizes[i] - 1], 77);
		munmap(map, sizes[i] + 64);
	}
}

/* ---- threads ---- */

struct counting {
	struct nnfw_crew base; /* first member */
	uint32_t splits;
};

static int split_counted(struct nnfw_crew *crew, size_t units, size_t grain, nnfw_units_fn *fn,
			 void *arg)
{
	((struct counting *)crew)->splits++;
	return op_split_backwards(crew, units, grain, fn, arg);
}

/* How often load() of a FULLY_CONNECTED of @n rows of @k weights divides its work. */
static uint32_t divisions(uint32_t type, uint32_t n, uint32_t k)
{
	const struct nnfw_op *op = nnfw_op_table[NNPROG_OP_FULLY_CONNECTED];
	const struct nnprog_attr_act attr = { 0 };
	struct nnfw_tensor in[3] = { op_tensor(type, DIMS(1, k)), op_tensor(type, DIMS(n, k)),
				     op_tensor(type == NNPROG_INT8 ? NNPROG_INT32 : type,
					       DIMS(n)) };
	struct nnfw_tensor out = op_tensor(type, DIMS(1, n));
	struct counting crew = { .base.split = split_counted };
	const struct nnfw_op_ctx ctx = {
		.attrs = &attr,
		.in = in,
		.num_in = 3,
		.out = &out,
		.num_out = 1,
		.crew = &crew.base,
		.slots = 2,
	};
	void *state;
	size_t size;

	in[0].scale = in[1].scale = out.scale = 0.5f;
	in[1].constant = in[2].constant = true;
	assert_int_equal(op->load(&ctx, &state, &size), 0);
	assert_non_null(state);
	op->unload(state);
	op_release();
	return crew.splits;
}

static void test_divided(void **unused)
{
	static const uint32_t types[] = { NNPROG_INT8, NNPROG_FLOAT32, NNPROG_FLOAT16 };

	(void)unused;
	op_seed(55);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		/* the pages of the state, and the weights */
		assert_int_equal(divisions(types[i], 1024, 1024), 2);
		/* not worth a thread */
		assert_int_equal(divisions(types[i], 64, 32), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_q8),	cmocka_unit_test(test_q8_pieces),
		cmocka_unit_test(test_f32),	cmocka_unit_test(test_depthwise),
		cmocka_unit_test(test_divided), cmocka_unit_test(test_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
