/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of models, errors, sized structs: what libnnmodel and the libraries on it share. */
#ifndef NNMODEL_COMMON_H
#define NNMODEL_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnmodel.h"

/*
 * sized.c: sized structs: structs of the vendor boundary that begin with "uint32_t size", set by
 * the side that makes the struct, and that may grow at their end. The rule is
 * copy_struct_from_user()'s: a receiver reads the members that are there, uses defaults for those
 * that an older struct lacks, and refuses a newer struct unless the bytes that it does not know are
 * 0.
 */

/** Largest size that is accepted, of any struct and version. */
#define NNMODEL_SIZED_MAX 4096u

/**
 * struct nnmodel_sized - a sized struct as this library knows it
 * @name: name of the struct, for messages
 * @size: its size here
 * @least: the size that every version has; a smaller struct is refused
 * @defaults: a whole struct with the values of missing members; NULL: all 0
 */
struct nnmodel_sized {
	const char *name;
	uint32_t size, least;
	const void *defaults;
};

/** Initializer of a struct nnmodel_sized: @last is the last member that every version has. */
#define NNMODEL_SIZED(type, last, defaults)                                                       \
	{                                                                                         \
#type, sizeof(struct type),                                                       \
			offsetof(struct type, last) + sizeof(((struct type *)0)->last), defaults, \
	}

/** Slow path of nnmodel_sized_get(). */
const void *nnmodel_sized_other(const struct nnmodel_sized *type, const void *given, void *own);

/**
 * nnmodel_sized_get() - an argument as this library knows it
 * @type: what this library knows
 * @given: the caller's struct
 * @own: room for one of @type, used when @given is older
 *
 * Return: @given when it has all members, else @own; NULL: its size or unknown bytes are invalid.
 */
static inline const void *nnmodel_sized_get(const struct nnmodel_sized *type, const void *given,
					    void *own)
{
	return *(const uint32_t *)given == type->size ? given
						      : nnmodel_sized_other(type, given, own);
}

/** Why nnmodel_sized_get() refused @given: text for people. */
void nnmodel_sized_explain(const struct nnmodel_sized *type, const void *given, char *text,
			   size_t size);

/**
 * nnmodel_sized_out() - where to write a result
 * @type: what this library knows
 * @given: the caller's struct; of its contents only the size is read
 * @own: room for one of @type, used when @given is older
 *
 * Bytes of @given that this library does not know become 0; those that it knows are left alone.
 *
 * Return: @given, or @own, which nnmodel_sized_put() copies; NULL: the size of @given is invalid.
 */
void *nnmodel_sized_out(const struct nnmodel_sized *type, void *given, void *own);

/**
 * nnmodel_sized_put() - give a result to the caller
 * @type: what this library knows
 * @given: the caller's struct
 * @from: a struct of @type; may be @given
 *
 * Writes at most the size of @given, and never its size member.
 *
 * Return: false: the size of @given is invalid, nothing was written.
 */
bool nnmodel_sized_put(const struct nnmodel_sized *type, void *given, const void *from);

/*
 * byte_source.c: reading untrusted bytes. A read past the end gives zeroes and sets @failed, which
 * need not be checked after each read; lengths are checked before memory is allocated for them.
 */

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

/* validate.c: parts of the validation that readers of bytes use as well. */

/**
 * Names and prefixes of a model's extensions, as nnmodel_validate() checks them. 0, -EINVAL,
 * -ENOMEM.
 */
int nnmodel_validate_extensions(const struct nnmodel *model);

/*
 * Files of constants that nothing can change any more: memfds that are sealed against writes and
 * against getting smaller, for everyone who has a descriptor. Their pages can stand for a copy.
 */

/** Whether constants of a model are in such a file. */
bool nnmodel_any_sealed(const struct nnmodel_maps *maps);

/**
 * The descriptor, which is the model's, of the sealed file that has @size bytes at @data, and their
 * @offset in it. -1: they are elsewhere. @data is of nnmodel_constant() with the same arguments.
 */
int nnmodel_sealed_file(const struct nnmodel *model, const struct nnmodel_maps *maps,
			const void *data, size_t size, uint64_t *offset);

/* How libnnmodel refuses: the reason in the caller's struct nnmodel_error. */

/**
 * Fill @err for an operation of @graph: the text begins with the operation's number and name.
 * @operand UINT32_MAX: none in particular. Returns -EINVAL.
 */
int nnmodel_refuse(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
		   const struct nnmodel_operation *op, uint32_t operand, struct nnmodel_error *err,
		   const char *fmt, ...) __attribute__((format(printf, 6, 7)));

#endif
