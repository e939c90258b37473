// SPDX-License-Identifier: Apache-2.0
/*
 * LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and BIDIRECTIONAL_SEQUENCE_LSTM: the device's operand order, with the
 * scalars taken out. Which operands go together is for the device's own rule to judge, here and, as a request
 * may omit model inputs, in every run.
 */
#include "context.h"

/* Operands of the device's operation. */
enum {
	X, INPUT_WEIGHTS, CELL_TO_INPUT = 9, PROJECTION = 16, H_IN = 18, C_IN, LAYER_NORM = 20, AUX = 24,
	AUX_WEIGHTS, OTHER_WEIGHTS = 29, NUM_TENSORS
};
#define CELL_TENSORS	17	/* input weights .. projection bias */

/* Bit i: device operand i may be omitted. */
#define OPTIONAL	(1u << 1 | 1u << 5 | 7u << 9 | 1u << 12 | 3u << 16)

/* Rank of device operand @k where it is there; @sequence: rank of x. */
static uint32_t rank_of(uint32_t k, uint32_t sequence)
{
	if (k == X || k == AUX)
		return sequence;
	if ((k >= CELL_TO_INPUT && k < PROJECTION) || k == PROJECTION + 1)
		return 1;
	return k >= LAYER_NORM && k < AUX ? 1 : 2;
}

/* Where the NNAPI operation has what: input numbers. */
struct layout {
	uint32_t x, cell, h, c, layer_norm, aux, aux_weights, other_weights;	/* LOWER_NONE: has none */
	uint32_t parameters;		/* activation, clips of cell and projection */
	uint32_t sequence;		/* rank of x */
};

static int parameters(struct lower *l, const struct layout *at, struct nnprog_attr_lstm *a)
{
	int ret;

	ret = lower_uint(l, at->parameters, 0, &a->activation);
	if (!ret)
		ret = lower_float(l, at->parameters + 1, &a->cell_clip);
	return ret ? ret : lower_float(l, at->parameters + 2, &a->projection_clip);
}

/* Four optional vectors or matrices from input @i on. */
static int four(struct lower *l, uint32_t i, uint32_t rank, uint32_t *in)
{
	uint32_t k;
	int ret = 0;

	for (k = 0; !ret && k < 4; k++)
		ret = i == LOWER_NONE ? lower_omitted(l, &in[k]) : lower_in_ranked(l, i + k, rank, &in[k]);
	return ret;
}

static int tensors(struct lower *l, const struct layout *at, uint32_t *in)
{
	const uint32_t projection = at->cell + PROJECTION - INPUT_WEIGHTS;
	const bool cifg = lower_is_omitted(l, at->cell, 2);
	/* a bias that is a request's to omit goes with weights that are not there */
	const bool no_projection = lower_is_omitted(l, projection, 2) &&
				   lower_operand(l, projection + 1)->lifetime == NNMODEL_SUBGRAPH_INPUT;
	uint32_t k;
	int ret;

	ret = lower_in(l, at->x, &in[X]);
	for (k = 0; !ret && k < CELL_TENSORS; k++) {
		const uint32_t to = INPUT_WEIGHTS + k;

		/* without an input gate its peephole has nothing to feed: ignored, as NNAPI's CPU does */
		if ((to == CELL_TO_INPUT && cifg) || (to == PROJECTION + 1 && no_projection))
			ret = lower_omitted(l, &in[to]);
		else if (OPTIONAL & 1u << to)
			ret = lower_in_ranked(l, at->cell + k, rank_of(to, at->sequence), &in[to]);
		else
			ret = lower_in(l, at->cell + k, &in[to]);
	}
	if (!ret)
		ret = lower_in(l, at->h, &in[H_IN]);
	if (!ret)
		ret = lower_in(l, at->c, &in[C_IN]);
	if (!ret)
		ret = four(l, at->layer_norm, 1, &in[LAYER_NORM]);
	if (!ret)
		ret = at->aux == LOWER_NONE ? lower_omitted(l, &in[AUX]) : lower_in(l, at->aux, &in[AUX]);
	if (!ret)
		ret = four(l, at->aux_weights, 2, &in[AUX_WEIGHTS]);
	if (ret || at->other_weights == LOWER_NONE)
		return ret;
	return lower_in_ranked(l, at->other_weights, 2, &in[OTHER_WEIGHTS]);
}

static int emit_cell(struct lower *l, const struct layout *at, const struct nnprog_attr_lstm *a,
		     const uint32_t *out, uint32_t num_out)
{
	const uint32_t num_in = at->other_weights == LOWER_NONE ? OTHER_WEIGHTS : NUM_TENSORS;
	uint32_t in[NUM_TENSORS];
	const int ret = tensors(l, at, in);

	return ret ? ret : lower_emit(l, NNPROG_OP_SEQUENCE_LSTM, a, sizeof(*a), in, num_in, out, num_out);
}

/* ---- LSTM ------------------------------------------------------------------------------------------ */

int lower_lstm(struct lower *l)
{
	const struct layout at = {
		.x = 0, .cell = 1, .h = 18, .c = 19, .layer_norm = l->op->num_inputs > 23 ? 23 : LOWER_NONE,
		.aux = LOWER_NONE, .aux_weights = LOWER_NONE, .other_weights = LOWER_NONE, .parameters = 20,
		.sequence = 2,
	};
	/* the device's outputs: output, both states, scratch */
	static const uint32_t from[4] = { 3, 1, 2, 0 };
	struct nnprog_attr_lstm a = { 0 };
	uint32_t out[4], i;
	int ret;

	if (lower_operand(l, 0)->rank && lower_operand(l, 0)->rank != 2)
		return lower_refuse(l, l->op->inputs[0], "input 0 (operand %u) has rank %u, must be 2",
				    l->op->inputs[0], lower_operand(l, 0)->rank);
	ret = parameters(l, &at, &a);
	for (i = 0; !ret && i < 4; i++)
		ret = lower_out(l, from[i], &out[i]);
	return ret ? ret : emit_cell(l, &at, &a, out, 4);
}

