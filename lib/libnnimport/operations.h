/* SPDX-License-Identifier: Apache-2.0 */
/* One row per TFLite operation. */
#ifndef NNIMPORT_OPERATIONS_H
#define NNIMPORT_OPERATIONS_H

#include "importer.h"

/** NULL: NNAPI has no such operation. */
const struct import_row *import_row_find(int opcode);

#endif
