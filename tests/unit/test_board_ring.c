// SPDX-License-Identifier: Apache-2.0
/* The card at the ring level: jobs, backpressure, admin commands, hostile rings, memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board_host.h"
#include "eventually.h"
#include "board.h"
#include "test_case.h"

#define PAGE NNACCEL_PAGE_SIZE
#define RW NNACCEL_PTE_WRITE
#define VA 0x10000000ull
#define VB 0x20000000ull

#define CMD(...) ((struct nnaccel_admin_cmd){ __VA_ARGS__ })

static struct host *running(const char *const *extra, uint32_t cq_slots, uint32_t queue_slots)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, extra);

	host_wait_ready(h, 0);
	host_handshake(h, cq_slots);
	host_ctx_open(h, 0);
	host_queue_create(h, 0, 0, queue_slots);
	return h;
}

static uint64_t stat_after_ping(struct host *h, const __le64 *reg)
{
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_PING)), NNACCEL_STATUS_OK);
	return reg_get64(reg);
}

TEST(test_pipelined)
{
	const uint32_t jobs = 10000;
	struct host *h = running(NULL, 256, 256);
	uint64_t last[2] = { 0, 0 };
	struct nnaccel_completion c;

	host_queue_create(h, 1, 0, 16);
	for (uint32_t i = 0; i < jobs; i++)
		host_submit_null(h, i % 8 == 7);
	for (uint32_t i = 0; i < jobs; i++) {
		assert_true(host_next(h, &c, HOST_TIMEOUT_MS));
		assert_int_equal(c.kind, NNACCEL_COMPLETION_JOB);
		assert_int_equal(c.status, NNACCEL_STATUS_OK);
		assert_true(c.queue < 2);
		assert_int_equal(c.seqno, ++last[c.queue]);
		assert_true(c.end_ns >= c.start_ns && c.start_ns);
	}
	assert_int_equal(last[0] + last[1], jobs);
	assert_int_equal(host_drain(h, 50), 0);
	assert_int_equal(stat_after_ping(h, &h->regs->jobs_done), jobs);
	assert_int_equal(reg_get64(&h->regs->queue[0].seqno), last[0]);
	host_stop(h);
}

/* Completions are not consumed: the card sets cq_stalled, waits, and loses none. */
TEST(test_completion_backpressure)
{
	struct host *h = running(NULL, 16, 1024);
	struct nnaccel_completion c;

	for (uint32_t i = 0; i < 700; i++)
		host_submit(h, 0, (struct nnaccel_job){ .op = NNACCEL_JOB_NULL }, NULL, i == 699);
	assert_true(EVENTUALLY(reg_get32(&h->regs->cq_stalled) == 1));
	/* clock: not before, time in which a card without a limit would take more jobs */
	usleep(150000);
	assert_int_equal(reg_get32(&h->cq.ctl->tail) - h->cq.index, 16);
	/* The card takes at most 256 jobs into the core, and those in flight. */
	assert_in_range(h->queues[0].index - reg_get32(&h->queues[0].ctl->head), 700 - 16 - 256 - 4,
			700);
	/* The heartbeat does not depend on it. */
	uint64_t beat = reg_get64(&h->regs->heartbeat);

	host_wait_more(&h->regs->heartbeat, beat);
	for (uint32_t i = 1; i <= 700; i++) {
		assert_true(host_next(h, &c, HOST_TIMEOUT_MS));
		assert_int_equal(c.seqno, i);
	}
	assert_true(EVENTUALLY(reg_get32(&h->regs->cq_stalled) == 0));
	host_stop(h);
}

