// SPDX-License-Identifier: Apache-2.0
/*
 * SEQUENCE_RNN and SVDF in float32; float16 operands are converted (constants once, by load()), the
 * state of a sequence is kept in float32.
 */
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "kernels/kernel.h"
#include "kernels/real.h"
#include "kernels/recurrent.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"

/* ---- SEQUENCE_RNN ---- */

enum { INPUT = 0, WEIGHTS, RECURRENT, BIAS, STATE, AUX, AUX_WEIGHTS, OTHER_WEIGHTS, NUM_OPERANDS };

static size_t rnn_scratch(const struct nnfw_op_ctx *ctx)
{
	/* the state and the next one */
	return 2 * nnfw_align(ctx->in[STATE].elements * sizeof(float)) +
	       nnfw_recurrent_operands_size(ctx);
}

static int rnn_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_rnn *a = ctx->attrs;
	/* without weights the auxiliary input takes the place of x, backwards */
	const bool aux_there = ctx->num_in > AUX && !ctx->in[AUX].omitted;
	const bool added = aux_there && !ctx->in[AUX_WEIGHTS].omitted;
	const uint32_t x = aux_there && !added && a->reverse ? AUX : INPUT;
	struct nnfw_sequence in = nnfw_sequence_of(&ctx->in[x], a->time_major), aux = { .n = 0 };
	struct nnfw_sequence out = nnfw_sequence_of(&ctx->out[0], a->time_major);
	size_t units = out.n, size = ctx->in[STATE].elements;
	const float *op[NUM_OPERANDS] = { NULL };
	struct nnfw_work work = { .progress = ctx->progress };
	uint8_t *next = ctx->scratch;
	float *state, *fresh;
	int ret;

	if (!ctx->out[0].elements)
		return 0;
	state = nnfw_take(&next, size * sizeof(float));
	fresh = nnfw_take(&next, size * sizeof(float));
	ret = nnfw_recurrent_operands(ctx, op, &next);
	if (ret)
		return ret;
	if (added)
		aux = nnfw_sequence_of(&ctx->in[AUX], a->time_major);
	NNFW_EACH(&work, i, size, state[i] = op[STATE][i]);
	for (size_t n = 0; n < in.time; n++) {
		size_t t = a->reverse ? in.time - 1 - n : n;
		float *swap = state;

		ret = nnfw_progress_tick(ctx->progress);
		if (ret)
			return ret;
		ret = nnfw_recurrent_product(ctx->progress, in.batch, units, in.n,
					     op[x] + t * in.step, in.row, op[WEIGHTS], fresh, 0);
		if (added && !ret)
			ret = nnfw_recurrent_product(ctx->progress, in.batch, units, aux.n,
						     op[AUX] + t * aux.step, aux.row,
						     op[AUX_WEIGHTS], fresh, 1);
		if (!ret)
			ret = nnfw_recurrent_product(ctx->progress, in.batch, units, units, state,
						     units, op[RECURRENT], fresh, 1);
		if (ret)
			return ret;
		if (nnfw_recurrent_add_row(&work, fresh, in.batch, units, op[BIAS]) ||
		    nnfw_recurrent_activate(ctx->progress, fresh, size, a->activation))
			return -ECANCELED;
		for (size_t b = 0; b < in.batch && !ret; b++)
			ret = nnfw_real_store_long(&work, &ctx->out[0], t * out.step + b * out.row,
						   fresh + b * units, units);
		if (ret)
			return ret;
		state = fresh;
		fresh = swap;
	}
	if (ctx->num_out > 1 && !ctx->out[1].omitted)
		ret = nnfw_real_store_long(&work, &ctx->out[1], 0, state, size);
	return ret;
}

/* ---- SVDF ---- */

enum { SVDF_INPUT = 0, SVDF_FEATURES, SVDF_TIME, SVDF_BIAS, SVDF_STATE, SVDF_OPERANDS };

static size_t svdf_scratch(const struct nnfw_op_ctx *ctx)
{
	size_t batch = ctx->in[SVDF_INPUT].dims[0], filters = ctx->in[SVDF_FEATURES].dims[0];

	/* features of all batches; a row of the output; a row of the state */
	return nnfw_align(batch * filters * sizeof(float)) +
	       nnfw_align(ctx->out[1].dims[1] * sizeof(float)) +
	       nnfw_align(ctx->in[SVDF_STATE].dims[1] * sizeof(float)) +
	       nnfw_recurrent_operands_size(ctx);
}

