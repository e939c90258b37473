// SPDX-License-Identifier: Apache-2.0
/* The firmware's core on a fake platform: the completion and the result of each kind of job. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>

#include "nnfw_ops.h"
#include "core_programs.h"
#include "fake_platform.h"
#include "nnfw_op.h"
#include "nnprog_desc.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "test_case.h"

#define DIMS(...)           \
	(const uint32_t[])  \
	{                   \
		__VA_ARGS__ \
	}

/** One client: context 1, queue 1, memory for arguments, a result. */
struct client {
	struct fake fake;
	struct core_program program;
	uint64_t seqno;
	struct {
		struct nnaccel_result head;
		struct nnaccel_output_shape outputs[4];
	} result;
	struct {
		struct nnaccel_result head;
		struct nnaccel_output_shape output;
		struct nnaccel_op_time times[3];
	} timed; /* the result of a job that wants the times of operations */
	_Alignas(64) float in[1024];
	_Alignas(64) float out[1024];
	_Alignas(64) float out2[1024];
	_Alignas(64) int32_t values[4][4];
	struct nnaccel_job job; /* the next job; submit() fills members that are 0 */
	struct nnaccel_arg args[8];
};

static void start(struct client *c, struct core_program program, const struct nnfw_config *config)
{
	fake_start(&c->fake, config);
	assert_int_equal(nnfw_context_open(c->fake.fw, 1), 0);
	assert_int_equal(nnfw_queue_create(c->fake.fw, 1, 1, 1), 0);
	c->program = program;
	fake_allow(&c->fake, 1, program.bytes, program.size, false);
	fake_allow(&c->fake, 1, &c->result, sizeof(c->result), true);
	fake_allow(&c->fake, 1, &c->timed, sizeof(c->timed), true);
	fake_allow(&c->fake, 1, c->in, sizeof(c->in), false);
	fake_allow(&c->fake, 1, c->out, sizeof(c->out), true);
	fake_allow(&c->fake, 1, c->out2, sizeof(c->out2), true);
	fake_allow(&c->fake, 1, c->values, sizeof(c->values), false);
	for (uint32_t i = 0; i < 1024; i++)
		c->in[i] = (float)i;
}

static void stop(struct client *c)
{
	fake_stop(&c->fake);
	free(c->program.bytes);
	free(c);
}

static struct client *client(struct core_program program, const struct nnfw_config *config)
{
	struct client *c = aligned_alloc(64, (sizeof(*c) + 63) / 64 * 64);

	assert_non_null(c);
	memset(c, 0, sizeof(*c));
	start(c, program, config);
	return c;
}

static struct nnaccel_arg arg(const void *p, uint64_t size, uint32_t rank, const uint32_t *dims)
{
	struct nnaccel_arg a = { .addr = (uintptr_t)p, .size = size, .rank = rank };

	for (uint32_t i = 0; i < rank; i++)
		a.dims[i] = dims[i];
	return a;
}

/** Submit client.job with @num_args of client.args; members that are 0 get their usual value. */
static uint64_t submit(struct client *c, uint32_t num_args)
{
	struct nnaccel_job job = c->job;

	if (!job.op)
		job.op = NNACCEL_JOB_RUN;
	if (!job.num_args)
		job.num_args = num_args;
	job.seqno = ++c->seqno;
	if (!job.program_addr) {
		job.program_addr = (uintptr_t)c->program.bytes;
		job.program_size = c->program.size;
	}
	if (!job.result_addr) {
		job.result_addr = (uintptr_t)&c->result;
		job.result_size = sizeof(c->result);
	}
	assert_int_equal(nnfw_submit(c->fake.fw, 1, &job, c->args), 0);
	memset(&c->job, 0, sizeof(c->job));
	return c->seqno;
}

static uint32_t run(struct client *c, uint32_t num_args)
{
	memset(&c->result, 0xee, sizeof(c->result));
	return fake_wait(&c->fake, 1, submit(c, num_args)).status;
}

