// SPDX-License-Identifier: Apache-2.0
/* Functions of one element. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form one[] = {
	{ 1, "0", "0" },
};
static const struct nnmodel_sig_form alpha[] = {
	{ 1, "0f", "0" },
};

static const struct nnmodel_sig_combo activation[] = {
	{ 1, { F32 } },
	{ 1, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo tanh_types[] = {
	{ 1, { F32 } },
	{ 3, { F16 } },
	{ 3, { Q8 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo floor_types[] = {
	{ 1, { F32 } },
	{ 3, { F16 } },
};
static const struct nnmodel_sig_combo real[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
};
static const struct nnmodel_sig_combo abs_types[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
	{ 4, { I32 } },
};
static const struct nnmodel_sig_combo neg_types[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
	{ 3, { I32 } },
};
static const struct nnmodel_sig_combo rsqrt_types[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
	{ 7, { Q8 } },
	{ 7, { Q8S } },
};
static const struct nnmodel_sig_combo elu_types[] = {
	{ 4, { F32 } },
	{ 4, { F16 } },
};
static const struct nnmodel_sig_combo hard_swish_types[] = {
	{ 4, { F32 } },
	{ 4, { F16 } },
	{ 4, { Q8 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo boolean[] = {
	{ 3, { B8 } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(RELU, 1, activation, one, "<", NULL),
	NNMODEL_SIG(RELU1, 1, activation, one, "<", NULL),
	NNMODEL_SIG(RELU6, 1, activation, one, "<", NULL),
	NNMODEL_SIG(LOGISTIC, 1, activation, one, "<", NULL),
	NNMODEL_SIG(TANH, 1, tanh_types, one, "<", NULL),
	NNMODEL_SIG(FLOOR, 1, floor_types, one, "<", NULL),
	NNMODEL_SIG(ELU, 4, elu_types, alpha, NULL, NULL),
	NNMODEL_SIG(HARD_SWISH, 4, hard_swish_types, one, NULL, NULL),
	NNMODEL_SIG(ABS, 3, abs_types, one, NULL, NULL),
	NNMODEL_SIG(NEG, 3, neg_types, one, NULL, NULL),
	NNMODEL_SIG(EXP, 3, real, one, NULL, NULL),
	NNMODEL_SIG(LOG, 3, real, one, NULL, NULL),
	NNMODEL_SIG(SIN, 3, real, one, NULL, NULL),
	NNMODEL_SIG(SQRT, 3, real, one, NULL, NULL),
	NNMODEL_SIG(RSQRT, 3, rsqrt_types, one, NULL, NULL),
	NNMODEL_SIG(LOGICAL_NOT, 3, boolean, one, NULL, NULL),
};
NNMODEL_FAMILY(unary, sigs);
