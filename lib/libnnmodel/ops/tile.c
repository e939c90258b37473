// SPDX-License-Identifier: Apache-2.0
/* Repetition: TILE of a tensor, FILL of one element. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form tile_forms[] = {
	{ 3, "0I", "0" }, /* x, multiples */
};

static const struct nnmodel_sig_combo level3[] = {
	{ 3, { F32 } }, { 3, { F16 } }, { 3, { I32 } }, { 3, { Q8 } }, { 4, { Q8S } },
};

static const struct nnmodel_sig_form fill_forms[] = {
	{ 4, "I1", "0" }, /* dimensions, value */
};

static const struct nnmodel_sig_combo fill[] = {
	{ 4, { F32, NNMODEL_FLOAT32 } },
	{ 4, { F16, NNMODEL_FLOAT16 } },
	{ 4, { I32, NNMODEL_INT32 } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(TILE, 3, level3, tile_forms, NULL, NULL),
	NNMODEL_SIG(FILL, 4, fill, fill_forms, "1", NULL),
};
NNMODEL_FAMILY(tile, sigs);
