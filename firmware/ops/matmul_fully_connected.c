// SPDX-License-Identifier: Apache-2.0
/* FULLY_CONNECTED: out[b][u] = act(sum over i of x[b][i] * w[u][i] + bias[u]). */
#include <stdlib.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "kernels/fgemm.h"
#include "kernels/half.h"
#include "kernels/kernel.h"
#include "kernels/qgemm.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"

static int run_quant(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_act *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	struct nnfw_requant q = nnfw_requant_output(out, a->activation);
	size_t batch = out->dims[0], n = out->dims[1], k = ctx->in[1].dims[1];
	size_t tile = nnfw_qgemm_tile(batch, k), kp = nnfw_qgemm_pad(k);
	struct nnfw_work work = { .progress = ctx->progress };
	const struct nnfw_qweights *w = ctx->state;
	uint8_t *next = ctx->scratch;
	int16_t *rows = nnfw_take(&next, tile * kp * sizeof(*rows));
	int32_t *acc = nnfw_take(&next, tile * n * sizeof(*acc));
	int ret = 0;

	if (!w)
		ret = nnfw_qweights_pack(ctx->progress, next, in, &ctx->in[1], out, n, k, &w);
	for (size_t first = 0; first < batch && !ret; first += tile) {
		size_t count = batch - first < tile ? batch - first : tile;

		ret = nnfw_progress_tick(ctx->progress);
		for (size_t i = 0; i < count && !ret; i++)
			ret = nnfw_widen_row(&work, rows + i * kp,
					     (const uint8_t *)in->data + (first + i) * k, k, kp,
					     in->dtype, in->zero_point);
		if (!ret)
			ret = nnfw_qgemm(ctx->progress, rows, count, w, 0, n, acc);
		if (!ret)
			ret = nnfw_qgemm_store(&work, acc, count, n, ctx->in[2].data,
					       w->multipliers, &q, (uint8_t *)out->data + first * n,
					       n);
	}
	return ret;
}

/* Rows of a GEMM. */
static size_t float_tile(size_t batch, size_t n, size_t k)
{
	size_t tile = ((size_t)1 << 32) / (n * k);

	tile = tile < 16 ? 16 : tile > 512 ? 512 : tile;
	return tile < batch ? tile : batch;
}

static int run_float(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_act *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	size_t batch = out->dims[0], n = out->dims[1], k = ctx->in[1].dims[1];
	size_t tile = float_tile(batch, n, k);
	bool half = in->dtype == NNPROG_FLOAT16;
	uint8_t *next = ctx->scratch;
	float *rows = nnfw_take(&next, half ? tile * k * sizeof(*rows) : 0);
	float *results = nnfw_take(&next, half ? tile * n * sizeof(*results) : 0);
	float *bias_mem = nnfw_take(&next, half ? n * sizeof(*bias_mem) : 0);
	struct nnfw_work work = { .progress = ctx->progress };
	const float *bias, *weights;
	float lo, hi;
	int ret;

	nnfw_activation_range(a->activation, &lo, &hi);
	ret = nnfw_float_operand(ctx->progress, &ctx->in[2], NULL, bias_mem, &bias);
	if (!ret)
		ret = nnfw_float_operand(ctx->progress, &ctx->in[1], ctx->state, next, &weights);
	for (size_t first = 0; first < batch && !ret; first += tile) {
		size_t count = batch - first < tile ? batch - first : tile;
		float *to = half ? results : (float *)out->data + first * n;
		const float *from = (const float *)in->data + first * k;

		ret = nnfw_progress_tick(ctx->progress);
		if (half && !ret) {
			ret = nnfw_half_load_long(
				&work, rows, (const uint16_t *)in->data + first * k, count * k);
			from = rows;
		}
		if (!ret)
			ret = nnfw_fgemm(ctx->progress, from, count, k, weights, n, k, to, n);
		if (!ret)
			ret = nnfw_fgemm_finish(&work, to, count, n, n, bias, lo, hi);
		if (half && !ret)
			ret = nnfw_half_store_long(&work, (uint16_t *)out->data + first * n,
						   results, count * n);
	}
	return ret;
}

static int fc_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnfw_tensor *weights = &ctx->in[1];
	const struct nnfw_qweights *packed;
	size_t bytes;

	*state = NULL;
	*size = 0;
	if (!weights->constant || !weights->data)
		return 0;
	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return nnfw_load_half(ctx, weights, state, size);
	bytes = nnfw_qweights_size(weights->dims[0], weights->dims[1]);
	*state = nnfw_alloc_state(ctx, bytes);
	if (!*state)
		return -ENOMEM;
	*size = nnfw_align(bytes);
	return nnfw_qweights_pack(ctx->progress, *state, &ctx->in[0], weights, &ctx->out[0],
				  weights->dims[0], weights->dims[1], &packed);
}

static size_t fc_scratch(const struct nnfw_op_ctx *ctx)
{
	size_t batch = ctx->out[0].dims[0], n = ctx->out[0].dims[1], k = ctx->in[1].dims[1];
	size_t tile, size;

	if (nnfw_is_quant8(ctx->in[0].dtype)) {
		tile = nnfw_qgemm_tile(batch, k);
		size = nnfw_align(tile * nnfw_qgemm_pad(k) * sizeof(int16_t)) +
		       nnfw_align(tile * n * sizeof(int32_t));
		return size + (ctx->state ? 0 : nnfw_qweights_size(n, k));
	}
	if (ctx->in[0].dtype == NNPROG_FLOAT32)
		return 0;
	tile = float_tile(batch, n, k);
	size = nnfw_align(tile * k * sizeof(float)) + nnfw_align(tile * n * sizeof(float)) +
	       nnfw_align(n * sizeof(float));
	return size + (ctx->state ? 0 : nnfw_align(n * k * sizeof(float)));
}

static int fc_run(struct nnfw_op_ctx *ctx)
{
	if (!ctx->out[0].elements)
		return 0;
	return nnfw_is_quant8(ctx->in[0].dtype) ? run_quant(ctx) : run_float(ctx);
}

const struct nnfw_op nnfw_op_fully_connected = {
	.opcode = NNPROG_OP_FULLY_CONNECTED,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.load = fc_load,
	.unload = free,
	.scratch = fc_scratch,
	.run = fc_run,
};
