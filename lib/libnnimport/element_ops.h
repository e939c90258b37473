/* SPDX-License-Identifier: Apache-2.0 */
/* Translation of operations on the elements of tensors. */
#ifndef NNIMPORT_ELEMENT_OPS_H
#define NNIMPORT_ELEMENT_OPS_H

#include "importer.h"

/** All inputs as they are, one output. */
int import_plain(struct import *im, const struct import_row *row);
/** Two inputs and an activation. */
int import_arithmetic(struct import *im, const struct import_row *row);
int import_mul(struct import *im, const struct import_row *row);
int import_div(struct import *im, const struct import_row *row);
int import_elu(struct import *im, const struct import_row *row);
int import_softmax(struct import *im, const struct import_row *row);
int import_log_softmax(struct import *im, const struct import_row *row);
int import_response_normalization(struct import *im, const struct import_row *row);
int import_select(struct import *im, const struct import_row *row);
int import_cast(struct import *im, const struct import_row *row);
int import_dequantize(struct import *im, const struct import_row *row);
int import_quantize(struct import *im, const struct import_row *row);
int import_batch_matmul(struct import *im, const struct import_row *row);

#endif
