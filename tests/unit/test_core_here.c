// SPDX-License-Identifier: Apache-2.0
/*
 * Jobs on the thread that waits for them, or that submitted them: when they run there, what stays
 * with the workers, that the engines' number holds, and that the thread is as it was afterwards.
 */
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core_programs.h"
#include "eventually.h"
#include "fake_platform.h"
#include "test_case.h"

#define N 64u
#define QUEUES 8u
/* an operation of some time: M * M * K products */
#define M 256u
#define K 1024u

struct bench {
	struct fake fake;
	struct core_program adds, matmul;
	int32_t *x, *y, *product[QUEUES];
	float in[N], out[QUEUES][N];
	uint64_t seqno[QUEUES];
	uint32_t engines;
	/* the thread of the last turn of each queue */
	_Atomic(pthread_t) ran_on[QUEUES];
	_Atomic uint32_t on, turns[QUEUES];
	_Atomic bool too_many;
	/* a turn of this queue does not begin */
	_Atomic uint32_t held_queue;
	_Atomic bool held;
};

static void on_turn(struct fake *fake, uint32_t queue, uint64_t seqno, bool on)
{
	struct bench *b = fake->hook;

	(void)seqno;
	if (!on) {
		atomic_fetch_sub(&b->on, 1);
		return;
	}
	if (atomic_fetch_add(&b->on, 1) + 1 > b->engines)
		atomic_store(&b->too_many, true);
	atomic_store(&b->ran_on[queue], pthread_self());
	atomic_fetch_add(&b->turns[queue], 1);
	while (atomic_load(&b->held_queue) == queue) {
		atomic_store(&b->held, true);
		usleep(1000); /* clock: polls until the test lets go */
	}
}

static struct bench *bench(uint32_t engines, uint64_t quantum_ns)
{
	struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION,
				      .threads = engines,
				      .quantum_ns = quantum_ns };
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->engines = engines;
	atomic_store(&b->held_queue, ~0u);
	b->fake.hook = b;
	b->fake.on_turn = on_turn;
	b->adds = program_adds(N, 3);
	b->matmul = program_matmul(M, M, K);
	b->x = calloc(M * K, sizeof(*b->x));
	b->y = calloc(K * M, sizeof(*b->y));
	for (uint32_t i = 0; i < N; i++)
		b->in[i] = (float)i;
	fake_start(&b->fake, &config);
	for (uint32_t q = 0; q < QUEUES; q++) {
		b->product[q] = calloc(M * M, sizeof(**b->product));
		assert_int_equal(nnfw_context_open(b->fake.fw, q), 0);
		fake_allow(&b->fake, q, b->in, sizeof(b->in), false);
		fake_allow(&b->fake, q, b->out[q], sizeof(b->out[q]), true);
		fake_allow(&b->fake, q, b->x, M * K * sizeof(*b->x), false);
		fake_allow(&b->fake, q, b->y, K * M * sizeof(*b->y), false);
		fake_allow(&b->fake, q, b->product[q], M * M * sizeof(**b->product), true);
		fake_allow(&b->fake, q, b->adds.bytes, b->adds.size, false);
		fake_allow(&b->fake, q, b->matmul.bytes, b->matmul.size, false);
		assert_int_equal(nnfw_queue_create(b->fake.fw, q, q, 1), 0);
	}
	return b;
}

static void finish(struct bench *b)
{
	fake_stop(&b->fake);
	assert_false(atomic_load(&b->too_many));
	assert_int_equal(atomic_load(&b->on), 0);
	for (uint32_t q = 0; q < QUEUES; q++)
		free(b->product[q]);
	free(b->x);
	free(b->y);
	free(b->adds.bytes);
	free(b->matmul.bytes);
	free(b);
}

typedef int (*submitter)(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *job,
			 const struct nnaccel_arg *args);

static uint64_t add(struct bench *b, uint32_t q, submitter submit)
{
	struct nnaccel_arg args[2] = { { .addr = (uintptr_t)b->in, .size = sizeof(b->in) },
				       { .addr = (uintptr_t)b->out[q],
					 .size = sizeof(b->out[q]) } };
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
				   .num_args = 2,
				   .seqno = ++b->seqno[q],
				   .program_addr = (uintptr_t)b->adds.bytes,
				   .program_size = b->adds.size };

	assert_int_equal(submit(b->fake.fw, q, &job, args), 0);
	return job.seqno;
}

