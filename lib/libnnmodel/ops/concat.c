// SPDX-License-Identifier: Apache-2.0
/* CONCATENATION along a dimension, PACK along a new one. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form concatenation_forms[] = {
	{ 1, "0*i", "0" }, /* tensors, axis */
};
static const struct nnmodel_sig_form pack_forms[] = {
	{ 6, "i0*", "0" }, /* axis, tensors */
};

static const struct nnmodel_sig_combo concatenation[] = {
	{ 1, { F32 } },
	{ 1, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo pack[] = {
	{ 6, { F32 } }, { 6, { F16 } }, { 6, { I32 } }, { 6, { Q8 } }, { 6, { Q8S } },
};

static bool same_quantization(const struct nnmodel_operand *a, const struct nnmodel_operand *b)
{
	return a->scale == b->scale && a->zero_point == b->zero_point;
}

static int check_concatenation(const struct nnmodel_sig_context *c)
{
	const uint32_t n = c->op->num_inputs - 1;
	uint32_t i;

	for (i = 0; i < n; i++) {
		const struct nnmodel_operand *in = nnmodel_sig_in(c, i);

		if (in->rank > 4)
			return nnmodel_sig_refuse(
				c, c->op->inputs[i],
				"input %u (operand %u) has rank %u, must be at most 4", i,
				c->op->inputs[i], in->rank);
		/* differing quantization came with feature level 3 */
		if (in->type == Q8 && !same_quantization(in, nnmodel_sig_out(c, 0)))
			nnmodel_raise_level(c->feature_level, 3);
	}
	return 0;
}

static int check_pack(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *out = nnmodel_sig_out(c, 0);
	uint32_t i;

	for (i = 1; i < c->op->num_inputs; i++) {
		const struct nnmodel_operand *in = nnmodel_sig_in(c, i);

		if (!same_quantization(in, out))
			return nnmodel_sig_refuse(
				c, c->op->inputs[i],
				"input %u (operand %u) and the output differ in quantization", i,
				c->op->inputs[i]);
		if (in->rank && out->rank && out->rank - 1 != in->rank)
			return nnmodel_sig_refuse(
				c, c->op->inputs[i],
				"input %u (operand %u) has rank %u, the output %u", i,
				c->op->inputs[i], in->rank, out->rank);
	}
	return 0;
}

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(CONCATENATION, 1, concatenation, concatenation_forms, NULL,
		    check_concatenation),
	NNMODEL_SIG(PACK, 6, pack, pack_forms, NULL, check_pack),
};
NNMODEL_FAMILY(concat, sigs);
