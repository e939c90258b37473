// SPDX-License-Identifier: Apache-2.0
/* Comparisons of two broadcast operands, and SELECT by their result. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form compare_forms[] = {
	{ 3, "00", "1" },
};
static const struct nnmodel_sig_form select_forms[] = {
	{ 3, "100", "0" }, /* condition, x, y */
};

static const struct nnmodel_sig_combo compare[] = {
	{ 3, { B8, B8 } },  { 3, { F32, B8 } }, { 3, { F16, B8 } },
	{ 3, { I32, B8 } }, { 3, { Q8, B8 } },	{ 4, { Q8S, B8 } },
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
	NNMODEL_SIG(SELECT, 3, select_types, select_forms, NULL, NULL),
};
NNMODEL_FAMILY(compare, sigs);
