/* SPDX-License-Identifier: Apache-2.0 */
/* Operand types. Private to libnnmodel. */
#ifndef NNMODEL_TYPES_H
#define NNMODEL_TYPES_H

#include <stdint.h>

#include "nnmodel.h"
#include "sized.h"

enum nnmodel_quant_rule {
	NNMODEL_QUANT_NONE, /* scale 0, zero point 0 */
	NNMODEL_QUANT_OPTIONAL, /* scale >= 0, zero point 0 */
	NNMODEL_QUANT_REQUIRED, /* scale > 0, zero point in the range of the type */
	NNMODEL_QUANT_CHANNEL, /* scale 0, zero point 0, a scale per channel */
};

struct nnmodel_type_info {
	const char *name;
	uint8_t size; /* bytes of an element */
	uint8_t feature_level;
	bool scalar;
	uint8_t quant; /* enum nnmodel_quant_rule */
	int32_t zero_point_min, zero_point_max;
};
/** The sizes of a model and of an error in this library. */
extern const struct nnmodel_sized nnmodel_sized_model, nnmodel_sized_error;

/** A model as this library knows it, @model or @older; NULL: its size is invalid. */
static inline const struct nnmodel *nnmodel_known(const struct nnmodel *model,
						  struct nnmodel *older)
{
	return nnmodel_sized_get(&nnmodel_sized_model, model, older);
}

/** NULL for OEM, extension and unknown types. */
const struct nnmodel_type_info *nnmodel_type_info(uint32_t type);

static inline bool nnmodel_is_extension(uint32_t type)
{
	return type > NNMODEL_TYPE_BASE_MAX;
}

static inline bool nnmodel_is_constant(const struct nnmodel_operand *operand)
{
	return operand->lifetime == NNMODEL_CONSTANT_COPY ||
	       operand->lifetime == NNMODEL_CONSTANT_REFERENCE;
}

static inline void nnmodel_raise_level(uint32_t *feature_level, uint32_t level)
{
	if (*feature_level < level)
		*feature_level = level;
}

#endif
