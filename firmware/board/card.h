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

#include "fault.h"
#include "mmu.h"
#include "nnfw_core.h"
#include "regs.h"

/** Jobs of one queue that the card holds; the rest waits in the ring. */
#define CARD_QUEUE_DEPTH 256u
#define CARD_HEARTBEAT_MS 100
#define CARD_DEAF_ABORTS 64u

/**
 * One ring as the card sees it: where it is, and the card's own index, which the host cannot
 * change.
 */
struct ring {
	struct nnaccel_ring_ctl *ctl;
	uint8_t *slot0;
	uint32_t slots;
	uint32_t index; /* consumer: head; producer: tail */
};

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

struct completion_ring {
	pthread_mutex_t lock;
	pthread_cond_t room;
	bool open;
	struct ring ring;
};

/** The fault mode at work; only job counts and the one victim matter once it runs. */
struct fault {
	struct fault_spec spec;
	int fired_fd; /* tells the slot that it fired */
	atomic_uint_fast64_t jobs; /* taken since the start */
	atomic_bool armed; /* the victim is on the device and nothing happened yet */
	atomic_uint victim_queue;
	atomic_uint_fast64_t victim_seqno;
	atomic_uint_fast64_t extra_progress; /* SLOW: progress that the board adds */
	atomic_bool heartbeat_stopped;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/*
	 * Under lock; HANG_ABORTABLE, SLOW: what the victim ends with after it was told to end,
	 * else OK.
	 */
	uint32_t released;
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

/* card.c */

/**
 * fw_state FAILED; rings are not served any more. Any thread, no lock of the card held but a
 * queue's.
 */
void card_fail(struct card *card, enum nnaccel_fw_error error);
void card_raise(struct card *card, enum nnaccel_irq vector);
uint64_t card_clock_ns(void);
/** Store the core's counters into the registers. */
void card_update_stats(struct card *card);
/**
 * Wait for an eventfd, at most @timeout_ms (-1: for ever); true when it was rung, which clears it.
 */
bool card_wait(int eventfd, int other, int timeout_ms);

/* ring.c */

/**
 * Take over a ring at bus address @bus whose indices are as the host left them: at most @slots
 * filled. -EINVAL: size or address is not possible.
 */
int ring_open(struct ring *ring, const struct guest_ram *ram, uint64_t bus, uint64_t slots,
	      bool producer);
/** Consumer: slots that are filled. -EPROTO: more than the ring has. */
int ring_filled(const struct ring *ring, uint32_t *filled);
/** Consumer: a private copy of the slot @ahead of the head. */
void ring_peek(const struct ring *ring, uint32_t ahead, void *slot);
/** Consumer: give @slots slots back to the host. */
void ring_consume(struct ring *ring, uint32_t slots);

/* completion.c */

int cq_open(struct card *card, uint64_t bus, uint32_t slots);
/** Nothing is posted any more; who waits for room gives up. */
void cq_close(struct card *card);
/** Post a completion (host byte order); waits for room. Dropped when the ring is closed. */
void cq_post(struct card *card, const struct nnaccel_completion *c);
/** Acknowledge an admin command. */
void cq_post_admin(struct card *card, uint32_t id, uint32_t status, uint64_t value);
/** The host says that it made room. */
void cq_room(struct card *card);
/** NONSENSE: publish a tail that no ring can have. */
void cq_break_tail(struct card *card);

/* queues.c */

void queues_init(struct card *card);
/** -EEXIST, -EINVAL, -ENOMEM. */
int queues_create(struct card *card, uint32_t queue, uint32_t context, uint64_t bus, uint64_t slots,
		  uint64_t priority);
/** Each job that is left, in the core or in the ring, gets its completion first. -ENOENT. */
int queues_destroy(struct card *card, uint32_t queue);
/** Destroy the queues of a context. */
void queues_destroy_context(struct card *card, uint32_t context);
/** Take all that is in the ring, then abort in the core. */
int queues_abort(struct card *card, uint32_t queue, uint64_t seqno);
/** Close all without a word to the core. */
void queues_close_all(struct card *card);
/** The core's completion. */
void queues_complete(struct card *card, const struct nnaccel_completion *c);
/** Body of the submit thread. */
void *queues_run(void *card) __attribute__((noreturn));

/* queue_regs.c */

/** A new queue: nothing has begun. */
void queue_regs_clear(struct card *card, uint32_t queue);
/** A job begins, unless it has. */
void queue_regs_begin(struct card *card, uint32_t queue, uint64_t seqno);
/** It takes an engine, or gives it up. */
void queue_regs_turn(struct card *card, uint32_t queue, uint64_t seqno, bool on);
/** Bring its time up to date. */
void queue_regs_touch(struct card *card, uint32_t queue);
/** Time that it has had; 0 if it has not begun. */
uint64_t queue_regs_run_ns(const struct card *card, uint32_t queue, uint64_t seqno);

/* admin.c */

/** Serve what the admin ring holds. */
void admin_serve(struct card *card);

/* fault.c */

void fault_init(struct fault *fault, const struct fault_spec *spec, int fired_fd);
/** EARLY_DEATH happens here. */
void fault_boot(struct fault *fault);
/** A job was taken from a ring. */
void fault_job_taken(struct fault *fault, uint32_t queue, uint64_t seqno);
/**
 * The core reports progress; does not return when the job is made to hang. Value for the register.
 */
uint64_t fault_progress(struct card *card, uint32_t queue, uint64_t progress, uint64_t seqno);
/** The core completes a job; true when the fault posted what is to be posted. */
bool fault_complete(struct card *card, struct nnaccel_completion *c);
/** The host aborts something: ACK_EARLY: until when the queue is deaf, else 0. */
uint64_t fault_deaf_until(struct fault *fault);
/** REFUSE_QUEUES: a context that has a queue gets no other. */
bool fault_refuses_queue(struct fault *fault, bool has_queue);
/** The host aborts a job, or closes a queue (@seqno 0). */
void fault_aborted(struct fault *fault, uint32_t queue, uint64_t seqno);
/** The clock that the core sees. */
uint64_t fault_clock(const struct fault *fault, uint64_t now);

#endif
