// SPDX-License-Identifier: Apache-2.0
/* Reductions along axes. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form mean_forms[] = {
	{ 1, "0Ii", "0" }, /* x, axes, keep dimensions */
};
static const struct nnmodel_sig_form reduce_forms[] = {
	{ 3, "0Ib", "0" },
};

static const struct nnmodel_sig_combo mean[] = {
	{ 2, { F32 } },
	{ 2, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo boolean[] = {
	{ 3, { B8 } },
};
static const struct nnmodel_sig_combo min_max[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
	{ 3, { Q8 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo real[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(MEAN, 2, mean, mean_forms, "<", NULL),
	NNMODEL_SIG(REDUCE_ALL, 3, boolean, reduce_forms, "<", NULL),
	NNMODEL_SIG(REDUCE_ANY, 3, boolean, reduce_forms, "<", NULL),
	NNMODEL_SIG(REDUCE_MAX, 3, min_max, reduce_forms, "<", NULL),
	NNMODEL_SIG(REDUCE_MIN, 3, min_max, reduce_forms, "<", NULL),
	NNMODEL_SIG(REDUCE_PROD, 3, real, reduce_forms, "<", NULL),
	NNMODEL_SIG(REDUCE_SUM, 3, real, reduce_forms, "<", NULL),
};
NNMODEL_FAMILY(reduce, sigs);
