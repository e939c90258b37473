// SPDX-License-Identifier: Apache-2.0
/*
 * SOFTMAX and LOG_SOFTMAX along an axis.
 *
 * 8 bits, in integers up to the last division so that no order of summation shows: e(d) =
 * round(exp(-d * s_in * beta) * 2^30) for d = max - x, from a table; S the sum of e; the result is
 * nearest_even(e * (1 / (S * s_out))) + zero point in double. What e rounds to 0 is below a step.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "f32_math/f32_math_kernels.h"
#include "isa/isa.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "q8_map/q8_map.h"
#include "q8_softmax/q8_softmax.h"

#define TABLE_SIZE (256 * sizeof(uint32_t))

struct axis {
	size_t outer, n, inner;
};

static struct axis softmax_split(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_softmax *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0];
	uint32_t axis = nnfw_axis(a->axis, in->rank);

	return (struct axis){ nnfw_extent(in, 0, axis), in->dims[axis],
			      nnfw_extent(in, axis + 1, in->rank) };
}

static void make_table(const struct nnfw_op_ctx *ctx, uint32_t *table)
{
	const struct nnprog_attr_softmax *a = ctx->attrs;
	double step = (double)ctx->in[0].scale * a->beta;

	for (uint32_t d = 0; d < 256; d++)
		table[d] = (uint32_t)rint(exp(-(double)d * step) * 1073741824.0);
}

/* The distance of @code below @max: in the table also for what was written after @max was found. */
NNFW_INLINE uint8_t below(uint8_t max, uint8_t code, uint8_t flip)
{
	return (uint8_t)(max - (code ^ flip));
}

/* Elements that are worth a thread. */
#define GRAIN 2048u

/* Dense rows from this length on: a result per code first. */
#define LONG_ROW 64u

/* 0 or -ECANCELED, as the others below. */
static int softmax_row_u8(struct nnfw_work *work, const uint8_t *in, uint8_t *out, size_t n,
			  uint8_t flip, const uint32_t *table, float scale,
			  const struct nnfw_requant *q)
{
	const struct nnfw_q8_softmax_kernels *k = NNFW_KERNELS(q8_softmax);
	uint8_t by_distance[256], by_code[256], max = 0;
	uint64_t sums[4] = { 0 }, sum;

	for (size_t from = 0, end; from < n; from = end) {
		end = nnfw_slice(work, from, n);
		if (!end)
			return -ECANCELED;
		max = k->max(in + from, end - from, flip, max);
	}
	for (size_t from = 0; from < n;) {
		size_t end = nnfw_slice(work, from, n);

		if (!end)
			return -ECANCELED;
		for (; end - from >= 4; from += 4)
			for (size_t i = 0; i < 4; i++)
				sums[i] += table[below(max, in[from + i], flip)];
		for (; from < end; from++)
			sums[0] += table[below(max, in[from], flip)];
	}
	sum = sums[0] + sums[1] + sums[2] + sums[3];
	k->results(by_distance, table, 1 / ((double)sum * scale), q);
	/* what is above the greatest does not occur */
	for (uint32_t code = 0; code < 256; code++)
		by_code[code ^ flip] = by_distance[(uint8_t)(max - code)];
	for (size_t from = 0, end; from < n; from = end) {
		end = nnfw_slice(work, from, n);
		if (!end)
			return -ECANCELED;
		NNFW_KERNELS(q8_map)->lookup(out + from, in + from, end - from, by_code);
	}
	return 0;
}

static int softmax_u8(struct nnfw_work *work, const uint8_t *in, uint8_t *out, size_t n,
		      size_t inner, uint8_t flip, const uint32_t *table, float scale,
		      const struct nnfw_requant *q)
{
	double lo = q->lo, hi = q->hi, factor;
	uint64_t sum = 0;
	uint8_t max = 0;

	/* int8 codes with the top bit flipped are ordered, and as far apart, as uint8 */
	for (size_t from = 0; from < n;) {
		size_t end = nnfw_slice(work, from, n);

		if (!end)
			return -ECANCELED;
		for (; from < end; from++) {
			uint8_t x = in[from * inner] ^ flip;

			max = x > max ? x : max;
		}
	}
	for (size_t from = 0; from < n;) {
		size_t end = nnfw_slice(work, from, n);

		if (!end)
			return -ECANCELED;
		for (; from < end; from++)
			sum += table[below(max, in[from * inner], flip)];
	}
	factor = 1 / ((double)sum * scale);
	for (size_t from = 0; from < n;) {
		size_t end = nnfw_slice(work, from, n);

		if (!end)
			return -ECANCELED;
		for (; from < end; from++) {
			double r = table[below(max, in[from * inner], flip)] * factor;

			r = r > lo ? r : lo;
			r = r < hi ? r : hi;
			out[from * inner] = (uint8_t)((int32_t)rint(r) + q->zero_point);
		}
	}
	return 0;
}

/* ---- floats ---- */

/* The logarithm needs no powers themselves: they are made in pieces. */
#define PIECE 512u

static float greatest(const float *row, size_t n, float max)
{
	float lanes[8], rest = max;
	size_t i = 0;

	for (size_t k = 0; k < 8; k++)
		lanes[k] = max;
	for (; i + 8 <= n; i += 8)
		for (size_t k = 0; k < 8; k++)
			lanes[k] = row[i + k] > lanes[k] ? row[i + k] : lanes[k];
	for (; i < n; i++)
		rest = row[i] > rest ? row[i] : rest;
	for (size_t k = 0; k < 8; k++)
		rest = lanes[k] > rest ? lanes[k] : rest;
	return rest;
}

