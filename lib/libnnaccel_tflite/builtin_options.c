// SPDX-License-Identifier: Apache-2.0
#include "delegate.h"

#include <string.h>

#include "tflite_abi.h"

/* builtin_options[], of the operators in ops/: a row per field that libnnimport reads. */
#include "tflite_option_fields.h"

const size_t builtin_options_count = sizeof(builtin_options) / sizeof(builtin_options[0]);

static struct nnimport_graph_option option_read(const struct builtin_option *row, const void *data)
{
	const uint8_t *from = (const uint8_t *)data + row->offset;
	struct nnimport_graph_option o = { .field = row->field };

	switch (row->kind) {
	case BUILTIN_BOOL:
		o.integer = *from != 0;
		break;
	case BUILTIN_FLOAT:
		memcpy(&o.real, from, sizeof(o.real));
		break;
	case BUILTIN_INT:
	case BUILTIN_CODE:
	case BUILTIN_FROM_1:
		memcpy(&o.integer, from, sizeof(o.integer));
		if (row->kind == BUILTIN_FROM_1 && o.integer > INT32_MIN)
			o.integer--;
		break;
	}
	return o;
}

uint32_t builtin_options_read(int opcode, int version, const void *data,
			      struct nnimport_graph_option *options)
{
	uint32_t n = 0;

	for (size_t i = 0; data && i < builtin_options_count; i++) {
		const struct builtin_option *row = &builtin_options[i];

		if (row->opcode == opcode && row->version <= version && n < BUILTIN_MAX_OPTIONS)
			options[n++] = option_read(row, data);
	}
	return n;
}
