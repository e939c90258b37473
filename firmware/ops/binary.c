// SPDX-License-Identifier: Apache-2.0
/*
 * BINARY: ADD, SUB, MUL, DIV with broadcasting. Dimensions that both operands walk alike are merged; the
 * innermost one is a row in which each operand either moves by one element or stands still.
 *
 * 8 bits: MUL is the requantization rule on (x - zx) * (y - zy); ADD and SUB are
 * (float)(x - zx) * (float)(s_x / s_out) +- (float)(y - zy) * (float)(s_y / s_out), rounded as the rule
 * does.
 */
#include "requant.h"

/* Elements between two ticks. */
#define TICK 65536u

struct params {
	uint32_t kind;
	float lo, hi;			/* float activation */
	int32_t zero_a, zero_b;		/* 8 bits */
	float scale_a, scale_b;		/* ADD, SUB: steps of the output; MUL: scale_a is the multiplier */
	struct nnfw_requant q;
};

/* A row of @n; step_a and step_b are 1 or 0. */
typedef void row_fn(const struct params *p, const void *a, const void *b, void *out, size_t n,
		    size_t step_a, size_t step_b);

/* Loops over the three ways to walk; EXPR is of x and y, in loops that the vectorizer takes. */
#define WALK(type, EXPR)                                                                               \
	do {                                                                                           \
		if (step_a && step_b) {                                                                \
			for (size_t i = 0; i < n; i++) {                                               \
				type x = a[i], y = b[i];                                               \
				out[i] = EXPR;                                                         \
			}                                                                              \
		} else if (step_a) {                                                                   \
			type y = *b;                                                                   \
			for (size_t i = 0; i < n; i++) {                                               \
				type x = a[i];                                                         \
				out[i] = EXPR;                                                         \
			}                                                                              \
		} else if (step_b) {                                                                   \
			type x = *a;                                                                   \
			for (size_t i = 0; i < n; i++) {                                               \
				type y = b[i];                                                         \
				out[i] = EXPR;                                                         \
			}                                                                              \
		} else {                                                                               \
			type x = *a, y = *b;                                                           \
			for (size_t i = 0; i < n; i++)                                                 \
				out[i] = EXPR;                                                         \
		}                                                                                      \
	} while (0)

static void row_f32(const struct params *p, const void *va, const void *vb, void *vout, size_t n,
		    size_t step_a, size_t step_b)
{
	const float *a = va, *b = vb, lo = p->lo, hi = p->hi;
	float *out = vout;

	switch (p->kind) {
	case NNPROG_BINARY_ADD:
		WALK(float, nnfw_clampf(x + y, lo, hi));
		break;
	case NNPROG_BINARY_SUB:
		WALK(float, nnfw_clampf(x - y, lo, hi));
		break;
	case NNPROG_BINARY_MUL:
		WALK(float, nnfw_clampf(x * y, lo, hi));
		break;
	default:
		WALK(float, nnfw_clampf(x / y, lo, hi));
		break;
	}
}

