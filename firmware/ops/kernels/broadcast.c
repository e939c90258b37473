// SPDX-License-Identifier: Apache-2.0
#include "nnprog_shape.h"
#include "kernels/broadcast.h"

/* Elements between two ticks. */
#define TICK 16384u

/* Dimensions of the walk, innermost first; strides in elements, 0 where an operand stands still. */
struct walk {
	uint32_t rank;
	size_t extent[NNPROG_MAX_RANK], stride_a[NNPROG_MAX_RANK], stride_b[NNPROG_MAX_RANK];
};

static struct walk plan(const struct nnfw_tensor *a, const struct nnfw_tensor *b,
			const struct nnfw_tensor *out)
{
	struct walk w = { .rank = 0 };
	size_t elements_a = 1, elements_b = 1;

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
		w.rank = 1;
	}
	return w;
}

int nnfw_broadcast(struct nnfw_op_ctx *ctx, nnfw_row_fn *run_row, const void *params)
{
	const struct nnfw_tensor *out = &ctx->out[0];
	size_t index[NNPROG_MAX_RANK] = { 0 }, size, out_size, row, since_tick = 0;
	const uint8_t *a = ctx->in[0].data, *b = ctx->in[1].data;
	uint8_t *to = out->data;
	struct walk w;

	if (!out->elements)
		return 0;
	w = plan(&ctx->in[0], &ctx->in[1], out);
	size = nnprog_dtype_size(ctx->in[0].dtype);
	out_size = nnprog_dtype_size(out->dtype);
	row = w.extent[0];
	for (;;) {
		uint32_t d;

		/* one long row is cut, so that the host sees progress */
		for (size_t i = 0; i < row; i += TICK) {
			size_t n = row - i < TICK ? row - i : TICK;

			since_tick += n;
			if (since_tick >= TICK) {
				int ret = nnfw_progress_tick(ctx->progress);

				if (ret)
					return ret;
				since_tick = 0;
			}
			run_row(params, a + i * w.stride_a[0] * size, b + i * w.stride_b[0] * size,
				to, n, w.stride_a[0], w.stride_b[0]);
			to += n * out_size;
		}
		for (d = 1; d < w.rank; d++) {
			a += w.stride_a[d] * size;
			b += w.stride_b[d] * size;
			if (++index[d] < w.extent[d])
				break;
			a -= w.stride_a[d] * size * w.extent[d];
			b -= w.stride_b[d] * size * w.extent[d];
			index[d] = 0;
		}
		if (d == w.rank)
			return 0;
	}
}
