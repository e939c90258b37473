/* SPDX-License-Identifier: Apache-2.0 */
/* One row per operator that is translated. */
#ifndef NNIMPORT_OPERATIONS_H
#define NNIMPORT_OPERATIONS_H

#include "importer.h"

/** NULL: NNAPI cannot express it. */
const struct import_row *import_row_find(int opcode);

#endif