static uint64_t multiply(struct bench *b, uint32_t q, submitter submit)
{
	struct nnaccel_arg args[3] = { { .addr = (uintptr_t)b->x, .size = M * K * sizeof(*b->x) },
				       { .addr = (uintptr_t)b->y, .size = K * M * sizeof(*b->y) },
				       { .addr = (uintptr_t)b->product[q],
					 .size = M * M * sizeof(**b->product) } };
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
				   .num_args = 3,
				   .seqno = ++b->seqno[q],
				   .program_addr = (uintptr_t)b->matmul.bytes,
				   .program_size = b->matmul.size };

	assert_int_equal(submit(b->fake.fw, q, &job, args), 0);
	return job.seqno;
}

static bool ran_here(struct bench *b, uint32_t q)
{
	return pthread_equal(atomic_load(&b->ran_on[q]), pthread_self());
}

static uint64_t ended(struct bench *b, uint32_t q)
{
	uint64_t seqno;

	pthread_mutex_lock(&b->fake.lock);
	seqno = b->fake.seqno[q];
	pthread_mutex_unlock(&b->fake.lock);
	return seqno;
}

static void expect_ok(struct bench *b, uint32_t q, uint64_t seqno)
{
	assert_int_equal(fake_wait(&b->fake, q, seqno).status, NNACCEL_STATUS_OK);
	for (uint32_t i = 0; i < N; i++)
		assert_true(b->out[q][i] == 4 * b->in[i]);
}

static void hold(struct bench *b, uint32_t q)
{
	atomic_store(&b->held_queue, q);
	add(b, q, nnfw_submit);
	assert_true(EVENTUALLY(atomic_load(&b->held)));
}

static void let_go(struct bench *b)
{
	atomic_store(&b->held_queue, ~0u);
}

/* Nothing else: the job has ended on return, and this thread has run it. */
TEST(test_alone)
{
	struct bench *b = bench(1, 0);
	uint64_t seqno = 0;

	for (int i = 0; i < 100; i++) {
		seqno = add(b, 1, nnfw_submit_here);
		nnfw_run_here(b->fake.fw, 1, seqno);
		/* a worker that was awake may have taken it */
		expect_ok(b, 1, seqno);
	}
	assert_true(EVENTUALLY(({
		seqno = add(b, 1, nnfw_submit_here);
		nnfw_run_here(b->fake.fw, 1, seqno);
		ended(b, 1) == seqno &&ran_here(b, 1);
	})));
	/* later jobs are not this thread's */
	seqno = add(b, 1, nnfw_submit_here);
	multiply(b, 1, nnfw_submit_here);
	nnfw_run_here(b->fake.fw, 1, seqno);
	expect_ok(b, 1, seqno);
	/* the call left it to a worker */
	assert_int_equal(fake_wait(&b->fake, 1, seqno + 1).status, NNACCEL_STATUS_OK);
	finish(b);
}

/* No engine is free: the call returns, and a worker runs the job when there is one. */
TEST(test_no_engine)
{
	struct bench *b = bench(1, 0);
	uint64_t seqno;

	hold(b, 2);
	seqno = add(b, 1, nnfw_submit_here);
	nnfw_run_here(b->fake.fw, 1, seqno);
	assert_int_equal(ended(b, 1), 0);
	let_go(b);
	expect_ok(b, 1, seqno);
	assert_false(ran_here(b, 1));
	expect_ok(b, 2, 1);
	finish(b);
}

/* Another queue came first: its job is not passed, and not this thread's. */
TEST(test_in_turn)
{
	struct bench *b = bench(1, 0);
	uint64_t seqno;

	for (int i = 0; i < 100; i++) {
		add(b, 4, nnfw_submit_here);
		seqno = add(b, 3, nnfw_submit_here);
		nnfw_run_here(b->fake.fw, 3, seqno);
		expect_ok(b, 4, b->seqno[4]);
		expect_ok(b, 3, seqno);
		assert_false(ran_here(b, 4));
	}
	finish(b);
}

/* A long job on this thread gives its turn to others, and goes on afterwards. */
TEST(test_preempted)
{
	struct bench *b = bench(1, 100000);
	uint64_t seqno;

	assert_true(EVENTUALLY(({
		atomic_store(&b->turns[3], 0);
		seqno = multiply(b, 3, nnfw_submit_here);
		add(b, 4, nnfw_submit_here);
		nnfw_run_here(b->fake.fw, 3, seqno);
		assert_int_equal(fake_wait(&b->fake, 3, seqno).status, NNACCEL_STATUS_OK);
		expect_ok(b, 4, b->seqno[4]);
		atomic_load(&b->turns[3]) > 1 && ran_here(b, 3);
	})));
	finish(b);
}

