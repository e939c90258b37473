// SPDX-License-Identifier: Apache-2.0
/* Order of dimensions, and of the elements along one. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form with_tensor[] = {
	{ 1, "0I", "0" }, /* x; shape, axes, permutation or paddings */
};

static const struct nnmodel_sig_combo level2[] = {
	{ 2, { F32 } },
	{ 2, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};

static const struct nnmodel_sig_form reverse_forms[] = {
	{ 7, "0I", "0" }, /* x, axis */
};

static const struct nnmodel_sig_combo level7[] = {
	{ 7, { F32 } }, { 7, { F16 } }, { 7, { I32 } }, { 7, { Q8 } }, { 7, { Q8S } },
};

static int check_reverse(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *axis = nnmodel_sig_in(c, 1);

	if (in->rank > 8)
		return nnmodel_sig_refuse(c, c->op->inputs[0],
					  "input 0 (operand %u) has rank %u, must be at most 8",
					  c->op->inputs[0], in->rank);
	if (axis->rank && axis->dims[0] && axis->dims[0] != 1)
		return nnmodel_sig_refuse(c, c->op->inputs[1],
					  "axis (operand %u) has %u elements, must have 1",
					  c->op->inputs[1], axis->dims[0]);
	return nnmodel_sig_check_alike(c);
}

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(TRANSPOSE, 2, level2, with_tensor, "<", NULL),
	NNMODEL_SIG(REVERSE, 7, level7, reverse_forms, ".1", check_reverse),
};
NNMODEL_FAMILY(transpose, sigs);
