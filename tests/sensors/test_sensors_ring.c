// SPDX-License-Identifier: Apache-2.0
/*
 * Rings of records, both sides: many writers, the counters' wrap, readers that are lapped, writers
 * that meet in one place, and memory that lies.
 */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnsensors_records.h"
#include "rounds.h"
#include "test_case.h"
#include "values/nnsensors_values.h"

#define RECORD sizeof(struct nnsensors_record)

struct fixture {
	struct nnsensors_record_ring ring;
	struct nnsensors_record *memory;
	struct nnsensors_reader reader;
};

/* A ring whose first record is number @first, and a reader at its begin. */
static void make(struct fixture *f, uint32_t num_records, uint64_t first)
{
	f->memory = calloc(num_records, RECORD);
	assert_non_null(f->memory);
	memset(f->memory, 0xcc, num_records * RECORD);
	assert_int_equal(nnsensors_record_ring_init(&f->ring, f->memory, num_records * RECORD), 0);
	assert_int_equal(f->ring.num_records, num_records);
	f->ring.next = first;
	nnsensors_reader_init(&f->reader, f->memory, num_records * RECORD);
	f->reader.next = (uint32_t)(first % num_records);
	f->reader.counter = first ? nnsensors_record_counter(first - 1) : 0;
}

static void drop(struct fixture *f)
{
	nnsensors_record_ring_fini(&f->ring);
	free(f->memory);
}

/* A record that says in all its words which one it is. */
static struct nnsensors_record numbered(int32_t token, uint64_t number)
{
	struct nnsensors_record r = { .token = token, .type = 1, .timestamp = (int64_t)number };

	for (uint64_t i = 0; i < 8; i++)
		r.u.data64[i] = (number + i) * 0x9e3779b97f4a7c15;
	for (int32_t i = 0; i < 4; i++)
		r.reserved[i] = (int32_t)number + i;
	return r;
}

static void expect_numbered(const struct nnsensors_record *r)
{
	struct nnsensors_record e = numbered(r->token, (uint64_t)r->timestamp);

	e.size = RECORD;
	e.counter = r->counter;
	assert_memory_equal(r, &e, RECORD);
}

static void put(struct fixture *f, uint64_t number)
{
	const struct nnsensors_record r = numbered(1, number);

	assert_true(nnsensors_record_ring_put(&f->ring, &r));
}

static void expect_take(struct fixture *f, uint64_t number, uint64_t expected_lost)
{
	struct nnsensors_record r;
	uint64_t lost = 77;

	assert_int_equal(nnsensors_reader_take(&f->reader, &r, &lost), 1);
	assert_int_equal(lost, expected_lost);
	assert_int_equal(r.timestamp, number);
	assert_int_equal(r.counter, nnsensors_record_counter(number));
	expect_numbered(&r);
}

static void expect_none(struct fixture *f)
{
	struct nnsensors_record r;
	uint64_t lost = 77;

	assert_int_equal(nnsensors_reader_take(&f->reader, &r, &lost), 0);
	assert_int_equal(lost, 0);
}

/* ---- one writer ---- */

TEST(test_format)
{
	uint64_t memory[3 * RECORD / 8 + 5];
	struct nnsensors_record_ring ring;
	struct nnsensors_record given;
	const uint32_t *words;

	memset(memory, 0xcc, sizeof(memory));
	/* three records and a tail, all zeroed */
	assert_int_equal(nnsensors_record_ring_init(&ring, memory, sizeof(memory)), 0);
	assert_int_equal(ring.num_records, 3);
	for (size_t i = 0; i < sizeof(memory) / 8; i++)
		assert_int_equal(memory[i], 0);
	given = numbered(5, 42);
	given.size = 1;
	given.counter = 99;
	assert_true(nnsensors_record_ring_put(&ring, &given));
	words = (const uint32_t *)memory;
	assert_int_equal(words[0], 104);
	assert_int_equal(words[1], 5);
	assert_int_equal(words[2], 1);
	assert_int_equal(words[3], 1);
	assert_memory_equal(words + 4, &given.timestamp, RECORD - 16);
	for (size_t i = RECORD / 8; i < sizeof(memory) / 8; i++)
		assert_int_equal(memory[i], 0);
	nnsensors_record_ring_fini(&ring);
}

