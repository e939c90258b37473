// SPDX-License-Identifier: Apache-2.0
/*
 * IF and WHILE in the firmware's core: values, shapes, limits, memory, and other jobs that run at
 * the same time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "control_programs.h"
#include "fake_platform.h"
#include "test_case.h"

#define N 256

/** Contexts 1 and 2 with a queue each, and memory for arguments. */
struct bench {
	struct fake fake;
	struct core_program program;
	uint64_t seqno[3];
	struct {
		struct nnaccel_result head;
		struct nnaccel_output_shape outputs[2];
		struct nnaccel_op_time times[8];
	} result;
	bool timed; /* jobs want the times of operations */
	_Alignas(64) float x[N];
	_Alignas(64) float out[2 * N];
	_Alignas(64) int32_t left[4];
	_Alignas(64) int32_t k[4];
	_Alignas(64) uint8_t flag[4];
	_Atomic uint64_t steps; /* progress of queue 1 */
	uint64_t abort_at;
	struct nnaccel_arg args[4];
	uint64_t loop_ns;
};

static void on_progress(struct fake *fake, uint32_t queue, uint64_t progress, uint64_t seqno)
{
	struct bench *b = fake->hook;

	if (queue != 1)
		return;
	atomic_store(&b->steps, progress);
	if (progress == b->abort_at)
		nnfw_abort(fake->fw, queue, seqno);
}

static struct bench *bench(struct core_program p, uint64_t arena_limit)
{
	struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION, .arena_limit = arena_limit };
	struct bench *b = aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64);

	assert_non_null(b);
	memset(b, 0, sizeof(*b));
	b->fake.hook = b;
	b->fake.on_progress = on_progress;
	fake_start(&b->fake, &config);
	b->program = p;
	for (uint32_t i = 1; i <= 2; i++) {
		assert_int_equal(nnfw_context_open(b->fake.fw, i), 0);
		assert_int_equal(nnfw_queue_create(b->fake.fw, i, i, 1), 0);
		fake_allow(&b->fake, i, p.bytes, p.size, false);
		fake_allow(&b->fake, i, &b->result, sizeof(b->result), true);
		fake_allow(&b->fake, i, b->x, sizeof(b->x), false);
		fake_allow(&b->fake, i, b->k, sizeof(b->k), false);
		fake_allow(&b->fake, i, b->flag, sizeof(b->flag), false);
		fake_allow(&b->fake, i, b->out, sizeof(b->out), true);
		fake_allow(&b->fake, i, b->left, sizeof(b->left), true);
	}
	for (uint32_t i = 0; i < N; i++)
		b->x[i] = (float)i;
	return b;
}

static void finish(struct bench *b)
{
	fake_stop(&b->fake);
	free(b->program.bytes);
	free(b);
}

static struct nnaccel_arg arg(const void *p, uint64_t size, uint32_t extent)
{
	return (struct nnaccel_arg){
		.addr = (uintptr_t)p, .size = size, .rank = extent ? 1 : 0, .dims = { extent }
	};
}

static uint64_t submit(struct bench *b, uint32_t queue, uint32_t num_args)
{
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
				   .num_args = num_args,
				   .loop_ns = b->loop_ns,
				   .program_addr = (uintptr_t)b->program.bytes,
				   .program_size = b->program.size,
				   .seqno = ++b->seqno[queue] };

	if (queue == 1) {
		job.result_addr = (uintptr_t)&b->result;
		job.result_size =
			(uint32_t)(sizeof(b->result) - (b->timed ? 0 : sizeof(b->result.times)));
	}
	assert_int_equal(nnfw_submit(b->fake.fw, queue, &job, b->args), 0);
	return job.seqno;
}

