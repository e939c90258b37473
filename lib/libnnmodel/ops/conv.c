// SPDX-License-Identifier: Apache-2.0
/* Convolutions. */
#include "nnmodel_rows.h"
#include "work.h"

/* input, filter, bias, output */
#define QUANT_COMBOS                                                                               \
	{ 3, { F16, F16, F16, F16 } }, { 3, { Q8, QPC, I32, Q8 } }, { 4, { Q8S, Q8S, I32, Q8S } }, \
	{                                                                                          \
		4,                                                                                 \
		{                                                                                  \
			Q8S, QPC, I32, Q8S                                                         \
		}                                                                                  \
	}

static const struct nnmodel_sig_combo conv[] = {
	{ 1, { F32, F32, F32, F32 } },
	{ 1, { Q8, Q8, I32, Q8 } },
	QUANT_COMBOS,
};
static const struct nnmodel_sig_combo level3[] = {
	{ 3, { F32, F32, F32, F32 } },
	{ 3, { Q8, Q8, I32, Q8 } },
	QUANT_COMBOS,
};

/* input, filter, bias; padding code or left, right, top, bottom; strides w, h; activation; then */
static const struct nnmodel_sig_form conv_forms[] = {
	{ 1, "012iiii", "3" },	  { 3, "012iiiib", "3" }, /* NCHW */
	{ 3, "012iiiibii", "3" }, /* NCHW, dilation w, h */
	{ 1, "012iiiiiii", "3" }, { 3, "012iiiiiiib", "3" }, { 3, "012iiiiiiibii", "3" },
};
/* with the depth multiplier before the activation */
static const struct nnmodel_sig_form depthwise_forms[] = {
	{ 1, "012iiiii", "3" },	   { 3, "012iiiiib", "3" },    { 3, "012iiiiibii", "3" },
	{ 1, "012iiiiiiii", "3" }, { 3, "012iiiiiiiib", "3" }, { 3, "012iiiiiiiibii", "3" },
};
/* with the number of groups before the activation */
static const struct nnmodel_sig_form grouped_forms[] = {
	{ 3, "012iiiiib", "3" },
	{ 3, "012iiiiiiiib", "3" },
};
/* input, filter, bias; output shape, padding code or the paddings; strides; activation; NCHW */
static const struct nnmodel_sig_form transpose_forms[] = {
	{ 3, "012Iiiiib", "3" },
	{ 3, "012iiiiiiib", "3" },
};

static int check_filter(const struct nnmodel_sig_context *c, uint32_t channel_dim)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *filter = nnmodel_sig_in(c, 1);
	const struct nnmodel_operand *out = nnmodel_sig_out(c, 0);

	if (filter->type == QPC && filter->channel_dim != channel_dim)
		return nnmodel_sig_refuse(
			c, c->op->inputs[1],
			"filter (operand %u) has channel dimension %u, must be %u",
			c->op->inputs[1], filter->channel_dim, channel_dim);
	/* the ratio of scales was limited before feature level 3 */
	if (filter->type == Q8 && !(out->scale > in->scale * filter->scale))
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

static int check_conv(const struct nnmodel_sig_context *c)
{
	return check_filter(c, 0);
}

static int check_depthwise(const struct nnmodel_sig_context *c)
{
	return check_filter(c, 3);
}

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG_WORK(CONV_2D, 1, conv, conv_forms, "44", check_conv, nnmodel_work_conv),
	NNMODEL_SIG_WORK(DEPTHWISE_CONV_2D, 1, conv, depthwise_forms, NULL, check_depthwise,
			 nnmodel_work_depthwise),
	NNMODEL_SIG_WORK(GROUPED_CONV_2D, 3, level3, grouped_forms, NULL, check_conv,
			 nnmodel_work_conv),
	NNMODEL_SIG_WORK(TRANSPOSE_CONV_2D, 3, level3, transpose_forms, NULL, check_conv,
			 nnmodel_work_transpose_conv),
};
NNMODEL_FAMILY(conv, sigs);
