// SPDX-License-Identifier: Apache-2.0
/*
 * BINARY: ADD, SUB, MUL, DIV; the other functions are in binary_choice.c.
 *
 * 8 bits: MUL is the requantization rule on (x - zx) * (y - zy); ADD and SUB are
 * (float)(x - zx) * (float)(s_x / s_out) +- (float)(y - zy) * (float)(s_y / s_out), rounded as the
 * rule does.
 */
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "binary_choice.h"
#include "kernels/broadcast.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"

struct params {
	uint32_t kind;
	float lo, hi; /* float activation */
	int32_t zero_a, zero_b; /* 8 bits */
	float scale_a, scale_b; /* ADD, SUB: steps of the output; MUL: scale_a is the multiplier */
	struct nnfw_requant q;
};

static void row_f32(const void *params, const void *va, const void *vb, void *vout, size_t n,
		    size_t step_a, size_t step_b)
{
	const struct params *p = params;
	const float *a = va, *b = vb, lo = p->lo, hi = p->hi;
	float *out = vout;

	switch (p->kind) {
	case NNPROG_BINARY_ADD:
		NNFW_WALK(float, nnfw_clampf(x + y, lo, hi));
		break;
	case NNPROG_BINARY_SUB:
		NNFW_WALK(float, nnfw_clampf(x - y, lo, hi));
		break;
	case NNPROG_BINARY_MUL:
		NNFW_WALK(float, nnfw_clampf(x * y, lo, hi));
		break;
	default:
		NNFW_WALK(float, nnfw_clampf(x / y, lo, hi));
		break;
	}
}

static void row_f16(const void *params, const void *a, const void *b, void *out, size_t n,
		    size_t step_a, size_t step_b)
{
	nnfw_half_row(row_f32, params, a, b, out, n, step_a, step_b);
}

static int32_t floor_divide(int32_t x, int32_t y)
{
	int64_t q;

	/* the value of a division by 0 is free; INT32_MIN / -1 wraps like the other operations */
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
	const struct params *p = params;
	const uint32_t *a = va, *b = vb;
	uint32_t *out = vout;

	switch (p->kind) {
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

#define QUANT_ROW(name, type)                                                                      \
	static void name(const void *params, const void *va, const void *vb, void *vout, size_t n, \
			 size_t step_a, size_t step_b)                                             \
	{                                                                                          \
		const struct params *p = params;                                                   \
		const struct nnfw_requant q = p->q;                                                \
		const float ma = p->scale_a, mb = p->scale_b;                                      \
		const int32_t za = p->zero_a, zb = p->zero_b;                                      \
		const type *a = va, *b = vb;                                                       \
		type *out = vout;                                                                  \
                                                                                                   \
		switch (p->kind) {                                                                 \
		case NNPROG_BINARY_ADD:                                                            \
			NNFW_WALK(int32_t,                                                         \
				  (type)nnfw_requant_real(                                         \
					  (float)(x - za) * ma + (float)(y - zb) * mb, &q));       \
			break;                                                                     \
		case NNPROG_BINARY_SUB:                                                            \
			NNFW_WALK(int32_t,                                                         \
				  (type)nnfw_requant_real(                                         \
					  (float)(x - za) * ma - (float)(y - zb) * mb, &q));       \
			break;                                                                     \
		default:                                                                           \
			NNFW_WALK(int32_t, (type)nnfw_requantize((x - za) * (y - zb), ma, &q));    \
			break;                                                                     \
		}                                                                                  \
	}

QUANT_ROW(row_u8, uint8_t)
QUANT_ROW(row_s8, int8_t)

static nnfw_row_fn *select_row(uint32_t dtype)
{
	switch (dtype) {
	case NNPROG_FLOAT32:
		return row_f32;
	case NNPROG_FLOAT16:
		return row_f16;
	case NNPROG_INT32:
		return row_s32;
	case NNPROG_INT8:
		return row_s8;
	default:
		return row_u8;
	}
}

static struct params parameters(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_binary *attr = ctx->attrs;
	const struct nnfw_tensor *a = &ctx->in[0], *b = &ctx->in[1], *out = &ctx->out[0];
	struct params p = { .kind = attr->kind };

	nnfw_activation_range(attr->activation, &p.lo, &p.hi);
	if (!nnfw_is_quant8(a->dtype))
		return p;
	p.q = nnfw_requant_output(out, attr->activation);
	p.zero_a = a->zero_point;
	p.zero_b = b->zero_point;
	if (attr->kind == NNPROG_BINARY_MUL) {
		p.scale_a = (float)((double)a->scale * b->scale / out->scale);
	} else {
		p.scale_a = (float)((double)a->scale / out->scale);
		p.scale_b = (float)((double)b->scale / out->scale);
	}
	return p;
}

static int binary_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_binary *a = ctx->attrs;
	struct params p;

	if (a->kind > NNPROG_BINARY_DIV)
		return nnfw_binary_choice(ctx);
	p = parameters(ctx);
	return nnfw_broadcast(ctx, select_row(ctx->out[0].dtype), &p);
}

const struct nnfw_op nnfw_op_binary = {
	.opcode = NNPROG_OP_BINARY,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8 | NNFW_TYPE(INT32) | NNFW_TYPE(BOOL8),
	.run = binary_run,
};
