// SPDX-License-Identifier: Apache-2.0
/* Results of executions as nnhal.h has them. */
#include "base/execution_result.h"

#include <stdlib.h>
#include <string.h>

#include "base/export.h"

void nnhal_result_init(struct nnhal_execution_result *result)
{
	memset(result, 0, sizeof(*result));
	result->timing = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
}

NNHAL_EXPORT void nnhal_execution_result_clear(struct nnhal_execution_result *result)
{
	for (uint32_t i = 0; i < result->num_shapes; i++)
		free(result->shapes[i].dims);
	free(result->shapes);
	nnhal_result_init(result);
}
