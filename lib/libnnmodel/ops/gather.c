// SPDX-License-Identifier: Apache-2.0
/* Entries of a tensor by index or by key. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form gather_forms[] = {
	{ 3, "0iI", "0" }, /* x, axis, indices */
};
static const struct nnmodel_sig_form embedding_forms[] = {
	{ 1, "I0", "0" }, /* lookups, values */
};
static const struct nnmodel_sig_form hashtable_forms[] = {
	{ 1, "II0", "01" }, /* lookups, keys, values; values, hits */
};

static const struct nnmodel_sig_combo level3[] = {
	{ 3, { F32 } }, { 3, { F16 } }, { 3, { I32 } }, { 3, { Q8 } }, { 4, { Q8S } },
};
static const struct nnmodel_sig_combo embedding[] = {
	{ 1, { F32 } }, { 3, { I32 } }, { 3, { Q8 } }, { 4, { F16 } }, { 4, { Q8S } },
};
static const struct nnmodel_sig_combo hashtable[] = {
	{ 1, { F32, Q8 } },
	{ 1, { I32, Q8 } },
	{ 1, { Q8, Q8 } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(GATHER, 3, level3, gather_forms, NULL, NULL),
	NNMODEL_SIG(EMBEDDING_LOOKUP, 1, embedding, embedding_forms, NULL, NULL),
	NNMODEL_SIG(HASHTABLE_LOOKUP, 1, hashtable, hashtable_forms, NULL, NULL),
};
NNMODEL_FAMILY(gather, sigs);
