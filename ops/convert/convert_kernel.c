// SPDX-License-Identifier: Apache-2.0
/*
 * CONVERT: between data types, keeping the real value (QUANTIZE, DEQUANTIZE, requantization, float
 * widths) or the number (CAST). The frequent pairs have loops of their own; the rest goes through
 * double, which holds every value of every type exactly.
 *
 * REAL     to float:      (float)(q - zp) * scale
 *          float to int:  saturate(zp + round(x / scale)), division in float32, ties away from
 *                         zero
 *          int to int:    saturate(round((float)(q - zp) * scale / scale' + zp')), division in
 *                         double, ties away from zero
 *          INT32 without a scale has scale 1 and zero point 0
 * CAST     to int: truncated towards zero, saturated, NaN is 0; to BOOL8: whether it is not 0
 * RELABEL  the bytes unchanged
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "half/half.h"
#include "isa/isa.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "q8_map/q8_map.h"

/* Elements of a piece: of loops of vectors, and of one at a time. */
#define PIECE 8192u
#define PIECE_ANY 512u

/* ---- one element at a time, through double ---- */

static void load_numbers(double *dst, uint32_t dtype, const void *src, size_t from, size_t n)
{
#define LOAD(type)                                        \
	do {                                              \
		const type *s = (const type *)src + from; \
		for (size_t i = 0; i < n; i++)            \
			dst[i] = s[i];                    \
	} while (0)
	switch (dtype) {
	case NNPROG_FLOAT32:
		LOAD(float);
		break;
	case NNPROG_FLOAT16:
		for (size_t i = 0; i < n; i++)
			dst[i] = nnfw_half_to_float(((const uint16_t *)src)[from + i]);
		break;
	case NNPROG_INT32:
		LOAD(int32_t);
		break;
	case NNPROG_UINT32:
		LOAD(uint32_t);
		break;
	case NNPROG_BOOL8:
		for (size_t i = 0; i < n; i++)
			dst[i] = ((const uint8_t *)src)[from + i] != 0;
		break;
	case NNPROG_INT8:
		LOAD(int8_t);
		break;
	case NNPROG_INT16:
		LOAD(int16_t);
		break;
	case NNPROG_UINT16:
		LOAD(uint16_t);
		break;
	default:
		LOAD(uint8_t);
		break;
	}
#undef LOAD
}

/* Saturating; what is not an integer is truncated towards zero. */
static void store_numbers(void *dst, uint32_t dtype, size_t to, const double *src, size_t n)
{
#define STORE(type, lo, hi)                                                   \
	do {                                                                  \
		type *d = (type *)dst + to;                                   \
		for (size_t i = 0; i < n; i++) {                              \
			double v = src[i] == src[i] ? src[i] : 0;             \
			d[i] = (type)(v < (lo) ? (lo) : v > (hi) ? (hi) : v); \
		}                                                             \
	} while (0)
	switch (dtype) {
	case NNPROG_FLOAT32:
		for (size_t i = 0; i < n; i++)
			((float *)dst)[to + i] = (float)src[i];
		break;
	case NNPROG_FLOAT16:
		for (size_t i = 0; i < n; i++)
			((uint16_t *)dst)[to + i] = nnfw_float_to_half((float)src[i]);
		break;
	case NNPROG_INT32:
		STORE(int32_t, (double)INT32_MIN, (double)INT32_MAX);
		break;
	case NNPROG_UINT32:
		STORE(uint32_t, 0.0, (double)UINT32_MAX);
		break;
	case NNPROG_BOOL8:
		for (size_t i = 0; i < n; i++)
			((uint8_t *)dst)[to + i] = src[i] != 0;
		break;
	case NNPROG_INT8:
		STORE(int8_t, (double)INT8_MIN, (double)INT8_MAX);
		break;
	case NNPROG_INT16:
		STORE(int16_t, (double)INT16_MIN, (double)INT16_MAX);
		break;
	case NNPROG_UINT16:
		STORE(uint16_t, 0.0, (double)UINT16_MAX);
		break;
	default:
		STORE(uint8_t, 0.0, (double)UINT8_MAX);
		break;
	}
#undef STORE
}

