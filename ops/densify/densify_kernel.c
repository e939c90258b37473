// SPDX-License-Identifier: Apache-2.0
/* DENSIFY: a tensor from its values and a description of where they lie, level by level. */
#include <string.h>

#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_file.h"

enum { VALUES = 0, TRAVERSAL, BLOCK_MAP, FORMATS, SIZES, LEVELS };
enum { FORMAT_DENSE, FORMAT_CSR };

#define MAX_LEVELS 32u
#define TICK 16384u

/* One level of the walk, and where the walk is in it. */
struct level {
	bool csr;
	size_t size;
	const int32_t *segments, *indices;
	size_t num_segments, num_indices;
	size_t stride; /* elements of the output that one step is apart */
	size_t place, from, end; /* next position, first and last + 1 */
	size_t offset; /* in the output, of the levels above */
};

struct walk {
	struct nnfw_op_ctx *ctx;
	uint32_t levels, rank;
	struct level level[MAX_LEVELS];
};

static void vector_of(const struct nnfw_tensor *t, const int32_t **data, size_t *n)
{
	*data = t->omitted ? NULL : t->data;
	*n = t->omitted ? 0 : t->elements;
}

/*
 * Read each number of the description once: the extents of the output come from an earlier reading.
 * A dimension and its blocks are one index with a mixed radix, so that every level has a stride in
 * the output.
 */
static int densify_describe(struct walk *w)
{
	struct nnfw_op_ctx *ctx = w->ctx;
	const struct nnfw_tensor *in = ctx->in, *out = &ctx->out[0];
	const int32_t *traversal = in[TRAVERSAL].data,
		      *map = in[BLOCK_MAP].omitted ? NULL : in[BLOCK_MAP].data;
	const int32_t *formats = in[FORMATS].data, *sizes = in[SIZES].data;
	uint32_t dim[MAX_LEVELS];
	uint64_t seen = 0;
	size_t stride[NNPROG_MAX_RANK], extent[NNPROG_MAX_RANK];

	w->levels = (ctx->num_in - LEVELS) / 2;
	w->rank = out->rank;
	if (w->levels < w->rank || w->levels > MAX_LEVELS)
		return nnfw_refuse(ctx, "%u levels of rank %u", w->levels, w->rank);
	for (uint32_t l = 0; l < w->levels; l++) {
		struct level *v = &w->level[l];
		uint32_t at = (uint32_t)NNUTIL_READ_ONCE(traversal[l]);
		int32_t format = NNUTIL_READ_ONCE(formats[l]), size = NNUTIL_READ_ONCE(sizes[l]);

		if (at >= w->levels || (at < w->rank) != (l < w->rank) || (seen >> at & 1))
			return nnfw_refuse(ctx, "traversal: level %u is %d", l, (int32_t)at);
		seen |= 1ull << at;
		dim[l] = l < w->rank ? at
			 : map	     ? (uint32_t)NNUTIL_READ_ONCE(map[at - w->rank])
				     : UINT32_MAX;
		if (dim[l] >= w->rank)
			return nnfw_refuse(ctx, "level %u splits dimension %d", l, (int32_t)dim[l]);
		if (size < 1 || (format != FORMAT_DENSE && format != FORMAT_CSR))
			return nnfw_refuse(ctx, "level %u: size %d, format %d", l, size, format);
		*v = (struct level){ .csr = format == FORMAT_CSR, .size = (size_t)size };
		if (!v->csr)
			continue;
		vector_of(&in[LEVELS + 2 * l], &v->segments, &v->num_segments);
		vector_of(&in[LEVELS + 2 * l + 1], &v->indices, &v->num_indices);
	}
	for (uint32_t d = w->rank; d-- > 0;) {
		stride[d] = d + 1 < w->rank ? stride[d + 1] * out->dims[d + 1] : 1;
		extent[d] = 1;
	}
	/* from the last block inwards out */
	for (uint32_t l = w->levels; l-- > 0;) {
		uint32_t d = dim[l];

		w->level[l].stride = stride[d] * extent[d];
		if (__builtin_mul_overflow(extent[d], w->level[l].size, &extent[d]) ||
		    extent[d] > out->dims[d])
			return nnfw_refuse(ctx, "level %u: size %zu", l, w->level[l].size);
	}
	for (uint32_t d = 0; d < w->rank; d++) {
		if (extent[d] != out->dims[d])
			return nnfw_refuse(ctx, "dimension %u: sizes give %zu", d, extent[d]);
	}
	return 0;
}

