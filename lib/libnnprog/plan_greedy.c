// SPDX-License-Identifier: Apache-2.0
/*
 * Greedy by size: the largest tensor is placed first, each next one at the lowest offset where it
 * fits between the tensors that live with it. A tree over the lives finds those; where they are
 * many, comparing with all that is placed costs less.
 */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/** A neighbour of the tree costs as much as this many comparisons. */
#define TREE_COST 16u

/** A placed item. */
struct placed {
	uint64_t offset, end;
};

static int compare_offset(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* ---- between neighbours ---- */

struct tree {
	const struct plan_work *w;
	const uint64_t *offsets;
	uint32_t *by_first; /* in the order in which they begin to live */
	uint32_t *rank; /* of an item in that order */
	/* over that order: the greatest end of life (last + 1) of placed tensors; leaves from
	 * @leaves on */
	uint64_t *until;
	uint32_t leaves;
	struct placed *neighbours;
	uint32_t num_neighbours;
};

/** Add to the neighbours what is placed below @node and lives with @item. */
static void plan_greedy_collect(struct tree *t, uint32_t node, uint32_t first, uint32_t size,
				const struct nnprog_plan_item *item)
{
	const struct nnprog_plan_item *items = t->w->items;

	if (t->until[node] <= item->life.first || first >= t->w->count ||
	    items[t->by_first[first]].life.first > item->life.last)
		return;
	if (node >= t->leaves) {
		uint32_t n = t->by_first[first];

		t->neighbours[t->num_neighbours++] =
			(struct placed){ t->offsets[n], t->offsets[n] + items[n].size };
		return;
	}
	size /= 2;
	plan_greedy_collect(t, 2 * node, first, size, item);
	plan_greedy_collect(t, 2 * node + 1, first + size, size, item);
}

static void sort_neighbours(struct tree *t)
{
	struct placed *p = t->neighbours, item;

	if (t->num_neighbours > 24) {
		qsort(p, t->num_neighbours, sizeof(*p), compare_offset);
		return;
	}
	for (uint32_t i = 1; i < t->num_neighbours; i++) {
		uint32_t n = i;

		for (item = p[i]; n && p[n - 1].offset > item.offset; n--)
			p[n] = p[n - 1];
		p[n] = item;
	}
}

/** At the lowest offset between the neighbours. */
static uint64_t fit(const struct tree *t, uint64_t size)
{
	uint64_t offset = 0;

	for (uint32_t i = 0; i < t->num_neighbours; i++) {
		const struct placed *n = &t->neighbours[i];

		if (n->offset >= offset + size)
			break;
		if (n->end > offset)
			offset = plan_aligned(n->end);
	}
	return offset;
}

static int tree_create(struct tree *t, const struct plan_work *w, const uint64_t *offsets)
{
	struct plan_order order;
	int ret = plan_order_create(&order, w, false);

	*t = (struct tree){ .w = w, .offsets = offsets, .leaves = 1 };
	while (t->leaves < w->count)
		t->leaves *= 2;
	t->by_first = order.begin;
	order.begin = NULL;
	plan_order_destroy(&order);
	t->rank = malloc(w->count * sizeof(*t->rank));
	t->until = calloc(2 * (size_t)t->leaves, sizeof(*t->until));
	t->neighbours = malloc(w->count * sizeof(*t->neighbours));
	if (ret || !t->rank || !t->until || !t->neighbours)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->count; i++)
		t->rank[t->by_first[i]] = i;
	return 0;
}

static void tree_destroy(struct tree *t)
{
	free(t->by_first);
	free(t->rank);
	free(t->until);
	free(t->neighbours);
}

static int place_by_tree(struct plan_work *w, uint64_t *offsets)
{
	struct tree t;
	int ret = tree_create(&t, w, offsets);

	for (uint32_t i = 0; i < w->count && !ret; i++) {
		uint32_t n = w->by_size[i];
		const struct nnprog_plan_item *item = &w->items[n];

		t.num_neighbours = 0;
		plan_greedy_collect(&t, 1, 0, t.leaves, item);
		sort_neighbours(&t);
		offsets[n] = fit(&t, item->size);
		for (uint32_t node = t.leaves + t.rank[n]; node; node /= 2)
			if (t.until[node] < item->life.last + UINT64_C(1))
				t.until[node] = item->life.last + UINT64_C(1);
		ret = plan_pace(w, PLAN_PACE);
	}
	tree_destroy(&t);
	return ret;
}

/* ---- between all ---- */

/** What is placed, by offset: a row each for what a scan compares. */
struct scan {
	uint32_t *first, *last;
	uint64_t *offset, *end; /* aligned */
	uint32_t placed;
};

static int scan_create(struct scan *s, uint32_t count)
{
	*s = (struct scan){
		.first = malloc(count * sizeof(*s->first)),
		.last = malloc(count * sizeof(*s->last)),
		.offset = malloc(count * sizeof(*s->offset)),
		.end = malloc(count * sizeof(*s->end)),
	};
	return s->first && s->last && s->offset && s->end ? 0 : -ENOMEM;
}

static void scan_destroy(struct scan *s)
{
	free(s->first);
	free(s->last);
	free(s->offset);
	free(s->end);
}

static uint64_t fit_scanning(const struct scan *s, const struct nnprog_plan_item *item)
{
	const uint32_t first = item->life.first, last = item->life.last;
	uint64_t offset = 0;

	/* whether two live together cannot be predicted: no branch depends on it alone */
	for (uint32_t i = 0; i < s->placed; i++) {
		bool together = (s->first[i] <= last) & (first <= s->last[i]);
		uint64_t end = together ? s->end[i] : 0;

		if ((s->offset[i] >= offset + item->size) & together)
			break;
		offset = end > offset ? end : offset;
	}
	return offset;
}

static void plan_greedy_insert(struct scan *s, const struct nnprog_plan_item *item, uint64_t offset)
{
	uint32_t low = 0, high = s->placed, after;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->offset[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	after = s->placed++ - low;
	memmove(s->first + low + 1, s->first + low, after * sizeof(*s->first));
	memmove(s->last + low + 1, s->last + low, after * sizeof(*s->last));
	memmove(s->offset + low + 1, s->offset + low, after * sizeof(*s->offset));
	memmove(s->end + low + 1, s->end + low, after * sizeof(*s->end));
	s->first[low] = item->life.first;
	s->last[low] = item->life.last;
	s->offset[low] = offset;
	s->end[low] = plan_aligned(offset + item->size);
}

static int place_by_scanning(struct plan_work *w, uint64_t *offsets)
{
	struct scan s;
	int ret = scan_create(&s, w->count);

	for (uint32_t i = 0; i < w->count && !ret; i++) {
		uint32_t n = w->by_size[i];

		offsets[n] = fit_scanning(&s, &w->items[n]);
		plan_greedy_insert(&s, &w->items[n], offsets[n]);
		ret = plan_pace(w, PLAN_PACE);
	}
	scan_destroy(&s);
	return ret;
}

int plan_greedy(struct plan_work *w, uint64_t *offsets, uint64_t *arena)
{
	uint64_t comparisons = (uint64_t)w->count * w->count / 2;
	int ret = TREE_COST * w->pairs < comparisons ? place_by_tree(w, offsets)
						     : place_by_scanning(w, offsets);

	*arena = 0;
	for (uint32_t i = 0; i < w->count && !ret; i++) {
		uint64_t end = plan_aligned(offsets[i] + w->items[i].size);

		*arena = end > *arena ? end : *arena;
	}
	return ret;
}
