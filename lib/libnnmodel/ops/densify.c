// SPDX-License-Identifier: Apache-2.0
/* The experimental DENSIFY. */
#include "nnmodel_rows.h"

/* values, traversal order, block map, formats, sizes; then a pair per level: segments, indices */
static const struct nnmodel_sig_form densify_forms[] = {
	{ 8, "0IIII*", "0" },
};

/* no public feature level has it: the latest one */
static const struct nnmodel_sig_combo densify[] = {
	{ 8, { F32 } }, { 8, { F16 } }, { 8, { I32 } },	 { 8, { B8 } },	  { 8, { Q8 } },
	{ 8, { Q8S } }, { 8, { Q8Y } }, { 8, { Q16S } }, { 8, { Q16A } },
};

static int check_densify(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *traversal = nnmodel_sig_in(c, 1);
	const uint32_t n = c->op->num_inputs;
	uint32_t i;

	for (i = 0; i < n; i++) {
		const uint32_t rank = nnmodel_sig_in(c, i)->rank;

		if (rank && rank != 1)
			return nnmodel_sig_refuse(c, c->op->inputs[i],
						  "input %u (operand %u) has rank %u, must be 1", i,
						  c->op->inputs[i], rank);
	}
	/* the pairs determine an unknown number of levels */
	if ((n - 5) % 2 ||
	    (traversal->rank && traversal->dims[0] && traversal->dims[0] != (n - 5) / 2))
		return nnmodel_sig_refuse(
			c, c->op->inputs[1],
			"%u inputs for %u levels (operand %u), must be 5 and a pair each", n,
			traversal->rank ? traversal->dims[0] : 0, c->op->inputs[1]);
	return 0;
}

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(DENSIFY, 8, densify, densify_forms, NULL, check_densify),
};
NNMODEL_FAMILY(densify, sigs);
