// SPDX-License-Identifier: Apache-2.0
/* Recurrent operations: cells of 4 units with 5 inputs, a batch of 2, sequences of 3 steps. */
#include "probes.h"

#define REAL "F32 F16"

#define NONE4 "~0 ~0 ~0 ~0"
#define RNN_CELL "0:4x5 0:4x4 0:4 0:2x4"
/* weights of input and recurrence i f c o, no peepholes, biases, no projection */
#define LSTM_CELL "0:4x5 0:4x5 0:4x5 0:4x5 0:4x4 0:4x4 0:4x4 0:4x4 ~0 ~0 ~0 0:4 0:4 0:4 0:4 ~0 ~0"
#define STATES "0:2x4 0:2x4"
/* tanh, no clips */
#define PARAMETERS "i=4 f=0 f=0"

static const struct probe_row rows[] = {
	{ NNMODEL_RNN, REAL, "0:2x5 " RNN_CELL " i=4", "0:2x4 0:2x4" },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN, REAL, "0:3x2x5 " RNN_CELL " i=4 i=1", "0:3x2x4" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, REAL,
	  "0:3x2x5 " RNN_CELL " " RNN_CELL " ~0 ~0 ~0 i=4 b=1 b=1", "0:3x2x8" },
	{ NNMODEL_SVDF, REAL, "0:2x5 0:4x5 0:4x3 0:2 0:2x12 i=2 i=0", "0:2x12 0:2x2" },
	{ NNMODEL_LSTM, REAL, "0:2x5 " LSTM_CELL " " STATES " " PARAMETERS,
	  "0:2x16 0:2x4 0:2x4 0:2x4" },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, REAL,
	  "0:3x2x5 " LSTM_CELL " " STATES " " PARAMETERS " b=1 " NONE4, "0:3x2x4" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, REAL,
	  "0:3x2x5 " LSTM_CELL " " LSTM_CELL " " STATES " " STATES " ~0 " NONE4 " " NONE4
	  " " PARAMETERS " b=1 b=1 " NONE4 " " NONE4,
	  "0:3x2x8" },
	/* without an input gate of its own */
	{ NNMODEL_QUANTIZED_LSTM, "Q8S,Q8Y,Q16S,I32",
	  "0:2x5 ~1 1:4x5 1:4x5 1:4x5 ~1 1:4x4 1:4x4 1:4x4 ~2 ~2 ~2 ~3 3:4 3:4 3:4 ~1 ~3 0:2x4@0.0078125,3 "
	  "2:2x4@0.000030517578125 ~2 ~2 ~2 ~2 f=0 f=0 f=0.000244140625 f=0.000244140625 f=0.000244140625 "
	  "f=0.000244140625 i=0 f=0.01",
	  "0:2x4@0.0078125,3 2:2x4@0.000030517578125 0:2x4@0.0078125,3" },
	{ NNMODEL_QUANTIZED_16BIT_LSTM, "Q8,Q16S,I32",
	  "0:2x5@0.0078125,128 0:4x5@0.01,128 0:4x5@0.01,128 0:4x5@0.01,128 0:4x5@0.01,128 0:4x4@0.01,128 "
	  "0:4x4@0.01,128 0:4x4@0.01,128 0:4x4@0.01,128 2:4@0.000078125 2:4@0.000078125 2:4@0.000078125 "
	  "2:4@0.000078125 1:2x4@0.00048828125 0:2x4@0.0078125,128",
	  "1:2x4@0.00048828125 0:2x4@0.0078125,128" },
};
const struct probe_table probes_recurrent = PROBE_TABLE(rows);
