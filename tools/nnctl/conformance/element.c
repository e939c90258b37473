// SPDX-License-Identifier: Apache-2.0
#include "conformance/nnctl_conformance.h"

#include <string.h>

#include "nnmodel.h"

double element_read(uint32_t type, const void *data, size_t i)
{
	_Float16 half;
	uint16_t u16;
	int16_t i16;
	int32_t i32;
	float f;

	switch (type) {
	case NNMODEL_TENSOR_FLOAT32:
		memcpy(&f, (const char *)data + 4 * i, sizeof(f));
		return f;
	case NNMODEL_TENSOR_FLOAT16:
		memcpy(&half, (const char *)data + 2 * i, sizeof(half));
		return half;
	case NNMODEL_TENSOR_INT32:
	case NNMODEL_INT32:
		memcpy(&i32, (const char *)data + 4 * i, sizeof(i32));
		return i32;
	case NNMODEL_TENSOR_QUANT16_SYMM:
		memcpy(&i16, (const char *)data + 2 * i, sizeof(i16));
		return i16;
	case NNMODEL_TENSOR_QUANT16_ASYMM:
		memcpy(&u16, (const char *)data + 2 * i, sizeof(u16));
		return u16;
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNMODEL_TENSOR_QUANT8_SYMM:
	case NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL:
		return ((const int8_t *)data)[i];
	case NNMODEL_TENSOR_BOOL8:
		return ((const uint8_t *)data)[i] != 0;
	default:
		return ((const uint8_t *)data)[i];
	}
}
