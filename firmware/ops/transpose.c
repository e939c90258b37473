// SPDX-License-Identifier: Apache-2.0
/* TRANSPOSE: output dimension i is input dimension permutation[i]; without one, all reversed. */
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/move.h"
#include "nnfw_ops.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_memory.h"

#define TICK 65536u

/*
 * Dimensions of the output, innermost last, with the stride in the input; neighbours in both merge.
 */
struct walk {
	uint32_t rank;
	size_t extent[NNPROG_MAX_RANK], stride[NNPROG_MAX_RANK];
};

/*
 * Fills @w, which is all zero. The permutation may come from client memory: read once and checked.
 */
static int plan(struct nnfw_op_ctx *ctx, struct walk *w)
{
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	bool reversal = ctx->num_in < 2 || ctx->in[1].omitted;
	const int32_t *values = reversal ? NULL : ctx->in[1].data;
	size_t strides[NNPROG_MAX_RANK], stride = 1;
	uint32_t seen = 0;

	if (in->rank != out->rank || (!reversal && ctx->in[1].elements != in->rank))
		return nnfw_refuse(ctx, "permutation does not fit rank %u", in->rank);
	for (uint32_t i = in->rank; i-- > 0;) {
		strides[i] = stride;
		stride *= in->dims[i];
	}
	for (uint32_t i = 0; i < in->rank; i++) {
		int32_t p = reversal ? (int32_t)(in->rank - 1 - i) : NNUTIL_READ_ONCE(values[i]);
		uint32_t last = w->rank - 1;

		if (p < 0 || (uint32_t)p >= in->rank || (seen & (1u << p)) ||
		    in->dims[p] != out->dims[i])
			return nnfw_refuse(ctx, "permutation[%u] is %d", i, p);
		seen |= 1u << p;
		if (in->dims[p] == 1)
			continue;
		if (w->rank && w->stride[last] == strides[p] * in->dims[p]) {
			w->extent[last] *= in->dims[p];
			w->stride[last] = strides[p];
			continue;
		}
		w->extent[w->rank] = in->dims[p];
		w->stride[w->rank] = strides[p];
		w->rank++;
	}
	if (!w->rank) {
		w->rank = 1;
		w->extent[0] = w->stride[0] = 1;
	}
	return 0;
}

static int transpose_run(struct nnfw_op_ctx *ctx)
{
	size_t index[NNPROG_MAX_RANK] = { 0 }, size = nnprog_dtype_size(ctx->in[0].dtype), row,
	       stride;
	size_t since_tick = 0;
	const uint8_t *from = ctx->in[0].data;
	uint8_t *to = ctx->out[0].data;
	struct walk w = { .rank = 0 };
	int ret = plan(ctx, &w);

	if (ret || !ctx->out[0].elements)
		return ret;
	row = w.extent[w.rank - 1];
	stride = w.stride[w.rank - 1];
	for (;;) {
		uint32_t d;

		for (size_t i = 0; i < row; i += TICK) {
			size_t n = row - i < TICK ? row - i : TICK;

			/* a gathered element costs a cache line */
			since_tick += stride == 1 ? n : 4 * n;
			if (since_tick >= TICK) {
				ret = nnfw_progress_tick(ctx->progress);
				if (ret)
					return ret;
				since_tick = 0;
			}
			nnfw_copy_row(to, from + i * stride * size, n, (ptrdiff_t)stride, size);
			to += n * size;
		}
		for (d = w.rank - 1; d-- > 0;) {
			from += w.stride[d] * size;
			if (++index[d] < w.extent[d])
				break;
			from -= w.stride[d] * w.extent[d] * size;
			index[d] = 0;
		}
		if (d == UINT32_MAX)
			return 0;
	}
}

static int reverse_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = &ctx->in[0];
	size_t bytes = nnprog_dtype_size(in->dtype);
	struct nnfw_strided s = { .rank = 0 };
	ptrdiff_t strides[NNPROG_MAX_RANK], at;
	int32_t axis;

	axis = NNUTIL_READ_ONCE(*(const int32_t *)ctx->in[1].data);
	if (axis < 0 || (uint32_t)axis >= in->rank)
		return nnfw_refuse(ctx, "axis %d outside rank %u", axis, in->rank);
	nnfw_dense_strides(in, strides);
	at = (ptrdiff_t)(in->dims[axis] - 1) * strides[axis];
	for (uint32_t i = 0; i < in->rank; i++)
		nnfw_strided_add(&s, in->dims[i], i == (uint32_t)axis ? -strides[i] : strides[i]);
	return nnfw_strided_copy(ctx->progress, &s, ctx->out[0].data,
				 (const uint8_t *)in->data + at * (ptrdiff_t)bytes, bytes);
}

const struct nnfw_op nnfw_op_transpose = {
	.opcode = NNPROG_OP_TRANSPOSE,
	.types = (1u << NNPROG_DTYPE_COUNT) - 1,
	.run = transpose_run,
};

const struct nnfw_op nnfw_op_reverse = {
	.opcode = NNPROG_OP_REVERSE,
	.types = NNFW_TYPES_ALL,
	.run = reverse_run,
};
