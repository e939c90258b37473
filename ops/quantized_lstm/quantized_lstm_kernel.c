// SPDX-License-Identifier: Apache-2.0
/*
 * QUANTIZED_LSTM: one step in integers, bit for bit as NNAPI's reference. Gates are 16-bit numbers
 * in Q3 before their functions and in Q0 after; the cell state's scale is a power of two.
 */
#include <math.h>

#include "isa/isa.h"
#include "kernels/requant.h"
#include "kernels/kernel.h"
#include "lstm/lstm_operands.h"
#include "nnfw_ops.h"
#include "kernels/recurrent.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "q8_dot/q8_dot.h"

struct lstm {
	const struct nnfw_op_ctx *ctx;
	const struct nnprog_attr_quantized_lstm *attr;
	size_t batch, input, units, output;
	int shift; /* log2 of the cell state's scale */
	int16_t *gates[NUM_GATES], *cell; /* [batch, units] */
	int8_t *hidden; /* [batch, units] */
};

static const void *data(const struct lstm *l, uint32_t operand)
{
	const struct nnfw_tensor *t = &l->ctx->in[operand];

	return t->omitted ? NULL : t->data;
}

/* *@acc = the sum of (x - zero) * w, modulo 2^32. 0 or -ECANCELED. */
static int quantized_lstm_dot(struct nnfw_work *work, const int8_t *x, const int8_t *w, size_t n,
			      int32_t zero, int32_t *acc)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n;) {
		const size_t end = nnfw_slice(work, i, n);

		if (!end)
			return -ECANCELED;
		sum += NNFW_KERNELS(q8_dot)->dot(x + i, w + i, end - i, zero);
		i = end;
	}
	*acc = (int32_t)sum;
	return 0;
}

/* One row of a gate to mean 0 and variance 1, times the weights, plus the bias. */
static int layer_norm(const struct lstm *l, struct nnfw_work *work, uint32_t k, int16_t *g)
{
	const struct nnfw_tensor *t = &l->ctx->in[LN_I + k];
	const int16_t *weights = t->data;
	const int32_t *bias = data(l, B_I + k);
	struct nnfw_multiplier scale = nnfw_multiplier_of(ldexp((double)t->scale, 12)), inverse;
	int64_t n = (int64_t)l->units, sum = 0, squares = 0, mean, variance;

	NNFW_EACH(work, u, l->units, (sum += g[u], squares += (int32_t)g[u] * g[u]));
	mean = sum * 1024 / n;
	variance = (squares * ((1 << 20) / n) - mean * mean) / (1 << 20);
	if (variance < 1)
		variance = 10000.0 * (double)t->scale >= 1;
	inverse = nnfw_inverse_sqrt((int32_t)variance);
	NNFW_EACH(work, u, l->units, {
		int64_t v = (int64_t)nnfw_multiply((int32_t)(1024 * g[u] - mean), inverse) *
				    weights[u] +
			    (bias ? bias[u] : 0);

		v = (v > 0 ? v + 512 : v - 512) / 1024;
		g[u] = nnfw_sat16(nnfw_multiply((int32_t)v, scale));
	});
	return 0;
}