static void expect(struct client *c, uint32_t num_args, uint32_t status, const char *text)
{
	uint32_t got = run(c, num_args);

	if (got != status || c->result.head.status != status ||
	    !strstr((const char *)c->result.head.text, text))
		fail_msg("status %u (result %u, \"%s\"), not %u \"%s\"", got, c->result.head.status,
			 c->result.head.text, status, text);
}

/** Arguments of program_adds(). */
static void bind_adds(struct client *c, uint32_t n)
{
	c->args[0] = arg(c->in, n * sizeof(float), 0, NULL);
	c->args[1] = arg(c->out, n * sizeof(float), 0, NULL);
}

/* ---- runs that succeed ---- */

TEST(test_run)
{
	struct client *c = client(program_adds(100, 5), NULL);
	struct nnaccel_completion done;
	struct nnfw_stats stats;

	bind_adds(c, 100);
	for (int i = 0; i < 3; i++) {
		memset(c->out, 0, sizeof(c->out));
		expect(c, 2, NNACCEL_STATUS_OK, "");
		for (uint32_t k = 0; k < 100; k++)
			assert_true(c->out[k] == 6.0f * (float)k);
		assert_true(c->out[100] == 0);
	}
	done = fake_wait(&c->fake, 1, 3);
	assert_int_equal(done.kind, NNACCEL_COMPLETION_JOB);
	assert_int_equal(done.generation, 7);
	assert_int_equal(done.fault_addr, 0);
	assert_int_equal(c->result.head.seqno, 3);
	assert_int_equal(c->result.head.num_outputs, 1);
	assert_int_equal(c->result.head.operation, ~0u);
	assert_int_equal(c->result.head.text[0], 0);
	assert_int_equal(c->result.head.bytes_direct, 800);
	assert_int_equal(c->result.head.bytes_bounced, 0);
	assert_true(c->result.head.arena_peak >= 800);
	assert_int_equal(c->result.outputs[0].flags,
			 NNACCEL_OUTPUT_KNOWN | NNACCEL_OUTPUT_SUFFICIENT);
	assert_int_equal(c->result.outputs[0].rank, 1);
	assert_int_equal(c->result.outputs[0].dims[0], 100);
	assert_int_equal(c->result.outputs[0].size, 400);
	nnfw_stats(c->fake.fw, &stats);
	assert_int_equal(stats.jobs_done, 3);
	assert_int_equal(stats.bytes_direct, 2400);
	assert_int_equal(stats.bytes_loaded, c->program.size);
	assert_int_equal(stats.programs, 1);
	stop(c);
}

TEST(test_null_job)
{
	struct client *c = client(program_adds(4, 1), NULL);

	c->job.op = NNACCEL_JOB_NULL;
	assert_int_equal(run(c, 0), NNACCEL_STATUS_OK);
	c->job.op = NNACCEL_JOB_NULL;
	bind_adds(c, 4);
	expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, "2 arguments");
	stop(c);
}

/* Misaligned memory is copied, and counted. */
TEST(test_misaligned)
{
	struct client *c = client(program_adds(10, 2), NULL);
	char *in = (char *)c->in + 1, *out = (char *)c->out + 3;
	float x, before[11];

	for (uint32_t i = 0; i < 10; i++) {
		x = (float)i;
		memcpy(in + 4 * i, &x, 4);
	}
	memcpy(before, c->in, sizeof(before));
	c->args[0] = arg(in, 40, 0, NULL);
	c->args[1] = arg(out, 40, 0, NULL);
	expect(c, 2, NNACCEL_STATUS_OK, "");
	for (uint32_t i = 0; i < 10; i++) {
		memcpy(&x, out + 4 * i, 4);
		assert_true(x == 3.0f * (float)i);
	}
	assert_memory_equal(before, c->in, sizeof(before));
	assert_int_equal(((char *)c->out)[2] | ((char *)c->out)[43], 0);
	assert_int_equal(c->result.head.bytes_direct, 0);
	assert_int_equal(c->result.head.bytes_bounced, 80);
	stop(c);
}

