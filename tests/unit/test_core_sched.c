// SPDX-License-Identifier: Apache-2.0
/*
 * The firmware's core with several jobs at once: turns, priorities, aborts, closing, the program
 * cache.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core_programs.h"
#include "eventually.h"
#include "fake_platform.h"
#include "test_case.h"

#define N 64u /* elements of every tensor here */
#define TRACE 4096u

struct bench {
	struct fake fake;
	_Alignas(64) float in[N];
	_Alignas(64) float out[16][N]; /* by queue */
	uint64_t seqno[16];

	/* the gate: a thread that reaches it waits until it is opened */
	pthread_mutex_t lock;
	pthread_cond_t moved;
	bool closed, reached;
	uint32_t gate_queue; /* progress of this queue reaches the gate */
	uint64_t gate_addr; /* so does a map of this address */

	/* queues in the order in which their jobs made progress */
	uint8_t trace[TRACE];
	_Atomic uint32_t num_trace;

	/* one action from a progress callback */
	uint32_t at_queue;
	uint64_t at_progress;
	void (*action)(struct bench *b);
	struct core_program program;
	struct nnaccel_result result; /* of the last job of queue 1 */
};

static void gate(struct bench *b)
{
	pthread_mutex_lock(&b->lock);
	b->reached = true;
	pthread_cond_broadcast(&b->moved);
	while (b->closed)
		pthread_cond_wait(&b->moved, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

static void wait_reached(struct bench *b)
{
	pthread_mutex_lock(&b->lock);
	while (!b->reached)
		pthread_cond_wait(&b->moved, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

static void open_gate(struct bench *b)
{
	pthread_mutex_lock(&b->lock);
	b->closed = false;
	pthread_cond_broadcast(&b->moved);
	pthread_mutex_unlock(&b->lock);
}

static void on_progress(struct fake *fake, uint32_t queue, uint64_t progress, uint64_t seqno)
{
	struct bench *b = fake->hook;
	uint32_t n = atomic_fetch_add(&b->num_trace, 1);

	(void)seqno;
	if (n < TRACE)
		b->trace[n] = (uint8_t)queue;
	if (queue == b->gate_queue)
		gate(b);
	if (b->action && queue == b->at_queue && progress == b->at_progress)
		b->action(b);
}

static void on_map(struct fake *fake, uint32_t context, uint64_t addr, uint64_t len, bool write)
{
	struct bench *b = fake->hook;

	(void)context;
	(void)len;
	(void)write;
	if (addr == b->gate_addr)
		gate(b);
}

/** Contexts 1 and 2 with the memory of the bench; queue 15 of context 3 is the gate's. */
static struct bench *bench(uint32_t threads, uint64_t quota)
{
	struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION,
				      .threads = threads,
				      .program_quota = quota,
				      .quantum_ns = 2000000 };
	struct bench *b = aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64);

	assert_non_null(b);
	memset(b, 0, sizeof(*b));
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->moved, NULL);
	b->gate_queue = ~0u;
	b->fake.hook = b;
	b->fake.on_progress = on_progress;
	b->fake.on_map = on_map;
	b->fake.clock_step = 1000000;
	fake_start(&b->fake, &config);
	for (uint32_t i = 1; i <= 3; i++) {
		assert_int_equal(nnfw_context_open(b->fake.fw, i), 0);
		fake_allow(&b->fake, i, b->in, sizeof(b->in), false);
		fake_allow(&b->fake, i, b->out, sizeof(b->out), true);
		fake_allow(&b->fake, i, &b->result, sizeof(b->result), true);
	}
	for (uint32_t i = 0; i < N; i++)
		b->in[i] = (float)i;
	return b;
}

static void finish(struct bench *b)
{
	fake_stop(&b->fake);
	pthread_cond_destroy(&b->moved);
	pthread_mutex_destroy(&b->lock);
	free(b->program.bytes);
	free(b);
}

static void allow(struct bench *b, struct core_program p)
{
	for (uint32_t i = 1; i <= 3; i++)
		fake_allow(&b->fake, i, p.bytes, p.size, false);
}

static uint64_t submit(struct bench *b, uint32_t queue, struct core_program p)
{
	struct nnaccel_arg args[2] = { { .addr = (uintptr_t)b->in, .size = sizeof(b->in) },
				       { .addr = (uintptr_t)b->out[queue],
					 .size = sizeof(b->in) } };
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
				   .num_args = 2,
				   .seqno = ++b->seqno[queue],
				   .program_addr = (uintptr_t)p.bytes,
				   .program_size = p.size };

	if (queue == 1) {
		job.result_addr = (uintptr_t)&b->result;
		job.result_size = sizeof(b->result);
	}
	assert_int_equal(nnfw_submit(b->fake.fw, queue, &job, args), 0);
	return job.seqno;
}

