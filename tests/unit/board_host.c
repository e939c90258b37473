// SPDX-License-Identifier: Apache-2.0
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "board_host.h"
#include "board.h"
#include "child.h"
#include "descriptors.h"
#include "eventually.h"
#include "temp.h"
#include "test_case.h"

uint64_t host_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000u + (uint64_t)ts.tv_nsec / 1000000u;
}

/* ---- processes and sockets ---- */

static int connect_to(const struct host *h, const char *name)
{
	char path[96];
	int sock;

	snprintf(path, sizeof(path), "%s/%s", h->dir, name);
	if (!EVENTUALLY((sock = unix_dial(path, SOCK_STREAM)) >= 0))
		fail_msg("cannot connect to %s", path);
	return sock;
}

/* One word and the descriptor that came with it, or -1. */
static int64_t receive_word(int sock, int *fd)
{
	int64_t word;

	assert_int_equal(unix_receive(sock, &word, sizeof(word), fd), sizeof(word));
	return (int64_t)le64toh((uint64_t)word);
}

/* The order that QEMU 7.2 needs. */
static void ivshmem_connect(struct host *h)
{
	int fd;

	h->sock = connect_to(h, "ivshmem.sock");
	assert_int_equal(receive_word(h->sock, &fd), 0);
	assert_int_equal(fd, -1);
	assert_int_equal(receive_word(h->sock, &fd), 1);
	assert_int_equal(fd, -1);
	for (int i = 0; i < NNACCEL_NUM_DOORBELLS; i++) {
		assert_int_equal(receive_word(h->sock, &h->doorbell[i]), 0);
		assert_true(h->doorbell[i] >= 0);
	}
	assert_int_equal(receive_word(h->sock, &h->bar2_fd), -1);
	assert_true(h->bar2_fd >= 0);
	for (int i = 0; i < NNACCEL_NUM_IRQS; i++) {
		assert_int_equal(receive_word(h->sock, &h->irq[i]), 1);
		assert_true(h->irq[i] >= 0);
	}
}

static void start_slot(struct host *h, const char *card, const char *const *extra)
{
	const char *argv[32] = { NNACCEL_SLOT,	     "--dir", h->dir,	"--ram", h->ram_path,
				 "--ram-size",	     NULL,    "--card", card,	 "--foreground",
				 "--die-with-parent" };
	const struct child_program program = { .path = NNACCEL_SLOT, .argv = argv };
	static char size[24];
	int n = 11;

	snprintf(size, sizeof(size), "%llu", HOST_RAM_SIZE);
	argv[6] = size;
	while (extra && *extra && n < 31)
		argv[n++] = *extra++;
	h->slot = child_execute(&program);
}

struct host *host_start(const char *card, const char *const *extra)
{
	struct host *h = calloc(1, sizeof(*h));
	struct stat st;
	int fd;

	assert_non_null(h);
	h->dir = temp_folder_new();
	snprintf(h->ram_path, sizeof(h->ram_path), "%s/ram", h->dir);
	start_slot(h, card, extra);
	/* QEMU makes the file after the slot is up. */
	h->control = connect_to(h, "control.sock");
	fd = open(h->ram_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, HOST_RAM_SIZE), 0);
	h->ram = memfd_map(fd, HOST_RAM_SIZE);
	close(fd);
	h->ram_used = 1 << 20;
	ivshmem_connect(h);
	assert_int_equal(fstat(h->bar2_fd, &st), 0);
	assert_true(st.st_size >= NNACCEL_REGS_SIZE && !(st.st_size & (st.st_size - 1)));
	h->regs = memfd_map(h->bar2_fd, (size_t)st.st_size);
	/* The accelerator of a board has no power yet. */
	if (!extra || strcmp(*extra, "--soc")) {
		assert_int_equal(reg_get32(&h->regs->magic), NNACCEL_MAGIC);
		assert_int_equal(reg_get32(&h->regs->layout_version) >> 16, NNACCEL_CONTRACT_MAJOR);
	}
	return h;
}

