// SPDX-License-Identifier: Apache-2.0
/* Operations of broadcast operands without an activation: comparison, logic, selection, powers. */
#include "signature.h"

static const struct nnmodel_sig_form compare_forms[] = {
	{ 3, "00", "1" },
};
static const struct nnmodel_sig_form pair_forms[] = {
	{ 3, "00", "0" },
};
static const struct nnmodel_sig_form select_forms[] = {
	{ 3, "100", "0" }, /* condition, x, y */
};

static const struct nnmodel_sig_combo compare[] = {
	{ 3, { B8, B8 } },  { 3, { F32, B8 } }, { 3, { F16, B8 } },
	{ 3, { I32, B8 } }, { 3, { Q8, B8 } },	{ 4, { Q8S, B8 } },
};
static const struct nnmodel_sig_combo boolean[] = {
	{ 3, { B8 } },
};
static const struct nnmodel_sig_combo real[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
};
static const struct nnmodel_sig_combo min_max[] = {
	{ 3, { F32 } }, { 3, { F16 } }, { 3, { I32 } }, { 3, { Q8 } }, { 4, { Q8S } },
};
static const struct nnmodel_sig_combo prelu[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
	{ 3, { Q8 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo select_types[] = {
	{ 3, { F32, B8 } }, { 3, { F16, B8 } }, { 3, { I32, B8 } },
	{ 3, { Q8, B8 } },  { 4, { Q8S, B8 } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(EQUAL, 3, compare, compare_forms, NULL, NULL),
	NNMODEL_SIG(NOT_EQUAL, 3, compare, compare_forms, NULL, NULL),
	NNMODEL_SIG(GREATER, 3, compare, compare_forms, NULL, NULL),
	NNMODEL_SIG(GREATER_EQUAL, 3, compare, compare_forms, NULL, NULL),
	NNMODEL_SIG(LESS, 3, compare, compare_forms, NULL, NULL),
	NNMODEL_SIG(LESS_EQUAL, 3, compare, compare_forms, NULL, NULL),
	NNMODEL_SIG(LOGICAL_AND, 3, boolean, pair_forms, NULL, NULL),
	NNMODEL_SIG(LOGICAL_OR, 3, boolean, pair_forms, NULL, NULL),
	NNMODEL_SIG(MAXIMUM, 3, min_max, pair_forms, NULL, NULL),
	NNMODEL_SIG(MINIMUM, 3, min_max, pair_forms, NULL, NULL),
	NNMODEL_SIG(POW, 3, real, pair_forms, NULL, NULL),
	NNMODEL_SIG(PRELU, 3, prelu, pair_forms, NULL, NULL),
	NNMODEL_SIG(SELECT, 3, select_types, select_forms, NULL, NULL),
};
NNMODEL_FAMILY(compare, sigs);
