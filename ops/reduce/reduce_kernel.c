// SPDX-License-Identifier: Apache-2.0
/*
 * REDUCE: one pass over the input; every output element has an accumulator in scratch memory
 * (double for floats, int64 for codes and booleans). The innermost dimensions, which are either all
 * reduced or all kept, are a row.
 *
 * 8-bit MEAN: the sum of codes less the zero point, by the requantization rule with multiplier
 * 1 / count. PROD: a product with 0 is 0, also with an infinity.
 */
#include <math.h>
#include <string.h>

#include "columns/columns.h"
#include "half/half.h"
#include "isa/isa.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_file.h"

#define TICK 65536u

struct walk {
	uint32_t rank; /* of outer dimensions, outermost first */
	size_t extent[NNPROG_MAX_RANK];
	size_t stride[NNPROG_MAX_RANK]; /* accumulators; 0: reduced */
	size_t row; /* elements of the innermost run */
	bool row_reduced;
	uint64_t count; /* input elements of an output element */
};

/* Axes may come from client memory: read once and checked. */
static int reduce_plan(struct nnfw_op_ctx *ctx, struct walk *w)
{
	const struct nnfw_tensor *in = &ctx->in[0], *axes = &ctx->in[1];
	const int32_t *values = axes->data;
	uint32_t reduced = 0, i;
	size_t stride = 1;

	memset(w, 0, sizeof(*w));
	w->count = 1;
	w->row = 1;
	for (uint64_t k = 0; k < axes->elements; k++) {
		int32_t axis = NNUTIL_READ_ONCE(values[k]);

		if (axis < -(int32_t)in->rank || axis >= (int32_t)in->rank)
			return nnfw_refuse(ctx, "axis %d outside rank %u", axis, in->rank);
		reduced |= 1u << nnfw_axis(axis, in->rank);
	}
	i = in->rank;
	if (i)
		w->row_reduced = reduced >> (i - 1) & 1;
	while (i && (reduced >> (i - 1) & 1) == w->row_reduced)
		w->row *= in->dims[--i];
	if (!w->row_reduced)
		stride = w->row;
	w->rank = i;
	while (i-- > 0) {
		bool r = reduced >> i & 1;

		w->extent[i] = in->dims[i];
		w->stride[i] = r ? 0 : stride;
		if (!r)
			stride *= in->dims[i];
	}
	for (i = 0; i < in->rank; i++) {
		if (reduced >> i & 1)
			w->count *= in->dims[i];
	}
	if (stride != ctx->out[0].elements)
		return nnfw_refuse(ctx, "axes do not lead to the output's shape");
	return 0;
}

static double start_value(uint32_t kind)
{
	switch (kind) {
	case NNPROG_REDUCE_MAX:
		return -INFINITY;
	case NNPROG_REDUCE_MIN:
		return INFINITY;
	case NNPROG_REDUCE_PROD:
		return 1;
	default:
		return 0;
	}
}

/* acc[i] takes x[i]. */
#define ACCUMULATE_KEPT(T, EXPR)                   \
	do {                                       \
		for (size_t i = 0; i < n; i++) {   \
			T v = (T)x[i], a = acc[i]; \
			acc[i] = EXPR;             \
		}                                  \
	} while (0)

/* acc[i or 0] takes x[i]: the choice of the loop is made once a row. */
#define ACCUMULATE(T, EXPR)                              \
	do {                                             \
		if (reduced) {                           \
			T a = acc[0];                    \
			for (size_t i = 0; i < n; i++) { \
				T v = (T)x[i];           \
				a = EXPR;                \
			}                                \
			acc[0] = a;                      \
		} else {                                 \
			ACCUMULATE_KEPT(T, EXPR);        \
		}                                        \
	} while (0)

/*
 * A reduced row of floats: eight sums (or the like) that do not wait for each other, added one
 * after the other at the end. The order is the same on each instruction set.
 */
#define LANES 8u
#define ACCUMULATE_LANES(EXPR)                                     \
	do {                                                       \
		for (; i + LANES <= n; i += LANES) {               \
			for (size_t k = 0; k < LANES; k++) {       \
				double v = x[i + k], a = lanes[k]; \
				lanes[k] = EXPR;                   \
			}                                          \
		}                                                  \
		for (size_t k = 0; i < n; i++, k++) {              \
			double v = x[i], a = lanes[k];             \
			lanes[k] = EXPR;                           \
		}                                                  \
		for (size_t k = 0; k < LANES; k++) {               \
			double v = lanes[k], a = *acc;             \
			*acc = EXPR;                               \
		}                                                  \
	} while (0)

