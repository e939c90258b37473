// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <stdlib.h>
#include <string.h>

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

uint32_t *plan_ordered(const struct plan_work *w, const uint32_t *from,
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
