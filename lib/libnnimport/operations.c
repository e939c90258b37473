// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

/*
 * rows[], of the operators in ops/: a row each that is translated. Documentation/tflite.rst has
 * them in words; tests/house/operators.py compares the two. A quantized operator whose row lacks
 * the type is computed in real numbers between DEQUANTIZE and QUANTIZE.
 */
#include "nnimport_rows.h"

const struct import_row *import_row_find(int opcode)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return NULL;
}
