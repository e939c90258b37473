/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sized structs: structs of the vendor boundary that begin with "uint32_t size", set by the side
 * that makes the struct, and that may grow at their end. The rule is copy_struct_from_user()'s: a
 * receiver reads the members that are there, uses defaults for those that an older struct lacks,
 * and refuses a newer struct unless the bytes that it does not know are 0.
 */
#ifndef NNMODEL_SIZED_H
#define NNMODEL_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
