// SPDX-License-Identifier: Apache-2.0
/* libnnprog: the memory planner and the verifier of its result, against their definitions. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "nnprog_verify.h"
#include "plan.h"
#include "test_case.h"
#include "verify.h"

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33);
}

TEST(test_plan)
{
	uint64_t seed = 1, sum = 0, used = 0;

	for (int round = 0; round < 200; round++) {
		struct nnprog_plan_item items[60];
		size_t count = next_random(&seed) % 60;
		uint64_t arena, total = 0;

		for (size_t i = 0; i < count; i++) {
			uint32_t first = next_random(&seed) % 40;

			items[i].life.first = first;
			items[i].life.last = first + next_random(&seed) % 5;
			items[i].size = next_random(&seed) % 5000;
			total += (items[i].size + 63) / 64 * 64;
		}
		assert_int_equal(nnprog_plan(items, count, &arena), 0);
		assert_true(arena <= total);
		sum += total;
		used += arena;
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(items[i].offset % 64, 0);
			assert_true(items[i].offset + items[i].size <= arena);
			for (size_t n = 0; n < i; n++)
				if (items[i].life.first <= items[n].life.last &&
				    items[n].life.first <= items[i].life.last && items[i].size &&
				    items[n].size)
					assert_true(items[i].offset + items[i].size <=
							    items[n].offset ||
						    items[n].offset + items[n].size <=
							    items[i].offset);
		}
	}
	/* short lives among forty: sharing must be worth it */
	assert_true(used < sum / 3);
}

/*
 * The definition: greedy by size, each at the lowest offset that is free while it lives. Quadratic.
 */
static uint64_t plan_by_definition(struct nnprog_plan_item *items, size_t count)
{
	uint64_t arena = 0;
	bool *placed = calloc(count + 1, sizeof(*placed));

	assert_non_null(placed);
	for (size_t round = 0; round < count; round++) {
		size_t best = count, moved;
		uint64_t end;

		for (size_t i = 0; i < count; i++)
			if (!placed[i] && (best == count || items[i].size > items[best].size))
				best = i;
		items[best].offset = 0;
		do {
			moved = 0;
			for (size_t i = 0; i < count; i++) {
				if (!placed[i] || items[i].life.first > items[best].life.last ||
				    items[best].life.first > items[i].life.last ||
				    items[i].offset >= items[best].offset + items[best].size ||
				    items[i].offset + items[i].size <= items[best].offset)
					continue;
				items[best].offset =
					(items[i].offset + items[i].size + 63) / 64 * 64;
				moved++;
			}
		} while (moved);
		placed[best] = true;
		end = (items[best].offset + items[best].size + 63) / 64 * 64;
		arena = end > arena ? end : arena;
	}
	free(placed);
	return arena;
}

/* Most bytes that live together. */
static uint64_t least_arena(const struct nnprog_plan_item *items, size_t count)
{
	uint64_t least = 0, live = 0;
	uint32_t last = 0;
	uint64_t *change;

	for (size_t i = 0; i < count; i++)
		last = items[i].life.last > last ? items[i].life.last : last;
	change = calloc((size_t)last + 2, sizeof(*change));
	assert_non_null(change);
	for (size_t i = 0; i < count; i++) {
		uint64_t size = (items[i].size + 63) / 64 * 64;

		change[items[i].life.first] += size;
		change[items[i].life.last + 1] -= size;
	}
	for (size_t i = 0; i <= last; i++) {
		live += change[i];
		least = live > least ? live : least;
	}
	free(change);
	return least;
}

static void check_plan(const struct nnprog_plan_item *items, size_t count, uint64_t arena);

/*
 * As tight as the definition, item by item, or tighter; the last rounds are too much for the tree.
 */
TEST(test_plan_is_the_same)
{
	uint64_t seed = 11;
	int tighter = 0;

	for (int round = 0; round < 302; round++) {
		static struct nnprog_plan_item items[900], want[900];
		size_t count = round < 300 ? 1 + next_random(&seed) % 120 : 900;
		uint32_t longest = round < 300 ? 1 + next_random(&seed) % 60 : 60;
		uint64_t arena, defined;

		for (size_t i = 0; i < count; i++) {
			uint32_t first = next_random(&seed) % 60;

			items[i] = (struct nnprog_plan_item){
				.life = { first, first + next_random(&seed) % longest },
				.size = next_random(&seed) % 4 * 1000 + 1
			};
			want[i] = items[i];
		}
		assert_int_equal(nnprog_plan(items, count, &arena), 0);
		defined = plan_by_definition(want, count);
		assert_true(arena <= defined && arena >= least_arena(items, count));
		check_plan(items, count, arena);
		tighter += arena < defined;
		for (size_t i = 0; i < count && arena == defined; i++)
			assert_int_equal(items[i].offset, want[i].offset);
	}
	assert_true(tighter > 20 && tighter < 280);
}

