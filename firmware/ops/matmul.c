// SPDX-License-Identifier: Apache-2.0
/*
 * BATCH_MATMUL: matrices of the last two dimensions, either transposed. int8 through nnfw_qgemm()
 * and the requantization rule, int32 modulo 2^32; floats are in matmul_float.c.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/qgemm.h"
#include "kernels/requant.h"
#include "matmul_float.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"

/* Products between two ticks. */
#define TICK (64u << 20)
/* Elements of the result at a time. */
#define RESULTS (1u << 20)

/* Elements that are gathered, each from a cache line of its own, between two ticks. */
#define STRIDED 8192u

/* Rows of the result at a time: a tick now and then, and scratch memory of a bounded size. */
static size_t tile_rows(const struct nnfw_matmul_shape *s, size_t least)
{
	size_t tile = TICK / s->k / s->n;

	/* a row costs more than its products when they are few */
	if (tile > RESULTS / s->n)
		tile = RESULTS / s->n;
	tile = tile < least ? least : tile > 1024 ? 1024 : tile;
	return tile < s->m ? tile : s->m;
}

/* ---- integers ---- */

/*
 * Row @i of a matrix read as [rows][k], from storage [rows][k] or, transposed, [k][rows]; @dst is
 * padded with zeros from k to @kp.
 */
static int row_s8(struct nnfw_work *work, int16_t *dst, const int8_t *src, size_t i, size_t rows,
		  size_t k, size_t kp, bool transposed, int32_t zero_point)
{
	if (!transposed)
		return nnfw_widen_row(work, dst, (const uint8_t *)src + i * k, k, kp, NNPROG_INT8,
				      zero_point);
	for (size_t j = 0; j < k;) {
		size_t end = k - j < STRIDED ? k : j + STRIDED;
		int ret = nnfw_work(work, 8 * (end - j));

		if (ret)
			return ret;
		for (; j < end; j++)
			dst[j] = (int16_t)(src[j * rows + i] - zero_point);
	}
	memset(dst + k, 0, (kp - k) * sizeof(*dst));
	return 0;
}

static int run_s8(struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s)
{
	const struct nnfw_tensor *x = &ctx->in[0], *y = &ctx->in[1], *out = &ctx->out[0];
	float multiplier = (float)((double)x->scale * y->scale / out->scale);
	struct nnfw_requant q = nnfw_requant_output(out, NNPROG_ACT_NONE);
	size_t kp = nnfw_qgemm_pad(s->k), tile = tile_rows(s, 2);
	uint8_t *next = ctx->scratch;
	int16_t *right = nnfw_take(&next, s->n * kp * sizeof(*right));
	int16_t *left = nnfw_take(&next, tile * kp * sizeof(*left));
	int32_t *acc = (int32_t *)next;
	struct nnfw_qweights w = { .n = s->n, .k = s->k, .kp = kp, .rows = right };
	struct nnfw_work work = { .progress = ctx->progress };
	int ret = 0;

	for (size_t b = 0; b < s->batch && !ret; b++) {
		const int8_t *dx = (const int8_t *)x->data + b * s->m * s->k;
		const int8_t *dy = (const int8_t *)y->data + b * s->k * s->n;
		int8_t *to = (int8_t *)out->data + b * s->m * s->n;

		for (size_t j = 0; j < s->n && !ret; j++)
			ret = row_s8(&work, right + j * kp, dy, j, s->n, s->k, kp, !s->adj_y,
				     y->zero_point);
		for (size_t first = 0; first < s->m && !ret; first += tile) {
			size_t rows = s->m - first < tile ? s->m - first : tile;

			ret = nnfw_progress_tick(ctx->progress);
			for (size_t i = 0; i < rows && !ret; i++)
				ret = row_s8(&work, left + i * kp, dx, first + i, s->m, s->k, kp,
					     s->adj_x, x->zero_point);
			if (!ret)
				ret = nnfw_qgemm(ctx->progress, left, rows, &w, 0, s->n, acc);
			for (size_t i = 0; i < rows * s->n && !ret;) {
				size_t end = rows * s->n - i < STRIDED ? rows * s->n : i + STRIDED;

				ret = nnfw_work(&work, end - i);
				for (; i < end; i++)
					to[first * s->n + i] =
						(int8_t)nnfw_requantize(acc[i], multiplier, &q);
			}
		}
	}
	return ret;
}

