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

#include "isa/isa.h"
#include "kernels/kernel.h"
#include "kernels/move.h"
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

static struct axis split(const struct nnfw_op_ctx *ctx)
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

/* Dense rows from this length on: a result per code first. */
#define LONG_ROW 64u

/* 0 or -ECANCELED, as the others below. */
static int softmax_row_u8(struct nnfw_work *work, const uint8_t *in, uint8_t *out, size_t n,
			  uint8_t flip, const uint32_t *table, float scale,
			  const struct nnfw_requant *q)
{
	const struct nnfw_q8_softmax_kernels *k = nnfw_isa()->q8_softmax;
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
		nnfw_isa()->q8_map->lookup(out + from, in + from, end - from, by_code);
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

/* @row: n floats, in and out. */
static int softmax_row(struct nnfw_work *work, float *row, size_t n, float beta, bool take_log)
{
	float max = -INFINITY, shift;
	double sum = 0;

	for (size_t i = 0; i < n;) {
		size_t end = nnfw_slice(work, i, n);

		if (!end)
			return -ECANCELED;
		for (; i < end; i++)
			max = row[i] > max ? row[i] : max;
	}
	for (size_t i = 0; i < n;) {
		size_t end = nnfw_slice(work, i, n);

		if (!end)
			return -ECANCELED;
		if (take_log) {
			for (; i < end; i++) {
				row[i] = (row[i] - max) * beta;
				sum += expf(row[i]);
			}
		} else {
			for (; i < end; i++) {
				row[i] = expf((row[i] - max) * beta);
				sum += row[i];
			}
		}
	}
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

static size_t softmax_scratch(const struct nnfw_op_ctx *ctx)
{
	if (nnfw_is_quant8(ctx->in[0].dtype))
		return ctx->state ? 0 : TABLE_SIZE;
	return split(ctx).n * sizeof(float);
}

static int softmax_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_softmax *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	bool quant = nnfw_is_quant8(in->dtype);
	const uint32_t *table = ctx->state;
	struct nnfw_requant q = { 0 };
	struct nnfw_work work = { .progress = ctx->progress };
	struct axis s;

	if (!out->elements)
		return 0;
	s = split(ctx);
	if (quant) {
		q = nnfw_requant_output(out, NNPROG_ACT_NONE);
		if (!table) {
			make_table(ctx, ctx->scratch);
			table = ctx->scratch;
		}
	}
	for (size_t o = 0; o < s.outer; o++) {
		for (size_t i = 0; i < s.inner; i++) {
			size_t from = o * s.n * s.inner + i;
			int ret;

			if (quant && s.inner == 1 && s.n >= LONG_ROW) {
				ret = softmax_row_u8(&work, (const uint8_t *)in->data + from,
						     (uint8_t *)out->data + from, s.n,
						     in->dtype == NNPROG_INT8 ? 0x80 : 0, table,
						     out->scale, &q);
			} else if (quant) {
				ret = softmax_u8(&work, (const uint8_t *)in->data + from,
						 (uint8_t *)out->data + from, s.n, s.inner,
						 in->dtype == NNPROG_INT8 ? 0x80 : 0, table,
						 out->scale, &q);
			} else {
				ret = nnfw_line_load(&work, ctx->scratch, in, from, s.n, s.inner);
				if (!ret)
					ret = softmax_row(&work, ctx->scratch, s.n, a->beta,
							  a->log);
				if (!ret)
					ret = nnfw_line_store(&work, ctx->scratch, out, from, s.n,
							      s.inner);
			}
			if (ret)
				return ret;
		}
	}
	return 0;
}

const struct nnfw_op nnfw_op_softmax = {
	.opcode = NNPROG_OP_SOFTMAX,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.load = softmax_load,
	.unload = free,
	.scratch = softmax_scratch,
	.run = softmax_run,
};
