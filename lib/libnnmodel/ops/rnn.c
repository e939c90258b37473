// SPDX-License-Identifier: Apache-2.0
/* RNN and its sequences, SVDF. */
#include "nnmodel_rows.h"
#include "work.h"

/* x, weights, recurrent weights, bias, state; activation. Out: state, output */
static const struct nnmodel_sig_form rnn_forms[] = {
	{ 1, "00000i", "00" },
};
/* the same, then time major (an INT32). Out: output, and from feature level 4 the state */
static const struct nnmodel_sig_form unidirectional_forms[] = {
	{ 3, "00000ii", "0" },
	{ 4, "00000ii", "00" },
};

/*
 * 0 x; 1..4 weights, recurrent weights, bias, state forwards; 5..8 backwards; 9 aux x; 10, 11 its
 * weights; 12 activation; 13 time major; 14 merge outputs. Out: one or two outputs, from feature
 * level 4 both states.
 */
#define BIDIRECTIONAL_INPUTS \
	"0"                  \
	"0000"               \
	"0000"               \
	"000"                \
	"ibb"

static const struct nnmodel_sig_form bidirectional_forms[] = {
	{ 3, BIDIRECTIONAL_INPUTS, "0" },
	{ 3, BIDIRECTIONAL_INPUTS, "00" },
	{ 4, BIDIRECTIONAL_INPUTS, "000" },
	{ 4, BIDIRECTIONAL_INPUTS, "0000" },
};
/* x, feature weights, time weights, bias, state; rank, activation. Out: state, output */
static const struct nnmodel_sig_form svdf_forms[] = {
	{ 1, "00000ii", "00" },
};

static const struct nnmodel_sig_combo level1[] = {
	{ 1, { F32 } },
	{ 3, { F16 } },
};
static const struct nnmodel_sig_combo level3[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG_WORK(RNN, 1, level1, rnn_forms, NULL, NULL, nnmodel_work_recurrent),
	NNMODEL_SIG_WORK(UNIDIRECTIONAL_SEQUENCE_RNN, 3, level3, unidirectional_forms, NULL, NULL,
			 nnmodel_work_recurrent),
	NNMODEL_SIG_WORK(BIDIRECTIONAL_SEQUENCE_RNN, 3, level3, bidirectional_forms, NULL, NULL,
			 nnmodel_work_recurrent),
	NNMODEL_SIG_WORK(SVDF, 1, level1, svdf_forms, NULL, NULL, nnmodel_work_recurrent),
};
NNMODEL_FAMILY(rnn, sigs);
