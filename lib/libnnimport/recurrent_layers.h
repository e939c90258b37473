/* SPDX-License-Identifier: Apache-2.0 */
/* Translation of operations that keep a state. */
#ifndef NNIMPORT_RECURRENT_LAYERS_H
#define NNIMPORT_RECURRENT_LAYERS_H

#include "importer.h"

int import_lstm(struct import *im, const struct import_row *row);
int import_sequence_lstm(struct import *im, const struct import_row *row);
int import_both_ways_lstm(struct import *im, const struct import_row *row);
int import_rnn(struct import *im, const struct import_row *row);
int import_sequence_rnn(struct import *im, const struct import_row *row);
int import_both_ways_rnn(struct import *im, const struct import_row *row);
int import_svdf(struct import *im, const struct import_row *row);

#endif
