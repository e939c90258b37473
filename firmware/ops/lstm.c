// SPDX-License-Identifier: Apache-2.0
/*
 * SEQUENCE_LSTM in float32; float16 operands are converted (constants once, by load()) and the
 * state is kept in float32 over the sequence. Gates are [batch, units] matrices; their products
 * with input and previous output go through OpenBLAS, a time step at a time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "kernels/kernel.h"
#include "kernels/real.h"
#include "kernels/recurrent.h"
#include "nnfw_ops.h"

/* Operands, see nnprog.h. Gates are counted i f c o in weights, biases and layer norm. */
enum {
	INPUT = 0,
	WEIGHTS = 1,
	RECURRENT = 5,
	PEEPHOLE_I = 9,
	PEEPHOLE_F,
	PEEPHOLE_O,
	BIAS = 12,
	PROJECTION = 16,
	PROJECTION_BIAS,
	OUTPUT_STATE = 18,
	CELL_STATE,
	LAYER_NORM = 20,
	AUX = 24,
	AUX_WEIGHTS = 25,
	OTHER_WEIGHTS = 29,
	NUM_OPERANDS
};

enum { GATE_I, GATE_F, GATE_C, GATE_O, NUM_GATES };

struct lstm {
	const struct nnprog_attr_lstm *attr;
	struct nnfw_progress *progress;
	struct nnfw_work *work;
	uint32_t x; /* operand that is the input */
	struct nnfw_sequence in, aux, out; /* aux.n 0: none that is added */
	size_t batch, units, output;
	const float *op[NUM_OPERANDS]; /* NULL: omitted */
	float *gates[NUM_GATES]; /* [batch, units] */
	float *cell, *hidden; /* [batch, units], [batch, output] */
	bool cifg, layer_norm;
};

/* Each row to mean 0 and variance 1, times the weights. */
static int layer_norm(const struct lstm *l, float *x, const float *weights)
{
	for (size_t b = 0; b < l->batch; b++, x += l->units) {
		double sum = 0, squares = 0, mean, inverse;

		NNFW_EACH(l->work, u, l->units, sum += x[u]);
		mean = sum / (double)l->units;
		NNFW_EACH(l->work, u, l->units, squares += (x[u] - mean) * (x[u] - mean));
		inverse = 1 / sqrt(squares / (double)l->units + 1e-8);
		NNFW_EACH(l->work, u, l->units,
			  x[u] = (float)((x[u] - mean) * inverse) * weights[u]);
	}
	return 0;
}

/* A gate of step @t up to its activation function; @peephole may be NULL. */
static int gate(const struct lstm *l, uint32_t k, size_t t, const float *peephole)
{
	float *g = l->gates[k];
	int ret;

	ret = nnfw_recurrent_product(l->progress, l->batch, l->units, l->in.n,
				     l->op[l->x] + t * l->in.step, l->in.row, l->op[WEIGHTS + k], g,
				     0);
	if (l->aux.n && !ret)
		ret = nnfw_recurrent_product(l->progress, l->batch, l->units, l->aux.n,
					     l->op[AUX] + t * l->aux.step, l->aux.row,
					     l->op[AUX_WEIGHTS + k], g, 1);
	if (!ret)
		ret = nnfw_recurrent_product(l->progress, l->batch, l->units, l->output, l->hidden,
					     l->output, l->op[RECURRENT + k], g, 1);
	if (ret)
		return ret;
	if (peephole) {
		for (size_t b = 0; b < l->batch; b++) {
			float *row = g + b * l->units;
			const float *cell = l->cell + b * l->units;

			NNFW_EACH(l->work, u, l->units, row[u] += peephole[u] * cell[u]);
		}
	}
	if (l->layer_norm && layer_norm(l, g, l->op[LAYER_NORM + k]))
		return -ECANCELED;
	ret = nnfw_recurrent_add_row(l->work, g, l->batch, l->units, l->op[BIAS + k]);
	return ret ? ret : nnfw_progress_tick(l->progress);
}

static int clip(struct nnfw_work *work, float *x, size_t n, float limit)
{
	if (limit > 0)
		NNFW_EACH(work, i, n, x[i] = nnfw_clampf(x[i], -limit, limit));
	return 0;
}