TEST(test_sizes)
{
	static uint64_t memory[RECORD / 8];
	struct nnsensors_record_ring ring;
	struct nnsensors_reader reader;
	struct nnsensors_record r;
	uint64_t lost;

	assert_int_equal(nnsensors_record_ring_init(&ring, memory, 0), -EINVAL);
	assert_int_equal(nnsensors_record_ring_init(&ring, memory, RECORD - 1), -EINVAL);
	assert_int_equal(nnsensors_record_ring_init(&ring, memory, (1ull << 31) * RECORD), -EINVAL);
	assert_int_equal(nnsensors_record_ring_init(&ring, memory, UINT64_MAX), -EINVAL);
	nnsensors_reader_init(&reader, memory, RECORD - 1);
	assert_int_equal(nnsensors_reader_take(&reader, &r, &lost), 0);
	nnsensors_reader_init(&reader, NULL, 0);
	assert_int_equal(nnsensors_reader_take(&reader, &r, &lost), 0);
	nnsensors_reader_init(&reader, memory, SIZE_MAX);
	assert_int_equal(reader.num_records, INT32_MAX);
}

TEST(test_order)
{
	static const uint32_t sizes[] = { 1, 2, 3, 7, 64 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct fixture f;
		uint64_t n = 0;

		make(&f, sizes[s], 0);
		expect_none(&f);
		for (uint64_t round = 0; round < 20; round++) {
			/* as many as there is room for, at most */
			const uint64_t count = round % sizes[s] + 1;

			for (uint64_t i = 0; i < count; i++)
				put(&f, n + i);
			for (uint64_t i = 0; i < count; i++)
				expect_take(&f, n + i, 0);
			expect_none(&f);
			n += count;
		}
		drop(&f);
	}
}

/* A reader that comes back after @written records finds the newest ones, and how many are gone. */
TEST(test_lapped)
{
	/* the last one takes as long as all else */
	static const uint32_t sizes[] = { 1, 2, 3, 5, 8, 300 };
	const size_t num_sizes = sizeof(sizes) / sizeof(sizes[0]) - short_form;

	for (size_t s = 0; s < num_sizes; s++) {
		const uint32_t num = sizes[s];

		for (uint64_t before = 0; before < 2ull * num + 2; before++) {
			for (uint64_t written = 1; written < 4ull * num + 2;
			     written += num / 16 + 1) {
				const uint64_t gone = written > num ? written - num : 0;
				struct fixture f;

				make(&f, num, 0);
				for (uint64_t i = 0; i < before; i++) {
					put(&f, i);
					expect_take(&f, i, 0);
				}
				for (uint64_t i = 0; i < written; i++)
					put(&f, before + i);
				expect_take(&f, before + gone, gone);
				for (uint64_t i = gone + 1; i < written; i++)
					expect_take(&f, before + i, 0);
				expect_none(&f);
				drop(&f);
			}
		}
	}
}

/* Counters go from 2^32 - 1 to 1, wherever in the ring that is. */
TEST(test_wrap)
{
	for (uint32_t num = 1; num < 9; num++) {
		for (uint64_t first = UINT32_MAX - 10ull; first < UINT32_MAX + 3ull; first++) {
			for (uint64_t written = 1; written < 3ull * num + 9; written++) {
				const uint64_t gone = written > num ? written - num : 0;
				struct fixture f;

				make(&f, num, first);
				for (uint64_t i = 0; i < written; i++)
					put(&f, first + i);
				expect_take(&f, first + gone, gone);
				for (uint64_t i = gone + 1; i < written; i++) {
					expect_take(&f, first + i, 0);
					assert_true(f.reader.counter != 0);
				}
				expect_none(&f);
				drop(&f);
			}
		}
	}
	assert_int_equal(nnsensors_record_counter(0), 1);
	assert_int_equal(nnsensors_record_counter(UINT32_MAX - 1ull), UINT32_MAX);
	assert_int_equal(nnsensors_record_counter(UINT32_MAX), 1);
	assert_int_equal(nnsensors_record_counter(3ull * UINT32_MAX + 4), 5);
}

/* A reader that comes late begins with the oldest record that is still there. */
TEST(test_late_reader)
{
	/* the second half: counters beyond 2^31, which is "older" than 1 */
	static const uint64_t firsts[] = { 0, 1ull << 31, 3ull << 30, UINT32_MAX - 20ull };

	for (size_t k = 0; k < 4; k++) {
		for (uint64_t written = 16; written < 64; written++) {
			const uint64_t first = firsts[k] / 16 * 16;
			const uint64_t oldest = first + written - 16;
			struct fixture f;

			make(&f, 16, first);
			for (uint64_t i = 0; i < written; i++)
				put(&f, first + i);
			nnsensors_reader_init(&f.reader, f.memory, 16 * RECORD);
			/* what the counter still tells of those that are gone */
			expect_take(&f, oldest, nnsensors_record_counter(oldest) - 1);
			for (uint64_t i = oldest + 1; i < first + written; i++)
				expect_take(&f, i, 0);
			expect_none(&f);
			drop(&f);
		}
	}
}

/* ---- many writers ---- */

