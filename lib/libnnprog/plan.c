// SPDX-License-Identifier: Apache-2.0
/*
 * Where temporaries lie in the arena: greedy by size. The largest tensor is placed first; each next one
 * at the lowest offset where it fits between those that live with it.
 */
#include <errno.h>
#include <stdlib.h>

#include "verify.h"

static int compare_size(const void *a, const void *b)
{
	const struct nnprog_plan_item *x = *(struct nnprog_plan_item *const *)a;
	const struct nnprog_plan_item *y = *(struct nnprog_plan_item *const *)b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	/* the same plan on every machine: the order of the program decides */
	return x < y ? -1 : x > y;
}

static bool together(const struct nnprog_plan_item *a, const struct nnprog_plan_item *b)
{
	return a->life.first <= b->life.last && b->life.first <= a->life.last;
}

static uint64_t aligned(uint64_t size)
{
	return (size + NNPROG_ALIGN - 1) & ~(uint64_t)(NNPROG_ALIGN - 1);
}

/** @placed: @count items in the order of their offsets. Keeps the order. */
static void place(struct nnprog_plan_item **placed, size_t count, struct nnprog_plan_item *item)
{
	uint64_t offset = 0, end = item->size;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!together(placed[i], item))
			continue;
		if (placed[i]->offset >= end)
			break;
		if (placed[i]->offset + placed[i]->size > offset) {
			offset = aligned(placed[i]->offset + placed[i]->size);
			end = offset + item->size;
		}
	}
	item->offset = offset;
	for (i = count; i && placed[i - 1]->offset > offset; i--)
		placed[i] = placed[i - 1];
	placed[i] = item;
}

int nnprog_plan(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size)
{
	return nnprog_plan_until(items, count, arena_size, NULL, NULL);
}

int nnprog_plan_until(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size,
		      bool (*stop)(void *cookie), void *cookie)
{
	struct nnprog_plan_item **sorted, **placed;
	uint64_t total = 0;
	int ret = 0;

	*arena_size = 0;
	sorted = malloc((count + 1) * sizeof(*sorted));
	placed = malloc((count + 1) * sizeof(*placed));
	if (!sorted || !placed) {
		ret = -ENOMEM;
		goto out;
	}
	for (size_t i = 0; i < count; i++) {
		sorted[i] = &items[i];
		if (items[i].size > NNPROG_MAX_TENSOR_SIZE ||
		    (total += aligned(items[i].size)) > NNPROG_MAX_ARENA) {
			ret = -EOVERFLOW;
			goto out;
		}
	}
	qsort(sorted, count, sizeof(*sorted), compare_size);
	for (size_t i = 0; i < count; i++) {
		if (stop && stop(cookie)) {
			ret = -ETIME;
			goto out;
		}
		place(placed, i, sorted[i]);
		if (aligned(sorted[i]->offset + sorted[i]->size) > *arena_size)
			*arena_size = aligned(sorted[i]->offset + sorted[i]->size);
	}
out:
	free(placed);
	free(sorted);
	return ret;
}