/* If the platform bounces, outputs are written back only on success. */
TEST(test_bounced)
{
	struct client *c = client(program_adds(10, 2), NULL);
	struct client *d = client(program_reshape(6), NULL);

	c->fake.bounce = true;
	bind_adds(c, 10);
	expect(c, 2, NNACCEL_STATUS_OK, "");
	assert_true(c->out[9] == 27);
	assert_int_equal(c->result.head.bytes_bounced, 80);
	stop(c);

	d->fake.bounce = true;
	d->args[0] = arg(d->in, 24, 0, NULL);
	d->args[1] = arg(d->values[0], 8, 0, NULL);
	d->args[2] = arg(d->out, 24, 0, NULL);
	d->values[0][0] = 4, d->values[0][1] = 2;
	expect(d, 3, NNACCEL_STATUS_EXEC_FAILED, "RESHAPE");
	assert_true(d->out[1] == 0);
	stop(d);
}

/* ---- what is refused ---- */

TEST(test_bad_jobs)
{
	struct client *c = client(program_adds(8, 2), NULL);

	bind_adds(c, 8);
	c->job.op = 9;
	expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, "operation 9");
	c->job.flags = 1;
	expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, "reserved");
	c->job.pad = 1;
	expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, "reserved");
	c->job.num_args = NNACCEL_MAX_ARGS + 1;
	expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, "1024 arguments");
	c->job.loop_ns = NNACCEL_LOOP_NS_MAX + 1;
	expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, "loop limit");
	c->job.program_addr = (uintptr_t)c->program.bytes;
	expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, "no program");
	c->job.program_addr = UINT64_MAX - 4;
	c->job.program_size = 100;
	expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, "address space");
	expect(c, 1, NNACCEL_STATUS_BAD_ARGUMENT, "1 arguments");
	expect(c, 2, NNACCEL_STATUS_OK, "");
	stop(c);
}

TEST(test_bad_arguments)
{
	struct client *c = client(program_adds(8, 2), NULL);
	static const struct {
		uint32_t n, at;
		struct nnaccel_arg change;
		const char *text;
	} cases[] = {
		{ 0, offsetof(struct nnaccel_arg, size), { .size = 31 }, "input 0: 31 bytes" },
		{ 0, offsetof(struct nnaccel_arg, size), { .size = 36 }, "input 0: 36 bytes" },
		{ 0, offsetof(struct nnaccel_arg, size), { .size = UINT64_MAX }, "no memory" },
		{ 0, offsetof(struct nnaccel_arg, flags), { .flags = 2 }, "unknown flags 0x2" },
		{ 0, offsetof(struct nnaccel_arg, flags), { .flags = 1 }, "omitted, but" },
		{ 0, offsetof(struct nnaccel_arg, rank), { .rank = 11 }, "rank 11" },
		{ 0,
		  offsetof(struct nnaccel_arg, rank),
		  { .rank = 2, .dims = { 2, 4 } },
		  "shape differs" },
		{ 0,
		  offsetof(struct nnaccel_arg, rank),
		  { .rank = 1, .dims = { 7 } },
		  "shape differs" },
		{ 0, offsetof(struct nnaccel_arg, rank), { .dims = { 1 } }, "beyond rank" },
		{ 1,
		  offsetof(struct nnaccel_arg, rank),
		  { .rank = 1, .dims = { ~0u } },
		  "too large" },
		{ 1, offsetof(struct nnaccel_arg, addr), { .addr = 0 }, "no memory" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t at = cases[i].at, len = at == offsetof(struct nnaccel_arg, rank) ? 44 : 4;

		if (at == offsetof(struct nnaccel_arg, size) ||
		    at == offsetof(struct nnaccel_arg, addr))
			len = 8;
		bind_adds(c, 8);
		memcpy((char *)&c->args[cases[i].n] + at, (const char *)&cases[i].change + at, len);
		expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, cases[i].text);
	}
	bind_adds(c, 8);
	c->args[0] = (struct nnaccel_arg){ .flags = NNACCEL_ARG_OMITTED };
	expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, "is omitted");
	bind_adds(c, 8);
	c->args[1] = (struct nnaccel_arg){ .flags = NNACCEL_ARG_OMITTED };
	expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, "cannot be omitted");
	/* an argument may leave open what the program infers */
	bind_adds(c, 8);
	c->args[1] = arg(c->out, 32, 1, DIMS(7));
	expect(c, 2, NNACCEL_STATUS_EXEC_FAILED,
	       "output 0 has another shape than the argument says");
	/* a matching shape is accepted */
	bind_adds(c, 8);
	c->args[0] = arg(c->in, 32, 1, DIMS(8));
	c->args[1] = arg(c->out, 100, 1, DIMS(0));
	expect(c, 2, NNACCEL_STATUS_OK, "");
	stop(c);
}

