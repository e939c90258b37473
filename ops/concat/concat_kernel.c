// SPDX-License-Identifier: Apache-2.0
/*
 * CONCATENATION, and PACK, where the axis is new. An 8-bit input whose quantization differs from
 * the output's is requantized by a table: round(q * scale + bias) + zp', scale = s * (1 / s'), bias
 * = -zp * scale, in float32, ties away from zero.
 */
#include <math.h>
#include <string.h>

#include "isa/isa.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "q8_map/q8_map.h"

static bool requantized(const struct nnfw_tensor *in, const struct nnfw_tensor *out)
{
	return nnfw_is_quant8(in->dtype) &&
	       (in->scale != out->scale || in->zero_point != out->zero_point);
}

static void make_table(uint8_t *table, const struct nnfw_tensor *in, const struct nnfw_tensor *out)
{
	float scale = in->scale * (1.0f / out->scale), bias = -(float)in->zero_point * scale;
	int32_t lo, hi;

	nnfw_type_range(out->dtype, &lo, &hi);
	for (uint32_t i = 0; i < 256; i++) {
		float product = (float)nnfw_code(in->dtype, (uint8_t)i) * scale;
		double v = (double)roundf(product + bias) + out->zero_point;

		v = v > lo ? v : lo;
		v = v < hi ? v : hi;
		table[i] = (uint8_t)(int32_t)v;
	}
}

static size_t concat_scratch(const struct nnfw_op_ctx *ctx)
{
	(void)ctx;
	return 256;
}

/* Bytes that are worth a thread. */
#define GRAIN 32768u

/* One input: rows of @n bytes become parts of rows of @row bytes. */
struct part {
	const uint8_t *from, *table; /* NULL: copied */
	uint8_t *to;
	size_t n, row;
};

static int part_row(const struct part *p, struct nnfw_work *work, size_t o)
{
	const uint8_t *from = p->from + o * p->n;
	uint8_t *to = p->to + o * p->row;

	if (!p->table)
		return nnfw_copy_long(work, to, from, p->n);
	for (size_t i = 0, end; i < p->n; i = end) {
		end = nnfw_slice(work, i, p->n);
		if (!end)
			return -ECANCELED;
		NNFW_KERNELS(q8_map)->lookup(to + i, from + i, end - i, p->table);
	}
	return 0;
}

static int part_rows(void *arg, uint32_t slot, size_t first, size_t end,
		     struct nnfw_progress *progress)
{
	struct nnfw_work work = { .progress = progress };
	int ret = 0;

	(void)slot;
	for (size_t o = first; o < end && !ret; o++)
		ret = part_row(arg, &work, o);
	return ret;
}

static int concat_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_axis *a = ctx->attrs;
	const struct nnfw_tensor *out = &ctx->out[0];
	size_t size = nnprog_dtype_size(out->dtype), outer, at = 0;
	struct part part = { 0 };
	uint32_t axis;
	int ret = 0;

	if (!out->elements)
		return 0;
	axis = a->pack ? (uint32_t)a->axis : nnfw_axis(a->axis, out->rank);
	outer = nnfw_extent(out, 0, axis);
	part.row = nnfw_extent(out, axis, out->rank) * size;
	for (uint32_t k = 0; k < ctx->num_in && !ret; k++) {
		const struct nnfw_tensor *in = &ctx->in[k];

		ret = nnfw_progress_tick(ctx->progress);
		part.n = nnfw_extent(in, axis, in->rank) * size;
		part.from = in->data;
		part.to = (uint8_t *)out->data + at;
		part.table = requantized(in, out) ? ctx->scratch : NULL;
		at += part.n;
		if (!part.n || ret)
			continue;
		if (part.table)
			make_table(ctx->scratch, in, out);
		ret = nnfw_split(ctx, outer, 1 + GRAIN / part.n, part_rows, &part);
	}
	return ret;
}

const struct nnfw_op nnfw_op_concatenation = {
	.opcode = NNPROG_OP_CONCATENATION,
	.types = (1u << NNPROG_DTYPE_COUNT) - 1,
	.scratch = concat_scratch,
	.run = concat_run,
};