struct writer {
	struct nnsensors_record_ring *ring;
	pthread_barrier_t *barrier;
	int32_t token;
	uint64_t records;
};

static void *write_records(void *cookie)
{
	const struct writer *w = cookie;

	pthread_barrier_wait(w->barrier);
	for (uint64_t i = 0; i < w->records; i++) {
		const struct nnsensors_record r = numbered(w->token, i);

		if (!nnsensors_record_ring_put(w->ring, &r))
			return (void *)1;
	}
	return NULL;
}

#define MOST_WRITERS 8

/*
 * Writers write beside each other and a reader reads beside them: whole records, each writer's in
 * order, and what is neither taken nor counted as lost does not exist.
 */
static void many_writers(uint32_t num_records, unsigned int num_writers, uint64_t each)
{
	const uint64_t total = num_writers * each;
	int64_t last[MOST_WRITERS + 1];
	struct writer w[MOST_WRITERS];
	uint64_t seen = 0, lost, taken = 0;
	pthread_t threads[MOST_WRITERS];
	pthread_barrier_t barrier;
	struct nnsensors_record r;
	struct fixture f;
	int ret;

	make(&f, num_records, 0);
	memset(last, 0xff, sizeof(last));
	assert_int_equal(pthread_barrier_init(&barrier, NULL, num_writers + 1), 0);
	for (unsigned int i = 0; i < num_writers; i++) {
		w[i] = (struct writer){ &f.ring, &barrier, (int32_t)i + 1, each };
		assert_int_equal(pthread_create(&threads[i], NULL, write_records, &w[i]), 0);
	}
	pthread_barrier_wait(&barrier);
	while (seen < total) {
		ret = nnsensors_reader_take(&f.reader, &r, &lost);
		assert_true(ret >= 0);
		if (ret == 0)
			continue;
		seen += lost + 1;
		taken++;
		assert_int_equal(r.counter, nnsensors_record_counter(seen - 1));
		assert_in_range(r.token, 1, num_writers);
		expect_numbered(&r);
		assert_true(r.timestamp > last[r.token]);
		last[r.token] = r.timestamp;
	}
	assert_int_equal(seen, total);
	for (unsigned int i = 0; i < num_writers; i++) {
		void *failed;

		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	expect_none(&f);
	/* the newest records are there, and no thread is in a place any more */
	for (uint64_t i = total > num_records ? total - num_records : 0; i < total; i++) {
		assert_int_equal(f.memory[i % num_records].counter, nnsensors_record_counter(i));
		assert_int_equal(f.ring.places[i % num_records] & 0xff, 0);
	}
	assert_int_equal(f.ring.handed_used, 0);
	assert_int_equal(f.ring.busy_lost, 0);
	pthread_barrier_destroy(&barrier);
	drop(&f);
	printf("%u writers, ring of %u: %llu of %llu taken\n", num_writers, num_records,
	       (unsigned long long)taken, (unsigned long long)total);
}

TEST(test_many_writers)
{
	many_writers(2048, 4, rounds(50000));
	many_writers(64, 3, rounds(50000));
	many_writers(9, 2, rounds(50000));
}

/* In a ring of one or two records writers meet in a place all the time. */
TEST(test_same_place)
{
	many_writers(1, 2, rounds(100000));
	many_writers(1, 8, rounds(20000));
	many_writers(2, 8, rounds(20000));
}

/* ---- a place that is busy ---- */

#define BUSY 1u
#define HANDED 2u

TEST(test_busy_place)
{
	struct nnsensors_record r;
	struct fixture f;

	make(&f, 4, 0);
	for (uint64_t i = 0; i < 4; i++)
		put(&f, i);
	/* a writer of the first lap is in place 0 */
	f.ring.places[0] |= BUSY;
	put(&f, 4);
	assert_int_equal(f.ring.places[0], 2u << 8 | HANDED);
	assert_int_equal(f.ring.handed_used, 1);
	assert_int_equal(f.memory[0].counter, 1);
	for (uint64_t i = 5; i < 8; i++)
		put(&f, i);
	/* and stays: the next lap's record is what it will write */
	put(&f, 8);
	assert_int_equal(f.ring.places[0], 3u << 8 | (HANDED + 1));
	assert_int_equal(f.ring.handed_used, 2);
	assert_int_equal(f.memory[0].counter, 1);
	for (uint64_t i = 9; i < 12; i++)
		put(&f, i);
	/* nothing is free to hand a record over */
	f.ring.handed_used = UINT32_MAX;
	r = numbered(1, 12);
	assert_false(nnsensors_record_ring_put(&f.ring, &r));
	assert_int_equal(f.ring.busy_lost, 1);
	/* the place that was left out: its record is counted when the writers are a lap ahead */
	f.ring.places[0] = 0;
	for (uint64_t i = 13; i < 19; i++)
		put(&f, i);
	expect_take(&f, 15, 15);
	expect_take(&f, 16, 0);
	drop(&f);
}

/* A writer that was away for a lap leaves the newer record alone. */
TEST(test_late_writer)
{
	struct fixture f;

	make(&f, 4, 0);
	for (uint64_t i = 0; i < 9; i++)
		put(&f, i);
	f.ring.next = 4;
	put(&f, 4);
	assert_int_equal(f.memory[0].counter, 9);
	assert_int_equal(f.memory[0].timestamp, 8);
	assert_int_equal(f.ring.busy_lost, 0);
	drop(&f);
}

/* A record that is being written holds up the reader; those behind it come after it. */
TEST(test_being_written)
{
	struct fixture f;

	make(&f, 8, 0);
	for (uint64_t i = 0; i < 4; i++)
		put(&f, i);
	f.memory[1].counter = 0;
	expect_take(&f, 0, 0);
	expect_none(&f);
	expect_none(&f);
	f.memory[1].counter = 2;
	for (uint64_t i = 1; i < 4; i++)
		expect_take(&f, i, 0);
	/* a lap later: the reader sees that it is overtaken by the place before */
	for (uint64_t i = 4; i < 14; i++)
		put(&f, i);
	f.memory[4].counter = 0;
	f.memory[5].counter = 0;
	expect_take(&f, 6, 2);
	drop(&f);
}

/* ---- memory that lies ---- */

TEST(test_wrong_size)
{
	static const int32_t sizes[] = { 0, -1, 103, 105, 208, INT32_MIN };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct nnsensors_record r;
		struct fixture f;
		uint64_t lost;

		make(&f, 4, 0);
		put(&f, 0);
		put(&f, 1);
		f.memory[1].size = sizes[i];
		expect_take(&f, 0, 0);
		assert_int_equal(nnsensors_reader_take(&f.reader, &r, &lost), -EPROTO);
		assert_int_equal(nnsensors_reader_take(&f.reader, &r, &lost), -EPROTO);
		drop(&f);
	}
}

