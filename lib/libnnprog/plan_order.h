/* SPDX-License-Identifier: Apache-2.0 */
/* The work of the planner, and the orders of its items. Private to plan*.c. */
#ifndef NNPROG_PLAN_ORDER_H
#define NNPROG_PLAN_ORDER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "nnprog_format.h"
#include "nnutil_align.h"
#include "plan_item.h"

struct plan_work {
	struct nnprog_plan_item *items;
	uint32_t count;
	uint32_t *by_size; /* the largest first; in the order of the program if equal */
	uint64_t least; /* most bytes that live together: no arena is smaller */
	uint64_t pairs; /* of tensors that live together */
	bool (*stop)(void *cookie);
	void *cookie;
	uint64_t since;
};

/** Steps, of some nanoseconds each, between two calls of stop(). */
#define PLAN_PACE 65536u

/** @steps more. 0 or -ETIME. */
static inline int plan_pace(struct plan_work *w, uint64_t steps)
{
	w->since += steps;
	if (!w->stop || w->since < PLAN_PACE)
		return 0;
	w->since = 0;
	return w->stop(w->cookie) ? -ETIME : 0;
}

static inline uint64_t plan_aligned(uint64_t size)
{
	return nnutil_align_up(size, NNPROG_ALIGN);
}

/**
 * When an item begins and ends to live, in the order in which a sweep meets them: backward, the
 * last operation is the first one.
 */
static inline uint32_t plan_begin(const struct nnprog_plan_item *item, bool backward)
{
	return backward ? ~item->life.last : item->life.first;
}

static inline uint32_t plan_end(const struct nnprog_plan_item *item, bool backward)
{
	return backward ? ~item->life.first : item->life.last;
}

/**
 * @from in the order of the keys, the order of equal ones stays; NULL: that of the program. NULL:
 * no memory.
 */
uint32_t *plan_ordered(const struct plan_work *w, const uint32_t *from,
		       uint64_t (*key)(const struct nnprog_plan_item *item, bool backward),
		       bool backward);

/** Items by their begins, the largest first if equal, and by their ends. */
struct plan_order {
	uint32_t *begin, *end;
};

/** 0 or -ENOMEM. */
int plan_order_create(struct plan_order *order, const struct plan_work *w, bool backward);
void plan_order_destroy(struct plan_order *order);

#endif
