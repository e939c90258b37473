/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The card: firmware/core behind the device contract.
 *
 * Threads: main (handshake and admin ring), submit (queue rings), service (heartbeat, room in the
 * completion ring), and the core's workers. All of them sleep in poll() or on a condition. Each may
 * be waiting for room in the completion ring but service, which hears of it.
 *
 * Locks, in order of taking: queue_ring.lock, then completion_ring.lock. card_fail() takes only the
 * latter, and nobody holds it when calling.
 */
#ifndef NNBOARD_CARD_H
#define NNBOARD_CARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "card/completion_ring.h"
#include "card/fault.h"
#include "card/mmu.h"
#include "card/ring.h"
#include "nnfw_core.h"

/** Jobs of one queue that the card holds; the rest waits in the ring. */
#define CARD_QUEUE_DEPTH 256u
#define CARD_HEARTBEAT_MS 100
#define CARD_DEAF_ABORTS 64u

/** The first job of a queue: what it has had of the engines. Of the thread that holds the queue. */
struct queue_turn {
	uint64_t seqno, run_ns, since_ns;
	bool on;
};

struct queue_ring {
	pthread_mutex_t lock;
	/* Written by the main thread under lock; the rest under lock. */
	atomic_bool open;
	uint32_t context;
	struct ring ring;
	uint64_t last_seqno;
	uint64_t counted_seqno; /* last job that fault_job_taken() was told of */
	/* Jobs in the core; throttled: the ring has more, and a completion has to kick. */
	atomic_uint inflight;
	atomic_bool throttled;
	struct queue_turn turn;
	/* ACK_EARLY: until when no slot is freed, and the jobs that were aborted meanwhile. */
	uint64_t deaf_until_ns;
	uint64_t deaf_aborts[CARD_DEAF_ABORTS];
	uint32_t num_deaf_aborts;
};

struct card {
	struct nnaccel_regs *regs;
	struct guest_ram ram;
	struct mmu mmu;
	int doorbell[NNACCEL_NUM_DOORBELLS];
	int irq[NNACCEL_NUM_IRQS];
	int kick; /* eventfd: the submit thread has work though nobody rang */
	uint32_t generation;
	bool queue_time; /* CAP_QUEUE_TIME */
	struct nnfw_config config;

	/*
	 * Set before the rings are taken, destroyed when the host took them back; users hold
	 * fw_lock or the lock of an open queue, or are the main thread.
	 */
	pthread_mutex_t fw_lock;
	struct nnfw *fw;

	/* Rings are served. Cleared once and for all by card_fail() and by the host. */
	atomic_bool serving;
	atomic_bool failed;
	/*
	 * A job waits in its ring, for memory of the core or by a fault: the service thread kicks.
	 */
	atomic_bool retry;
	struct ring admin; /* main thread */
	struct completion_ring cq;
	struct queue_ring queues[NNACCEL_MAX_QUEUES];
	struct fault fault;
	uint8_t opset[NNACCEL_OPSET_MAX_SIZE];
	size_t opset_size;
};

/**
 * fw_state FAILED; rings are not served any more. Any thread, no lock of the card held but a
 * queue's.
 */
void card_fail(struct card *card, enum nnaccel_fw_error error);
void card_raise(struct card *card, enum nnaccel_irq vector);
/** Write fw_state and tell the host. */
void card_set_state(struct card *card, enum nnaccel_fw_state state);
/** Store the core's counters into the registers. */
void card_update_stats(struct card *card);
/**
 * Wait for an eventfd, at most @timeout_ms (-1: for ever); true when it was rung, which clears it.
 */
bool card_wait(int eventfd, int other, int timeout_ms);

#endif
