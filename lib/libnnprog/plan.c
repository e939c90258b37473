// SPDX-License-Identifier: Apache-2.0
/*
 * Placement of temporaries in the arena. Two planners, of which the smaller arena is taken: greedy
 * by size (plan_greedy.c), which is best where few tensors live together, and costs time for each
 * pair that does; and a sweep over the operations (plan_sweep.c), which is best where many live
 * together, and costs the same for each tensor. The plan is the same on every machine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

struct key {
	uint64_t key;
	uint32_t item;
};

/** By radix: in linear time, and the order of equal keys stays. */
static void plan_order_sort(struct key *keys, struct key *spare, uint32_t count)
{
	struct key *from = keys, *to = spare, *swap;
	uint64_t differ = 0;

	for (uint32_t i = 1; i < count; i++)
		differ |= keys[i].key ^ keys[0].key;
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		uint32_t at[257] = { 0 };

		if (!(differ >> shift & 0xff))
			continue;
		for (uint32_t i = 0; i < count; i++)
			at[(from[i].key >> shift & 0xff) + 1]++;
		for (unsigned int i = 1; i < 256; i++)
			at[i] += at[i - 1];
		for (uint32_t i = 0; i < count; i++)
			to[at[from[i].key >> shift & 0xff]++] = from[i];
		swap = from;
		from = to;
		to = swap;
	}
	if (from != keys)
		memcpy(keys, from, count * sizeof(*keys));
}

static uint64_t begin_key(const struct nnprog_plan_item *item, bool backward)
{
	return plan_begin(item, backward);
}

static uint64_t end_key(const struct nnprog_plan_item *item, bool backward)
{
	return plan_end(item, backward);
}

/*
 * @from in the order of the keys, the order of equal ones stays; NULL: that of the program. NULL:
 * no memory.
 */
static uint32_t *plan_ordered(const struct plan_work *w, const uint32_t *from,
			      uint64_t (*key)(const struct nnprog_plan_item *item, bool backward),
			      bool backward)
{
	struct key *keys = malloc(2 * ((size_t)w->count + 1) * sizeof(*keys));
	uint32_t *to = malloc(((size_t)w->count + 1) * sizeof(*to));

	if (!keys || !to) {
		free(keys);
		free(to);
		return NULL;
	}
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t item = from ? from[i] : i;

		keys[i] = (struct key){ key(&w->items[item], backward), item };
	}
	plan_order_sort(keys, keys + w->count, w->count);
	for (uint32_t i = 0; i < w->count; i++)
		to[i] = keys[i].item;
	free(keys);
	return to;
}

int plan_order_create(struct plan_order *order, const struct plan_work *w, bool backward)
{
	order->begin = plan_ordered(w, w->by_size, begin_key, backward);
	order->end = plan_ordered(w, w->by_size, end_key, backward);
	return order->begin && order->end ? 0 : -ENOMEM;
}

void plan_order_destroy(struct plan_order *order)
{
	free(order->begin);
	free(order->end);
}

/**
 * Greedy up to this many pairs that live together. Fewer tensors than SCANNED are always planned
 * this way: they are compared with all others, if that is less.
 */
#define GREEDY_PAIRS (2u << 20)
#define GREEDY_COUNT 10000u

static uint64_t size_key(const struct nnprog_plan_item *item, bool backward)
{
	(void)backward;
	return ~item->size;
}

/** Count what lives together. */
static int survey(struct plan_work *w, const struct plan_order *order)
{
	uint64_t live = 0, bytes = 0;
	uint32_t ended = 0;
	int ret = 0;

	for (uint32_t i = 0; i < w->count && !ret; i++) {
		const struct nnprog_plan_item *item = &w->items[order->begin[i]], *gone;

		if (item->life.first > item->life.last)
			continue;
		while ((gone = &w->items[order->end[ended]])->life.last < item->life.first) {
			/* one that never lives was not counted */
			if (gone->life.first <= gone->life.last) {
				bytes -= plan_aligned(gone->size);
				live--;
			}
			ended++;
		}
		w->pairs += live++;
		bytes += plan_aligned(item->size);
		if (bytes > w->least)
			w->least = bytes;
		ret = plan_pace(w, 4);
	}
	return ret;
}

static int sweep(struct plan_work *w, const struct plan_order *forward, bool backward,
		 uint64_t *offsets, uint64_t *arena)
{
	struct plan_order order = { NULL, NULL };
	int ret = 0;

	if (backward)
		ret = plan_order_create(&order, w, backward);
	if (!ret)
		ret = plan_sweep(w, backward ? &order : forward, backward, offsets, arena);
	plan_order_destroy(&order);
	return ret;
}

static int prog_plan(struct plan_work *w, const struct plan_order *order, uint64_t *arena)
{
	uint64_t *offsets = malloc(((size_t)w->count + 1) * sizeof(*offsets));
	uint64_t best = UINT64_MAX, size;
	int ret = offsets ? survey(w, order) : -ENOMEM;

	for (int k = 0; k < 3 && !ret && best > w->least; k++) {
		if (!k && w->pairs > GREEDY_PAIRS && w->count > GREEDY_COUNT)
			continue;
		ret = k ? sweep(w, order, k == 2, offsets, &size) : plan_greedy(w, offsets, &size);
		if (ret || size >= best)
			continue;
		best = size;
		for (uint32_t i = 0; i < w->count; i++)
			w->items[i].offset = offsets[i];
	}
	free(offsets);
	*arena = best;
	return ret;
}

int nnprog_plan(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size)
{
	return nnprog_plan_until(items, count, arena_size, NULL, NULL);
}

int nnprog_plan_until(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size,
		      bool (*stop)(void *cookie), void *cookie)
{
	struct plan_work w = { .items = items, .stop = stop, .cookie = cookie };
	struct plan_order order = { NULL, NULL };
	uint64_t total = 0;
	int ret = -ENOMEM;

	*arena_size = 0;
	if (stop && stop(cookie))
		return -ETIME;
	if (count > UINT32_MAX / 4)
		return -EOVERFLOW;
	for (size_t i = 0; i < count; i++)
		if (items[i].size > NNPROG_MAX_TENSOR_SIZE ||
		    (total += plan_aligned(items[i].size)) > NNPROG_MAX_ARENA)
			return -EOVERFLOW;
	if (!count)
		return 0;
	w.count = (uint32_t)count;
	w.by_size = plan_ordered(&w, NULL, size_key, false);
	if (w.by_size)
		ret = plan_order_create(&order, &w, false);
	if (!ret)
		ret = prog_plan(&w, &order, arena_size);
	if (ret)
		*arena_size = 0;
	plan_order_destroy(&order);
	free(w.by_size);
	return ret;
}
