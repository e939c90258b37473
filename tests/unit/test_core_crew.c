// SPDX-License-Identifier: Apache-2.0
/*
 * Crews: every unit of a split is done once, by any thread, a slot is one thread's, errors, aborts
 * and closing end splits, and jobs have their engines at once although helpers compute. The tests
 * say how many threads a crew has, so that they do the same on a machine of one processor.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core_programs.h"
#include "core.h"
#include "eventually.h"
#include "fake_platform.h"
#include "nnutil_clock.h"
#include "nnutil_process.h"
#include "rounds.h"
#include "test_case.h"

#define ENGINES 4u
#define THREADS 3u
#define QUEUES 4u
#define UNITS 5000u
/* int32 products of seconds on one thread, for those that are ended; and of milliseconds */
#define LONG 2048u
#define M 192u
#define K 256u
#define REST_NS 50000000u

struct bench {
	struct fake fake;
	struct core_program forever, matmul;
	uint32_t *x, *y, *out[QUEUES], *expected;
	uint64_t seqno[QUEUES];
	_Atomic bool on[QUEUES];
	_Atomic uint32_t beside; /* turns that began while queue 0 had an engine */
};

static void on_turn(struct fake *fake, uint32_t queue, uint64_t seqno, bool on)
{
	struct bench *b = fake->hook;

	(void)seqno;
	atomic_store(&b->on[queue], on);
	if (on && queue != 0 && atomic_load(&b->on[0]))
		atomic_fetch_add(&b->beside, 1);
}

static void product(const struct bench *b)
{
	for (uint32_t i = 0; i < M; i++)
		for (uint32_t j = 0; j < M; j++)
			for (uint32_t k = 0; k < K; k++)
				b->expected[i * M + j] += b->x[i * K + k] * b->y[k * M + j];
}

/* Queue q is of context q; that of number 3 is REALTIME. */
static struct bench *bench(uint32_t engines, uint64_t quantum_ns, uint32_t flags)
{
	struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION,
				      .threads = engines,
				      .quantum_ns = quantum_ns,
				      .flags = flags };
	struct bench *b = calloc(1, sizeof(*b));
	size_t size = (size_t)LONG * LONG * sizeof(uint32_t);

	assert_non_null(b);
	b->fake.hook = b;
	b->fake.on_turn = on_turn;
	b->forever = program_matmul(LONG, LONG, LONG);
	b->matmul = program_matmul(M, M, K);
	b->x = calloc(1, size);
	b->y = calloc(1, size);
	b->expected = calloc(M * M, sizeof(uint32_t));
	for (uint32_t i = 0; i < M * K; i++) {
		b->x[i] = i * 2654435761u;
		b->y[i] = i * 40503u + 7;
	}
	product(b);
	fake_start(&b->fake, &config);
	b->fake.fw->crew_threads = engines < THREADS ? engines : THREADS;
	b->fake.fw->crew_stays = true;
	for (uint32_t q = 0; q < QUEUES; q++) {
		b->out[q] = calloc(1, size);
		assert_int_equal(nnfw_context_open(b->fake.fw, q), 0);
		fake_allow(&b->fake, q, b->x, size, false);
		fake_allow(&b->fake, q, b->y, size, false);
		fake_allow(&b->fake, q, b->out[q], size, true);
		fake_allow(&b->fake, q, b->forever.bytes, b->forever.size, false);
		fake_allow(&b->fake, q, b->matmul.bytes, b->matmul.size, false);
		assert_int_equal(nnfw_queue_create(b->fake.fw, q, q, q == 3 ? NNFW_REALTIME : 1),
				 0);
	}
	return b;
}

static void release(struct bench *b)
{
	fake_stop(&b->fake);
	for (uint32_t q = 0; q < QUEUES; q++)
		free(b->out[q]);
	free(b->x);
	free(b->y);
	free(b->expected);
	free(b->forever.bytes);
	free(b->matmul.bytes);
	free(b);
}

static void finish(struct bench *b)
{
	assert_true(EVENTUALLY(!atomic_load(&b->fake.fw->num_helpers)));
	release(b);
}