/* One time step: reads and replaces cell and hidden. */
static int step(const struct lstm *l, size_t t)
{
	float *i = l->gates[GATE_I], *f = l->gates[GATE_F], *c = l->gates[GATE_C],
	      *o = l->gates[GATE_O];
	size_t n = l->batch * l->units;
	int ret;

	ret = gate(l, GATE_F, t, l->op[PEEPHOLE_F]);
	if (ret)
		return ret;
	if (nnfw_recurrent_activate(l->progress, f, n, 6))
		return -ECANCELED;
	if (l->cifg) {
		NNFW_EACH(l->work, k, n, i[k] = 1 - f[k]);
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
	NNFW_EACH(l->work, k, n, l->cell[k] = f[k] * l->cell[k] + i[k] * c[k]);
	if (clip(l->work, l->cell, n, l->attr->cell_clip))
		return -ECANCELED;
	ret = gate(l, GATE_O, t, l->op[PEEPHOLE_O]);
	if (ret)
		return ret;
	if (nnfw_recurrent_activate(l->progress, o, n, 6))
		return -ECANCELED;
	NNFW_EACH(l->work, k, n, c[k] = l->cell[k]);
	if (nnfw_recurrent_activate(l->progress, c, n, l->attr->activation))
		return -ECANCELED;
	NNFW_EACH(l->work, k, n, o[k] *= c[k]);
	if (!l->op[PROJECTION]) {
		NNFW_EACH(l->work, k, n, l->hidden[k] = o[k]);
		return 0;
	}
	ret = nnfw_recurrent_product(l->progress, l->batch, l->output, l->units, o, l->units,
				     l->op[PROJECTION], l->hidden, 0);
	if (ret)
		return ret;
	if (l->op[PROJECTION_BIAS] &&
	    nnfw_recurrent_add_row(l->work, l->hidden, l->batch, l->output, l->op[PROJECTION_BIAS]))
		return -ECANCELED;
	return clip(l->work, l->hidden, l->batch * l->output, l->attr->projection_clip);
}

/* ---- operands and memory ---- */

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

static int prepare(const struct nnfw_op_ctx *ctx, struct nnfw_work *work, struct lstm *l)
{
	uint8_t *next = ctx->scratch;
	int ret;

	*l = extents(ctx);
	l->work = work;
	for (uint32_t k = 0; k < NUM_GATES; k++)
		l->gates[k] = nnfw_take(&next, l->batch * l->units * sizeof(float));
	l->cell = nnfw_take(&next, l->batch * l->units * sizeof(float));
	l->hidden = nnfw_take(&next, l->batch * l->output * sizeof(float));
	ret = nnfw_recurrent_operands(ctx, l->op, &next);
	if (ret)
		return ret;
	NNFW_EACH(work, k, l->batch * l->units, l->cell[k] = l->op[CELL_STATE][k]);
	NNFW_EACH(work, k, l->batch * l->output, l->hidden[k] = l->op[OUTPUT_STATE][k]);
	return 0;
}

static bool wanted(const struct nnfw_op_ctx *ctx, uint32_t i)
{
	return i < ctx->num_out && !ctx->out[i].omitted;
}

static int lstm_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_lstm *a = ctx->attrs;
	struct nnfw_work work = { .progress = ctx->progress };
	struct lstm l;
	int ret;

	if (!ctx->out[0].elements)
		return 0;
	ret = prepare(ctx, &work, &l);
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
		for (size_t b = 0; b < l.batch && !ret; b++)
			ret = nnfw_real_store_long(&work, &ctx->out[0],
						   t * l.out.step + b * l.out.row,
						   l.hidden + b * l.output, l.output);
		if (ret)
			return ret;
	}
	if (wanted(ctx, 1))
		ret = nnfw_real_store_long(&work, &ctx->out[1], 0, l.hidden, l.batch * l.output);
	if (wanted(ctx, 2) && !ret)
		ret = nnfw_real_store_long(&work, &ctx->out[2], 0, l.cell, l.batch * l.units);
	if (wanted(ctx, 3) && !ret)
		NNFW_EACH(&work, k, ctx->out[3].size, ((uint8_t *)ctx->out[3].data)[k] = 0);
	return ret;
}

const struct nnfw_op nnfw_op_lstm = {
	.opcode = NNPROG_OP_SEQUENCE_LSTM,
	.types = NNFW_TYPES_FLOAT,
	.load = nnfw_recurrent_load,
	.unload = free,
	.scratch = lstm_scratch,
	.run = lstm_run,
};