static void expect(struct bench *b, uint32_t num_args, uint32_t status, const char *text)
{
	struct nnaccel_completion c = fake_wait(&b->fake, 1, submit(b, 1, num_args));
	const char *message = (const char *)b->result.head.text;

	if (c.status != status || !strstr(message, text))
		fail_msg("status %u \"%s\", not %u \"%s\"", c.status, message, status, text);
	assert_int_equal(b->result.head.status, status);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void check_if(struct bench *b, uint32_t n)
{
	static const uint8_t flags[] = { 0, 1, 2, 255 };

	for (uint32_t i = 0; i < 4; i++) {
		memset(b->out, 0, sizeof(b->out));
		b->flag[0] = flags[i];
		b->args[0] = arg(b->flag, 1, 0);
		b->args[1] = arg(b->x, n * 4, n);
		b->args[2] = arg(b->out, n * 4, 0);
		expect(b, 3, NNACCEL_STATUS_OK, "");
		for (uint32_t k = 0; k < n; k++)
			assert_true(b->out[k] ==
				    (flags[i] ? b->x[k] + b->x[k] : b->x[k] * b->x[k]));
		assert_int_equal(b->result.outputs[0].dims[0], n);
	}
}

TEST(test_if)
{
	static const uint32_t extents[][2] = {
		{ 5, 5 }, { 5, UNKNOWN }, { UNKNOWN, UNKNOWN }, { UNKNOWN, 5 }
	};

	for (size_t i = 0; i < 4; i++) {
		struct bench *b = bench(program_if(extents[i][0], extents[i][1]), 0);

		check_if(b, 5);
		b->args[2] = arg(b->out, 19, 0);
		expect(b, 3, NNACCEL_STATUS_OUTPUT_INSUFFICIENT, "needs 20 bytes");
		assert_int_equal(b->result.outputs[0].flags, NNACCEL_OUTPUT_KNOWN);
		assert_int_equal(b->result.outputs[0].dims[0], 5);
		finish(b);
	}
}

/* The branch declares another shape than that of its argument. */
TEST(test_other_shape)
{
	struct bench *b = bench(program_if(UNKNOWN, 5), 0);

	b->flag[0] = 1;
	b->args[0] = arg(b->flag, 1, 0);
	b->args[1] = arg(b->x, 24, 6);
	b->args[2] = arg(b->out, 24, 0);
	expect(b, 3, NNACCEL_STATUS_EXEC_FAILED,
	       "operation 0 (IF): input 0 has another shape than subgraph 1");
	assert_int_equal(b->result.head.operation, 0);
	assert_int_equal(b->result.head.subgraph, 0);
	b->args[0] = (struct nnaccel_arg){ .flags = NNACCEL_ARG_OMITTED };
	expect(b, 3, NNACCEL_STATUS_BAD_ARGUMENT, "the condition is omitted");
	b->args[0] = arg(b->flag, 1, 0);
	b->args[1] = (struct nnaccel_arg){ .flags = NNACCEL_ARG_OMITTED };
	expect(b, 3, NNACCEL_STATUS_BAD_ARGUMENT,
	       "subgraph 1: operation 0 (BINARY): needs its input 0");
	finish(b);
}

static void count(struct bench *b, uint32_t n, int32_t k)
{
	memset(b->out, 0, sizeof(b->out));
	b->left[0] = -1;
	b->k[0] = k;
	b->args[0] = arg(b->x, n * 4, n);
	b->args[1] = arg(b->k, 4, 0);
	b->args[2] = arg(b->out, n * 4, 0);
	b->args[3] = arg(b->left, 4, 0);
	expect(b, 4, NNACCEL_STATUS_OK, "");
	for (uint32_t i = 0; i < n; i++)
		assert_true(b->out[i] == b->x[i] + (float)k);
	assert_int_equal(b->left[0], 0);
}

/* A loop needs all of its inputs, though no operation inside may read one. */
TEST(test_omitted_value)
{
	struct bench *b = bench(program_count(7, 7), 0);

	b->args[0] = arg(b->x, 28, 7);
	b->args[1] = (struct nnaccel_arg){ .flags = NNACCEL_ARG_OMITTED };
	b->args[2] = arg(b->out, 28, 0);
	b->args[3] = arg(b->left, 4, 0);
	expect(b, 4, NNACCEL_STATUS_BAD_ARGUMENT, "operation 0 (WHILE): needs its input");
	finish(b);
}

TEST(test_count)
{
	static const uint32_t extents[][2] = {
		{ 7, 7 }, { 7, UNKNOWN }, { UNKNOWN, UNKNOWN }, { UNKNOWN, 7 }
	};

	for (size_t i = 0; i < 4; i++) {
		struct bench *b = bench(program_count(extents[i][0], extents[i][1]), 0);
		uint64_t peak;

		count(b, 7, 0);
		count(b, 7, 1);
		count(b, 7, 2);
		count(b, 7, 10);
		peak = b->result.head.arena_peak;
		assert_true(peak > 0);
		count(b, 7, 5000);
		assert_int_equal(b->result.head.arena_peak, peak);
		finish(b);
	}
}

/* An operation in a loop has one entry, with the number of its times. */
TEST(test_times_in_loop)
{
	struct bench *b = bench(program_count(7, 7), 0);
	uint32_t condition = 0, body = 0;

	b->timed = true;
	b->k[0] = 5;
	b->args[0] = arg(b->x, 28, 7);
	b->args[1] = arg(b->k, 4, 0);
	b->args[2] = arg(b->out, 28, 0);
	b->args[3] = arg(b->left, 4, 0);
	expect(b, 4, NNACCEL_STATUS_OK, "");
	assert_in_range(b->result.head.num_op_times, 2, 8);
	for (uint32_t i = 0; i < b->result.head.num_op_times; i++) {
		const struct nnaccel_op_time *t = &b->result.times[i];

		/* main has the WHILE alone, which is none of the operations that take time */
		assert_int_not_equal(t->subgraph, 0);
		assert_true(t->times == 5 || t->times == 6);
		condition += t->times == 6;
		body += t->times == 5;
	}
	assert_true(condition && body);
	finish(b);
}

/* Tensors of no elements go through branches and loops as others do, and may grow there. */
TEST(test_empty)
{
	const struct nnaccel_arg none = { .rank = 1 };
	struct bench *b = bench(program_if(UNKNOWN, UNKNOWN), 0);

	b->args[0] = arg(b->flag, 1, 0);
	b->args[1] = none;
	b->args[2] = arg(b->out, 1, 0);
	expect(b, 3, NNACCEL_STATUS_OK, "");
	assert_int_equal(b->result.outputs[0].rank, 1);
	assert_int_equal(b->result.outputs[0].dims[0], 0);
	finish(b);
	b = bench(program_count(UNKNOWN, UNKNOWN), 0);
	for (b->k[0] = 0; b->k[0] < 4; b->k[0]++) {
		b->args[0] = none;
		b->args[1] = arg(b->k, 4, 0);
		b->args[2] = arg(b->out, 1, 0);
		b->args[3] = arg(b->left, 4, 0);
		expect(b, 4, NNACCEL_STATUS_OK, "");
		assert_int_equal(b->result.outputs[0].dims[0], 0);
	}
	finish(b);
	b = bench(program_grow(UNKNOWN), 0);
	for (b->k[0] = 0; b->k[0] < 4; b->k[0]++) {
		b->args[0] = none;
		b->args[1] = arg(b->k, 4, 0);
		b->args[2] = arg(b->out, sizeof(b->out), 0);
		expect(b, 3, NNACCEL_STATUS_OK, "");
		assert_int_equal(b->result.outputs[0].dims[0], 3 * b->k[0]);
		for (int32_t i = 0; i < 3 * b->k[0]; i++)
			assert_true(b->out[i] == (float)(7 + i % 3));
	}
	finish(b);
}

TEST(test_grow)
{
	static const uint32_t extents[] = { 4, UNKNOWN };

	for (size_t i = 0; i < 2; i++) {
		struct bench *b = bench(program_grow(extents[i]), 0);

		for (int32_t k = 0; k < 100; k += 11) {
			uint32_t n = 4 + 3 * (uint32_t)k;

			b->k[0] = k;
			b->args[0] = arg(b->x, 16, 4);
			b->args[1] = arg(b->k, 4, 0);
			b->args[2] = arg(b->out, sizeof(b->out), 0);
			expect(b, 3, NNACCEL_STATUS_OK, "");
			assert_int_equal(b->result.outputs[0].dims[0], n);
			for (uint32_t j = 0; j < n; j++)
				assert_true(b->out[j] ==
					    (j < 4 ? b->x[j] : (float)(7 + (j - 4) % 3)));
		}
		/* the last values and those before, rounded up, and what the frames take */
		assert_true(b->result.head.arena_peak < 8192 + 2 * 4 * (4 + 3 * 99));
		b->args[2] = arg(b->out, 4 * 30, 0);
		expect(b, 3, NNACCEL_STATUS_OUTPUT_INSUFFICIENT, "needs 1204 bytes");
		assert_int_equal(b->result.outputs[0].dims[0], 301);
		finish(b);
	}
}

/* Two thousand iterations that grow, in an arena that could hold few of them side by side. */
TEST(test_grow_in_little)
{
	struct bench *b = bench(program_grow(UNKNOWN), 96 << 10);

	b->k[0] = 2000;
	b->args[0] = arg(b->x, 16, 4);
	b->args[1] = arg(b->k, 4, 0);
	b->args[2] = arg(b->out, sizeof(b->out), 0);
	expect(b, 3, NNACCEL_STATUS_OUTPUT_INSUFFICIENT, "needs 24016 bytes");
	b->k[0] = 20000;
	expect(b, 3, NNACCEL_STATUS_NO_MEMORY, "no room for");
	b->k[0] = 3;
	expect(b, 3, NNACCEL_STATUS_OK, "");
	finish(b);
}

TEST(test_nested)
{
	static const int32_t turns[][2] = { { 0, 5 }, { 5, 0 }, { 1, 1 }, { 7, 11 }, { 100, 30 } };
	struct bench *b = bench(program_nested(), 0);

	for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		b->k[0] = turns[i][0];
		b->k[1] = turns[i][1];
		b->args[0] = arg(b->x + 3, 4, 0);
		b->args[1] = arg(&b->k[0], 4, 0);
		b->args[2] = arg(&b->k[1], 4, 0);
		b->args[3] = arg(b->out, 4, 0);
		expect(b, 4, NNACCEL_STATUS_OK, "");
		assert_true(b->out[0] == 3 + (float)(turns[i][0] * turns[i][1]));
	}
	finish(b);
}