static uint64_t run(struct bench *b, uint32_t q, bool forever)
{
	uint64_t m = forever ? LONG : M, k = forever ? LONG : K;
	struct nnaccel_arg args[3] = { { .addr = (uintptr_t)b->x, .size = 4 * m * k },
				       { .addr = (uintptr_t)b->y, .size = 4 * k * m },
				       { .addr = (uintptr_t)b->out[q], .size = 4 * m * m } };
	const struct core_program *p = forever ? &b->forever : &b->matmul;
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
				   .num_args = 3,
				   .seqno = ++b->seqno[q],
				   .program_addr = (uintptr_t)p->bytes,
				   .program_size = p->size };

	assert_int_equal(nnfw_submit(b->fake.fw, q, &job, args), 0);
	return job.seqno;
}

static bool helped(struct bench *b)
{
	return atomic_load(&b->fake.fw->num_helpers) > 0;
}

/* A job that does not end, with helpers. */
static uint64_t run_forever(struct bench *b, uint32_t q)
{
	uint64_t seqno = run(b, q, true);

	assert_true(EVENTUALLY(helped(b)));
	return seqno;
}

/* ---- splits, without a job ---- */

struct work {
	_Atomic uint32_t done[UNITS];
	_Atomic uint32_t in_slot[THREADS], pieces, by_helpers;
	_Atomic bool wrong;
	size_t units, grain, bad; /* unit that fails */
};

static int piece(void *arg, uint32_t slot, size_t first, size_t end, struct nnfw_progress *progress)
{
	struct work *w = arg;
	int ret = 0;

	if (slot >= THREADS || first >= end || end > w->units ||
	    (end - first < w->grain && end < w->units) || atomic_fetch_add(&w->in_slot[slot], 1))
		atomic_store(&w->wrong, true);
	atomic_fetch_add(&w->pieces, 1);
	if (slot)
		atomic_fetch_add(&w->by_helpers, 1);
	for (size_t i = first; i < end && !ret; i++) {
		atomic_fetch_add(&w->done[i], 1);
		ret = i == w->bad ? -EINVAL : nnfw_progress_tick(progress);
	}
	atomic_fetch_sub(&w->in_slot[slot], 1);
	return ret;
}

static int split(struct bench *b, struct work *w, size_t units, size_t grain, size_t bad)
{
	struct nnfw_op_ctx ctx = { .crew = &b->fake.fw->queues[0]->crew.base, .slots = THREADS };
	int ret;

	memset(w, 0, sizeof(*w));
	w->units = units;
	w->grain = grain;
	w->bad = bad;
	ret = nnfw_split(&ctx, units, grain, piece, w);
	assert_false(atomic_load(&w->wrong));
	return ret;
}

TEST(test_once)
{
	struct bench *b = bench(ENGINES, 0, 0);
	struct work *w = malloc(sizeof(*w));

	for (size_t i = 0; i < rounds(3000); i++) {
		size_t units = i * 7919 % UNITS + 1, grain = i % 40;

		assert_int_equal(split(b, w, units, grain, UNITS), 0);
		for (size_t k = 0; k < UNITS; k++)
			assert_int_equal(w->done[k], k < units);
	}
	/* helpers come */
	assert_true(EVENTUALLY(({
		split(b, w, UNITS, 1, UNITS);
		w->by_helpers > 0;
	})));
	free(w);
	finish(b);
}

/* The first error is the split's; pieces are left then, and none runs on. */
TEST(test_error)
{
	struct bench *b = bench(ENGINES, 0, 0);
	struct work *w = malloc(sizeof(*w));
	bool left = false;

	for (size_t i = 0; i < rounds(1000); i++) {
		assert_int_equal(split(b, w, UNITS, 10, i), -EINVAL);
		for (uint32_t slot = 0; slot < THREADS; slot++)
			assert_int_equal(w->in_slot[slot], 0);
		for (size_t k = 0; k < UNITS; k++)
			left |= !w->done[k];
		assert_int_equal(split(b, w, UNITS, 10, UNITS), 0);
	}
	assert_true(left);
	free(w);
	finish(b);
}

