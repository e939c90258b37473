// SPDX-License-Identifier: Apache-2.0
/* PAD: a border of one value: the operand's, or the real value 0. MIRROR_PAD: a border that
 * reflects the tensor, copied from the output itself. */
#include <string.h>

#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_file.h"

/* One dimension of the walk, outermost first. */
struct level {
	size_t extent, before, after;
	size_t in_stride, out_stride; /* elements */
};

struct walk {
	struct level levels[NNPROG_MAX_RANK];
	uint32_t rank;
	size_t size;
	const void *value;
	struct nnfw_work work;
};

static int pad_level(struct walk *w, uint32_t depth, const uint8_t *in, uint8_t *out)
{
	const struct level *l = &w->levels[depth];
	size_t step = l->out_stride * w->size;
	int ret = nnfw_fill_long(&w->work, out, l->before * l->out_stride, w->size, w->value);

	if (ret)
		return ret;
	out += l->before * step;
	if (depth + 1 == w->rank) {
		ret = nnfw_copy_long(&w->work, out, in, l->extent * w->size);
		out += l->extent * w->size;
	} else {
		for (size_t i = 0; !ret && i < l->extent; i++) {
			ret = pad_level(w, depth + 1, in, out);
			in += l->in_stride * w->size;
			out += step;
		}
	}
	return ret ? ret
		   : nnfw_fill_long(&w->work, out, l->after * l->out_stride, w->size, w->value);
}

/* Paddings from client memory, read once; they must lead to the output's shape. */
static int read_paddings(struct nnfw_op_ctx *ctx, size_t (*pads)[2])
{
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	const int32_t *values = ctx->in[1].data;

	for (uint32_t i = 0; i < in->rank; i++) {
		const int32_t pair[2] = { NNUTIL_READ_ONCE(values[2 * i]),
					  NNUTIL_READ_ONCE(values[2 * i + 1]) };

		if (pair[0] < 0 || pair[1] < 0)
			return nnfw_refuse(ctx, "paddings[%u] are %d, %d", i, pair[0], pair[1]);
		if ((uint64_t)in->dims[i] + (uint32_t)pair[0] + (uint32_t)pair[1] != out->dims[i])
			return nnfw_refuse(ctx, "paddings[%u] changed during the run", i);
		pads[i][0] = (size_t)pair[0];
		pads[i][1] = (size_t)pair[1];
	}
	return 0;
}

/* Levels from the innermost dimension outwards; one that is not padded merges into the next. */
static void pad_plan(struct walk *w, const struct nnfw_tensor *in, const struct nnfw_tensor *out,
		     size_t (*pads)[2])
{
	struct level levels[NNPROG_MAX_RANK];
	size_t in_stride = 1, out_stride = 1;
	uint32_t n = 0;

	for (uint32_t i = in->rank; i-- > 0;) {
		struct level *inner = &levels[n ? n - 1 : 0];

		if (n && !inner->before && !inner->after) {
			inner->before = pads[i][0] * inner->extent;
			inner->after = pads[i][1] * inner->extent;
			inner->extent *= in->dims[i];
		} else {
			levels[n++] = (struct level){ in->dims[i], pads[i][0], pads[i][1],
						      in_stride, out_stride };
		}
		in_stride *= in->dims[i];
		out_stride *= out->dims[i];
	}
	if (!n)
		levels[n++] = (struct level){ 1, 0, 0, 1, 1 };
	for (uint32_t i = 0; i < n; i++)
		w->levels[i] = levels[n - 1 - i];
	w->rank = n;
}

static int pad_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	struct walk w = { .size = nnprog_dtype_size(in->dtype), .work.progress = ctx->progress };
	size_t pads[NNPROG_MAX_RANK][2];
	uint32_t zero;
	int ret;

	if (in->rank != out->rank || ctx->in[1].elements != 2u * in->rank)
		return nnfw_refuse(ctx, "paddings do not fit rank %u", in->rank);
	ret = read_paddings(ctx, pads);
	if (ret)
		return ret;
	zero = nnfw_zero_value(in);
	w.value = &zero;
	if (ctx->num_in > 2 && !ctx->in[2].omitted) {
		if (ctx->in[2].elements != 1 || w.size > sizeof(zero))
			return nnfw_refuse(ctx, "value is not one element of up to 4 bytes");
		memcpy(&zero, ctx->in[2].data, w.size);
	}
	pad_plan(&w, in, out, pads);
	return pad_level(&w, 0, in->data, out->data);
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
	const int32_t *pads = ctx->in[1].data;
	struct mirror m = { .rank = in->rank,
			    .symmetric = a->symmetric,
			    .work.progress = ctx->progress };
	size_t in_step, out_step;

	if (!in->rank || out->rank != in->rank || ctx->in[1].elements != 2u * in->rank)
		return nnfw_refuse(ctx, "paddings do not fit rank %u", in->rank);
	in_step = out_step = nnprog_dtype_size(in->dtype);
	for (uint32_t i = in->rank; i-- > 0;) {
		int32_t before = NNUTIL_READ_ONCE(pads[2 * i]),
			after = NNUTIL_READ_ONCE(pads[2 * i + 1]);
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

const struct nnfw_op nnfw_op_pad = {
	.opcode = NNPROG_OP_PAD,
	.types = NNFW_TYPES_ALL,
	.run = pad_run,
};

const struct nnfw_op nnfw_op_mirror_pad = {
	.opcode = NNPROG_OP_MIRROR_PAD,
	.types = NNFW_TYPES_ALL,
	.run = mirror_pad_run,
};
