// SPDX-License-Identifier: Apache-2.0
/*
 * SEQUENCE_LSTM in float32; float16 operands are converted (constants once, by load()) and the
 * state is kept in float32 over the sequence. All gates come from one product with the previous
 * output, which is added to the product with the inputs of some time steps at once. Threads divide
 * the products.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/recurrent.h"
#include "lstm/lstm_operands.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

/* Groups of packed weights; the gates with a sigmoid lie together. */
enum { PACKED_INPUT, PACKED_AUX, PACKED_RECURRENT, PACKED_PROJECTION, NUM_PACKED };

static const struct nnfw_recurrent_group packed[NUM_PACKED] = {
	[PACKED_INPUT] = { 4, { W_I + GATE_I, W_I + GATE_F, W_I + GATE_O, W_I + GATE_C } },
	[PACKED_AUX] = { 4, { A_I + GATE_I, A_I + GATE_F, A_I + GATE_O, A_I + GATE_C } },
	[PACKED_RECURRENT] = { 4, { R_I + GATE_I, R_I + GATE_F, R_I + GATE_O, R_I + GATE_C } },
	[PACKED_PROJECTION] = { 1, { PROJ_W } },
};

struct lstm {
	const struct nnfw_op_ctx *ctx;
	const struct nnprog_attr_lstm *attr;
	struct nnfw_work *work;
	uint32_t x; /* operand that is the input */
	struct nnfw_sequence in, aux, out; /* aux.n 0: none that is added */
	size_t batch, units, output;
	struct nnfw_recurrent_operands operands;
	size_t steps; /* whose inputs are multiplied together */
	float *gates; /* [steps][batch][width] */
	size_t width; /* of all gates, each of units: i f o c, or f o c */
	size_t at[NUM_GATES]; /* where in a row a gate begins */
	float *bias; /* [width] */
	float *cell, *hidden; /* [batch, units], [batch, output] */
	float *row; /* [batch, units]: what the projection reads */
	bool cifg, layer_norm, peephole;
};

/* To mean 0 and variance 1, times the weights. */
static int layer_norm(const struct lstm *l, float *x, const float *weights)
{
	double sum = 0, squares = 0, mean, inverse;

	NNFW_EACH(l->work, u, l->units, sum += x[u]);
	mean = sum / (double)l->units;
	NNFW_EACH(l->work, u, l->units, squares += (x[u] - mean) * (x[u] - mean));
	inverse = 1 / sqrt(squares / (double)l->units + 1e-8);
	NNFW_EACH(l->work, u, l->units, x[u] = (float)((x[u] - mean) * inverse) * weights[u]);
	return 0;
}

/* What comes between a gate's products and its activation function; @peephole: an operand or 0. */
static int lstm_finish(const struct lstm *l, uint32_t gate, uint32_t peephole, float *row,
		       const float *cell)
{
	const float *const *op = l->operands.op;
	float *x = row + l->at[gate];

	if (peephole && op[peephole])
		NNFW_EACH(l->work, u, l->units, x[u] += op[peephole][u] * cell[u]);
	if (!l->layer_norm)
		return 0;
	if (layer_norm(l, x, op[LN_I + gate]))
		return -ECANCELED;
	NNFW_EACH(l->work, u, l->units, x[u] += op[B_I + gate][u]);
	return 0;
}

static int clip(struct nnfw_work *work, float *x, size_t n, float limit)
{
	if (limit > 0)
		NNFW_EACH(work, i, n, x[i] = nnfw_clampf(x[i], -limit, limit));
	return 0;
}

