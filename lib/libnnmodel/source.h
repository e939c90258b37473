/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading hostile bytes. Whoever reads past the end gets zeroes, and @failed is set: it is enough
 * to look at the end, but for lengths, which are judged before anything is allocated for them.
 */
#ifndef NNMODEL_SOURCE_H
#define NNMODEL_SOURCE_H

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
 * room for, so that a lie costs no memory. Else 0, and failed.
 */
uint32_t nnmodel_get_count(struct source *s, size_t size);
/** A list of numbers after its length; free() it. 0, -EINVAL, -ENOMEM. */
int nnmodel_get_list(struct source *s, uint32_t **list, uint32_t *count);
/** That many bytes, where they are; NULL and failed when there are fewer. @size 0: not NULL. */
const void *nnmodel_get_bytes(struct source *s, uint64_t size);
/** A private copy of so many bytes; NULL when @size is 0. 0, -EINVAL, -ENOMEM. */
int nnmodel_get_copy(struct source *s, uint64_t size, void **copy);
/**
 * What put_extensions() of serialize.c wrote; names and prefixes are not judged. 0, -EINVAL,
 * -ENOMEM.
 */
int nnmodel_get_extensions(struct source *s, struct nnmodel *model);
/**
 * What put_type() of serialize.c wrote, into @o, whose lists are empty. 0, -EINVAL, -ENOMEM; what
 * was allocated is the operand's on error as well.
 */
int nnmodel_get_type(struct source *s, struct nnmodel_operand *o);

#endif
