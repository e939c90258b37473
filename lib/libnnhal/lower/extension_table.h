/* SPDX-License-Identifier: Apache-2.0 */
/* The extensions that this driver knows: a line each in extension_table.c. */
#ifndef NNHAL_LOWER_EXTENSION_TABLE_H
#define NNHAL_LOWER_EXTENSION_TABLE_H

#include "extension.h"

/** The extension that a type or operation (prefix << 16 | code) of the model belongs to, or NULL;
 * *@number is its bit in nnhal_opset.extensions. */
const struct lower_extension *lower_extension_find(const struct nnmodel *model, uint32_t type,
						   uint32_t *number);
/** l->op, an extension's. */
int lower_extension_operation(struct lower *l);

extern const struct lower_extension lower_extension_fibonacci;

#endif
