// SPDX-License-Identifier: Apache-2.0
/* Two broadcast operands: arithmetic, least and greatest, powers, logic. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form forms[] = {
	{ 1, "00i", "0" }, /* a, b, activation */
};

static const struct nnmodel_sig_combo add_mul[] = {
	{ 1, { F32 } }, { 1, { Q8 } }, { 3, { F16 } }, { 4, { Q8S } }, { 4, { I32 } },
};
static const struct nnmodel_sig_combo sub[] = {
	{ 2, { F32 } }, { 3, { F16 } }, { 3, { Q8 } }, { 4, { Q8S } }, { 4, { I32 } },
};
static const struct nnmodel_sig_combo div_types[] = {
	{ 2, { F32 } },
	{ 3, { F16 } },
	{ 4, { I32 } },
};

static int check_mul(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *out = nnmodel_sig_out(c, 0);
	const float product = nnmodel_sig_in(c, 0)->scale * nnmodel_sig_in(c, 1)->scale;

	if ((out->type == Q8 || out->type == Q8S) && !(out->scale > product))
		return nnmodel_sig_refuse(
			c, c->op->outputs[0],
			"output scale %g is not above the product %g of the inputs'",
			(double)out->scale, (double)product);
	return 0;
}

static const struct nnmodel_sig_form pair_forms[] = {
	{ 3, "00", "0" },
};

static const struct nnmodel_sig_combo boolean[] = {
	{ 3, { B8 } },
};
static const struct nnmodel_sig_combo real[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
};
static const struct nnmodel_sig_combo min_max[] = {
	{ 3, { F32 } }, { 3, { F16 } }, { 3, { I32 } }, { 3, { Q8 } }, { 4, { Q8S } },
};
static const struct nnmodel_sig_combo prelu[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
	{ 3, { Q8 } },
	{ 4, { Q8S } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(ADD, 1, add_mul, forms, "<<", NULL),
	NNMODEL_SIG(SUB, 2, sub, forms, "<<", NULL),
	NNMODEL_SIG(MUL, 1, add_mul, forms, "<<", check_mul),
	NNMODEL_SIG(DIV, 2, div_types, forms, "<<", NULL),
	NNMODEL_SIG(MAXIMUM, 3, min_max, pair_forms, NULL, NULL),
	NNMODEL_SIG(MINIMUM, 3, min_max, pair_forms, NULL, NULL),
	NNMODEL_SIG(POW, 3, real, pair_forms, NULL, NULL),
	NNMODEL_SIG(PRELU, 3, prelu, pair_forms, NULL, NULL),
	NNMODEL_SIG(LOGICAL_AND, 3, boolean, pair_forms, NULL, NULL),
	NNMODEL_SIG(LOGICAL_OR, 3, boolean, pair_forms, NULL, NULL),
};
NNMODEL_FAMILY(binary, sigs);
