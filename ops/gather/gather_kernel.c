// SPDX-License-Identifier: Apache-2.0
/*
 * GATHER: slices along an axis, by index. HASHTABLE_LOOKUP: slices by key, found by binary search;
 * a missing key gives zeros. Indices may be client memory: each is read once, then
 * checked.
 */
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_file.h"

static int gather_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_axis *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0];
	const int32_t *indices = ctx->in[1].data;
	struct nnfw_work work = { .progress = ctx->progress };
	const uint8_t *from = in->data;
	uint8_t *to = ctx->out[0].data;
	size_t outer, row;
	uint32_t axis;
	int ret;

	axis = nnfw_axis(a->axis, in->rank);
	outer = nnfw_extent(in, 0, axis);
	row = nnfw_extent(in, axis + 1, in->rank) * nnprog_dtype_size(in->dtype);
	for (size_t o = 0; o < outer; o++, from += in->dims[axis] * row) {
		for (size_t i = 0; i < ctx->in[1].elements; i++, to += row) {
			int32_t index = NNUTIL_READ_ONCE(indices[i]);

			if (index < 0 || (uint32_t)index >= in->dims[axis])
				return nnfw_refuse(ctx, "index %d of %u", index, in->dims[axis]);
			ret = nnfw_copy_long(&work, to, from + (size_t)index * row, row);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/*
 * Position of @key in ascending @keys, or @n. With keys that do not ascend, present keys may not be
 * found.
 */
static size_t find_key(const int32_t *keys, size_t n, int32_t key)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		int32_t k = NNUTIL_READ_ONCE(keys[middle]);

		if (k == key)
			return middle;
		if (k < key)
			lo = middle + 1;
		else
			hi = middle;
	}
	return n;
}

static int hashtable_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *values = &ctx->in[2];
	const int32_t *lookups = ctx->in[0].data;
	struct nnfw_work work = { .progress = ctx->progress };
	uint8_t *to = ctx->out[0].data, *hits = ctx->out[1].data;
	size_t row, n = ctx->in[1].elements;
	const uint8_t zero = 0;
	int ret;

	row = nnfw_extent(values, 1, values->rank) * nnprog_dtype_size(values->dtype);
	for (size_t i = 0; i < ctx->in[0].elements; i++, to += row) {
		size_t found = find_key(ctx->in[1].data, n, NNUTIL_READ_ONCE(lookups[i]));

		ret = nnfw_work(&work, 32);
		if (!ret && found < n)
			ret = nnfw_copy_long(&work, to, (const uint8_t *)values->data + found * row,
					     row);
		else if (!ret)
			ret = nnfw_fill_long(&work, to, row, 1, &zero);
		if (ret)
			return ret;
		hits[i] = found < n;
	}
	return 0;
}

const struct nnfw_op nnfw_op_gather = {
	.opcode = NNPROG_OP_GATHER,
	.types = NNFW_TYPES_ALL,
	.run = gather_run,
};

const struct nnfw_op nnfw_op_hashtable_lookup = {
	.opcode = NNPROG_OP_HASHTABLE_LOOKUP,
	.types = NNFW_TYPE(INT32),
	.run = hashtable_run,
};
