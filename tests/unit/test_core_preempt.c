// SPDX-License-Identifier: Apache-2.0
/*
 * Clients beside an operation of many seconds: they run, it can be aborted, and closing a queue or
 * context ends a job that waits inside an operation. Engine times add up to at most the elapsed
 * time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core_programs.h"
#include "fake_platform.h"
#include "test_case.h"

#ifdef __SANITIZE_THREAD__
#define M 256u /* every product costs ten times as much */
#else
#define M 2048u
#endif
#define N 2048u
#define K 1024u /* 4 G products: seconds */
#define SMALL 64u
#define QUEUES 8u

struct bench {
	struct fake fake;
	struct core_program matmul, adds;
	int32_t *x, *y, *out[QUEUES];
	float in[SMALL], sum[QUEUES][SMALL];
	uint64_t seqno[QUEUES];
	uint64_t start_ns;
	uint32_t engines;
	/* the platform's notifications */
	_Atomic uint32_t on, most_on, turns[QUEUES], began[QUEUES];
	_Atomic bool is_on[QUEUES], runs_long[QUEUES], wrong;
	_Atomic uint32_t ticks; /* of long jobs */
	_Atomic uint32_t ticks_at_turn[QUEUES]; /* when a job of that queue last got an engine */
	_Atomic uint32_t hold_queue; /* its progress does not return */
	_Atomic bool held;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void on_turn(struct fake *fake, uint32_t queue, uint64_t seqno, bool on)
{
	struct bench *b = fake->hook;
	uint32_t count;

	(void)seqno;
	if (atomic_exchange(&b->is_on[queue], on) == on)
		atomic_store(&b->wrong, true);
	if (!on) {
		atomic_fetch_sub(&b->on, 1);
		return;
	}
	atomic_store(&b->ticks_at_turn[queue], atomic_load(&b->ticks));
	atomic_fetch_add(&b->turns[queue], 1);
	count = atomic_fetch_add(&b->on, 1) + 1;
	if (count > b->engines)
		atomic_store(&b->wrong, true);
	if (count > atomic_load(&b->most_on))
		atomic_store(&b->most_on, count);
}

static void on_progress(struct fake *fake, uint32_t queue, uint64_t progress, uint64_t seqno)
{
	struct bench *b = fake->hook;

	(void)progress;
	(void)seqno;
	if (!atomic_load(&b->is_on[queue]))
		atomic_store(&b->wrong, true);
	atomic_fetch_add(&b->began[queue], 1);
	if (b->runs_long[queue])
		atomic_fetch_add(&b->ticks, 1);
	while (atomic_load(&b->hold_queue) == queue) {
		atomic_store(&b->held, true);
		usleep(1000);
	}
}

static struct bench *bench(uint32_t threads, uint32_t flags)
{
	struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION,
				      .threads = threads,
				      .flags = flags };
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->engines = threads;
	atomic_store(&b->hold_queue, ~0u);
	b->fake.hook = b;
	b->fake.on_turn = on_turn;
	b->fake.on_progress = on_progress;
	b->matmul = program_matmul(M, N, K);
	b->adds = program_adds(SMALL, 3);
	b->x = calloc(M * K, sizeof(*b->x));
	b->y = calloc(K * N, sizeof(*b->y));
	fake_start(&b->fake, &config);
	b->start_ns = now_ns();
	for (uint32_t q = 0; q < QUEUES; q++) {
		b->out[q] = calloc(M * N, sizeof(**b->out));
		assert_int_equal(nnfw_context_open(b->fake.fw, q), 0);
		fake_allow(&b->fake, q, b->x, M * K * sizeof(*b->x), false);
		fake_allow(&b->fake, q, b->y, K * N * sizeof(*b->y), false);
		fake_allow(&b->fake, q, b->out[q], M * N * sizeof(**b->out), true);
		fake_allow(&b->fake, q, b->in, sizeof(b->in), false);
		fake_allow(&b->fake, q, b->sum[q], sizeof(b->sum[q]), true);
		fake_allow(&b->fake, q, b->matmul.bytes, b->matmul.size, false);
		fake_allow(&b->fake, q, b->adds.bytes, b->adds.size, false);
	}
	return b;
}

/** Stops the core; the time of all completions is no more than there was. */
static void finish(struct bench *b)
{
	uint64_t sum = 0, wall;

	if (b->fake.fw)
		nnfw_destroy(b->fake.fw);
	b->fake.fw = NULL;
	wall = now_ns() - b->start_ns;
	for (size_t i = 0; i < b->fake.num_completions; i++)
		sum += b->fake.completions[i].value;
	assert_true(sum <= wall * b->engines);
	assert_false(atomic_load(&b->wrong));
	assert_int_equal(atomic_load(&b->on), 0);
	fake_stop(&b->fake);
	for (uint32_t q = 0; q < QUEUES; q++)
		free(b->out[q]);
	free(b->x);
	free(b->y);
	free(b->matmul.bytes);
	free(b->adds.bytes);
	free(b);
}

