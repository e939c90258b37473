/* SPDX-License-Identifier: Apache-2.0 */
/* Planning of static temporaries. Private to libnnprog. */
#ifndef NNPROG_PLAN_H
#define NNPROG_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** When a tensor lives, in operation numbers, both ends included. first > last: never. */
struct nnprog_life {
	uint32_t first, last;
};

/** One tensor to place; @offset is the result. */
struct nnprog_plan_item {
	struct nnprog_life life;
	uint64_t size, offset;
};

/** Place @items so that what lives together does not overlap. 0, -ENOMEM, -EOVERFLOW. */
int nnprog_plan(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size);
/**
 * The same, given up with -ETIME when @stop(@cookie), asked before every item, says so. NULL:
 * never.
 */
int nnprog_plan_until(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size,
		      bool (*stop)(void *cookie), void *cookie);

#endif
