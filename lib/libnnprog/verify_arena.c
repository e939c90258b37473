// SPDX-License-Identifier: Apache-2.0
/*
 * Last stage of verification: the arena. Operations are walked in order with the set of planned
 * tensors that live, ordered by address. As long as the set has no overlap, a new tensor can only
 * overlap its two neighbours in it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_verify.h"
#include "plan.h"
#include "verify.h"

/* Sorting of a program's tables, which may have millions of entries, with ticks in between. */

/** Entries that are sorted, or merged, between two looks at the pace. */
#define RUN 2048u

typedef int compare_fn(const void *a, const void *b);

/** Merge [a, a + n) and [b, b + m), which follow each other, to @to. */
static int merge(const struct nnprog *prog, const char *a, size_t n, const char *b, size_t m,
		 char *to, size_t size, compare_fn *compare)
{
	int ret;

	for (size_t since = 0; n && m; to += size) {
		bool second = compare(b, a) < 0;

		memcpy(to, second ? b : a, size);
		if (second) {
			b += size;
			m--;
		} else {
			a += size;
			n--;
		}
		if (++since == RUN) {
			ret = nnprog_pace(prog, since);
			if (ret)
				return ret;
			since = 0;
		}
	}
	for (const char *rest = n ? a : b; n || m;) {
		size_t count = n ? n : m;

		count = count < 16 * RUN ? count : 16 * RUN;
		memcpy(to, rest, count * size);
		to += count * size;
		rest += count * size;
		if (n)
			n -= count;
		else
			m -= count;
		ret = nnprog_pace(prog, RUN);
		if (ret)
			return ret;
	}
	return 0;
}

/* qsort() at that pace. 0, -ENOMEM, or what nnprog_pace() says. */
static int paced_sort(const struct nnprog *prog, void *table, size_t count, size_t size,
		      compare_fn *compare)
{
	char *from = table, *to, *spare;
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i += RUN) {
		qsort(from + i * size, count - i < RUN ? count - i : RUN, size, compare);
		ret = nnprog_pace(prog, 4 * RUN);
	}
	if (count <= RUN || ret)
		return ret;
	spare = malloc(count * size);
	if (!spare)
		return -ENOMEM;
	to = spare;
	for (size_t run = RUN; run < count && !ret; run *= 2) {
		char *swap = from;

		for (size_t i = 0; i < count && !ret; i += 2 * run) {
			size_t n = count - i < run ? count - i : run;
			size_t m = count - i - n < run ? count - i - n : run;

			ret = merge(prog, from + i * size, n, from + (i + n) * size, m,
				    to + i * size, size, compare);
		}
		from = to;
		to = swap;
	}
	for (size_t i = 0; i < count && from != table && !ret; i += 16 * RUN) {
		size_t n = count - i < 16 * RUN ? count - i : 16 * RUN;

		memcpy((char *)table + i * size, from + i * size, n * size);
		ret = nnprog_pace(prog, RUN);
	}
	free(spare);
	return ret;
}

/** A set of numbers below a bound: bit trees of 64 branches. */
#define LEVELS 6u
struct set {
	uint64_t *level[LEVELS]; /* [0] has a bit a number; a bit above says that a word is not 0 */
	uint64_t *words;
};

static int set_create(struct set *set, uint32_t bound)
{
	size_t count[LEVELS], total = 0, n = bound;

	for (unsigned int l = 0; l < LEVELS; l++) {
		n = n / 64 + 1;
		count[l] = n;
		total += n;
	}
	set->words = calloc(total, sizeof(uint64_t));
	if (!set->words)
		return -ENOMEM;
	set->level[0] = set->words;
	for (unsigned int l = 1; l < LEVELS; l++)
		set->level[l] = set->level[l - 1] + count[l - 1];
	return 0;
}

static void set_add(struct set *set, uint32_t n)
{
	for (unsigned int l = 0; l < LEVELS; l++, n /= 64)
		set->level[l][n / 64] |= 1ull << n % 64;
}

static void set_remove(struct set *set, uint32_t n)
{
	for (unsigned int l = 0; l < LEVELS; l++, n /= 64) {
		set->level[l][n / 64] &= ~(1ull << n % 64);
		if (set->level[l][n / 64])
			break;
	}
}

/** Greatest member below @n, or NNPROG_NONE. */
static uint32_t set_below(const struct set *set, uint32_t n)
{
	for (unsigned int l = 0; l < LEVELS; l++, n /= 64) {
		uint64_t word = set->level[l][n / 64] & ((1ull << n % 64) - 1);

		if (!word)
			continue;
		n = n / 64 * 64 + 63 - (uint32_t)__builtin_clzll(word);
		while (l--)
			n = n * 64 + 63 - (uint32_t)__builtin_clzll(set->level[l][n]);
		return n;
	}
	return NNPROG_NONE;
}

