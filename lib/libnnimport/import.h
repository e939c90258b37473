/* SPDX-License-Identifier: Apache-2.0 */
/* From a .tflite model to an NNAPI model. */
#ifndef NNIMPORT_IMPORT_H
#define NNIMPORT_IMPORT_H

#include "import_result.h"
#include "tflite.h"

/**
 * Translate subgraph 0. Operations that no model output needs are left out. Variable tensors start
 * at zero in every run.
 */
void tflite_import(const struct tflite_model *tflite, struct import_result *result);

#endif
