/* SPDX-License-Identifier: Apache-2.0 */
/* From a parsed file to an NNAPI model. */
#ifndef NNIMPORT_IMPORT_H
#define NNIMPORT_IMPORT_H

#include "nnimport.h"
#include "tflite.h"

/**
 * Translate subgraph 0 into result->model. Operations that no model output needs are left out.
 * Shapes and constants that follow from the file are added to its tensors. 0, or a negative error
 * with verdict and message.
 */
int tflite_import(struct tflite_model *tflite, struct nnimport *result);

#endif
