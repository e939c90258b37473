// SPDX-License-Identifier: Apache-2.0
#include "base/nnr_base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int nnr_operand_set_dims(struct nnmodel_operand *operand, uint32_t rank, const void *dims)
{
	uint32_t *copy = malloc(rank * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	memcpy(copy, dims, rank * sizeof(*copy));
	free(operand->dims);
	operand->dims = copy;
	operand->rank = rank;
	return 0;
}
