// SPDX-License-Identifier: Apache-2.0
/*
 * COMPARE: 8-bit codes by their real values, (float)(q - zero_point) * scale; booleans as false <
 * true. SELECT: the first choice where the condition is true; 8-bit codes become those of the
 * output.
 */
#include "kernels/broadcast.h"
#include "half/half.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"

struct params {
	uint32_t kind;
	float real_a[256], real_b[256]; /* by code */
};

/* All six of X and Y, which are expressions of x and y. */
#define COMPARE(type, X, Y)                          \
	do {                                         \
		switch (p->kind) {                   \
		case NNPROG_COMPARE_EQUAL:           \
			NNFW_WALK(type, (X) == (Y)); \
			break;                       \
		case NNPROG_COMPARE_NOT_EQUAL:       \
			NNFW_WALK(type, (X) != (Y)); \
			break;                       \
		case NNPROG_COMPARE_GREATER:         \
			NNFW_WALK(type, (X) > (Y));  \
			break;                       \
		case NNPROG_COMPARE_GREATER_EQUAL:   \
			NNFW_WALK(type, (X) >= (Y)); \
			break;                       \
		case NNPROG_COMPARE_LESS:            \
			NNFW_WALK(type, (X) < (Y));  \
			break;                       \
		default:                             \
			NNFW_WALK(type, (X) <= (Y)); \
			break;                       \
		}                                    \
	} while (0)

#define ROW(name, type, X, Y)                                                                      \
	static void name(const void *params, const void *va, const void *vb, void *vout, size_t n, \
			 size_t step_a, size_t step_b)                                             \
	{                                                                                          \
		const struct params *p = params;                                                   \
		const type *a = va, *b = vb;                                                       \
		uint8_t *out = vout;                                                               \
                                                                                                   \
		COMPARE(type, X, Y);                                                               \
	}

ROW(row_f32, float, x, y)
ROW(row_s32, int32_t, x, y)
ROW(row_bool, uint8_t, x != 0, y != 0)
ROW(row_quant, uint8_t, p->real_a[x], p->real_b[y])

static void row_f16(const void *params, const void *a, const void *b, void *out, size_t n,
		    size_t step_a, size_t step_b)
{
	nnfw_half_row(row_f32, params, a, b, out, n, step_a, step_b, true);
}

static void real_values(float *real, const struct nnfw_tensor *t)
{
	for (uint32_t i = 0; i < 256; i++)
		real[i] = (float)(nnfw_code(t->dtype, (uint8_t)i) - t->zero_point) * t->scale;
}

static int compare_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_compare *attr = ctx->attrs;
	struct params p;

	p.kind = attr->kind;
	switch (ctx->in[0].dtype) {
	case NNPROG_FLOAT32:
		return nnfw_broadcast(ctx, row_f32, &p);
	case NNPROG_FLOAT16:
		return nnfw_broadcast(ctx, row_f16, &p);
	case NNPROG_INT32:
		return nnfw_broadcast(ctx, row_s32, &p);
	case NNPROG_BOOL8:
		return nnfw_broadcast(ctx, row_bool, &p);
	default:
		real_values(p.real_a, &ctx->in[0]);
		real_values(p.real_b, &ctx->in[1]);
		return nnfw_broadcast(ctx, row_quant, &p);
	}
}

#define CHOOSE(T)                                                       \
	do {                                                            \
		const T *a = (const T *)x + at, *b = (const T *)y + at; \
		T *to = (T *)out + at;                                  \
		for (size_t i = 0; i < n; i++)                          \
			to[i] = condition[i] ? a[i] : b[i];             \
	} while (0)

static void compare_choose(const uint8_t *condition, const void *x, const void *y, void *out,
			   size_t at, size_t n, size_t size)
{
	if (size == 1)
		CHOOSE(uint8_t);
	else if (size == 2)
		CHOOSE(uint16_t);
	else
		CHOOSE(uint32_t);
}

static int select_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *x = &ctx->in[1], *y = &ctx->in[2], *out = &ctx->out[0];
	bool quant = nnfw_is_quant8(out->dtype);
	size_t size = nnprog_dtype_size(out->dtype);
	const uint8_t *condition = ctx->in[0].data;
	struct nnfw_work work = { .progress = ctx->progress };
	int16_t tx[256], ty[256];

	if (quant) {
		nnfw_requant_table(tx, x, out);
		nnfw_requant_table(ty, y, out);
	}
	for (size_t i = 0, n; i < out->elements; i += n) {
		size_t end = nnfw_slice(&work, i, out->elements);

		if (!end)
			return -ECANCELED;
		n = end - i;
		if (quant) {
			const uint8_t *a = (const uint8_t *)x->data + i,
				      *b = (const uint8_t *)y->data + i;
			uint8_t *to = (uint8_t *)out->data + i;

			for (size_t k = 0; k < n; k++)
				to[k] = (uint8_t)(condition[i + k] ? tx[a[k]] : ty[b[k]]);
		} else {
			compare_choose(condition + i, x->data, y->data, out->data, i, n, size);
		}
	}
	return 0;
}

const struct nnfw_op nnfw_op_compare = {
	.opcode = NNPROG_OP_COMPARE,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8 | NNFW_TYPE(INT32) | NNFW_TYPE(BOOL8),
	.run = compare_run,
};

const struct nnfw_op nnfw_op_select = {
	.opcode = NNPROG_OP_SELECT,
	.types = NNFW_TYPE(BOOL8),
	.run = select_run,
};
