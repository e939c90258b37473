/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host in user space: what QEMU and the kernel driver do, as a library for tests of the board. A
 * memfd like file is guest RAM, the ivshmem protocol is spoken from the client's side, and the
 * device contract (uapi/nnaccel) from the host's. It is also the shortest complete user of that
 * contract.
 *
 * Failures of the machinery (no socket, timeout) fail the test by cmocka's assertions.
 */
#ifndef BOARD_HOST_H
#define BOARD_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nnaccel/nnaccel_mmu.h"
#include "nnaccel/nnaccel_opset.h"
#include "nnaccel/nnaccel_result.h"
#include "nnaccel/nnaccel_ring.h"
#include "nnaccel/nnaccel_status.h"

#define HOST_RAM_SIZE (64ull << 20)
#define HOST_QUEUES 4u
#define HOST_LOG 65536u
/** No wait for the card is longer; only a broken one takes so long. */
#define HOST_TIMEOUT_MS 20000

struct host_ring {
	struct nnaccel_ring_ctl *ctl;
	uint8_t *slot0;
	uint64_t bus;
	uint32_t slots, index;
};

struct host {
	const char *dir;
	char ram_path[96];
	pid_t slot;
	int sock, control;
	uint8_t *ram;
	uint64_t ram_used;
	int bar2_fd;
	struct nnaccel_regs *regs;
	int doorbell[NNACCEL_NUM_DOORBELLS], irq[NNACCEL_NUM_IRQS];
	uint32_t generation;
	struct host_ring admin, cq, queues[HOST_QUEUES];
	uint64_t seqno[HOST_QUEUES];
	uint64_t roots[4];
	uint32_t next_id;
	/* Completions that were taken from the ring, and not yet by the test. */
	struct nnaccel_completion log[HOST_LOG];
	uint32_t log_first, log_count;
};

/**
 * Start a slot with a card program and extra arguments (NULL-terminated), connect, map everything.
 */
struct host *host_start(const char *card, const char *const *extra);
/** SIGTERM to the slot; it must end with status 0. */
void host_stop(struct host *host);

/** Send a control command, return the answer's line (static buffer). */
const char *host_control(struct host *host, const char *command);
void host_ring(struct host *host, enum nnaccel_doorbell vector);
/** Wait for an interrupt; false after @ms. */
bool host_wait_irq(struct host *host, enum nnaccel_irq vector, int ms);

/** Wait until a generation other than @not is READY (or further); sets host->generation. */
void host_wait_ready(struct host *host, uint32_t not_generation);
/** Wait for a state of the firmware. */
void host_wait_state(struct host *host, enum nnaccel_fw_state state);
/** Fresh rings, HOST_RINGS, wait for RUNNING. */
void host_handshake(struct host *host, uint32_t cq_slots);
/** Pull the reset line and wait for the acknowledgement. */
void host_reset(struct host *host);

/** Pages of guest RAM, zeroed; bus address. */
uint64_t host_alloc(struct host *host, uint64_t size);
void *host_ptr(struct host *host, uint64_t bus);
/** Map [bus, bus + size) at @va of context; tables are made as needed. */
/** New memory of whole pages, mapped in context 0: where the host has it. */
void *host_map_new(struct host *host, uint64_t va, uint64_t size, uint64_t flags);
void host_map(struct host *host, uint32_t context, uint64_t va, uint64_t bus, uint64_t size,
	      uint64_t flags);
/** Clear the entries of a range. */
void host_unmap(struct host *host, uint32_t context, uint64_t va, uint64_t size);

/** Fill an admin slot and ring; returns its id. */
uint32_t host_admin_send(struct host *host, struct nnaccel_admin_cmd cmd);
/** Wait for the acknowledgement of @id. */
struct nnaccel_completion host_admin_wait(struct host *host, uint32_t id);
/** Both; returns the status. */
uint32_t host_admin(struct host *host, struct nnaccel_admin_cmd cmd);
/** Context with a fresh page table; must succeed. */
void host_ctx_open(struct host *host, uint32_t context);
/** Queue with a fresh ring; must succeed. */
void host_queue_create(struct host *host, uint32_t queue, uint32_t context, uint32_t slots);
/** What most tests begin with: handshake, context 0, queue 0 in it, rings of 64 slots. */
void host_bring_up(struct host *host);
/** CLOCK_MONOTONIC, ms. */
uint64_t host_now_ms(void);

/** Put a job in the ring and ring the doorbell (@ring); its number. Waits for room. */
uint64_t host_submit(struct host *host, uint32_t queue, struct nnaccel_job job,
		     const struct nnaccel_arg *args, bool ring);
uint64_t host_submit_null(struct host *host, uint32_t queue);
uint64_t host_submit_copy(struct host *host, uint32_t queue, uint64_t from, uint64_t to,
			  uint64_t size, uint64_t mode);
/** Take completions into the log for at most @ms; number of those in the log. */
uint32_t host_drain(struct host *host, int ms);
/** Take the oldest completion out of the log, waiting for one. False after @ms. */
bool host_next(struct host *host, struct nnaccel_completion *c, int ms);
/** Wait until the job is the last one of its queue that has begun. */
void host_wait_begun(struct host *host, uint32_t queue, uint64_t seqno);
/** Wait until a register holds more than @than. */
void host_wait_more(const __le64 *reg, uint64_t than);
/** Wait for the completion of a job. */
struct nnaccel_completion host_wait_job(struct host *host, uint32_t queue, uint64_t seqno);

#endif
