// SPDX-License-Identifier: Apache-2.0
/*
 * TILE: what a dimension repeats is copied from the output itself, where it is already. FILL: a
 * tensor of one value.
 */
#include <string.h>

#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_file.h"

struct tile {
	uint32_t rank;
	size_t dims[NNPROG_MAX_RANK], multiples[NNPROG_MAX_RANK];
	size_t in_step[NNPROG_MAX_RANK], out_step[NNPROG_MAX_RANK]; /* bytes of one index */
	struct nnfw_work work;
};

static int tile_level(struct tile *t, uint32_t depth, const uint8_t *in, uint8_t *out)
{
	size_t block;
	int ret;

	if (depth + 1 == t->rank) {
		block = t->dims[depth] * t->out_step[depth];
		ret = nnfw_copy_long(&t->work, out, in, block);
		if (ret)
			return ret;
	} else {
		for (size_t i = 0; i < t->dims[depth]; i++) {
			ret = tile_level(t, depth + 1, in + i * t->in_step[depth],
					 out + i * t->out_step[depth]);
			if (ret)
				return ret;
		}
		block = t->dims[depth] * t->out_step[depth];
	}
	for (size_t m = 1; m < t->multiples[depth]; m++) {
		ret = nnfw_copy_long(&t->work, out + m * block, out, block);
		if (ret)
			return ret;
	}
	return nnfw_work(&t->work, 8);
}

static int tile_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	const int32_t *multiples = ctx->in[1].data;
	struct tile t = { .rank = in->rank, .work.progress = ctx->progress };
	size_t in_step, out_step;

	if (out->rank != in->rank || ctx->in[1].elements != in->rank)
		return nnfw_refuse(ctx, "multiples do not fit rank %u", in->rank);
	in_step = out_step = nnprog_dtype_size(in->dtype);
	for (uint32_t i = in->rank; i-- > 0;) {
		int32_t m = NNUTIL_READ_ONCE(multiples[i]);

		if (m < 0 || (uint64_t)in->dims[i] * (uint32_t)m != out->dims[i])
			return nnfw_refuse(ctx, "multiples[%u] is %d", i, m);
		t.dims[i] = in->dims[i];
		t.multiples[i] = (size_t)m;
		t.in_step[i] = in_step;
		t.out_step[i] = out_step;
		in_step *= in->dims[i];
		out_step *= out->dims[i];
	}
	if (!out->elements)
		return 0;
	return tile_level(&t, 0, in->data, out->data);
}

static int fill_run(struct nnfw_op_ctx *ctx)
{
	struct nnfw_tensor *out = &ctx->out[0];
	size_t size = nnprog_dtype_size(out->dtype);
	struct nnfw_work work = { .progress = ctx->progress };
	uint32_t value = 0;

	if (ctx->in[1].elements != 1 || size > sizeof(value))
		return nnfw_refuse(ctx, "value is not one element of up to 4 bytes");
	memcpy(&value, ctx->in[1].data, size);
	return nnfw_fill_long(&work, out->data, out->elements, size, &value);
}

const struct nnfw_op nnfw_op_tile = {
	.opcode = NNPROG_OP_TILE,
	.types = NNFW_TYPES_ALL,
	.run = tile_run,
};

const struct nnfw_op nnfw_op_fill = {
	.opcode = NNPROG_OP_FILL,
	.types = NNFW_TYPE(INT32),
	.run = fill_run,
};
