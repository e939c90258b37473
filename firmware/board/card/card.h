/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The card: firmware/core behind the device contract.
 *
 * Threads: main (handshake and admin ring), two for submissions (queue rings), service (heartbeat,
 * room in the completion ring), and the core's workers. All of them sleep in poll(), epoll_wait()
 * or on a condition. All but service may wait for room in the completion ring; service receives
 * that doorbell.
 *
 * A submit thread runs the jobs that it has taken, because small ones are over sooner than another
 * thread wakes. Meanwhile the other one takes jobs and leaves them to the core: rings are served
 * however long a job runs. A doorbell wakes one of the two.
 *
 * Lock order: queue_ring.lock, then completion_ring.lock. card_fail() takes the latter; its callers
 * must not hold it.
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
#include "card/telemetry.h"
#include "nnfw_core.h"

/** Jobs of one queue in the core; others wait in the ring. */
#define CARD_QUEUE_DEPTH 256u
#define CARD_HEARTBEAT_MS 100
#define CARD_RING_THREADS 2u
#define CARD_DEAF_ABORTS 64u

/** Engine time of the first job of a queue. Used by the thread that holds the queue. */
struct queue_turn {
	uint64_t seqno, run_ns, since_ns;
	bool on;
};

struct queue_ring {
	pthread_mutex_t lock;
	/* Written by the main thread under lock; other fields are accessed under lock. */
	atomic_bool open;
	uint32_t context;
	struct ring ring;
	uint64_t last_seqno;
	uint64_t counted_seqno; /* last job counted by fault_job_taken() */
	/* Jobs in the core; throttled: the ring has more, and a completion must kick. */
	atomic_uint inflight;
	atomic_bool throttled;
	struct queue_turn turn;
	/* ACK_EARLY: time until which no slot is freed, and jobs aborted meanwhile. */
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
	int kick; /* eventfd: there is work for a submit thread without a doorbell */
	int ring_epoll[CARD_RING_THREADS]; /* what each submit thread waits with */
	atomic_uint ring_threads; /* submit threads that have started */
	atomic_bool runner; /* a submit thread runs jobs */
	uint32_t generation;
	bool queue_time; /* CAP_QUEUE_TIME */
	struct nnfw_config config;

	/*
	 * Created before the rings are taken, destroyed when the host takes them back. Users hold
	 * fw_lock or the lock of an open queue, are the main thread, or have called
	 * nnfw_work_begin() under fw_lock.
	 */
	pthread_mutex_t fw_lock;
	struct nnfw *fw;

	/* Rings are served. Cleared for ever by card_fail() and by the host. */
	atomic_bool serving;
	atomic_bool failed;
	/*
	 * A job waits in its ring for memory of the core or because of a fault: service kicks.
	 */
	atomic_bool retry;
	struct ring admin; /* main thread */
	struct completion_ring cq;
	struct queue_ring queues[NNACCEL_MAX_QUEUES];
	/* Of all jobs: time on engines, of those that have given them up; those that hold one. */
	atomic_uint_fast64_t busy_ns;
	atomic_uint running;
	struct telemetry telemetry; /* service thread */
	struct fault fault;
	uint8_t opset[NNACCEL_OPSET_MAX_SIZE];
	size_t opset_size;
};

/**
 * Set fw_state FAILED and stop serving rings. Any thread; of the card's locks only a queue's may be
 * held.
 */
void card_fail(struct card *card, enum nnaccel_fw_error error);
void card_raise(struct card *card, enum nnaccel_irq vector);
/** Write fw_state and tell the host. */
void card_set_state(struct card *card, enum nnaccel_fw_state state);
/** Store the core's counters into the registers. */
void card_update_stats(struct card *card);
/** Store temperature, power and clock. Service thread. */
void card_update_telemetry(struct card *card);
/**
 * Wait for one of two eventfds for at most @timeout_ms (-1: no limit). True: rung, and cleared.
 */
bool card_wait(int eventfd, int other, int timeout_ms);

#endif
