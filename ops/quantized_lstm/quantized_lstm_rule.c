// SPDX-License-Identifier: Apache-2.0
/* Descriptors of QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM. */
#include <math.h>

#include "rules.h"
#include "lstm/lstm_operands.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

/**
 * A power of two within 1e-3 of its logarithm, as the cell state's scale has to be. 0 or -EINVAL.
 */
static int need_power_of_two(const struct nnprog_operand *op, int lo, int hi,
			     struct nnprog_error *err)
{
	int ret = nnprog_need_scale(op, "cell state", err);
	double log, nearest;

	if (ret)
		return ret;
	log = log2((double)op->scale);
	nearest = round(log);
	if (fabs(log - nearest) >= 1e-3 || nearest < lo || nearest > hi || op->zero_point)
		return nnprog_refuse(err, "cell state: scale %g, zero point %d", (double)op->scale,
				     op->zero_point);
	return 0;
}

static int same_quant(const struct nnprog_operand *out, const struct nnprog_operand *in,
		      const char *what, struct nnprog_error *err)
{
	if (!nnprog_same_quant(out, in))
		return nnprog_refuse(err, "%s: quantization differs from the input's", what);
	return 0;
}

/* ---- QUANTIZED_LSTM ---- */

static int check_quantized_lstm(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_quantized_lstm *a = attrs;

	if (!(a->cell_clip >= 0) || !(a->projection_clip >= 0))
		return nnprog_refuse(err, "clip %g, %g is below 0", (double)a->cell_clip,
				     (double)a->projection_clip);
	for (int g = 0; g < 4; g++) {
		/* without an input gate its scale is not used */
		if (!(a->intermediate[g] >= 0) || !isfinite(a->intermediate[g]) ||
		    (g && !(a->intermediate[g] > 0)))
			return nnprog_refuse(err, "intermediate scale %g",
					     (double)a->intermediate[g]);
	}
	if (!(a->hidden_scale > 0) || !isfinite(a->hidden_scale))
		return nnprog_refuse(err, "hidden scale %g", (double)a->hidden_scale);
	if (a->hidden_zero_point < -128 || a->hidden_zero_point > 127)
		return nnprog_refuse(err, "hidden zero point %d", a->hidden_zero_point);
	return 0;
}

static int quantized_presence(struct nnprog_operand *in, struct nnprog_error *err)
{
	enum nnprog_presence gate, peephole, norm, projection;
	int ret;

	ret = nnprog_group(in, MASK3(W_I, R_I, B_I),
			   "input gate: weights, recurrent weights and bias", &gate, err);
	if (!ret)
		ret = nnprog_group(in, 1u << P_F | 1u << P_O, "peephole: forget and output weights",
				   &peephole, err);
	if (!ret)
		ret = nnprog_need_both(in, P_I, gate, peephole, "peephole: input weights", err);
	if (!ret)
		ret = nnprog_group(in, MASK3(LN_F, LN_C, LN_O),
				   "layer norm: forget, cell and output weights", &norm, err);
	if (!ret)
		ret = nnprog_need_both(in, LN_I, gate, norm, "layer norm: input weights", err);
	if (!ret)
		ret = nnprog_group(in, 1u << PROJ_W, "", &projection, err);
	return ret ? ret
		   : nnprog_need_with(in, PROJ_B, projection, "projection bias without weights",
				      err);
}

static const char *const patterns[NUM_WITHOUT_AUX] = {
	/* B batch, I input, U units, O output */
	"BI", "UI", "UI", "UI", "UI", "UO", "UO", "UO", "UO", "U", "U", "U",
	"U",  "U",  "U",  "U",	"OU", "O",  "BO", "BU", "U",  "U", "U", "U",
};

static uint32_t type_of(uint32_t k)
{
	if ((k >= P_I && k <= P_O) || k >= LN_I || k == C_IN)
		return NNPROG_INT16;
	return (k >= B_I && k <= B_O) || k == PROJ_B ? NNPROG_INT32 : NNPROG_INT8;
}

/** Types, patterns and quantization of all operands. */
static int quantized_operands(const struct nnprog_operand *in, struct nnprog_extents *e,
			      struct nnprog_error *err)
{
	int ret = 0;

	for (uint32_t k = 0; k < NUM_WITHOUT_AUX && !ret; k++) {
		if (in[k].omitted)
			continue;
		ret = nnprog_match_type(&in[k], type_of(k), patterns[k], e, "operand", err);
		if (!ret && type_of(k) != NNPROG_INT32)
			ret = nnprog_need_scale(&in[k], "operand", err);
		if (!ret && k != INPUT && k != H_IN && in[k].zero_point)
			ret = nnprog_refuse(err, "operand %u: zero point %d", k, in[k].zero_point);
	}
	return ret;
}