TEST(test_faults)
{
	struct client *c = client(program_adds(1024, 2), NULL);
	struct nnaccel_completion done;

	bind_adds(c, 1024);
	c->args[0].addr += 4;
	expect(c, 2, NNACCEL_STATUS_FAULT, "input 0");
	done = fake_wait(&c->fake, 1, c->seqno);
	assert_int_equal(done.fault_addr, (uintptr_t)(c->in + 1024));
	bind_adds(c, 1024);
	c->args[1].addr = (uintptr_t)c->in; /* read-only */
	expect(c, 2, NNACCEL_STATUS_FAULT, "for writing");
	bind_adds(c, 1024);
	c->job.program_addr = (uintptr_t)c->program.bytes;
	c->job.program_size = c->program.size + 64;
	expect(c, 2, NNACCEL_STATUS_FAULT, "program");
	/* the completion is the only report */
	c->job.result_addr = 64;
	c->job.result_size = 192;
	assert_int_equal(run(c, 2), NNACCEL_STATUS_FAULT);
	done = fake_wait(&c->fake, 1, c->seqno);
	assert_int_equal(done.fault_addr, 64);
	/* a fault is not cached */
	expect(c, 2, NNACCEL_STATUS_OK, "");
	stop(c);
}

TEST(test_short_result)
{
	struct client *c = client(program_adds(8, 2), NULL);

	bind_adds(c, 8);
	for (uint32_t size = 1; size < sizeof(c->result.head) + 130; size += 13) {
		uint32_t outputs = size < 256 ? 0 : 1;

		c->job.result_addr = (uintptr_t)&c->result;
		c->job.result_size = size;
		assert_int_equal(run(c, 2), NNACCEL_STATUS_OK);
		assert_int_equal(((uint8_t *)&c->result)[size < 192 ? size : 192 + 64 * outputs],
				 0xee);
		if (size >= 16)
			assert_int_equal(c->result.head.num_outputs, outputs);
	}
	stop(c);
}

/* Room behind the shapes is room for the times of operations; the rest of it stays as it was. */
TEST(test_op_times)
{
	struct client *c = client(program_adds(8, 2), NULL);

	for (uint32_t room = 0; room <= 3; room++) {
		const uint32_t known = room < 2 ? room : 2;

		bind_adds(c, 8);
		memset(&c->timed, 0xee, sizeof(c->timed));
		c->job.result_addr = (uintptr_t)&c->timed;
		c->job.result_size = (uint32_t)(sizeof(c->timed.head) + sizeof(c->timed.output) +
						room * sizeof(c->timed.times[0]));
		assert_int_equal(run(c, 2), NNACCEL_STATUS_OK);
		assert_int_equal(c->timed.head.num_outputs, 1);
		assert_int_equal(c->timed.head.num_op_times, known);
		for (uint32_t i = 0; i < known; i++) {
			const struct nnaccel_op_time *t = &c->timed.times[i];

			assert_int_equal(t->subgraph, 0);
			assert_int_equal(t->operation, i);
			assert_int_equal(t->opcode, NNPROG_OP_BINARY);
			assert_int_equal(t->type, NNPROG_FLOAT32);
			assert_int_equal(t->times, 1);
			assert_true(t->ns > 0);
			assert_int_equal(t->elements, 8);
			assert_int_equal(t->bytes, 3 * 8 * sizeof(float));
			assert_int_equal(t->reserved, 0);
		}
		if (known < 3)
			assert_int_equal(*(uint8_t *)&c->timed.times[known], 0xee);
	}
	/* the job fails before an operation runs */
	bind_adds(c, 8);
	c->args[0].size = 4;
	c->job.result_addr = (uintptr_t)&c->timed;
	c->job.result_size = sizeof(c->timed);
	assert_int_equal(run(c, 2), NNACCEL_STATUS_BAD_ARGUMENT);
	assert_int_equal(c->timed.head.num_op_times, 0);
	stop(c);
}

