// SPDX-License-Identifier: Apache-2.0
/* Parts of a tensor. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form slice_forms[] = {
	{ 3, "0II", "0" }, /* x, begin, size */
};
static const struct nnmodel_sig_form strided_slice_forms[] = {
	{ 2, "0IIIiii", "0" }, /* x, begin, end, strides; masks of begin, end, shrink */
};
static const struct nnmodel_sig_form split_forms[] = {
	{ 3, "0ii", "0*" }, /* x, axis, number of outputs */
};

static const struct nnmodel_sig_combo level2[] = {
	{ 2, { F32 } },
	{ 2, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo level3[] = {
	{ 3, { F32 } }, { 3, { F16 } }, { 3, { I32 } }, { 3, { Q8 } }, { 4, { Q8S } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(SLICE, 3, level3, slice_forms, NULL, NULL),
	NNMODEL_SIG(STRIDED_SLICE, 2, level2, strided_slice_forms, "<", NULL),
	NNMODEL_SIG(SPLIT, 3, level3, split_forms, NULL, NULL),
};
NNMODEL_FAMILY(slice, sigs);
