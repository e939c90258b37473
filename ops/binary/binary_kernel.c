// SPDX-License-Identifier: Apache-2.0
/*
 * BINARY: ADD, SUB, MUL, DIV. The other functions: binary_choice.c.
 *
 * 8 bits: MUL is the requantization rule on (x - zx) * (y - zy); ADD and SUB are
 * (float)(x - zx) * (float)(s_x / s_out) +- (float)(y - zy) * (float)(s_y / s_out), rounded as the
 * rule does.
 */
#include <stdlib.h>

#include "binary_choice.h"
#include "f32_binary/f32_binary.h"
#include "isa/isa.h"
#include "kernels/broadcast.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "q8_binary/q8_binary.h"

/* All that does not depend on the data; load() makes it once. Does not move: @params points into
 * it. */
struct binary {
	nnfw_row_fn *row;
	const void *params;
	uint32_t kind;
	struct {
		struct nnfw_f32_binary p;
		nnfw_row_fn *row;
	} single;
	struct nnfw_q8_binary q8;
	struct nnfw_walk walk; /* rank 0: shapes are known in the run only */
};

static void row_f16(const void *params, const void *a, const void *b, void *out, size_t n,
		    size_t step_a, size_t step_b)
{
	const struct binary *binary = params;

	nnfw_half_row(binary->single.row, &binary->single.p, a, b, out, n, step_a, step_b, false);
}

static int32_t floor_divide(int32_t x, int32_t y)
{
	int64_t q;

	/* a division by 0 may give any value; INT32_MIN / -1 wraps like the other operations */
	if (!y)
		return 0;
	q = (int64_t)x / y;
	if ((int64_t)x % y && (x < 0) != (y < 0))
		q--;
	return (int32_t)(uint32_t)(uint64_t)q;
}

static void row_s32(const void *params, const void *va, const void *vb, void *vout, size_t n,
		    size_t step_a, size_t step_b)
{
	const uint32_t *kind = params;
	const uint32_t *a = va, *b = vb;
	uint32_t *out = vout;

	switch (*kind) {
	case NNPROG_BINARY_ADD:
		NNFW_WALK(uint32_t, x + y);
		break;
	case NNPROG_BINARY_SUB:
		NNFW_WALK(uint32_t, x - y);
		break;
	case NNPROG_BINARY_MUL:
		NNFW_WALK(uint32_t, x * y);
		break;
	default:
		NNFW_WALK(uint32_t, (uint32_t)floor_divide((int32_t)x, (int32_t)y));
		break;
	}
}

static void prepare_float(struct binary *b, const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_binary *attr = ctx->attrs;
	const struct nnfw_f32_binary_kernels *k = NNFW_KERNELS(f32_binary);
	nnfw_row_fn *const rows[] = {
		[NNPROG_BINARY_ADD] = k->add,
		[NNPROG_BINARY_SUB] = k->sub,
		[NNPROG_BINARY_MUL] = k->mul,
		[NNPROG_BINARY_DIV] = k->div,
	};
	bool half = ctx->in[0].dtype == NNPROG_FLOAT16;

	nnfw_activation_range(attr->activation, &b->single.p.lo, &b->single.p.hi);
	b->single.row = rows[attr->kind];
	b->row = half ? row_f16 : b->single.row;
	b->params = half ? (const void *)b : &b->single.p;
}

static void prepare_quant(struct binary *b, const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_binary *attr = ctx->attrs;
	const struct nnfw_tensor *x = &ctx->in[0], *y = &ctx->in[1], *out = &ctx->out[0];
	const struct nnfw_q8_binary_kernels *k = NNFW_KERNELS(q8_binary);
	struct nnfw_q8_binary *p = &b->q8;

	nnfw_q8_binary_codes(p, ctx, attr->activation);
	if (attr->kind == NNPROG_BINARY_MUL) {
		p->scale_a = (float)((double)x->scale * y->scale / out->scale);
		p->scale_b = 0;
	} else {
		p->scale_a = (float)((double)x->scale / out->scale);
		p->scale_b = (float)((double)y->scale / out->scale);
		if (attr->kind == NNPROG_BINARY_SUB)
			p->scale_b = -p->scale_b;
	}
	k = nnfw_q8_binary_fits(p) ? k : &nnfw_q8_binary_scalar;
	b->row = attr->kind == NNPROG_BINARY_MUL ? k->mul : k->add;
	b->params = p;
}

static void binary_prepare(struct binary *b, const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_binary *attr = ctx->attrs;

	b->walk.rank = 0;
	if (nnfw_is_quant8(ctx->in[0].dtype)) {
		prepare_quant(b, ctx);
	} else if (ctx->in[0].dtype == NNPROG_INT32) {
		b->kind = attr->kind;
		b->row = row_s32;
		b->params = &b->kind;
	} else {
		prepare_float(b, ctx);
	}
}

static int binary_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnprog_attr_binary *attr = ctx->attrs;
	struct binary *b;

	*state = NULL;
	*size = 0;
	if (attr->kind > NNPROG_BINARY_DIV)
		return nnfw_binary_choice_load(ctx, state, size);
	b = nnfw_alloc_state(ctx, sizeof(*b));
	if (!b)
		return -ENOMEM;
	binary_prepare(b, ctx);
	if (nnfw_shape_known(&ctx->in[0]) && nnfw_shape_known(&ctx->in[1]) &&
	    nnfw_shape_known(&ctx->out[0]))
		b->walk = nnfw_broadcast_plan(ctx);
	*state = b;
	*size = sizeof(*b);
	return 0;
}

static int binary_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_binary *attr = ctx->attrs;
	const struct binary *b = ctx->state;
	struct binary now;

	if (attr->kind > NNPROG_BINARY_DIV)
		return nnfw_binary_choice(ctx);
	if (!b) {
		binary_prepare(&now, ctx);
		b = &now;
	}
	if (b->walk.rank)
		return nnfw_broadcast_walk(ctx, &b->walk, b->row, b->params);
	return nnfw_broadcast(ctx, b->row, b->params);
}

const struct nnfw_op nnfw_op_binary = {
	.opcode = NNPROG_OP_BINARY,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8 | NNFW_TYPE(INT32) | NNFW_TYPE(BOOL8),
	.load = binary_load,
	.unload = free,
	.run = binary_run,
};