static void *abort_it(void *cookie)
{
	struct bench *b = cookie;

	while (!atomic_load(&b->turns[1]))
		usleep(100);
	return (void *)(intptr_t)nnfw_abort(b->fake.fw, 1, 1);
}

static void *destroy_it(void *cookie)
{
	struct bench *b = cookie;

	while (!atomic_load(&b->turns[1]))
		usleep(100);
	return (void *)(intptr_t)nnfw_queue_destroy(b->fake.fw, 1);
}

/* Another thread ends the job that this thread runs. */
static void check_ended(void *(*by)(void *), uint32_t status)
{
	struct bench *b = bench(1, 0);
	uint32_t got;
	pthread_t thread;
	uint64_t seqno;
	void *ret;

	assert_int_equal(pthread_create(&thread, NULL, by, b), 0);
	seqno = multiply(b, 1, nnfw_submit_here);
	nnfw_run_here(b->fake.fw, 1, seqno);
	got = fake_wait(&b->fake, 1, seqno).status;
	assert_int_equal(pthread_join(thread, &ret), 0);
	/* a fast machine is done before */
	assert_true(got == status || got == NNACCEL_STATUS_OK);
	assert_true(!ret || (got == NNACCEL_STATUS_OK && (intptr_t)ret == -ENOENT));
	finish(b);
}

TEST(test_abort)
{
	check_ended(abort_it, NNACCEL_STATUS_ABORTED);
}

TEST(test_destroy)
{
	check_ended(destroy_it, NNACCEL_STATUS_CANCELED);
}

/* Queues that are not there, and jobs that are not. */
TEST(test_nothing)
{
	struct bench *b = bench(1, 0);

	nnfw_run_here(b->fake.fw, 1, 1);
	nnfw_run_here(b->fake.fw, NNACCEL_MAX_QUEUES, 1);
	assert_int_equal(nnfw_queue_destroy(b->fake.fw, 1), 0);
	nnfw_run_here(b->fake.fw, 1, 1);
	finish(b);
}

/*
 * The thread's floating-point state is not the operation's, nor is the operation's the thread's;
 * also not that of the thread that made the workers.
 */
TEST(test_float_state)
{
	static const float tiny = 1e-40f; /* subnormal: lost where such numbers are 0 */
	const int round = fegetround();
	struct bench *b;
	uint64_t seqno;

	assert_int_equal(fesetround(FE_UPWARD), 0);
#ifdef __SSE2__
	__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); /* to zero: results, operands */
#endif
	b = bench(1, 0);
	for (uint32_t i = 0; i < N; i++)
		b->in[i] = i % 2 ? 16777217.0f / 3 : tiny;
	for (int here = 0; here < 2; here++) {
		memset(b->out[1], 0, sizeof(b->out[1]));
		seqno = add(b, 1, here ? nnfw_submit_here : nnfw_submit);
		if (here)
			nnfw_run_here(b->fake.fw, 1, seqno);
		fake_wait(&b->fake, 1, seqno);
		assert_int_equal(fegetround(), FE_UPWARD);
#ifdef __SSE2__
		assert_int_equal(__builtin_ia32_stmxcsr() & 0x8040, 0x8040);
		__builtin_ia32_ldmxcsr(0x1f80);
#endif
		assert_int_equal(fesetround(round), 0);
		for (uint32_t i = 0; i < N; i++) {
			volatile float sum = b->in[i];

			for (int step = 0; step < 3; step++)
				sum += b->in[i];
			assert_true(b->out[1][i] == sum);
			assert_true(b->out[1][i] != 0);
		}
		assert_int_equal(fesetround(FE_UPWARD), 0);
#ifdef __SSE2__
		__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
	}
#ifdef __SSE2__
	__builtin_ia32_ldmxcsr(0x1f80);
#endif
	assert_int_equal(fesetround(round), 0);
	finish(b);
}

static void *cancelled(void *cookie)
{
	struct bench *b = cookie;
	uint64_t seqno = multiply(b, 1, nnfw_submit_here);

	pthread_cancel(pthread_self());
	nnfw_run_here(b->fake.fw, 1, seqno);
	pthread_testcancel();
	return NULL;
}

