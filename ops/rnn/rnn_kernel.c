// SPDX-License-Identifier: Apache-2.0
/*
 * SEQUENCE_RNN and SVDF in float32; float16 operands are converted (constants once, by load()), the
 * state of a sequence is kept in float32.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/recurrent.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

/* ---- SEQUENCE_RNN ---- */

enum { INPUT = 0, WEIGHTS, RECURRENT, BIAS, STATE, AUX, AUX_WEIGHTS, OTHER_WEIGHTS, NUM_OPERANDS };

enum { PACKED_INPUT, PACKED_AUX, PACKED_RECURRENT, NUM_PACKED };

static const struct nnfw_recurrent_group packed[NUM_PACKED] = {
	[PACKED_INPUT] = { 1, { WEIGHTS } },
	[PACKED_AUX] = { 1, { AUX_WEIGHTS } },
	[PACKED_RECURRENT] = { 1, { RECURRENT } },
};

static size_t rnn_scratch(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_rnn *a = ctx->attrs;
	struct nnfw_sequence out = nnfw_sequence_of(&ctx->out[0], a->time_major);

	/* the last state, and the next ones */
	return (1 + nnfw_recurrent_steps(&out)) *
		       nnfw_align(ctx->in[STATE].elements * sizeof(float)) +
	       nnfw_recurrent_operands_size(ctx, packed, NUM_PACKED);
}

static int rnn_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	return nnfw_recurrent_load(ctx, packed, NUM_PACKED, state, size);
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
	size_t units = out.n, size = ctx->in[STATE].elements, steps = nnfw_recurrent_steps(&out);
	struct nnfw_work work = { .progress = ctx->progress };
	struct nnfw_recurrent_operands o;
	uint8_t *next = ctx->scratch;
	float *state, *fresh;
	int ret;

	if (!ctx->out[0].elements)
		return 0;
	state = nnfw_take(&next, size * sizeof(float));
	fresh = nnfw_take(&next, steps * size * sizeof(float));
	ret = nnfw_recurrent_operands(ctx, packed, NUM_PACKED, &o, &next);
	if (ret)
		return ret;
	if (added)
		aux = nnfw_sequence_of(&ctx->in[AUX], a->time_major);
	NNFW_EACH(&work, i, size, state[i] = o.op[STATE][i]);
	for (size_t n = 0; n < in.time; n++) {
		size_t t = a->reverse ? in.time - 1 - n : n;
		size_t count = in.time - n < steps ? in.time - n : steps;
		struct nnfw_f32_result to = {
			.data = fresh, .ld = units, .bias = o.op[BIAS], NNFW_F32_ALL
		};
		float *h = fresh + n % steps * size;

		ret = nnfw_progress_tick(ctx->progress);
		if (n % steps == 0 && !ret)
			ret = nnfw_recurrent_inputs(ctx, &in, o.op[x], n, count, a->reverse,
						    &o.group[PACKED_INPUT], &to);
		to.bias = NULL;
		to.more = true;
		if (n % steps == 0 && added && !ret)
			ret = nnfw_recurrent_inputs(ctx, &aux, o.op[AUX], n, count, a->reverse,
						    &o.group[PACKED_AUX], &to);
		to.data = h;
		if (!ret)
			ret = nnfw_f32_product_split(ctx, state, units, in.batch,
						     &o.group[PACKED_RECURRENT], &to);
		if (!ret)
			ret = nnfw_recurrent_activate(&work, h, size, a->activation);
		for (size_t b = 0; b < in.batch && !ret; b++)
			ret = nnfw_real_store_long(&work, &ctx->out[0], t * out.step + b * out.row,
						   h + b * units, units);
		if (ret)
			return ret;
		NNFW_EACH(&work, i, size, state[i] = h[i]);
	}
	if (ctx->num_out > 1 && !ctx->out[1].omitted)
		ret = nnfw_real_store_long(&work, &ctx->out[1], 0, state, size);
	return ret;
}

/* ---- SVDF ---- */

enum { SVDF_INPUT = 0, SVDF_FEATURES, SVDF_TIME, SVDF_BIAS, SVDF_STATE };

static const struct nnfw_recurrent_group svdf_packed = { 1, { SVDF_FEATURES } };

static int svdf_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	return nnfw_recurrent_load(ctx, &svdf_packed, 1, state, size);
}

static size_t svdf_scratch(const struct nnfw_op_ctx *ctx)
{
	size_t batch = ctx->in[SVDF_INPUT].dims[0], filters = ctx->in[SVDF_FEATURES].dims[0];

	/* features of all batches; a row of the output; a row of the state */
	return nnfw_align(batch * filters * sizeof(float)) +
	       nnfw_align(ctx->out[1].dims[1] * sizeof(float)) +
	       nnfw_align(ctx->in[SVDF_STATE].dims[1] * sizeof(float)) +
	       nnfw_recurrent_operands_size(ctx, &svdf_packed, 1);
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
	struct nnfw_recurrent_operands o;
	const float *const *op = o.op;
	uint8_t *next = ctx->scratch;
	struct nnfw_work work = { .progress = ctx->progress };
	float *features, *row, *state;
	int ret;

	features = nnfw_take(&next, batch * filters * sizeof(float));
	row = nnfw_take(&next, units * sizeof(float));
	state = nnfw_take(&next, size * sizeof(float));
	ret = nnfw_recurrent_operands(ctx, &svdf_packed, 1, &o, &next);
	if (!ret) {
		const struct nnfw_f32_result to = { .data = features, .ld = filters, NNFW_F32_ALL };

		ret = nnfw_f32_product_split(ctx, op[SVDF_INPUT], input, batch, &o.group[0], &to);
	}
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

/* Input and recurrent weights, those of the auxiliary input. */
static uint64_t rnn_macs(const struct nnfw_op_ctx *ctx)
{
	const uint64_t steps = nnfw_recurrent_vectors(ctx, 1);

	return nnfw_recurrent_macs(ctx, 1, 3, steps) + nnfw_recurrent_macs(ctx, 6, 7, steps);
}

const struct nnfw_op nnfw_op_sequence_rnn = {
	.opcode = NNPROG_OP_SEQUENCE_RNN,
	.types = NNFW_TYPES_FLOAT,
	.macs = rnn_macs,
	.load = rnn_load,
	.unload = free,
	.scratch = rnn_scratch,
	.run = rnn_run,
};

static uint64_t svdf_macs(const struct nnfw_op_ctx *ctx)
{
	return nnfw_recurrent_macs(ctx, 1, 3, nnfw_recurrent_vectors(ctx, 1));
}

const struct nnfw_op nnfw_op_svdf = {
	.opcode = NNPROG_OP_SVDF,
	.types = NNFW_TYPES_FLOAT,
	.macs = svdf_macs,
	.load = svdf_load,
	.unload = free,
	.scratch = svdf_scratch,
	.run = svdf_run,
};
