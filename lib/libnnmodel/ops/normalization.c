// SPDX-License-Identifier: Apache-2.0
/* Normalizations. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form l2_forms[] = {
	{ 1, "0", "0" }, { 3, "0i", "0" }, /* x, axis */
};
static const struct nnmodel_sig_form lrn_forms[] = {
	{ 1, "0ifff", "0" }, { 3, "0ifffi", "0" }, /* x, radius, bias, alpha, beta, axis */
};
static const struct nnmodel_sig_form instance_forms[] = {
	{ 3, "0fffb", "0" }, /* x, gamma, beta, epsilon, NCHW */
};

static const struct nnmodel_sig_combo l2[] = {
	{ 1, { F32 } },
	{ 3, { F16 } },
	{ 3, { Q8 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo lrn[] = {
	{ 1, { F32 } },
	{ 3, { F16 } },
};
static const struct nnmodel_sig_combo instance[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
};

static int check_rank(const struct nnmodel_sig_context *c)
{
	const uint32_t rank = nnmodel_sig_in(c, 0)->rank;

	/* other ranks than 4 came with feature level 3 */
	if (rank && rank != 4)
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(L2_NORMALIZATION, 1, l2, l2_forms, "<", check_rank),
	NNMODEL_SIG(LOCAL_RESPONSE_NORMALIZATION, 1, lrn, lrn_forms, "<", check_rank),
	NNMODEL_SIG(INSTANCE_NORMALIZATION, 3, instance, instance_forms, "4", NULL),
};
NNMODEL_FAMILY(normalization, sigs);
