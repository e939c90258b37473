// SPDX-License-Identifier: Apache-2.0
/* The whole card: programs on the real core, through rings and page tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board_host.h"
#include "eventually.h"
#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "board.h"
#include "test_case.h"

#define CMD(...) ((struct nnaccel_admin_cmd){ __VA_ARGS__ })
#define PAGE NNACCEL_PAGE_SIZE
#define COUNT 20000u
#define BYTES (COUNT * sizeof(float))
#define PROGRAM_VA 0x1000000ull
#define RESULT_VA 0x2000000ull
#define A_VA 0x3000000ull
#define B_VA 0x4000000ull
#define OUT_VA 0x5000000ull

/* out = relu(a + b) */
static void *build_program(size_t *size)
{
	struct nnprog_builder *b = nnprog_builder_create();
	const struct nnprog_operand op = { .dtype = NNPROG_FLOAT32,
					   .shape = { .rank = 1, .dims = { COUNT } } };
	const struct nnprog_attr_binary add = { .kind = NNPROG_BINARY_ADD,
						.activation = NNPROG_ACT_NONE };
	const struct nnprog_attr_unary relu = { .kind = NNPROG_UNARY_RELU };
	struct nnprog_error err;
	uint32_t in[2], sum, out;
	void *bytes = NULL;

	assert_non_null(b);
	assert_int_equal(nnprog_builder_subgraph(b, "main"), 0);
	in[0] = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_INPUT, NULL, 0);
	in[1] = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_INPUT, NULL, 0);
	sum = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_TEMP, NULL, 0);
	out = (uint32_t)nnprog_builder_tensor(b, &op, NNPROG_OUTPUT, NULL, 0);
	assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_BINARY, &add, sizeof(add), in, 2,
						  &sum, 1, NULL, &err),
			 0);
	assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_UNARY, &relu, sizeof(relu), &sum, 1,
						  &out, 1, NULL, &err),
			 0);
	assert_int_equal(nnprog_builder_io(b, in, 2, &out, 1), 0);
	if (nnprog_builder_finish(b, &bytes, size, &err))
		fail_msg("%s", err.text);
	nnprog_builder_destroy(b);
	return bytes;
}

struct job_setup {
	struct host *h;
	size_t program_size;
	float *a, *b, *out;
	uint8_t *program;
	struct nnaccel_result *result;
};

static void set_up(struct job_setup *s)
{
	void *program = build_program(&s->program_size);
	struct host *h = s->h;

	host_handshake(h, 64);
	host_ctx_open(h, 0);
	host_queue_create(h, 0, 0, 64);
	s->program = host_map_new(h, PROGRAM_VA, s->program_size, 0);
	memcpy(s->program, program, s->program_size);
	free(program);
	s->a = host_map_new(h, A_VA, BYTES, 0);
	s->b = host_map_new(h, B_VA, BYTES, 0);
	s->out = host_map_new(h, OUT_VA, BYTES, NNACCEL_PTE_WRITE);
	s->result = host_map_new(h, RESULT_VA, PAGE, NNACCEL_PTE_WRITE);
	for (uint32_t i = 0; i < COUNT; i++) {
		s->a[i] = (float)i - 7000.0f;
		s->b[i] = (float)(i % 13);
	}
}

static struct nnaccel_completion run(struct job_setup *s, uint64_t generation, uint64_t out_va)
{
	struct nnaccel_arg args[3] = {
		{ .addr = A_VA, .size = BYTES },
		{ .addr = B_VA, .size = BYTES },
		{ .addr = out_va, .size = BYTES },
	};
	struct nnaccel_job job = {
		.op = NNACCEL_JOB_RUN,
		.num_args = 3,
		.program_addr = PROGRAM_VA,
		.program_size = s->program_size,
		.program_generation = generation,
		.result_addr = RESULT_VA,
		.result_size = PAGE,
	};

	memset(s->out, 0xff, BYTES);
	return host_wait_job(s->h, 0, host_submit(s->h, 0, job, args, true));
}

static void check_out(const struct job_setup *s)
{
	for (uint32_t i = 0; i < COUNT; i++) {
		float sum = s->a[i] + s->b[i];

		assert_true(s->out[i] == (sum > 0 ? sum : 0));
	}
}

static void check_runs(struct job_setup *s)
{
	struct nnaccel_completion c = run(s, 1, OUT_VA);

	if (c.status != NNACCEL_STATUS_OK)
		fail_msg("status %u: %.128s", c.status, (const char *)s->result->text);
	check_out(s);
	assert_int_equal(s->result->status, NNACCEL_STATUS_OK);
	assert_int_equal(s->result->seqno, c.seqno);
	assert_int_equal(s->result->num_outputs, 1);
	assert_int_equal(s->result->bytes_bounced, 0);
	assert_int_equal(s->result->bytes_direct, 3 * BYTES);
	/* Again, from the cache. */
	assert_int_equal(run(s, 1, OUT_VA).status, NNACCEL_STATUS_OK);
	check_out(s);
}

