/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vendor extensions on the host's side: one file each (ops/extension_<name>.c) with its operand
 * types, and per operation what the framework cannot check for the driver: signature, shape rule,
 * lowering. The file is named in extension_table.c; its firmware half is
 * firmware/ops/extension_<name>.c. Documentation/extensions.rst goes through one.
 */
#ifndef NNHAL_LOWER_EXTENSION_H
#define NNHAL_LOWER_EXTENSION_H

#include "lowering.h"

struct lower_extension_op {
	uint16_t code; /* within the extension */
	const char *name;
	/** Check the operation's operands and emit what it becomes; as lower_row.lower. */
	int (*lower)(struct lower *l);
};

struct lower_extension {
	const char *name; /* as the firmware reports it */
	const struct nnhal_lower_type *types; /* ascending codes */
	uint32_t num_types;
	const struct lower_extension_op *ops;
	uint32_t num_ops;
};

/** The name under which the model uses the extension of a type or operation (prefix << 16 | code),
 * or NULL. */
const char *lower_extension_name(const struct nnmodel *model, uint32_t type);

/** Whether operand type @type is type @code of extension @ext in this model. */
bool lower_is_extension_type(const struct lower *l, uint32_t type,
			     const struct lower_extension *ext, uint16_t code);

#endif
