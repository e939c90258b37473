// SPDX-License-Identifier: Apache-2.0
/*
 * Where temporaries lie in the arena: greedy by size. The largest tensor is placed first; each next
 * one at the lowest offset where it fits between those that live with it. Those are found by their
 * lives, in a tree, so that the work is with what lives together and not with all. Where too much
 * does, up to SCANNED tensors are compared with all others, which costs less for each of them; a
 * program of more is planned so up to a bound of work, and what is left then lies above all that it
 * lives with.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_format.h"
#include "plan.h"

#define SCANNED 10000u
/**
 * Neighbours that the tree gives in all, before the tensors that are left are scanned for, or
 * stacked.
 */
#define WORK_TO_SCAN (128u << 10)
#define WORK_TO_STACK (2u << 20)

struct planner {
	struct nnprog_plan_item *items;
	size_t count;
	struct nnprog_plan_item **by_first; /* in the order in which they begin to live */
	/*
	 * tree over that order: the greatest end of life (last + 1) of those that are placed;
	 * leaves from @leaves on
	 */
	uint32_t *until;
	size_t leaves;
	struct nnprog_plan_item **neighbours;
	size_t num_neighbours;
	size_t work;
	/* when it is used up: either all that is placed, by offset (@placed of them) */
	struct nnprog_plan_item **by_offset;
	size_t placed;
	/* or a tree over operations of how high the arena is taken while they run */
	uint64_t *top, *cover; /* of the greatest part of a node; of all of it */
	size_t operations;
};

static int compare_size(const void *a, const void *b)
{
	const struct nnprog_plan_item *x = *(struct nnprog_plan_item *const *)a;
	const struct nnprog_plan_item *y = *(struct nnprog_plan_item *const *)b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	/* the same plan on every machine: the order of the program decides */
	return x < y ? -1 : x > y;
}

