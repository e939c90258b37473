/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading untrusted bytes. A read past the end gives zeroes and sets @failed, which need not be
 * checked after each read; lengths are checked before memory is allocated for them.
 */
#ifndef NNMODEL_BYTE_SOURCE_H
#define NNMODEL_BYTE_SOURCE_H

#include "nnmodel.h"

/** First word of a model as bytes. */
enum nnmodel_bytes_flags {
	NNMODEL_BYTES_RELAXED = 1,
	NNMODEL_BYTES_PLACES = 2, /* values and pools ahead, constants by their place in them */
};

struct source {
	const uint8_t *at;
	size_t left;
	bool failed;
};

uint32_t nnmodel_get_u32(struct source *s);
uint64_t nnmodel_get_u64(struct source *s);
float nnmodel_get_float(struct source *s);
/**
 * Length of a list whose entries take at least @size bytes each: no longer than what is left has
 * room for, so that a false length allocates nothing. Else 0, and failed.
 */
uint32_t nnmodel_get_count(struct source *s, size_t size);
/** A list of numbers after its length; free() it. 0, -EINVAL, -ENOMEM. */
int nnmodel_get_list(struct source *s, uint32_t **list, uint32_t *count);
/** @size bytes in place; NULL and failed when fewer are left. @size 0: not NULL. */
const void *nnmodel_get_bytes(struct source *s, uint64_t size);
/** A private copy of so many bytes; NULL when @size is 0. 0, -EINVAL, -ENOMEM. */
int nnmodel_get_copy(struct source *s, uint64_t size, void **copy);
/**
 * The list that put_extensions() of serialize.c writes; names and prefixes are not checked. 0,
 * -EINVAL, -ENOMEM.
 */
int nnmodel_get_extensions(struct source *s, struct nnmodel *model);
/**
 * The type that put_type() of serialize.c writes, into @o, whose lists are empty. 0, -EINVAL,
 * -ENOMEM; on error too the allocations belong to the operand.
 */
int nnmodel_get_type(struct source *s, struct nnmodel_operand *o);

#endif
