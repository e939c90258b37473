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
int import_floor_div(struct import *im, const struct import_row *row);
int import_floor_mod(struct import *im, const struct import_row *row);
int import_add_n(struct import *im, const struct import_row *row);
int import_elu(struct import *im, const struct import_row *row);
int import_leaky_relu(struct import *im, const struct import_row *row);
int import_relu_0_to_1(struct import *im, const struct import_row *row);
int import_ceil(struct import *im, const struct import_row *row);
int import_square(struct import *im, const struct import_row *row);
int import_squared_difference(struct import *im, const struct import_row *row);
int import_softmax(struct import *im, const struct import_row *row);
int import_log_softmax(struct import *im, const struct import_row *row);
int import_response_normalization(struct import *im, const struct import_row *row);
int import_select(struct import *im, const struct import_row *row);
/** BROADCAST_TO: the shape is that of the file. */
int import_broadcast_to(struct import *im, const struct import_row *row);
/** FILL with a value that is no constant, or is one. */
int import_fill(struct import *im, const struct import_row *row);
int import_cast(struct import *im, const struct import_row *row);
int import_dequantize(struct import *im, const struct import_row *row);
/** The contents of a sparse constant, which are dense already. */
int import_densify(struct import *im, const struct import_row *row);
int import_quantize(struct import *im, const struct import_row *row);
int import_batch_matmul(struct import *im, const struct import_row *row);

#endif
