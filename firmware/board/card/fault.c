// SPDX-License-Identifier: Apache-2.0
/*
 * Fault modes: their state, by which at most one job, the victim, is treated differently; and
 * their effects on the victim and its completion.
 */
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "card/card.h"
#include "nnaccel/nnaccel_regs.h"
#include "nnaccel/nnaccel_status.h"
#include "board.h"
#include "nnutil_clock.h"

/** Time for which a queue ignores its ring with ACK_EARLY. */
#define FAULT_DEAF_NS 3000000000ull

/* Tell the slot that the fault has fired. */
static void fault_fire(struct fault *fault)
{
	eventfd_write(fault->fired_fd, 1);
}

/* Kill this process. */
static void fault_die(struct fault *fault)
{
	fault_fire(fault);
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

void fault_init(struct fault *fault, const struct fault_spec *spec, int fired_fd)
{
	pthread_condattr_t attr;

	memset(fault, 0, sizeof(*fault));
	fault->spec = *spec;
	fault->fired_fd = fired_fd;
	pthread_mutex_init(&fault->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&fault->changed, &attr);
	pthread_condattr_destroy(&attr);
}

void fault_boot(struct fault *fault)
{
	if (fault->spec.mode == FAULT_EARLY_DEATH)
		fault_die(fault);
	if (fault->spec.mode == FAULT_SLOW_START) {
		const struct timespec delay = nnutil_timespec(fault->spec.ms * NNUTIL_NS_PER_MS);

		fault_fire(fault);
		nanosleep(&delay, NULL);
	}
	if (fault->spec.mode == FAULT_IGNORE_LOOP_LIMIT || fault->spec.mode == FAULT_NO_PREEMPT)
		fault_fire(fault);
}

uint32_t fault_contract_version(struct fault *fault)
{
	if (fault->spec.mode != FAULT_OTHER_CONTRACT)
		return NNACCEL_CONTRACT_VERSION;
	fault_fire(fault);
	return (NNACCEL_CONTRACT_MAJOR + 1) << 16;
}

void fault_job_taken(struct fault *fault, uint32_t queue, uint64_t seqno)
{
	if (!fault->spec.job || atomic_fetch_add(&fault->jobs, 1) + 1 != fault->spec.job ||
	    fault->spec.mode == FAULT_ACK_EARLY)
		return;
	atomic_store(&fault->victim_queue, queue);
	atomic_store(&fault->victim_seqno, seqno);
	atomic_store(&fault->armed, true);
}

/* Whether the job is the victim. */
static bool fault_is_victim(struct fault *fault, uint32_t queue, uint64_t seqno)
{
	return atomic_load(&fault->victim_seqno) == seqno && seqno &&
	       atomic_load(&fault->victim_queue) == queue;
}

/* Wait until the victim is cancelled, at most @ms (0: no limit). True: it was cancelled. */
static bool fault_wait_released(struct fault *fault, uint32_t ms)
{
	const struct timespec until =
		nnutil_timespec(nnutil_monotonic_ns() + ms * NNUTIL_NS_PER_MS);
	bool released;
	int err = 0;

	pthread_mutex_lock(&fault->lock);
	while (!fault->released && !err)
		err = ms ? pthread_cond_timedwait(&fault->changed, &fault->lock, &until)
			 : pthread_cond_wait(&fault->changed, &fault->lock);
	released = fault->released;
	pthread_mutex_unlock(&fault->lock);
	return released;
}

void fault_aborted(struct fault *fault, uint32_t queue, uint64_t seqno)
{
	uint64_t victim = atomic_load(&fault->victim_seqno);

	if (!victim || atomic_load(&fault->victim_queue) != queue || (seqno && seqno != victim))
		return;
	pthread_mutex_lock(&fault->lock);
	if (!fault->released)
		fault->released = seqno ? NNACCEL_STATUS_ABORTED : NNACCEL_STATUS_CANCELED;
	pthread_cond_broadcast(&fault->changed);
	pthread_mutex_unlock(&fault->lock);
}

uint64_t fault_deaf_until(struct fault *fault)
{
	if (fault->spec.mode != FAULT_ACK_EARLY || atomic_load(&fault->jobs) < fault->spec.job)
		return 0;
	fault_fire(fault);
	return (uint64_t)nnutil_monotonic_ns() + FAULT_DEAF_NS;
}

bool fault_refuses_queue(struct fault *fault, bool has_queue)
{
	if (fault->spec.mode != FAULT_REFUSE_QUEUES || !has_queue)
		return false;
	fault_fire(fault);
	return true;
}

/* ---- effects ---- */

/** How often a slow job makes progress. */
#define FAULT_SLOW_STEP_MS 10u

/* Delay the job, with progress. By the clock: on a loaded host steps take longer than they say. */
static void dawdle(struct card *card, uint32_t queue)
{
	struct fault *fault = &card->fault;
	__le64 *reg = &card->regs->queue[queue].progress;
	int64_t end = nnutil_monotonic_ns() + (int64_t)fault->spec.ms * 1000000, left;

	while ((left = end - nnutil_monotonic_ns()) > 0) {
		uint32_t ms = left < FAULT_SLOW_STEP_MS * 1000000ll ? (uint32_t)(left / 1000000)
								    : FAULT_SLOW_STEP_MS;

		if (fault_wait_released(fault, ms ? ms : 1))
			return;
		atomic_fetch_add(&fault->extra_progress, 1);
		queue_regs_touch(card, queue);
		reg_set64(reg, reg_get64(reg) + 1);
	}
}

/* Apply the fault: the core reports the victim for the first time. */
static void strike(struct card *card, uint32_t queue)
{
	struct fault *fault = &card->fault;

	switch (fault->spec.mode) {
	case FAULT_DIE:
		fault_die(fault);
		break;
	case FAULT_HANG:
		fault_fire(fault);
		for (;;)
			pause();
		break;
	case FAULT_HANG_ABORTABLE:
		fault_fire(fault);
		fault_wait_released(fault, 0);
		break;
	case FAULT_STOP_HEARTBEAT:
		fault_fire(fault);
		atomic_store(&fault->heartbeat_stopped, true);
		break;
	case FAULT_SLOW:
		fault_fire(fault);
		dawdle(card, queue);
		break;
	default:
		break;
	}
}

uint64_t fault_progress(struct card *card, uint32_t queue, uint64_t progress, uint64_t seqno)
{
	struct fault *fault = &card->fault;

	if (!fault->spec.job)
		return progress;
	if (fault_is_victim(fault, queue, seqno) && fault->spec.mode != FAULT_NONSENSE &&
	    atomic_exchange(&fault->armed, false))
		strike(card, queue);
	/* The register must not decrease after the job. */
	if (atomic_load(&fault->victim_queue) == queue)
		progress += atomic_load(&fault->extra_progress);
	return progress;
}

/* Post an invalid completion of the victim. */
static void post_nonsense(struct card *card, struct nnaccel_completion *c)
{
	switch (card->fault.spec.nonsense) {
	case NONSENSE_BAD_QUEUE:
		c->queue = 0xdead;
		break;
	case NONSENSE_BAD_SEQNO:
		c->seqno += 1000000;
		break;
	case NONSENSE_BAD_STATUS:
		c->status = NNACCEL_STATUS_FIRMWARE_COUNT + 77;
		break;
	case NONSENSE_BAD_KIND:
		c->kind = 99;
		break;
	case NONSENSE_DUPLICATE:
		cq_post(card, c);
		break;
	case NONSENSE_BAD_TAIL:
		cq_break_tail(card);
		return;
	case NONSENSE_BAD_GENERATION:
		c->generation++;
		break;
	case NONSENSE_TIME_BACKWARDS:
		c->end_ns = c->start_ns ? c->start_ns - 1 : 0;
		c->start_ns = c->end_ns + 1;
		break;
	case NONSENSE_COUNT:
		break;
	}
	cq_post(card, c);
}

bool fault_complete(struct card *card, struct nnaccel_completion *c)
{
	struct fault *fault = &card->fault;

	if (!fault->spec.job || !fault_is_victim(fault, c->queue, c->seqno))
		return false;
	if (atomic_exchange(&fault->armed, false)) {
		if (fault->spec.mode == FAULT_NONSENSE) {
			fault_fire(fault);
			post_nonsense(card, c);
			return true;
		}
		/* The core has not reported progress of the job: apply the fault now. */
		strike(card, c->queue);
		c->end_ns = (uint64_t)nnutil_monotonic_ns();
	}
	/*
	 * A job that was delayed until its cancellation has not succeeded, even if the core reports
	 * OK.
	 */
	pthread_mutex_lock(&fault->lock);
	if (c->status == NNACCEL_STATUS_OK)
		c->status = fault->released;
	pthread_mutex_unlock(&fault->lock);
	/* A later queue with the same id may have a job with the same seqno. */
	atomic_store(&fault->victim_seqno, 0);
	return false;
}