TEST(test_admin_commands)
{
	struct host *h = running(NULL, 64, 64);
	uint64_t buffer = host_alloc(h, NNACCEL_OPSET_MAX_SIZE);
	struct nnaccel_opset_header *opset = host_ptr(h, buffer);
	struct nnaccel_completion c;
	uint64_t before;

	/* before the PING: each heartbeat writes the register */
	host_wait_more(&h->regs->clock_ns, 0);
	before = reg_get64(&h->regs->clock_ns);
	c = host_admin_wait(h, host_admin_send(h, CMD(.op = NNACCEL_ADMIN_PING)));
	assert_int_equal(c.status, NNACCEL_STATUS_OK);
	assert_true(c.value >= before);
	/* Query the size, then all, then a part. */
	c = host_admin_wait(h, host_admin_send(h, CMD(.op = NNACCEL_ADMIN_GET_OPSET)));
	assert_int_equal(c.status, NNACCEL_STATUS_OK);
	assert_true(c.value >= sizeof(*opset) && c.value <= NNACCEL_OPSET_MAX_SIZE);
	assert_int_equal(
		host_admin(h, CMD(.op = NNACCEL_ADMIN_GET_OPSET, .addr = buffer, .size = 4)), 0);
	assert_int_equal(opset->magic, NNACCEL_OPSET_MAGIC);
	assert_int_equal(opset->stride, 0);
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_GET_OPSET, .addr = buffer,
					   .size = NNACCEL_OPSET_MAX_SIZE)),
			 0);
	assert_true(opset->stride >= sizeof(struct nnaccel_opset_entry));
	assert_int_equal(opset->version, reg_get32(&h->regs->opset_version));
	host_map(h, 0, VA, host_alloc(h, PAGE), PAGE, 0);
	assert_int_equal(
		host_admin(h, CMD(.op = NNACCEL_ADMIN_PROGRAM_LOAD, .addr = VA, .size = PAGE)), 0);
	assert_int_equal(stat_after_ping(h, &h->regs->bytes_loaded), PAGE);
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_PROGRAM_UNLOAD, .addr = VA)), 0);
	host_stop(h);
}

