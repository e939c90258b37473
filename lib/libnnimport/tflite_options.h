/* SPDX-License-Identifier: Apache-2.0 */
/* Which table of options an operator has: the schema's union BuiltinOptions (version 3). */
#ifndef TFLITE_OPTIONS_H
#define TFLITE_OPTIONS_H

#include <stdint.h>

/** The member of the union that belongs to operator @opcode; 0: none is read. */
uint8_t tflite_options_type(int opcode);

#endif
