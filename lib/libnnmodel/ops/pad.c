// SPDX-License-Identifier: Apache-2.0
/* Padding. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form with_tensor[] = {
	{ 1, "0I", "0" }, /* x; shape, axes, permutation or paddings */
};
static const struct nnmodel_sig_form with_value[] = {
	{ 1, "0Ip", "0" }, /* x, paddings, value */
};

static const struct nnmodel_sig_combo level2[] = {
	{ 2, { F32 } },
	{ 2, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo pad_v2[] = {
	{ 3, { F32 } },
	{ 3, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};

static int check_pad(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0);

	/* padding with a zero point other than 0 came with feature level 3 */
	if (in->type == Q8 && in->zero_point)
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

static const struct nnmodel_sig_form mirror_pad_forms[] = {
	{ 7, "0Ii", "0" }, /* x, paddings, mode */
};

static const struct nnmodel_sig_combo level7[] = {
	{ 7, { F32 } }, { 7, { F16 } }, { 7, { I32 } }, { 7, { Q8 } }, { 7, { Q8S } },
};

static int check_mirror_pad(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *pads = nnmodel_sig_in(c, 1);
	const uint32_t n = c->op->inputs[1];

	if (pads->rank) {
		if (pads->dims[1] && pads->dims[1] != 2)
			return nnmodel_sig_refuse(
				c, n, "paddings (operand %u) have %u columns, must be 2", n,
				pads->dims[1]);
		if (in->rank && pads->dims[0] && pads->dims[0] != in->rank)
			return nnmodel_sig_refuse(c, n,
						  "paddings (operand %u) have %u rows for rank %u",
						  n, pads->dims[0], in->rank);
	}
	return nnmodel_sig_check_alike(c);
}

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(PAD, 2, level2, with_tensor, "<", check_pad),
	NNMODEL_SIG(PAD_V2, 3, pad_v2, with_value, "<", NULL),
	NNMODEL_SIG(MIRROR_PAD, 7, level7, mirror_pad_forms, ".2", check_mirror_pad),
};
NNMODEL_FAMILY(pad, sigs);