TEST(test_bad_program)
{
	struct client *c = client(program_adds(8, 2), NULL);
	struct nnprog_header *h = c->program.bytes;
	struct nnprog_operation *op = (void *)((char *)h + h->sections[NNPROG_OPERATIONS].offset);
	struct nnfw_stats stats;

	bind_adds(c, 8);
	op[1].opcode = 4444;
	h->crc32 =
		(uint32_t)crc32(0, (uint8_t *)h + sizeof(*h), (uInt)(h->total_size - sizeof(*h)));
	for (int i = 0; i < 3; i++) {
		expect(c, 2, NNACCEL_STATUS_BAD_PROGRAM, "operation 1: unknown operation");
		assert_int_equal(c->result.head.offset, (char *)&op[1] - (char *)h);
		assert_int_equal(c->result.head.num_outputs, 0);
	}
	/* it was read once */
	nnfw_stats(c->fake.fw, &stats);
	assert_int_equal(stats.bytes_loaded, c->program.size);
	/* mended bytes are seen under a new generation, or after an unload */
	op[1].opcode = NNPROG_OP_BINARY;
	h->crc32 =
		(uint32_t)crc32(0, (uint8_t *)h + sizeof(*h), (uInt)(h->total_size - sizeof(*h)));
	expect(c, 2, NNACCEL_STATUS_BAD_PROGRAM, "operation 1");
	c->job.program_generation = 1;
	expect(c, 2, NNACCEL_STATUS_OK, "");
	nnfw_stats(c->fake.fw, &stats);
	assert_int_equal(stats.programs, 1);
	assert_int_equal(nnfw_program_unload(c->fake.fw, 1, (uintptr_t)h), 0);
	nnfw_stats(c->fake.fw, &stats);
	assert_int_equal(stats.programs, 0);
	assert_int_equal(stats.program_bytes, 0);
	expect(c, 2, NNACCEL_STATUS_OK, "");
	c->job.program_addr = (uintptr_t)h;
	c->job.program_size = 10;
	expect(c, 2, NNACCEL_STATUS_BAD_PROGRAM, "too few");
	c->job.program_addr = (uintptr_t)h;
	c->job.program_size = NNPROG_MAX_SIZE + 1;
	expect(c, 2, NNACCEL_STATUS_BAD_PROGRAM, "too large");
	stop(c);

	c = client(program_extension(), NULL);
	bind_adds(c, 4);
	expect(c, 2, NNACCEL_STATUS_BAD_PROGRAM, "no extension com.example.none");
	stop(c);
}

TEST(test_limits)
{
	struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION, .arena_limit = 4096 };
	struct client *c = client(program_adds(1024, 2), &config);

	bind_adds(c, 1024);
	expect(c, 2, NNACCEL_STATUS_OK, "");
	stop(c);
	c = client(program_adds(1024, 3), &config);
	bind_adds(c, 1024);
	expect(c, 2, NNACCEL_STATUS_NO_MEMORY, "do not fit");
	stop(c);
	/* the same for memory that is allocated during the run */
	c = client(program_adds(0, 2), &config);
	c->args[0] = arg(c->in, 4096, 1, DIMS(1024));
	c->args[1] = arg(c->out, 4096, 0, NULL);
	expect(c, 2, NNACCEL_STATUS_OK, "");
	stop(c);
	c = client(program_adds(0, 3), &config);
	c->args[0] = arg(c->in, 4096, 1, DIMS(1024));
	c->args[1] = arg(c->out, 4096, 0, NULL);
	expect(c, 2, NNACCEL_STATUS_NO_MEMORY, "no room");
	c->args[0] = arg(c->in, 2048, 1, DIMS(512));
	expect(c, 2, NNACCEL_STATUS_OK, "");
	stop(c);

	config.arena_limit = 0;
	config.program_quota = 1000;
	c = client(program_adds(8, 2), &config);
	bind_adds(c, 8);
	expect(c, 2, NNACCEL_STATUS_NO_MEMORY, "quota");
	stop(c);
}

