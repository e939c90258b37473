/* SPDX-License-Identifier: Apache-2.0 */
/* Translation of operations with weights or windows. */
#ifndef NNIMPORT_LAYERS_H
#define NNIMPORT_LAYERS_H

#include "importer.h"

int import_conv2d(struct import *im, const struct import_row *row);
int import_depthwise(struct import *im, const struct import_row *row);
int import_transpose_conv(struct import *im, const struct import_row *row);
int import_fully_connected(struct import *im, const struct import_row *row);
int import_pool(struct import *im, const struct import_row *row);

#endif
