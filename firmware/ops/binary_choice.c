// SPDX-License-Identifier: Apache-2.0
/*
 * BINARY: MAXIMUM, MINIMUM, POW, PRELU, AND, OR.
 *
 * 8 bits: MAXIMUM and MINIMUM compare what nnfw_requant_table() makes of both codes. PRELU is the
 * requantization rule on x - zx with s_x / s_out where that is not negative, else on
 * (x - zx) * (alpha - za) with s_x * s_alpha / s_out.
 */
#include <math.h>

#include "nnprog_attrs.h"
#include "nnprog_shape.h"
#include "binary_choice.h"
#include "kernels/broadcast.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"

struct params {
	uint32_t kind;
	int32_t zero_a, zero_b; /* PRELU, 8 bits */
	float positive, negative; /* multipliers */
	struct nnfw_requant q;
	int16_t table_a[256], table_b[256]; /* MAXIMUM, MINIMUM, 8 bits */
};

static void row_f32(const void *params, const void *va, const void *vb, void *vout, size_t n,
		    size_t step_a, size_t step_b)
{
	const struct params *p = params;
	const float *a = va, *b = vb;
	float *out = vout;

	switch (p->kind) {
	case NNPROG_BINARY_MAXIMUM:
		NNFW_WALK(float, x < y ? y : x);
		break;
	case NNPROG_BINARY_MINIMUM:
		NNFW_WALK(float, y < x ? y : x);
		break;
	case NNPROG_BINARY_POW:
		NNFW_WALK(float, powf(x, y));
		break;
	default:
		NNFW_WALK(float, x >= 0 ? x : x * y);
		break;
	}
}

static void row_f16(const void *params, const void *a, const void *b, void *out, size_t n,
		    size_t step_a, size_t step_b)
{
	nnfw_half_row(row_f32, params, a, b, out, n, step_a, step_b);
}

static void row_s32(const void *params, const void *va, const void *vb, void *vout, size_t n,
		    size_t step_a, size_t step_b)
{
	const struct params *p = params;
	const int32_t *a = va, *b = vb;
	int32_t *out = vout;

	if (p->kind == NNPROG_BINARY_MAXIMUM)
		NNFW_WALK(int32_t, x < y ? y : x);
	else
		NNFW_WALK(int32_t, y < x ? y : x);
}

static void row_bool(const void *params, const void *va, const void *vb, void *vout, size_t n,
		     size_t step_a, size_t step_b)
{
	const struct params *p = params;
	const uint8_t *a = va, *b = vb;
	uint8_t *out = vout;

	if (p->kind == NNPROG_BINARY_AND)
		NNFW_WALK(uint8_t, (x != 0) & (y != 0));
	else
		NNFW_WALK(uint8_t, (x | y) != 0);
}

/* Codes of either type as they are stored: the tables know the type. */
static void row_tables(const void *params, const void *va, const void *vb, void *vout, size_t n,
		       size_t step_a, size_t step_b)
{
	const struct params *p = params;
	const int16_t *ta = p->table_a, *tb = p->table_b;
	const uint8_t *a = va, *b = vb;
	uint8_t *out = vout;

	if (p->kind == NNPROG_BINARY_MAXIMUM)
		NNFW_WALK(uint8_t, (uint8_t)(ta[x] < tb[y] ? tb[y] : ta[x]));
	else
		NNFW_WALK(uint8_t, (uint8_t)(tb[y] < ta[x] ? tb[y] : ta[x]));
}

#define PRELU_ROW(name, type)                                                                      \
	static void name(const void *params, const void *va, const void *vb, void *vout, size_t n, \
			 size_t step_a, size_t step_b)                                             \
	{                                                                                          \
		const struct params *p = params;                                                   \
		const struct nnfw_requant q = p->q;                                                \
		const float positive = p->positive, negative = p->negative;                        \
		const int32_t za = p->zero_a, zb = p->zero_b;                                      \
		const type *a = va, *b = vb;                                                       \
		type *out = vout;                                                                  \
                                                                                                   \
		NNFW_WALK(int32_t, (type)nnfw_requantize(x >= za ? x - za : (x - za) * (y - zb),   \
							 x >= za ? positive : negative, &q));      \
	}

PRELU_ROW(row_prelu_u8, uint8_t)
PRELU_ROW(row_prelu_s8, int8_t)

static nnfw_row_fn *select_row(uint32_t kind, uint32_t dtype)
{
	switch (dtype) {
	case NNPROG_FLOAT32:
		return row_f32;
	case NNPROG_FLOAT16:
		return row_f16;
	case NNPROG_INT32:
		return row_s32;
	case NNPROG_BOOL8:
		return row_bool;
	default:
		if (kind != NNPROG_BINARY_PRELU)
			return row_tables;
		return dtype == NNPROG_INT8 ? row_prelu_s8 : row_prelu_u8;
	}
}

int nnfw_binary_choice(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_binary *attr = ctx->attrs;
	const struct nnfw_tensor *a = &ctx->in[0], *b = &ctx->in[1], *out = &ctx->out[0];
	struct params p;

	p.kind = attr->kind;
	if (nnfw_is_quant8(a->dtype) && attr->kind == NNPROG_BINARY_PRELU) {
		p.zero_a = a->zero_point;
		p.zero_b = b->zero_point;
		p.positive = (float)((double)a->scale / out->scale);
		p.negative = (float)((double)a->scale * b->scale / out->scale);
		p.q = nnfw_requant_output(out, NNPROG_ACT_NONE);
	} else if (nnfw_is_quant8(a->dtype)) {
		nnfw_requant_table(p.table_a, a, out);
		nnfw_requant_table(p.table_b, b, out);
	}
	return nnfw_broadcast(ctx, select_row(attr->kind, a->dtype), &p);
}