TEST(test_admin_malformed)
{
	struct host *h = running(NULL, 64, 64);
	uint64_t page = host_alloc(h, PAGE);
	const struct nnaccel_admin_cmd bad[] = {
		{ .op = NNACCEL_ADMIN_COUNT },
		{ .op = 0xffffffff },
		{ .op = NNACCEL_ADMIN_PING, .reserved = { 0, 0, 1 } },
		{ .op = NNACCEL_ADMIN_GET_OPSET, .addr = HOST_RAM_SIZE - 8, .size = 65536 },
		{ .op = NNACCEL_ADMIN_GET_OPSET, .addr = UINT64_MAX - 7, .size = 16 },
		{ .op = NNACCEL_ADMIN_CTX_OPEN, .context = 0 }, /* open already */
		{ .op = NNACCEL_ADMIN_CTX_OPEN, .context = 1 }, /* no page table */
		{ .op = NNACCEL_ADMIN_CTX_OPEN, .context = NNACCEL_MAX_CONTEXTS },
		{ .op = NNACCEL_ADMIN_CTX_CLOSE, .context = 7 },
		{ .op = NNACCEL_ADMIN_CTX_CLOSE, .context = 0xffffffff },
		{ .op = NNACCEL_ADMIN_QUEUE_CREATE, .queue = 0, .addr = page, .size = 16 }, /* exists
											     */
		{ .op = NNACCEL_ADMIN_QUEUE_CREATE,
		  .queue = 1,
		  .context = 9,
		  .addr = page,
		  .size = 16 },
		{ .op = NNACCEL_ADMIN_QUEUE_CREATE, .queue = 1, .addr = page, .size = 17 },
		{ .op = NNACCEL_ADMIN_QUEUE_CREATE, .queue = 1, .addr = page, .size = 8 },
		{ .op = NNACCEL_ADMIN_QUEUE_CREATE,
		  .queue = 1,
		  .addr = page,
		  .size = 1ull << 32 | 16 },
		{ .op = NNACCEL_ADMIN_QUEUE_CREATE, .queue = 1, .addr = page + 4, .size = 16 },
		{ .op = NNACCEL_ADMIN_QUEUE_CREATE,
		  .queue = 1,
		  .addr = HOST_RAM_SIZE - 128,
		  .size = 16 },
		{ .op = NNACCEL_ADMIN_QUEUE_CREATE,
		  .queue = 1,
		  .addr = page,
		  .size = 16,
		  .value = 4 },
		{ .op = NNACCEL_ADMIN_QUEUE_CREATE, .queue = 256, .addr = page, .size = 16 },
		{ .op = NNACCEL_ADMIN_QUEUE_DESTROY, .queue = 1 },
		{ .op = NNACCEL_ADMIN_QUEUE_DESTROY, .queue = 0xffffffff },
		{ .op = NNACCEL_ADMIN_ABORT, .queue = 1, .value = 1 },
		{ .op = NNACCEL_ADMIN_ABORT, .queue = 0, .value = 0 },
		{ .op = NNACCEL_ADMIN_ABORT, .queue = 999, .value = 1 },
		{ .op = NNACCEL_ADMIN_TLB_INVALIDATE, .context = 9, .addr = VA, .size = PAGE },
		{ .op = NNACCEL_ADMIN_TLB_INVALIDATE, .context = 300, .addr = VA, .size = PAGE },
		{ .op = NNACCEL_ADMIN_TLB_INVALIDATE, .addr = NNACCEL_VA_END, .size = 1 },
		{ .op = NNACCEL_ADMIN_TLB_INVALIDATE, .addr = VA, .size = UINT64_MAX },
		{ .op = NNACCEL_ADMIN_PROGRAM_LOAD, .context = 4096, .addr = VA, .size = PAGE },
	};

	reg_set64(&h->regs->ctx[1].pt_root, HOST_RAM_SIZE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (host_admin(h, bad[i]) != NNACCEL_STATUS_BAD_ARGUMENT)
			fail_msg("malformed command %zu was not refused", i);
	/* The device still works. */
	assert_int_equal(reg_get32(&h->regs->fw_state), NNACCEL_FW_RUNNING);
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	host_stop(h);
}

/* Invalid ring contents: the firmware fails with an error, and the reset line restarts it. */
static void expect_failure(struct host *h)
{
	uint32_t before = h->generation;

	host_wait_state(h, NNACCEL_FW_FAILED);
	assert_int_equal(reg_get32(&h->regs->fw_error), NNACCEL_FW_ERROR_RING);
	host_reset(h);
	host_wait_ready(h, before);
	host_handshake(h, 64);
	host_ctx_open(h, 0);
	host_queue_create(h, 0, 0, 64);
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
}

TEST(test_impossible_rings)
{
	struct host *h = running(NULL, 64, 64);
	struct nnaccel_job job = { .op = NNACCEL_JOB_NULL, .num_args = NNACCEL_MAX_ARGS + 1 };
	struct nnaccel_job *slot;

	/* More filled slots than the ring has: admin, queue. */
	reg_set32(&h->admin.ctl->tail, h->admin.index + h->admin.slots + 1);
	host_ring(h, NNACCEL_DOORBELL_ADMIN);
	expect_failure(h);
	reg_set32(&h->queues[0].ctl->tail, h->queues[0].index - 1);
	host_ring(h, NNACCEL_DOORBELL_SUBMIT);
	expect_failure(h);
	/* A completion head beyond the tail. */
	reg_set32(&h->cq.ctl->head, h->cq.index + 1);
	host_admin_send(h, CMD(.op = NNACCEL_ADMIN_PING));
	expect_failure(h);
	/* More arguments than were published, and than a job may have. */
	job.seqno = 2;
	job.num_args = 3;
	slot = (struct nnaccel_job *)h->queues[0].slot0 + h->queues[0].index;
	*slot = job;
	reg_set32(&h->queues[0].ctl->tail, h->queues[0].index + 3);
	host_ring(h, NNACCEL_DOORBELL_SUBMIT);
	expect_failure(h);
	/* A repeated sequence number. */
	h->seqno[0] = 0;
	host_submit_null(h, 0);
	expect_failure(h);
	/* Invalid rings. */
	host_reset(h);
	host_wait_ready(h, h->generation);
	reg_set32(&h->regs->host_generation, h->generation);
	reg_set64(&h->regs->cq_ring, HOST_RAM_SIZE);
	reg_set32(&h->regs->host_state, NNACCEL_HOST_RINGS);
	host_ring(h, NNACCEL_DOORBELL_ADMIN);
	expect_failure(h);
	host_stop(h);
}

TEST(test_queue_destroy)
{
	struct host *h = running(NULL, 64, 2048);
	struct nnaccel_completion c;
	uint64_t bus = host_alloc(h, PAGE);
	uint32_t id;

	host_map(h, 0, VA, bus, PAGE, RW);
	host_submit_copy(h, 0, VA, VA, PAGE, 1);
	/* More jobs than the core takes: the others are in the ring. */
	for (int i = 0; i < 600; i++)
		host_submit_null(h, 0);
	id = host_admin_send(h, CMD(.op = NNACCEL_ADMIN_QUEUE_DESTROY, .queue = 0));
	/* All of them in order, then the acknowledgement. */
	for (uint64_t seqno = 1; seqno <= 601; seqno++) {
		assert_true(host_next(h, &c, HOST_TIMEOUT_MS));
		assert_int_equal(c.kind, NNACCEL_COMPLETION_JOB);
		assert_int_equal(c.seqno, seqno);
		if (seqno > 1)
			assert_int_equal(c.status, NNACCEL_STATUS_CANCELED);
	}
	assert_true(host_next(h, &c, HOST_TIMEOUT_MS));
	assert_int_equal(c.kind, NNACCEL_COMPLETION_ADMIN);
	assert_int_equal(c.seqno, id);
	assert_int_equal(c.status, NNACCEL_STATUS_OK);
	/* The ring is not read any more. */
	host_submit_null(h, 0);
	assert_int_equal(host_drain(h, 100), 0);
	host_queue_create(h, 0, 0, 64);
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	/* Closing the context destroys the queue. */
	host_submit_copy(h, 0, VA, VA, PAGE, 1);
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_CTX_CLOSE)), 0);
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_QUEUE_DESTROY, .queue = 0)),
			 NNACCEL_STATUS_BAD_ARGUMENT);
	host_ctx_open(h, 0);
	host_stop(h);
}