TEST(test_limit)
{
	struct bench *b = bench(program_endless(), 0);
	uint64_t began;

	b->args[0] = arg(b->x + 1, 4, 0);
	b->args[1] = arg(b->out, 4, 0);
	b->loop_ns = 1000000;
	for (int i = 0; i < 3; i++) {
		began = now();
		expect(b, 2, NNACCEL_STATUS_LOOP_TIMEOUT,
		       "operation 0 (WHILE): has not ended within 1000000 ns");
		assert_true(now() - began >= 1000000);
		assert_true(now() - began < 1000000000);
		assert_true(atomic_load(&b->steps) > 10);
	}
	/* 0 is the default; a clock that takes 1 ms a look gets there in about 2000 turns */
	b->loop_ns = 0;
	b->fake.clock_step = 1000000;
	atomic_store(&b->steps, 0);
	expect(b, 2, NNACCEL_STATUS_LOOP_TIMEOUT, "2000000000 ns");
	b->fake.clock_step = 0;
	/* nothing is left of it */
	b->args[0] = arg(b->x, 4, 0);
	expect(b, 2, NNACCEL_STATUS_OK, "");
	assert_true(b->out[0] == 0);
	b->loop_ns = NNACCEL_LOOP_NS_MAX + 1;
	expect(b, 2, NNACCEL_STATUS_BAD_ARGUMENT, "too long");
	finish(b);
}