static int compare_first(const void *a, const void *b)
{
	const struct nnprog_plan_item *x = *(struct nnprog_plan_item *const *)a;
	const struct nnprog_plan_item *y = *(struct nnprog_plan_item *const *)b;

	if (x->life.first != y->life.first)
		return x->life.first < y->life.first ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int compare_offset(const void *a, const void *b)
{
	const struct nnprog_plan_item *x = *(struct nnprog_plan_item *const *)a;
	const struct nnprog_plan_item *y = *(struct nnprog_plan_item *const *)b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x < y ? -1 : x > y;
}

static uint64_t aligned(uint64_t size)
{
	return (size + NNPROG_ALIGN - 1) & ~(uint64_t)(NNPROG_ALIGN - 1);
}

/* ---- between neighbours ---- */

static bool together(const struct nnprog_plan_item *a, const struct nnprog_plan_item *b)
{
	return a->life.first <= b->life.last && b->life.first <= a->life.last;
}

/**
 * At the lowest offset between those of @others, in the order of their offsets, that live with
 * @item.
 */
static void fit(struct nnprog_plan_item *item, struct nnprog_plan_item *const *others, size_t count)
{
	uint64_t end = item->size;

	item->offset = 0;
	for (size_t i = 0; i < count; i++) {
		const struct nnprog_plan_item *n = others[i];

		if (!together(n, item))
			continue;
		if (n->offset >= end)
			break;
		if (n->offset + n->size > item->offset) {
			item->offset = aligned(n->offset + n->size);
			end = item->offset + item->size;
		}
	}
}

/**
 * Add to the neighbours what is placed below @node and lives with @item. False: no work is left.
 */
static bool collect(struct planner *p, size_t node, size_t first, size_t size,
		    const struct nnprog_plan_item *item)
{
	if (p->until[node] <= item->life.first || first >= p->count ||
	    p->by_first[first]->life.first > item->life.last)
		return true;
	if (node >= p->leaves) {
		if (!p->work)
			return false;
		p->work--;
		p->neighbours[p->num_neighbours++] = p->by_first[first];
		return true;
	}
	size /= 2;
	return collect(p, 2 * node, first, size, item) &&
	       collect(p, 2 * node + 1, first + size, size, item);
}

/** False: no work is left. */
static bool place_between(struct planner *p, struct nnprog_plan_item *item)
{
	p->num_neighbours = 0;
	if (!collect(p, 1, 0, p->leaves, item))
		return false;
	qsort(p->neighbours, p->num_neighbours, sizeof(*p->neighbours), compare_offset);
	fit(item, p->neighbours, p->num_neighbours);
	return true;
}

/** @item, number @n in the order of lives, is placed. */
static void note_placed(struct planner *p, size_t n, const struct nnprog_plan_item *item)
{
	for (size_t node = p->leaves + n; node; node /= 2)
		if (p->until[node] < item->life.last + 1)
			p->until[node] = item->life.last + 1;
}

/* ---- between all ---- */

/** @sorted: of its items the first @placed are placed. */
static void begin_scanning(struct planner *p, struct nnprog_plan_item **sorted, size_t placed)
{
	p->by_offset = p->neighbours;
	p->placed = placed;
	memcpy(p->by_offset, sorted, placed * sizeof(*sorted));
	qsort(p->by_offset, placed, sizeof(*p->by_offset), compare_offset);
}

static void place_scanning(struct planner *p, struct nnprog_plan_item *item)
{
	size_t i = p->placed++;

	fit(item, p->by_offset, i);
	for (; i && p->by_offset[i - 1]->offset > item->offset; i--)
		p->by_offset[i] = p->by_offset[i - 1];
	p->by_offset[i] = item;
}

/* ---- above them ---- */

static uint64_t highest(const struct planner *p, size_t node, size_t first, size_t size,
			const struct nnprog_life *life)
{
	uint64_t left, right, most;

	if (first > life->last || first + size <= life->first)
		return 0;
	if (first >= life->first && first + size - 1 <= life->last)
		return p->top[node];
	size /= 2;
	left = highest(p, 2 * node, first, size, life);
	right = highest(p, 2 * node + 1, first + size, size, life);
	most = left > right ? left : right;
	return most > p->cover[node] ? most : p->cover[node];
}

static void raise(struct planner *p, size_t node, size_t first, size_t size,
		  const struct nnprog_life *life, uint64_t end)
{
	if (first > life->last || first + size <= life->first)
		return;
	if (p->top[node] < end)
		p->top[node] = end;
	if (first >= life->first && first + size - 1 <= life->last) {
		if (p->cover[node] < end)
			p->cover[node] = end;
		return;
	}
	size /= 2;
	raise(p, 2 * node, first, size, life, end);
	raise(p, 2 * node + 1, first + size, size, life, end);
}

static void raise_item(struct planner *p, const struct nnprog_plan_item *item)
{
	raise(p, 1, 0, p->operations, &item->life, aligned(item->offset + item->size));
}

/** @sorted: of its @count items the first @placed are placed. 0 or -ENOMEM. */
static int begin_stacking(struct planner *p, struct nnprog_plan_item **sorted, size_t placed)
{
	uint32_t last = 0;

	for (size_t i = 0; i < p->count; i++)
		if (p->items[i].life.last > last)
			last = p->items[i].life.last;
	for (p->operations = 1; p->operations <= last; p->operations *= 2)
		;
	p->top = calloc(2 * p->operations, sizeof(*p->top));
	p->cover = calloc(2 * p->operations, sizeof(*p->cover));
	if (!p->top || !p->cover)
		return -ENOMEM;
	for (size_t i = 0; i < placed; i++)
		raise_item(p, sorted[i]);
	return 0;
}

/* ---- the plan ---- */

static int create(struct planner *p, struct nnprog_plan_item *items, size_t count)
{
	*p = (struct planner){ .items = items,
			       .count = count,
			       .work = count <= SCANNED ? WORK_TO_SCAN : WORK_TO_STACK };
	for (p->leaves = 1; p->leaves < count; p->leaves *= 2)
		;
	p->by_first = malloc((count + 1) * sizeof(struct nnprog_plan_item *));
	p->neighbours = malloc((count + 1) * sizeof(struct nnprog_plan_item *));
	p->until = calloc(2 * p->leaves, sizeof(*p->until));
	if (!p->by_first || !p->neighbours || !p->until)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		p->by_first[i] = &items[i];
	qsort(p->by_first, count, sizeof(*p->by_first), compare_first);
	return 0;
}

static void destroy(struct planner *p)
{
	free(p->by_first);
	free(p->neighbours);
	free(p->until);
	free(p->top);
	free(p->cover);
}

static int place(struct planner *p, struct nnprog_plan_item **sorted, size_t i, const size_t *rank)
{
	struct nnprog_plan_item *item = sorted[i];
	int ret;

	if (!p->top && !p->by_offset && !place_between(p, item)) {
		ret = 0;
		if (p->count <= SCANNED)
			begin_scanning(p, sorted, i);
		else
			ret = begin_stacking(p, sorted, i);
		if (ret)
			return ret;
	}
	if (p->by_offset) {
		place_scanning(p, item);
		return 0;
	}
	if (p->top) {
		item->offset = highest(p, 1, 0, p->operations, &item->life);
		raise_item(p, item);
		return 0;
	}
	note_placed(p, rank[item - p->items], item);
	return 0;
}

int nnprog_plan(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size)
{
	return nnprog_plan_until(items, count, arena_size, NULL, NULL);
}

int nnprog_plan_until(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size,
		      bool (*stop)(void *cookie), void *cookie)
{
	struct nnprog_plan_item **sorted = malloc((count + 1) * sizeof(struct nnprog_plan_item *));
	size_t *rank = malloc((count + 1) * sizeof(*rank));
	uint64_t total = 0;
	struct planner p;
	int ret;

	*arena_size = 0;
	ret = create(&p, items, count);
	if (ret || !sorted || !rank) {
		ret = -ENOMEM;
		goto out;
	}
	for (size_t i = 0; i < count; i++) {
		sorted[i] = &items[i];
		rank[p.by_first[i] - items] = i;
		if (items[i].size > NNPROG_MAX_TENSOR_SIZE ||
		    (total += aligned(items[i].size)) > NNPROG_MAX_ARENA) {
			ret = -EOVERFLOW;
			goto out;
		}
	}
	qsort(sorted, count, sizeof(*sorted), compare_size);
	for (size_t i = 0; i < count && !ret; i++) {
		if (stop && stop(cookie)) {
			ret = -ETIME;
			break;
		}
		ret = place(&p, sorted, i, rank);
		if (!ret && aligned(sorted[i]->offset + sorted[i]->size) > *arena_size)
			*arena_size = aligned(sorted[i]->offset + sorted[i]->size);
	}
out:
	destroy(&p);
	free(rank);
	free(sorted);
	return ret;
}
