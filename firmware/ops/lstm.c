// SPDX-License-Identifier: Apache-2.0
/*
 * SEQUENCE_LSTM in float32; float16 operands are converted (constants once, by load()) and the state is
 * kept in float32 over the sequence. Gates are [batch, units] matrices; their products with input and
 * previous output go through OpenBLAS, a time step at a time.
 */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops.h"

/* Operands, see nnprog.h. Gates are counted i f c o in weights, biases and layer norm. */
enum {
	INPUT = 0, WEIGHTS = 1, RECURRENT = 5, PEEPHOLE_I = 9, PEEPHOLE_F, PEEPHOLE_O, BIAS = 12,
	PROJECTION = 16, PROJECTION_BIAS, OUTPUT_STATE = 18, CELL_STATE, LAYER_NORM = 20, NUM_OPERANDS = 24
};

enum { GATE_I, GATE_F, GATE_C, GATE_O, NUM_GATES };

struct lstm {
	const struct nnprog_attr_lstm *attr;
	size_t batch, time, input, units, output;
	const float *op[NUM_OPERANDS];	/* NULL: omitted */
	float *gates[NUM_GATES];	/* [batch, units] */
	float *cell, *hidden;		/* [batch, units], [batch, output] */
	bool cifg, layer_norm;
};

static float sigmoid(float x)
{
	return 1.0f / (1.0f + expf(-x));
}

static void activate(float *x, size_t n, uint32_t code)
{
	switch (code) {
	case 1:
		for (size_t i = 0; i < n; i++)
			x[i] = x[i] > 0 ? x[i] : 0;
		break;
	case 3:
		for (size_t i = 0; i < n; i++)
			x[i] = nnfw_clampf(x[i], 0, 6);
		break;
	case 4:
		for (size_t i = 0; i < n; i++)
			x[i] = tanhf(x[i]);
		break;
	case 6:
		for (size_t i = 0; i < n; i++)
			x[i] = sigmoid(x[i]);
		break;
	default:
		break;
	}
}

/* c[batch, n] (+)= a[batch, k] * w[n, k]^T */
static void product(size_t batch, size_t n, size_t k, const float *a, size_t lda, const float *w, float *c,
		    float keep)
{
	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)batch, (blasint)n, (blasint)k, 1, a,
		    (blasint)lda, w, (blasint)k, keep, c, (blasint)n);
}

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

/* A gate up to its activation function; @peephole may be NULL. */
static void gate(const struct lstm *l, uint32_t k, const float *x, size_t lda, const float *peephole)
{
	const float *bias = l->op[BIAS + k];
	float *g = l->gates[k];

	product(l->batch, l->units, l->input, x, lda, l->op[WEIGHTS + k], g, 0);
	product(l->batch, l->units, l->output, l->hidden, l->output, l->op[RECURRENT + k], g, 1);
	if (peephole) {
		for (size_t b = 0; b < l->batch; b++) {
			for (size_t u = 0; u < l->units; u++)
				g[b * l->units + u] += peephole[u] * l->cell[b * l->units + u];
		}
	}
	if (l->layer_norm)
		layer_norm(g, l->batch, l->units, l->op[LAYER_NORM + k]);
	for (size_t b = 0; b < l->batch; b++) {
		for (size_t u = 0; u < l->units; u++)
			g[b * l->units + u] += bias[u];
	}
}

static void clip(float *x, size_t n, float limit)
{
	if (!(limit > 0))
		return;
	for (size_t i = 0; i < n; i++)
		x[i] = nnfw_clampf(x[i], -limit, limit);
}

/* One time step: reads and replaces cell and hidden. */
static void step(const struct lstm *l, const float *x, size_t lda)
{
	float *i = l->gates[GATE_I], *f = l->gates[GATE_F], *c = l->gates[GATE_C], *o = l->gates[GATE_O];
	size_t n = l->batch * l->units;

	gate(l, GATE_F, x, lda, l->op[PEEPHOLE_F]);
	activate(f, n, 6);
	if (l->cifg) {
		for (size_t k = 0; k < n; k++)
			i[k] = 1 - f[k];
	} else {
		gate(l, GATE_I, x, lda, l->op[PEEPHOLE_I]);
		activate(i, n, 6);
	}
	gate(l, GATE_C, x, lda, NULL);
	activate(c, n, l->attr->activation);
	for (size_t k = 0; k < n; k++)
		l->cell[k] = f[k] * l->cell[k] + i[k] * c[k];
	clip(l->cell, n, l->attr->cell_clip);
	gate(l, GATE_O, x, lda, l->op[PEEPHOLE_O]);
	activate(o, n, 6);
	memcpy(c, l->cell, n * sizeof(*c));
	activate(c, n, l->attr->activation);
	for (size_t k = 0; k < n; k++)
		o[k] *= c[k];
	if (!l->op[PROJECTION]) {
		memcpy(l->hidden, o, n * sizeof(*o));
		return;
	}
	product(l->batch, l->output, l->units, o, l->units, l->op[PROJECTION], l->hidden, 0);
	if (l->op[PROJECTION_BIAS]) {
		for (size_t b = 0; b < l->batch; b++) {
			for (size_t u = 0; u < l->output; u++)
				l->hidden[b * l->output + u] += l->op[PROJECTION_BIAS][u];
		}
	}
	clip(l->hidden, l->batch * l->output, l->attr->projection_clip);
}

/* ---- operands and memory ------------------------------------------------------------------------- */

/* What load() makes of a float16 program: constants as float32. */
struct state {
	const float *op[NUM_OPERANDS];	/* NULL: not constant */
};

