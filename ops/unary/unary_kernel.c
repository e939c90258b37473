// SPDX-License-Identifier: Apache-2.0
/*
 * UNARY: functions of one element. A function of an 8-bit tensor is a table of 256 results, made by
 * load(), or in scratch memory when there is no state.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "f32_math/f32_math_kernels.h"
#include "half/half.h"
#include "isa/isa.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "q8_map/q8_map.h"

/* Elements of a piece: of tables and vectors, of nnfw_f32_math_kernels, and of functions of libm.
 */
#define PIECE 8192u
#define PIECE_MATH 2048u
#define PIECE_LIBM 512u

/* ---- floats ---- */

#define MAP(EXPR)                                \
	do {                                     \
		for (size_t i = 0; i < n; i++) { \
			float x = in[i];         \
			out[i] = EXPR;           \
		}                                \
	} while (0)

typedef void math_fn(float *x, size_t n);

/* The function of the instruction set, or NULL. */
static math_fn *math_of(const struct nnprog_attr_unary *a)
{
	switch (a->kind) {
	case NNPROG_UNARY_LOGISTIC:
		return NNFW_KERNELS(f32_math)->sigmoid;
	case NNPROG_UNARY_TANH:
		return NNFW_KERNELS(f32_math)->tanh;
	case NNPROG_UNARY_EXP:
		return NNFW_KERNELS(f32_math)->exp;
	default:
		return NULL;
	}
}

static void map_math(math_fn *f, const float *in, float *out, size_t n)
{
	for (size_t i = 0, count; i < n; i += count) {
		count = n - i < PIECE_MATH ? n - i : PIECE_MATH;
		memmove(out + i, in + i, count * sizeof(*out));
		f(out + i, count);
	}
}

/* max(0, x) + min(0, alpha * (e^x - 1)); for alpha >= 0 one of them is 0. */
static void map_elu(float alpha, const float *in, float *out, size_t n)
{
	float chunk[NNFW_CHUNK];

	if (!(alpha >= 0)) {
		MAP(x < 0 ? fminf(0, alpha * expm1f(x)) : x + fminf(0, alpha * expm1f(x)));
		return;
	}
	for (size_t i = 0, count; i < n; i += count) {
		count = n - i < NNFW_CHUNK ? n - i : NNFW_CHUNK;
		for (size_t k = 0; k < count; k++)
			chunk[k] = in[i + k] > 0 ? 0 : in[i + k];
		NNFW_KERNELS(f32_math)->expm1(chunk, count);
		for (size_t k = 0; k < count; k++)
			out[i + k] = in[i + k] > 0 ? in[i + k] : alpha * chunk[k];
	}
}

static void map_f32(const struct nnprog_attr_unary *a, const float *in, float *out, size_t n)
{
	math_fn *f = math_of(a);
	float lo, hi;

	if (f) {
		map_math(f, in, out, n);
		return;
	}
	switch (a->kind) {
	case NNPROG_UNARY_RELU:
		nnfw_activation_range(NNPROG_ACT_RELU, &lo, &hi);
		MAP(nnfw_clampf(x, lo, hi));
		break;
	case NNPROG_UNARY_RELU1:
		nnfw_activation_range(NNPROG_ACT_RELU1, &lo, &hi);
		MAP(nnfw_clampf(x, lo, hi));
		break;
	case NNPROG_UNARY_RELU6:
		nnfw_activation_range(NNPROG_ACT_RELU6, &lo, &hi);
		MAP(nnfw_clampf(x, lo, hi));
		break;
	case NNPROG_UNARY_ELU:
		map_elu(a->alpha, in, out, n);
		break;
	case NNPROG_UNARY_HARD_SWISH:
		MAP(x * nnfw_clampf(x + 3, 0, 6) / 6);
		break;
	case NNPROG_UNARY_ABS:
		MAP(fabsf(x));
		break;
	case NNPROG_UNARY_NEG:
		MAP(-x);
		break;
	case NNPROG_UNARY_FLOOR:
		MAP(floorf(x));
		break;
	case NNPROG_UNARY_LOG:
		MAP(logf(x));
		break;
	case NNPROG_UNARY_SIN:
		MAP(sinf(x));
		break;
	case NNPROG_UNARY_SQRT:
		MAP(sqrtf(x));
		break;
	default:
		MAP(1.0f / sqrtf(x));
		break;
	}
}

static void map_f16(const struct nnprog_attr_unary *a, const uint16_t *in, uint16_t *out, size_t n)
{
	float chunk[NNFW_CHUNK];

	for (size_t i = 0; i < n; i += NNFW_CHUNK) {
		size_t count = n - i < NNFW_CHUNK ? n - i : NNFW_CHUNK;

		nnfw_half_load(chunk, in + i, count);
		map_f32(a, chunk, chunk, count);
		nnfw_half_store(out + i, chunk, count);
	}
}

/* ---- 8 bits ---- */

/* Double, so that no processor's libm shows in the result; x is exact or rounded once. */
static double real_function(uint32_t kind, double x)
{
	switch (kind) {
	case NNPROG_UNARY_LOGISTIC:
		return 1 / (1 + exp(-x));
	case NNPROG_UNARY_TANH:
		return tanh(x);
	default:
		return x * fmin(fmax(x + 3, 0), 6) / 6; /* HARD_SWISH */
	}
}

