/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vendor extensions on the host's side: one file each (extension_<name>.c) with its operand types,
 * and per operation what the framework cannot check for the driver: signature, shape rule,
 * lowering. The file is named in extensions.c; its firmware half is
 * firmware/ops/extension_<name>.c. Documentation/extensions.rst goes through one.
 */
#ifndef NNHAL_LOWER_EXTENSIONS_H
#define NNHAL_LOWER_EXTENSIONS_H

#include "context.h"

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

/** The extension that a type or operation (prefix << 16 | code) of the model belongs to, or NULL;
 * *@number is its bit in nnhal_opset.extensions. */
const struct lower_extension *lower_extension_find(const struct nnmodel *model, uint32_t type,
						   uint32_t *number);
/** l->op, an extension's. */
int lower_extension_operation(struct lower *l);

/** Whether operand type @type is type @code of extension @ext in this model. */
bool lower_is_extension_type(const struct lower *l, uint32_t type,
			     const struct lower_extension *ext, uint16_t code);

/**
 * As lower_emit(): operation of an extension, whose attributes begin with struct
 * nnprog_attr_extension.
 */
int lower_emit_extension(struct lower *l, const char *name, const void *attrs, size_t attrs_size,
			 const uint32_t *in, uint32_t num_in, const uint32_t *out,
			 uint32_t num_out);

extern const struct lower_extension lower_extension_fibonacci;

#endif