/*
 * Two tensors that live at the same time must not overlap: a sweep over operations, with the live
 * ones sorted by offset.
 */
static void check_plan(const struct nnprog_plan_item *items, size_t count, uint64_t arena)
{
	for (size_t i = 0; i < count; i++)
		assert_true(items[i].offset % 64 == 0 && items[i].offset + items[i].size <= arena);
	/* some hundred of them against all */
	for (size_t i = 0; i < count; i += count / 300 + 1)
		for (size_t n = 0; n < count; n++)
			if (n != i && items[i].life.first <= items[n].life.last &&
			    items[n].life.first <= items[i].life.last)
				assert_true(items[i].offset + items[i].size <= items[n].offset ||
					    items[n].offset + items[n].size <= items[i].offset);
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* A chain; everything at once; short lives beside long ones; lives of any length. */
static struct nnprog_life life_of(int shape, size_t i, size_t count, uint64_t *seed)
{
	uint32_t n = (uint32_t)i, all = (uint32_t)count - 1,
		 other = next_random(seed) % (uint32_t)count;

	switch (shape) {
	case 0:
		return (struct nnprog_life){ n, n + 1 };
	case 1:
		return (struct nnprog_life){ 0, all };
	case 2:
		return n % 8 ? (struct nnprog_life){ n, n + 1 } : (struct nnprog_life){ n, all };
	default:
		return n < other ? (struct nnprog_life){ n, other }
				 : (struct nnprog_life){ other, n };
	}
}

/* Ten times the temporaries take ten times the time, not a hundred times, however they live. */
TEST(test_plan_of_many)
{
	static const size_t counts[2] = { 10000, 100000 };
	static const char *const names[] = { "chain", "all at once", "short and long", "any" };

	for (int shape = 0; shape < 4; shape++) {
		int64_t took[2] = { 0 };

		for (int k = 0; k < 2; k++) {
			struct nnprog_plan_item *items = calloc(counts[k], sizeof(*items));
			uint64_t arena, seed = 3;

			assert_non_null(items);
			for (size_t i = 0; i < counts[k]; i++) {
				items[i].life = life_of(shape, i, counts[k], &seed);
				items[i].size = 64 * (1 + next_random(&seed) % 100);
			}
			took[k] = -cpu_ns();
			assert_int_equal(nnprog_plan(items, counts[k], &arena), 0);
			took[k] += cpu_ns();
			check_plan(items, counts[k], arena);
			/* every second one of a chain has the place of the one before the last */
			if (!shape)
				assert_true(arena <= 64 * 300);
			else
				assert_true(arena <= least_arena(items, counts[k]) * 102 / 100);
			free(items);
		}
		print_message("%s: %zu in %lld us, %zu in %lld us\n", names[shape], counts[0],
			      (long long)took[0] / 1000, counts[1], (long long)took[1] / 1000);
		assert_true(took[1] < 40 * took[0] + 50000000);
	}
}

struct patience {
	uint32_t calls, until;
};

static bool out_of_patience(void *cookie)
{
	struct patience *p = cookie;

	return ++p->calls > p->until;
}

/* A plan can be given up in each of its parts, and asks often enough. */
TEST(test_plan_is_given_up)
{
	static const size_t counts[] = { 3000, 100000 };

	for (int shape = 0; shape < 8; shape++) {
		size_t count = counts[shape < 4 ? 0 : 1];
		struct nnprog_plan_item *items = calloc(count, sizeof(*items));
		struct patience all = { 0, UINT32_MAX };
		uint64_t arena, seed = 5;

		assert_non_null(items);
		for (size_t i = 0; i < count; i++) {
			items[i].life = life_of(shape % 4, i, count, &seed);
			items[i].size = 64 * (1 + next_random(&seed) % 100);
		}
		assert_int_equal(nnprog_plan_until(items, count, &arena, out_of_patience, &all), 0);
		/* of the order of a call each millisecond */
		assert_true(all.calls >= count / 5000);
		for (uint32_t n = 0; n < all.calls; n += all.calls / 6 + 1) {
			struct patience p = { 0, n };

			assert_int_equal(nnprog_plan_until(items, count, &arena, out_of_patience,
							   &p),
					 -ETIME);
			assert_int_equal(p.calls, n + 1);
		}
		free(items);
	}
	assert_int_equal(nnprog_plan_until(NULL, 0, &(uint64_t){ 1 }, out_of_patience,
					   &(struct patience){ 0, 0 }),
			 -ETIME);
}

/* Nothing, no bytes, and too much. */
TEST(test_plan_of_extremes)
{
	struct nnprog_plan_item items[3] = { { .life = { 0, 1 }, .size = 0, .offset = 1 },
					     { .life = { 1, 1 }, .size = 100, .offset = 1 },
					     { .life = { UINT32_MAX, 0 }, .size = 10 } };
	static struct nnprog_plan_item many[1000];
	uint64_t arena = 1;

	assert_int_equal(nnprog_plan(NULL, 0, &arena), 0);
	assert_int_equal(arena, 0);
	assert_int_equal(nnprog_plan(items, 3, &arena), 0);
	assert_int_equal(arena, 128);
	assert_int_equal(items[0].offset + items[1].offset + items[2].offset, 0);
	items[0].size = NNPROG_MAX_TENSOR_SIZE + 1;
	assert_int_equal(nnprog_plan(items, 3, &arena), -EOVERFLOW);
	/* the last operation there can be, the largest arena */
	for (size_t i = 0; i < 1000; i++)
		many[i] = (struct nnprog_plan_item){ .life = { UINT32_MAX - 1, UINT32_MAX - 1 },
						     .size = 1ull << 30 };
	assert_int_equal(nnprog_plan(many, 1000, &arena), 0);
	assert_int_equal(arena, 1000ull << 30);
	check_plan(many, 1000, arena);
	for (size_t i = 0; i < 1000; i++)
		many[i].size = NNPROG_MAX_TENSOR_SIZE;
	assert_int_equal(nnprog_plan(many, 1000, &arena), -EOVERFLOW);
}

/* The sweep of the verifier against a comparison of all pairs. */
TEST(test_arena_sweep)
{
	uint64_t seed = 7;
	int good = 0, bad = 0;

	for (int round = 0; round < 3000; round++) {
		struct nnprog_tensor t[130];
		struct nnprog_life life[130];
		struct nnprog_subgraph sg = { .arena_size = 1 << 20 };
		struct nnprog_header h = { .magic = 0 };
		struct nnprog prog = {
			.header = &h, .subgraphs = &sg, .tensors = t, .num_subgraphs = 1
		};
		struct nnprog_error err;
		uint32_t spread = round % 2 ? 4096 : 64;
		bool overlap = false;

		memset(t, 0, sizeof(t));
		sg.num_tensors = 1 + next_random(&seed) % (round % 3 ? 12 : 130);
		for (uint32_t i = 0; i < sg.num_tensors; i++) {
			t[i].kind = NNPROG_TEMP;
			t[i].offset = (uint64_t)(next_random(&seed) % spread) * 64;
			t[i].size = next_random(&seed) % 300;
			life[i].first = next_random(&seed) % 60;
			life[i].last = life[i].first + next_random(&seed) % 4;
			for (uint32_t n = 0; n < i; n++)
				overlap |= t[i].size && t[n].size &&
					   life[i].first <= life[n].last &&
					   life[n].first <= life[i].last &&
					   t[i].offset < t[n].offset + t[n].size &&
					   t[n].offset < t[i].offset + t[i].size;
		}
		if (nnprog_verify_arena(&prog, 0, life, &err) != (overlap ? -EINVAL : 0))
			fail_msg("round %d: overlap is %d", round, overlap);
		good += !overlap;
		bad += overlap;
	}
	assert_true(good > 300 && bad > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_plan_is_the_same),
		cmocka_unit_test(test_plan_of_many),
		cmocka_unit_test(test_plan_is_given_up),
		cmocka_unit_test(test_plan_of_extremes),
		cmocka_unit_test(test_arena_sweep),
	};

	return cmocka_run_group_tests_name("nnprog_plan", tests, NULL, NULL);
}