TEST(test_abort)
{
	struct host *h = running(NULL, 64, 64);
	uint64_t progress, first, second;

	host_map(h, 0, VA, host_alloc(h, PAGE), PAGE, RW);
	first = host_submit_copy(h, 0, VA, VA, PAGE, 1);
	second = host_submit_null(h, 0);
	host_wait_begun(h, 0, first);
	progress = reg_get64(&h->regs->queue[0].progress);
	host_wait_more(&h->regs->queue[0].progress, progress);
	/* Abort the second, which has not begun: it never begins. */
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_ABORT, .value = second)), 0);
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_ABORT, .value = first)), 0);
	assert_int_equal(host_wait_job(h, 0, first).status, NNACCEL_STATUS_ABORTED);
	assert_int_equal(host_wait_job(h, 0, second).status, NNACCEL_STATUS_ABORTED);
	/* One that has ended. */
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_ABORT, .value = first)), 0);
	assert_int_equal(host_drain(h, 50), 0);
	host_stop(h);
}

static void fill(struct host *h, uint64_t bus, uint64_t size, uint8_t seed)
{
	uint8_t *p = host_ptr(h, bus);

	for (uint64_t i = 0; i < size; i++)
		p[i] = (uint8_t)(seed + i * 7 + i / PAGE);
}

/* Map @pages pages in reverse order of memory: no two are contiguous. */
static void map_scattered(struct host *h, uint64_t va, uint64_t bus, uint64_t pages, uint64_t flags)
{
	for (uint64_t i = 0; i < pages; i++)
		host_map(h, 0, va + i * PAGE, bus + (pages - 1 - i) * PAGE, PAGE, flags);
}

static void check_copy(struct host *h, bool direct)
{
	const uint64_t pages = 64, size = pages * PAGE - 100;
	uint64_t in = host_alloc(h, pages * PAGE), out = host_alloc(h, pages * PAGE);
	uint64_t before =
		stat_after_ping(h, direct ? &h->regs->bytes_direct : &h->regs->bytes_bounced);
	uint8_t *a = host_ptr(h, in), *b = host_ptr(h, out);

	map_scattered(h, VA, in, pages, 0);
	map_scattered(h, VB, out, pages, RW);
	fill(h, in, pages * PAGE, 3);
	memset(b, 0xee, pages * PAGE);
	/* An odd start: 40 bytes into the first page. */
	assert_int_equal(
		host_wait_job(h, 0, host_submit_copy(h, 0, VA + 40, VB + 40, size, 0)).status, 0);
	for (uint64_t i = 0; i < pages; i++) {
		uint64_t p = (pages - 1 - i) * PAGE, from = i ? 0 : 40,
			 to = i == pages - 1 ? PAGE - 60 : PAGE;

		assert_memory_equal(b + p + from, a + p + from, to - from);
		if (!i)
			assert_int_equal(b[p + 39], 0xee);
		if (i == pages - 1)
			assert_int_equal(b[p + PAGE - 60], 0xee);
	}
	assert_int_equal(stat_after_ping(h,
					 direct ? &h->regs->bytes_direct : &h->regs->bytes_bounced),
			 before + 2 * size);
	/* A failed job writes nothing back from a copy. */
	memset(b, 0xee, pages * PAGE);
	assert_int_equal(host_wait_job(h, 0, host_submit_copy(h, 0, VA, VB, size, 2)).status,
			 NNACCEL_STATUS_EXEC_FAILED);
	if (!direct)
		for (uint64_t i = 0; i < pages * PAGE; i++)
			assert_int_equal(b[i], 0xee);
}