static uint8_t quant_result(uint32_t kind, int32_t code, const struct nnfw_tensor *in,
			    const struct nnfw_tensor *out, const struct nnfw_requant *q)
{
	int32_t lo, hi;
	double steps;
	float x;

	nnfw_type_range(out->dtype, &lo, &hi);
	switch (kind) {
	case NNPROG_UNARY_RELU:
	case NNPROG_UNARY_RELU1:
	case NNPROG_UNARY_RELU6:
		/* the same quantization: a clamp of codes; else the rule */
		return (uint8_t)nnfw_requantize(code - in->zero_point,
						(float)((double)in->scale / out->scale), q);
	case NNPROG_UNARY_RSQRT:
		x = (float)(code - in->zero_point) * in->scale;
		return (uint8_t)nnfw_quantize(1.0f / sqrtf(x), out->scale, out->zero_point, lo, hi);
	default:
		steps = real_function(kind, (double)(code - in->zero_point) * in->scale) /
			out->scale;
		/* saturate in double: float would round before the rounding */
		steps = steps > q->lo ? steps : q->lo;
		steps = steps < q->hi ? steps : q->hi;
		return (uint8_t)((int32_t)rint(steps) + out->zero_point);
	}
}

static void make_table(const struct nnfw_op_ctx *ctx, uint8_t *table)
{
	const struct nnprog_attr_unary *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	uint32_t activation = a->kind == NNPROG_UNARY_RELU    ? NNPROG_ACT_RELU
			      : a->kind == NNPROG_UNARY_RELU1 ? NNPROG_ACT_RELU1
			      : a->kind == NNPROG_UNARY_RELU6 ? NNPROG_ACT_RELU6
							      : NNPROG_ACT_NONE;
	struct nnfw_requant q = nnfw_requant_output(out, activation);

	for (uint32_t i = 0; i < 256; i++)
		table[i] = quant_result(a->kind, nnfw_code(in->dtype, (uint8_t)i), in, out, &q);
}

/* ---- the operation ---- */

static int unary_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	*state = NULL;
	*size = 0;
	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return 0;
	*state = nnfw_alloc_state(ctx, 256);
	if (!*state)
		return -ENOMEM;
	*size = 256;
	make_table(ctx, *state);
	return 0;
}

static size_t unary_scratch(const struct nnfw_op_ctx *ctx)
{
	return nnfw_is_quant8(ctx->in[0].dtype) && !ctx->state ? 256 : 0;
}

static void map_s32(uint32_t kind, const int32_t *in, int32_t *out, size_t n)
{
	/* unsigned: INT32_MIN keeps its value */
	for (size_t i = 0; i < n; i++) {
		uint32_t negated = 0u - (uint32_t)in[i];

		out[i] = kind == NNPROG_UNARY_ABS && in[i] >= 0 ? in[i] : (int32_t)negated;
	}
}

static void map_bool(const uint8_t *in, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = !in[i];
}

struct mapping {
	const struct nnfw_op_ctx *ctx;
	const uint8_t *table;
};

static void map_range(void *arg, size_t i, size_t n)
{
	const struct mapping *m = arg;
	const struct nnprog_attr_unary *a = m->ctx->attrs;
	const struct nnfw_tensor *in = &m->ctx->in[0];
	size_t size = nnprog_dtype_size(in->dtype);
	const void *from = (const uint8_t *)in->data + i * size;
	void *to = (uint8_t *)m->ctx->out[0].data + i * size;

	switch (in->dtype) {
	case NNPROG_FLOAT32:
		map_f32(a, from, to, n);
		break;
	case NNPROG_FLOAT16:
		map_f16(a, from, to, n);
		break;
	case NNPROG_INT32:
		map_s32(a->kind, from, to, n);
		break;
	case NNPROG_BOOL8:
		map_bool(from, to, n);
		break;
	default:
		NNFW_KERNELS(q8_map)->lookup(to, from, n, m->table);
		break;
	}
}

static size_t piece_of(const struct nnprog_attr_unary *a, uint32_t dtype)
{
	if (dtype != NNPROG_FLOAT32 && dtype != NNPROG_FLOAT16)
		return PIECE;
	switch (a->kind) {
	case NNPROG_UNARY_LOG:
	case NNPROG_UNARY_SIN:
		return PIECE_LIBM;
	case NNPROG_UNARY_LOGISTIC:
	case NNPROG_UNARY_TANH:
	case NNPROG_UNARY_ELU:
	case NNPROG_UNARY_EXP:
		return PIECE_MATH;
	default:
		return dtype == NNPROG_FLOAT32 ? PIECE : PIECE_MATH;
	}
}

static int unary_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = &ctx->in[0];
	struct mapping m = { .ctx = ctx, .table = ctx->state };

	if (!in->elements)
		return 0;
	if (nnfw_is_quant8(in->dtype) && !m.table) {
		make_table(ctx, ctx->scratch);
		m.table = ctx->scratch;
	}
	return nnfw_each_range(ctx, in->elements, piece_of(ctx->attrs, in->dtype), map_range, &m);
}

const struct nnfw_op nnfw_op_unary = {
	.opcode = NNPROG_OP_UNARY,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8 | NNFW_TYPE(INT32) | NNFW_TYPE(BOOL8),
	.load = unary_load,
	.unload = free,
	.scratch = unary_scratch,
	.run = unary_run,
};