/* A loop inside another does not outlive it. */
TEST(test_limit_of_outer)
{
	struct bench *b = bench(program_endless_inside(), 0);

	b->args[0] = arg(b->x + 1, 4, 0);
	b->args[1] = arg(b->k, 4, 0);
	b->args[2] = arg(b->out, 4, 0);
	b->k[0] = 3;
	b->loop_ns = 2000000;
	expect(b, 3, NNACCEL_STATUS_LOOP_TIMEOUT, "subgraph 2: operation 0 (WHILE)");
	finish(b);
}

TEST(test_abort)
{
	struct bench *b = bench(program_endless(), 0);

	b->args[0] = arg(b->x + 1, 4, 0);
	b->args[1] = arg(b->out, 4, 0);
	b->loop_ns = NNACCEL_LOOP_NS_MAX;
	for (uint64_t at = 2; at < 20; at++) {
		b->abort_at = atomic_load(&b->steps) + at;
		expect(b, 2, NNACCEL_STATUS_ABORTED, "aborted");
		assert_int_equal(atomic_load(&b->steps), b->abort_at);
	}
	finish(b);
}

/*
 * One worker, one queue in an endless loop: another client's jobs are done within milliseconds
 * each.
 */
TEST(test_others_meanwhile)
{
	struct bench *b = bench(program_endless(), 0);
	struct core_program other = program_adds(8, 3);
	struct nnaccel_arg args[2];
	struct nnaccel_completion c;

	fake_allow(&b->fake, 2, other.bytes, other.size, false);
	b->args[0] = arg(b->x + 1, 4, 0);
	b->args[1] = arg(b->out, 4, 0);
	b->loop_ns = NNACCEL_LOOP_NS_MAX;
	submit(b, 1, 2);
	while (!atomic_load(&b->steps))
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	args[0] = arg(b->x, 32, 0);
	args[1] = arg(b->out + N, 32, 0);
	for (uint64_t i = 1; i <= 10; i++) {
		struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
					   .num_args = 2,
					   .seqno = i,
					   .program_addr = (uintptr_t)other.bytes,
					   .program_size = other.size };

		memset(b->out + N, 0, 32);
		assert_int_equal(nnfw_submit(b->fake.fw, 2, &job, args), 0);
		assert_int_equal(fake_wait(&b->fake, 2, i).status, NNACCEL_STATUS_OK);
		assert_true(b->out[N + 7] == 28);
	}
	assert_int_equal(b->fake.seqno[1], 0);
	assert_int_equal(nnfw_abort(b->fake.fw, 1, 1), 0);
	c = fake_wait(&b->fake, 1, 1);
	assert_int_equal(c.status, NNACCEL_STATUS_ABORTED);
	finish(b);
	free(other.bytes);
}

