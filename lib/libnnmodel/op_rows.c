// SPDX-License-Identifier: Apache-2.0
/* What the rows of the operations (ops/) tell of an operation code. */
#include <stdio.h>

#include "nnmodel.h"

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