TEST(test_window)
{
	struct host *h = running(NULL, 64, 64);

	check_copy(h, true);
	assert_int_equal(reg_get64(&h->regs->bytes_bounced), 0);
	host_stop(h);
}

TEST(test_bounce)
{
	static const char *const extra[] = { "--window-pieces", "0", NULL };
	struct host *h = running(extra, 64, 64);

	check_copy(h, false);
	assert_int_equal(reg_get64(&h->regs->bytes_direct), 0);
	host_stop(h);
}

TEST(test_direct)
{
	static const char *const extra[] = { "--window-pieces", "0", NULL };
	struct host *h = running(extra, 64, 64);
	uint64_t space = host_alloc(h, 6 * NNACCEL_BLOCK_SIZE);
	uint64_t block = (space + NNACCEL_BLOCK_SIZE - 1) & ~(NNACCEL_BLOCK_SIZE - 1);
	uint64_t size = 2 * NNACCEL_BLOCK_SIZE + 3 * PAGE;

	/*
	 * Two blocks, then contiguous pages: used in place, without a window.
	 */
	host_map(h, 0, VA, block, 2 * NNACCEL_BLOCK_SIZE, NNACCEL_PTE_BLOCK);
	host_map(h, 0, VA + 2 * NNACCEL_BLOCK_SIZE, block + 2 * NNACCEL_BLOCK_SIZE, 3 * PAGE, 0);
	uint64_t out = host_alloc(h, size);

	host_map(h, 0, VB, out, size, RW);
	fill(h, block, size, 9);
	assert_int_equal(host_wait_job(h, 0, host_submit_copy(h, 0, VA, VB, size, 0)).status, 0);
	assert_memory_equal(host_ptr(h, out), host_ptr(h, block), size);
	assert_int_equal(stat_after_ping(h, &h->regs->bytes_direct), 2 * size);
	assert_int_equal(reg_get64(&h->regs->bytes_bounced), 0);
	host_stop(h);
}

static void check_fault(struct host *h, uint64_t from, uint64_t to, uint64_t size, uint64_t fault)
{
	struct nnaccel_completion c =
		host_wait_job(h, 0, host_submit_copy(h, 0, from, to, size, 0));

	assert_int_equal(c.status, NNACCEL_STATUS_FAULT);
	assert_int_equal(c.fault_addr, fault);
}

TEST(test_faults)
{
	struct host *h = running(NULL, 64, 64);
	uint64_t bus = host_alloc(h, 4 * PAGE);

	host_map(h, 0, VA, bus, 2 * PAGE, 0);
	host_map(h, 0, VB, bus + 2 * PAGE, 2 * PAGE, RW);
	check_fault(h, VA + 0x100000, VB, 64, VA + 0x100000);
	check_fault(h, VA + 12, VB, 4 * PAGE, VA + 2 * PAGE);
	check_fault(h, VB, VA + 8, 64, VA + 8); /* read-only */
	check_fault(h, 0, VB, 64, 0);
	check_fault(h, NNACCEL_VA_END - 4, VB, 64, NNACCEL_VA_END - 4);
	check_fault(h, UINT64_MAX - 3, VB, 64, UINT64_MAX - 3);
	/* An address that is not RAM, an invalid table, bits that must be 0. */
	host_map(h, 0, VA + 0x200000, HOST_RAM_SIZE, PAGE, 0);
	check_fault(h, VA + 0x200000, VB, 64, VA + 0x200000);
	host_map(h, 0, VA + 0x400000, bus, PAGE, 1ull << 60);
	check_fault(h, VA + 0x400000, VB, 64, VA + 0x400000);
	host_map(h, 0, VA + 0x600000, bus & ~(NNACCEL_BLOCK_SIZE - 1), PAGE,
		 NNACCEL_PTE_BLOCK | 1ull << 13);
	check_fault(h, VA + 0x600000, VB, 64, VA + 0x600000);
	reg_set64((__le64 *)host_ptr(h, h->roots[0]) + NNACCEL_PT_INDEX(1ull << 38, 2),
		  HOST_RAM_SIZE | NNACCEL_PTE_VALID);
	check_fault(h, 1ull << 38, VB, 64, 1ull << 38);
	/* Valid entries still work. From invalid to valid needs no invalidation. */
	assert_int_equal(host_wait_job(h, 0, host_submit_copy(h, 0, VA, VB, 2 * PAGE, 0)).status,
			 0);
	host_map(h, 0, VA + 2 * PAGE, host_alloc(h, PAGE), PAGE, 0);
	assert_int_equal(
		host_wait_job(h, 0, host_submit_copy(h, 0, VA + PAGE, VB, 2 * PAGE, 0)).status, 0);
	host_stop(h);
}