/** The multipliers of all fixed-point products are usable. */
static int quantized_multipliers(const struct nnprog_attr_quantized_lstm *a,
				 const struct nnprog_operand *in, struct nnprog_error *err)
{
	int ret = 0;

	for (uint32_t g = 0; g < 4 && !ret; g++) {
		static const uint32_t peephole[] = { P_I, P_F, 0, P_O };

		if (in[W_I + g].omitted)
			continue;
		ret = nnprog_check_multiplier(
			(double)(in[W_I + g].scale * in[INPUT].scale / a->intermediate[g]), err);
		if (!ret)
			ret = nnprog_check_multiplier(
				(double)(in[R_I + g].scale * in[H_IN].scale / a->intermediate[g]),
				err);
		if (!ret && peephole[g] && !in[peephole[g]].omitted)
			ret = nnprog_check_multiplier((double)(in[peephole[g]].scale *
							       in[C_IN].scale / a->intermediate[g]),
						      err);
	}
	if (!ret)
		ret = nnprog_check_multiplier(ldexp(1, -30) / (double)a->hidden_scale, err);
	if (!ret && !in[PROJ_W].omitted)
		ret = nnprog_check_multiplier(
			(double)(in[PROJ_W].scale * a->hidden_scale / in[H_IN].scale), err);
	return ret;
}

static int infer_quantized_lstm(const void *attrs, const struct nnprog_operand *inputs,
				uint32_t num_in, struct nnprog_operand *out, uint32_t num_out,
				struct nnprog_error *err)
{
	static const uint32_t state_of[] = { H_IN, C_IN, H_IN };
	struct nnprog_operand in[NUM_WITHOUT_AUX];
	struct nnprog_extents e;
	int ret;

	(void)num_out;
	nnprog_settle(in, inputs, num_in, OPTIONAL, patterns);
	nnprog_extents_init(&e);
	ret = quantized_presence(in, err);
	if (!ret)
		ret = quantized_operands(in, &e, err);
	if (!ret)
		ret = need_power_of_two(&in[C_IN], -15, -9, err);
	if (!ret && in[PROJ_W].omitted) {
		ret = nnprog_learn(&e, 'O', *nnprog_extent(&e, 'U'), "output without projection",
				   err);
		if (!ret)
			ret = nnprog_learn(&e, 'U', *nnprog_extent(&e, 'O'), "output", err);
	}
	if (!ret)
		ret = nnprog_nonzero(&e, "BIUO", err);
	if (!ret)
		ret = quantized_multipliers(attrs, in, err);
	for (uint32_t i = 0; i < 3 && !ret; i++) {
		ret = nnprog_need_type(&out[i], in[state_of[i]].dtype, "output", err);
		if (!ret)
			ret = same_quant(&out[i], &in[state_of[i]],
					 i == 1 ? "cell state out" : "output", err);
		out[i].shape = nnprog_pattern(&e, i == 1 ? "BU" : "BO");
		if (!ret)
			ret = nnprog_check_size(&out[i].shape, out[i].dtype, err);
	}
	return ret;
}

/* ---- QUANTIZED_16BIT_LSTM ---- */

enum { W16 = 1, R16 = 5, B16 = 9, C16_IN = 13, H16_IN = 14, NUM_OPERANDS16 = 15 };

static int infer_quantized_16bit_lstm(const void *attrs, const struct nnprog_operand *in,
				      uint32_t num_in, struct nnprog_operand *out, uint32_t num_out,
				      struct nnprog_error *err)
{
	const struct nnprog_operand *w = &in[W16];
	struct nnprog_extents e;
	int ret = 0;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	nnprog_extents_init(&e);
	for (uint32_t k = 0; k < NUM_OPERANDS16 && !ret; k++) {
		bool weights = k >= W16 && k < B16, bias = k >= B16 && k < C16_IN;
		const char *pattern = k == 0	? "BI"
				      : k < R16 ? "OI"
				      : k < B16 ? "OO"
				      : bias	? "O"
						: "BO";
		uint32_t type = bias ? NNPROG_INT32 : k == C16_IN ? NNPROG_INT16 : NNPROG_UINT8;

		ret = nnprog_match_type(&in[k], type, pattern, &e, "operand", err);
		if (!ret && weights)
			ret = nnprog_need_scale(&in[k], "weights", err);
		if (!ret && weights && !nnprog_same_quant(&in[k], w))
			ret = nnprog_refuse(err, "weights: quantization differs among them");
		if (!ret && bias &&
		    (in[k].scale != w->scale / 128 || in[k].zero_point || in[k].num_scales))
			ret = nnprog_refuse(err, "bias: scale %g where %g is needed",
					    (double)in[k].scale, (double)(w->scale / 128));
		if (!ret && (k == 0 || k == H16_IN) &&
		    (in[k].scale != 1.0f / 128 || in[k].zero_point != 128))
			ret = nnprog_refuse(err,
					    "input: needs a scale of 1/128 and zero point 128");
	}
	if (!ret)
		ret = need_power_of_two(&in[C16_IN], -11, -11, err);
	if (!ret)
		ret = nnprog_check_multiplier(4096.0 * (double)w->scale / 128, err);
	if (!ret)
		ret = nnprog_nonzero(&e, "BIO", err);
	for (uint32_t i = 0; i < 2 && !ret; i++) {
		ret = nnprog_need_type(&out[i], in[C16_IN + i].dtype, "output", err);
		if (!ret)
			ret = same_quant(&out[i], &in[C16_IN + i], "output", err);
		out[i].shape = nnprog_pattern(&e, "BO");
		if (!ret)
			ret = nnprog_check_size(&out[i].shape, out[i].dtype, err);
	}
	return ret;
}

#define NNPROG_FAMILY_QUANTIZED_LSTM
#include "nnprog_described.h"
