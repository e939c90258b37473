// SPDX-License-Identifier: Apache-2.0
/* The greatest (or least) elements along a dimension. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form topk_forms[] = {
	{ 3, "0i", "0I" }, /* x, k; values, indices */
};

static const struct nnmodel_sig_combo level3[] = {
	{ 3, { F32 } }, { 3, { F16 } }, { 3, { I32 } }, { 3, { Q8 } }, { 4, { Q8S } },
};

static const struct nnmodel_sig_form arg_forms[] = {
	{ 3, "0i", "I" }, /* x, axis */
};

static const struct nnmodel_sig_combo arg[] = {
	{ 3, { F32 } }, { 3, { F16 } }, { 3, { I32 } }, { 3, { Q8 } }, { 4, { Q8S } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(TOPK_V2, 3, level3, topk_forms, NULL, NULL),
	NNMODEL_SIG(ARGMAX, 3, arg, arg_forms, NULL, NULL),
	NNMODEL_SIG(ARGMIN, 3, arg, arg_forms, NULL, NULL),
};
NNMODEL_FAMILY(topk, sigs);