/* ---- dynamic shapes ---- */

TEST(test_dynamic)
{
	struct client *c = client(program_adds(0, 4), NULL);

	c->args[0] = arg(c->in, 40, 0, NULL);
	c->args[1] = arg(c->out, 4096, 0, NULL);
	expect(c, 2, NNACCEL_STATUS_BAD_ARGUMENT, "not complete");
	for (uint32_t n = 0; n <= 1024; n = 3 * n + 1) {
		memset(c->out, 0, sizeof(c->out));
		c->args[0] = arg(n ? c->in : NULL, 4 * n, 1, &n);
		c->args[1] = arg(c->out, 4096, 1, DIMS(0));
		expect(c, 2, NNACCEL_STATUS_OK, "");
		for (uint32_t i = 0; i < 1023; i++)
			assert_true(c->out[i] == (i < n ? 5.0f * (float)i : 0));
		assert_int_equal(c->result.outputs[0].dims[0], n);
		assert_int_equal(c->result.outputs[0].size, 4 * n);
	}
	c->args[0] = arg(c->in, 40, 1, DIMS(10));
	c->args[1] = arg(c->out, 4096, 1, DIMS(11));
	expect(c, 2, NNACCEL_STATUS_EXEC_FAILED, "another shape");
	memset(c->out, 0, sizeof(c->out));
	c->args[1] = arg(c->out, 39, 0, NULL);
	expect(c, 2, NNACCEL_STATUS_OUTPUT_INSUFFICIENT, "needs 40 bytes, 39");
	assert_int_equal(c->result.outputs[0].flags, NNACCEL_OUTPUT_KNOWN);
	assert_int_equal(c->result.outputs[0].size, 40);
	assert_true(c->out[1] == 0);
	stop(c);
}

TEST(test_value_input)
{
	struct client *c = client(program_reshape(6), NULL);

	c->args[0] = arg(c->in, 24, 0, NULL);
	c->args[1] = arg(c->values[0], 8, 0, NULL);
	c->args[2] = arg(c->out, 24, 0, NULL);
	c->values[0][0] = 3, c->values[0][1] = -1;
	expect(c, 3, NNACCEL_STATUS_OK, "");
	assert_int_equal(c->result.outputs[0].dims[0], 3);
	assert_int_equal(c->result.outputs[0].dims[1], 2);
	assert_int_equal(c->result.head.bytes_bounced, 8);
	c->values[0][0] = 4;
	expect(c, 3, NNACCEL_STATUS_EXEC_FAILED, "RESHAPE");
	assert_int_equal(c->result.head.operation, 0);
	assert_int_equal(c->result.head.subgraph, 0);
	stop(c);
}

/** The client changes a value after a shape rule has read it. */
static void scribble(struct fake *fake, uint32_t context, uint64_t addr, uint64_t len)
{
	struct client *c = fake->hook;

	(void)context;
	if (addr == (uintptr_t)c->values[0])
		memset(c->values[0], 0x7f, len);
}

