// SPDX-License-Identifier: Apache-2.0
/* Rule of SEQUENCE_LSTM. Inputs from the auxiliary one on may be left out. */
#include "rules.h"
#include "lstm/lstm_operands.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_lstm(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_lstm *a = attrs;

	if (a->activation != 0 && a->activation != 1 && a->activation != 3 && a->activation != 4 &&
	    a->activation != 6)
		return nnprog_refuse(err, "activation %u is not 0, 1, 3, 4 or 6", a->activation);
	if (!(a->cell_clip >= 0) || !(a->projection_clip >= 0))
		return nnprog_refuse(err, "clip %g, %g is below 0", (double)a->cell_clip,
				     (double)a->projection_clip);
	if (a->time_major > 1 || a->reverse > 1 || a->reserved)
		return nnprog_refuse(err, "time_major %u, reverse %u, reserved %u", a->time_major,
				     a->reverse, a->reserved);
	return 0;
}

/**
 * Which operands come together: input gate, peephole, projection, layer normalization, auxiliary
 * input.
 */
static int check_presence(struct nnprog_operand *in, uint32_t num_in, enum nnprog_presence *gate,
			  enum nnprog_presence *aux_weights, struct nnprog_error *err)
{
	enum nnprog_presence peephole, projection, norm, aux;
	int ret;

	*aux_weights = NNPROG_ABSENT;
	ret = nnprog_group(in, MASK3(W_I, R_I, B_I),
			   "input gate: weights, recurrent weights and bias", gate, err);
	if (!ret)
		ret = nnprog_group(in, 1u << P_F | 1u << P_O, "peephole: forget and output weights",
				   &peephole, err);
	/* without an input gate its peephole has nothing to feed: ignored, as NNAPI's CPU does */
	if (*gate == NNPROG_ABSENT)
		in[P_I].omitted = true;
	else if (!ret && *gate == NNPROG_GIVEN)
		ret = nnprog_need_both(in, P_I, *gate, peephole, "peephole: input weights", err);
	if (!ret)
		ret = nnprog_group(in, 1u << PROJ_W, "", &projection, err);
	if (!ret)
		ret = nnprog_need_with(in, PROJ_B, projection, "projection bias without weights",
				       err);
	if (!ret)
		ret = nnprog_group(in, MASK3(LN_F, LN_C, LN_O),
				   "layer norm: forget, cell and output weights", &norm, err);
	if (!ret)
		ret = nnprog_need_both(in, LN_I, *gate, norm, "layer norm: input weights", err);
	if (ret || num_in <= AUX)
		return ret;
	ret = nnprog_group(in, MASK3(A_F, A_C, A_O) | (num_in > OTHER_A_F ? 1u << OTHER_A_F : 0),
			   "auxiliary input: the weights of both cells", aux_weights, err);
	if (!ret)
		ret = nnprog_group(in, 1u << AUX, "", &aux, err);
	if (!ret && aux == NNPROG_ABSENT && *aux_weights == NNPROG_GIVEN)
		return nnprog_refuse(err, "auxiliary weights without an auxiliary input");
	return ret ? ret
		   : nnprog_need_both(in, A_I, *gate, *aux_weights,
				      "auxiliary input: weights of the input gate", err);
}

static const char *const patterns[NUM_OPERANDS] = {
	/* B batch, T time, I input, U units, O output, A auxiliary input */
	"",  "UI", "UI", "UI", "UI", "UO", "UO", "UO", "UO", "U", "U",	"U",  "U",  "U",  "U",
	"U", "OU", "O",	 "BO", "BU", "U",  "U",	 "U",  "U",  "",  "UA", "UA", "UA", "UA", "VA",
};

static int infer_lstm(const void *attrs, const struct nnprog_operand *inputs, uint32_t num_in,
		      struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_lstm *a = attrs;
	uint32_t type = inputs[INPUT].dtype, rank = inputs[INPUT].shape.rank;
	enum nnprog_presence gate, aux_weights;
	struct nnprog_link link = { 'I', 'A' };
	struct nnprog_operand in[NUM_OPERANDS];
	struct nnprog_extents e;
	char text[4];
	int ret;

	if (num_in != NUM_OPERANDS && num_in != NUM_WITHOUT_OTHER && num_in != NUM_WITHOUT_AUX)
		return nnprog_refuse(err, "%u inputs, takes %u, %u or %u", num_in, NUM_WITHOUT_AUX,
				     NUM_WITHOUT_OTHER, NUM_OPERANDS);
	if (nnprog_rank_known(&inputs[INPUT]) && rank != 2 && rank != 3)
		return nnprog_refuse(err, "input: rank %u is neither 2 nor 3", rank);
	nnprog_settle(in, inputs, num_in, OPTIONAL | OPTIONAL_AUX, patterns);
	nnprog_extents_init(&e);
	ret = check_presence(in, num_in, &gate, &aux_weights, err);
	if (!ret && num_in > AUX)
		link = nnprog_link_aux(&in[AUX], aux_weights, a->reverse);
	for (uint32_t k = 0; !ret && k < num_in; k++) {
		bool sequence = k == INPUT || k == AUX;
		const char *pattern = patterns[k];

		if (in[k].omitted)
			continue;
		if (sequence && !nnprog_rank_known(&in[INPUT])) {
			ret = nnprog_need_type(&in[k], type, "operand", err);
			continue;
		}
		if (sequence)
			pattern = nnprog_sequence_pattern(text, rank, a->time_major,
							  k == AUX ? link.aux : link.input);
		ret = nnprog_match_type(&in[k], type, pattern, &e, "operand", err);
	}
	/* without projection the output is the cell's */
	if (!ret && in[PROJ_W].omitted) {
		ret = nnprog_learn(&e, 'O', *nnprog_extent(&e, 'U'), "output without projection",
				   err);
		if (!ret)
			ret = nnprog_learn(&e, 'U', *nnprog_extent(&e, 'O'), "output", err);
	}
	if (!ret)
		ret = nnprog_nonzero(&e, "BTIUOAXY", err);
	for (uint32_t i = 0; i < num_out && !ret; i++) {
		if (!out[i].omitted)
			ret = nnprog_need_type(&out[i], type, "output", err);
	}
	if (ret)
		return ret;
	out[0].shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (nnprog_rank_known(&in[INPUT]))
		out[0].shape = nnprog_pattern(&e, rank == 2 ? "BO" : a->time_major ? "TBO" : "BTO");
	if (num_out > 1)
		out[1].shape = nnprog_pattern(&e, "BO");
	if (num_out > 2)
		out[2].shape = nnprog_pattern(&e, "BU");
	if (num_out > 3) {
		/* as many gates as the run has */
		if (gate != NNPROG_OPEN)
			ret = nnprog_product(*nnprog_extent(&e, 'U'), gate == NNPROG_ABSENT ? 3 : 4,
					     nnprog_extent(&e, 'S'), err);
		out[3].shape = nnprog_pattern(&e, "BS");
		if (!ret)
			ret = nnprog_check_size(&out[3].shape, type, err);
	}
	return ret ? ret : nnprog_check_size(&out[0].shape, type, err);
}

#define NNPROG_FAMILY_LSTM
#include "nnprog_described.h"
