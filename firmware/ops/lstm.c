// SPDX-License-Identifier: Apache-2.0
/*
 * SEQUENCE_LSTM in float32; float16 operands are converted (constants once, by load()) and the state is
 * kept in float32 over the sequence. Gates are [batch, units] matrices; their products with input and
 * previous output go through OpenBLAS, a time step at a time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recurrent.h"

/* Operands, see nnprog.h. Gates are counted i f c o in weights, biases and layer norm. */
enum {
	INPUT = 0, WEIGHTS = 1, RECURRENT = 5, PEEPHOLE_I = 9, PEEPHOLE_F, PEEPHOLE_O, BIAS = 12,
	PROJECTION = 16, PROJECTION_BIAS, OUTPUT_STATE = 18, CELL_STATE, LAYER_NORM = 20,
	AUX = 24, AUX_WEIGHTS = 25, OTHER_WEIGHTS = 29, NUM_OPERANDS
};

enum { GATE_I, GATE_F, GATE_C, GATE_O, NUM_GATES };

struct lstm {
	const struct nnprog_attr_lstm *attr;
	struct nnfw_progress *progress;
	uint32_t x;			/* operand that is the input */
	struct nnfw_sequence in, aux, out;	/* aux.n 0: none that is added */
	size_t batch, units, output;
	const float *op[NUM_OPERANDS];	/* NULL: omitted */
	float *gates[NUM_GATES];	/* [batch, units] */
	float *cell, *hidden;		/* [batch, units], [batch, output] */
	bool cifg, layer_norm;
};

/* Each row to mean 0 and variance 1, times the weights. */
static void layer_norm(float *x, size_t batch, size_t units, const float *weights)
{
	for (size_t b = 0; b < batch; b++, x += units) {
		double sum = 0, squares = 0, mean, inverse;

		for (size_t u = 0; u < units; u++)
			sum += x[u];
		mean = sum / (double)units;
		for (size_t u = 0; u < units; u++)
			squares += (x[u] - mean) * (x[u] - mean);
		inverse = 1 / sqrt(squares / (double)units + 1e-8);
		for (size_t u = 0; u < units; u++)
			x[u] = (float)((x[u] - mean) * inverse) * weights[u];
	}
}

/* A gate of step @t up to its activation function; @peephole may be NULL. */
static int gate(const struct lstm *l, uint32_t k, size_t t, const float *peephole)
{
	float *g = l->gates[k];
	int ret;

	ret = nnfw_recurrent_product(l->progress, l->batch, l->units, l->in.n, l->op[l->x] + t * l->in.step, l->in.row,
				     l->op[WEIGHTS + k], g, 0);
	if (l->aux.n && !ret)
		ret = nnfw_recurrent_product(l->progress, l->batch, l->units, l->aux.n, l->op[AUX] + t * l->aux.step,
					     l->aux.row, l->op[AUX_WEIGHTS + k], g, 1);
	if (!ret)
		ret = nnfw_recurrent_product(l->progress, l->batch, l->units, l->output, l->hidden, l->output,
					     l->op[RECURRENT + k], g, 1);
	if (ret)
		return ret;
	if (peephole) {
		for (size_t b = 0; b < l->batch; b++) {
			for (size_t u = 0; u < l->units; u++)
				g[b * l->units + u] += peephole[u] * l->cell[b * l->units + u];
		}
	}
	if (l->layer_norm)
		layer_norm(g, l->batch, l->units, l->op[LAYER_NORM + k]);
	nnfw_recurrent_add_row(g, l->batch, l->units, l->op[BIAS + k]);
	return nnfw_progress_tick(l->progress);
}

static void clip(float *x, size_t n, float limit)
{
	if (!(limit > 0))
		return;
	for (size_t i = 0; i < n; i++)
		x[i] = nnfw_clampf(x[i], -limit, limit);
}

/* One time step: reads and replaces cell and hidden. */
static int step(const struct lstm *l, size_t t)
{
	float *i = l->gates[GATE_I], *f = l->gates[GATE_F], *c = l->gates[GATE_C], *o = l->gates[GATE_O];
	size_t n = l->batch * l->units;
	int ret;

	ret = gate(l, GATE_F, t, l->op[PEEPHOLE_F]);
	if (ret)
		return ret;
	if (nnfw_recurrent_activate(l->progress, f, n, 6))
		return -ECANCELED;
	if (l->cifg) {
		for (size_t k = 0; k < n; k++)
			i[k] = 1 - f[k];
	} else {
		ret = gate(l, GATE_I, t, l->op[PEEPHOLE_I]);
		if (ret)
			return ret;
		if (nnfw_recurrent_activate(l->progress, i, n, 6))
			return -ECANCELED;
	}
	ret = gate(l, GATE_C, t, NULL);
	if (ret)
		return ret;
	if (nnfw_recurrent_activate(l->progress, c, n, l->attr->activation))
		return -ECANCELED;
	for (size_t k = 0; k < n; k++)
		l->cell[k] = f[k] * l->cell[k] + i[k] * c[k];
	clip(l->cell, n, l->attr->cell_clip);
	ret = gate(l, GATE_O, t, l->op[PEEPHOLE_O]);
	if (ret)
		return ret;
	if (nnfw_recurrent_activate(l->progress, o, n, 6))
		return -ECANCELED;
	memcpy(c, l->cell, n * sizeof(*c));
	if (nnfw_recurrent_activate(l->progress, c, n, l->attr->activation))
		return -ECANCELED;
	for (size_t k = 0; k < n; k++)
		o[k] *= c[k];
	if (!l->op[PROJECTION]) {
		memcpy(l->hidden, o, n * sizeof(*o));
		return 0;
	}
	ret = nnfw_recurrent_product(l->progress, l->batch, l->output, l->units, o, l->units, l->op[PROJECTION],
				     l->hidden, 0);
	if (ret)
		return ret;
	if (l->op[PROJECTION_BIAS])
		nnfw_recurrent_add_row(l->hidden, l->batch, l->output, l->op[PROJECTION_BIAS]);
	clip(l->hidden, l->batch * l->output, l->attr->projection_clip);
	return 0;
}