TEST(test_read_once)
{
	struct client *c = client(program_pad(), NULL);

	c->fake.hook = c;
	c->fake.on_unmap = scribble;
	for (uint32_t i = 0; i < 2; i++) {
		/* an input that the program has is not the run's to omit */
		if (i) {
			c->args[2] = (struct nnaccel_arg){ .flags = NNACCEL_ARG_OMITTED };
			expect(c, 4, NNACCEL_STATUS_BAD_ARGUMENT, "needs its input 2");
		}
		memset(c->out, 0, sizeof(c->out));
		c->values[0][0] = 1, c->values[0][1] = 0, c->values[0][2] = 0, c->values[0][3] = 2;
		c->args[0] = arg(c->in + 4, 16, 0, NULL);
		c->args[1] = arg(c->values[0], 16, 0, NULL);
		c->args[2] = arg(c->in + 9, 4, 0, NULL);
		c->args[3] = arg(c->out, 48, 0, NULL);
		expect(c, 4, NNACCEL_STATUS_OK, "");
		assert_int_equal(c->values[0][0], 0x7f7f7f7f);
		assert_int_equal(c->result.outputs[0].dims[0], 3);
		assert_int_equal(c->result.outputs[0].dims[1], 4);
		assert_true(c->out[0] == 9);
		assert_true(c->out[4] == 4 && c->out[5] == 5 && c->out[8] == 6 && c->out[9] == 7);
	}
	c->args[0] = (struct nnaccel_arg){ .flags = NNACCEL_ARG_OMITTED };
	expect(c, 4, NNACCEL_STATUS_BAD_ARGUMENT, "needs its input 0");
	stop(c);
}

/*
 * A shape that an operation computes: known only when it has run; other outputs are answered, too.
 */
TEST(test_computed_shape)
{
	struct client *c = client(program_computed_shape(6), NULL);

	c->args[0] = arg(c->in, 24, 0, NULL);
	c->args[1] = arg(c->values[0], 8, 0, NULL);
	c->args[2] = arg(c->values[1], 8, 0, NULL);
	c->args[3] = arg(c->out, 24, 0, NULL);
	c->args[4] = arg(c->out2, 24, 0, NULL);
	c->values[0][0] = 1, c->values[0][1] = 2, c->values[1][0] = 1, c->values[1][1] = 1;
	expect(c, 5, NNACCEL_STATUS_OK, "");
	assert_int_equal(c->result.outputs[1].rank, 2);
	assert_int_equal(c->result.outputs[1].dims[1], 3);
	assert_true(c->out[5] == 10 && c->out2[5] == 10);

	memset(c->out, 0, sizeof(c->out));
	memset(c->out2, 0, sizeof(c->out2));
	c->args[3].size = 20;
	c->args[4].size = 23;
	expect(c, 5, NNACCEL_STATUS_OUTPUT_INSUFFICIENT, "output 0 needs 24");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(c->result.outputs[i].flags, NNACCEL_OUTPUT_KNOWN);
		assert_int_equal(c->result.outputs[i].size, 24);
	}
	assert_true(c->out[1] == 0 && c->out2[1] == 0);
	c->args[3].size = 24;
	expect(c, 5, NNACCEL_STATUS_OUTPUT_INSUFFICIENT, "output 1 needs 24");
	assert_int_equal(c->result.outputs[0].flags,
			 NNACCEL_OUTPUT_KNOWN | NNACCEL_OUTPUT_SUFFICIENT);
	assert_true(c->out2[1] == 0);
	c->args[4] = arg(c->out2, 24, 2, DIMS(3, 2));
	expect(c, 5, NNACCEL_STATUS_EXEC_FAILED, "output 1 has another shape");
	c->values[1][0] = 100;
	c->args[4] = arg(c->out2, 24, 0, NULL);
	expect(c, 5, NNACCEL_STATUS_EXEC_FAILED, "operation 2 (RESHAPE)");
	assert_int_equal(c->result.head.operation, 2);
	stop(c);
}

/* ---- plugin, opset, memory ---- */

TEST(test_opset)
{
	size_t size = nnfw_opset(NULL, 0);
	uint8_t *all = malloc(size), *part = malloc(size);
	struct nnaccel_opset_header h;
	struct nnaccel_opset_entry e;

	assert_true(size <= NNACCEL_OPSET_MAX_SIZE);
	assert_int_equal(nnfw_opset(all, size), size);
	memcpy(&h, all, sizeof(h));
	assert_int_equal(h.magic, NNACCEL_OPSET_MAGIC);
	assert_int_equal(sizeof(h) + h.count * h.stride, size);
	for (uint32_t i = 0; i < h.count; i++) {
		memcpy(&e, all + sizeof(h) + i * h.stride, sizeof(e));
		assert_true(e.build);
		if (e.opcode == NNPROG_OP_EXTENSION) {
			assert_non_null(nnfw_extension_find((char *)e.name, 0));
			continue;
		}
		assert_non_null(nnprog_op_find(e.opcode));
		assert_string_equal((char *)e.name, nnprog_op_find(e.opcode)->name);
		assert_true(e.types);
	}
	for (size_t n = 0; n < size; n += 7) {
		memset(part, 0xee, size);
		assert_int_equal(nnfw_opset(part, n), size);
		assert_memory_equal(part, all, n);
		assert_int_equal(part[n], 0xee);
	}
	free(all);
	free(part);
}