/* Products that are worth a thread. */
#define GRAIN 32768u

/* One product of matrices; rows of the result are units. */
struct rows_s32 {
	const struct nnfw_matmul_shape *s;
	const uint32_t *x, *right; /* @right: [n][k] */
	uint32_t *left; /* [k] for each slot */
	uint32_t *to;
};

static int rows_s32(void *arg, uint32_t slot, size_t first, size_t end,
		    struct nnfw_progress *progress)
{
	const struct rows_s32 *r = arg;
	const struct nnfw_matmul_shape *s = r->s;
	struct nnfw_work work = { .progress = progress };
	uint32_t *left = r->left + slot * s->k;

	for (size_t i = first; i < end; i++) {
		for (size_t k = 0; k < s->k; k++)
			left[k] = s->adj_x ? r->x[k * s->m + i] : r->x[i * s->k + k];
		for (size_t j = 0; j < s->n; j++) {
			uint32_t sum = 0;
			int ret = nnfw_work(&work, s->k);

			if (ret)
				return ret;
			for (size_t k = 0; k < s->k; k++)
				sum += left[k] * r->right[j * s->k + k];
			r->to[i * s->n + j] = sum;
		}
	}
	return 0;
}

static int run_s32(struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s)
{
	size_t row = s->n * s->k, grain = row < GRAIN ? GRAIN / row : 1;
	struct nnfw_work work = { .progress = ctx->progress };
	uint8_t *next = ctx->scratch;
	uint32_t *right = nnfw_take(&next, s->n * s->k * sizeof(*right));
	int ret = 0;

	for (size_t b = 0; b < s->batch && !ret; b++) {
		const uint32_t *y = (const uint32_t *)ctx->in[1].data + b * s->k * s->n;
		struct rows_s32 rows = {
			.s = s,
			.x = (const uint32_t *)ctx->in[0].data + b * s->m * s->k,
			.right = right,
			.left = (uint32_t *)next,
			.to = (uint32_t *)ctx->out[0].data + b * s->m * s->n,
		};

		for (size_t j = 0; j < s->n; j++) {
			/* strided reads: far more than a product each */
			ret = nnfw_work(&work, 8 * s->k);
			if (ret)
				return ret;
			for (size_t k = 0; k < s->k; k++)
				right[j * s->k + k] = s->adj_y ? y[j * s->k + k] : y[k * s->n + j];
		}
		ret = nnfw_split(ctx, s->m, grain, rows_s32, &rows);
	}
	return ret;
}

/* ---- the operation ---- */

static size_t matmul_scratch(const struct nnfw_op_ctx *ctx)
{
	struct nnfw_matmul_shape s = nnfw_matmul_shape(ctx);
	size_t kp = nnfw_qgemm_pad(s.k), tile;

	if (!ctx->in[0].elements || !ctx->in[1].elements)
		return 0;
	switch (ctx->in[0].dtype) {
	case NNPROG_FLOAT32:
	case NNPROG_FLOAT16:
		return nnfw_matmul_float_scratch(ctx, &s);
	case NNPROG_INT8:
		tile = tile_rows(&s, 2);
		return nnfw_align(s.n * kp * sizeof(int16_t)) +
		       nnfw_align(tile * kp * sizeof(int16_t)) + tile * s.n * sizeof(int32_t);
	default:
		return nnfw_align(s.n * s.k * sizeof(uint32_t)) +
		       nnfw_slots(ctx) * s.k * sizeof(uint32_t);
	}
}

static int matmul_run(struct nnfw_op_ctx *ctx)
{
	struct nnfw_matmul_shape s;

	s = nnfw_matmul_shape(ctx);
	switch (ctx->in[0].dtype) {
	case NNPROG_INT8:
		return run_s8(ctx, &s);
	case NNPROG_INT32:
		return run_s32(ctx, &s);
	default:
		return nnfw_matmul_float_run(ctx, &s);
	}
}

const struct nnfw_op nnfw_op_batch_matmul = {
	.opcode = NNPROG_OP_BATCH_MATMUL,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPE(INT8) | NNFW_TYPE(INT32),
	.load = nnfw_matmul_float_load,
	.unload = free,
	.scratch = matmul_scratch,
	.run = matmul_run,
};
