// SPDX-License-Identifier: Apache-2.0
#include "tflite.h"

#include <stdio.h>

/* names[], of the operators in ops/, by code */
#include "nnimport_operators.h"

const char *nnimport_operator_name(int opcode)
{
	static _Thread_local char buf[32];

	if (opcode >= 0 && (size_t)opcode < sizeof(names) / sizeof(names[0]))
		return names[opcode];
	snprintf(buf, sizeof(buf), "operator %d", opcode);
	return buf;
}

const char *tflite_operator_name(const struct tflite_operator *op)
{
	static _Thread_local char buf[96];

	if (!op->custom[0])
		return nnimport_operator_name(op->opcode);
	snprintf(buf, sizeof(buf), "CUSTOM(%s)", op->custom);
	return buf;
}
