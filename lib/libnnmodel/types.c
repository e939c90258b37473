// SPDX-License-Identifier: Apache-2.0
/* Types of operands and codes of operations: properties, names, sizes. */
#include <errno.h>
#include <stdio.h>

#include "nnmodel.h"
#include "nnmodel_rows.h"
#include "nnmodel_shape.h"

static const struct nnmodel_type_info types[NNMODEL_TYPE_COUNT] = {
	[NNMODEL_FLOAT32] = { "FLOAT32", 4, 1, true, NNMODEL_QUANT_NONE, 0, 0 },
	[NNMODEL_INT32] = { "INT32", 4, 1, true, NNMODEL_QUANT_NONE, 0, 0 },
	[NNMODEL_UINT32] = { "UINT32", 4, 1, true, NNMODEL_QUANT_NONE, 0, 0 },
	[NNMODEL_TENSOR_FLOAT32] = { "TENSOR_FLOAT32", 4, 1, false, NNMODEL_QUANT_NONE, 0, 0 },
	[NNMODEL_TENSOR_INT32] = { "TENSOR_INT32", 4, 1, false, NNMODEL_QUANT_OPTIONAL, 0, 0 },
	[NNMODEL_TENSOR_QUANT8_ASYMM] = { "TENSOR_QUANT8_ASYMM", 1, 1, false,
					  NNMODEL_QUANT_REQUIRED, 0, 255 },
	[NNMODEL_BOOL] = { "BOOL", 1, 3, true, NNMODEL_QUANT_NONE, 0, 0 },
	[NNMODEL_TENSOR_QUANT16_SYMM] = { "TENSOR_QUANT16_SYMM", 2, 3, false,
					  NNMODEL_QUANT_REQUIRED, 0, 0 },
	[NNMODEL_TENSOR_FLOAT16] = { "TENSOR_FLOAT16", 2, 3, false, NNMODEL_QUANT_NONE, 0, 0 },
	[NNMODEL_TENSOR_BOOL8] = { "TENSOR_BOOL8", 1, 3, false, NNMODEL_QUANT_NONE, 0, 0 },
	[NNMODEL_FLOAT16] = { "FLOAT16", 2, 3, true, NNMODEL_QUANT_NONE, 0, 0 },
	[NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL] = { "TENSOR_QUANT8_SYMM_PER_CHANNEL", 1, 3, false,
						     NNMODEL_QUANT_CHANNEL, 0, 0 },
	[NNMODEL_TENSOR_QUANT16_ASYMM] = { "TENSOR_QUANT16_ASYMM", 2, 3, false,
					   NNMODEL_QUANT_REQUIRED, 0, 65535 },
	[NNMODEL_TENSOR_QUANT8_SYMM] = { "TENSOR_QUANT8_SYMM", 1, 3, false, NNMODEL_QUANT_REQUIRED,
					 0, 0 },
	[NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED] = { "TENSOR_QUANT8_ASYMM_SIGNED", 1, 4, false,
						 NNMODEL_QUANT_REQUIRED, -128, 127 },
	[NNMODEL_SUBGRAPH] = { "SUBGRAPH", 0, 4, true, NNMODEL_QUANT_NONE, 0, 0 },
};

const struct nnmodel_type_info *nnmodel_type_info(uint32_t type)
{
	return type < NNMODEL_TYPE_COUNT ? &types[type] : NULL;
}

size_t nnmodel_type_size(uint32_t type)
{
	return type < NNMODEL_TYPE_COUNT ? types[type].size : 0;
}

bool nnmodel_type_is_scalar(uint32_t type)
{
	return type < NNMODEL_TYPE_COUNT && types[type].scalar;
}

const char *nnmodel_type_name(uint32_t type)
{
	/* two slots, so that one message can name two unknown types */
	static _Thread_local char text[2][32];
	static _Thread_local unsigned int slot;

	if (type < NNMODEL_TYPE_COUNT)
		return types[type].name;
	slot ^= 1;
	if (type > NNMODEL_TYPE_BASE_MAX)
		snprintf(text[slot], sizeof(text[slot]), "extension type %u:%u", type >> 16,
			 type & 0xffff);
	else
		snprintf(text[slot], sizeof(text[slot]), "type %u", type);
	return text[slot];
}

int nnmodel_operand_bytes(const struct nnmodel_operand *operand, uint64_t *bytes)
{
	const size_t size = nnmodel_type_size(operand->type);

	*bytes = 0;
	if (!size)
		return -EINVAL;
	if (nnmodel_type_is_scalar(operand->type)) {
		*bytes = size;
		return 0;
	}
	if (!nnmodel_shape_complete(operand->rank, operand->dims))
		return -EINVAL;
	return nnmodel_shape_bytes(size, operand->rank, operand->dims, bytes);
}

/* ---- operations ---- */

const char *nnmodel_operation_name(uint32_t opcode)
{
	static _Thread_local char text[48];
	const struct nnmodel_op_row *row = nnmodel_op_find(opcode);

	if (row)
		return row->name;
	if (opcode > NNMODEL_TYPE_BASE_MAX)
		snprintf(text, sizeof(text), "extension operation %u:%u", opcode >> 16,
			 opcode & 0xffff);
	else
		snprintf(text, sizeof(text), "operation code %u", opcode);
	return text;
}

bool nnmodel_names_subgraphs(uint32_t opcode)
{
	const struct nnmodel_op_row *row = nnmodel_op_find(opcode);

	return row && row->names_subgraphs;
}