void host_stop(struct host *h)
{
	assert_int_equal(child_kill(h->slot, SIGTERM), 0);
	for (int i = 0; i < 4; i++) {
		close(h->doorbell[i]);
		close(h->irq[i]);
	}
	munmap(h->regs, NNBOARD_BAR2_SIZE);
	munmap(h->ram, HOST_RAM_SIZE);
	close(h->bar2_fd);
	close(h->sock);
	close(h->control);
	unlink(h->ram_path);
	assert_int_equal(rmdir(h->dir), 0); /* the slot has removed its socket and its memory */
	free(h);
}

const char *host_control(struct host *h, const char *command)
{
	static char line[512];
	size_t n = 0;

	snprintf(line, sizeof(line), "%s\n", command);
	assert_int_equal(write(h->control, line, strlen(line)), (ssize_t)strlen(line));
	while (n < sizeof(line) - 1) {
		struct pollfd p = { h->control, POLLIN, 0 };

		assert_int_equal(poll(&p, 1, HOST_TIMEOUT_MS), 1);
		assert_int_equal(read(h->control, line + n, 1), 1);
		if (line[n] == '\n')
			break;
		n++;
	}
	line[n] = '\0';
	return line;
}

void host_ring(struct host *h, enum nnaccel_doorbell vector)
{
	assert_int_equal(eventfd_write(h->doorbell[vector], 1), 0);
}

bool host_wait_irq(struct host *h, enum nnaccel_irq vector, int ms)
{
	struct pollfd p = { h->irq[vector], POLLIN, 0 };
	eventfd_t value;

	return poll(&p, 1, ms) == 1 && !eventfd_read(h->irq[vector], &value);
}

/* ---- generations ---- */

void host_wait_ready(struct host *h, uint32_t not_generation)
{
	uint64_t until = host_now_ms() + HOST_TIMEOUT_MS;

	while (host_now_ms() < until) {
		/*
		 * State, then generation, then state again: both belong together when it did not
		 * change.
		 */
		uint32_t link = reg_get32(&h->regs->link);
		uint32_t state = reg_get32(&h->regs->fw_state);
		uint32_t generation = reg_get32(&h->regs->generation);

		if (link == NNACCEL_LINK_PRESENT && state >= NNACCEL_FW_READY &&
		    generation != not_generation && reg_get32(&h->regs->fw_state) == state) {
			assert_true(generation > h->generation || generation != 0);
			h->generation = generation;
			return;
		}
		host_wait_irq(h, NNACCEL_IRQ_EVENT, 500);
	}
	fail_msg("no card: link %u state %u generation %u", reg_get32(&h->regs->link),
		 reg_get32(&h->regs->fw_state), reg_get32(&h->regs->generation));
}

void host_wait_state(struct host *h, enum nnaccel_fw_state state)
{
	uint64_t until = host_now_ms() + HOST_TIMEOUT_MS;

	while (reg_get32(&h->regs->fw_state) != state && host_now_ms() < until)
		host_wait_irq(h, NNACCEL_IRQ_EVENT, 500);
	assert_int_equal(reg_get32(&h->regs->fw_state), state);
}

static void ring_make(struct host *h, struct host_ring *r, uint32_t slots)
{
	memset(r, 0, sizeof(*r));
	r->bus = host_alloc(h, sizeof(*r->ctl) + (uint64_t)slots * NNACCEL_SLOT_SIZE);
	r->ctl = host_ptr(h, r->bus);
	r->slot0 = (uint8_t *)(r->ctl + 1);
	r->slots = slots;
}