/* One batch row: @fresh is its features, @state its state, replaced by the next one. */
static int svdf_row(const struct nnfw_op_ctx *ctx, const float *const *op, const float *fresh,
		    float *state, float *row)
{
	struct nnfw_work work = { .progress = ctx->progress };
	const struct nnprog_attr_svdf *a = ctx->attrs;
	size_t filters = ctx->in[SVDF_TIME].dims[0], memory = ctx->in[SVDF_TIME].dims[1];
	size_t units = ctx->out[1].dims[1];
	const float *weights = op[SVDF_TIME];
	float lo, hi;

	for (size_t u = 0, end; u < units; u = end) {
		end = nnfw_slice(&work, u, units);
		if (!end)
			return -ECANCELED;
		memset(row + u, 0, (end - u) * sizeof(*row));
	}
	for (size_t f = 0; f < filters; f++, state += memory, weights += memory) {
		float sum = 0;
		int ret = nnfw_work(&work, 4);

		if (ret)
			return ret;
		state[memory - 1] = fresh[f];
		for (size_t m = 0; m < memory;) {
			size_t end = nnfw_slice(&work, m, memory);

			if (!end)
				return -ECANCELED;
			for (; m < end; m++)
				sum += state[m] * weights[m];
		}
		row[f / a->rank] += sum;
		for (size_t m = 0, end; m < memory - 1; m = end) {
			end = nnfw_slice(&work, m, memory - 1);
			if (!end)
				return -ECANCELED;
			memmove(state + m, state + m + 1, (end - m) * sizeof(*state));
		}
		state[memory - 1] = 0;
	}
	nnfw_activation_range(a->activation, &lo, &hi);
	for (size_t u = 0, end; u < units; u = end) {
		end = nnfw_slice(&work, u, units);
		if (!end)
			return -ECANCELED;
		for (size_t i = u; op[SVDF_BIAS] && i < end; i++)
			row[i] += op[SVDF_BIAS][i];
		for (size_t i = u; i < end; i++)
			row[i] = nnfw_clampf(row[i], lo, hi);
	}
	return 0;
}

static int svdf_run(struct nnfw_op_ctx *ctx)
{
	size_t batch = ctx->in[SVDF_INPUT].dims[0], input = ctx->in[SVDF_INPUT].dims[1];
	size_t filters = ctx->in[SVDF_FEATURES].dims[0], units = ctx->out[1].dims[1];
	size_t size = ctx->in[SVDF_STATE].dims[1];
	const float *op[SVDF_OPERANDS];
	uint8_t *next = ctx->scratch;
	struct nnfw_work work = { .progress = ctx->progress };
	float *features, *row, *state;
	int ret;

	features = nnfw_take(&next, batch * filters * sizeof(float));
	row = nnfw_take(&next, units * sizeof(float));
	state = nnfw_take(&next, size * sizeof(float));
	ret = nnfw_recurrent_operands(ctx, op, &next);
	if (!ret)
		ret = nnfw_recurrent_product(ctx->progress, batch, filters, input, op[SVDF_INPUT],
					     input, op[SVDF_FEATURES], features, 0);
	for (size_t b = 0; b < batch; b++) {
		if (!ret)
			ret = nnfw_progress_tick(ctx->progress);
		if (ret)
			return ret;
		for (size_t i = 0, end; i < size; i = end) {
			end = nnfw_slice(&work, i, size);
			if (!end)
				return -ECANCELED;
			memcpy(state + i, op[SVDF_STATE] + b * size + i, (end - i) * sizeof(float));
		}
		ret = svdf_row(ctx, op, features + b * filters, state, row);
		if (!ret)
			ret = nnfw_real_store_long(&work, &ctx->out[0], b * size, state, size);
		if (!ret)
			ret = nnfw_real_store_long(&work, &ctx->out[1], b * units, row, units);
		if (ret)
			return ret;
	}
	return 0;
}

const struct nnfw_op nnfw_op_rnn = {
	.opcode = NNPROG_OP_SEQUENCE_RNN,
	.types = NNFW_TYPES_FLOAT,
	.load = nnfw_recurrent_load,
	.unload = free,
	.scratch = rnn_scratch,
	.run = rnn_run,
};

const struct nnfw_op nnfw_op_svdf = {
	.opcode = NNPROG_OP_SVDF,
	.types = NNFW_TYPES_FLOAT,
	.load = nnfw_recurrent_load,
	.unload = free,
	.scratch = svdf_scratch,
	.run = svdf_run,
};
