// SPDX-License-Identifier: Apache-2.0
/* LSH_PROJECTION and RANDOM_MULTINOMIAL. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form lsh_forms[] = {
	{ 1, "010i", "I" }, /* hash, input, weight, type */
};
static const struct nnmodel_sig_form multinomial_forms[] = {
	{ 3, "0iI", "I" }, /* logits, samples, seeds */
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

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(LSH_PROJECTION, 1, lsh, lsh_forms, NULL, NULL),
	NNMODEL_SIG(RANDOM_MULTINOMIAL, 3, multinomial, multinomial_forms, NULL, NULL),
};
NNMODEL_FAMILY(random, sigs);
