// SPDX-License-Identifier: Apache-2.0
/*
 * TILE and MIRROR_PAD. Both build the output from blocks: what a dimension repeats or reflects is
 * copied from where the output already has it.
 */
#include "move.h"

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
	const volatile int32_t *multiples = ctx->in[1].data;
	struct tile t = { .rank = in->rank, .work.progress = ctx->progress };
	size_t in_step, out_step;

	if (out->rank != in->rank || ctx->in[1].elements != in->rank)
		return nnfw_refuse(ctx, "multiples do not fit rank %u", in->rank);
	in_step = out_step = nnprog_dtype_size(in->dtype);
	for (uint32_t i = in->rank; i-- > 0;) {
		int32_t m = multiples[i];

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

struct mirror {
	uint32_t rank;
	bool symmetric;
	size_t dims[NNPROG_MAX_RANK], before[NNPROG_MAX_RANK], after[NNPROG_MAX_RANK];
	size_t in_step[NNPROG_MAX_RANK], out_step[NNPROG_MAX_RANK]; /* bytes of one index */
	struct nnfw_work work;
};

static int mirror_level(struct mirror *m, uint32_t depth, const uint8_t *in, uint8_t *out)
{
	size_t n = m->dims[depth], step = m->out_step[depth], edge = m->symmetric ? 0 : 1;
	uint8_t *first = out + m->before[depth] * step, *last = first + (n - 1) * step;
	int ret;

	if (depth + 1 == m->rank) {
		ret = nnfw_copy_long(&m->work, first, in, n * step);
		if (ret)
			return ret;
	} else {
		for (size_t i = 0; i < n; i++) {
			ret = mirror_level(m, depth + 1, in + i * m->in_step[depth],
					   first + i * step);
			if (ret)
				return ret;
		}
	}
	for (size_t k = 1; k <= m->before[depth]; k++) {
		ret = nnfw_copy_long(&m->work, first - k * step, first + (k - 1 + edge) * step,
				     step);
		if (ret)
			return ret;
	}
	for (size_t k = 1; k <= m->after[depth]; k++) {
		ret = nnfw_copy_long(&m->work, last + k * step, last - (k - 1 + edge) * step, step);
		if (ret)
			return ret;
	}
	return 0;
}

static int mirror_pad_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_mirror_pad *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	const volatile int32_t *pads = ctx->in[1].data;
	struct mirror m = { .rank = in->rank,
			    .symmetric = a->symmetric,
			    .work.progress = ctx->progress };
	size_t in_step, out_step;

	if (!in->rank || out->rank != in->rank || ctx->in[1].elements != 2u * in->rank)
		return nnfw_refuse(ctx, "paddings do not fit rank %u", in->rank);
	in_step = out_step = nnprog_dtype_size(in->dtype);
	for (uint32_t i = in->rank; i-- > 0;) {
		int32_t before = pads[2 * i], after = pads[2 * i + 1];
		int64_t most = (int64_t)in->dims[i] - !a->symmetric;

		if (before < 0 || after < 0 || before > most || after > most ||
		    (uint64_t)in->dims[i] + (uint32_t)before + (uint32_t)after != out->dims[i])
			return nnfw_refuse(ctx, "paddings[%u] are %d, %d", i, before, after);
		m.dims[i] = in->dims[i];
		m.before[i] = (size_t)before;
		m.after[i] = (size_t)after;
		m.in_step[i] = in_step;
		m.out_step[i] = out_step;
		in_step *= in->dims[i];
		out_step *= out->dims[i];
	}
	return mirror_level(&m, 0, in->data, out->data);
}

const struct nnfw_op nnfw_op_tile = {
	.opcode = NNPROG_OP_TILE,
	.types = NNFW_TYPES_ALL,
	.run = tile_run,
};

const struct nnfw_op nnfw_op_mirror_pad = {
	.opcode = NNPROG_OP_MIRROR_PAD,
	.types = NNFW_TYPES_ALL,
	.run = mirror_pad_run,
};
