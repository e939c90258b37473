// SPDX-License-Identifier: Apache-2.0
/* The shape of a tensor: the same elements in other dimensions, and the number of dimensions. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form with_tensor[] = {
	{ 1, "0I", "0" }, /* x; shape, axes, permutation or paddings */
};
static const struct nnmodel_sig_form with_axis[] = {
	{ 1, "0i", "0" },
};

static const struct nnmodel_sig_combo reshape[] = {
	{ 1, { F32 } }, { 1, { Q8 } }, { 3, { F16 } }, { 4, { Q8S } }, { 6, { I32 } },
};
static const struct nnmodel_sig_combo level2[] = {
	{ 2, { F32 } },
	{ 2, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo expand_dims[] = {
	{ 3, { F32 } }, { 3, { F16 } }, { 3, { I32 } }, { 3, { Q8 } }, { 4, { Q8S } },
};

static const struct nnmodel_sig_form rank_forms[] = {
	{ 4, "0", "i" },
};

static const struct nnmodel_sig_combo rank_types[] = {
	{ 4, { F32 } }, { 4, { F16 } }, { 4, { I32 } },	 { 4, { Q8 } },	 { 4, { Q16S } },
	{ 4, { B8 } },	{ 4, { QPC } }, { 4, { Q16A } }, { 4, { Q8Y } }, { 4, { Q8S } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(RESHAPE, 1, reshape, with_tensor, "<", NULL),
	NNMODEL_SIG(SQUEEZE, 2, level2, with_tensor, "<", NULL),
	NNMODEL_SIG(EXPAND_DIMS, 3, expand_dims, with_axis, NULL, NULL),
	NNMODEL_SIG_ROW(RANK, 4, rank_types, rank_forms, NULL, NULL, .of_rank = true),
};
NNMODEL_FAMILY(reshape, sigs);
