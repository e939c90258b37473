// SPDX-License-Identifier: Apache-2.0
/* A fault mode strikes: what happens to the victim, and to what the host sees of it. */
#include <unistd.h>

#include "card/completion.h"
#include "card/fault_strike.h"
#include "card/queue_regs.h"
#include "regs.h"
#include "nnutil_clock.h"

/** How often a slow job makes progress. */
#define FAULT_SLOW_STEP_MS 10u

/* The job takes its time, and says so. */
static void dawdle(struct card *card, uint32_t queue)
{
	struct fault *fault = &card->fault;
	__le64 *reg = &card->regs->queue[queue].progress;

	for (uint32_t ms = 0; ms < fault->spec.ms; ms += FAULT_SLOW_STEP_MS) {
		uint32_t left = fault->spec.ms - ms;

		if (fault_wait_released(fault,
					left < FAULT_SLOW_STEP_MS ? left : FAULT_SLOW_STEP_MS))
			return;
		atomic_fetch_add(&fault->extra_progress, 1);
		queue_regs_touch(card, queue);
		reg_set64(reg, reg_get64(reg) + 1);
	}
}

/* The first word of the core about the victim. */
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
	/* The register must not go back when the job is over. */
	if (atomic_load(&fault->victim_queue) == queue)
		progress += atomic_load(&fault->extra_progress);
	return progress;
}

/* Post the victim's completion wrongly. */
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
		/* A core that does not say when a job starts: it starts and ends here. */
		strike(card, c->queue);
		c->end_ns = fault_clock(fault, (uint64_t)nnutil_monotonic_ns());
	}
	/*
	 * What was held up here until it was told to end did not end well, even if the core thinks
	 * so.
	 */
	pthread_mutex_lock(&fault->lock);
	if (c->status == NNACCEL_STATUS_OK)
		c->status = fault->released;
	pthread_mutex_unlock(&fault->lock);
	/* A later queue of the same number may have a job of the same number. */
	atomic_store(&fault->victim_seqno, 0);
	return false;
}