/**
 * condition, x [4], shape INT32 [2] -> RESHAPE inside the branch, by a value that came through IF.
 */
static struct core_program program_reshape_inside(void)
{
	struct nnprog_builder *b = control_begin();
	uint32_t c = control_vector(b, NNPROG_BOOL8, NNPROG_INPUT, 1);
	uint32_t x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 4);
	uint32_t s = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 2);
	uint32_t out = control_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL);

	control_if(b, 1, 1, CONTROL_LIST(c, x, s), &out, 1);
	control_io(b, CONTROL_LIST(c, x, s), &out, 1);
	control_graph(b);
	x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, 4);
	s = control_vector(b, NNPROG_INT32, NNPROG_INPUT, 2);
	out = control_tensor(b, NNPROG_FLOAT32, NNPROG_OUTPUT, NNPROG_RANK_UNKNOWN, NULL);
	control_op(b, NNPROG_OP_RESHAPE, NULL, 0, CONTROL_LIST(x, s), &out, 1);
	control_io(b, CONTROL_LIST(x, s), &out, 1);
	return control_end(b);
}

/** The client changes a value that a rule will read, once the firmware may have read it. */
static void scribble(struct fake *fake, uint32_t context, uint64_t addr, uint64_t len)
{
	struct bench *b = fake->hook;

	(void)context;
	if (addr == (uintptr_t)b->k)
		memset(b->k, 0x7f, len);
}

TEST(test_read_once)
{
	struct bench *b = bench(program_reshape_inside(), 0);

	b->fake.on_unmap = scribble;
	b->k[0] = 4;
	b->k[1] = 1;
	b->args[0] = arg(b->flag, 1, 0);
	b->args[1] = arg(b->x, 16, 0);
	b->args[2] = arg(b->k, 8, 0);
	b->args[3] = arg(b->out, 16, 0);
	expect(b, 4, NNACCEL_STATUS_OK, "");
	assert_int_equal(b->k[0], 0x7f7f7f7f);
	assert_int_equal(b->result.outputs[0].rank, 2);
	assert_int_equal(b->result.outputs[0].dims[0], 4);
	assert_int_equal(b->result.outputs[0].dims[1], 1);
	assert_memory_equal(b->out, b->x, 16);
	finish(b);
}

#define TORN_RUNS 200u

struct torn_client {
	struct bench *bench;
	atomic_bool stop;
	pthread_t thread;
};

