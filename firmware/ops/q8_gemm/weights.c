// SPDX-License-Identifier: Apache-2.0
/*
 * Weights of 8-bit products. With codes a of zero point za and w of zw, sum (a - za)(w - zw) is
 * sum a*w - zw * sum a - za * sum w + K*za*zw: what does not depend on the input is a term of the
 * column, with the bias if that is constant.
 */
#include <errno.h>
#include <string.h>

#include "isa/isa.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "q8_gemm/q8_gemm.h"

/* Elements of a row in one product. */
#define MAX_DEPTH 16384u

struct nnfw_q8_shape nnfw_q8_conv_shape(const struct nnfw_tensor *filter, size_t groups)
{
	size_t length = (size_t)filter->dims[2] * filter->dims[3];

	return (struct nnfw_q8_shape){
		.columns = filter->dims[0] / groups,
		.groups = groups,
		.depth = { .segments = filter->dims[1], .length = length },
		.column = filter->dims[1] * length,
		.element = 1,
	};
}

struct nnfw_q8_shape nnfw_q8_single_channel_shape(const struct nnfw_tensor *filter)
{
	return (struct nnfw_q8_shape){
		.columns = filter->dims[3],
		.groups = 1,
		.depth = { .segments = filter->dims[1], .length = filter->dims[2] },
		.column = 1,
		.element = filter->dims[3],
	};
}

struct nnfw_conv_geometry nnfw_q8_matrix_geometry(const struct nnfw_op_ctx *ctx)
{
	return (struct nnfw_conv_geometry){
		.batch = 1,
		.in_h = 1,
		.in_w = ctx->out[0].dims[0],
		.in_c = ctx->in[1].dims[1],
		.out_h = 1,
		.out_w = ctx->out[0].dims[0],
		.out_c = ctx->out[0].dims[1],
		.filter_h = 1,
		.filter_w = 1,
		.stride_h = 1,
		.stride_w = 1,
		.dilation_h = 1,
		.dilation_w = 1,
		.groups = 1,
	};
}

/* ---- pieces ---- */

/* Segments of a piece; 0: a segment has several pieces. */
static size_t piece_segments(struct nnfw_q8_depth depth)
{
	size_t n = MAX_DEPTH / depth.length;

	return n < depth.segments ? n : depth.segments;
}

size_t nnfw_q8_pieces(struct nnfw_q8_depth depth)
{
	size_t n = piece_segments(depth);

	if (n)
		return (depth.segments + n - 1) / n;
	return depth.segments * ((depth.length + MAX_DEPTH - 1) / MAX_DEPTH);
}

struct nnfw_q8_piece nnfw_q8_piece(struct nnfw_q8_depth depth, size_t i)
{
	size_t n = piece_segments(depth), parts, left;
	struct nnfw_q8_piece p = { .depth = { .segments = 1, .length = depth.length } };

	if (n) {
		p.segment = i * n;
		left = depth.segments - p.segment;
		p.depth.segments = left < n ? left : n;
		return p;
	}
	parts = (depth.length + MAX_DEPTH - 1) / MAX_DEPTH;
	p.segment = i / parts;
	p.offset = i % parts * MAX_DEPTH;
	left = depth.length - p.offset;
	p.depth.length = left < MAX_DEPTH ? left : MAX_DEPTH;
	return p;
}

/* ---- packing ---- */

static size_t pitch(const struct nnfw_q8_shape *shape)
{
	return nnutil_align_up(shape->columns, NNFW_Q8_PANEL);
}

/* The first piece is the largest. */
static size_t piece_size(const struct nnfw_q8_shape *shape)
{
	struct nnfw_q8_piece first = nnfw_q8_piece(shape->depth, 0);

	return nnfw_align(NNFW_KERNELS(q8_gemm)->size(shape->columns, first.depth));
}

size_t nnfw_q8_terms_size(const struct nnfw_q8_shape *shape)
{
	return nnfw_align(shape->groups * pitch(shape) * sizeof(int32_t));
}