void host_handshake(struct host *h, uint32_t cq_slots)
{
	struct nnaccel_regs *regs = h->regs;

	ring_make(h, &h->admin, 64);
	ring_make(h, &h->cq, cq_slots);
	h->log_count = 0;
	reg_set32(&regs->host_version, NNACCEL_CONTRACT_VERSION);
	reg_set32(&regs->host_generation, h->generation);
	reg_set64(&regs->admin_ring, h->admin.bus);
	reg_set64(&regs->cq_ring, h->cq.bus);
	reg_set32(&regs->admin_slots, h->admin.slots);
	reg_set32(&regs->cq_slots, h->cq.slots);
	reg_set32(&regs->host_state, NNACCEL_HOST_RINGS);
	host_ring(h, NNACCEL_DOORBELL_ADMIN);
	host_wait_state(h, NNACCEL_FW_RUNNING);
	assert_int_equal(reg_get32(&regs->generation), h->generation);
}

void host_reset(struct host *h)
{
	uint32_t req = reg_get32(&h->regs->reset_ack) + 1;
	uint64_t until = host_now_ms() + HOST_TIMEOUT_MS;

	reg_set32(&h->regs->reset_req, req);
	host_ring(h, NNACCEL_DOORBELL_RESET);
	while (reg_get32(&h->regs->reset_ack) != req && host_now_ms() < until)
		host_wait_irq(h, NNACCEL_IRQ_EVENT, 500);
	assert_int_equal(reg_get32(&h->regs->reset_ack), req);
}

/* ---- memory ---- */

uint64_t host_alloc(struct host *h, uint64_t size)
{
	uint64_t bus = h->ram_used;

	size = (size + NNACCEL_PAGE_SIZE - 1) & ~(NNACCEL_PAGE_SIZE - 1);
	assert_true(size <= HOST_RAM_SIZE - bus);
	h->ram_used += size;
	memset(h->ram + bus, 0, size);
	return bus;
}

void *host_ptr(struct host *h, uint64_t bus)
{
	return h->ram + bus;
}

static __le64 *table_entry(struct host *h, uint32_t context, uint64_t va, unsigned int level)
{
	uint64_t table = h->roots[context];

	for (unsigned int l = NNACCEL_PT_LEVELS - 1; l > level; l--) {
		__le64 *entry = (__le64 *)host_ptr(h, table) + NNACCEL_PT_INDEX(va, l);

		if (!reg_get64(entry))
			reg_set64(entry, host_alloc(h, NNACCEL_PAGE_SIZE) | NNACCEL_PTE_VALID);
		table = reg_get64(entry) & NNACCEL_PTE_ADDR;
	}
	return (__le64 *)host_ptr(h, table) + NNACCEL_PT_INDEX(va, level);
}

void host_map(struct host *h, uint32_t context, uint64_t va, uint64_t bus, uint64_t size,
	      uint64_t flags)
{
	uint64_t step = flags & NNACCEL_PTE_BLOCK ? NNACCEL_BLOCK_SIZE : NNACCEL_PAGE_SIZE;

	for (uint64_t at = 0; at < size; at += step)
		reg_set64(table_entry(h, context, va + at, flags & NNACCEL_PTE_BLOCK ? 1 : 0),
			  (bus + at) | flags | NNACCEL_PTE_VALID);
}

void *host_map_new(struct host *h, uint64_t va, uint64_t size, uint64_t flags)
{
	const uint64_t pages = (size + NNACCEL_PAGE_SIZE - 1) & ~(NNACCEL_PAGE_SIZE - 1);
	const uint64_t bus = host_alloc(h, pages);

	host_map(h, 0, va, bus, pages, flags);
	return host_ptr(h, bus);
}

void host_unmap(struct host *h, uint32_t context, uint64_t va, uint64_t size)
{
	for (uint64_t at = 0; at < size; at += NNACCEL_PAGE_SIZE)
		reg_set64(table_entry(h, context, va + at, 0), 0);
}

/* ---- rings ---- */

/* Slots of the ring that may be filled now; waits until @want are free. */
static void wait_room(struct host *h, struct host_ring *r, uint32_t want)
{
	uint64_t until = host_now_ms() + HOST_TIMEOUT_MS;

	for (;;) {
		uint32_t used = r->index - reg_get32(&r->ctl->head);

		assert_true(used <= r->slots);
		if (r->slots - used >= want)
			return;
		assert_true(host_now_ms() < until);
		host_drain(h, 2);
	}
}