/** Queue @q of context @q. */
static void create(struct bench *b, uint32_t q, uint32_t priority)
{
	assert_int_equal(nnfw_queue_create(b->fake.fw, q, q, priority), 0);
}

static uint64_t submit_long(struct bench *b, uint32_t q)
{
	struct nnaccel_arg args[3] = { { .addr = (uintptr_t)b->x, .size = M * K * sizeof(*b->x) },
				       { .addr = (uintptr_t)b->y, .size = K * N * sizeof(*b->y) },
				       { .addr = (uintptr_t)b->out[q],
					 .size = M * N * sizeof(**b->out) } };
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
				   .num_args = 3,
				   .seqno = ++b->seqno[q],
				   .program_addr = (uintptr_t)b->matmul.bytes,
				   .program_size = b->matmul.size };

	atomic_store(&b->runs_long[q], true);
	assert_int_equal(nnfw_submit(b->fake.fw, q, &job, args), 0);
	return job.seqno;
}

static uint64_t submit_small(struct bench *b, uint32_t q)
{
	struct nnaccel_arg args[2] = { { .addr = (uintptr_t)b->in, .size = sizeof(b->in) },
				       { .addr = (uintptr_t)b->sum[q], .size = sizeof(b->in) } };
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
				   .num_args = 2,
				   .seqno = ++b->seqno[q],
				   .program_addr = (uintptr_t)b->adds.bytes,
				   .program_size = b->adds.size };

	assert_int_equal(nnfw_submit(b->fake.fw, q, &job, args), 0);
	return job.seqno;
}

/** Wait until the long job of @q is inside its operation. */
static void wait_running(struct bench *b, uint32_t q)
{
	while (atomic_load(&b->began[q]) < 20)
		usleep(500);
}

static uint32_t status_of(struct bench *b, uint32_t q, uint64_t seqno)
{
	return fake_wait(&b->fake, q, seqno).status;
}

/*
 * How far a long job gets: ticks of one that runs alone, to its end. What is soon is a small part
 * of them, on a machine of any speed and however busy it is: a core that does not preempt runs all
 * of them first.
 */
static uint32_t all_ticks;
#define SOON (all_ticks / 10)

