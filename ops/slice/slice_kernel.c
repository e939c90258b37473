// SPDX-License-Identifier: Apache-2.0
/*
 * SLICE, STRIDED_SLICE: copies along strides, which may be negative; SPLIT. Values in client memory
 * are read once and must lead to the inferred shape.
 */
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_file.h"

static int slice_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	const int32_t *begin = ctx->in[1].data, *size = ctx->in[2].data;
	size_t bytes = nnprog_dtype_size(in->dtype);
	struct nnfw_strided s = { .rank = 0 };
	ptrdiff_t strides[NNPROG_MAX_RANK], at = 0;

	if (in->rank != out->rank || ctx->in[1].elements != in->rank ||
	    ctx->in[2].elements != in->rank)
		return nnfw_refuse(ctx, "begin or size do not fit rank %u", in->rank);
	nnfw_dense_strides(in, strides);
	for (uint32_t i = 0; i < in->rank; i++) {
		int32_t from = NNUTIL_READ_ONCE(begin[i]), n = NNUTIL_READ_ONCE(size[i]);

		if (n == -1)
			n = (int32_t)(in->dims[i] - (uint32_t)from);
		if (from < 0 || (uint32_t)from > in->dims[i] || n < 0 ||
		    (uint32_t)n != out->dims[i] || (uint32_t)n > in->dims[i] - (uint32_t)from)
			return nnfw_refuse(ctx, "dimension %u: %d elements from %d of %u", i, n,
					   from, in->dims[i]);
		at += from * strides[i];
		nnfw_strided_add(&s, out->dims[i], strides[i]);
	}
	if (!out->elements)
		return 0;
	return nnfw_strided_copy(ctx->progress, &s, out->data,
				 (const uint8_t *)in->data + at * (ptrdiff_t)bytes, bytes);
}

static int strided_slice_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_strided_slice *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	const int32_t *begin = ctx->in[1].data, *end = ctx->in[2].data, *step = ctx->in[3].data;
	size_t bytes = nnprog_dtype_size(in->dtype);
	struct nnfw_strided s = { .rank = 0 };
	ptrdiff_t strides[NNPROG_MAX_RANK], at = 0;
	uint32_t kept = 0;

	if (ctx->in[1].elements != in->rank || ctx->in[2].elements != in->rank ||
	    ctx->in[3].elements != in->rank)
		return nnfw_refuse(ctx, "begin, end or strides do not fit rank %u", in->rank);
	nnfw_dense_strides(in, strides);
	for (uint32_t i = 0; i < in->rank; i++) {
		bool shrink = a->shrink_mask >> i & 1;
		int32_t by = NNUTIL_READ_ONCE(step[i]);
		uint32_t count, want = 1;
		int64_t start;

		if (nnprog_strided_range(in->dims[i], NNUTIL_READ_ONCE(begin[i]),
					 NNUTIL_READ_ONCE(end[i]), by, a->begin_mask >> i & 1,
					 a->end_mask >> i & 1, &start, &count))
			return nnfw_refuse(ctx, "strides[%u] is 0", i);
		if (!shrink)
			want = kept < out->rank ? out->dims[kept++] : NNPROG_DIM_UNKNOWN;
		if (count != want)
			return nnfw_refuse(ctx, "dimension %u: %u elements", i, count);
		if (!count)
			continue;
		/* more than one element: the stride is below the extent */
		nnfw_strided_add(&s, count, count > 1 ? by * strides[i] : 1);
		at += (ptrdiff_t)start * strides[i];
	}
	if (!out->elements)
		return 0;
	return nnfw_strided_copy(ctx->progress, &s, out->data,
				 (const uint8_t *)in->data + at * (ptrdiff_t)bytes, bytes);
}

static int split_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_axis *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0];
	struct nnfw_work work = { .progress = ctx->progress };
	size_t outer, row, part;
	uint32_t axis;
	int ret;

	axis = nnfw_axis(a->axis, in->rank);
	outer = nnfw_extent(in, 0, axis);
	row = nnfw_extent(in, axis, in->rank) * nnprog_dtype_size(in->dtype);
	part = row / ctx->num_out;
	for (uint32_t k = 0; k < ctx->num_out; k++) {
		const uint8_t *from = (const uint8_t *)in->data + k * part;
		uint8_t *to = ctx->out[k].data;

		for (size_t o = 0; o < outer; o++, from += row, to += part) {
			ret = nnfw_copy_long(&work, to, from, part);
			if (ret)
				return ret;
		}
	}
	return 0;
}

const struct nnfw_op nnfw_op_slice = {
	.opcode = NNPROG_OP_SLICE,
	.types = NNFW_TYPES_ALL,
	.run = slice_run,
};

const struct nnfw_op nnfw_op_strided_slice = {
	.opcode = NNPROG_OP_STRIDED_SLICE,
	.types = NNFW_TYPES_ALL,
	.run = strided_slice_run,
};

const struct nnfw_op nnfw_op_split = {
	.opcode = NNPROG_OP_SPLIT,
	.types = NNFW_TYPES_ALL,
	.run = split_run,
};
