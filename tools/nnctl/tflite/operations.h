/* SPDX-License-Identifier: Apache-2.0 */
/* One row per TFLite operation. */
#ifndef NNCTL_OPERATIONS_H
#define NNCTL_OPERATIONS_H

#include "tflite/importer.h"

/** NULL: NNAPI has no such operation. */
const struct import_row *import_row_find(int opcode);

#endif