/** Smallest member above @n, or NNPROG_NONE. */
static uint32_t set_above(const struct set *set, uint32_t n)
{
	for (unsigned int l = 0; l < LEVELS; l++, n /= 64) {
		uint64_t word = set->level[l][n / 64] & ~(UINT64_MAX >> (63 - n % 64));

		if (!word)
			continue;
		n = n / 64 * 64 + (uint32_t)__builtin_ctzll(word);
		while (l--)
			n = n * 64 + (uint32_t)__builtin_ctzll(set->level[l][n]);
		return n;
	}
	return NNPROG_NONE;
}

/**
 * A planned tensor; its number in the table, which is sorted by offset, is its number in the set.
 */
struct placed {
	uint64_t offset, end;
	uint32_t tensor;
};

/** A tensor begins to live or has ended; ends come before begins of the operation after. */
struct event {
	uint32_t operation; /* of begins; of ends the one after the last */
	uint32_t begin;
	uint32_t placed;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

static int compare_event(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->operation != y->operation)
		return x->operation < y->operation ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->placed < y->placed ? -1 : x->placed > y->placed;
}

static int walk(const struct nnprog *prog, uint32_t subgraph, const struct placed *placed,
		const struct event *events, uint32_t num_events, struct set *set,
		struct nnprog_error *err)
{
	const struct nnprog_tensor *t = prog->tensors + prog->subgraphs[subgraph].first_tensor;

	for (uint32_t i = 0; i < num_events; i++) {
		uint32_t n = events[i].placed, other;
		int ret = nnprog_pace(prog, 2);

		if (ret)
			return ret;
		if (!events[i].begin) {
			set_remove(set, n);
			continue;
		}
		other = set_below(set, n);
		if (other == NNPROG_NONE || placed[other].end <= placed[n].offset) {
			other = set_above(set, n);
			if (other == NNPROG_NONE || placed[n].end <= placed[other].offset) {
				set_add(set, n);
				continue;
			}
		}
		return nnprog_refuse_at(err, nnprog_offset(prog, &t[placed[n].tensor]), subgraph,
					events[i].operation,
					"tensors %u and %u share bytes of the arena",
					placed[n].tensor, placed[other].tensor);
	}
	return 0;
}

int nnprog_verify_arena(const struct nnprog *prog, uint32_t subgraph,
			const struct nnprog_life *life, struct nnprog_error *err)
{
	const struct nnprog_subgraph *sg = &prog->subgraphs[subgraph];
	const struct nnprog_tensor *t = prog->tensors + sg->first_tensor;
	struct set set = { .words = NULL };
	struct placed *placed = NULL;
	struct event *events = NULL;
	uint32_t count = 0, n = 0;
	int ret = -ENOMEM;

	for (uint32_t i = 0; i < sg->num_tensors; i++) {
		count += t[i].kind == NNPROG_TEMP && t[i].offset != NNPROG_NO_OFFSET && t[i].size;
		ret = nnprog_pace(prog, 1);
		if (ret)
			return ret;
	}
	ret = -ENOMEM;
	if (!count)
		return 0;
	placed = malloc(count * sizeof(*placed));
	events = malloc(2 * (size_t)count * sizeof(*events));
	if (!placed || !events || set_create(&set, count))
		goto out;
	for (uint32_t i = 0; i < sg->num_tensors; i++) {
		if (t[i].kind == NNPROG_TEMP && t[i].offset != NNPROG_NO_OFFSET && t[i].size)
			placed[n++] = (struct placed){ t[i].offset, t[i].offset + t[i].size, i };
		ret = nnprog_pace(prog, 1);
		if (ret)
			goto out;
	}
	ret = paced_sort(prog, placed, count, sizeof(*placed), compare_placed);
	for (n = 0; n < count && !ret; n++) {
		const struct nnprog_life *l = &life[placed[n].tensor];

		events[2 * n] = (struct event){ l->first, 1, n };
		events[2 * n + 1] = (struct event){ l->last + 1, 0, n };
		ret = nnprog_pace(prog, 1);
	}
	if (!ret)
		ret = paced_sort(prog, events, 2 * (size_t)count, sizeof(*events), compare_event);
	if (!ret)
		ret = walk(prog, subgraph, placed, events, 2 * count, &set, err);
out:
	if (ret == -ENOMEM)
		nnprog_refuse_at(err, 0, subgraph, NNPROG_NONE, "out of memory");
	free(set.words);
	free(events);
	free(placed);
	return ret;
}
