// SPDX-License-Identifier: Apache-2.0
/* FILL, RANK, LSH_PROJECTION, RANDOM_MULTINOMIAL, and the experimental DENSIFY. */
#include "signature.h"

static const struct nnmodel_sig_form fill_forms[] = {
	{ 4, "I1", "0" }, /* dimensions, value */
};
static const struct nnmodel_sig_form rank_forms[] = {
	{ 4, "0", "i" },
};
static const struct nnmodel_sig_form lsh_forms[] = {
	{ 1, "010i", "I" }, /* hash, input, weight, type */
};
static const struct nnmodel_sig_form multinomial_forms[] = {
	{ 3, "0iI", "I" }, /* logits, samples, seeds */
};
/* values, traversal order, block map, formats, sizes; then a pair per level: segments, indices */
static const struct nnmodel_sig_form densify_forms[] = {
	{ 8, "0IIII*", "0" },
};

static const struct nnmodel_sig_combo fill[] = {
	{ 4, { F32, NNMODEL_FLOAT32 } },
	{ 4, { F16, NNMODEL_FLOAT16 } },
	{ 4, { I32, NNMODEL_INT32 } },
};
static const struct nnmodel_sig_combo rank_types[] = {
	{ 4, { F32 } }, { 4, { F16 } }, { 4, { I32 } },	 { 4, { Q8 } },	 { 4, { Q16S } },
	{ 4, { B8 } },	{ 4, { QPC } }, { 4, { Q16A } }, { 4, { Q8Y } }, { 4, { Q8S } },
};
#define LSH_INPUTS(level, hash)                                                      \
	{ level, { hash, F32 } }, { level, { hash, I32 } }, { level, { hash, Q8 } }, \
	{                                                                            \
		3,                                                                   \
		{                                                                    \
			hash, F16                                                    \
		}                                                                    \
	}
static const struct nnmodel_sig_combo lsh[] = {
	LSH_INPUTS(1, F32),
	LSH_INPUTS(3, F16),
};
static const struct nnmodel_sig_combo multinomial[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
};
/* no public level has it: as late as any */
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
	/* an unknown number of levels is what the pairs say */
	if ((n - 5) % 2 ||
	    (traversal->rank && traversal->dims[0] && traversal->dims[0] != (n - 5) / 2))
		return nnmodel_sig_refuse(
			c, c->op->inputs[1],
			"%u inputs for %u levels (operand %u), must be 5 and a pair each", n,
			traversal->rank ? traversal->dims[0] : 0, c->op->inputs[1]);
	return 0;
}

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(FILL, 4, fill, fill_forms, "1", NULL),
	NNMODEL_SIG(RANK, 4, rank_types, rank_forms, NULL, NULL),
	NNMODEL_SIG(LSH_PROJECTION, 1, lsh, lsh_forms, NULL, NULL),
	NNMODEL_SIG(RANDOM_MULTINOMIAL, 3, multinomial, multinomial_forms, NULL, NULL),
	NNMODEL_SIG(DENSIFY, 8, densify, densify_forms, NULL, check_densify),
};
NNMODEL_FAMILY(misc, sigs);