struct silent {
	_Atomic size_t pieces;
	atomic_int cancel;
};

/* Too short for a tick of its own. The tenth is the last one before the job is aborted. */
static int silent_piece(void *arg, uint32_t slot, size_t first, size_t end,
			struct nnfw_progress *progress)
{
	struct silent *s = arg;

	(void)slot;
	(void)first;
	(void)end;
	(void)progress;
	if (atomic_fetch_add(&s->pieces, 1) == 9)
		atomic_store(&s->cancel, CANCEL_ABORT);
	return 0;
}

/* An abort ends a split whose pieces do not tick: each thread ends the piece that it has begun. */
TEST(test_silent)
{
	struct bench *b = bench(ENGINES, 0, 0);
	struct crew *crew = &b->fake.fw->queues[0]->crew;
	struct nnfw_op_ctx ctx = { .crew = &crew->base, .slots = THREADS };
	struct silent s = { 0 };

	crew->progress->cancel = &s.cancel;
	assert_int_equal(nnfw_split(&ctx, UNITS, 1, silent_piece, &s), -ECANCELED);
	assert_in_range(s.pieces, 10, 10 + THREADS - 1);
	crew->progress->cancel = NULL;
	finish(b);
}

/* More units than a claim has bits for, and none of them empty. */
static int count(void *arg, uint32_t slot, size_t first, size_t end, struct nnfw_progress *progress)
{
	_Atomic size_t *sum = arg;

	(void)slot;
	atomic_fetch_add(sum, end - first);
	return nnfw_progress_tick(progress);
}

TEST(test_huge)
{
	static const size_t units[] = { (1ull << 24) - 1, 1ull << 24, (1ull << 24) + 1,
					3ull << 33 };
	struct bench *b = bench(ENGINES, 0, 0);
	struct nnfw_op_ctx ctx = { .crew = &b->fake.fw->queues[0]->crew.base, .slots = THREADS };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		_Atomic size_t sum = 0;

		assert_int_equal(nnfw_split(&ctx, units[i], 2000, count, &sum), 0);
		assert_true(sum == units[i]);
	}
	finish(b);
}

/* ---- jobs ---- */

static void expect_product(struct bench *b, uint32_t q, uint64_t seqno)
{
	assert_int_equal(fake_wait(&b->fake, q, seqno).status, NNACCEL_STATUS_OK);
	assert_memory_equal(b->out[q], b->expected, M * M * sizeof(uint32_t));
	memset(b->out[q], 0, M * M * sizeof(uint32_t));
}

TEST(test_job)
{
	struct bench *b = bench(ENGINES, 0, 0);

	assert_true(EVENTUALLY(({
		expect_product(b, 0, run(b, 0, false));
		helped(b);
	})));
	finish(b);
}

TEST(test_abort)
{
	struct bench *b = bench(ENGINES, 0, 0);
	uint64_t seqno;

	for (int i = 0; i < 5; i++) {
		seqno = run_forever(b, 0);
		assert_int_equal(nnfw_abort(b->fake.fw, 0, seqno), 0);
		assert_int_equal(fake_wait(&b->fake, 0, seqno).status, NNACCEL_STATUS_ABORTED);
		expect_product(b, 0, run(b, 0, false));
	}
	finish(b);
}

/* On a busy machine helpers rest, and no longer: an operation that began meanwhile has them then.
 */
TEST(test_rest)
{
	struct bench *b = bench(ENGINES, 0, 0);
	struct nnfw *fw = b->fake.fw;
	uint64_t until = (uint64_t)nnutil_monotonic_ns() + REST_NS, seqno;

	atomic_store(&fw->crew_rest_until, until);
	atomic_store(&fw->crew_resting, true);
	seqno = run(b, 0, true);
	while ((uint64_t)nnutil_monotonic_ns() < until)
		assert_true(!helped(b) || (uint64_t)nnutil_monotonic_ns() >= until);
	assert_true(EVENTUALLY(helped(b)));
	assert_int_equal(nnfw_abort(fw, 0, seqno), 0);
	assert_int_equal(fake_wait(&b->fake, 0, seqno).status, NNACCEL_STATUS_ABORTED);
	finish(b);
}