/* A gate up to its function; @peephole an operand or 0. */
static int gate(const struct lstm *l, uint32_t k, uint32_t peephole)
{
	struct nnfw_work work = { .progress = l->ctx->progress };
	const struct nnfw_tensor *in = l->ctx->in;
	float inter = l->attr->intermediate[k], sx = in[INPUT].scale, sh = in[H_IN].scale;
	const int8_t *x = data(l, INPUT), *h = data(l, H_IN);
	const int8_t *w = data(l, W_I + k), *r = data(l, R_I + k);
	const int16_t *p = peephole ? data(l, peephole) : NULL;
	struct nnfw_multiplier mx = nnfw_multiplier_of((double)(in[W_I + k].scale * sx / inter));
	struct nnfw_multiplier mh = nnfw_multiplier_of((double)(in[R_I + k].scale * sh / inter));
	struct nnfw_multiplier mp = { 0, 0 };

	if (p)
		mp = nnfw_multiplier_of((double)(ldexpf(in[peephole].scale, l->shift) / inter));
	for (size_t b = 0; b < l->batch; b++) {
		int16_t *g = l->gates[k] + b * l->units;
		const int16_t *cell = l->cell + b * l->units;

		for (size_t u = 0; u < l->units; u++) {
			int32_t acc;
			int16_t v;

			if (nnfw_work(&work, 16) ||
			    quantized_lstm_dot(&work, x + b * l->input, w + u * l->input, l->input,
					       in[INPUT].zero_point, &acc))
				return -ECANCELED;
			v = nnfw_sat16(nnfw_multiply(acc, mx));
			if (quantized_lstm_dot(&work, h + b * l->output, r + u * l->output,
					       l->output, in[H_IN].zero_point, &acc))
				return -ECANCELED;
			v = nnfw_sat16((int64_t)v + nnfw_multiply(acc, mh));
			if (p)
				v = nnfw_sat16((int64_t)v + nnfw_multiply(cell[u] * p[u], mp));
			g[u] = v;
		}
		if (!in[LN_I + k].omitted && layer_norm(l, &work, k, g))
			return -ECANCELED;
	}
	return nnfw_progress_tick(l->ctx->progress);
}

static int logistic(struct nnfw_work *work, int16_t *g, size_t n)
{
	NNFW_EACH(work, i, n, g[i] = nnfw_logistic16(g[i]));
	return 0;
}

/* Codes of a clip in a scale, at most @max. */
static int32_t clip_code(float clip, float scale, float max)
{
	float code = clip / scale;

	return (int32_t)(code < max ? code : max);
}

static int update_cell(const struct lstm *l, struct nnfw_work *work)
{
	const int16_t *i = l->gates[GATE_I], *f = l->gates[GATE_F], *c = l->gates[GATE_C];
	int32_t limit = INT16_MAX;

	if (l->attr->cell_clip > 0)
		limit = clip_code(l->attr->cell_clip, l->ctx->in[C_IN].scale, INT16_MAX);
	NNFW_EACH(work, n, l->batch * l->units, {
		int32_t kept = nnfw_rounding_shift(f[n] * l->cell[n], 15);
		int16_t sum =
			nnfw_sat16((int64_t)kept + nnfw_rounding_shift(i[n] * c[n], 30 + l->shift));

		if (l->attr->cell_clip > 0)
			sum = (int16_t)(sum > limit ? limit : sum < -limit ? -limit : sum);
		l->cell[n] = sum;
	});
	return 0;
}

/* o * tanh(C) in 8 bits. */
static int make_hidden(const struct lstm *l, struct nnfw_work *work)
{
	/* the quotient is a float32's, the power of two does not round */
	struct nnfw_multiplier m =
		nnfw_multiplier_of(ldexp((double)(1.0f / l->attr->hidden_scale), -30));
	const int16_t *o = l->gates[GATE_O];

	NNFW_EACH(work, n, l->batch * l->units, {
		int32_t v = o[n] * nnfw_tanh16(l->cell[n], 15 + l->shift);

		l->hidden[n] = nnfw_sat8((int64_t)nnfw_multiply(v, m) - l->attr->hidden_zero_point);
	});
	return 0;
}

/* Rows of the output from rows of the hidden state. */
static int project(const struct lstm *l, int8_t *out)
{
	struct nnfw_work work = { .progress = l->ctx->progress };
	const struct nnfw_tensor *in = l->ctx->in;
	const int8_t *w = data(l, PROJ_W);
	const int32_t *bias = data(l, PROJ_B);
	float scale = in[PROJ_W].scale, limit = l->attr->projection_clip;
	struct nnfw_multiplier m =
		nnfw_multiplier_of((double)(scale * l->attr->hidden_scale / in[H_IN].scale));
	int32_t clip = limit > 0 ? clip_code(limit, scale, INT8_MAX) : INT8_MAX;

	for (size_t b = 0; b < l->batch; b++) {
		for (size_t k = 0; k < l->output; k++) {
			int32_t acc;
			int8_t v;

			if (nnfw_work(&work, 16) ||
			    quantized_lstm_dot(&work, l->hidden + b * l->units, w + k * l->units,
					       l->units, -l->attr->hidden_zero_point, &acc))
				return -ECANCELED;
			acc = (int32_t)((uint32_t)acc + (bias ? (uint32_t)bias[k] : 0));
			v = nnfw_sat8((int64_t)nnfw_multiply(acc, m) + in[H_IN].zero_point);
			if (limit > 0)
				v = (int8_t)(v > clip ? clip : v < -clip ? -clip : v);
			out[b * l->output + k] = v;
		}
	}
	return 0;
}

