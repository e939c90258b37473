// SPDX-License-Identifier: Apache-2.0
/*
 * BATCH_MATMUL: matrices of the last two dimensions, either transposed. Floats through OpenBLAS,
 * int8 through nnfw_qgemm() and the requantization rule, int32 modulo 2^32.
 */
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "kernels/fgemm.h"
#include "kernels/half.h"
#include "kernels/kernel.h"
#include "kernels/qgemm.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"

/* Products between two ticks. */
#define TICK (64u << 20)
/* Elements of the result at a time. */
#define RESULTS (1u << 20)

struct shape {
	size_t batch, m, n, k;
	bool adj_x, adj_y;
};

static struct shape shape_of(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_batch_matmul *a = ctx->attrs;
	const struct nnfw_tensor *x = &ctx->in[0], *out = &ctx->out[0];
	uint32_t r = x->rank;

	return (struct shape){
		.batch = nnfw_extent(x, 0, r - 2),
		.m = out->dims[r - 2],
		.n = out->dims[r - 1],
		.k = x->dims[a->adjoint_x ? r - 2 : r - 1],
		.adj_x = a->adjoint_x,
		.adj_y = a->adjoint_y,
	};
}

/* Elements that are gathered, each from a cache line of its own, between two ticks. */
#define STRIDED 8192u

/* Rows of the result at a time: a tick now and then, and scratch memory of a bounded size. */
static size_t tile_rows(const struct shape *s, size_t least)
{
	size_t tile = TICK / s->k / s->n;

	/* a row costs more than its products when they are few */
	if (tile > RESULTS / s->n)
		tile = RESULTS / s->n;
	tile = tile < least ? least : tile > 1024 ? 1024 : tile;
	return tile < s->m ? tile : s->m;
}

/* ---- floats ---- */

static int run_float(struct nnfw_op_ctx *ctx, const struct shape *s)
{
	bool half = ctx->in[0].dtype == NNPROG_FLOAT16;
	size_t size = half ? sizeof(uint16_t) : sizeof(float), tile = tile_rows(s, 16);
	uint8_t *next = ctx->scratch;
	float *mx = nnfw_take(&next, half ? s->m * s->k * sizeof(float) : 0);
	float *my = nnfw_take(&next, half ? s->k * s->n * sizeof(float) : 0);
	float *results = (float *)next;
	struct nnfw_work work = { .progress = ctx->progress };
	int ret = 0;

	for (size_t b = 0; b < s->batch && !ret; b++) {
		const uint8_t *dx = (const uint8_t *)ctx->in[0].data + b * s->m * s->k * size;
		const uint8_t *dy = (const uint8_t *)ctx->in[1].data + b * s->k * s->n * size;
		uint8_t *to = (uint8_t *)ctx->out[0].data + b * s->m * s->n * size;
		const float *x = (const float *)dx, *y = (const float *)dy;

		if (half) {
			ret = nnfw_half_load_long(&work, mx, (const uint16_t *)dx, s->m * s->k);
			if (!ret)
				ret = nnfw_half_load_long(&work, my, (const uint16_t *)dy,
							  s->k * s->n);
			x = mx;
			y = my;
		}
		for (size_t first = 0; first < s->m && !ret; first += tile) {
			size_t rows = s->m - first < tile ? s->m - first : tile;
			float *c = half ? results : (float *)to + first * s->n;
			const struct nnfw_gemm g = {
				.trans_x = s->adj_x,
				.trans_y = s->adj_y,
				.m = rows,
				.n = s->n,
				.k = s->k,
				.x = x + (s->adj_x ? first : first * s->k),
				.ldx = s->adj_x ? s->m : s->k,
				.y = y,
				.ldy = s->adj_y ? s->k : s->n,
				.c = c,
				.ldc = s->n,
			};

			ret = nnfw_progress_tick(ctx->progress);
			if (!ret)
				ret = nnfw_gemm(ctx->progress, &g);
			if (half && !ret)
				ret = nnfw_half_store_long(&work, (uint16_t *)to + first * s->n,
							   results, rows * s->n);
		}
	}
	return ret;
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

static int run_s8(struct nnfw_op_ctx *ctx, const struct shape *s)
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

static int run_s32(struct nnfw_op_ctx *ctx, const struct shape *s)
{
	struct nnfw_work work = { .progress = ctx->progress };
	uint8_t *next = ctx->scratch;
	uint32_t *right = nnfw_take(&next, s->n * s->k * sizeof(*right));
	uint32_t *left = (uint32_t *)next;

	for (size_t b = 0; b < s->batch; b++) {
		const uint32_t *x = (const uint32_t *)ctx->in[0].data + b * s->m * s->k;
		const uint32_t *y = (const uint32_t *)ctx->in[1].data + b * s->k * s->n;
		uint32_t *to = (uint32_t *)ctx->out[0].data + b * s->m * s->n;

		for (size_t j = 0; j < s->n; j++) {
			/* strided reads: far more than a product each */
			int ret = nnfw_work(&work, 8 * s->k);

			if (ret)
				return ret;
			for (size_t k = 0; k < s->k; k++)
				right[j * s->k + k] = s->adj_y ? y[j * s->k + k] : y[k * s->n + j];
		}
		for (size_t i = 0; i < s->m; i++) {
			for (size_t k = 0; k < s->k; k++)
				left[k] = s->adj_x ? x[k * s->m + i] : x[i * s->k + k];
			for (size_t j = 0; j < s->n; j++) {
				uint32_t sum = 0;
				int ret = nnfw_work(&work, s->k);

				if (ret)
					return ret;
				for (size_t k = 0; k < s->k; k++)
					sum += left[k] * right[j * s->k + k];
				to[i * s->n + j] = sum;
			}
		}
	}
	return 0;
}

/* ---- the operation ---- */

static size_t matmul_scratch(const struct nnfw_op_ctx *ctx)
{
	struct shape s = shape_of(ctx);
	size_t kp = nnfw_qgemm_pad(s.k), tile;

	if (!ctx->in[0].elements || !ctx->in[1].elements)
		return 0;
	switch (ctx->in[0].dtype) {
	case NNPROG_FLOAT32:
		return 0;
	case NNPROG_FLOAT16:
		return nnfw_align(s.m * s.k * sizeof(float)) +
		       nnfw_align(s.k * s.n * sizeof(float)) +
		       tile_rows(&s, 16) * s.n * sizeof(float);
	case NNPROG_INT8:
		tile = tile_rows(&s, 2);
		return nnfw_align(s.n * kp * sizeof(int16_t)) +
		       nnfw_align(tile * kp * sizeof(int16_t)) + tile * s.n * sizeof(int32_t);
	default:
		return nnfw_align(s.n * s.k * sizeof(uint32_t)) + s.k * sizeof(uint32_t);
	}
}

static int matmul_run(struct nnfw_op_ctx *ctx)
{
	struct shape s;

	s = shape_of(ctx);
	switch (ctx->in[0].dtype) {
	case NNPROG_INT8:
		return run_s8(ctx, &s);
	case NNPROG_INT32:
		return run_s32(ctx, &s);
	default:
		return run_float(ctx, &s);
	}
}

const struct nnfw_op nnfw_op_batch_matmul = {
	.opcode = NNPROG_OP_BATCH_MATMUL,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPE(INT8) | NNFW_TYPE(INT32),
	.scratch = matmul_scratch,
	.run = matmul_run,
};