static void row_f16(const struct params *p, const void *va, const void *vb, void *vout, size_t n,
		    size_t step_a, size_t step_b)
{
	float a[NNFW_CHUNK], b[NNFW_CHUNK], out[NNFW_CHUNK];
	const uint16_t *ha = va, *hb = vb;

	for (size_t i = 0; i < n; i += NNFW_CHUNK) {
		size_t count = n - i < NNFW_CHUNK ? n - i : NNFW_CHUNK;

		nnfw_half_load(a, ha + i * step_a, step_a ? count : 1);
		nnfw_half_load(b, hb + i * step_b, step_b ? count : 1);
		row_f32(p, a, b, out, count, step_a, step_b);
		nnfw_half_store((uint16_t *)vout + i, out, count);
	}
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

static void row_s32(const struct params *p, const void *va, const void *vb, void *vout, size_t n,
		    size_t step_a, size_t step_b)
{
	const uint32_t *a = va, *b = vb;
	uint32_t *out = vout;

	switch (p->kind) {
	case NNPROG_BINARY_ADD:
		WALK(uint32_t, x + y);
		break;
	case NNPROG_BINARY_SUB:
		WALK(uint32_t, x - y);
		break;
	case NNPROG_BINARY_MUL:
		WALK(uint32_t, x * y);
		break;
	default:
		WALK(uint32_t, (uint32_t)floor_divide((int32_t)x, (int32_t)y));
		break;
	}
}

#define QUANT_ROW(name, type)                                                                          \
	static void name(const struct params *p, const void *va, const void *vb, void *vout, size_t n, \
			 size_t step_a, size_t step_b)                                                 \
	{                                                                                              \
		const struct nnfw_requant q = p->q;                                                    \
		const float ma = p->scale_a, mb = p->scale_b;                                          \
		const int32_t za = p->zero_a, zb = p->zero_b;                                          \
		const type *a = va, *b = vb;                                                           \
		type *out = vout;                                                                      \
                                                                                                       \
		switch (p->kind) {                                                                     \
		case NNPROG_BINARY_ADD:                                                                \
			WALK(int32_t, (type)nnfw_requant_real((float)(x - za) * ma +                   \
							      (float)(y - zb) * mb, &q));              \
			break;                                                                         \
		case NNPROG_BINARY_SUB:                                                                \
			WALK(int32_t, (type)nnfw_requant_real((float)(x - za) * ma -                   \
							      (float)(y - zb) * mb, &q));              \
			break;                                                                         \
		default:                                                                               \
			WALK(int32_t, (type)nnfw_requantize((x - za) * (y - zb), ma, &q));             \
			break;                                                                         \
		}                                                                                      \
	}

QUANT_ROW(row_u8, uint8_t)
QUANT_ROW(row_s8, int8_t)

static row_fn *select_row(uint32_t dtype)
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

/* Dimensions of the walk, innermost first; strides in elements, 0 where an operand stands still. */
struct walk {
	uint32_t rank;
	size_t extent[NNPROG_MAX_RANK], stride_a[NNPROG_MAX_RANK], stride_b[NNPROG_MAX_RANK];
};

static struct walk plan(const struct nnfw_tensor *a, const struct nnfw_tensor *b,
			const struct nnfw_tensor *out)
{
	struct walk w = { .rank = 0 };
	size_t elements_a = 1, elements_b = 1;

	for (uint32_t i = 0; i < out->rank; i++) {
		size_t extent = out->dims[out->rank - 1 - i];
		size_t da = i < a->rank ? a->dims[a->rank - 1 - i] : 1;
		size_t db = i < b->rank ? b->dims[b->rank - 1 - i] : 1;
		size_t sa = da == 1 ? 0 : elements_a, sb = db == 1 ? 0 : elements_b;
		uint32_t last = w.rank - 1;

		elements_a *= da;
		elements_b *= db;
		if (extent == 1)
			continue;
		if (w.rank && sa == w.stride_a[last] * w.extent[last] &&
		    sb == w.stride_b[last] * w.extent[last]) {
			w.extent[last] *= extent;
			continue;
		}
		w.extent[w.rank] = extent;
		w.stride_a[w.rank] = sa;
		w.stride_b[w.rank] = sb;
		w.rank++;
	}
	if (!w.rank) {
		w.extent[0] = 1;
		w.rank = 1;
	}
	return w;
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
	const struct nnfw_tensor *out = &ctx->out[0];
	size_t index[NNPROG_MAX_RANK] = { 0 }, size, row, since_tick = 0;
	const uint8_t *a = ctx->in[0].data, *b = ctx->in[1].data;
	uint8_t *to = out->data;
	row_fn *run_row = select_row(out->dtype);
	struct params p = parameters(ctx);
	struct walk w;

	if (!out->elements)
		return 0;
	w = plan(&ctx->in[0], &ctx->in[1], out);
	size = nnprog_dtype_size(out->dtype);
	row = w.extent[0];
	for (;;) {
		uint32_t d;

		/* one long row is cut, so that the host sees progress */
		for (size_t i = 0; i < row; i += TICK) {
			size_t n = row - i < TICK ? row - i : TICK;

			since_tick += n;
			if (since_tick >= TICK) {
				int ret = nnfw_progress_tick(ctx->progress);

				if (ret)
					return ret;
				since_tick = 0;
			}
			run_row(&p, a + i * w.stride_a[0] * size, b + i * w.stride_b[0] * size, to, n,
				w.stride_a[0], w.stride_b[0]);
			to += n * size;
		}
		for (d = 1; d < w.rank; d++) {
			a += w.stride_a[d] * size;
			b += w.stride_b[d] * size;
			if (++index[d] < w.extent[d])
				break;
			a -= w.stride_a[d] * size * w.extent[d];
			b -= w.stride_b[d] * size * w.extent[d];
			index[d] = 0;
		}
		if (d == w.rank)
			return 0;
	}
}

const struct nnfw_op nnfw_op_binary = {
	.opcode = NNPROG_OP_BINARY,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8 | NNFW_TYPE(INT32),
	.run = binary_run,
};
