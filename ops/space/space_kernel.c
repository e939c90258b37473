// SPDX-License-Identifier: Apache-2.0
/*
 * Rearrangements of blocks: SPACE_DEPTH and CHANNEL_SHUFFLE are transpositions of a finer shape;
 * SPACE_BATCH moves rows of pixels, and has a border.
 */
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_file.h"

static int space_depth_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_space_depth *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0];
	const struct nnfw_tensor *space = a->to_depth ? in : &ctx->out[0];
	const struct nnfw_tensor *depth = a->to_depth ? &ctx->out[0] : in;
	ptrdiff_t n, h, w, c, b = (ptrdiff_t)a->block;
	struct nnfw_strided s = { .rank = 0 };

	n = depth->dims[0];
	h = depth->dims[1];
	w = depth->dims[2];
	c = space->dims[3];
	if (a->to_depth) {
		/* out [n, h, w, i, j, c] of in [n, h, i, w, j, c] */
		nnfw_strided_add(&s, (size_t)n, h * b * w * b * c);
		nnfw_strided_add(&s, (size_t)h, b * w * b * c);
		nnfw_strided_add(&s, (size_t)w, b * c);
		nnfw_strided_add(&s, (size_t)b, w * b * c);
	} else {
		/* out [n, h, i, w, j, c] of in [n, h, w, i, j, c] */
		nnfw_strided_add(&s, (size_t)n, h * w * b * b * c);
		nnfw_strided_add(&s, (size_t)h, w * b * b * c);
		nnfw_strided_add(&s, (size_t)b, b * c);
		nnfw_strided_add(&s, (size_t)w, b * b * c);
	}
	nnfw_strided_add(&s, (size_t)b, c);
	nnfw_strided_add(&s, (size_t)c, 1);
	return nnfw_strided_copy(ctx->progress, &s, ctx->out[0].data, in->data,
				 nnprog_dtype_size(in->dtype));
}

static int channel_shuffle_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_channel_shuffle *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0];
	struct nnfw_strided s = { .rank = 0 };
	size_t inner, depth;
	uint32_t axis;

	axis = nnfw_axis(a->axis, in->rank);
	inner = nnfw_extent(in, axis + 1, in->rank);
	depth = in->dims[axis] / a->groups;
	/* out [outer, depth, groups, inner] of in [outer, groups, depth, inner] */
	nnfw_strided_add(&s, nnfw_extent(in, 0, axis), (ptrdiff_t)(in->dims[axis] * inner));
	nnfw_strided_add(&s, depth, (ptrdiff_t)inner);
	nnfw_strided_add(&s, a->groups, (ptrdiff_t)(depth * inner));
	nnfw_strided_add(&s, inner, 1);
	return nnfw_strided_copy(ctx->progress, &s, ctx->out[0].data, in->data,
				 nnprog_dtype_size(in->dtype));
}

/* Blocks of an image: pixel (y * block_h + i, x * block_w + j) of the image less the border. */
struct blocks {
	size_t block_h, block_w, top, left;
};

static int read_blocks(struct nnfw_op_ctx *ctx, bool to_batch, struct blocks *b)
{
	const struct nnfw_tensor *batch = to_batch ? &ctx->out[0] : &ctx->in[0];
	const struct nnfw_tensor *space = to_batch ? &ctx->in[0] : &ctx->out[0];
	const int32_t *block = ctx->in[1].data;
	const int32_t *values = ctx->num_in > 2 && !ctx->in[2].omitted ? ctx->in[2].data : NULL;
	int32_t h, w, pads[4] = { 0 };

	if (ctx->in[1].elements != 2 || (values && ctx->in[2].elements != 4))
		return nnfw_refuse(ctx, "block or paddings do not have two dimensions");
	h = NNUTIL_READ_ONCE(block[0]);
	w = NNUTIL_READ_ONCE(block[1]);
	for (uint32_t i = 0; values && i < 4; i++)
		pads[i] = NNUTIL_READ_ONCE(values[i]);
	if (h < 1 || w < 1 || pads[0] < 0 || pads[1] < 0 || pads[2] < 0 || pads[3] < 0)
		return nnfw_refuse(ctx, "block %d, %d with paddings %d, %d, %d, %d", h, w, pads[0],
				   pads[1], pads[2], pads[3]);
	if ((uint64_t)space->dims[1] + (uint32_t)pads[0] + (uint32_t)pads[1] !=
		    (uint64_t)batch->dims[1] * (uint32_t)h ||
	    (uint64_t)space->dims[2] + (uint32_t)pads[2] + (uint32_t)pads[3] !=
		    (uint64_t)batch->dims[2] * (uint32_t)w ||
	    (unsigned __int128)space->dims[0] * (uint32_t)h * (uint32_t)w != batch->dims[0])
		return nnfw_refuse(ctx, "block %d, %d does not fit the shapes", h, w);
	*b = (struct blocks){ (size_t)h, (size_t)w, (size_t)pads[0], (size_t)pads[2] };
	return 0;
}

