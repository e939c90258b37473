// SPDX-License-Identifier: Apache-2.0
/*
 * Programs that do not fit beside those in use: who waits, who yields, how a wait ends. The rules
 * are a table in Documentation/firmware.rst.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "core_programs.h"
#include "fake_platform.h"
#include "test_case.h"

#define N 64u /* elements of every tensor here */
#define QUEUES 8u
#define MINUTE_NS 60000000000ull

struct bench {
	struct fake fake;
	_Alignas(64) float in[N];
	_Alignas(64) float out[QUEUES][N];
	_Alignas(64) struct nnaccel_result result[QUEUES];
	uint64_t seqno[QUEUES];
	struct core_program a, b, small, large;

	/* a job that has its program waits inside an operation until the gate of its queue opens */
	pthread_mutex_t lock;
	pthread_cond_t moved;
	bool closed[QUEUES], reached[QUEUES];
	uint32_t notes[QUEUES]; /* of its running job */
	/* its job is aborted in its turn: before it looks for its program, and when it waits */
	_Atomic uint32_t abort_before, abort_after;
};

static void gate(struct bench *b, uint32_t queue)
{
	pthread_mutex_lock(&b->lock);
	b->reached[queue] = true;
	pthread_cond_broadcast(&b->moved);
	while (b->closed[queue])
		pthread_cond_wait(&b->moved, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

static void abort_once(struct bench *b, _Atomic uint32_t *queue, uint64_t seqno)
{
	const uint32_t number = *queue;

	*queue = ~0u;
	assert_int_equal(nnfw_abort(b->fake.fw, number, seqno), 0);
}

static void on_progress(struct fake *fake, uint32_t queue, uint64_t progress, uint64_t seqno)
{
	struct bench *b = fake->hook;

	(void)progress;
	if (queue == b->abort_before)
		abort_once(b, &b->abort_before, seqno);
	/* the first note comes before the program */
	if (++b->notes[queue] > 2)
		gate(b, queue);
}

static void on_turn(struct fake *fake, uint32_t queue, uint64_t seqno, bool on)
{
	struct bench *b = fake->hook;

	if (on)
		b->notes[queue] = 0;
	else if (queue == b->abort_after)
		abort_once(b, &b->abort_after, seqno);
}

static uint64_t charged(struct bench *b)
{
	struct nnfw_stats stats;

	nnfw_stats(b->fake.fw, &stats);
	return stats.program_bytes;
}

/* Queue q belongs to context 1 + q % 3. */
static void start(struct bench *b, uint32_t threads, uint64_t quota)
{
	struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION,
				      .threads = threads,
				      .program_quota = quota };

	memset(&b->fake, 0, sizeof(b->fake));
	b->fake.hook = b;
	b->fake.on_progress = on_progress;
	b->fake.on_turn = on_turn;
	fake_start(&b->fake, &config);
	/* no wait ends by the clock */
	b->fake.fw->room_wait_ns = 60 * MINUTE_NS;
	memset(b->seqno, 0, sizeof(b->seqno));
	memset(b->reached, 0, sizeof(b->reached));
	for (uint32_t c = 1; c <= 3; c++) {
		const struct core_program *all[] = { &b->a, &b->b, &b->small, &b->large };

		assert_int_equal(nnfw_context_open(b->fake.fw, c), 0);
		fake_allow(&b->fake, c, b->in, sizeof(b->in), false);
		fake_allow(&b->fake, c, b->out, sizeof(b->out), true);
		fake_allow(&b->fake, c, b->result, sizeof(b->result), true);
		for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
			fake_allow(&b->fake, c, all[i]->bytes, all[i]->size, false);
	}
	for (uint32_t q = 0; q < QUEUES; q++)
		assert_int_equal(nnfw_queue_create(b->fake.fw, q, 1 + q % 3, 1), 0);
}

static void submit(struct bench *b, uint32_t queue, const struct core_program *p)
{
	const struct nnaccel_arg args[2] = {
		{ .addr = (uintptr_t)b->in, .size = sizeof(b->in) },
		{ .addr = (uintptr_t)b->out[queue], .size = sizeof(b->in) },
	};
	struct nnaccel_job job = {
		.op = p ? NNACCEL_JOB_RUN : NNACCEL_JOB_NULL,
		.num_args = p ? 2 : 0,
		.seqno = ++b->seqno[queue],
		.program_addr = p ? (uintptr_t)p->bytes : 0,
		.program_size = p ? p->size : 0,
		.result_addr = p ? (uintptr_t)&b->result[queue] : 0,
		.result_size = p ? sizeof(b->result[queue]) : 0,
	};

	assert_int_equal(nnfw_submit(b->fake.fw, queue, &job, args), 0);
}

static void ends(struct bench *b, uint32_t queue, uint32_t status)
{
	assert_int_equal(fake_wait(&b->fake, queue, b->seqno[queue]).status, status);
}

static void run(struct bench *b, uint32_t queue, const struct core_program *p)
{
	submit(b, queue, p);
	ends(b, queue, NNACCEL_STATUS_OK);
}

static void wait_reached(struct bench *b, uint32_t queue)
{
	pthread_mutex_lock(&b->lock);
	while (!b->reached[queue])
		pthread_cond_wait(&b->moved, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

/* A job of @queue that uses @p until open_gate(). */
static void hold(struct bench *b, uint32_t queue, const struct core_program *p)
{
	run(b, queue, p);
	b->reached[queue] = false;
	b->closed[queue] = true;
	submit(b, queue, p);
	wait_reached(b, queue);
}

static void open_gate(struct bench *b, uint32_t queue)
{
	pthread_mutex_lock(&b->lock);
	b->closed[queue] = false;
	pthread_cond_broadcast(&b->moved);
	pthread_mutex_unlock(&b->lock);
}

/* The last job of @queue has had its turn, has no engine, and has not ended. */
static void require_waiting(struct bench *b, uint32_t queue)
{
	bool waits;

	do {
		/* another queue gets its turn on the engine that it leaves */
		run(b, 7, NULL);
		pthread_mutex_lock(&b->fake.fw->lock);
		waits = b->fake.fw->queues[queue]->room.waits;
		pthread_mutex_unlock(&b->fake.fw->lock);
		assert_true(b->fake.seqno[queue] < b->seqno[queue]);
	} while (!waits);
}

static void *setup_bench(void)
{
	struct bench *b = aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64);

	assert_non_null(b);
	memset(b, 0, sizeof(*b));
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->moved, NULL);
	b->abort_before = b->abort_after = ~0u;
	b->a = program_adds(N, 1000);
	b->b = program_adds(N, 1000);
	b->small = program_adds(N, 4);
	b->large = program_adds(N, 2100);
	return b;
}

/* What a program takes of the quota if there is room for all that it can use. */
static uint64_t most(struct bench *b, const struct core_program *p)
{
	uint64_t bytes;

	start(b, 1, 0);
	run(b, 1, p);
	bytes = charged(b);
	fake_stop(&b->fake);
	return bytes;
}

/* What it cannot do without. */
static uint64_t least(struct bench *b, const struct core_program *p)
{
	struct nnfw_need need;

	start(b, 1, 0);
	assert_int_equal(nnfw_program_measure(b->fake.fw, p->bytes, p->size, &need), 0);
	fake_stop(&b->fake);
	return need.loaded;
}

/* Beside program a there is room for a part of what program b needs, in percent. */
static struct bench *bench(uint32_t threads, uint32_t part)
{
	struct bench *b = setup_bench();
	const uint64_t room = least(b, &b->b) * part / 100;

	assert_true(2 * most(b, &b->small) < room);
	assert_true(least(b, &b->large) > most(b, &b->a));
	start(b, threads, most(b, &b->a) + room);
	return b;
}

static void finish(struct bench *b)
{
	for (uint32_t c = 1; c <= 3; c++)
		nnfw_context_close(b->fake.fw, c);
	assert_int_equal(charged(b), 0);
	assert_int_equal(b->fake.fw->idle_bytes, 0);
	fake_stop(&b->fake);
	free(b->a.bytes);
	free(b->b.bytes);
	free(b->small.bytes);
	free(b->large.bytes);
	pthread_cond_destroy(&b->moved);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* ---- cases ---- */

/* Red without waits: NO_MEMORY, because another client's job runs. */
TEST(second_client_waits)
{
	/* the program itself has no room, or only what is made when it is loaded */
	for (uint32_t part = 40; part < 100; part += 59) {
		struct bench *b = bench(2, part);

		hold(b, 0, &b->a);
		submit(b, 1, &b->b);
		require_waiting(b, 1);
		open_gate(b, 0);
		ends(b, 0, NNACCEL_STATUS_OK);
		ends(b, 1, NNACCEL_STATUS_OK);
		assert_true(b->out[1][3] == b->out[0][3]);
		/* and back */
		run(b, 0, &b->a);
		finish(b);
	}
}

TEST(too_large_alone)
{
	struct bench *b = setup_bench();

	start(b, 1, least(b, &b->a) - 1);
	submit(b, 1, &b->a);
	ends(b, 1, NNACCEL_STATUS_NO_MEMORY);
	assert_non_null(strstr((const char *)b->result[1].text, "quota"));
	assert_int_equal(charged(b), 0);
	finish(b);
}

/* Smaller programs have the room that is there, new ones and idle ones. */
TEST(small_programs_pass)
{
	struct bench *b = bench(2, 40);
	uint64_t loaded;

	hold(b, 0, &b->a);
	run(b, 2, &b->small);
	submit(b, 1, &b->b);
	require_waiting(b, 1);
	loaded = atomic_load(&b->fake.fw->num_loaded);
	/* it was not dropped: there would be no room without it */
	run(b, 2, &b->small);
	assert_int_equal(atomic_load(&b->fake.fw->num_loaded), loaded);
	run(b, 4, &b->small);
	require_waiting(b, 1);
	open_gate(b, 0);
	ends(b, 1, NNACCEL_STATUS_OK);
	finish(b);
}

/* Jobs of a client that overlap do not keep the room from one that needs no more. */
TEST(larger_client_yields)
{
	struct bench *b = bench(3, 60);

	hold(b, 0, &b->a);
	submit(b, 1, &b->b);
	require_waiting(b, 1);
	/* of the same context as queue 0, with its program */
	submit(b, 3, &b->a);
	require_waiting(b, 3);
	open_gate(b, 0);
	ends(b, 1, NNACCEL_STATUS_OK);
	ends(b, 3, NNACCEL_STATUS_OK);
	finish(b);
}

/* A client that needs more stops no other: neither jobs with a program nor loads. */
TEST(smaller_client_goes_on)
{
	struct bench *b = bench(3, 95);

	hold(b, 0, &b->a);
	submit(b, 1, &b->large);
	require_waiting(b, 1);
	run(b, 3, &b->a);
	run(b, 3, &b->small);
	require_waiting(b, 1);
	open_gate(b, 0);
	ends(b, 1, NNACCEL_STATUS_OK);
	finish(b);
}

/* ---- ends of a wait ---- */

TEST(abort_while_waiting)
{
	struct bench *b = bench(2, 60);

	hold(b, 0, &b->a);
	submit(b, 1, &b->b);
	require_waiting(b, 1);
	assert_int_equal(nnfw_abort(b->fake.fw, 1, b->seqno[1]), 0);
	ends(b, 1, NNACCEL_STATUS_ABORTED);
	/* the queue works, and waits again */
	submit(b, 1, &b->b);
	require_waiting(b, 1);
	open_gate(b, 0);
	ends(b, 1, NNACCEL_STATUS_OK);
	finish(b);
}

/* The abort comes in the job's turn, when it does not wait yet, or does already. */
TEST(abort_in_its_turn)
{
	for (int after = 0; after < 2; after++) {
		struct bench *b = bench(2, 60);

		hold(b, 0, &b->a);
		*(after ? &b->abort_after : &b->abort_before) = 1;
		submit(b, 1, &b->b);
		ends(b, 1, NNACCEL_STATUS_ABORTED);
		open_gate(b, 0);
		ends(b, 0, NNACCEL_STATUS_OK);
		finish(b);
	}
}

/* The same with a program that another queue loads. */
TEST(abort_beside_loading)
{
	for (int after = 0; after < 2; after++) {
		struct bench *b = bench(2, 60);

		b->closed[1] = true;
		submit(b, 1, &b->large);
		wait_reached(b, 1);
		*(after ? &b->abort_after : &b->abort_before) = 4;
		submit(b, 4, &b->large);
		ends(b, 4, NNACCEL_STATUS_ABORTED);
		open_gate(b, 1);
		ends(b, 1, NNACCEL_STATUS_OK);
		finish(b);
	}
}

TEST(close_while_waiting)
{
	struct bench *b = bench(2, 60);

	hold(b, 0, &b->a);
	submit(b, 1, &b->b);
	require_waiting(b, 1);
	submit(b, 4, &b->b);
	require_waiting(b, 4);
	assert_int_equal(nnfw_queue_destroy(b->fake.fw, 1), 0);
	ends(b, 1, NNACCEL_STATUS_CANCELED);
	assert_int_equal(nnfw_context_close(b->fake.fw, 2), 0);
	ends(b, 4, NNACCEL_STATUS_CANCELED);
	open_gate(b, 0);
	ends(b, 0, NNACCEL_STATUS_OK);
	finish(b);
}

TEST(wait_has_an_end)
{
	struct bench *b = bench(2, 60);

	hold(b, 0, &b->a);
	b->fake.fw->room_wait_ns = 1000000;
	submit(b, 1, &b->b);
	ends(b, 1, NNACCEL_STATUS_NO_MEMORY);
	assert_non_null(strstr((const char *)b->result[1].text, "no room"));
	/* the waits of a job count together, those of the next one anew */
	b->fake.fw->room_wait_ns = 60 * MINUTE_NS;
	submit(b, 1, &b->b);
	require_waiting(b, 1);
	open_gate(b, 0);
	ends(b, 1, NNACCEL_STATUS_OK);
	finish(b);
}

/* Its program is unloaded, or its context is closed: that makes room, too. */
TEST(room_of_a_closed_context)
{
	struct bench *b = bench(2, 60);

	hold(b, 0, &b->a);
	submit(b, 1, &b->b);
	require_waiting(b, 1);
	assert_int_equal(nnfw_program_unload(b->fake.fw, 1, (uintptr_t)b->a.bytes), 0);
	require_waiting(b, 1);
	open_gate(b, 0);
	assert_int_equal(nnfw_context_close(b->fake.fw, 1), 0);
	ends(b, 1, NNACCEL_STATUS_OK);
	finish(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(second_client_waits),	    cmocka_unit_test(too_large_alone),
		cmocka_unit_test(small_programs_pass),	    cmocka_unit_test(larger_client_yields),
		cmocka_unit_test(smaller_client_goes_on),   cmocka_unit_test(abort_while_waiting),
		cmocka_unit_test(abort_in_its_turn),	    cmocka_unit_test(abort_beside_loading),
		cmocka_unit_test(close_while_waiting),	    cmocka_unit_test(wait_has_an_end),
		cmocka_unit_test(room_of_a_closed_context),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
