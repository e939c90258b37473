/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of libnnmodel share. */
#ifndef NNMODEL_INTERNAL_H
#define NNMODEL_INTERNAL_H

#include <stdarg.h>
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
/** What this library knows of a model and of an error. */
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

/**
 * Names and prefixes of a model's extensions, as nnmodel_validate() judges them. 0, -EINVAL,
 * -ENOMEM.
 */
int nnmodel_validate_extensions(const struct nnmodel *model);

/** First word of a model as bytes. */
enum nnmodel_bytes_flags {
	NNMODEL_BYTES_RELAXED = 1,
	NNMODEL_BYTES_PLACES = 2, /* values and pools ahead, constants by their place in them */
};

/**
 * Fill @err for an operation of @graph: the text begins with the operation's number and name.
 * @operand UINT32_MAX: none in particular. Returns -EINVAL.
 */
int nnmodel_refuse(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
		   const struct nnmodel_operation *op, uint32_t operand, struct nnmodel_error *err,
		   const char *fmt, ...) __attribute__((format(printf, 6, 7)));

#endif
