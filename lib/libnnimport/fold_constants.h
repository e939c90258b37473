/* SPDX-License-Identifier: Apache-2.0 */
/* Constants computed from constants of the file. Results are malloc'ed; NULL: no memory. */
#ifndef NNIMPORT_FOLD_CONSTANTS_H
#define NNIMPORT_FOLD_CONSTANTS_H

#include "tflite.h"

/** Whether every value of a constant INT32 or INT64 tensor is one of 32 bits. */
bool fold_is_narrow(const struct tflite_tensor *t);
/** The values of a narrow one. */
int32_t *fold_narrow(const struct tflite_tensor *t);
/** Whether fold_real() knows the type of a constant. */
bool fold_has_real(const struct tflite_tensor *t);
/** The real values of a constant of FLOAT32, FLOAT16, or a quantized type. */
float *fold_real(const struct tflite_model *model, const struct tflite_tensor *t);

#endif
