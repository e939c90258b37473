/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a fault mode. */
#ifndef NNBOARD_FAULT_H
#define NNBOARD_FAULT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fault_spec.h"

/** An active fault mode: the count of jobs, and the job that it applies to, the victim. */
struct fault {
	struct fault_spec spec;
	int fired_fd; /* tells the slot that it fired */
	atomic_uint_fast64_t jobs; /* taken since the start */
	atomic_bool armed; /* the victim is on the device and the fault has not fired */
	atomic_uint victim_queue;
	atomic_uint_fast64_t victim_seqno;
	atomic_uint_fast64_t extra_progress; /* SLOW: progress that the board adds */
	atomic_bool heartbeat_stopped;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/*
	 * Under lock; HANG_ABORTABLE, SLOW: status of the victim once it was cancelled, else OK.
	 */
	uint32_t released;
};

/** Tell the slot that the fault has fired. */
void fault_fire(struct fault *fault);
/** Kill this process. */
void fault_die(struct fault *fault);
/** Whether the job is the victim. */
bool fault_is_victim(struct fault *fault, uint32_t queue, uint64_t seqno);
/** Wait until the victim is cancelled, at most @ms (0: no limit). True: it was cancelled. */
bool fault_wait_released(struct fault *fault, uint32_t ms);
void fault_init(struct fault *fault, const struct fault_spec *spec, int fired_fd);
/** Faults at the start of the card, whose registers are cleared: EARLY_DEATH, SLOW_START. */
void fault_boot(struct fault *fault);
/** The contract version that the card announces. OTHER_CONTRACT: of the next major number. */
uint32_t fault_contract_version(struct fault *fault);
/** Count a job that was taken from a ring. */
void fault_job_taken(struct fault *fault, uint32_t queue, uint64_t seqno);
/** On an ABORT. ACK_EARLY: time until which the queue ignores its ring, else 0. */
uint64_t fault_deaf_until(struct fault *fault);
/** On QUEUE_CREATE. REFUSE_QUEUES: true if the context has a queue. */
bool fault_refuses_queue(struct fault *fault, bool has_queue);
/** On an ABORT of a job, or the end of a queue (@seqno 0). */
void fault_aborted(struct fault *fault, uint32_t queue, uint64_t seqno);

#endif
