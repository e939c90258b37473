// SPDX-License-Identifier: Apache-2.0
/* UNIDIRECTIONAL_SEQUENCE_LSTM. */
#include "signature.h"

static const struct nnmodel_sig_combo real[] = {
	{ 3, { F32 } }, { 3, { F16 } },
};

/*
 * 0 x; 1..4 input weights i f c o; 5..8 recurrent weights; 9..11 peephole i f o; 12..15 bias; 16, 17
 * projection weights and bias; 18, 19 output and cell state; 20 activation; 21, 22 clips of cell and
 * projection; 23 time major; 24..27 layer norm i f c o. Out: output, and from feature level 4 both states.
 */
#define SEQUENCE_INPUTS "0" "0000" "0000" "000" "0000" "00" "00" "i" "ff" "b" "0000"
static const struct nnmodel_sig_form unidirectional[] = {
	{ 3, SEQUENCE_INPUTS, "0" },
	{ 4, SEQUENCE_INPUTS, "000" },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(UNIDIRECTIONAL_SEQUENCE_LSTM, 3, real, unidirectional, "3", NULL),
};
NNMODEL_FAMILY(lstm, sigs);