/* The thread is cancelled when it has given the engine back. */
TEST(test_cancelled_thread)
{
	struct bench *b = bench(1, 0);
	pthread_t thread;
	void *ret;

	assert_int_equal(pthread_create(&thread, NULL, cancelled, b), 0);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_ptr_equal(ret, PTHREAD_CANCELED);
	assert_int_equal(fake_wait(&b->fake, 1, 1).status, NNACCEL_STATUS_OK);
	expect_ok(b, 2, add(b, 2, nnfw_submit));
	finish(b);
}

/* Jobs of all queues on the thread that submitted them, whatever their order. */
TEST(test_work)
{
	struct bench *b = bench(1, 0);

	assert_true(EVENTUALLY(({
		bool here = true;

		nnfw_work_begin(b->fake.fw);
		for (uint32_t q = 0; q < QUEUES; q++) {
			add(b, q, nnfw_submit_here);
			add(b, q, nnfw_submit_here);
		}
		nnfw_work(b->fake.fw);
		/* a worker that was awake may have taken some */
		for (uint32_t q = 0; q < QUEUES; q++) {
			expect_ok(b, q, b->seqno[q]);
			here &= ran_here(b, q);
		}
		here;
	})));
	finish(b);
}

/* While one thread runs a job another one submits: the job is not forgotten, and not run twice. */
static void *be_visitor(void *cookie)
{
	struct bench *b = cookie;

	nnfw_work_begin(b->fake.fw);
	add(b, 2, nnfw_submit_here);
	nnfw_work(b->fake.fw);
	return NULL;
}

TEST(test_work_and_submit)
{
	struct bench *b = bench(1, 0);
	pthread_t thread;

	atomic_store(&b->held_queue, 2);
	assert_int_equal(pthread_create(&thread, NULL, be_visitor, b), 0);
	assert_true(EVENTUALLY(atomic_load(&b->held)));
	add(b, 1, nnfw_submit);
	assert_int_equal(ended(b, 1), 0);
	let_go(b);
	expect_ok(b, 1, 1);
	expect_ok(b, 2, 1);
	assert_int_equal(pthread_join(thread, NULL), 0);
	finish(b);
}

struct ending {
	struct bench *b;
	_Atomic bool over;
};

static void *destroy(void *cookie)
{
	struct ending *e = cookie;

	finish(e->b);
	atomic_store(&e->over, true);
	return NULL;
}

/* The firmware stays until a thread that announced itself has come and gone. */
TEST(test_work_destroy)
{
	struct bench *b = bench(1, 0);
	struct ending ending = { .b = b };
	struct nnfw *fw = b->fake.fw;
	pthread_t thread;

	nnfw_work_begin(fw);
	multiply(b, 1, nnfw_submit_here);
	assert_int_equal(pthread_create(&thread, NULL, destroy, &ending), 0);
	assert_false(atomic_load(&ending.over));
	nnfw_work(fw);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

struct client {
	struct bench *b;
	uint32_t q;
	bool here, ok;
};

static void *be_client(void *cookie)
{
	struct client *c = cookie;

	for (int i = 0; i < 300; i++) {
		bool here = c->here || i % 3;
		uint64_t seqno = add(c->b, c->q, here ? nnfw_submit_here : nnfw_submit);

		if (here)
			nnfw_run_here(c->b->fake.fw, c->q, seqno);
		c->ok &= fake_wait(&c->b->fake, c->q, seqno).status == NNACCEL_STATUS_OK;
	}
	return NULL;
}

/* More clients than engines, of both kinds. */
TEST(test_many)
{
	for (uint32_t engines = 1; engines <= 2; engines++) {
		struct bench *b = bench(engines, 0);
		struct client clients[QUEUES];
		pthread_t threads[QUEUES];

		for (uint32_t q = 0; q < QUEUES; q++) {
			clients[q] = (struct client){ b, q, q % 2, true };
			assert_int_equal(pthread_create(&threads[q], NULL, be_client, &clients[q]),
					 0);
		}
		for (uint32_t q = 0; q < QUEUES; q++) {
			assert_int_equal(pthread_join(threads[q], NULL), 0);
			assert_true(clients[q].ok);
		}
		finish(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_no_engine),
		cmocka_unit_test(test_in_turn),
		cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_destroy),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_float_state),
		cmocka_unit_test(test_cancelled_thread),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_work_and_submit),
		cmocka_unit_test(test_work_destroy),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("core-here", tests, NULL, NULL);
}