/* A sandbox's filter may refuse the call. Counts calls of threads other than the first. */
static struct {
	_Atomic bool refused;
	_Atomic pid_t job;
	_Atomic uint32_t helpers;
} getcpu_calls;

int sched_getcpu(void)
{
	unsigned int cpu;
	pid_t self, none = 0;

	if (!atomic_load(&getcpu_calls.refused))
		return syscall(SYS_getcpu, &cpu, NULL, NULL) ? -1 : (int)cpu;
	self = gettid();
	if (!atomic_compare_exchange_strong(&getcpu_calls.job, &none, self) && none != self)
		atomic_fetch_add(&getcpu_calls.helpers, 1);
	errno = EPERM;
	return -1;
}

/* Helpers whose processor is not known are in the way of none. */
TEST(test_unknown_processor)
{
	struct bench *b = bench(ENGINES, 0, 0);
	struct nnfw *fw = b->fake.fw;
	uint64_t seqno;

	fw->crew_stays = false;
	atomic_store(&getcpu_calls.refused, true);
	seqno = run(b, 0, true);
	assert_true(EVENTUALLY(atomic_load(&getcpu_calls.helpers)));
	assert_int_equal(nnfw_abort(fw, 0, seqno), 0);
	assert_int_equal(fake_wait(&b->fake, 0, seqno).status, NNACCEL_STATUS_ABORTED);
	assert_true(EVENTUALLY(!atomic_load(&fw->num_helpers)));
	assert_int_equal(atomic_load(&fw->crew_move), 0);
	atomic_store(&getcpu_calls.refused, false);
	finish(b);
}

TEST(test_destroy)
{
	struct bench *b = bench(ENGINES, 0, 0);
	uint64_t seqno = run_forever(b, 0);

	assert_int_equal(nnfw_queue_destroy(b->fake.fw, 0), 0);
	assert_int_equal(fake_wait(&b->fake, 0, seqno).status, NNACCEL_STATUS_CANCELED);
	run_forever(b, 1);
	assert_int_equal(nnfw_context_close(b->fake.fw, 1), 0);
	/* and the core stops beside a third */
	run_forever(b, 2);
	release(b);
}

/*
 * Helpers of a job take no engine from other jobs. On a busy machine an engine that has ended a job
 * may still be held when the next one comes, which then takes a turn of the long job.
 */
TEST(test_beside)
{
	struct bench *b = bench(2, 0, 0);
	uint64_t seqno = run_forever(b, 0);

	for (int i = 0; i < 20 || (i < 1000 && !atomic_load(&b->beside)); i++) {
		expect_product(b, 3, run(b, 3, false));
		expect_product(b, 1, run(b, 1, false));
	}
	assert_true(atomic_load(&b->beside));
	assert_int_equal(nnfw_abort(b->fake.fw, 0, seqno), 0);
	assert_int_equal(fake_wait(&b->fake, 0, seqno).status, NNACCEL_STATUS_ABORTED);
	finish(b);
}

/* With one engine there are no helpers; with as many jobs as engines neither. */
TEST(test_no_engine)
{
	struct bench *b = bench(1, 0, 0);

	b->fake.fw->crew_threads = THREADS;
	for (int i = 0; i < 50; i++) {
		expect_product(b, 0, run(b, 0, false));
		assert_false(helped(b));
	}
	finish(b);
}

/* Preempted at every tick, beside others that are too. */
TEST(test_turns)
{
	struct bench *b = bench(2, 1, 0);
	uint64_t seqno[QUEUES];

	for (uint32_t i = 0; i < 30; i++) {
		for (uint32_t q = 0; q < QUEUES; q++)
			seqno[q] = run(b, q, false);
		for (uint32_t q = 0; q < QUEUES; q++)
			expect_product(b, q, seqno[q]);
		expect_product(b, i % QUEUES, run(b, i % QUEUES, false));
	}
	finish(b);
}