static void submit_null(struct bench *b, uint32_t queue)
{
	struct nnaccel_job job = { .op = NNACCEL_JOB_NULL, .seqno = ++b->seqno[queue] };

	assert_int_equal(nnfw_submit(b->fake.fw, queue, &job, NULL), 0);
}

/** Hold the only worker until open_gate(). */
static void hold_worker(struct bench *b)
{
	assert_int_equal(nnfw_queue_create(b->fake.fw, 15, 3, 3), 0);
	b->gate_queue = 15;
	b->closed = true;
	submit_null(b, 15);
	wait_reached(b);
}

static size_t position(struct bench *b, uint32_t queue, uint64_t seqno)
{
	for (size_t i = 0; i < b->fake.num_completions; i++)
		if (b->fake.completions[i].queue == queue && b->fake.completions[i].seqno == seqno)
			return i;
	fail_msg("queue %u, job %llu did not complete", queue, (unsigned long long)seqno);
	return 0;
}

static void expect(struct bench *b, uint32_t queue, uint64_t seqno, uint32_t status)
{
	assert_int_equal(fake_wait(&b->fake, queue, seqno).status, status);
}

/* ---- turns ---- */

TEST(test_turns)
{
	struct bench *b = bench(1, 0);
	uint32_t switches = 0, n, first2 = 0, last1 = 0;

	b->program = program_adds(N, 40);
	allow(b, b->program);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 1, 1, 1), 0);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 2, 2, 1), 0);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 3, 1, 1), 0);
	hold_worker(b);
	submit(b, 1, b->program);
	submit(b, 3, b->program);
	submit(b, 2, b->program);
	open_gate(b);
	expect(b, 1, 1, NNACCEL_STATUS_OK);
	expect(b, 2, 1, NNACCEL_STATUS_OK);
	expect(b, 3, 1, NNACCEL_STATUS_OK);
	for (uint32_t q = 1; q <= 3; q++)
		assert_true(b->out[q][N - 1] == 41.0f * (N - 1));
	n = atomic_load(&b->num_trace);
	for (uint32_t i = 1; i < n; i++)
		switches += b->trace[i] != b->trace[i - 1];
	assert_true(switches > 20);
	/* context 2 has half of the turns although context 1 has two queues: it is through first */
	assert_int_equal(position(b, 2, 1), 1);
	for (uint32_t i = 0; i < n; i++) {
		if (b->trace[i] == 2 && !first2)
			first2 = i;
		if (b->trace[i] == 1)
			last1 = i;
	}
	/* it need not wait for more than the loading of a program and one quantum */
	assert_true(first2 < 41 + 8 && last1 > n / 2);
	finish(b);
}

TEST(test_priorities)
{
	struct bench *b = bench(1, 0);

	b->program = program_adds(N, 10);
	allow(b, b->program);
	for (uint32_t q = 0; q < 4; q++)
		assert_int_equal(nnfw_queue_create(b->fake.fw, 1 + q, 1, q), 0);
	hold_worker(b);
	for (uint32_t q = 1; q <= 4; q++)
		submit(b, q, b->program);
	open_gate(b);
	for (uint32_t q = 1; q <= 4; q++)
		expect(b, q, 1, NNACCEL_STATUS_OK);
	/* position 0 is the gate's */
	for (uint32_t q = 1; q <= 4; q++)
		assert_int_equal(position(b, q, 1), 5 - q);
	finish(b);
}

