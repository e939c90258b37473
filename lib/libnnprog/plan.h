/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: where the tensors of a program lie in its arena. */
#ifndef NNACCEL_PLAN_H
#define NNACCEL_PLAN_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnprog_format.h"
#include "nnprog_verify.h"
#include "nnutil_align.h"

/* What the planner places. */

/** When a tensor lives, in operation numbers, both ends included. first > last: never. */
struct nnprog_life {
	uint32_t first, last;
};

/** One tensor to place; @offset is the result. */
struct nnprog_plan_item {
	struct nnprog_life life;
	uint64_t size, offset;
};

/* plan.c: planning of static temporaries. */

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

/* The pace of a verification: how much it does between two ticks. */

/** Work of a verification since the last tick. */
struct nnprog_pace {
	int (*tick)(void *cookie);
	void *cookie;
	uint64_t work;
};

/** Entries, of some 30 ns each, between two ticks. */
#define NNPROG_PACE 8192u

/** @work entries more. 0, or what the verification is to end with. */
static inline int nnprog_pace(const struct nnprog *prog, uint64_t work)
{
	struct nnprog_pace *pace = prog->pace;

	if (!pace)
		return 0;
	pace->work += work;
	if (pace->work < NNPROG_PACE)
		return 0;
	pace->work = 0;
	return pace->tick(pace->cookie);
}

/* The work of the planner, and the orders of its items. */

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

/** Items by their begins, the largest first if equal, and by their ends. */
struct plan_order {
	uint32_t *begin, *end;
};

/** 0 or -ENOMEM. */
int plan_order_create(struct plan_order *order, const struct plan_work *w, bool backward);
void plan_order_destroy(struct plan_order *order);

/* plan_greedy.c: private to plan*.c. */

/** Place the items in the order of their sizes. 0, -ENOMEM, -ETIME. */
int plan_greedy(struct plan_work *w, uint64_t *offsets, uint64_t *arena);

/* plan_sweep.c: private to plan*.c. */

/** Place the items in the order of @order. 0, -ENOMEM, -ETIME. */
int plan_sweep(struct plan_work *w, const struct plan_order *order, bool backward,
	       uint64_t *offsets, uint64_t *arena);

#endif