/* Enter level @l below position @p of the level above. */
static int densify_enter(struct walk *w, uint32_t l, size_t p, size_t offset)
{
	struct level *v = &w->level[l];

	v->offset = offset;
	if (!v->csr) {
		v->from = p * v->size;
		v->end = v->from + v->size;
	} else {
		int32_t from, end;

		if (p + 1 >= v->num_segments)
			return nnfw_refuse(w->ctx, "level %u: no segment %zu", l, p);
		from = NNUTIL_READ_ONCE(v->segments[p]);
		end = NNUTIL_READ_ONCE(v->segments[p + 1]);
		if (from < 0 || end < from || (size_t)end > v->num_indices)
			return nnfw_refuse(w->ctx, "level %u: segment %zu is [%d, %d)", l, p, from,
					   end);
		v->from = (size_t)from;
		v->end = (size_t)end;
	}
	v->place = v->from;
	return 0;
}

/* Offset in the output of the next position of level @l. */
static int next_offset(struct walk *w, uint32_t l, size_t *offset)
{
	const struct level *v = &w->level[l];
	size_t index = v->place - v->from;

	if (v->csr) {
		int32_t i = NNUTIL_READ_ONCE(v->indices[v->place]);

		if (i < 0 || (size_t)i >= v->size)
			return nnfw_refuse(w->ctx, "level %u: index %d", l, i);
		index = (size_t)i;
	}
	*offset = v->offset + index * v->stride;
	return 0;
}

static int densify_fill(struct nnfw_progress *progress, const struct nnfw_tensor *out)
{
	size_t bytes = nnprog_dtype_size(out->dtype);
	uint32_t zero = out->scale > 0 ? (uint32_t)out->zero_point : 0,
		 pattern = bytes > 2 ? 0 : zero;
	struct nnfw_work work = { .progress = progress };

	return nnfw_fill_long(&work, out->data, out->elements, bytes, &pattern);
}

static int densify_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *values = &ctx->in[VALUES], *out = &ctx->out[0];
	size_t bytes = nnprog_dtype_size(out->dtype), steps = 0;
	struct walk w = { .ctx = ctx };
	uint32_t l = 0;
	int ret = densify_describe(&w);

	if (ret)
		return ret;
	ret = densify_fill(ctx->progress, out);
	if (ret)
		return ret;
	ret = densify_enter(&w, 0, 0, 0);
	if (ret)
		return ret;
	for (;;) {
		struct level *v = &w.level[l];
		size_t offset = 0;

		if (v->place == v->end) {
			if (!l)
				return 0;
			l--;
			continue;
		}
		if (steps++ % TICK == 0 && nnfw_progress_tick(ctx->progress))
			return -ECANCELED;
		ret = next_offset(&w, l, &offset);
		if (ret)
			return ret;
		if (l + 1 < w.levels) {
			ret = densify_enter(&w, ++l, v->place++, offset);
			if (ret)
				return ret;
			continue;
		}
		if (v->place >= values->elements)
			return nnfw_refuse(ctx, "value %zu of %llu", v->place,
					   (unsigned long long)values->elements);
		memcpy((uint8_t *)out->data + offset * bytes,
		       (const uint8_t *)values->data + v->place++ * bytes, bytes);
	}
}

const struct nnfw_op nnfw_op_densify = {
	.opcode = NNPROG_OP_DENSIFY,
	.types = (1u << NNPROG_DTYPE_COUNT) - 1,
	.run = densify_run,
};