/* A row's gates, of which the products are there, to its cell and output. */
static int cell_row(const struct lstm *l, float *row, float *cell, float *to)
{
	const bool special = l->peephole || l->layer_norm;
	const size_t n = l->units;
	const float *i = row + l->at[GATE_I], *f = row + l->at[GATE_F];
	float *c = row + l->at[GATE_C], *o = row + l->at[GATE_O];

	if (special &&
	    ((!l->cifg && lstm_finish(l, GATE_I, P_I, row, cell)) ||
	     lstm_finish(l, GATE_F, P_F, row, cell) || lstm_finish(l, GATE_C, 0, row, cell)))
		return -ECANCELED;
	/* the gates before c, or before o if that waits for the cell */
	if (nnfw_recurrent_activate(l->work, row, l->at[special ? GATE_O : GATE_C], 6) ||
	    nnfw_recurrent_activate(l->work, c, n, l->attr->activation))
		return -ECANCELED;
	if (l->cifg)
		NNFW_EACH(l->work, k, n, cell[k] = f[k] * cell[k] + (1 - f[k]) * c[k]);
	else
		NNFW_EACH(l->work, k, n, cell[k] = f[k] * cell[k] + i[k] * c[k]);
	if (clip(l->work, cell, n, l->attr->cell_clip))
		return -ECANCELED;
	if (special &&
	    (lstm_finish(l, GATE_O, P_O, row, cell) || nnfw_recurrent_activate(l->work, o, n, 6)))
		return -ECANCELED;
	NNFW_EACH(l->work, k, n, c[k] = cell[k]);
	if (nnfw_recurrent_activate(l->work, c, n, l->attr->activation))
		return -ECANCELED;
	NNFW_EACH(l->work, k, n, to[k] = o[k] * c[k]);
	return 0;
}

/* One time step: reads and replaces cell and hidden. @gates: the products of its inputs. */
static int lstm_step(const struct lstm *l, float *gates)
{
	const struct nnfw_f32_weights *w = &l->operands.group[PACKED_RECURRENT];
	const struct nnfw_f32_weights *projection = &l->operands.group[PACKED_PROJECTION];
	const struct nnfw_f32_result sums = {
		.data = gates, .ld = l->width, .more = true, NNFW_F32_ALL
	};
	const struct nnfw_f32_result projected = {
		.data = l->hidden, .ld = l->output, .bias = l->operands.op[PROJ_B], NNFW_F32_ALL
	};
	float *to = projection->n ? l->row : l->hidden;
	int ret = nnfw_f32_product_split(l->ctx, l->hidden, l->output, l->batch, w, &sums);

	for (size_t b = 0; b < l->batch && !ret; b++)
		ret = cell_row(l, gates + b * l->width, l->cell + b * l->units, to + b * l->units);
	if (!projection->n || ret)
		return ret;
	ret = nnfw_f32_product_split(l->ctx, l->row, l->units, l->batch, projection, &projected);
	return ret ? ret : clip(l->work, l->hidden, l->batch * l->output, l->attr->projection_clip);
}

/* The products of the inputs of @steps steps from the @first one on. */
static int inputs(const struct lstm *l, size_t first, size_t steps)
{
	const struct nnfw_recurrent_operands *o = &l->operands;
	struct nnfw_f32_result to = {
		.data = l->gates, .ld = l->width, .bias = l->bias, NNFW_F32_ALL
	};
	int ret = nnfw_recurrent_inputs(l->ctx, &l->in, o->op[l->x], first, steps, l->attr->reverse,
					&o->group[PACKED_INPUT], &to);

	to.bias = NULL;
	to.more = true;
	if (l->aux.n && !ret)
		ret = nnfw_recurrent_inputs(l->ctx, &l->aux, o->op[AUX], first, steps,
					    l->attr->reverse, &o->group[PACKED_AUX], &to);
	return ret;
}

/* ---- operands and memory ---- */

static struct lstm lstm_extents(const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = ctx->in, *recurrent = &in[R_I + GATE_O];
	const struct nnprog_attr_lstm *a = ctx->attrs;
	struct lstm l = {
		.ctx = ctx,
		.attr = a,
		.x = INPUT,
		.out = nnfw_sequence_of(&ctx->out[0], a->time_major),
		.units = recurrent->dims[0],
		.output = recurrent->dims[1],
		.cifg = in[W_I + GATE_I].omitted,
		.layer_norm = !in[LN_I + GATE_F].omitted,
		.peephole = !in[P_F].omitted,
	};
	static const uint32_t order[NUM_GATES] = { GATE_I, GATE_F, GATE_O, GATE_C };

	if (ctx->num_in > AUX && !in[AUX].omitted) {
		/* without weights it takes the place of x, backwards */
		if (!in[A_I + GATE_F].omitted)
			l.aux = nnfw_sequence_of(&in[AUX], a->time_major);
		else if (a->reverse)
			l.x = AUX;
	}
	l.in = nnfw_sequence_of(&in[l.x], a->time_major);
	l.batch = l.in.batch;
	l.steps = nnfw_recurrent_steps(&l.in);
	for (uint32_t k = l.cifg ? 1 : 0; k < NUM_GATES; k++) {
		l.at[order[k]] = l.width;
		l.width += l.units;
	}
	return l;
}

