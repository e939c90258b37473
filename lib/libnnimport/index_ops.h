/* SPDX-License-Identifier: Apache-2.0 */
/* Translation of operations on indices that NNAPI has in a simpler form. */
#ifndef NNIMPORT_INDEX_OPS_H
#define NNIMPORT_INDEX_OPS_H

#include "importer.h"

int import_gather_nd(struct import *im, const struct import_row *row);
int import_one_hot(struct import *im, const struct import_row *row);

#endif
