// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kernels/broadcast.h"
#include "nnprog_shape.h"

/* Elements between two ticks, and of a piece of work. */
#define TICK 16384u

struct nnfw_walk nnfw_broadcast_plan(const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *a = &ctx->in[0], *b = &ctx->in[1], *out = &ctx->out[0];
	size_t elements_a = 1, elements_b = 1;
	struct nnfw_walk w;

	w.rank = 0;
	for (uint32_t i = 0; i < out->rank; i++) {
		size_t extent = out->dims[out->rank - 1 - i];
		size_t da = i < a->rank ? a->dims[a->rank - 1 - i] : 1;
		size_t db = i < b->rank ? b->dims[b->rank - 1 - i] : 1;
		size_t sa = da == 1 ? 0 : elements_a, sb = db == 1 ? 0 : elements_b;
		uint32_t last = w.rank - 1;

		elements_a *= da;
		elements_b *= db;
		if (extent == 1)
			continue;
		if (w.rank && sa == w.stride_a[last] * w.extent[last] &&
		    sb == w.stride_b[last] * w.extent[last]) {
			w.extent[last] *= extent;
			continue;
		}
		w.extent[w.rank] = extent;
		w.stride_a[w.rank] = sa;
		w.stride_b[w.rank] = sb;
		w.rank++;
	}
	if (!w.rank) {
		w.extent[0] = 1;
		w.stride_a[0] = w.stride_b[0] = 0;
		w.rank = 1;
	}
	return w;
}

struct rows {
	const struct nnfw_walk *walk;
	nnfw_row_fn *run;
	const void *params;
	const uint8_t *a, *b;
	uint8_t *out;
	size_t size, out_size; /* of elements */
	/* a row is in so many pieces: the host sees progress, threads share it; run_repeated(): so
	 * many rows are one */
	size_t cuts;
};

static int run_rows(void *arg, uint32_t slot, size_t first, size_t end,
		    struct nnfw_progress *progress)
{
	const struct rows *r = arg;
	const struct nnfw_walk *w = r->walk;
	const size_t row = w->extent[0], step_a = w->stride_a[0], step_b = w->stride_b[0];
	size_t index[NNPROG_MAX_RANK], from_a = 0, from_b = 0, cut = first % r->cuts;
	size_t outer = first / r->cuts;
	struct nnfw_work work = { .progress = progress };
	uint8_t *to = r->out + (outer * row + cut * TICK) * r->out_size;

	(void)slot;
	for (uint32_t d = 1; d < w->rank; d++) {
		index[d] = outer % w->extent[d];
		outer /= w->extent[d];
		from_a += index[d] * w->stride_a[d];
		from_b += index[d] * w->stride_b[d];
	}
	for (size_t unit = first; unit < end; unit++) {
		size_t i = cut * TICK, n = row - i < TICK ? row - i : TICK;

		if (nnfw_work(&work, 4 * n))
			return -ECANCELED;
		r->run(r->params, r->a + (from_a + i * step_a) * r->size,
		       r->b + (from_b + i * step_b) * r->size, to, n, step_a, step_b);
		to += n * r->out_size;
		if (++cut < r->cuts)
			continue;
		cut = 0;
		for (uint32_t d = 1; d < w->rank; d++) {
			from_a += w->stride_a[d];
			from_b += w->stride_b[d];
			if (++index[d] < w->extent[d])
				break;
			from_a -= w->stride_a[d] * w->extent[d];
			from_b -= w->stride_b[d] * w->extent[d];
			index[d] = 0;
		}
	}
	return 0;
}

/* Bytes of an operand that is shorter than the other, repeated so that rows are long. */
#define REPEATED 2048u

/* As run_rows() for a walk of two dimensions, in one of which an operand stands still. */
static int run_repeated(void *arg, uint32_t slot, size_t first, size_t end,
			struct nnfw_progress *progress)
{
	const struct rows *r = arg;
	const size_t row = r->walk->extent[0], n = r->walk->extent[1], bytes = row * r->size;
	const bool is_a = !r->walk->stride_a[1];
	struct nnfw_work work = { .progress = progress };
	uint8_t copies[REPEATED];

	(void)slot;
	for (size_t k = 0; k < r->cuts && k < n; k++)
		memcpy(copies + k * bytes, is_a ? r->a : r->b, bytes);
	for (size_t unit = first; unit < end; unit++) {
		size_t from = unit * r->cuts, rows = n - from < r->cuts ? n - from : r->cuts;

		if (nnfw_work(&work, 4 * rows * row))
			return -ECANCELED;
		r->run(r->params, is_a ? copies : r->a + from * bytes,
		       is_a ? r->b + from * bytes : copies, r->out + from * row * r->out_size,
		       rows * row, 1, 1);
	}
	return 0;
}

static bool stands_still(const size_t *stride, const size_t *other, size_t row)
{
	return stride[0] == 1 && !stride[1] && other[0] == 1 && other[1] == row;
}

static bool repeats(const struct nnfw_walk *w, size_t size)
{
	return w->rank == 2 && 2 * w->extent[0] * size <= REPEATED &&
	       (stands_still(w->stride_a, w->stride_b, w->extent[0]) ||
		stands_still(w->stride_b, w->stride_a, w->extent[0]));
}

int nnfw_broadcast_walk(struct nnfw_op_ctx *ctx, const struct nnfw_walk *walk, nnfw_row_fn *run_row,
			const void *params)
{
	const struct nnfw_tensor *out = &ctx->out[0];
	size_t row = walk->extent[0];
	struct rows r = { .walk = walk,
			  .run = run_row,
			  .params = params,
			  .a = ctx->in[0].data,
			  .b = ctx->in[1].data,
			  .out = out->data,
			  .size = nnprog_dtype_size(ctx->in[0].dtype),
			  .out_size = nnprog_dtype_size(out->dtype) };

	if (!out->elements)
		return 0;
	if (out->elements == row && row <= TICK) {
		run_row(params, r.a, r.b, r.out, row, walk->stride_a[0], walk->stride_b[0]);
		return 0;
	}
	if (repeats(walk, r.size)) {
		r.cuts = REPEATED / (row * r.size);
		return nnfw_split(ctx, (walk->extent[1] + r.cuts - 1) / r.cuts, 32, run_repeated,
				  &r);
	}
	r.cuts = (row + TICK - 1) / TICK;
	return nnfw_split(ctx, out->elements / row * r.cuts, row < TICK ? TICK / row * 4 : 4,
			  run_rows, &r);
}

int nnfw_broadcast(struct nnfw_op_ctx *ctx, nnfw_row_fn *row, const void *params)
{
	struct nnfw_walk walk;

	if (!ctx->out[0].elements)
		return 0;
	walk = nnfw_broadcast_plan(ctx);
	return nnfw_broadcast_walk(ctx, &walk, row, params);
}