static void reduced_row_float(uint32_t kind, double *acc, const float *x, size_t n)
{
	double lanes[LANES];
	size_t i = 0;

	for (size_t k = 0; k < LANES; k++)
		lanes[k] = start_value(kind);
	switch (kind) {
	case NNPROG_REDUCE_MAX:
		ACCUMULATE_LANES(v > a ? v : a);
		break;
	case NNPROG_REDUCE_MIN:
		ACCUMULATE_LANES(v < a ? v : a);
		break;
	case NNPROG_REDUCE_PROD:
		ACCUMULATE_LANES(v == 0 || a == 0 ? 0 : a * v);
		break;
	default:
		ACCUMULATE_LANES(a + v);
		break;
	}
}

static void kept_row_float(uint32_t kind, double *acc, const float *x, size_t n)
{
	switch (kind) {
	case NNPROG_REDUCE_MAX:
		ACCUMULATE_KEPT(double, v > a ? v : a);
		break;
	case NNPROG_REDUCE_MIN:
		ACCUMULATE_KEPT(double, v < a ? v : a);
		break;
	case NNPROG_REDUCE_PROD:
		ACCUMULATE_KEPT(double, v == 0 || a == 0 ? 0 : a * v);
		break;
	default:
		ACCUMULATE_KEPT(double, a + v);
		break;
	}
}

static void row_float(uint32_t kind, double *acc, const float *x, size_t n, bool reduced)
{
	if (reduced)
		reduced_row_float(kind, acc, x, n);
	else
		kept_row_float(kind, acc, x, n);
}

#define ROW_INTEGER(name, T)                                                              \
	static void name(uint32_t kind, int64_t *acc, const T *x, size_t n, bool reduced) \
	{                                                                                 \
		switch (kind) {                                                           \
		case NNPROG_REDUCE_MAX:                                                   \
			ACCUMULATE(int64_t, v > a ? v : a);                               \
			break;                                                            \
		case NNPROG_REDUCE_MIN:                                                   \
			ACCUMULATE(int64_t, v < a ? v : a);                               \
			break;                                                            \
		case NNPROG_REDUCE_ALL:                                                   \
			ACCUMULATE(int64_t, a &&v);                                       \
			break;                                                            \
		case NNPROG_REDUCE_ANY:                                                   \
			ACCUMULATE(int64_t, a || v);                                      \
			break;                                                            \
		default:                                                                  \
			ACCUMULATE(int64_t, a + v);                                       \
			break;                                                            \
		}                                                                         \
	}

ROW_INTEGER(row_u8, uint8_t)
ROW_INTEGER(row_s8, int8_t)

static void row_half(uint32_t kind, double *acc, const uint16_t *x, size_t n, bool reduced)
{
	float chunk[NNFW_CHUNK];

	for (size_t i = 0; i < n; i += NNFW_CHUNK) {
		size_t count = n - i < NNFW_CHUNK ? n - i : NNFW_CHUNK;

		nnfw_half_load(chunk, x + i, count);
		row_float(kind, reduced ? acc : acc + i, chunk, count, reduced);
	}
}

static void run_row(const struct nnfw_op_ctx *ctx, void *acc, size_t at, size_t from, size_t n,
		    bool reduced)
{
	const struct nnprog_attr_reduce *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0];

	switch (in->dtype) {
	case NNPROG_FLOAT32:
		row_float(a->kind, (double *)acc + at, (const float *)in->data + from, n, reduced);
		break;
	case NNPROG_FLOAT16:
		row_half(a->kind, (double *)acc + at, (const uint16_t *)in->data + from, n,
			 reduced);
		break;
	case NNPROG_INT8:
		row_s8(a->kind, (int64_t *)acc + at, (const int8_t *)in->data + from, n, reduced);
		break;
	default:
		row_u8(a->kind, (int64_t *)acc + at, (const uint8_t *)in->data + from, n, reduced);
		break;
	}
}

static int reduce_start(const struct nnfw_op_ctx *ctx, struct nnfw_work *work, void *acc)
{
	const struct nnprog_attr_reduce *a = ctx->attrs;
	uint32_t dtype = ctx->in[0].dtype;
	int64_t integer = a->kind == NNPROG_REDUCE_MAX	 ? INT64_MIN
			  : a->kind == NNPROG_REDUCE_MIN ? INT64_MAX
			  : a->kind == NNPROG_REDUCE_ALL ? 1
							 : 0;
	bool is_float = dtype == NNPROG_FLOAT32 || dtype == NNPROG_FLOAT16;

	for (uint64_t i = 0; i < ctx->out[0].elements; i++) {
		if (nnfw_work(work, 1))
			return -ECANCELED;
		if (is_float)
			((double *)acc)[i] = start_value(a->kind);
		else
			((int64_t *)acc)[i] = integer;
	}
	return 0;
}