FIXTURE(count_ticks)
{
	struct bench *b = bench(1, 0);

	create(b, 1, 1);
	assert_int_equal(status_of(b, 1, submit_long(b, 1)), NNACCEL_STATUS_OK);
	all_ticks = atomic_load(&b->ticks);
	printf("a long job has %u ticks\n", all_ticks);
	finish(b);
	return all_ticks < 100;
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/** Small jobs on queue @q; how many ticks of long jobs each waited for its begin. */
static uint32_t measure(struct bench *b, uint32_t q, const char *what)
{
	uint32_t waited[200];
	size_t n = sizeof(waited) / sizeof(waited[0]);

	for (size_t i = 0; i < n; i++) {
		uint64_t seqno = submit_small(b, q);
		uint32_t before = atomic_load(&b->ticks), at;

		assert_int_equal(status_of(b, q, seqno), NNACCEL_STATUS_OK);
		at = atomic_load(&b->ticks_at_turn[q]);
		waited[i] = at > before ? at - before : 0;
		/* at other moments of the quantum */
		usleep((useconds_t)(1000 + i % 7 * 300));
	}
	qsort(waited, n, sizeof(waited[0]), by_size);
	printf("begin of a small job %s: median %u ticks, p99 %u, max %u of %u\n", what,
	       waited[n / 2], waited[n * 99 / 100], waited[n - 1], all_ticks);
	return waited[n / 2];
}

/* A busy machine may take so long to measure that the long operation is over. */
static void end_long(struct bench *b, uint32_t queue, uint64_t seqno)
{
	int ret = nnfw_abort(b->fake.fw, queue, seqno);
	uint32_t status = status_of(b, queue, seqno);

	if (ret == -ENOENT)
		assert_int_equal(status, NNACCEL_STATUS_OK);
	else
		assert_int_equal(ret, 0);
	assert_true(status == NNACCEL_STATUS_OK || status == NNACCEL_STATUS_ABORTED);
}

TEST(test_small_beside_long)
{
	struct bench *b = bench(1, 0);

	create(b, 1, 1);
	create(b, 2, 1);
	create(b, 3, 3);
	submit_long(b, 1);
	wait_running(b, 1);
	assert_true(measure(b, 2, "beside a long operation") < SOON);
	end_long(b, 1, 1);
	atomic_store(&b->began[1], 0);
	submit_long(b, 1);
	wait_running(b, 1);
	assert_true(measure(b, 3, "of REALTIME beside it") < SOON);
	end_long(b, 1, 2);
	finish(b);
}

TEST(test_several_long)
{
	struct bench *b = bench(2, 0);

	for (uint32_t q = 1; q <= 5; q++) {
		create(b, q, 1);
		submit_long(b, q);
	}
	create(b, 6, 1);
	for (uint32_t q = 1; q <= 5; q++)
		wait_running(b, q);
	assert_true(measure(b, 6, "beside five, with two engines") < SOON);
	assert_int_equal(atomic_load(&b->most_on), 2);
	/* all of them made progress, in turn */
	for (uint32_t q = 1; q <= 5; q++)
		assert_true(atomic_load(&b->turns[q]) > 2);
	finish(b);
}

/* The result of a job that was preempted many times is right. */
TEST(test_result)
{
	struct bench *b = bench(1, 0);
	uint64_t first, second;

	for (uint32_t i = 0; i < M * K; i++)
		b->x[i] = (int32_t)(i % 7);
	for (uint32_t i = 0; i < K * N; i++)
		b->y[i] = (int32_t)(i % 5);
	create(b, 1, 1);
	create(b, 2, 1);
	first = submit_long(b, 1);
	second = submit_long(b, 2);
	assert_int_equal(status_of(b, 1, first), NNACCEL_STATUS_OK);
	assert_int_equal(status_of(b, 2, second), NNACCEL_STATUS_OK);
	assert_memory_equal(b->out[1], b->out[2], M * N * sizeof(**b->out));
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t row = i * 31 % M, column = i * 17 % N, sum = 0;

		for (uint32_t k = 0; k < K; k++)
			sum += (uint32_t)b->x[row * K + k] * (uint32_t)b->y[k * N + column];
		assert_int_equal(b->out[1][row * N + column], (int32_t)sum);
	}
	finish(b);
}

TEST(test_abort)
{
	struct bench *b = bench(1, 0);
	uint32_t worst = 0;

	create(b, 1, 1);
	create(b, 2, 1);
	for (int i = 0; i < 10; i++) {
		uint64_t first = submit_long(b, 1), second = submit_long(b, 2);
		uint32_t before, more;

		atomic_store(&b->began[1], 0);
		atomic_store(&b->began[2], 0);
		wait_running(b, 1);
		wait_running(b, 2);
		/* one of them is off the engine */
		for (uint32_t q = 1; q <= 2; q++) {
			assert_int_equal(nnfw_abort(b->fake.fw, q, q == 1 ? first : second), 0);
			before = atomic_load(&b->began[q]);
			assert_int_equal(status_of(b, q, q == 1 ? first : second),
					 NNACCEL_STATUS_ABORTED);
			more = atomic_load(&b->began[q]) - before;
			worst = more > worst ? more : worst;
		}
	}
	printf("an operation after its abort: at most %u ticks more of %u\n", worst, all_ticks);
	assert_true(worst < SOON);
	finish(b);
}

/*
 * The engine is held by a job that does not tick: an unbegun job can be aborted, and accesses no
 * memory.
 */
TEST(test_abort_not_begun)
{
	struct bench *b = bench(1, 0);
	struct nnaccel_completion c;
	uint64_t maps;

	create(b, 1, 1);
	create(b, 2, 1);
	atomic_store(&b->hold_queue, 1);
	submit_long(b, 1);
	while (!atomic_load(&b->held))
		usleep(500);
	maps = atomic_load(&b->fake.maps_made);
	submit_small(b, 2);
	submit_small(b, 2);
	assert_int_equal(nnfw_abort(b->fake.fw, 2, 2), 0);
	assert_int_equal(nnfw_abort(b->fake.fw, 2, 1), 0);
	for (uint64_t n = 1; n <= 2; n++) {
		c = fake_wait(&b->fake, 2, n);
		assert_int_equal(c.status, NNACCEL_STATUS_ABORTED);
		assert_int_equal(c.value, 0);
	}
	/* the engine stays with the job that holds it, given time to lose it */
	submit_small(b, 2);
	usleep(50000);
	assert_int_equal(atomic_load(&b->began[2]), 0);
	assert_int_equal(atomic_load(&b->turns[2]), 0);
	assert_int_equal(atomic_load(&b->fake.maps_made), maps);
	nnfw_abort(b->fake.fw, 1, 1);
	/* time to end, which it may not */
	usleep(20000);
	assert_true(b->fake.seqno[1] == 0);
	atomic_store(&b->hold_queue, ~0u);
	assert_int_equal(status_of(b, 1, 1), NNACCEL_STATUS_ABORTED);
	assert_int_equal(status_of(b, 2, 3), NNACCEL_STATUS_OK);
	finish(b);
}

