// SPDX-License-Identifier: Apache-2.0
/* Fault modes at work, in the card: at most one job, the victim, is treated differently. */
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "card/card.h"

/** How much slower the core's clock goes with IGNORE_LOOP_LIMIT. */
#define FAULT_CLOCK_DIVISOR 10000u
#define FAULT_SLOW_STEP_MS 10u
/** How long a queue is deaf with ACK_EARLY. */
#define FAULT_DEAF_NS 3000000000ull

static void fire(struct fault *fault)
{
	eventfd_write(fault->fired_fd, 1);
}

static void die(struct fault *fault)
{
	fire(fault);
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
		die(fault);
	if (fault->spec.mode == FAULT_IGNORE_LOOP_LIMIT || fault->spec.mode == FAULT_NO_PREEMPT)
		fire(fault);
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

static bool is_victim(struct fault *fault, uint32_t queue, uint64_t seqno)
{
	return atomic_load(&fault->victim_seqno) == seqno && seqno &&
	       atomic_load(&fault->victim_queue) == queue;
}

/* Wait until the victim is told to end, at most @ms (0: for ever); true when it was. */
static bool wait_released(struct fault *fault, uint32_t ms)
{
	struct timespec until;
	bool released;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ms * 1000000l;
	until.tv_sec += until.tv_nsec / 1000000000l;
	until.tv_nsec %= 1000000000l;
	pthread_mutex_lock(&fault->lock);
	while (!fault->released && !err)
		err = ms ? pthread_cond_timedwait(&fault->changed, &fault->lock, &until)
			 : pthread_cond_wait(&fault->changed, &fault->lock);
	released = fault->released;
	pthread_mutex_unlock(&fault->lock);
	return released;
}

/* The job takes its time, and says so. */
static void dawdle(struct card *card, uint32_t queue)
{
	struct fault *fault = &card->fault;
	__le64 *reg = &card->regs->queue[queue].progress;

	for (uint32_t ms = 0; ms < fault->spec.ms; ms += FAULT_SLOW_STEP_MS) {
		uint32_t left = fault->spec.ms - ms;

		if (wait_released(fault, left < FAULT_SLOW_STEP_MS ? left : FAULT_SLOW_STEP_MS))
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
		die(fault);
		break;
	case FAULT_HANG:
		fire(fault);
		for (;;)
			pause();
		break;
	case FAULT_HANG_ABORTABLE:
		fire(fault);
		wait_released(fault, 0);
		break;
	case FAULT_STOP_HEARTBEAT:
		fire(fault);
		atomic_store(&fault->heartbeat_stopped, true);
		break;
	case FAULT_SLOW:
		fire(fault);
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
	if (is_victim(fault, queue, seqno) && fault->spec.mode != FAULT_NONSENSE &&
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

	if (!fault->spec.job || !is_victim(fault, c->queue, c->seqno))
		return false;
	if (atomic_exchange(&fault->armed, false)) {
		if (fault->spec.mode == FAULT_NONSENSE) {
			fire(fault);
			post_nonsense(card, c);
			return true;
		}
		/* A core that does not say when a job starts: it starts and ends here. */
		strike(card, c->queue);
		c->end_ns = fault_clock(fault, card_clock_ns());
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
	fire(fault);
	return card_clock_ns() + FAULT_DEAF_NS;
}

bool fault_refuses_queue(struct fault *fault, bool has_queue)
{
	if (fault->spec.mode != FAULT_REFUSE_QUEUES || !has_queue)
		return false;
	fire(fault);
	return true;
}

uint64_t fault_clock(const struct fault *fault, uint64_t now)
{
	return fault->spec.mode == FAULT_IGNORE_LOOP_LIMIT ? now / FAULT_CLOCK_DIVISOR : now;
}