static bool is_float(uint32_t dtype)
{
	return dtype == NNPROG_FLOAT32 || dtype == NNPROG_FLOAT16;
}

/* Steps of a tensor's integers; floats and plain INT32 count in ones. */
static float step_of(const struct nnfw_tensor *t)
{
	return is_float(t->dtype) || !(t->scale > 0) ? 1 : t->scale;
}

static void real_numbers(double *v, const struct nnfw_tensor *in, const struct nnfw_tensor *out,
			 size_t from, size_t n)
{
	float in_step = step_of(in), out_step = step_of(out);
	size_t inner = 1, channels = 1;

	if (in->num_scales) {
		inner = nnfw_extent(in, in->channel_dim + 1, in->rank);
		channels = in->num_scales;
	}
	for (size_t i = 0; i < n; i++) {
		float scale = in->num_scales ? in->scales[(from + i) / inner % channels] : in_step;

		if (is_float(in->dtype)) {
			/* float32 division, as QUANTIZE says */
			float x = (float)v[i];

			v[i] = is_float(out->dtype)
				       ? v[i]
				       : (double)roundf(x / out_step) + out->zero_point;
			if (v[i] != v[i] && !is_float(out->dtype))
				v[i] = INFINITY;
		} else {
			float x = (float)(v[i] - in->zero_point) * scale;

			v[i] = is_float(out->dtype) ? (double)x
						    : round((double)x / out_step + out->zero_point);
		}
	}
}

static void convert_any(const struct nnfw_op_ctx *ctx, size_t from, size_t n)
{
	const struct nnprog_attr_convert *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	double v[NNFW_CHUNK];

	for (size_t i = from; i < from + n; i += NNFW_CHUNK) {
		size_t count = from + n - i < NNFW_CHUNK ? from + n - i : NNFW_CHUNK;

		load_numbers(v, in->dtype, in->data, i, count);
		if (a->kind == NNPROG_CONVERT_REAL)
			real_numbers(v, in, out, i, count);
		store_numbers(out->data, out->dtype, i, v, count);
	}
}

/* ---- frequent pairs ---- */

static void convert_dequantize(const struct nnfw_tensor *in, float *dst, const uint8_t *src,
			       size_t n)
{
	uint8_t flip = in->dtype == NNPROG_INT8 ? 0x80 : 0;

	NNFW_KERNELS(q8_map)->dequantize(dst, src, n, flip, in->zero_point + flip, in->scale);
}

static void convert_quantize(const struct nnfw_tensor *out, uint8_t *dst, const float *src,
			     size_t n)
{
	struct nnfw_q8_quantize q = { .scale = out->scale, .zero_point = out->zero_point };
	int32_t lo, hi;

	nnfw_type_range(out->dtype, &lo, &hi);
	q.lo = (float)(lo - out->zero_point);
	q.hi = (float)(hi - out->zero_point);
	NNFW_KERNELS(q8_map)->quantize(dst, src, n, &q);
}

static void make_table(const struct nnfw_op_ctx *ctx, uint8_t *table)
{
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];

	for (uint32_t i = 0; i < 256; i++) {
		double v = nnfw_code(in->dtype, (uint8_t)i);

		real_numbers(&v, in, out, 0, 1);
		store_numbers(table, out->dtype, i, &v, 1);
	}
}

enum way {
	WAY_COPY,
	WAY_TABLE,
	WAY_DEQUANTIZE,
	WAY_QUANTIZE,
	WAY_HALF_LOAD,
	WAY_HALF_STORE,
	WAY_ANY
};

