// SPDX-License-Identifier: Apache-2.0
/* Descriptor of SEQUENCE_LSTM. Inputs from the auxiliary one on may be left out. */
#include "ops_match.h"

/* Operands of SEQUENCE_LSTM, see nnprog.h. */
enum {
	INPUT = 0, W_I = 1, W_F, W_C, W_O, R_I = 5, R_F, R_C, R_O, P_I = 9, P_F, P_O,
	B_I = 12, B_F, B_C, B_O, PROJ_W = 16, PROJ_B, H_IN = 18, C_IN, LN_I = 20, LN_F, LN_C, LN_O,
	AUX = 24, A_I, A_F, A_C, A_O, OTHER_A_F, NUM_OPERANDS, NUM_WITHOUT_OTHER = OTHER_A_F, NUM_WITHOUT_AUX = AUX
};

static int check_lstm(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_lstm *a = attrs;

	if (a->activation != 0 && a->activation != 1 && a->activation != 3 && a->activation != 4 &&
	    a->activation != 6)
		return nnprog_refuse(err, "activation %u is none of 0, 1, 3, 4, 6", a->activation);
	if (!(a->cell_clip >= 0) || !(a->projection_clip >= 0))
		return nnprog_refuse(err, "clip %g, %g is below 0", (double)a->cell_clip,
				     (double)a->projection_clip);
	if (a->time_major > 1 || a->reverse > 1 || a->reserved)
		return nnprog_refuse(err, "time_major %u, reverse %u, reserved %u", a->time_major, a->reverse,
				     a->reserved);
	return 0;
}

/** Which operands come together: CIFG, peephole, projection, layer normalization, auxiliary input. */
static int check_presence(const struct nnprog_operand *in, uint32_t num_in, struct nnprog_error *err)
{
	bool cifg = in[W_I].omitted;

	if (in[R_I].omitted != cifg || in[B_I].omitted != cifg)
		return nnprog_refuse(err, "input gate: weights, recurrent weights and bias go together");
	if (in[P_F].omitted != in[P_O].omitted)
		return nnprog_refuse(err, "peephole: forget and output weights go together");
	if (cifg ? !in[P_I].omitted : in[P_I].omitted != in[P_F].omitted)
		return nnprog_refuse(err, "peephole: input weights %s",
				     in[P_I].omitted ? "lack" : "do not belong");
	if (in[PROJ_W].omitted && !in[PROJ_B].omitted)
		return nnprog_refuse(err, "projection bias without weights");
	if (in[LN_F].omitted != in[LN_C].omitted || in[LN_F].omitted != in[LN_O].omitted)
		return nnprog_refuse(err, "layer norm: forget, cell and output weights go together");
	if (cifg ? !in[LN_I].omitted : in[LN_I].omitted != in[LN_F].omitted)
		return nnprog_refuse(err, "layer norm: input weights %s",
				     in[LN_I].omitted ? "lack" : "do not belong");
	if (num_in <= AUX)
		return 0;
	if (in[A_C].omitted != in[A_F].omitted || in[A_O].omitted != in[A_F].omitted)
		return nnprog_refuse(err, "auxiliary input: its weights go together");
	if (in[AUX].omitted && !in[A_F].omitted)
		return nnprog_refuse(err, "auxiliary weights without an auxiliary input");
	if (cifg ? !in[A_I].omitted : in[A_I].omitted != in[A_F].omitted)
		return nnprog_refuse(err, "auxiliary input: weights of the input gate %s",
				     in[A_I].omitted ? "lack" : "do not belong");
	if (num_in > OTHER_A_F && in[OTHER_A_F].omitted != in[A_F].omitted)
		return nnprog_refuse(err, "auxiliary weights of one cell only");
	return 0;
}

static int infer_lstm(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		      struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	/* B batch, T time, I input, U units, O output, A auxiliary input */
	static const char *const patterns[NUM_OPERANDS] = {
		"", "UI", "UI", "UI", "UI", "UO", "UO", "UO", "UO", "U", "U", "U", "U", "U", "U", "U",
		"OU", "O", "BO", "BU", "U", "U", "U", "U", "", "UA", "UA", "UA", "UA", "VA",
	};
	const struct nnprog_attr_lstm *a = attrs;
	uint32_t type = in[INPUT].dtype, rank = in[INPUT].shape.rank;
	struct nnprog_link link = { 'I', 'A' };
	struct nnprog_extents e;
	char text[4];
	int ret;

	if (num_in != NUM_OPERANDS && num_in != NUM_WITHOUT_OTHER && num_in != NUM_WITHOUT_AUX)
		return nnprog_refuse(err, "%u inputs are none of %u, %u, %u", num_in, NUM_WITHOUT_AUX,
				     NUM_WITHOUT_OTHER, NUM_OPERANDS);
	if (nnprog_rank_known(&in[INPUT]) && rank != 2 && rank != 3)
		return nnprog_refuse(err, "input: rank %u is neither 2 nor 3", rank);
	nnprog_extents_init(&e);
	ret = check_presence(in, num_in, err);
	if (num_in > AUX)
		link = nnprog_link_aux(&in[AUX], &in[A_F], a->reverse);
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
		ret = nnprog_learn(&e, 'O', *nnprog_extent(&e, 'U'), "output without projection", err);
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
		if (!in[W_I].omittable)
			ret = nnprog_product(*nnprog_extent(&e, 'U'), in[W_I].omitted ? 3 : 4,
					     nnprog_extent(&e, 'S'), err);
		out[3].shape = nnprog_pattern(&e, "BS");
		if (!ret)
			ret = nnprog_check_size(&out[3].shape, type, err);
	}
	return ret ? ret : nnprog_check_size(&out[0].shape, type, err);
}

const struct nnprog_op_desc nnprog_op_lstm = {
	.opcode = NNPROG_OP_SEQUENCE_LSTM,
	.name = "SEQUENCE_LSTM",
	.min_inputs = NUM_WITHOUT_AUX, .max_inputs = NUM_OPERANDS, .min_outputs = 1, .max_outputs = 4,
	.attrs_size = sizeof(struct nnprog_attr_lstm),
	.optional_inputs = 1u << W_I | 1u << R_I | 7u << P_I | 1u << B_I | 3u << PROJ_W | 15u << LN_I |
			   63u << AUX,
	.types = TYPES_FLOAT,
	.check_attrs = check_lstm,
	.infer = infer_lstm,
};