size_t nnfw_q8_weights_size(const struct nnfw_q8_shape *shape)
{
	size_t padded = shape->groups * pitch(shape);

	return nnfw_align(sizeof(struct nnfw_q8_weights)) + nnfw_q8_terms_size(shape) +
	       nnfw_align(padded * sizeof(float)) +
	       shape->groups * nnfw_q8_pieces(shape->depth) * piece_size(shape);
}

/* Codes that are worth a thread. */
#define GRAIN 16384u

/* Weights that are being packed. A unit of work is some columns of a group. */
struct packing {
	const struct nnfw_q8_weights *w;
	struct nnfw_q8_codes codes;
	size_t unit, units; /* columns of a unit; units of a group */
	uint8_t *packed; /* of the first group, as are the sums */
	uint32_t *sums;
};

/* Columns [@first, @end) of group @g: all pieces, and the sums of their codes. */
static int pack_unit(const struct packing *p, struct nnfw_work *work, size_t g, size_t first,
		     size_t end)
{
	const struct nnfw_q8_shape *s = &p->w->shape;
	const size_t pieces = nnfw_q8_pieces(s->depth);
	struct nnfw_q8_packing now = {
		.codes = p->codes,
		.columns = s->columns,
		.first = first,
		.end = end,
		.sums = p->sums + g * p->w->pitch,
	};
	const uint8_t *data = p->codes.data + g * s->columns * s->column;

	for (size_t i = 0; i < pieces; i++) {
		struct nnfw_q8_piece piece = nnfw_q8_piece(s->depth, i);

		now.codes.data =
			data + (piece.segment * s->depth.length + piece.offset) * s->element;
		now.depth = piece.depth;
		now.weights = p->packed + (g * pieces + i) * p->w->piece_size;
		/* the padding, too */
		if (nnfw_work(work, piece.depth.segments * piece.depth.length *
					    (end - first + NNFW_Q8_LANES)))
			return -ECANCELED;
		NNFW_KERNELS(q8_gemm)->pack(&now);
	}
	return 0;
}

static int pack_units(void *arg, uint32_t slot, size_t first, size_t end,
		      struct nnfw_progress *progress)
{
	const struct packing *p = arg;
	const size_t columns = p->w->shape.columns;
	struct nnfw_work work = { .progress = progress };
	int ret = 0;

	(void)slot;
	for (size_t i = first; i < end && !ret; i++) {
		size_t c = i % p->units * p->unit;

		ret = pack_unit(p, &work, i / p->units, c,
				columns - c < p->unit ? columns : c + p->unit);
	}
	return ret;
}

/* Pack all groups; @sums come as zeros. 0 or -ECANCELED. */
static int pack_groups(const struct nnfw_op_ctx *ctx, const struct nnfw_q8_weights *w,
		       const struct nnfw_q8_codes *codes, uint8_t *packed, uint32_t *sums)
{
	/* of neighbouring elements whole cache lines are read anyway */
	const size_t unit = codes->element == 1 ? NNFW_Q8_LANES : NNFW_Q8_PANEL;
	struct packing p = {
		.w = w,
		.codes = *codes,
		.unit = unit,
		.units = (w->shape.columns + unit - 1) / unit,
		.packed = packed,
		.sums = sums,
	};

	return nnfw_split(ctx, w->shape.groups * p.units,
			  GRAIN / (unit * w->shape.depth.segments * w->shape.depth.length) + 1,
			  pack_units, &p);
}

/* There is no bias to add in a run. */
static bool is_complete(const struct nnfw_op_ctx *ctx)
{
	if (ctx->num_in < 3 || ctx->in[2].omitted)
		return true;
	return ctx->in[2].constant && ctx->in[2].data;
}

static float multiplier(const struct nnfw_op_ctx *ctx, float scale)
{
	return (float)((double)ctx->in[0].scale * scale / ctx->out[0].scale);
}

