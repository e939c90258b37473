// SPDX-License-Identifier: Apache-2.0
/* Sized structs of another size than this library's. */
#include "nnmodel_common.h"

#include <stdio.h>
#include <string.h>

static uint32_t size_of(const void *given)
{
	return *(const uint32_t *)given;
}

static bool size_valid(const struct nnmodel_sized *type, uint32_t size)
{
	return size >= type->least && size <= NNMODEL_SIZED_MAX;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Copy the members of @from that a struct of @size bytes has. */
static void copy_members(const struct nnmodel_sized *type, void *to, const void *from,
			 uint32_t size)
{
	const size_t skip = sizeof(uint32_t);

	memcpy((uint8_t *)to + skip, (const uint8_t *)from + skip,
	       (size < type->size ? size : type->size) - skip);
}

static void zero_tail(const struct nnmodel_sized *type, void *given, uint32_t size)
{
	if (size > type->size)
		memset((uint8_t *)given + type->size, 0, size - type->size);
}

const void *nnmodel_sized_other(const struct nnmodel_sized *type, const void *given, void *own)
{
	const uint32_t size = size_of(given);

	if (!size_valid(type, size))
		return NULL;
	if (size >= type->size)
		return all_zero((const uint8_t *)given + type->size, size - type->size) ? given
											: NULL;
	if (type->defaults)
		memcpy(own, type->defaults, type->size);
	else
		memset(own, 0, type->size);
	copy_members(type, own, given, size);
	memcpy(own, &type->size, sizeof(type->size));
	return own;
}

void nnmodel_sized_explain(const struct nnmodel_sized *type, const void *given, char *text,
			   size_t size)
{
	const uint32_t bytes = size_of(given);

	if (size_valid(type, bytes))
		snprintf(text, size,
			 "struct %s of %u bytes: the bytes after the %u known here must be 0",
			 type->name, bytes, type->size);
	else
		snprintf(text, size, "struct %s says %u bytes: expected %u, at least %u",
			 type->name, bytes, type->size, type->least);
}

void *nnmodel_sized_out(const struct nnmodel_sized *type, void *given, void *own)
{
	const uint32_t size = size_of(given);

	if (!size_valid(type, size))
		return NULL;
	zero_tail(type, given, size);
	if (size >= type->size)
		return given;
	memcpy(own, &type->size, sizeof(type->size));
	return own;
}

bool nnmodel_sized_put(const struct nnmodel_sized *type, void *given, const void *from)
{
	const uint32_t size = size_of(given);

	if (given == from)
		return true;
	if (!size_valid(type, size))
		return false;
	copy_members(type, given, from, size);
	zero_tail(type, given, size);
	return true;
}