static void exp_sums(float *row, size_t n, float max, float beta, bool take_log, double *sums)
{
	const struct nnfw_f32_math_kernels *k = NNFW_KERNELS(f32_math);
	float powers[PIECE];

	if (!take_log) {
		k->exp_sums(row, n, max, beta, sums);
		return;
	}
	for (size_t i = 0, count; i < n; i += count) {
		count = n - i < PIECE ? n - i : PIECE;
		for (size_t j = i; j < i + count; j++)
			row[j] = (row[j] - max) * beta;
		memcpy(powers, row + i, count * sizeof(*row));
		k->exp_sums(powers, count, 0, 1, sums);
	}
}

/* @row: n floats, in and out. */
static int softmax_row(struct nnfw_work *work, float *row, size_t n, float beta, bool take_log)
{
	double sums[NNFW_F32_SUMS] = { 0 }, sum = 0;
	float max = -INFINITY, shift;

	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(work, i, n);
		if (!end)
			return -ECANCELED;
		max = greatest(row + i, end - i, max);
	}
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(work, i, n);
		if (!end)
			return -ECANCELED;
		exp_sums(row + i, end - i, max, beta, take_log, sums);
	}
	for (size_t k = 0; k < NNFW_F32_SUMS; k++)
		sum += sums[k];
	shift = take_log ? (float)log(sum) : (float)(1 / sum);
	for (size_t i = 0; i < n;) {
		size_t end = nnfw_slice(work, i, n);

		if (!end)
			return -ECANCELED;
		if (take_log) {
			for (; i < end; i++)
				row[i] -= shift;
		} else {
			for (; i < end; i++)
				row[i] *= shift;
		}
	}
	return 0;
}

/* ---- the operation ---- */

static int softmax_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	*state = NULL;
	*size = 0;
	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return 0;
	*state = nnfw_alloc_state(ctx, TABLE_SIZE);
	if (!*state)
		return -ENOMEM;
	*size = TABLE_SIZE;
	make_table(ctx, *state);
	return 0;
}

static size_t grain_of(const struct axis *s)
{
	return 1 + GRAIN / (s->n + 1);
}

/* Tables are shared; each thread needs a line of floats for itself. */
static size_t softmax_scratch(const struct nnfw_op_ctx *ctx)
{
	struct axis s = softmax_split(ctx);

	if (nnfw_is_quant8(ctx->in[0].dtype))
		return ctx->state ? 0 : TABLE_SIZE;
	return nnfw_align(s.n * sizeof(float)) *
	       (s.outer * s.inner > grain_of(&s) ? nnfw_slots(ctx) : 1);
}

struct lines {
	const struct nnfw_op_ctx *ctx;
	struct axis axis;
	const uint32_t *table;
	struct nnfw_requant q;
};

static int line_q8(const struct lines *l, struct nnfw_work *work, size_t from)
{
	const struct nnfw_tensor *in = &l->ctx->in[0], *out = &l->ctx->out[0];
	const struct axis *s = &l->axis;
	const uint8_t *src = (const uint8_t *)in->data + from;
	uint8_t *dst = (uint8_t *)out->data + from, flip = in->dtype == NNPROG_INT8 ? 0x80 : 0;

	if (s->inner == 1 && s->n >= LONG_ROW)
		return softmax_row_u8(work, src, dst, s->n, flip, l->table, out->scale, &l->q);
	return softmax_u8(work, src, dst, s->n, s->inner, flip, l->table, out->scale, &l->q);
}

static int line_float(const struct lines *l, struct nnfw_work *work, size_t from, float *line)
{
	const struct nnprog_attr_softmax *a = l->ctx->attrs;
	const struct axis *s = &l->axis;
	int ret;

	ret = nnfw_line_load(work, line, &l->ctx->in[0], from, s->n, s->inner);
	if (!ret)
		ret = softmax_row(work, line, s->n, a->beta, a->log);
	if (!ret)
		ret = nnfw_line_store(work, line, &l->ctx->out[0], from, s->n, s->inner);
	return ret;
}

static int run_lines(void *arg, uint32_t slot, size_t first, size_t end,
		     struct nnfw_progress *progress)
{
	const struct lines *l = arg;
	const struct axis *s = &l->axis;
	struct nnfw_work work = { .progress = progress };
	float *line =
		(float *)((uint8_t *)l->ctx->scratch + slot * nnfw_align(s->n * sizeof(float)));
	int ret = 0;

	for (size_t i = first; !ret && i < end; i++) {
		size_t from = i / s->inner * s->n * s->inner + i % s->inner;

		ret = l->table ? line_q8(l, &work, from) : line_float(l, &work, from, line);
	}
	return ret;
}

static int softmax_run(struct nnfw_op_ctx *ctx)
{
	struct lines l = { .ctx = ctx };

	if (!ctx->out[0].elements)
		return 0;
	l.axis = softmax_split(ctx);
	if (nnfw_is_quant8(ctx->in[0].dtype)) {
		l.q = nnfw_requant_output(&ctx->out[0], NNPROG_ACT_NONE);
		l.table = ctx->state;
		if (!l.table) {
			make_table(ctx, ctx->scratch);
			l.table = ctx->scratch;
		}
	}
	return nnfw_split(ctx, l.axis.outer * l.axis.inner, grain_of(&l.axis), run_lines, &l);
}

const struct nnfw_op nnfw_op_softmax = {
	.opcode = NNPROG_OP_SOFTMAX,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.load = softmax_load,
	.unload = free,
	.scratch = softmax_scratch,
	.run = softmax_run,
};
