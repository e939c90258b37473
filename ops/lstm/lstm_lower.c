// SPDX-License-Identifier: Apache-2.0
/*
 * LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and BIDIRECTIONAL_SEQUENCE_LSTM: the device's operand order,
 * with the scalars taken out. The device decides which operands are given together, here and in
 * every run, since a request may omit model inputs.
 */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

/* Operands of the device's operation. */
enum {
	X,
	INPUT_WEIGHTS,
	CELL_TO_INPUT = 9,
	PROJECTION = 16,
	H_IN = 18,
	C_IN,
	LAYER_NORM = 20,
	AUX = 24,
	AUX_WEIGHTS,
	OTHER_WEIGHTS = 29,
	NUM_TENSORS
};

#define CELL_TENSORS 17 /* input weights .. projection bias */
/* Bit i: device operand i may be omitted. */
#define OPTIONAL (1u << 1 | 1u << 5 | 7u << 9 | 1u << 12 | 3u << 16)

/* Input numbers of the NNAPI operation. */
struct layout {
	/* LOWER_NONE: has none */
	uint32_t x, cell, h, c, layer_norm, aux, aux_weights, other_weights;
	uint32_t parameters; /* activation, clips of cell and projection */
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
static int four(struct lower *l, uint32_t i, uint32_t *in)
{
	uint32_t k;
	int ret = 0;

	for (k = 0; !ret && k < 4; k++)
		ret = i == LOWER_NONE ? lower_omitted(l, &in[k]) : lower_in_opt(l, i + k, &in[k]);
	return ret;
}

static int tensors(struct lower *l, const struct layout *at, uint32_t *in)
{
	uint32_t k;
	int ret;

	ret = lower_in(l, at->x, &in[X]);
	for (k = 0; !ret && k < CELL_TENSORS; k++) {
		const uint32_t to = INPUT_WEIGHTS + k;

		if (OPTIONAL & 1u << to)
			ret = lower_in_opt(l, at->cell + k, &in[to]);
		else
			ret = lower_in(l, at->cell + k, &in[to]);
	}
	if (!ret)
		ret = lower_in(l, at->h, &in[H_IN]);
	if (!ret)
		ret = lower_in(l, at->c, &in[C_IN]);
	if (!ret)
		ret = four(l, at->layer_norm, &in[LAYER_NORM]);
	if (!ret)
		ret = at->aux == LOWER_NONE ? lower_omitted(l, &in[AUX])
					    : lower_in_opt(l, at->aux, &in[AUX]);
	if (!ret)
		ret = four(l, at->aux_weights, &in[AUX_WEIGHTS]);
	if (ret || at->other_weights == LOWER_NONE)
		return ret;
	return lower_in_opt(l, at->other_weights, &in[OTHER_WEIGHTS]);
}

static int emit_cell(struct lower *l, const struct layout *at, const struct nnprog_attr_lstm *a,
		     const uint32_t *out, uint32_t num_out)
{
	const uint32_t num_in = at->other_weights == LOWER_NONE ? OTHER_WEIGHTS : NUM_TENSORS;
	uint32_t in[NUM_TENSORS];
	const int ret = tensors(l, at, in);

	return ret ? ret
		   : lower_emit(l, NNPROG_OP_SEQUENCE_LSTM, a, sizeof(*a), in, num_in, out,
				num_out);
}

static int lower_lstm(struct lower *l)
{
	const struct layout at = {
		.x = 0,
		.cell = 1,
		.h = 18,
		.c = 19,
		.layer_norm = l->op->num_inputs > 23 ? 23 : LOWER_NONE,
		.aux = LOWER_NONE,
		.aux_weights = LOWER_NONE,
		.other_weights = LOWER_NONE,
		.parameters = 20,
	};
	/* the device's outputs: output, both states, scratch */
	static const uint32_t from[4] = { 3, 1, 2, 0 };
	struct nnprog_attr_lstm a = { 0 };
	uint32_t out[4], i;
	int ret;

	if (lower_operand(l, 0)->rank && lower_operand(l, 0)->rank != 2)
		return lower_refuse(l, l->op->inputs[0],
				    "input 0 (operand %u) has rank %u, must be 2", l->op->inputs[0],
				    lower_operand(l, 0)->rank);
	ret = parameters(l, &at, &a);
	for (i = 0; !ret && i < 4; i++)
		ret = lower_out(l, from[i], &out[i]);
	return ret ? ret : emit_cell(l, &at, &a, out, 4);
}

static int lower_sequence_lstm(struct lower *l)
{
	static const struct layout at = {
		.x = 0,
		.cell = 1,
		.h = 18,
		.c = 19,
		.layer_norm = 24,
		.aux = LOWER_NONE,
		.aux_weights = LOWER_NONE,
		.other_weights = LOWER_NONE,
		.parameters = 20,
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

/* Always omitted or always given: not a model input, which a request may omit. */
static bool differ(const struct lower *l, uint32_t i, uint32_t j)
{
	const uint32_t a = lower_operand(l, i)->lifetime, b = lower_operand(l, j)->lifetime;

	return a != NNMODEL_SUBGRAPH_INPUT && b != NNMODEL_SUBGRAPH_INPUT &&
	       (a == NNMODEL_NO_VALUE) != (b == NNMODEL_NO_VALUE);
}

/*
 * Forward and backward cell have the same optional parts: input gate, peepholes, projection, layer
 * normalization.
 */
static int check_cells(struct lower *l, const struct layout *at)
{
	const uint32_t same[][2] = {
		{ at[0].cell, at[1].cell },
		{ at[0].cell + 9, at[1].cell + 9 },
		{ at[0].cell + 10, at[1].cell + 10 },
		{ at[0].cell + 15, at[1].cell + 15 },
		{ at[0].layer_norm + 1, at[1].layer_norm + 1 },
	};

	for (uint32_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (differ(l, same[i][0], same[i][1]))
			return lower_refuse(
				l, l->op->inputs[same[i][1]],
				"inputs %u and %u: one of them is omitted, but both cells have the same parts",
				same[i][0], same[i][1]);
	return 0;
}

static int lower_bidirectional_lstm(struct lower *l)
{
	const struct layout at[2] = {
		/*
		 * the device decides how the auxiliary input is linked: a request may omit it or
		 * its weights
		 */
		{ .x = 0,
		  .cell = 1,
		  .h = 35,
		  .c = 36,
		  .layer_norm = 53,
		  .aux = 39,
		  .aux_weights = 40,
		  .other_weights = 45,
		  .parameters = 48 },
		{ .x = 0,
		  .cell = 18,
		  .h = 37,
		  .c = 38,
		  .layer_norm = 57,
		  .aux = 39,
		  .aux_weights = 44,
		  .other_weights = 41,
		  .parameters = 48 },
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

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_LSTM, .lower = lower_lstm },
	{ .opcode = NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, .lower = lower_sequence_lstm },
	{ .opcode = NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, .lower = lower_bidirectional_lstm },
};
LOWER_FAMILY(lstm, rows);