/* Everything that a client can write while its job runs. These races are the test's subject. */
static __attribute__((no_sanitize("thread"))) void *torn_client_main(void *cookie)
{
	static const int32_t values[] = { 0, 1, 2, 40, -1, INT32_MIN, INT32_MAX, 0x7fc00000 };
	struct torn_client *client = cookie;
	struct bench *b = client->bench;
	const struct {
		void *at;
		uint32_t words;
	} places[] = {
		{ b->x, 8 }, { b->k, 2 }, { b->flag, 1 }, { b->out, 64 }, { b->left, 1 },
	};
	uint64_t state = 88172645463325252ull;

	while (!atomic_load_explicit(&client->stop, memory_order_relaxed)) {
		uint32_t place;
		volatile int32_t *word;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		place = (uint32_t)(state >> 40) % 5;
		word = (int32_t *)places[place].at + (state >> 20) % places[place].words;
		*word = values[state % 8];
	}
	return NULL;
}

/* Counters, conditions and values of IF and WHILE that a client changes all the time. */
TEST(test_torn)
{
	const struct core_program programs[] = {
		program_if(8, UNKNOWN), program_count(8, 8), program_count(UNKNOWN, UNKNOWN),
		program_grow(UNKNOWN),	program_nested(),    program_endless_inside(),
	};
	/* of x, and of the second argument */
	static const uint32_t inputs[] = { 0, 2, 2, 2, 3, 2 };

	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		struct bench *b = bench(programs[i], 0);
		struct torn_client client = { .bench = b };
		uint32_t num_args = 0;

		/* each look at the clock takes a millisecond: a loop ends after some 30 turns */
		b->fake.clock_step = 1000000;
		b->loop_ns = 30000000;
		if (!inputs[i])
			b->args[num_args++] = arg(b->flag, 1, 0);
		b->args[num_args++] = i < 4 ? arg(b->x, 32, 8) : arg(b->x, 4, 0);
		for (uint32_t k = 1; k < inputs[i]; k++)
			b->args[num_args++] = arg(&b->k[k - 1], 4, 0);
		b->args[num_args++] = arg(b->out, i < 4 ? sizeof(b->out) : 4, 0);
		if (i == 1 || i == 2)
			b->args[num_args++] = arg(b->left, 4, 0);
		assert_int_equal(pthread_create(&client.thread, NULL, torn_client_main, &client),
				 0);
		for (uint32_t run = 0; run < TORN_RUNS; run++) {
			struct nnaccel_completion c =
				fake_wait(&b->fake, 1, submit(b, 1, num_args));

			if (c.status != NNACCEL_STATUS_OK &&
			    c.status != NNACCEL_STATUS_LOOP_TIMEOUT)
				fail_msg("program %zu, run %u: status %u \"%s\"", i, run, c.status,
					 (const char *)b->result.head.text);
		}
		atomic_store(&client.stop, true);
		assert_int_equal(pthread_join(client.thread, NULL), 0);
		finish(b);
	}
}

/** IFs inside each other, as deep as may be: x -> x + x in the innermost. */
static struct core_program program_deep(void)
{
	struct nnprog_builder *b = control_begin();
	uint32_t c, x, out;

	for (uint32_t depth = 1; depth <= NNPROG_MAX_DEPTH; depth++) {
		if (depth > 1)
			control_graph(b);
		c = control_vector(b, NNPROG_BOOL8, NNPROG_INPUT, 1);
		x = control_vector(b, NNPROG_FLOAT32, NNPROG_INPUT, depth % 3 ? 3 : UNKNOWN);
		out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, depth % 2 ? 3 : UNKNOWN);
		if (depth < NNPROG_MAX_DEPTH)
			control_if(b, depth, depth, CONTROL_LIST(c, c, x), &out, 1);
		else
			control_binary(b, NNPROG_BINARY_ADD, x, x, out);
		control_io(b, CONTROL_LIST(c, x), &out, 1);
	}
	return control_end(b);
}

TEST(test_deep)
{
	struct bench *b = bench(program_deep(), 0);

	b->args[0] = arg(b->flag, 1, 0);
	b->args[1] = arg(b->x, 12, 0);
	b->args[2] = arg(b->out, 12, 0);
	expect(b, 3, NNACCEL_STATUS_OK, "");
	assert_true(b->out[0] == 0 && b->out[1] == 2 && b->out[2] == 4);
	finish(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_if),
		cmocka_unit_test(test_other_shape),
		cmocka_unit_test(test_omitted_value),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_times_in_loop),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_grow),
		cmocka_unit_test(test_grow_in_little),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_limit_of_outer),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_others_meanwhile),
		cmocka_unit_test(test_read_once),
		cmocka_unit_test(test_torn),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
