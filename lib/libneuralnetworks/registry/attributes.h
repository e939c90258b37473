/* SPDX-License-Identifier: Apache-2.0 */
/* Extension attributes of compilations and executions, and the hints for devices made of them. */
#ifndef NNR_ATTRIBUTES_H
#define NNR_ATTRIBUTES_H

#include "nnhal.h"

#include "base/ndk.h"

struct nnr_attribute {
	char *extension;
	uint16_t code;
	void *data;
	size_t size;
};
/**
 * Append a copy. Result code: NO_ERROR, BAD_DATA (extension and code are set already; logged),
 * OUT_OF_MEMORY.
 */
int nnr_attribute_add(struct nnr_attribute **list, uint32_t *num, const char *extension,
		      uint16_t code, const void *data, size_t size);
void nnr_attributes_free(struct nnr_attribute *list, uint32_t num);

/** Attributes as the HAL takes them. They refer to the attributes' names and data. */
struct nnr_hints {
	struct nnhal_token_value *values;
	struct nnmodel_extension *extensions;
	uint32_t num_values, num_extensions, room;
};
/** Replace what is in @hints (zeroed at first), whose memory is reused. Result code. */
int nnr_hints_set(struct nnr_hints *hints, const struct nnr_attribute *list, uint32_t num);
void nnr_hints_clear(struct nnr_hints *hints);

#endif
