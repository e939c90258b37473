// SPDX-License-Identifier: Apache-2.0
/* Extension attributes of compilations and executions, and the hints for devices made of them. */
#include <stdlib.h>
#include <string.h>

#include "base/nnr_base.h"
#include "registry/nnr_registry.h"

static bool attribute_init(struct nnr_attribute *a, const char *extension, uint16_t code,
			   const void *data, size_t size)
{
	*a = (struct nnr_attribute){ .code = code, .size = size };
	a->extension = strdup(extension);
	a->data = malloc(size ? size : 1);
	if (!a->extension || !a->data) {
		free(a->extension);
		free(a->data);
		return false;
	}
	if (size)
		memcpy(a->data, data, size);
	return true;
}

int nnr_attribute_add(struct nnr_attribute **list, uint32_t *num, const char *extension,
		      uint16_t code, const void *data, size_t size)
{
	struct nnr_attribute *grown;
	uint32_t i;

	for (i = 0; i < *num; i++)
		if ((*list)[i].code == code && !strcmp((*list)[i].extension, extension))
			return nnr_refuse(BAD_DATA, "attribute %u of extension %s is set already",
					  code, extension);
	grown = realloc(*list, ((size_t)*num + 1) * sizeof(*grown));
	if (!grown)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	*list = grown;
	if (!attribute_init(&grown[*num], extension, code, data, size))
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	++*num;
	return ANEURALNETWORKS_NO_ERROR;
}

void nnr_attributes_free(struct nnr_attribute *list, uint32_t num)
{
	uint32_t i;

	for (i = 0; i < num; i++) {
		free(list[i].extension);
		free(list[i].data);
	}
	free(list);
}

/* ---- hints ---- */

static bool attributes_reserve(struct nnr_hints *hints, uint32_t num)
{
	struct nnhal_token_value *values;
	struct nnmodel_extension *extensions;

	if (num <= hints->room)
		return true;
	values = realloc(hints->values, num * sizeof(*values));
	if (values)
		hints->values = values;
	extensions = realloc(hints->extensions, num * sizeof(*extensions));
	if (extensions)
		hints->extensions = extensions;
	if (!values || !extensions)
		return false;
	hints->room = num;
	return true;
}

static void name_extension(struct nnr_hints *hints, char *name, uint16_t prefix)
{
	uint32_t i;

	for (i = 0; i < hints->num_extensions; i++)
		if (hints->extensions[i].prefix == prefix)
			return;
	hints->extensions[hints->num_extensions++] =
		(struct nnmodel_extension){ .name = name, .prefix = prefix };
}

int nnr_hints_set(struct nnr_hints *hints, const struct nnr_attribute *list, uint32_t num)
{
	uint32_t i;

	hints->num_values = 0;
	hints->num_extensions = 0;
	if (!attributes_reserve(hints, num))
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (i = 0; i < num; i++) {
		const struct nnr_attribute *a = &list[i];
		uint16_t prefix;
		int result = nnr_extension_prefix(a->extension, &prefix);

		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
		hints->values[hints->num_values++] = (struct nnhal_token_value){
			.token = (uint32_t)prefix << 16 | a->code,
			.value = a->data,
			.size = a->size,
		};
		name_extension(hints, a->extension, prefix);
	}
	return ANEURALNETWORKS_NO_ERROR;
}

void nnr_hints_clear(struct nnr_hints *hints)
{
	free(hints->values);
	free(hints->extensions);
	*hints = (struct nnr_hints){ 0 };
}