/* Aborts are for between operations there: the operation ends, then the job. */
TEST(test_no_preempt)
{
	struct bench *b = bench(ENGINES, 0, NNFW_CONFIG_NO_PREEMPT);
	uint32_t status;
	uint64_t seqno;

	for (int i = 0; i < 50; i++) {
		seqno = run(b, 0, false);
		nnfw_abort(b->fake.fw, 0, seqno);
		status = fake_wait(&b->fake, 0, seqno).status;
		assert_true(status == NNACCEL_STATUS_OK || status == NNACCEL_STATUS_ABORTED);
	}
	finish(b);
}

struct client {
	struct bench *b;
	uint32_t q;
};

static void *be_client(void *cookie)
{
	struct client *c = cookie;
	uint32_t x = c->q + 1;

	for (int i = 0; i < 60; i++) {
		uint64_t seqno = run(c->b, c->q, false);

		x = x * 1664525u + 1013904223u;
		if (x >> 30 == 0)
			nnfw_abort(c->b->fake.fw, c->q, seqno);
		else if (x >> 30 == 1)
			nnfw_run_here(c->b->fake.fw, c->q, seqno);
		fake_wait(&c->b->fake, c->q, seqno);
	}
	return NULL;
}

TEST(test_stress)
{
	struct bench *b = bench(3, 100000, 0);
	struct client clients[QUEUES];
	pthread_t threads[QUEUES];

	for (uint32_t q = 0; q < QUEUES; q++) {
		clients[q] = (struct client){ b, q };
		assert_int_equal(pthread_create(&threads[q], NULL, be_client, &clients[q]), 0);
	}
	for (uint32_t q = 0; q < QUEUES; q++)
		assert_int_equal(pthread_join(threads[q], NULL), 0);
	for (uint32_t q = 0; q < QUEUES; q++)
		expect_product(b, q, run(b, q, false));
	finish(b);
}

/* ---- loading ---- */

/* Matrices of a program whose loading is worth threads. */
#define WIDE 1024u
#define LAYERS 6u

struct layers {
	struct core_program program;
	float in[WIDE], out[WIDE];
	uint64_t generation;
};

/* That context 0 and its queue may use. */
static struct layers *layers(struct bench *b)
{
	struct layers *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	l->program = program_layers(WIDE, LAYERS);
	for (uint32_t i = 0; i < WIDE; i++)
		l->in[i] = (float)(i % 7) - 3;
	fake_allow(&b->fake, 0, l->program.bytes, l->program.size, false);
	fake_allow(&b->fake, 0, l->in, sizeof(l->in), false);
	fake_allow(&b->fake, 0, l->out, sizeof(l->out), true);
	return l;
}

static void release_layers(struct layers *l)
{
	free(l->program.bytes);
	free(l);
}

static void load_ahead(struct bench *b, struct layers *l)
{
	assert_int_equal(nnfw_program_load(b->fake.fw, 0, (uintptr_t)l->program.bytes,
					   l->program.size, ++l->generation),
			 0);
}

/* A job that loads the program. */
static uint64_t run_layers(struct bench *b, struct layers *l)
{
	struct nnaccel_arg args[2] = {
		{ .addr = (uintptr_t)l->in, .size = sizeof(l->in), .rank = 2, .dims = { 1, WIDE } },
		{ .addr = (uintptr_t)l->out, .size = sizeof(l->out) },
	};
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
				   .num_args = 2,
				   .seqno = ++b->seqno[0],
				   .program_addr = (uintptr_t)l->program.bytes,
				   .program_size = l->program.size,
				   .program_generation = ++l->generation };

	assert_int_equal(nnfw_submit(b->fake.fw, 0, &job, args), 0);
	return job.seqno;
}

static uint64_t loaded(struct bench *b)
{
	return atomic_load(&b->fake.fw->num_loaded);
}