/* Terms of group @g, and its multipliers. @terms come as sums of the codes. */
static int finish_group(struct nnfw_work *work, struct nnfw_q8_weights *w,
			const struct nnfw_op_ctx *ctx, size_t g, uint32_t *terms,
			float *multipliers)
{
	const struct nnfw_tensor *filter = &ctx->in[1];
	const bool with_bias = w->with_bias && ctx->num_in > 2 && !ctx->in[2].omitted;
	const int32_t *bias = with_bias ? ctx->in[2].data : NULL;
	uint32_t k = (uint32_t)(w->shape.depth.segments * w->shape.depth.length);
	uint32_t za = (uint32_t)w->left_zero, zw = (uint32_t)w->right_zero;
	const float one = multiplier(ctx, filter->scale);

	for (size_t c = 0, end; c < w->shape.columns; c = end) {
		end = nnfw_slice(work, c, w->shape.columns);
		if (!end)
			return -ECANCELED;
		for (size_t i = c; i < end; i++) {
			size_t channel = w->shape.run ? i % w->shape.run : g * w->shape.columns + i;

			multipliers[i] =
				filter->num_scales ? multiplier(ctx, filter->scales[channel]) : one;
			w->tame = w->tame && multipliers[i] > -1 && multipliers[i] < 1;
			terms[i] =
				k * za * zw - za * terms[i] + (bias ? (uint32_t)bias[channel] : 0);
		}
	}
	return 0;
}

int nnfw_q8_weights_pack(const struct nnfw_op_ctx *ctx, const struct nnfw_q8_shape *shape,
			 uint32_t activation, void *mem, const struct nnfw_q8_weights **weights)
{
	const struct nnfw_tensor *in = &ctx->in[0], *filter = &ctx->in[1], *out = &ctx->out[0];
	bool left_signed = NNFW_KERNELS(q8_gemm)->left_signed;
	struct nnfw_work work = { .progress = ctx->progress };
	size_t padded = shape->groups * pitch(shape);
	uint8_t *next = mem;
	struct nnfw_q8_weights *w = nnfw_take(&next, sizeof(*w));
	uint32_t *terms = nnfw_take(&next, padded * sizeof(*terms));
	float *multipliers = nnfw_take(&next, padded * sizeof(*multipliers));
	uint8_t *packed = next;
	struct nnfw_q8_codes codes = {
		.data = filter->data,
		.column = shape->column,
		.element = shape->element,
		.run = shape->run,
		.run_stride = shape->run_stride,
		.flip = filter->dtype == NNPROG_INT8 ? 0 : 0x80,
	};
	int ret;

	*w = (struct nnfw_q8_weights){
		.shape = *shape,
		.rule = nnfw_requant_output(out, activation),
		.is_signed = out->dtype == NNPROG_INT8,
		.tame = true,
		.left_zero = in->zero_point + (in->dtype == NNPROG_INT8 ? 128 : 0) -
			     (left_signed ? 128 : 0),
		.right_zero = filter->num_scales ? 0 : filter->zero_point - (codes.flip ? 128 : 0),
		.left_flip = (in->dtype == NNPROG_INT8) == left_signed ? 0 : 0x80,
		.with_bias = !shape->run && is_complete(ctx),
		.pitch = pitch(shape),
		.piece_size = piece_size(shape),
		.column_terms = (const int32_t *)terms,
		.multipliers = multipliers,
		.packed = packed,
	};
	memset(terms, 0, padded * sizeof(*terms));
	memset(multipliers, 0, padded * sizeof(*multipliers));
	ret = pack_groups(ctx, w, &codes, packed, terms);
	for (size_t g = 0; g < shape->groups && !ret; g++)
		ret = finish_group(&work, w, ctx, g, terms + g * w->pitch,
				   multipliers + g * w->pitch);
	if (ret)
		return ret;
	*weights = w;
	return 0;
}