TEST(test_run)
{
	struct job_setup s = { .h = host_start(NNACCEL_CARD, NULL) };
	struct nnaccel_completion c;

	host_wait_ready(s.h, 0);
	set_up(&s);
	assert_int_equal(host_admin(s.h, CMD(.op = NNACCEL_ADMIN_PROGRAM_LOAD, .addr = PROGRAM_VA,
					     .size = s.program_size, .value = 1)),
			 0);
	/* the hint is served: later it would read what is written below under its generation */
	host_wait_more(&s.h->regs->bytes_loaded, 0);
	check_runs(&s);
	/* Invalid bytes under another generation: refused with an offset, and the queue still
	 * works. */
	s.program[100] ^= 0x40;
	c = run(&s, 2, OUT_VA);
	assert_int_equal(c.status, NNACCEL_STATUS_BAD_PROGRAM);
	assert_int_equal(s.result->status, NNACCEL_STATUS_BAD_PROGRAM);
	assert_true(strlen((const char *)s.result->text) > 0);
	s.program[100] ^= 0x40;
	/* An output that may not be written. */
	c = run(&s, 1, A_VA);
	assert_int_equal(c.status, NNACCEL_STATUS_FAULT);
	assert_int_equal(c.fault_addr, A_VA);
	check_runs(&s);
	assert_int_equal(
		host_admin(s.h, CMD(.op = NNACCEL_ADMIN_PROGRAM_UNLOAD, .addr = PROGRAM_VA)), 0);
	check_runs(&s);
	assert_int_equal(host_admin(s.h, CMD(.op = NNACCEL_ADMIN_PING)), 0);
	assert_true(reg_get64(&s.h->regs->bytes_loaded) >= 2 * s.program_size);
	assert_int_equal(host_admin(s.h, CMD(.op = NNACCEL_ADMIN_CTX_CLOSE)), 0);
	host_stop(s.h);
}

/* The template for firmware of other hardware (examples/porting) serves the same contract. */
TEST(test_template)
{
	struct job_setup s = { .h = host_start(NNACCEL_TEMPLATE_CARD, NULL) };
	struct nnaccel_completion c;
	uint32_t before;

	host_wait_ready(s.h, 0);
	set_up(&s);
	for (int i = 0; i < 200; i++)
		host_submit_null(s.h, 0);
	c = run(&s, 1, OUT_VA);
	assert_int_equal(c.status, NNACCEL_STATUS_OK);
	check_out(&s);
	assert_true(c.end_ns >= c.start_ns && c.start_ns);
	/* faults, and a program that is not valid: the queue goes on */
	c = run(&s, 1, A_VA);
	assert_int_equal(c.status, NNACCEL_STATUS_FAULT);
	assert_int_equal(c.fault_addr, A_VA);
	c = run(&s, 1, OUT_VA + BYTES);
	assert_int_equal(c.status, NNACCEL_STATUS_FAULT);
	s.program[100] ^= 0x40;
	assert_int_equal(run(&s, 2, OUT_VA).status, NNACCEL_STATUS_BAD_PROGRAM);
	s.program[100] ^= 0x40;
	/* what the host has taken away is not read again */
	host_unmap(s.h, 0, B_VA, PAGE);
	assert_int_equal(host_admin(s.h, CMD(.op = NNACCEL_ADMIN_TLB_INVALIDATE, .addr = B_VA,
					     .size = PAGE)),
			 0);
	c = run(&s, 1, OUT_VA);
	assert_int_equal(c.status, NNACCEL_STATUS_FAULT);
	assert_int_equal(c.fault_addr, B_VA);
	/* a context that is closed has no queue, and can be opened again */
	assert_int_equal(host_admin(s.h, CMD(.op = NNACCEL_ADMIN_CTX_CLOSE)), 0);
	assert_int_equal(host_admin(s.h, CMD(.op = NNACCEL_ADMIN_QUEUE_DESTROY)),
			 NNACCEL_STATUS_BAD_ARGUMENT);
	assert_int_equal(host_admin(s.h, CMD(.op = NNACCEL_ADMIN_CTX_OPEN)), 0);
	assert_int_equal(host_admin(s.h, CMD(.op = 4711)), NNACCEL_STATUS_BAD_ARGUMENT);
	assert_int_equal(host_admin(s.h,
				    CMD(.op = NNACCEL_ADMIN_PING, .context = NNACCEL_MAX_CONTEXTS)),
			 NNACCEL_STATUS_BAD_ARGUMENT);
	/* a ring with an impossible tail ends this generation, and only that */
	before = s.h->generation;
	reg_set32(&s.h->admin.ctl->tail, s.h->admin.index + 1000);
	host_ring(s.h, NNACCEL_DOORBELL_ADMIN);
	host_wait_state(s.h, NNACCEL_FW_FAILED);
	assert_int_equal(reg_get32(&s.h->regs->fw_error), NNACCEL_FW_ERROR_RING);
	host_reset(s.h);
	host_wait_ready(s.h, before);
	host_bring_up(s.h);
	host_wait_job(s.h, 0, host_submit_null(s.h, 0));
	host_stop(s.h);
}