/** Three long jobs on one engine: two of them wait inside their operation. */
static struct bench *three_long(void)
{
	struct bench *b = bench(1, 0);

	for (uint32_t q = 1; q <= 3; q++) {
		create(b, q, 1);
		submit_long(b, q);
		submit_small(b, q);
	}
	for (uint32_t q = 1; q <= 3; q++)
		wait_running(b, q);
	return b;
}

TEST(test_destroy_queue)
{
	struct bench *b = three_long();

	for (uint32_t q = 1; q <= 3; q++) {
		assert_int_equal(nnfw_queue_destroy(b->fake.fw, q), 0);
		assert_true(atomic_load(&b->began[q]) < all_ticks);
		assert_int_equal(b->fake.seqno[q], 2);
		assert_int_equal(status_of(b, q, 1), NNACCEL_STATUS_CANCELED);
		assert_int_equal(status_of(b, q, 2), NNACCEL_STATUS_CANCELED);
	}
	assert_int_equal(atomic_load(&b->fake.maps), 0);
	finish(b);
}

TEST(test_close_context)
{
	struct bench *b = three_long();

	for (uint32_t q = 3; q >= 1; q--) {
		assert_int_equal(nnfw_context_close(b->fake.fw, q), 0);
		assert_true(atomic_load(&b->began[q]) < all_ticks);
		assert_int_equal(status_of(b, q, 1), NNACCEL_STATUS_CANCELED);
	}
	assert_int_equal(atomic_load(&b->fake.maps), 0);
	finish(b);
}

TEST(test_destroy_all)
{
	struct bench *b = three_long();

	nnfw_destroy(b->fake.fw);
	b->fake.fw = NULL;
	for (uint32_t q = 1; q <= 3; q++)
		assert_true(atomic_load(&b->began[q]) < all_ticks);
	assert_int_equal(b->fake.num_completions, 6);
	finish(b);
}

/*
 * Jobs begin and end while others wait inside operations: no job is lost, and no thread is left.
 */
TEST(test_churn)
{
	struct bench *b = bench(2, 0);

	for (uint32_t q = 1; q < QUEUES; q++)
		create(b, q, q % 4);
	for (uint32_t round = 0; round < 60; round++) {
		uint64_t ends[QUEUES] = { 0 };

		for (uint32_t q = 1; q < QUEUES; q++) {
			submit_long(b, q);
			ends[q] = submit_small(b, q);
		}
		/* aborts come at other moments each round */
		usleep(round % 6 * 1500);
		for (uint32_t q = 1; q < QUEUES; q++)
			nnfw_abort(b->fake.fw, q, ends[q] - 1);
		for (uint32_t q = 1; q < QUEUES; q++)
			assert_int_equal(status_of(b, q, ends[q]), NNACCEL_STATUS_OK);
	}
	finish(b);
}

/* As hardware without preemption: a job that has begun holds the engine until it ends. */
TEST(test_no_preempt)
{
	struct bench *b = bench(1, NNFW_CONFIG_NO_PREEMPT);
	uint64_t begun;

	create(b, 1, 1);
	create(b, 2, 3);
	begun = submit_long(b, 1);
	wait_running(b, 1);
	/* time for the small job to run, and for the long one to end, which they may not */
	submit_small(b, 2);
	usleep(50000);
	assert_int_equal(nnfw_abort(b->fake.fw, 1, begun), 0);
	usleep(50000);
	assert_true(b->fake.seqno[1] == 0 && b->fake.seqno[2] == 0);
	/* the abort came in the last operation, after which it is not checked */
	assert_int_equal(status_of(b, 1, begun), NNACCEL_STATUS_OK);
	assert_int_equal(status_of(b, 2, 1), NNACCEL_STATUS_OK);
	assert_int_equal(atomic_load(&b->turns[1]), 1);
	finish(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_beside_long),
		cmocka_unit_test(test_several_long),
		cmocka_unit_test(test_result),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_abort_not_begun),
		cmocka_unit_test(test_destroy_queue),
		cmocka_unit_test(test_close_context),
		cmocka_unit_test(test_destroy_all),
		cmocka_unit_test(test_churn),
		cmocka_unit_test(test_no_preempt),
	};

	return cmocka_run_group_tests_name("core_preempt", tests, count_ticks, NULL);
}
