// SPDX-License-Identifier: Apache-2.0
/*
 * Extensions: those that a model names, and those that this driver knows. A model refers to them
 * by name; its prefixes are its own.
 */
#include <string.h>

#include "nnhal_lowering.h"

/* The name under which the model uses the extension of a type or operation (prefix << 16 | code),
 * or NULL. */
static const char *lower_extension_name(const struct nnmodel *model, uint32_t type)
{
	for (uint32_t i = 0; type > NNMODEL_TYPE_BASE_MAX && i < model->num_extensions; i++)
		if (model->extensions[i].prefix == type >> 16)
			return model->extensions[i].name;
	return NULL;
}

bool lower_is_extension_type(const struct lower *l, uint32_t type,
			     const struct lower_extension *ext, uint16_t code)
{
	const char *name = lower_extension_name(l->model, type);

	return (type & 0xffff) == code && name && !strcmp(name, ext->name);
}

/* The order is that of the bits of nnhal_opset.extensions: at most 32. */
static const struct lower_extension *const extensions[] = {
	&lower_extension_fibonacci,
};

#define NUM_EXTENSIONS ((uint32_t)(sizeof(extensions) / sizeof(extensions[0])))
_Static_assert(NUM_EXTENSIONS <= 32, "a bit each");

const char *nnhal_lower_extension(uint32_t i, const struct nnhal_lower_type **types,
				  uint32_t *num_types)
{
	if (i >= NUM_EXTENSIONS)
		return NULL;
	*types = extensions[i]->types;
	*num_types = extensions[i]->num_types;
	return extensions[i]->name;
}

/* The extension that a type or operation (prefix << 16 | code) of the model belongs to, or NULL;
 * *@number is its bit in nnhal_opset.extensions. */
static const struct lower_extension *lower_extension_find(const struct nnmodel *model,
							  uint32_t type, uint32_t *number)
{
	const char *name = lower_extension_name(model, type);

	for (uint32_t i = 0; name && i < NUM_EXTENSIONS; i++)
		if (!strcmp(extensions[i]->name, name)) {
			*number = i;
			return extensions[i];
		}
	return NULL;
}

const struct nnhal_lower_type *nnhal_lower_type(const struct nnmodel *model, uint32_t type)
{
	uint32_t number;
	const struct lower_extension *ext = lower_extension_find(model, type, &number);

	for (uint32_t i = 0; ext && i < ext->num_types; i++)
		if (ext->types[i].code == (type & 0xffff))
			return &ext->types[i];
	return NULL;
}

int lower_extension_operation(struct lower *l)
{
	const char *name = lower_extension_name(l->model, l->op->type);
	uint32_t number;
	const struct lower_extension *ext = lower_extension_find(l->model, l->op->type, &number);

	if (!ext)
		return lower_refuse(l, LOWER_NONE, "the driver does not know extension %.64s",
				    name ? name : "");
	if (!(l->opset->extensions & 1u << number))
		return lower_refuse(l, LOWER_NONE, "the device does not have extension %.64s",
				    name);
	for (uint32_t i = 0; i < ext->num_ops; i++)
		if (ext->ops[i].code == (l->op->type & 0xffff))
			return ext->ops[i].lower(l);
	return lower_refuse(l, LOWER_NONE, "extension %.64s has no operation %u", name,
			    l->op->type & 0xffff);
}
