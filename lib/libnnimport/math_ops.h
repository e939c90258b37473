/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that NNAPI lacks and a few of its operations compute. */
#ifndef NNIMPORT_MATH_OPS_H
#define NNIMPORT_MATH_OPS_H

#include "importer.h"

int import_cos(struct import *im, const struct import_row *row);
int import_round(struct import *im, const struct import_row *row);
int import_sign(struct import *im, const struct import_row *row);
int import_gelu(struct import *im, const struct import_row *row);
int import_cumsum(struct import *im, const struct import_row *row);
/** A reduction of INT32, which NNAPI's do not take. */
int import_reduce_int32(struct import *im, const struct import_row *row);

#endif