TEST(test_create)
{
	struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION + 1 };
	struct fake fake = { .fw = NULL };
	struct nnfw *fw;

	fake_start(&fake, NULL);
	assert_int_equal(nnfw_create(&fake.platform, &config, &fw), -EINVAL);
	assert_null(fw);
	assert_int_equal(nnfw_context_open(fake.fw, NNACCEL_MAX_CONTEXTS), -EINVAL);
	assert_int_equal(nnfw_context_close(fake.fw, 3), -ENOENT);
	assert_int_equal(nnfw_queue_create(fake.fw, 0, 3, 0), -ENOENT);
	assert_int_equal(nnfw_context_open(fake.fw, 3), 0);
	assert_int_equal(nnfw_context_open(fake.fw, 3), -EEXIST);
	assert_int_equal(nnfw_queue_create(fake.fw, 0, 3, 4), -EINVAL);
	assert_int_equal(nnfw_queue_create(fake.fw, 0, 3, 0), 0);
	assert_int_equal(nnfw_queue_create(fake.fw, 0, 3, 0), -EEXIST);
	assert_int_equal(nnfw_queue_destroy(fake.fw, 1), -ENOENT);
	assert_int_equal(nnfw_abort(fake.fw, 0, 1), -ENOENT);
	assert_int_equal(nnfw_program_load(fake.fw, 5, 64, 64, 0), -ENOENT);
	assert_int_equal(nnfw_program_unload(fake.fw, 5, 64), -ENOENT);
	assert_int_equal(nnfw_context_close(fake.fw, 3), 0);
	assert_int_equal(nnfw_queue_destroy(fake.fw, 0), -ENOENT);
	assert_int_equal(nnfw_context_open(fake.fw, 3), 0);
	fake_stop(&fake);
}

/* Runs that follow each other touch the same pages. */
TEST(test_warm_arena)
{
	struct client *c = client(program_adds(1 << 20, 4), NULL);
	float *in = calloc(1 << 20, 4), *out = calloc(1 << 20, 4);
	struct rusage before, after;

	fake_allow(&c->fake, 1, in, 4 << 20, true);
	fake_allow(&c->fake, 1, out, 4 << 20, true);
	c->args[0] = arg(in, 4 << 20, 0, NULL);
	c->args[1] = arg(out, 4 << 20, 0, NULL);
	for (int i = 0; i < 3; i++)
		expect(c, 2, NNACCEL_STATUS_OK, "");
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < 20; i++)
		expect(c, 2, NNACCEL_STATUS_OK, "");
	getrusage(RUSAGE_SELF, &after);
	/* fresh temporaries would be 2048 pages a run */
	assert_true(after.ru_minflt - before.ru_minflt < 20 * 200);
	stop(c);
	free(in);
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_null_job),
		cmocka_unit_test(test_misaligned),
		cmocka_unit_test(test_bounced),
		cmocka_unit_test(test_bad_jobs),
		cmocka_unit_test(test_bad_arguments),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_short_result),
		cmocka_unit_test(test_op_times),
		cmocka_unit_test(test_bad_program),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_dynamic),
		cmocka_unit_test(test_value_input),
		cmocka_unit_test(test_read_once),
		cmocka_unit_test(test_computed_shape),
		cmocka_unit_test(test_opset),
		cmocka_unit_test(test_create),
		cmocka_unit_test(test_warm_arena),
	};

	return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