/* ---- operands and memory ------------------------------------------------------------------------- */

static struct lstm extents(const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = ctx->in, *recurrent = &in[RECURRENT + GATE_O];
	const struct nnprog_attr_lstm *a = ctx->attrs;
	struct lstm l = {
		.attr = a,
		.progress = ctx->progress,
		.x = INPUT,
		.out = nnfw_sequence_of(&ctx->out[0], a->time_major),
		.units = recurrent->dims[0],
		.output = recurrent->dims[1],
		.cifg = in[WEIGHTS + GATE_I].omitted,
		.layer_norm = !in[LAYER_NORM + GATE_F].omitted,
	};

	if (ctx->num_in > AUX && !in[AUX].omitted) {
		/* without weights it takes the place of x, backwards */
		if (!in[AUX_WEIGHTS + GATE_F].omitted)
			l.aux = nnfw_sequence_of(&in[AUX], a->time_major);
		else if (a->reverse)
			l.x = AUX;
	}
	l.in = nnfw_sequence_of(&in[l.x], a->time_major);
	l.batch = l.in.batch;
	return l;
}

static size_t lstm_scratch(const struct nnfw_op_ctx *ctx)
{
	struct lstm l = extents(ctx);

	return (NUM_GATES + 1) * nnfw_align(l.batch * l.units * sizeof(float)) +
	       nnfw_align(l.batch * l.output * sizeof(float)) + nnfw_recurrent_operands_size(ctx);
}

static int prepare(const struct nnfw_op_ctx *ctx, struct lstm *l)
{
	uint8_t *next = ctx->scratch;
	int ret;

	*l = extents(ctx);
	for (uint32_t k = 0; k < NUM_GATES; k++)
		l->gates[k] = nnfw_take(&next, l->batch * l->units * sizeof(float));
	l->cell = nnfw_take(&next, l->batch * l->units * sizeof(float));
	l->hidden = nnfw_take(&next, l->batch * l->output * sizeof(float));
	ret = nnfw_recurrent_operands(ctx, l->op, &next);
	if (ret)
		return ret;
	memcpy(l->cell, l->op[CELL_STATE], l->batch * l->units * sizeof(float));
	memcpy(l->hidden, l->op[OUTPUT_STATE], l->batch * l->output * sizeof(float));
	return 0;
}

static bool wanted(const struct nnfw_op_ctx *ctx, uint32_t i)
{
	return i < ctx->num_out && !ctx->out[i].omitted;
}

static int lstm_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_lstm *a = ctx->attrs;
	struct lstm l;
	int ret;

	if (!ctx->out[0].elements)
		return 0;
	ret = prepare(ctx, &l);
	if (ret)
		return ret;
	for (size_t n = 0; n < l.in.time; n++) {
		size_t t = a->reverse ? l.in.time - 1 - n : n;

		ret = nnfw_progress_tick(ctx->progress);
		if (ret)
			return ret;
		ret = step(&l, t);
		if (ret)
			return ret;
		for (size_t b = 0; b < l.batch; b++)
			nnfw_real_store(&ctx->out[0], t * l.out.step + b * l.out.row,
					l.hidden + b * l.output, l.output);
	}
	if (wanted(ctx, 1))
		nnfw_real_store(&ctx->out[1], 0, l.hidden, l.batch * l.output);
	if (wanted(ctx, 2))
		nnfw_real_store(&ctx->out[2], 0, l.cell, l.batch * l.units);
	if (wanted(ctx, 3))
		memset(ctx->out[3].data, 0, ctx->out[3].size);
	return 0;
}

const struct nnfw_op nnfw_op_lstm = {
	.opcode = NNPROG_OP_SEQUENCE_LSTM,
	.types = NNFW_TYPES_FLOAT,
	.load = nnfw_recurrent_load,
	.unload = free,
	.scratch = lstm_scratch,
	.run = lstm_run,
};