TEST(test_invalidate)
{
	struct host *h = running(NULL, 64, 64);
	uint64_t old = host_alloc(h, 4 * PAGE), new = host_alloc(h, 4 * PAGE),
		 out = host_alloc(h, 4 * PAGE);
	uint32_t id;

	map_scattered(h, VA, old, 4, 0);
	host_map(h, 0, VB, out, 4 * PAGE, RW);
	memset(host_ptr(h, old), 1, 4 * PAGE);
	memset(host_ptr(h, new), 2, 4 * PAGE);
	assert_int_equal(host_wait_job(h, 0, host_submit_copy(h, 0, VA, VB, 4 * PAGE, 0)).status,
			 0);
	assert_int_equal(*(uint8_t *)host_ptr(h, out), 1);
	/* Other pages at the same address, with an invalidation. */
	host_unmap(h, 0, VA, 4 * PAGE);
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_TLB_INVALIDATE, .addr = VA,
					   .size = 4 * PAGE)),
			 0);
	check_fault(h, VA, VB, 4 * PAGE, VA);
	map_scattered(h, VA, new, 4, 0);
	assert_int_equal(host_wait_job(h, 0, host_submit_copy(h, 0, VA, VB, 4 * PAGE, 0)).status,
			 0);
	for (uint64_t i = 0; i < 4 * PAGE; i++)
		assert_int_equal(((uint8_t *)host_ptr(h, out))[i], 2);
	/*
	 * In use: acknowledged when the job is over, and commands behind it are served meanwhile.
	 */
	uint64_t progress = reg_get64(&h->regs->queue[0].progress);
	uint64_t job = host_submit_copy(h, 0, VA, VB, 4 * PAGE, 1);
	struct nnaccel_completion c;

	/* It reports progress when it begins, and again when it has mapped its argument. */
	host_wait_more(&h->regs->queue[0].progress, progress + 1);
	id = host_admin_send(h,
			     CMD(.op = NNACCEL_ADMIN_TLB_INVALIDATE, .addr = VB + PAGE, .size = 1));
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_PING)), 0);
	assert_false(host_next(h, &c, 100));
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_ABORT, .value = job)), 0);
	assert_int_equal(host_admin_wait(h, id).status, 0);
	assert_int_equal(host_wait_job(h, 0, job).status, NNACCEL_STATUS_ABORTED);
	host_stop(h);
}

/* The host takes its rings back: the card stops, then enters FAILED. */
TEST(test_host_leaves)
{
	struct host *h = running(NULL, 64, 64);

	host_map(h, 0, VA, host_alloc(h, PAGE), PAGE, RW);
	host_submit_copy(h, 0, VA, VA, PAGE, 1);
	reg_set32(&h->regs->host_state, NNACCEL_HOST_NONE);
	host_ring(h, NNACCEL_DOORBELL_ADMIN);
	host_wait_state(h, NNACCEL_FW_FAILED);
	assert_int_equal(reg_get32(&h->regs->fw_error), NNACCEL_FW_ERROR_NONE);
	host_reset(h);
	host_wait_ready(h, 1);
	host_handshake(h, 64);
	host_ctx_open(h, 0);
	host_queue_create(h, 0, 0, 64);
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	host_stop(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipelined),
		cmocka_unit_test(test_completion_backpressure),
		cmocka_unit_test(test_admin_commands),
		cmocka_unit_test(test_admin_malformed),
		cmocka_unit_test(test_impossible_rings),
		cmocka_unit_test(test_queue_destroy),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_bounce),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_invalidate),
		cmocka_unit_test(test_host_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
