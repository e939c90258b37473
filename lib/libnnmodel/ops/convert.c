// SPDX-License-Identifier: Apache-2.0
/* Conversions between types and quantizations. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form convert_forms[] = {
	{ 1, "0", "1" },
};

static const struct nnmodel_sig_combo quantize[] = {
	{ 3, { F32, Q8 } },
	{ 3, { F16, Q8 } },
	{ 4, { F32, Q8S } },
	{ 4, { F16, Q8S } },
};
static const struct nnmodel_sig_combo dequantize[] = {
	{ 1, { Q8, F32 } },  { 3, { Q8, F16 } },  { 3, { Q8Y, F32 } }, { 3, { Q8Y, F16 } },
	{ 3, { QPC, F32 } }, { 3, { QPC, F16 } }, { 4, { Q8S, F32 } }, { 4, { Q8S, F16 } },
};
#define CAST_FROM(t)                                             \
	{ 3, { t, F16 } }, { 3, { t, F32 } }, { 3, { t, I32 } }, \
	{                                                        \
		3,                                               \
		{                                                \
			t, Q8                                    \
		}                                                \
	}

static const struct nnmodel_sig_combo cast[] = {
	CAST_FROM(F16),	       CAST_FROM(F32),	    CAST_FROM(I32),
	CAST_FROM(Q8),	       { 4, { B8, B8 } },   { 4, { Q16A, Q16A } },
	{ 4, { Q16S, Q16S } }, { 4, { Q8S, Q8S } }, { 4, { Q8Y, Q8Y } },
};

/* The dimensions agree unless a rank, or an extent of the output, is unknown. */
static int check_cast(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *out = nnmodel_sig_out(c, 0);
	bool same = in->rank == out->rank;
	uint32_t i;

	if (!in->rank || !out->rank)
		return 0;
	for (i = 0; i < out->rank; i++) {
		if (!out->dims[i])
			return 0;
		same = same && in->dims[i] == out->dims[i];
	}
	if (!same)
		return nnmodel_sig_refuse(c, c->op->outputs[0],
					  "output (operand %u) and input differ in dimensions",
					  c->op->outputs[0]);
	return 0;
}

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(QUANTIZE, 3, quantize, convert_forms, NULL, NULL),
	NNMODEL_SIG(DEQUANTIZE, 1, dequantize, convert_forms, "<", NULL),
	NNMODEL_SIG(CAST, 3, cast, convert_forms, NULL, check_cast),
};
NNMODEL_FAMILY(convert, sigs);
