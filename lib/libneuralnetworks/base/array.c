// SPDX-License-Identifier: Apache-2.0
/* Arrays on the heap. */
#include <errno.h>
#include <string.h>

#include "base/nnr_base.h"

int nnr_grow(void *array, uint32_t *room, size_t need, size_t size)
{
	void **p = array;
	size_t bigger = *room ? *room : 16, bytes;
	uint8_t *moved;

	if (need <= *room)
		return 0;
	while (bigger < need)
		bigger *= 2;
	if (bigger > UINT32_MAX)
		bigger = UINT32_MAX;
	if (bigger < need || __builtin_mul_overflow(bigger, size, &bytes))
		return -ENOMEM;
	moved = realloc(*p, bytes);
	if (!moved)
		return -ENOMEM;
	memset(moved + *room * size, 0, (bigger - *room) * size);
	*p = moved;
	*room = (uint32_t)bigger;
	return 0;
}
