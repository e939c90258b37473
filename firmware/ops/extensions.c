// SPDX-License-Identifier: Apache-2.0
/* The vendor extensions that this firmware has: a line each. */
#include <string.h>

#include "ops.h"

extern const struct nnfw_extension nnfw_extension_fibonacci;

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
