// SPDX-License-Identifier: Apache-2.0
/*
 * The sweep: operations are walked in order; a tensor that begins to live gets the smallest gap
 * that it fits into, or the place above all, and gives it back when it has ended. Gaps are found in
 * bins by size, of which each has the sizes of a range of three percent. Numbers are blocks of the
 * arena's alignment.
 */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

#define NONE UINT32_MAX
/** Bins of a power of two; below it each size has one. */
#define STEPS 32u
#define BINS 1024u
/** Gaps of a bin that are looked at: the rest are of nearly the same size. */
#define LOOKED_AT 16u

_Static_assert(NNPROG_MAX_ARENA / NNPROG_ALIGN < 1ull << 35, "the last bin");

/** A range of the arena: a live item, which has its number, or a gap. */
struct range {
	uint64_t at, size;
	uint32_t below, above; /* neighbours in the arena */
	uint32_t previous, next; /* gaps of the bin */
	bool gap;
};

struct sweep {
	struct range *ranges; /* one per item, then gaps */
	uint32_t unused; /* gaps, by next */
	uint32_t highest;
	uint64_t top, most;
	uint32_t bins[BINS];
	uint64_t filled[BINS / 64];
};

static uint32_t bin_of(uint64_t size)
{
	unsigned int power;

	if (size < STEPS)
		return (uint32_t)size;
	power = 63 - (unsigned int)__builtin_clzll(size);
	return STEPS * (power - 4) + ((uint32_t)(size >> (power - 5)) & (STEPS - 1));
}

static void bin_add(struct sweep *s, uint32_t n)
{
	struct range *r = &s->ranges[n];
	uint32_t bin = bin_of(r->size);

	r->previous = NONE;
	r->next = s->bins[bin];
	if (r->next != NONE)
		s->ranges[r->next].previous = n;
	s->bins[bin] = n;
	s->filled[bin / 64] |= UINT64_C(1) << bin % 64;
}

static void bin_remove(struct sweep *s, uint32_t n)
{
	const struct range *r = &s->ranges[n];
	uint32_t bin = bin_of(r->size);

	if (r->next != NONE)
		s->ranges[r->next].previous = r->previous;
	if (r->previous != NONE)
		s->ranges[r->previous].next = r->next;
	else
		s->bins[bin] = r->next;
	if (s->bins[bin] == NONE)
		s->filled[bin / 64] &= ~(UINT64_C(1) << bin % 64);
}

/** The smallest of the first gaps of @bin with at least @size. */
static uint32_t smallest(const struct sweep *s, uint32_t bin, uint64_t size)
{
	uint32_t best = NONE, n = s->bins[bin];

	for (uint32_t i = 0; i < LOOKED_AT && n != NONE; i++, n = s->ranges[n].next)
		if (s->ranges[n].size >= size &&
		    (best == NONE || s->ranges[n].size < s->ranges[best].size))
			best = n;
	return best;
}

static uint32_t find_gap(const struct sweep *s, uint64_t size)
{
	uint32_t bin = bin_of(size), n = smallest(s, bin, size);
	uint64_t word;

	if (n != NONE || ++bin == BINS)
		return n;
	word = s->filled[bin / 64] & UINT64_MAX << bin % 64;
	for (bin /= 64; !word; word = s->filled[bin])
		if (++bin == BINS / 64)
			return NONE;
	return smallest(s, bin * 64 + (uint32_t)__builtin_ctzll(word), size);
}

/** @n, with its place and size, comes between two ranges. */
static void link_between(struct sweep *s, uint32_t n, uint32_t below, uint32_t above)
{
	s->ranges[n].below = below;
	s->ranges[n].above = above;
	if (below != NONE)
		s->ranges[below].above = n;
	if (above != NONE)
		s->ranges[above].below = n;
}

static void discard_gap(struct sweep *s, uint32_t n)
{
	s->ranges[n].next = s->unused;
	s->unused = n;
}

static void plan_sweep_take(struct sweep *s, uint32_t item, uint64_t size)
{
	uint32_t gap = find_gap(s, size);
	struct range *r = &s->ranges[item], *g;

	r->size = size;
	if (gap == NONE) {
		r->at = s->top;
		link_between(s, item, s->highest, NONE);
		s->highest = item;
		s->top += size;
		s->most = s->top > s->most ? s->top : s->most;
		return;
	}
	bin_remove(s, gap);
	g = &s->ranges[gap];
	r->at = g->at;
	if (g->size == size) {
		link_between(s, item, g->below, g->above);
		discard_gap(s, gap);
		return;
	}
	g->at += size;
	g->size -= size;
	link_between(s, item, g->below, gap);
	bin_add(s, gap);
}

static void give_back(struct sweep *s, uint32_t item)
{
	const struct range *r = &s->ranges[item];
	uint32_t below = r->below, above = r->above, n;
	uint64_t at = r->at, size = r->size;

	if (below != NONE && s->ranges[below].gap) {
		n = below;
		at = s->ranges[n].at;
		size += s->ranges[n].size;
		below = s->ranges[n].below;
		bin_remove(s, n);
		discard_gap(s, n);
	}
	if (above != NONE && s->ranges[above].gap) {
		n = above;
		size += s->ranges[n].size;
		above = s->ranges[n].above;
		bin_remove(s, n);
		discard_gap(s, n);
	}
	if (above == NONE) {
		s->top = at;
		s->highest = below;
		if (below != NONE)
			s->ranges[below].above = NONE;
		return;
	}
	n = s->unused;
	s->unused = s->ranges[n].next;
	s->ranges[n].at = at;
	s->ranges[n].size = size;
	link_between(s, n, below, above);
	bin_add(s, n);
}

static struct sweep *plan_sweep_create(uint32_t count)
{
	struct sweep *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct sweep){ .unused = count, .highest = NONE };
	memset(s->bins, 0xff, sizeof(s->bins));
	/* a gap has an item above it: there are not more of them */
	s->ranges = calloc(2 * (size_t)count, sizeof(*s->ranges));
	if (!s->ranges) {
		free(s);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		s->ranges[count + i] =
			(struct range){ .gap = true, .next = i + 1 < count ? count + i + 1 : NONE };
	return s;
}

/** Of a tensor that takes room while it lives. */
static uint64_t size_of(const struct nnprog_plan_item *item)
{
	return item->life.first <= item->life.last ? plan_aligned(item->size) / NNPROG_ALIGN : 0;
}

int plan_sweep(struct plan_work *w, const struct plan_order *order, bool backward,
	       uint64_t *offsets, uint64_t *arena)
{
	struct sweep *s = plan_sweep_create(w->count);
	uint32_t ended = 0, item;
	uint64_t size;
	int ret = 0;

	if (!s)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->count && !ret; i++) {
		uint32_t begin;

		item = order->begin[i];
		size = size_of(&w->items[item]);
		begin = plan_begin(&w->items[item], backward);
		/* what ends before this begins has begun before this */
		for (; size && plan_end(&w->items[order->end[ended]], backward) < begin; ended++)
			if (size_of(&w->items[order->end[ended]]))
				give_back(s, order->end[ended]);
		if (size)
			plan_sweep_take(s, item, size);
		offsets[item] = size ? s->ranges[item].at * NNPROG_ALIGN : 0;
		ret = plan_pace(w, 16);
	}
	*arena = s->most * NNPROG_ALIGN;
	free(s->ranges);
	free(s);
	return ret;
}