static int finish_quant(const struct nnfw_op_ctx *ctx, struct nnfw_work *work, const int64_t *acc,
			uint64_t count)
{
	const struct nnprog_attr_reduce *a = ctx->attrs;
	const struct nnfw_tensor *out = &ctx->out[0];
	struct nnfw_requant q = nnfw_requant_output(out, NNPROG_ACT_NONE);
	float multiplier = (float)(1.0 / (double)count);
	uint8_t *to = out->data;

	if (a->kind != NNPROG_REDUCE_MEAN) {
		for (uint64_t i = 0; i < out->elements; i++) {
			if (nnfw_work(work, 1))
				return -ECANCELED;
			to[i] = (uint8_t)acc[i];
		}
		return 0;
	}
	for (uint64_t i = 0; i < out->elements; i++) {
		int64_t sum = acc[i] - (int64_t)count * out->zero_point;

		if (nnfw_work(work, 1))
			return -ECANCELED;
		to[i] = (uint8_t)nnfw_requant_real((float)sum * multiplier, &q);
	}
	return 0;
}

static int reduce_finish(const struct nnfw_op_ctx *ctx, struct nnfw_work *work, const void *acc,
			 uint64_t count)
{
	const struct nnprog_attr_reduce *a = ctx->attrs;
	const struct nnfw_tensor *out = &ctx->out[0];
	const double *sums = acc;

	if (out->dtype != NNPROG_FLOAT32 && out->dtype != NNPROG_FLOAT16)
		return finish_quant(ctx, work, acc, count);
	for (uint64_t i = 0; i < out->elements; i++) {
		float v =
			(float)(a->kind == NNPROG_REDUCE_MEAN ? sums[i] / (double)count : sums[i]);

		if (nnfw_work(work, 1))
			return -ECANCELED;
		if (out->dtype == NNPROG_FLOAT32)
			((float *)out->data)[i] = v;
		else
			((uint16_t *)out->data)[i] = nnfw_float_to_half(v);
	}
	return 0;
}

/* ---- means of columns ---- */

/* Dense blocks of @rows by @columns, each a row of the result. */
struct blocks {
	const struct nnfw_op_ctx *ctx;
	size_t rows, columns, cuts; /* pieces of NNFW_COLUMNS */
	struct nnfw_requant q;
	float multiplier;
	uint32_t bias; /* that the sums of codes have too much */
};

static int mean_q8(const struct blocks *b, struct nnfw_work *work, size_t from, size_t to,
		   size_t columns)
{
	const struct nnfw_columns_kernels *k = NNFW_KERNELS(columns);
	const uint8_t *src = (const uint8_t *)b->ctx->in[0].data + from;
	uint8_t flip = b->ctx->in[0].dtype == NNPROG_INT8 ? 0x80 : 0;
	uint32_t sums[NNFW_COLUMNS] = { 0 };

	for (size_t r = 0, n; r < b->rows; r += n) {
		n = b->rows - r < NNFW_COLUMNS_ROWS ? b->rows - r : NNFW_COLUMNS_ROWS;
		if (nnfw_work(work, n * 8))
			return -ECANCELED;
		k->add_q8(sums, src + r * b->columns, b->columns, n, columns, flip);
	}
	k->store_q8((uint8_t *)b->ctx->out[0].data + to, sums, columns, b->bias, b->multiplier,
		    &b->q);
	return 0;
}

static int mean_f32(const struct blocks *b, struct nnfw_work *work, size_t from, size_t to,
		    size_t columns)
{
	const struct nnfw_columns_kernels *k = NNFW_KERNELS(columns);
	const float *src = (const float *)b->ctx->in[0].data + from;
	float *out = (float *)b->ctx->out[0].data + to;
	double sums[NNFW_COLUMNS] = { 0 };

	for (size_t r = 0, n; r < b->rows; r += n) {
		n = b->rows - r < NNFW_COLUMNS_ROWS ? b->rows - r : NNFW_COLUMNS_ROWS;
		if (nnfw_work(work, n * 32))
			return -ECANCELED;
		k->add_f32(sums, src + r * b->columns, b->columns, n, columns);
	}
	for (size_t c = 0; c < columns; c++)
		out[c] = (float)(sums[c] / (double)b->rows);
	return 0;
}

static int mean_units(void *arg, uint32_t slot, size_t first, size_t end,
		      struct nnfw_progress *progress)
{
	const struct blocks *b = arg;
	struct nnfw_work work = { .progress = progress };
	int ret = 0;

	(void)slot;
	for (size_t unit = first; !ret && unit < end; unit++) {
		size_t block = unit / b->cuts, c = unit % b->cuts * NNFW_COLUMNS;
		size_t columns = b->columns - c < NNFW_COLUMNS ? b->columns - c : NNFW_COLUMNS;
		size_t from = block * b->rows * b->columns + c, to = block * b->columns + c;

		if (b->ctx->in[0].dtype == NNPROG_FLOAT32)
			ret = mean_f32(b, &work, from, to, columns);
		else
			ret = mean_q8(b, &work, from, to, columns);
	}
	return ret;
}

