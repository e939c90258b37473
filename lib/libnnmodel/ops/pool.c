// SPDX-License-Identifier: Apache-2.0
/* Pooling. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_combo pool[] = {
	{ 1, { F32 } },
	{ 1, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo l2_pool[] = {
	{ 1, { F32 } },
	{ 3, { F16 } },
};

/* input; padding code or left, right, top, bottom; strides w, h; filter w, h; activation; NCHW */
static const struct nnmodel_sig_form forms[] = {
	{ 1, "0iiiiii", "0" },
	{ 3, "0iiiiiib", "0" },
	{ 1, "0iiiiiiiii", "0" },
	{ 3, "0iiiiiiiiib", "0" },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(AVERAGE_POOL_2D, 1, pool, forms, "4", NULL),
	NNMODEL_SIG(MAX_POOL_2D, 1, pool, forms, "4", NULL),
	NNMODEL_SIG(L2_POOL_2D, 1, l2_pool, forms, "4", NULL),
};
NNMODEL_FAMILY(pool, sigs);