static void submit_realtime(struct bench *b)
{
	submit(b, 2, b->program);
}

/* A realtime queue does not wait for the end of a quantum. */
TEST(test_realtime)
{
	struct bench *b = bench(1, 0);
	uint32_t at = 0;

	b->fake.clock_step = 1;
	b->program = program_adds(N, 30);
	allow(b, b->program);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 1, 1, 1), 0);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 2, 2, 3), 0);
	b->at_queue = 1;
	/* one at the start of the job, some while the program is loaded, then one an operation */
	b->at_progress = 45;
	b->action = submit_realtime;
	submit(b, 1, b->program);
	expect(b, 1, 1, NNACCEL_STATUS_OK);
	expect(b, 2, 1, NNACCEL_STATUS_OK);
	assert_int_equal(position(b, 2, 1), 0);
	while (b->trace[at] == 1)
		at++;
	assert_true(at <= 46);
	assert_true(b->out[1][1] == 31 && b->out[2][1] == 31);
	finish(b);
}

/* ---- ends ---- */

static void abort_first(struct bench *b)
{
	assert_int_equal(nnfw_abort(b->fake.fw, 1, 1), 0);
}

TEST(test_abort_running)
{
	struct bench *b = bench(1, 0);

	b->program = program_adds(N, 30);
	allow(b, b->program);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 1, 1, 1), 0);
	b->at_queue = 1;
	b->at_progress = 45;
	b->action = abort_first;
	submit(b, 1, b->program);
	submit(b, 1, b->program);
	expect(b, 1, 1, NNACCEL_STATUS_ABORTED);
	expect(b, 1, 2, NNACCEL_STATUS_OK);
	assert_int_equal(b->result.seqno, 2);
	assert_int_equal(nnfw_abort(b->fake.fw, 1, 1), -ENOENT);
	finish(b);
}

/* An abort during loading ends the job; the program loads again for the next. */
TEST(test_abort_loading)
{
	struct bench *b = bench(1, 0);

	b->program = program_adds(N, 30);
	allow(b, b->program);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 1, 1, 1), 0);
	b->at_queue = 1;
	b->at_progress = 10;
	b->action = abort_first;
	submit(b, 1, b->program);
	expect(b, 1, 1, NNACCEL_STATUS_ABORTED);
	submit(b, 1, b->program);
	expect(b, 1, 2, NNACCEL_STATUS_OK);
	finish(b);
}

TEST(test_abort_pending)
{
	struct bench *b = bench(1, 0);

	b->program = program_adds(N, 3);
	allow(b, b->program);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 1, 1, 1), 0);
	hold_worker(b);
	for (int i = 0; i < 3; i++)
		submit(b, 1, b->program);
	assert_int_equal(nnfw_abort(b->fake.fw, 1, 2), 0);
	assert_int_equal(nnfw_abort(b->fake.fw, 1, 4), -ENOENT);
	open_gate(b);
	expect(b, 1, 1, NNACCEL_STATUS_OK);
	expect(b, 1, 2, NNACCEL_STATUS_ABORTED);
	expect(b, 1, 3, NNACCEL_STATUS_OK);
	finish(b);
}

static void *destroy_queue(void *arg)
{
	struct bench *b = arg;

	return (void *)(intptr_t)nnfw_queue_destroy(b->fake.fw, 1);
}

static void *close_context(void *arg)
{
	struct bench *b = arg;

	return (void *)(intptr_t)nnfw_context_close(b->fake.fw, 1);
}

/**
 * Close something while its first job runs and two wait: all three are answered, then it is gone.
 */
