// SPDX-License-Identifier: Apache-2.0
/*
 * BATCH_MATMUL: matrices of the last two dimensions, either transposed. int32 modulo 2^32; int8 is
 * in matmul_q8.c, floats are in matmul_float.c.
 */
#include <stdlib.h>

#include "kernels/kernel.h"
#include "matmul.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"

/* ---- integers ---- */

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

	if (!ctx->in[0].elements || !ctx->in[1].elements)
		return 0;
	switch (ctx->in[0].dtype) {
	case NNPROG_FLOAT32:
	case NNPROG_FLOAT16:
		return nnfw_matmul_float_scratch(ctx, &s);
	case NNPROG_INT8:
		return nnfw_matmul_q8_scratch(ctx, &s);
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
		return nnfw_matmul_q8_run(ctx, &s);
	case NNPROG_INT32:
		return run_s32(ctx, &s);
	default:
		return nnfw_matmul_float_run(ctx, &s);
	}
}

/* Each element of x meets every column of y. */
static uint64_t matmul_macs(const struct nnfw_op_ctx *ctx)
{
	return ctx->in[0].elements * ctx->out[0].dims[ctx->out[0].rank - 1];
}

const struct nnfw_op nnfw_op_batch_matmul = {
	.opcode = NNPROG_OP_BATCH_MATMUL,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPE(INT8) | NNFW_TYPE(INT32),
	.products = true,
	.macs = matmul_macs,
	.load = nnfw_matmul_float_load,
	.unload = free,
	.scratch = matmul_scratch,
	.run = matmul_run,
};