static bool converted_by_load(const struct nnfw_tensor *t)
{
	return !t->omitted && t->constant && t->dtype == NNPROG_FLOAT16 && t->data;
}

static int lstm_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	size_t bytes = nnfw_align(sizeof(struct state));
	struct state *s;
	uint8_t *next;

	*state = NULL;
	*size = 0;
	if (ctx->in[INPUT].dtype != NNPROG_FLOAT16)
		return 0;
	for (uint32_t k = 0; k < NUM_OPERANDS; k++) {
		if (converted_by_load(&ctx->in[k]))
			bytes += nnfw_align(ctx->in[k].elements * sizeof(float));
	}
	next = nnfw_alloc_state(bytes);
	if (!next)
		return -ENOMEM;
	*state = next;
	*size = bytes;
	s = nnfw_take(&next, sizeof(*s));
	for (uint32_t k = 0; k < NUM_OPERANDS; k++) {
		float *mem;

		s->op[k] = NULL;
		if (!converted_by_load(&ctx->in[k]))
			continue;
		mem = nnfw_take(&next, ctx->in[k].elements * sizeof(float));
		nnfw_half_load(mem, ctx->in[k].data, ctx->in[k].elements);
		s->op[k] = mem;
	}
	return 0;
}

static struct lstm extents(const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = ctx->in, *recurrent = &in[RECURRENT + GATE_O];
	const struct nnprog_attr_lstm *a = ctx->attrs;

	return (struct lstm){
		.attr = a,
		.batch = in[INPUT].dims[a->time_major ? 1 : 0],
		.time = in[INPUT].dims[a->time_major ? 0 : 1],
		.input = in[INPUT].dims[2],
		.units = recurrent->dims[0],
		.output = recurrent->dims[1],
		.cifg = in[WEIGHTS + GATE_I].omitted,
		.layer_norm = !in[LAYER_NORM + GATE_F].omitted,
	};
}

static size_t lstm_scratch(const struct nnfw_op_ctx *ctx)
{
	const struct state *s = ctx->state;
	struct lstm l = extents(ctx);
	size_t bytes = (NUM_GATES + 1) * nnfw_align(l.batch * l.units * sizeof(float)) +
		       nnfw_align(l.batch * l.output * sizeof(float));

	if (ctx->in[INPUT].dtype != NNPROG_FLOAT16)
		return bytes;
	for (uint32_t k = 0; k < NUM_OPERANDS; k++) {
		if (!ctx->in[k].omitted && !(s && s->op[k]))
			bytes += nnfw_align(ctx->in[k].elements * sizeof(float));
	}
	return bytes;
}

static void prepare(const struct nnfw_op_ctx *ctx, struct lstm *l)
{
	const struct state *s = ctx->state;
	uint8_t *next = ctx->scratch;

	*l = extents(ctx);
	for (uint32_t k = 0; k < NUM_GATES; k++)
		l->gates[k] = nnfw_take(&next, l->batch * l->units * sizeof(float));
	l->cell = nnfw_take(&next, l->batch * l->units * sizeof(float));
	l->hidden = nnfw_take(&next, l->batch * l->output * sizeof(float));
	for (uint32_t k = 0; k < NUM_OPERANDS; k++) {
		const struct nnfw_tensor *t = &ctx->in[k];

		if (t->omitted) {
			l->op[k] = NULL;
		} else if (t->dtype == NNPROG_FLOAT32) {
			l->op[k] = t->data;
		} else if (s && s->op[k]) {
			l->op[k] = s->op[k];
		} else {
			float *mem = nnfw_take(&next, t->elements * sizeof(float));

			nnfw_half_load(mem, t->data, t->elements);
			l->op[k] = mem;
		}
	}
	memcpy(l->cell, l->op[CELL_STATE], l->batch * l->units * sizeof(float));
	memcpy(l->hidden, l->op[OUTPUT_STATE], l->batch * l->output * sizeof(float));
}

static void store(const struct nnfw_tensor *t, size_t to, const float *from, size_t n)
{
	if (t->dtype == NNPROG_FLOAT16)
		nnfw_half_store((uint16_t *)t->data + to, from, n);
	else
		memcpy((float *)t->data + to, from, n * sizeof(*from));
}

static int lstm_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_lstm *a = ctx->attrs;
	struct lstm l;

	if (!ctx->out[0].elements)
		return 0;
	prepare(ctx, &l);
	for (size_t t = 0; t < l.time; t++) {
		/* rows of a step are neighbours, or a sequence apart */
		size_t lda = a->time_major ? l.input : l.time * l.input;
		const float *x = l.op[INPUT] + (a->time_major ? t * l.batch : t) * l.input;
		int ret = nnfw_progress_tick(ctx->progress);

		if (ret)
			return ret;
		step(&l, x, lda);
		for (size_t b = 0; b < l.batch; b++) {
			size_t row = a->time_major ? t * l.batch + b : b * l.time + t;

			store(&ctx->out[0], row * l.output, l.hidden + b * l.output, l.output);
		}
	}
	if (ctx->num_out > 1 && !ctx->out[1].omitted)
		store(&ctx->out[1], 0, l.hidden, l.batch * l.output);
	if (ctx->num_out > 2 && !ctx->out[2].omitted)
		store(&ctx->out[2], 0, l.cell, l.batch * l.units);
	return 0;
}

const struct nnfw_op nnfw_op_lstm = {
	.opcode = NNPROG_OP_SEQUENCE_LSTM,
	.types = NNFW_TYPES_FLOAT,
	.load = lstm_load,
	.unload = free,
	.scratch = lstm_scratch,
	.run = lstm_run,
};