static enum way convert_choose(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_convert *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	bool per_channel = in->num_scales || out->num_scales;

	if (a->kind == NNPROG_CONVERT_RELABEL)
		return WAY_COPY;
	if (in->dtype == NNPROG_FLOAT16 && out->dtype == NNPROG_FLOAT32)
		return WAY_HALF_LOAD;
	if (in->dtype == NNPROG_FLOAT32 && out->dtype == NNPROG_FLOAT16)
		return WAY_HALF_STORE;
	if (in->dtype == out->dtype && in->dtype != NNPROG_BOOL8 &&
	    (a->kind == NNPROG_CONVERT_CAST || is_float(in->dtype) ||
	     (!per_channel && in->scale == out->scale && in->zero_point == out->zero_point)))
		return WAY_COPY;
	if (a->kind == NNPROG_CONVERT_CAST || per_channel)
		return WAY_ANY;
	if (nnfw_is_quant8(in->dtype) && nnfw_is_quant8(out->dtype))
		return WAY_TABLE;
	if (nnfw_is_quant8(in->dtype) && out->dtype == NNPROG_FLOAT32)
		return WAY_DEQUANTIZE;
	if (in->dtype == NNPROG_FLOAT32 && nnfw_is_quant8(out->dtype))
		return WAY_QUANTIZE;
	return WAY_ANY;
}

/* ---- the operation ---- */

static int convert_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	*state = NULL;
	*size = 0;
	if (convert_choose(ctx) != WAY_TABLE)
		return 0;
	*state = nnfw_alloc_state(ctx, 256);
	if (!*state)
		return -ENOMEM;
	*size = 256;
	make_table(ctx, *state);
	return 0;
}

static size_t convert_scratch(const struct nnfw_op_ctx *ctx)
{
	return convert_choose(ctx) == WAY_TABLE && !ctx->state ? 256 : 0;
}

struct conversion {
	const struct nnfw_op_ctx *ctx;
	const uint8_t *table;
	enum way way;
};

static void convert_range(void *arg, size_t from, size_t n)
{
	const struct conversion *c = arg;
	const struct nnfw_tensor *in = &c->ctx->in[0], *out = &c->ctx->out[0];
	const uint8_t *src = (const uint8_t *)in->data + from * nnprog_dtype_size(in->dtype);
	uint8_t *dst = (uint8_t *)out->data + from * nnprog_dtype_size(out->dtype);

	switch (c->way) {
	case WAY_COPY:
		memmove(dst, src, n * nnprog_dtype_size(in->dtype));
		break;
	case WAY_TABLE:
		NNFW_KERNELS(q8_map)->lookup(dst, src, n, c->table);
		break;
	case WAY_DEQUANTIZE:
		convert_dequantize(in, (float *)dst, src, n);
		break;
	case WAY_QUANTIZE:
		convert_quantize(out, dst, (const float *)src, n);
		break;
	case WAY_HALF_LOAD:
		nnfw_half_load((float *)dst, (const uint16_t *)src, n);
		break;
	case WAY_HALF_STORE:
		nnfw_half_store((uint16_t *)dst, (const float *)src, n);
		break;
	default:
		convert_any(c->ctx, from, n);
		break;
	}
}

static int convert_run(struct nnfw_op_ctx *ctx)
{
	struct conversion c = { .ctx = ctx, .table = ctx->state, .way = convert_choose(ctx) };

	if (!ctx->out[0].elements)
		return 0;
	if (c.way == WAY_TABLE && !c.table) {
		make_table(ctx, ctx->scratch);
		c.table = ctx->scratch;
	}
	return nnfw_each_range(ctx, ctx->out[0].elements, c.way == WAY_ANY ? PIECE_ANY : PIECE,
			       convert_range, &c);
}

const struct nnfw_op nnfw_op_convert = {
	.opcode = NNPROG_OP_CONVERT,
	.types = (1u << NNPROG_DTYPE_COUNT) - 1,
	.load = convert_load,
	.unload = free,
	.scratch = convert_scratch,
	.run = convert_run,
};
