// SPDX-License-Identifier: Apache-2.0
/* The quantized LSTMs. */
#include "nnmodel_rows.h"
#include "work.h"

/* activations, weights, peephole and layer norm weights, bias; cell state as the peepholes */
static const struct nnmodel_sig_combo quantized[] = {
	{ 4, { Q8S, Q8Y, Q16S, I32 } },
};
/* activations and weights, cell state, bias */
static const struct nnmodel_sig_combo quantized_16bit[] = {
	{ 3, { Q8, Q16S, I32 } },
};

/*
 * 0 x; 1..17 cell; 18, 19 states; 20..23 layer norm; 24, 25 clips; 26..29 scales of the gates i f c
 * o before their activation; 30, 31 zero point and scale of the hidden state. Out: states, output
 */
static const struct nnmodel_sig_form quantized_forms[] = {
	{ 4,
	  "0"
	  "1111"
	  "1111"
	  "222"
	  "3333"
	  "13"
	  "02"
	  "2222"
	  "ff"
	  "ffff"
	  "if",
	  "020" },
};
/*
 * x; input weights i f c o; recurrent weights; bias; cell state, output state. Out: the same states
 */
static const struct nnmodel_sig_form quantized_16bit_forms[] = {
	{ 3,
	  "0"
	  "0000"
	  "0000"
	  "2222"
	  "10",
	  "10" },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG_WORK(QUANTIZED_LSTM, 4, quantized, quantized_forms, NULL, NULL,
			 nnmodel_work_recurrent),
	NNMODEL_SIG_WORK(QUANTIZED_16BIT_LSTM, 3, quantized_16bit, quantized_16bit_forms, NULL,
			 NULL, nnmodel_work_recurrent),
};
NNMODEL_FAMILY(quantized_lstm, sigs);
