// SPDX-License-Identifier: Apache-2.0
/* TRANSPOSE: output dimension i is input dimension permutation[i]; without one, all reversed. */
#include <string.h>

#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_file.h"

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
static int transpose_plan(struct nnfw_op_ctx *ctx, struct walk *w)
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

/* Elements that are moved between two ticks, and that are worth a thread. */
#define PIECE 65536u
#define GRAIN 16384u

/*
 * A plane of two dimensions for each index of the outer ones: dense rows that are copied, or an
 * input whose rows become columns.
 */
struct pieces {
	struct walk outer; /* innermost first */
	size_t to_stride[NNPROG_MAX_RANK];
	const uint8_t *from;
	uint8_t *to;
	size_t size; /* of an element; strides are in elements */
	size_t rows, rows_from; /* innermost in the output */
	size_t columns, columns_from, columns_to; /* innermost in the input, unless rows are dense
						   */
	size_t strip, strips; /* columns of a unit, units of a plane */
};

static void pieces_init(struct pieces *p, const struct walk *w)
{
	uint32_t last = w->rank - 1, columns = last ? last - 1 : last;
	size_t stride = 1, least;

	p->rows = w->extent[last];
	p->rows_from = w->stride[last];
	p->columns = 1;
	for (uint32_t d = 0; d < last && p->rows_from != 1; d++)
		if (w->stride[d] == 1)
			columns = d;
	for (uint32_t d = w->rank; d-- > 0; stride *= w->extent[d]) {
		if (d == last)
			continue;
		if (d == columns) {
			p->columns = w->extent[d];
			p->columns_from = w->stride[d];
			p->columns_to = stride;
		} else {
			uint32_t at = p->outer.rank++;

			p->outer.extent[at] = w->extent[d];
			p->outer.stride[at] = w->stride[d];
			p->to_stride[at] = stride;
		}
	}
	/* Lines of the cache; more of them if rows are short. */
	p->strip = NNFW_TURN_LINE / p->size;
	least = p->strip * p->strip / p->rows;
	if (p->strip < least)
		p->strip = least;
	p->strips = (p->columns + p->strip - 1) / p->strip;
}

static void columns_copy(const struct pieces *p, uint8_t *to, const uint8_t *from, size_t rows,
			 size_t columns)
{
	size_t to_step = p->columns_to * p->size, from_step = p->columns_from * p->size;

	for (size_t j = 0; j < columns; j++, to += to_step, from += from_step)
		memcpy(to, from, rows * p->size);
}

/* The columns of a plane from @column on that are a unit. */
static int piece_move(const struct pieces *p, struct nnfw_work *work, size_t from, size_t to,
		      size_t column)
{
	size_t columns = p->columns - column < p->strip ? p->columns - column : p->strip;
	size_t rows = PIECE / columns + 1;

	from += column * p->columns_from;
	to += column * p->columns_to;
	for (size_t i = 0, n; i < p->rows; i += n) {
		const uint8_t *src = p->from + (from + i * p->rows_from) * p->size;
		uint8_t *dst = p->to + (to + i) * p->size;

		n = p->rows - i < rows ? p->rows - i : rows;
		if (nnfw_work(work, n * columns))
			return -ECANCELED;
		if (p->rows_from == 1)
			columns_copy(p, dst, src, n, columns);
		else
			nnfw_turn(dst, p->columns_to * p->size, src, p->rows_from * p->size, n,
				  columns, p->size);
	}
	return 0;
}

static int piece_units(void *arg, uint32_t slot, size_t first, size_t end,
		       struct nnfw_progress *progress)
{
	const struct pieces *p = arg;
	size_t index[NNPROG_MAX_RANK] = { 0 }, from = 0, to = 0, rest = first / p->strips;
	struct nnfw_work work = { .progress = progress };

	(void)slot;
	for (uint32_t d = 0; d < p->outer.rank; d++) {
		index[d] = rest % p->outer.extent[d];
		rest /= p->outer.extent[d];
		from += index[d] * p->outer.stride[d];
		to += index[d] * p->to_stride[d];
	}
	for (size_t unit = first; unit < end; unit++) {
		size_t strip = unit % p->strips;

		if (piece_move(p, &work, from, to, strip * p->strip))
			return -ECANCELED;
		for (uint32_t d = 0; strip == p->strips - 1 && d < p->outer.rank; d++) {
			from += p->outer.stride[d];
			to += p->to_stride[d];
			if (++index[d] < p->outer.extent[d])
				break;
			from -= p->outer.stride[d] * p->outer.extent[d];
			to -= p->to_stride[d] * p->outer.extent[d];
			index[d] = 0;
		}
	}
	return 0;
}

static int transpose_run(struct nnfw_op_ctx *ctx)
{
	struct walk w = { .rank = 0 };
	struct pieces p = {
		.size = nnprog_dtype_size(ctx->in[0].dtype),
		.from = ctx->in[0].data,
		.to = ctx->out[0].data,
	};
	int ret = transpose_plan(ctx, &w);
	size_t units, unit;

	if (ret || !ctx->out[0].elements)
		return ret;
	pieces_init(&p, &w);
	units = ctx->out[0].elements / (p.rows * p.columns) * p.strips;
	unit = p.rows * (p.columns < p.strip ? p.columns : p.strip);
	return nnfw_split(ctx, units, 1 + GRAIN / unit, piece_units, &p);
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
