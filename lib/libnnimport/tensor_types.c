// SPDX-License-Identifier: Apache-2.0
/* Names and sizes of the types of tensors. */
#include "nnimport.h"

static const struct {
	const char *name;
	size_t size;
} types[NNIMPORT_TYPE_COUNT] = {
	[NNIMPORT_FLOAT32] = { "FLOAT32", 4 },
	[NNIMPORT_FLOAT16] = { "FLOAT16", 2 },
	[NNIMPORT_INT32] = { "INT32", 4 },
	[NNIMPORT_UINT8] = { "UINT8", 1 },
	[NNIMPORT_INT64] = { "INT64", 8 },
	[NNIMPORT_STRING] = { "STRING", 0 },
	[NNIMPORT_BOOL] = { "BOOL", 1 },
	[NNIMPORT_INT16] = { "INT16", 2 },
	[8] = { "COMPLEX64", 8 },
	[NNIMPORT_INT8] = { "INT8", 1 },
	[10] = { "FLOAT64", 8 },
	[11] = { "COMPLEX128", 16 },
	[12] = { "UINT64", 8 },
	[13] = { "RESOURCE", 0 },
	[14] = { "VARIANT", 0 },
	[15] = { "UINT32", 4 },
	[16] = { "UINT16", 2 },
	[17] = { "INT4", 0 },
	[18] = { "BFLOAT16", 2 },
	[19] = { "type 19", 0 },
};

const char *nnimport_type_name(int type)
{
	return type >= 0 && type < NNIMPORT_TYPE_COUNT ? types[type].name : "an unknown type";
}

size_t nnimport_type_size(int type)
{
	return type >= 0 && type < NNIMPORT_TYPE_COUNT ? types[type].size : 0;
}
