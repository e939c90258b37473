// SPDX-License-Identifier: Apache-2.0
/* Extension attributes of compilations and executions. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

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
		if ((*list)[i].code == code && !strcmp((*list)[i].extension, extension)) {
			nnutil_log(NNUTIL_LOG_WARNING, "attribute %u of %s is set already", code,
				extension);
			return ANEURALNETWORKS_BAD_DATA;
		}
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
