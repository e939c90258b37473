// SPDX-License-Identifier: Apache-2.0
/* LSTM and its sequences, float. */
#include "nnmodel_rows.h"
#include "work.h"

static const struct nnmodel_sig_combo level1[] = {
	{ 1, { F32 } },
	{ 3, { F16 } },
};
static const struct nnmodel_sig_combo level3[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
};

/*
 * A cell: input weights i f c o; recurrent weights i f c o; peephole i f o; bias i f c o;
 * projection weights and bias. PARAMETERS: activation, clips of cell and projection.
 */
#define CELL   \
	"0000" \
	"0000" \
	"000"  \
	"0000" \
	"00"

#define PARAMETERS "iff"
#define LAYER_NORM "0000"

/* 0 x; 1..17 cell; 18, 19 output and cell state; 20..22; 23..26. Out: scratch, states, output */
static const struct nnmodel_sig_form lstm_forms[] = {
	{ 1, "0" CELL "00" PARAMETERS, "0000" },
	{ 3, "0" CELL "00" PARAMETERS LAYER_NORM, "0000" },
};

/* the same with 23 time major. Out: output, and from feature level 4 both states */
#define UNIDIRECTIONAL_INPUTS "0" CELL "00" PARAMETERS "b" LAYER_NORM

static const struct nnmodel_sig_form unidirectional_forms[] = {
	{ 3, UNIDIRECTIONAL_INPUTS, "0" },
	{ 4, UNIDIRECTIONAL_INPUTS, "000" },
};

/*
 * 0 x; 1..17 cell forwards; 18..34 backwards; 35..38 output and cell state of either; 39 aux
 * x; 40..47 its weights for either; 48..50; 51 merge outputs; 52 time major; 53..60 layer norms.
 * Out: one or two outputs, from feature level 4 also the four states.
 */
#define BIDIRECTIONAL_INPUTS \
	"0" CELL CELL "0000" \
	"0"                  \
	"00000000" PARAMETERS "bb" LAYER_NORM LAYER_NORM

static const struct nnmodel_sig_form bidirectional_forms[] = {
	{ 3, BIDIRECTIONAL_INPUTS, "0" },
	{ 3, BIDIRECTIONAL_INPUTS, "00" },
	{ 4, BIDIRECTIONAL_INPUTS, "00000" },
	{ 4, BIDIRECTIONAL_INPUTS, "000000" },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG_WORK(LSTM, 1, level1, lstm_forms, NULL, NULL, nnmodel_work_recurrent),
	NNMODEL_SIG_WORK(UNIDIRECTIONAL_SEQUENCE_LSTM, 3, level3, unidirectional_forms, "3", NULL,
			 nnmodel_work_recurrent),
	NNMODEL_SIG_WORK(BIDIRECTIONAL_SEQUENCE_LSTM, 3, level3, bidirectional_forms, "3", NULL,
			 nnmodel_work_recurrent),
};
NNMODEL_FAMILY(lstm, sigs);