static uint32_t random_u32(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*seed >> 33) ^ (uint32_t)(*seed >> 13);
}

/* Whatever counters the memory has: each take ends, in the ring, and goes on from a place in it. */
TEST(test_hostile_reader)
{
	static const uint32_t likely[] = { 0, 1, 2, UINT32_MAX, UINT32_MAX - 1, 1u << 31 };
	uint64_t seed = 1;

	for (uint32_t num = 1; num < 40; num++) {
		struct fixture f;

		make(&f, num, 0);
		for (unsigned int round = 0; round < rounds(3000); round++) {
			const uint32_t i = random_u32(&seed) % num, kind = random_u32(&seed) % 8;
			struct nnsensors_record r;
			uint64_t lost;
			int ret;

			f.memory[i].counter = kind < 6 ? likely[kind] : random_u32(&seed);
			f.memory[i].size = kind == 7 ? (int32_t)random_u32(&seed) : 104;
			if (round % 5 == 0)
				f.reader.counter = random_u32(&seed);
			ret = nnsensors_reader_take(&f.reader, &r, &lost);
			assert_in_range(f.reader.next, 0, num - 1);
			assert_true(lost <= UINT32_MAX);
			if (ret == 1) {
				assert_int_equal(r.size, 104);
				assert_int_equal(r.counter, f.reader.counter);
			} else {
				assert_true(ret == 0 || ret == -EPROTO);
			}
		}
		drop(&f);
	}
}

/* The writer's way is its own: the same records come, whatever is written to the memory. */
TEST(test_hostile_writer)
{
	uint64_t seed = 7;
	struct fixture f;

	make(&f, 5, 0);
	for (uint64_t i = 0; i < 5000; i++) {
		uint32_t *words = (uint32_t *)f.memory;

		for (unsigned int k = 0; k < 20; k++)
			words[random_u32(&seed) % (5 * RECORD / 4)] = random_u32(&seed);
		put(&f, i);
		assert_int_equal(f.memory[i % 5].counter, i + 1);
		expect_numbered(&f.memory[i % 5]);
	}
	drop(&f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),	       cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_order),	       cmocka_unit_test(test_lapped),
		cmocka_unit_test(test_wrap),	       cmocka_unit_test(test_late_reader),
		cmocka_unit_test(test_many_writers),   cmocka_unit_test(test_same_place),
		cmocka_unit_test(test_busy_place),     cmocka_unit_test(test_late_writer),
		cmocka_unit_test(test_being_written),  cmocka_unit_test(test_wrong_size),
		cmocka_unit_test(test_hostile_reader), cmocka_unit_test(test_hostile_writer),
	};

	rounds_init(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
