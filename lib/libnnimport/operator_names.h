/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the BuiltinOperator codes. */
#ifndef NNIMPORT_OPERATOR_NAMES_H
#define NNIMPORT_OPERATOR_NAMES_H

#include "tflite.h"

/** "CONV_2D" of a BuiltinOperator, or "operator 200". */
const char *tflite_operator_name(const struct tflite_operator *op);

#endif
