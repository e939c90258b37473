/* SPDX-License-Identifier: Apache-2.0 */
/* From struct tflite_model to the result of the library. */
#ifndef NNIMPORT_READ_MODEL_H
#define NNIMPORT_READ_MODEL_H

#include "nnimport.h"
#include "tflite.h"

/** Translate @tfl into @result, with its lists, and free @tfl in any case. As nnimport_read(). */
int tflite_translate(struct tflite_model *tfl, struct nnimport *result);
/** The result of what is inconsistent before any translation. Returns @error. */
int tflite_refuse(struct nnimport *result, int error, const char *reason);

#endif
