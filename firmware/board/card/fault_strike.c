// SPDX-License-Identifier: Apache-2.0
/* Effects of fault modes on the victim and on its completion. */
#include <unistd.h>

#include "card/card.h"
#include "nnutil_clock.h"
#include "board.h"

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
