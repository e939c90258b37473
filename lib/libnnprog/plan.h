/* SPDX-License-Identifier: Apache-2.0 */
/* Planning of static temporaries. Private to libnnprog. */
#ifndef NNPROG_PLAN_H
#define NNPROG_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan_item.h"

/**
 * Place @items so that what lives together does not overlap: in nearly linear time, whatever their
 * lives. 0, -ENOMEM, -EOVERFLOW.
 */
int nnprog_plan(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size);
/**
 * The same. It fails with -ETIME when @stop(@cookie), called at least every millisecond, returns
 * true. NULL: never.
 */
int nnprog_plan_until(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size,
		      bool (*stop)(void *cookie), void *cookie);

#endif