static void check_close(void *(*closer)(void *))
{
	struct nnaccel_job job = { .op = NNACCEL_JOB_NULL, .seqno = 4 };
	struct bench *b = bench(1, 0);
	pthread_t thread;
	void *ret;

	b->program = program_adds(N, 30);
	allow(b, b->program);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 1, 1, 1), 0);
	b->gate_addr = (uintptr_t)b->out[1];
	b->closed = true;
	for (int i = 0; i < 3; i++)
		submit(b, 1, b->program);
	wait_reached(b);
	assert_int_equal(pthread_create(&thread, NULL, closer, b), 0);
	/* a job per millisecond: the other thread may get its processor late */
	assert_true(EVENTUALLY(nnfw_submit(b->fake.fw, 1, &job, NULL) || (job.seqno++, false)));
	open_gate(b);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_int_equal((intptr_t)ret, 0);
	/* on return all jobs are completed and no map is held */
	assert_int_equal(atomic_load(&b->fake.maps), 0);
	assert_int_equal(b->fake.seqno[1], job.seqno - 1);
	for (uint64_t i = 1; i < job.seqno; i++)
		expect(b, 1, i, NNACCEL_STATUS_CANCELED);
	finish(b);
}

TEST(test_destroy_queue)
{
	check_close(destroy_queue);
}

TEST(test_close_context)
{
	check_close(close_context);
}

/* nnfw_destroy() completes the remaining jobs. */
TEST(test_destroy_all)
{
	struct bench *b = bench(2, 0);
	size_t answered;

	b->program = program_adds(N, 200);
	allow(b, b->program);
	for (uint32_t q = 1; q <= 3; q++) {
		assert_int_equal(nnfw_queue_create(b->fake.fw, q, q, 1), 0);
		for (int i = 0; i < 20; i++)
			submit(b, q, b->program);
	}
	expect(b, 1, 1, NNACCEL_STATUS_OK);
	nnfw_destroy(b->fake.fw);
	b->fake.fw = NULL;
	answered = b->fake.num_completions;
	assert_int_equal(answered, 60);
	finish(b);
}

/* ---- the program cache ---- */

static uint64_t loaded(struct bench *b)
{
	struct nnfw_stats stats;

	nnfw_stats(b->fake.fw, &stats);
	return stats.bytes_loaded;
}

TEST(test_eviction)
{
	struct core_program p[4];
	struct nnfw_stats stats;
	struct bench *b;
	uint64_t one;

	/* three fit; each is charged its own bytes, its prepared data and a constant */
	b = bench(1, 0);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 2, 1, 1), 0);
	p[0] = program_adds(N, 3);
	allow(b, p[0]);
	submit(b, 2, p[0]);
	expect(b, 2, 1, NNACCEL_STATUS_OK);
	nnfw_stats(b->fake.fw, &stats);
	one = stats.program_bytes;
	assert_true(one > p[0].size);
	finish(b);

	b = bench(1, 3 * one + one / 2);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 2, 1, 1), 0);
	allow(b, p[0]);
	for (int i = 1; i < 4; i++) {
		p[i] = program_adds(N, 3);
		allow(b, p[i]);
	}
	static const struct {
		int program;
		bool load;
	} steps[] = {
		{ 0, true },  { 1, true },  { 2, true }, { 0, false }, { 3, true },
		{ 0, false }, { 2, false }, { 1, true }, { 3, true },  { 0, true },
	};
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		uint64_t before = loaded(b);

		expect(b, 2, submit(b, 2, p[steps[i].program]), NNACCEL_STATUS_OK);
		if ((loaded(b) != before) != steps[i].load)
			fail_msg("step %zu: program %d", i, steps[i].program);
		nnfw_stats(b->fake.fw, &stats);
		assert_true(stats.programs <= 3 && stats.program_bytes <= 3 * one + one / 2);
	}
	finish(b);
	for (int i = 0; i < 4; i++)
		free(p[i].bytes);
}