static struct lstm quantized_lstm_extents(const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = ctx->in;

	return (struct lstm){
		.ctx = ctx,
		.attr = ctx->attrs,
		.batch = in[INPUT].dims[0],
		.input = in[INPUT].dims[1],
		.units = in[R_I + GATE_O].dims[0],
		.output = in[R_I + GATE_O].dims[1],
		.shift = (int)round(log2((double)in[C_IN].scale)),
	};
}

static size_t quantized_lstm_scratch(const struct nnfw_op_ctx *ctx)
{
	struct lstm l = quantized_lstm_extents(ctx);
	size_t n = l.batch * l.units;

	return (NUM_GATES + 1) * nnfw_align(n * sizeof(int16_t)) + nnfw_align(n);
}

static int quantized_lstm_run(struct nnfw_op_ctx *ctx)
{
	struct lstm l = quantized_lstm_extents(ctx);
	struct nnfw_work work = { .progress = ctx->progress };
	const struct nnfw_tensor *in = ctx->in;
	size_t n = l.batch * l.units;
	uint8_t *next = ctx->scratch;
	int8_t *out = ctx->out[2].data, *state = ctx->out[0].data;
	int16_t *c;
	int ret;

	for (uint32_t k = 0; k < NUM_GATES; k++)
		l.gates[k] = nnfw_take(&next, n * sizeof(int16_t));
	l.cell = nnfw_take(&next, n * sizeof(int16_t));
	l.hidden = nnfw_take(&next, n);
	NNFW_EACH(&work, i, n, l.cell[i] = ((const int16_t *)in[C_IN].data)[i]);
	ret = gate(&l, GATE_F, P_F);
	if (!ret)
		ret = logistic(&work, l.gates[GATE_F], n);
	if (ret)
		return ret;
	if (in[W_I + GATE_I].omitted) {
		NNFW_EACH(&work, i, n,
			  l.gates[GATE_I][i] = (int16_t)(INT16_MAX - l.gates[GATE_F][i]));
	} else {
		ret = gate(&l, GATE_I, P_I);
		if (!ret)
			ret = logistic(&work, l.gates[GATE_I], n);
		if (ret)
			return ret;
	}
	ret = gate(&l, GATE_C, 0);
	if (ret)
		return ret;
	c = l.gates[GATE_C];
	NNFW_EACH(&work, i, n, c[i] = nnfw_tanh16(c[i], 3));
	ret = update_cell(&l, &work);
	if (!ret)
		ret = gate(&l, GATE_O, P_O);
	if (!ret)
		ret = logistic(&work, l.gates[GATE_O], n);
	if (!ret)
		ret = make_hidden(&l, &work);
	if (ret)
		return ret;
	if (in[PROJ_W].omitted) {
		NNFW_EACH(&work, i, n, out[i] = l.hidden[i]);
	} else {
		ret = project(&l, out);
		if (ret)
			return ret;
	}
	NNFW_EACH(&work, i, l.batch * l.output, state[i] = out[i]);
	NNFW_EACH(&work, i, n, ((int16_t *)ctx->out[1].data)[i] = l.cell[i]);
	return nnfw_progress_tick(ctx->progress);
}

static uint64_t quantized_lstm_macs(const struct nnfw_op_ctx *ctx)
{
	return nnfw_recurrent_macs(ctx, 1, 9, nnfw_recurrent_vectors(ctx, 2));
}

const struct nnfw_op nnfw_op_quantized_lstm = {
	.opcode = NNPROG_OP_QUANTIZED_LSTM,
	.types = NNFW_TYPE(INT8),
	.macs = quantized_lstm_macs,
	.scratch = quantized_lstm_scratch,
	.run = quantized_lstm_run,
};
