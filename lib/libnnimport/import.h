/* SPDX-License-Identifier: Apache-2.0 */
/* From a parsed file to an NNAPI model. */
#ifndef NNIMPORT_IMPORT_H
#define NNIMPORT_IMPORT_H

#include "nnimport.h"
#include "tflite.h"

/**
 * Translate subgraph 0 into result->model. Operations that no model output needs are left out.
 * Variable tensors start at zero in every run. 0, or a negative error with verdict and message.
 */
int tflite_import(const struct tflite_model *tflite, struct nnimport *result);

#endif