/* @n pixels. */
static int copy_pixels(struct nnfw_work *work, uint8_t *to, size_t to_step, const uint8_t *from,
		       size_t from_step, size_t n, size_t pixel)
{
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++)
		ret = nnfw_copy_long(work, to + i * to_step, from + i * from_step, pixel);
	return ret;
}

static int space_to_batch(struct nnfw_op_ctx *ctx, const struct blocks *b)
{
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	size_t size = nnprog_dtype_size(in->dtype), pixel = in->dims[3] * size, w = out->dims[2];
	struct nnfw_work work = { .progress = ctx->progress };
	uint32_t zero = nnfw_zero_value(in);
	uint8_t *to = out->data;

	for (size_t n = 0; n < out->dims[0]; n++) {
		size_t image = n % in->dims[0], at = n / in->dims[0], i = at / b->block_w;
		size_t j = at % b->block_w, first, end;

		/* columns x with left <= x * block_w + j < left + width */
		first = j < b->left ? (b->left - j + b->block_w - 1) / b->block_w : 0;
		first = first < w ? first : w;
		end = b->left + in->dims[2] > j ? (b->left + in->dims[2] - j - 1) / b->block_w + 1
						: 0;
		end = end < first ? first : end < w ? end : w;
		for (size_t y = 0; y < out->dims[1]; y++, to += w * pixel) {
			size_t row = y * b->block_h + i - b->top; /* wraps above the image */
			const uint8_t *from = in->data;
			int ret;

			if (row >= in->dims[1] || first == end) {
				ret = nnfw_fill_long(&work, to, w * in->dims[3], size, &zero);
				if (ret)
					return ret;
				continue;
			}
			from += (image * in->dims[1] + row) * in->dims[2] * pixel;
			ret = nnfw_fill_long(&work, to, first * in->dims[3], size, &zero);
			if (!ret)
				ret = copy_pixels(&work, to + first * pixel, pixel,
						  from + (first * b->block_w + j - b->left) * pixel,
						  b->block_w * pixel, end - first, pixel);
			if (!ret)
				ret = nnfw_fill_long(&work, to + end * pixel,
						     (w - end) * in->dims[3], size, &zero);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int batch_to_space(struct nnfw_op_ctx *ctx, const struct blocks *b)
{
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	size_t pixel = in->dims[3] * nnprog_dtype_size(in->dtype), w = in->dims[2];
	struct nnfw_work work = { .progress = ctx->progress };
	const uint8_t *from = in->data;

	for (size_t n = 0; n < in->dims[0]; n++) {
		size_t image = n % out->dims[0], at = n / out->dims[0], i = at / b->block_w;
		size_t j = at % b->block_w;

		for (size_t y = 0; y < in->dims[1]; y++, from += w * pixel) {
			size_t row = image * out->dims[1] + y * b->block_h + i;
			int ret = copy_pixels(
				&work, (uint8_t *)out->data + (row * out->dims[2] + j) * pixel,
				b->block_w * pixel, from, pixel, w, pixel);

			if (ret)
				return ret;
		}
	}
	return 0;
}

static int space_batch_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_space_batch *a = ctx->attrs;
	struct blocks b = { 0 };
	int ret = read_blocks(ctx, a->to_batch, &b);

	if (ret)
		return ret;
	return a->to_batch ? space_to_batch(ctx, &b) : batch_to_space(ctx, &b);
}

const struct nnfw_op nnfw_op_space_depth = {
	.opcode = NNPROG_OP_SPACE_DEPTH,
	.types = NNFW_TYPES_ALL,
	.run = space_depth_run,
};

const struct nnfw_op nnfw_op_space_batch = {
	.opcode = NNPROG_OP_SPACE_BATCH,
	.types = NNFW_TYPES_ALL,
	.run = space_batch_run,
};

const struct nnfw_op nnfw_op_channel_shuffle = {
	.opcode = NNPROG_OP_CHANNEL_SHUFFLE,
	.types = NNFW_TYPES_ALL,
	.run = channel_shuffle_run,
};