/* ---- sequences ------------------------------------------------------------------------------------- */

int lower_sequence_lstm(struct lower *l)
{
	static const struct layout at = {
		.x = 0, .cell = 1, .h = 18, .c = 19, .layer_norm = 24, .aux = LOWER_NONE,
		.aux_weights = LOWER_NONE, .other_weights = LOWER_NONE, .parameters = 20, .sequence = 3,
	};
	struct nnprog_attr_lstm a = { 0 };
	bool time_major = false;
	uint32_t out[3], i;
	int ret;

	ret = parameters(l, &at, &a);
	if (!ret)
		ret = lower_bool(l, 23, &time_major);
	a.time_major = time_major;
	for (i = 0; !ret && i < l->op->num_outputs; i++)
		ret = lower_out(l, i, &out[i]);
	return ret ? ret : emit_cell(l, &at, &a, out, l->op->num_outputs);
}

/* Forward and backward cell have the same optional parts. */
static int check_cells(struct lower *l, const struct layout *at)
{
	static const uint8_t same[] = { 0, 9, 10, 15 };	/* input gate, peepholes, projection */
	uint32_t i;

	for (i = 0; i < sizeof(same); i++) {
		const uint32_t rank = rank_of(INPUT_WEIGHTS + same[i], 3);
		const uint32_t back = at[1].cell + same[i];

		if (lower_is_omitted(l, at[0].cell + same[i], rank) != lower_is_omitted(l, back, rank))
			return lower_refuse(l, l->op->inputs[back],
					    "inputs %u and %u: one of them is omitted",
					    at[0].cell + same[i], back);
	}
	if (lower_is_omitted(l, at[0].layer_norm + 1, 1) != lower_is_omitted(l, at[1].layer_norm + 1, 1))
		return lower_refuse(l, l->op->inputs[at[1].layer_norm + 1],
				    "one of the cells has layer normalization");
	return 0;
}

/*
 * How the auxiliary input is linked: not at all, in place of x backwards, with weights of its own. Which of
 * these it is when a request omits model inputs is the device's rule.
 */
static int link_aux(struct lower *l, struct layout *at)
{
	const uint32_t aux = 39, weights = 40;
	bool any[2] = { false, false }, given = false;
	uint32_t k;

	for (k = 0; k < 8; k++) {
		const bool there = !lower_is_omitted(l, weights + k, 2);

		any[k / 4] |= there;
		given |= there && lower_operand(l, weights + k)->lifetime != NNMODEL_SUBGRAPH_INPUT;
	}
	if (lower_is_omitted(l, aux, 3)) {
		/* model inputs are left to a request, which omits them */
		if (given)
			return lower_refuse(l, l->op->inputs[aux],
					    "auxiliary weights without an auxiliary input (operand %u)",
					    l->op->inputs[aux]);
	} else if (any[0] != any[1]) {
		return lower_refuse(l, l->op->inputs[weights + (any[0] ? 4 : 0)],
				    "auxiliary weights of one cell only (operand %u)",
				    l->op->inputs[weights + (any[0] ? 4 : 0)]);
	} else if (any[0]) {
		at[0].aux = at[1].aux = aux;
		at[0].aux_weights = weights;
		at[1].aux_weights = weights + 4;
		at[0].other_weights = weights + 5;
		at[1].other_weights = weights + 1;
	} else {
		at[1].aux = aux;
	}
	return 0;
}

int lower_bidirectional_lstm(struct lower *l)
{
	struct layout at[2] = {
		{ .x = 0, .cell = 1, .h = 35, .c = 36, .layer_norm = 53, .aux = LOWER_NONE,
		  .aux_weights = LOWER_NONE, .other_weights = LOWER_NONE, .parameters = 48, .sequence = 3 },
		{ .x = 0, .cell = 18, .h = 37, .c = 38, .layer_norm = 57, .aux = LOWER_NONE,
		  .aux_weights = LOWER_NONE, .other_weights = LOWER_NONE, .parameters = 48, .sequence = 3 },
	};
	struct nnprog_attr_lstm a = { 0 };
	bool merge = false, time_major = false;
	uint32_t out[2][3], states, num_out, i;
	int ret;

	ret = parameters(l, at, &a);
	if (!ret)
		ret = lower_bool(l, 51, &merge);
	if (!ret)
		ret = lower_bool(l, 52, &time_major);
	a.time_major = time_major;
	if (!ret)
		ret = check_cells(l, at);
	if (!ret)
		ret = link_aux(l, at);
	if (!ret)
		ret = lower_two_outputs(l, merge, 4, &out[0][0], &out[1][0], &states);
	if (ret)
		return ret;
	num_out = states == LOWER_NONE ? 1 : 3;
	for (i = 0; !ret && i < 2; i++) {
		a.reverse = i;
		if (num_out > 1)
			ret = lower_out(l, states + 2 * i, &out[i][1]);
		if (!ret && num_out > 1)
			ret = lower_out(l, states + 2 * i + 1, &out[i][2]);
		if (!ret)
			ret = emit_cell(l, &at[i], &a, out[i], num_out);
	}
	return ret || !merge ? ret : lower_merge(l, out[0][0], out[1][0]);
}
