// SPDX-License-Identifier: Apache-2.0
/* The extensions that this firmware has. ops/generate.py makes the table of operations. */
#include <string.h>

#include "nnfw_ops.h"

const struct nnfw_extension *const nnfw_extensions[] = { &nnfw_extension_fibonacci, NULL };

const struct nnfw_extension_op *nnfw_extension_find(const char *name, uint32_t operation)
{
	for (const struct nnfw_extension *const *ext = nnfw_extensions; *ext; ext++) {
		if (strcmp((*ext)->name, name))
			continue;
		for (uint32_t i = 0; i < (*ext)->num_ops; i++)
			if ((*ext)->ops[i].operation == operation)
				return &(*ext)->ops[i];
	}
	return NULL;
}
