/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays on the heap. */
#ifndef NNR_ARRAY_H
#define NNR_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/** @n entries, zeroed. Not NULL if @n is 0. */
static inline void *nnr_array(size_t n, size_t size)
{
	return calloc(n ? n : 1, size);
}
/**
 * Make room for @need entries of @size bytes in *@array, which has room for *@room. New entries are
 * zeroed. 0, -ENOMEM.
 */
int nnr_grow(void *array, uint32_t *room, size_t need, size_t size);

#endif
