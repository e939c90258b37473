// SPDX-License-Identifier: Apache-2.0
/*
 * BINARY: MAXIMUM, MINIMUM, POW, PRELU, AND, OR.
 *
 * 8 bits: MAXIMUM and MINIMUM compare what nnfw_requant_table() makes of both codes. PRELU is the
 * requantization rule on x - zx with s_x / s_out where that is not negative, else on
 * (x - zx) * (alpha - za) with s_x * s_alpha / s_out.
 */
#include <math.h>

#include "binary_choice.h"
#include "isa/isa.h"
#include "kernels/broadcast.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnprog_attrs.h"
#include "nnprog_shape.h"

struct params {
	uint32_t kind;
	nnfw_row_fn *row;
	struct nnfw_q8_binary q8; /* PRELU, 8 bits */
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
	nnfw_half_row(row_f32, params, a, b, out, n, step_a, step_b, false);
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

void nnfw_q8_binary_codes(struct nnfw_q8_binary *p, const struct nnfw_op_ctx *ctx,
			  uint32_t activation)
{
	const struct nnfw_tensor *out = &ctx->out[0];
	const struct nnfw_requant rule = nnfw_requant_output(out, activation);
	int32_t offset = out->dtype == NNPROG_INT8 ? 128 : 0;

	p->flip = (uint8_t)offset;
	p->zero_a = ctx->in[0].zero_point + offset;
	p->zero_b = ctx->in[1].zero_point + offset;
	p->zero = out->zero_point + offset;
	p->lo = (int32_t)rule.lo + p->zero;
	p->hi = (int32_t)rule.hi + p->zero;
}

static bool is_code(int32_t zero)
{
	return zero >= 0 && zero <= 255;
}

bool nnfw_q8_binary_fits(const struct nnfw_q8_binary *p)
{
	/* not so: infinities and NaN, or sums that no integer holds */
	return fabsf(p->scale_a) + fabsf(p->scale_b) < NNFW_Q8_BINARY_MAX_SCALE &&
	       is_code(p->zero_a) && is_code(p->zero_b) && is_code(p->zero);
}

static void prepare_prelu(struct params *p, const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *a = &ctx->in[0], *b = &ctx->in[1], *out = &ctx->out[0];
	const struct nnfw_q8_binary_kernels *k = NNFW_KERNELS(q8_binary);

	nnfw_q8_binary_codes(&p->q8, ctx, NNPROG_ACT_NONE);
	p->q8.scale_a = (float)((double)a->scale / out->scale);
	p->q8.scale_b = (float)((double)a->scale * b->scale / out->scale);
	p->row = nnfw_q8_binary_fits(&p->q8) ? k->prelu : nnfw_q8_binary_scalar.prelu;
}

static nnfw_row_fn *select_row(uint32_t dtype)
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
		return row_tables;
	}
}

static void binary_choice_prepare(struct params *p, const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_binary *attr = ctx->attrs;

	p->kind = attr->kind;
	p->row = select_row(ctx->in[0].dtype);
	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return;
	if (attr->kind == NNPROG_BINARY_PRELU) {
		prepare_prelu(p, ctx);
	} else {
		nnfw_requant_table(p->table_a, &ctx->in[0], &ctx->out[0]);
		nnfw_requant_table(p->table_b, &ctx->in[1], &ctx->out[0]);
	}
}

int nnfw_binary_choice_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return 0;
	*state = nnfw_alloc_state(ctx, sizeof(struct params));
	if (!*state)
		return -ENOMEM;
	*size = sizeof(struct params);
	binary_choice_prepare(*state, ctx);
	return 0;
}

int nnfw_binary_choice(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_binary *attr = ctx->attrs;
	bool prelu = attr->kind == NNPROG_BINARY_PRELU && nnfw_is_quant8(ctx->in[0].dtype);
	const struct params *p = ctx->state;
	struct params now;

	if (!p) {
		binary_choice_prepare(&now, ctx);
		p = &now;
	}
	return nnfw_broadcast(ctx, p->row, prelu ? (const void *)&p->q8 : p);
}
