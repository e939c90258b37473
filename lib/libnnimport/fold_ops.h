/* SPDX-License-Identifier: Apache-2.0 */
/* Operations whose result the file knows: it becomes a constant, and no operation is left of them.
 */
#ifndef NNIMPORT_FOLD_OPS_H
#define NNIMPORT_FOLD_OPS_H

#include "importer.h"

int import_shape_of(struct import *im, const struct import_row *row);
int import_rank(struct import *im, const struct import_row *row);
/** Of constants; another one is refused. */
int import_range(struct import *im, const struct import_row *row);
int import_where(struct import *im, const struct import_row *row);
int import_broadcast_args(struct import *im, const struct import_row *row);

#endif
