/* SPDX-License-Identifier: Apache-2.0 */
/* Operations with weights and windows, which need more than their row. */
#ifndef NNCTL_LAYERS_H
#define NNCTL_LAYERS_H

#include "tflite/importer.h"

int import_conv2d(struct import *im, const struct import_row *row);
int import_depthwise(struct import *im, const struct import_row *row);
int import_fully_connected(struct import *im, const struct import_row *row);
int import_pool(struct import *im, const struct import_row *row);
int import_sequence_lstm(struct import *im, const struct import_row *row);

#endif
