// SPDX-License-Identifier: Apache-2.0
#include "capture/nnctl_capture.h"

/* Negative: a file's tensor has no such type. */
static int file_type(uint32_t type)
{
	switch (type) {
	case NNMODEL_FLOAT32:
	case NNMODEL_TENSOR_FLOAT32:
		return NNIMPORT_FLOAT32;
	case NNMODEL_FLOAT16:
	case NNMODEL_TENSOR_FLOAT16:
		return NNIMPORT_FLOAT16;
	case NNMODEL_INT32:
	case NNMODEL_TENSOR_INT32:
		return NNIMPORT_INT32;
	case NNMODEL_BOOL:
	case NNMODEL_TENSOR_BOOL8:
		return NNIMPORT_BOOL;
	case NNMODEL_TENSOR_QUANT8_ASYMM:
		return NNIMPORT_UINT8;
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNMODEL_TENSOR_QUANT8_SYMM:
		return NNIMPORT_INT8;
	case NNMODEL_TENSOR_QUANT16_SYMM:
		return NNIMPORT_INT16;
	default:
		return -1;
	}
}

bool operand_tensor(const struct nnmodel_operand *operand, struct nnimport_tensor *tensor)
{
	uint64_t bytes;

	*tensor = (struct nnimport_tensor){ .type = file_type(operand->type),
					    .rank = operand->rank,
					    .scale = operand->scale,
					    .zero_point = operand->zero_point };
	if (tensor->type < 0 || operand->rank > NNIMPORT_MAX_RANK ||
	    (!operand->rank && !nnmodel_type_is_scalar(operand->type)) ||
	    nnmodel_operand_bytes(operand, &bytes) || !bytes)
		return false;
	for (uint32_t i = 0; i < operand->rank; i++)
		tensor->dims[i] = (int32_t)operand->dims[i];
	tensor->operand_type = tensor->type;
	tensor->size = tensor->operand_size = (size_t)bytes;
	return true;
}
