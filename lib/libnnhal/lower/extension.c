// SPDX-License-Identifier: Apache-2.0
/* The extensions that a model names. */
#include <string.h>

#include "nnhal_lowering.h"

const char *lower_extension_name(const struct nnmodel *model, uint32_t type)
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