TEST(test_opset)
{
	struct job_setup s = { .h = host_start(NNACCEL_CARD, NULL) };
	const uint64_t size = NNACCEL_OPSET_MAX_SIZE;
	struct nnaccel_opset_header *opset;
	struct nnaccel_completion c;
	uint64_t bus;

	host_wait_ready(s.h, 0);
	host_handshake(s.h, 64);
	bus = host_alloc(s.h, size);
	opset = host_ptr(s.h, bus);
	c = host_admin_wait(s.h, host_admin_send(s.h, CMD(.op = NNACCEL_ADMIN_GET_OPSET,
							  .addr = bus, .size = size)));
	assert_int_equal(c.status, NNACCEL_STATUS_OK);
	assert_int_equal(opset->magic, NNACCEL_OPSET_MAGIC);
	assert_true(opset->count > 10);
	assert_int_equal(c.value, sizeof(*opset) + (uint64_t)opset->count * opset->stride);
	host_stop(s.h);
}

/* Faults with real jobs: after the restart a job loads its program again. */
TEST(test_faults)
{
	static const char *const faults[] = { "die-at-job=1", "hang-at-job=1", "hang-abortable=1" };
	struct job_setup s = { .h = host_start(NNACCEL_CARD, NULL) };
	struct nnaccel_completion c;

	host_wait_ready(s.h, 0);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		uint32_t before = s.h->generation;
		char command[64];
		uint64_t seqno;

		snprintf(command, sizeof(command), "fault %s", faults[i]);
		host_control(s.h, command);
		host_wait_ready(s.h, before);
		before = s.h->generation;
		s.h->ram_used = 1 << 20;
		set_up(&s);
		seqno = host_submit_null(s.h, 0);
		assert_false(host_next(s.h, &c, 150));
		if (i == 2) {
			assert_int_equal(
				host_admin(s.h, CMD(.op = NNACCEL_ADMIN_ABORT, .value = seqno)), 0);
			assert_int_equal(host_wait_job(s.h, 0, seqno).status,
					 NNACCEL_STATUS_ABORTED);
			check_runs(&s);
		}
		if (i)
			host_reset(s.h);
		host_wait_ready(s.h, before);
		s.h->ram_used = 1 << 20;
		set_up(&s);
		check_runs(&s);
	}
	host_stop(s.h);
}

/* 10,000 jobs as fast as possible, and a kill in the middle of the next 10,000. */
TEST(test_load)
{
	struct job_setup s = { .h = host_start(NNACCEL_CARD, NULL) };
	struct nnaccel_completion c;

	host_wait_ready(s.h, 0);
	set_up(&s);
	for (uint32_t i = 0; i < 10000; i++)
		host_submit_null(s.h, 0);
	for (uint32_t i = 1; i <= 10000; i++) {
		assert_true(host_next(s.h, &c, HOST_TIMEOUT_MS));
		assert_int_equal(c.seqno, i);
		assert_int_equal(c.status, NNACCEL_STATUS_OK);
	}
	host_control(s.h, "fault die-at-job=500");
	host_wait_ready(s.h, 1);
	s.h->ram_used = 1 << 20;
	set_up(&s);
	for (uint32_t i = 0; i < 550; i++)
		host_submit_null(s.h, 0);
	/* Without room for completions the card would not get this far. */
	for (int i = 0; i < 2000 && reg_get32(&s.h->regs->generation) == 2; i++)
		host_drain(s.h, 10);
	host_wait_ready(s.h, 2);
	s.h->ram_used = 1 << 20;
	set_up(&s);
	check_runs(&s);
	host_stop(s.h);
}

/* A job runs on a thread that takes jobs from rings; rings are served nevertheless, as often as it
 * takes. */
TEST(test_rings_meanwhile)
{
	const char *const extra[] = { "--fault", "hang-abortable=1", NULL };
	struct host *h = host_start(NNACCEL_CARD, extra);
	struct host_ring *ring = &h->queues[1];
	struct nnaccel_completion c;
	uint64_t held, seqno = 0;

	host_wait_ready(h, 0);
	host_handshake(h, 64);
	host_ctx_open(h, 0);
	host_queue_create(h, 0, 0, 64);
	host_queue_create(h, 1, 0, 64);
	held = host_submit_null(h, 0);
	host_wait_begun(h, 0, held);
	for (int i = 0; i < 5; i++) {
		seqno = host_submit_null(h, 1);
		assert_true(EVENTUALLY(reg_get32(&ring->ctl->head) == ring->index));
	}
	/* There is one engine. */
	assert_false(host_next(h, &c, 0));
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_ABORT, .value = held)), 0);
	assert_int_equal(host_wait_job(h, 0, held).status, NNACCEL_STATUS_ABORTED);
	assert_int_equal(host_wait_job(h, 1, seqno).status, NNACCEL_STATUS_OK);
	host_stop(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_template),
		cmocka_unit_test(test_opset),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_rings_meanwhile),
		cmocka_unit_test(test_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