/* Helpers pack ahead of jobs, and the context closes beside them. */
TEST(test_load_ahead)
{
	for (uint32_t i = 0; i < 5; i++) {
		struct bench *b = bench(ENGINES, 0, 0);
		struct crew *crew = &b->fake.fw->contexts[0]->loader.crew;
		struct layers *l = layers(b);

		assert_true(EVENTUALLY(({
			if (loaded(b) == l->generation)
				load_ahead(b, l);
			atomic_load(&crew->ticks) > 0;
		})));
		load_ahead(b, l);
		assert_true(EVENTUALLY(helped(b) || loaded(b) == l->generation));
		assert_int_equal(nnfw_context_close(b->fake.fw, 0), 0);
		finish(b);
		release_layers(l);
	}
}

/* The result is that of a program which one thread has packed. */
TEST(test_load_for_job)
{
	struct bench *alone = bench(1, 0, 0), *b = bench(ENGINES, 0, 0);
	struct layers *wanted = layers(alone), *l = layers(b);
	struct crew *crew = &b->fake.fw->queues[0]->crew;

	assert_int_equal(fake_wait(&alone->fake, 0, run_layers(alone, wanted)).status,
			 NNACCEL_STATUS_OK);
	assert_true(EVENTUALLY(({
		assert_int_equal(fake_wait(&b->fake, 0, run_layers(b, l)).status,
				 NNACCEL_STATUS_OK);
		assert_memory_equal(l->out, wanted->out, sizeof(l->out));
		memset(l->out, 0, sizeof(l->out));
		atomic_load(&crew->ticks) > 0;
	})));
	finish(alone);
	finish(b);
	release_layers(wanted);
	release_layers(l);
}

/* A job that is aborted when it has helpers; how it ended. */
static uint32_t abort_load(struct bench *b, struct layers *l)
{
	struct nnfw *fw = b->fake.fw;
	uint64_t done = atomic_load(&fw->jobs_done), seqno = run_layers(b, l);

	assert_true(EVENTUALLY(helped(b) || atomic_load(&fw->jobs_done) > done));
	nnfw_abort(fw, 0, seqno);
	return fake_wait(&b->fake, 0, seqno).status;
}

TEST(test_load_abort)
{
	struct bench *b = bench(ENGINES, 0, 0);
	struct layers *l = layers(b);
	uint32_t status;

	/* it may have ended before */
	assert_true(EVENTUALLY(({
		status = abort_load(b, l);
		assert_true(status == NNACCEL_STATUS_OK || status == NNACCEL_STATUS_ABORTED);
		status == NNACCEL_STATUS_ABORTED;
	})));
	finish(b);
	release_layers(l);
}

/* ---- how many ---- */

TEST(test_processors)
{
	uint32_t processors = nnutil_processors();

	assert_true(processors >= 1);
	assert_int_equal(nnfw_crew_threads(0, 1), 1);
	assert_int_equal(nnfw_crew_threads(1, 8), 1);
	assert_int_equal(nnfw_crew_threads(0, 1000),
			 processors < NNFW_CREW_SLOTS ? processors : NNFW_CREW_SLOTS);
	assert_int_equal(nnutil_quota("max 100000\n"), UINT32_MAX);
	assert_int_equal(nnutil_quota("100000 100000\n"), 1);
	assert_int_equal(nnutil_quota("100001 100000\n"), 2);
	assert_int_equal(nnutil_quota("1000 100000\n"), 1);
	assert_int_equal(nnutil_quota("800000 100000"), 8);
	assert_int_equal(nnutil_quota(""), UINT32_MAX);
	assert_int_equal(nnutil_quota("1 0"), UINT32_MAX);
	assert_int_equal(nnutil_quota("18446744073709551 1"), UINT32_MAX);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_job),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_destroy),
		cmocka_unit_test(test_beside),
		cmocka_unit_test(test_no_engine),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_no_preempt),
		cmocka_unit_test(test_stress),
		cmocka_unit_test(test_processors),
		cmocka_unit_test(test_unknown_processor),
		cmocka_unit_test(test_load_ahead),
		cmocka_unit_test(test_load_for_job),
		cmocka_unit_test(test_load_abort),
	};

	rounds_init(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