/* One worker loads; the other does not wait for it. */
TEST(test_one_load)
{
	struct core_program other = program_adds(N, 2);
	struct bench *b = bench(2, 0);

	b->program = program_adds(N, 20);
	allow(b, b->program);
	allow(b, other);
	for (uint32_t q = 1; q <= 4; q++)
		assert_int_equal(nnfw_queue_create(b->fake.fw, q, 1, 1), 0);
	b->gate_addr = (uintptr_t)b->program.bytes;
	b->closed = true;
	submit(b, 1, b->program);
	wait_reached(b);
	submit(b, 2, b->program);
	submit(b, 4, b->program);
	submit(b, 3, other);
	/* queues 2 and 4 had their turn before 3, and wait outside the worker */
	expect(b, 3, 1, NNACCEL_STATUS_OK);
	assert_int_equal(nnfw_abort(b->fake.fw, 4, 1), 0);
	expect(b, 4, 1, NNACCEL_STATUS_ABORTED);
	open_gate(b);
	expect(b, 1, 1, NNACCEL_STATUS_OK);
	expect(b, 2, 1, NNACCEL_STATUS_OK);
	assert_int_equal(loaded(b), b->program.size + other.size);
	finish(b);
	free(other.bytes);
}

/** Hold the loader of context 1 at its map of the bench's program until open_gate(). */
static void hold_loader(struct bench *b)
{
	b->program = program_adds(N, 5);
	allow(b, b->program);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 2, 1, 1), 0);
	b->gate_addr = (uintptr_t)b->program.bytes;
	b->closed = true;
	assert_int_equal(nnfw_program_load(b->fake.fw, 1, b->gate_addr, b->program.size, 0), 0);
	wait_reached(b);
}

TEST(test_load_ahead)
{
	struct bench *b = bench(1, 0);
	uint64_t addr;

	hold_loader(b);
	addr = (uintptr_t)b->program.bytes;
	submit(b, 2, b->program);
	open_gate(b);
	expect(b, 2, 1, NNACCEL_STATUS_OK);
	assert_int_equal(loaded(b), b->program.size);
	/* the error of a hint for an unmapped address is not cached */
	assert_int_equal(nnfw_program_load(b->fake.fw, 1, 4096, 100, 0), 0);
	assert_int_equal(nnfw_program_load(b->fake.fw, 1, addr, 0, 0), -EINVAL);
	for (uint32_t i = 0; i < 3; i++)
		nnfw_program_load(b->fake.fw, 2, addr, b->program.size, i);
	assert_int_equal(nnfw_context_close(b->fake.fw, 2), 0);
	finish(b);
}

/* The host takes a request back that the loader has: the memory may be another's by now. */
TEST(test_load_taken_back)
{
	struct bench *b = bench(1, 0);
	struct core_program other = program_adds(N, 6);

	allow(b, other);
	hold_loader(b);
	assert_int_equal(nnfw_program_unload(b->fake.fw, 1, (uintptr_t)b->program.bytes), 0);
	open_gate(b);
	assert_true(EVENTUALLY(atomic_load(&b->fake.maps_made) && !atomic_load(&b->fake.maps)));
	/* one engine: the job runs after the loader has counted what it copied */
	submit(b, 2, other);
	expect(b, 2, 1, NNACCEL_STATUS_OK);
	assert_int_equal(loaded(b), other.size);
	finish(b);
	free(other.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_realtime),	cmocka_unit_test(test_abort_running),
		cmocka_unit_test(test_abort_loading),	cmocka_unit_test(test_abort_pending),
		cmocka_unit_test(test_destroy_queue),	cmocka_unit_test(test_close_context),
		cmocka_unit_test(test_destroy_all),	cmocka_unit_test(test_eviction),
		cmocka_unit_test(test_one_load),	cmocka_unit_test(test_load_ahead),
		cmocka_unit_test(test_load_taken_back),
	};

	return cmocka_run_group_tests_name("core_sched", tests, NULL, NULL);
}
