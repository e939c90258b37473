// SPDX-License-Identifier: Apache-2.0
/*
 * COMPARE: 8-bit codes by their real values, (float)(q - zero_point) * scale; booleans as false <
 * true.
 */
#include "broadcast.h"
#include "move.h"
#include "requant.h"

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
ROW(row_f16, uint16_t, nnfw_half_to_float(x), nnfw_half_to_float(y))
ROW(row_s32, int32_t, x, y)
ROW(row_bool, uint8_t, x != 0, y != 0)
ROW(row_quant, uint8_t, p->real_a[x], p->real_b[y])

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

const struct nnfw_op nnfw_op_compare = {
	.opcode = NNPROG_OP_COMPARE,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8 | NNFW_TYPE(INT32) | NNFW_TYPE(BOOL8),
	.run = compare_run,
};
