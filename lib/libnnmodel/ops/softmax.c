// SPDX-License-Identifier: Apache-2.0
/* SOFTMAX and its logarithm. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_combo softmax[] = {
	{ 1, { F32 } },
	{ 1, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo log_softmax[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
};

/* x, beta, axis */
static const struct nnmodel_sig_form softmax_forms[] = {
	{ 1, "0f", "0" },
	{ 3, "0fi", "0" },
};
static const struct nnmodel_sig_form log_softmax_forms[] = {
	{ 3, "0fi", "0" },
};

static int check_softmax(const struct nnmodel_sig_context *c)
{
	const uint32_t rank = nnmodel_sig_in(c, 0)->rank;

	/* other ranks than 2 and 4 came with feature level 3 */
	if (rank && rank != 2 && rank != 4)
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(SOFTMAX, 1, softmax, softmax_forms, "<", check_softmax),
	NNMODEL_SIG(LOG_SOFTMAX, 3, log_softmax, log_softmax_forms, NULL, NULL),
};
NNMODEL_FAMILY(softmax, sigs);