static void *slot_at(struct host_ring *r, uint32_t index)
{
	return r->slot0 + (size_t)(index & (r->slots - 1)) * NNACCEL_SLOT_SIZE;
}

uint32_t host_admin_send(struct host *h, struct nnaccel_admin_cmd cmd)
{
	cmd.id = htole32(++h->next_id);
	wait_room(h, &h->admin, 1);
	memcpy(slot_at(&h->admin, h->admin.index), &cmd, sizeof(cmd));
	reg_set32(&h->admin.ctl->tail, ++h->admin.index);
	host_ring(h, NNACCEL_DOORBELL_ADMIN);
	return h->next_id;
}

static void cq_consume(struct host *h, uint32_t tail)
{
	while (h->cq.index != tail) {
		if (!h->log_count)
			h->log_first = 0;
		assert_true(h->log_first + h->log_count < HOST_LOG);
		memcpy(&h->log[h->log_first + h->log_count++], slot_at(&h->cq, h->cq.index),
		       NNACCEL_SLOT_SIZE);
		h->cq.index++;
	}
	reg_set32(&h->cq.ctl->head, h->cq.index);
	/* Pairs with the card's barrier between cq_stalled and its second look at the head. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (reg_get32(&h->regs->cq_stalled))
		host_ring(h, NNACCEL_DOORBELL_CQ);
}

uint32_t host_drain(struct host *h, int ms)
{
	uint32_t tail = reg_get32(&h->cq.ctl->tail);

	if (tail == h->cq.index && ms) {
		host_wait_irq(h, NNACCEL_IRQ_COMPLETION, ms);
		tail = reg_get32(&h->cq.ctl->tail);
	}
	assert_true(tail - h->cq.index <= h->cq.slots);
	if (tail != h->cq.index)
		cq_consume(h, tail);
	return h->log_count;
}

/* Take the first completion of the log that matches; kind 0: any. */
static bool log_take(struct host *h, uint32_t kind, uint32_t queue, uint64_t seqno,
		     struct nnaccel_completion *c)
{
	for (uint32_t i = h->log_first; i < h->log_first + h->log_count; i++) {
		if (kind && (h->log[i].kind != kind || h->log[i].seqno != seqno ||
			     (kind == NNACCEL_COMPLETION_JOB && h->log[i].queue != queue)))
			continue;
		*c = h->log[i];
		/* Take the rest of the buffer to its front; it is empty most of the time. */
		memmove(&h->log[h->log_first + 1], &h->log[h->log_first],
			(i - h->log_first) * sizeof(*c));
		h->log_first++;
		h->log_count--;
		return true;
	}
	return false;
}

static bool wait_for(struct host *h, uint32_t kind, uint32_t queue, uint64_t seqno, int ms,
		     struct nnaccel_completion *c)
{
	uint64_t until = host_now_ms() + (uint64_t)ms;

	while (!log_take(h, kind, queue, seqno, c)) {
		uint64_t now = host_now_ms();

		if (now >= until)
			return false;
		host_drain(h, (int)(until - now));
	}
	return true;
}

bool host_next(struct host *h, struct nnaccel_completion *c, int ms)
{
	return wait_for(h, 0, 0, 0, ms, c);
}

void host_wait_begun(struct host *h, uint32_t queue, uint64_t seqno)
{
	uint64_t until = host_now_ms() + HOST_TIMEOUT_MS;

	while (reg_get64(&h->regs->queue[queue].seqno) != seqno) {
		if (host_now_ms() > until)
			fail_msg("job %llu of queue %u did not begin", (unsigned long long)seqno,
				 queue);
		usleep(1000); /* clock: polls, and a hang ends */
	}
}

void host_wait_more(const __le64 *reg, uint64_t than)
{
	uint64_t until = host_now_ms() + HOST_TIMEOUT_MS;

	while (reg_get64(reg) <= than) {
		if (host_now_ms() > until)
			fail_msg("a register stays at %llu", (unsigned long long)reg_get64(reg));
		usleep(1000); /* clock: polls, and a hang ends */
	}
}

struct nnaccel_completion host_wait_job(struct host *h, uint32_t queue, uint64_t seqno)
{
	struct nnaccel_completion c = { 0 };

	if (!wait_for(h, NNACCEL_COMPLETION_JOB, queue, seqno, HOST_TIMEOUT_MS, &c))
		fail_msg("job %llu of queue %u did not end", (unsigned long long)seqno, queue);
	assert_int_equal(c.generation, h->generation);
	assert_true(c.end_ns >= c.start_ns);
	assert_true(c.status < NNACCEL_STATUS_FIRMWARE_COUNT);
	return c;
}

struct nnaccel_completion host_admin_wait(struct host *h, uint32_t id)
{
	struct nnaccel_completion c = { 0 };

	if (!wait_for(h, NNACCEL_COMPLETION_ADMIN, 0, id, HOST_TIMEOUT_MS, &c))
		fail_msg("admin command %u was not acknowledged", id);
	assert_int_equal(c.generation, h->generation);
	return c;
}

uint32_t host_admin(struct host *h, struct nnaccel_admin_cmd cmd)
{
	return host_admin_wait(h, host_admin_send(h, cmd)).status;
}

void host_ctx_open(struct host *h, uint32_t context)
{
	h->roots[context] = host_alloc(h, NNACCEL_PAGE_SIZE);
	reg_set64(&h->regs->ctx[context].pt_root, h->roots[context]);
	assert_int_equal(host_admin(h, (struct nnaccel_admin_cmd){ .op = NNACCEL_ADMIN_CTX_OPEN,
								   .context = context }),
			 0);
}

void host_queue_create(struct host *h, uint32_t queue, uint32_t context, uint32_t slots)
{
	ring_make(h, &h->queues[queue], slots);
	h->seqno[queue] = 0;
	assert_int_equal(host_admin(h, (struct nnaccel_admin_cmd){ .op = NNACCEL_ADMIN_QUEUE_CREATE,
								   .context = context,
								   .queue = queue,
								   .addr = h->queues[queue].bus,
								   .size = slots,
								   .value = 1 }),
			 0);
}

void host_bring_up(struct host *h)
{
	host_handshake(h, 64);
	host_ctx_open(h, 0);
	host_queue_create(h, 0, 0, 64);
}

uint64_t host_submit(struct host *h, uint32_t queue, struct nnaccel_job job,
		     const struct nnaccel_arg *args, bool ring)
{
	struct host_ring *r = &h->queues[queue];

	job.seqno = ++h->seqno[queue];
	wait_room(h, r, 1 + job.num_args);
	memcpy(slot_at(r, r->index++), &job, sizeof(job));
	for (uint32_t i = 0; i < job.num_args; i++)
		memcpy(slot_at(r, r->index++), &args[i], sizeof(args[i]));
	reg_set32(&r->ctl->tail, r->index);
	if (ring)
		host_ring(h, NNACCEL_DOORBELL_SUBMIT);
	return job.seqno;
}

uint64_t host_submit_null(struct host *h, uint32_t queue)
{
	return host_submit(h, queue, (struct nnaccel_job){ .op = NNACCEL_JOB_NULL }, NULL, true);
}

uint64_t host_submit_copy(struct host *h, uint32_t queue, uint64_t from, uint64_t to, uint64_t size,
			  uint64_t mode)
{
	struct nnaccel_arg args[2] = { { .addr = from, .size = size },
				       { .addr = to, .size = size } };

	return host_submit(
		h, queue,
		(struct nnaccel_job){ .op = NNACCEL_JOB_RUN, .num_args = 2, .program_addr = mode },
		args, true);
}