static size_t lstm_scratch(const struct nnfw_op_ctx *ctx)
{
	struct lstm l = lstm_extents(ctx);

	return nnfw_align(l.steps * l.batch * l.width * sizeof(float)) +
	       nnfw_align(l.width * sizeof(float)) +
	       2 * nnfw_align(l.batch * l.units * sizeof(float)) +
	       nnfw_align(l.batch * l.output * sizeof(float)) +
	       nnfw_recurrent_operands_size(ctx, packed, NUM_PACKED);
}

static int lstm_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	return nnfw_recurrent_load(ctx, packed, NUM_PACKED, state, size);
}

static int lstm_prepare(const struct nnfw_op_ctx *ctx, struct nnfw_work *work, struct lstm *l)
{
	uint8_t *next = ctx->scratch;
	const float *const *op;
	int ret;

	*l = lstm_extents(ctx);
	l->work = work;
	l->gates = nnfw_take(&next, l->steps * l->batch * l->width * sizeof(float));
	l->bias = nnfw_take(&next, l->width * sizeof(float));
	l->cell = nnfw_take(&next, l->batch * l->units * sizeof(float));
	l->row = nnfw_take(&next, l->batch * l->units * sizeof(float));
	l->hidden = nnfw_take(&next, l->batch * l->output * sizeof(float));
	ret = nnfw_recurrent_operands(ctx, packed, NUM_PACKED, &l->operands, &next);
	if (ret)
		return ret;
	op = l->operands.op;
	NNFW_EACH(work, k, l->batch * l->units, l->cell[k] = op[C_IN][k]);
	NNFW_EACH(work, k, l->batch * l->output, l->hidden[k] = op[H_IN][k]);
	for (uint32_t g = l->cifg ? GATE_F : GATE_I; g < NUM_GATES; g++)
		NNFW_EACH(work, u, l->units,
			  l->bias[l->at[g] + u] = l->layer_norm ? 0 : op[B_I + g][u]);
	return 0;
}

static bool lstm_wanted(const struct nnfw_op_ctx *ctx, uint32_t i)
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
	ret = lstm_prepare(ctx, &work, &l);
	if (ret)
		return ret;
	for (size_t n = 0; n < l.in.time; n++) {
		size_t t = a->reverse ? l.in.time - 1 - n : n, left = l.in.time - n;

		ret = nnfw_progress_tick(ctx->progress);
		if (n % l.steps == 0 && !ret)
			ret = inputs(&l, n, left < l.steps ? left : l.steps);
		if (!ret)
			ret = lstm_step(&l, l.gates + n % l.steps * l.batch * l.width);
		for (size_t b = 0; b < l.batch && !ret; b++)
			ret = nnfw_real_store_long(&work, &ctx->out[0],
						   t * l.out.step + b * l.out.row,
						   l.hidden + b * l.output, l.output);
		if (ret)
			return ret;
	}
	if (lstm_wanted(ctx, 1))
		ret = nnfw_real_store_long(&work, &ctx->out[1], 0, l.hidden, l.batch * l.output);
	if (lstm_wanted(ctx, 2) && !ret)
		ret = nnfw_real_store_long(&work, &ctx->out[2], 0, l.cell, l.batch * l.units);
	if (lstm_wanted(ctx, 3) && !ret)
		NNFW_EACH(&work, k, ctx->out[3].size, ((uint8_t *)ctx->out[3].data)[k] = 0);
	return ret;
}

/* Input and recurrent weights, the projection, weights of the auxiliary input. */
static uint64_t lstm_macs(const struct nnfw_op_ctx *ctx)
{
	const uint64_t steps = nnfw_recurrent_vectors(ctx, 2);

	return nnfw_recurrent_macs(ctx, 1, 9, steps) + nnfw_recurrent_macs(ctx, 16, 17, steps) +
	       nnfw_recurrent_macs(ctx, 25, 29, steps);
}

const struct nnfw_op nnfw_op_sequence_lstm = {
	.opcode = NNPROG_OP_SEQUENCE_LSTM,
	.types = NNFW_TYPES_FLOAT,
	.macs = lstm_macs,
	.load = lstm_load,
	.unload = free,
	.scratch = lstm_scratch,
	.run = lstm_run,
};
