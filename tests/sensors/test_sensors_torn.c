// SPDX-License-Identifier: Apache-2.0
/*
 * sensors-torn [--records N] [--ring RECORDS] [--writers N]: a reader checks N records while
 * writers overtake it again and again. A record whose words are not all of one write is torn; there
 * is none. Prints TAP, and rates.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnsensors_records.h"
#include "nnutil_clock.h"
#include "nnutil_text.h"
#include "values/nnsensors_values.h"

#define WRITERS_MAX 16u
#define MULTIPLIER 0x9e3779b97f4a7c15ull

struct torn_test {
	struct nnsensors_record_ring ring;
	struct nnsensors_reader reader;
	void *memory;
	uint64_t records, ring_records, num_writers;
	/* what came of it */
	uint64_t taken, lost, torn, disorder;
	int error;
};

struct torn_writer {
	struct torn_test *test;
	int32_t token;
};

static atomic_bool stop;

/* Every word follows from token and number, so a word of another record shows. */
static void fill(struct nnsensors_record *r, int32_t token, uint64_t number)
{
	const uint64_t seed = (number << 8 | (uint32_t)token) * MULTIPLIER;

	r->token = token;
	r->type = (int32_t)(uint32_t)(seed >> 40);
	r->timestamp = (int64_t)number;
	for (unsigned int i = 0; i < 8; i++)
		r->u.data64[i] = seed + i * MULTIPLIER;
	for (unsigned int i = 0; i < 4; i++)
		r->reserved[i] = (int32_t)(uint32_t)(seed >> i);
}

static void *write_records(void *cookie)
{
	const struct torn_writer *w = cookie;
	struct nnsensors_record r;

	for (uint64_t number = 0; !atomic_load_explicit(&stop, memory_order_relaxed); number++) {
		fill(&r, w->token, number);
		nnsensors_record_ring_put(&w->test->ring, &r);
	}
	return NULL;
}

static void check(struct torn_test *t, const struct nnsensors_record *r, int64_t *newest)
{
	struct nnsensors_record expected = { .size = sizeof(expected), .counter = r->counter };

	if (r->token < 1 || (uint64_t)r->token > t->num_writers) {
		t->torn++;
		return;
	}
	fill(&expected, r->token, (uint64_t)r->timestamp);
	if (memcmp(&expected, r, sizeof(expected)) != 0)
		t->torn++;
	else if (r->timestamp <= newest[r->token])
		t->disorder++;
	else
		newest[r->token] = r->timestamp;
}

static void read_records(struct torn_test *t)
{
	int64_t newest[WRITERS_MAX + 1];
	struct nnsensors_record r;
	uint64_t lost;
	int ret;

	memset(newest, 0xff, sizeof(newest));
	while (t->taken < t->records) {
		ret = nnsensors_reader_take(&t->reader, &r, &lost);
		if (ret < 0) {
			t->error = ret;
			return;
		}
		if (ret == 0)
			continue;
		t->taken++;
		t->lost += lost;
		check(t, &r, newest);
	}
}

/* The writers have ended: all that they wrote is taken or counted. */
static bool count_is_exact(struct torn_test *t)
{
	struct nnsensors_record r;
	uint64_t lost, seen = t->taken + t->lost;

	while (nnsensors_reader_take(&t->reader, &r, &lost) == 1)
		seen += 1 + lost;
	printf("# written %llu, seen %llu\n", (unsigned long long)t->ring.next,
	       (unsigned long long)seen);
	return seen == t->ring.next;
}

static int start(struct torn_test *t, struct torn_writer *writers, pthread_t *threads)
{
	const uint64_t size = t->ring_records * sizeof(struct nnsensors_record);
	int ret;

	t->memory = malloc(size);
	if (!t->memory)
		return -ENOMEM;
	ret = nnsensors_record_ring_init(&t->ring, t->memory, size);
	if (ret)
		return ret;
	nnsensors_reader_init(&t->reader, t->memory, size);
	for (uint64_t i = 0; i < t->num_writers && !ret; i++) {
		writers[i] = (struct torn_writer){ t, (int32_t)i + 1 };
		ret = -pthread_create(&threads[i], NULL, write_records, &writers[i]);
	}
	return ret;
}

static int options(struct torn_test *t, int argc, char **argv)
{
	const struct {
		const char *name;
		uint64_t *value, max;
	} known[] = { { "--records", &t->records, UINT64_MAX },
		      { "--ring", &t->ring_records, 1 << 20 },
		      { "--writers", &t->num_writers, WRITERS_MAX } };

	for (int i = 1; i < argc; i += 2) {
		size_t k = 0;

		while (k < 3 && strcmp(argv[i], known[k].name) != 0)
			k++;
		if (k == 3 || i + 1 == argc ||
		    nnutil_parse_u64(argv[i + 1], 10, 1, known[k].max, known[k].value))
			return -EINVAL;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct torn_test test = { .records = 1000000, .ring_records = 64, .num_writers = 2 };
	struct torn_writer writers[WRITERS_MAX];
	pthread_t threads[WRITERS_MAX];
	int64_t began_ns, ns;
	double seconds;
	bool exact;

	if (options(&test, argc, argv)) {
		fprintf(stderr, "usage: %s [--records N] [--ring RECORDS] [--writers N]\n",
			argv[0]);
		return 2;
	}
	began_ns = nnutil_monotonic_ns();
	if (start(&test, writers, threads)) {
		printf("Bail out! no memory or threads\n");
		return 1;
	}
	read_records(&test);
	ns = nnutil_monotonic_ns() - began_ns;
	atomic_store(&stop, true);
	for (uint64_t i = 0; i < test.num_writers; i++)
		pthread_join(threads[i], NULL);
	seconds = (double)ns / (double)NNUTIL_NS_PER_S;
	printf("# %llu records checked in %.1f s (%.2f million/s), %llu lost, ring of %llu\n"
	       "# %llu writers: %.2f million records/s in all\n",
	       (unsigned long long)test.taken, seconds, (double)test.taken / seconds / 1e6,
	       (unsigned long long)test.lost, (unsigned long long)test.ring_records,
	       (unsigned long long)test.num_writers, (double)test.ring.next / seconds / 1e6);
	exact = count_is_exact(&test);
	printf("1..4\n%s 1 torn records: %llu\n%s 2 out of order: %llu\n%s 3 lost counts exact\n"
	       "%s 4 all were checked\n",
	       test.torn ? "not ok" : "ok", (unsigned long long)test.torn,
	       test.disorder ? "not ok" : "ok", (unsigned long long)test.disorder,
	       exact ? "ok" : "not ok",
	       test.taken == test.records && !test.error ? "ok" : "not ok");
	nnsensors_record_ring_fini(&test.ring);
	free(test.memory);
	return test.torn || test.disorder || !exact || test.error;
}