/* A mean whose sums fit 32 bits, over neighbouring dimensions, of which the last is kept. */
static bool is_column_mean(const struct nnfw_op_ctx *ctx, const struct walk *w)
{
	const struct nnprog_attr_reduce *a = ctx->attrs;
	uint32_t dtype = ctx->in[0].dtype, d = w->rank;

	if (a->kind != NNPROG_REDUCE_MEAN || w->row_reduced || !w->count ||
	    (dtype != NNPROG_FLOAT32 && !(nnfw_is_quant8(dtype) && w->count < 1u << 22)))
		return false;
	while (d && !w->stride[d - 1])
		d--;
	while (d && w->stride[d - 1])
		d--;
	return !d;
}

static int mean_of_columns(struct nnfw_op_ctx *ctx, const struct walk *w)
{
	const struct nnfw_tensor *out = &ctx->out[0];
	struct blocks b = { .ctx = ctx,
			    .rows = w->count,
			    .columns = w->row,
			    .cuts = (w->row + NNFW_COLUMNS - 1) / NNFW_COLUMNS };

	if (nnfw_is_quant8(out->dtype)) {
		int32_t offset = out->dtype == NNPROG_INT8 ? 128 : 0;

		b.q = nnfw_requant_output(out, NNPROG_ACT_NONE);
		b.multiplier = (float)(1.0 / (double)w->count);
		b.bias = (uint32_t)w->count * (uint32_t)(out->zero_point + offset);
	}
	return nnfw_split(ctx, out->elements / w->row * b.cuts, 1 + 8192 / w->count, mean_units,
			  &b);
}

/* ---- reduced rows ---- */

struct rows {
	const struct nnfw_op_ctx *ctx;
	size_t row;
};

static int row_units(void *arg, uint32_t slot, size_t first, size_t end,
		     struct nnfw_progress *progress)
{
	const struct rows *r = arg;
	struct nnfw_work work = { .progress = progress };

	(void)slot;
	for (size_t at = first; at < end; at++) {
		for (size_t i = 0, n; i < r->row; i += n) {
			n = r->row - i < TICK ? r->row - i : TICK;
			if (nnfw_work(&work, n))
				return -ECANCELED;
			run_row(r->ctx, r->ctx->scratch, at, at * r->row + i, n, true);
		}
	}
	return 0;
}

/* Each row is an output element of its own. */
static bool is_rows(const struct walk *w)
{
	bool kept = w->row_reduced;

	for (uint32_t d = 0; d < w->rank; d++)
		kept = kept && (w->stride[d] || w->extent[d] == 1);
	return kept;
}

/* ---- the operation ---- */

static size_t reduce_scratch(const struct nnfw_op_ctx *ctx)
{
	return ctx->out[0].elements * sizeof(double);
}

static int reduce_run(struct nnfw_op_ctx *ctx)
{
	size_t index[NNPROG_MAX_RANK] = { 0 }, from = 0, at = 0, since_tick = 0;
	struct nnfw_work work = { .progress = ctx->progress };
	struct walk w;
	int ret = reduce_plan(ctx, &w);

	if (!ret && ctx->out[0].elements && is_column_mean(ctx, &w))
		return mean_of_columns(ctx, &w);
	if (!ret)
		ret = reduce_start(ctx, &work, ctx->scratch);
	if (ret)
		return ret;
	if (w.row && is_rows(&w)) {
		struct rows rows = { .ctx = ctx, .row = w.row };

		ret = nnfw_split(ctx, ctx->out[0].elements, 1 + 4096 / w.row, row_units, &rows);
		return ret ? ret : reduce_finish(ctx, &work, ctx->scratch, w.count);
	}
	for (;;) {
		uint32_t d;

		for (size_t i = 0; i < w.row; i += TICK) {
			size_t n = w.row - i < TICK ? w.row - i : TICK;

			since_tick += n;
			if (since_tick >= TICK) {
				ret = nnfw_progress_tick(ctx->progress);
				if (ret)
					return ret;
				since_tick = 0;
			}
			run_row(ctx, ctx->scratch, w.row_reduced ? at : at + i, from + i, n,
				w.row_reduced);
		}
		from += w.row;
		for (d = w.rank; d-- > 0;) {
			at += w.stride[d];
			if (++index[d] < w.extent[d])
				break;
			at -= w.stride[d] * w.extent[d];
			index[d] = 0;
		}
		if (d == UINT32_MAX)
			break;
	}
	return reduce_finish(ctx, &work, ctx->scratch, w.count);
}

const struct nnfw_op nnfw_op_reduce = {
	.opcode = NNPROG_OP_REDUCE,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8 | NNFW_TYPE(BOOL8),
	.scratch = reduce_scratch,
	.run = reduce_run,
};
