// SPDX-License-Identifier: Apache-2.0
/* The state of a fault mode: at most one job, the victim, is treated differently. */
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "card/card.h"
#include "nnaccel/nnaccel_regs.h"
#include "nnaccel/nnaccel_status.h"
#include "nnutil_clock.h"

/** Time for which a queue ignores its ring with ACK_EARLY. */
#define FAULT_DEAF_NS 3000000000ull

void fault_fire(struct fault *fault)
{
	eventfd_write(fault->fired_fd, 1);
}

void fault_die(struct fault *fault)
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

bool fault_is_victim(struct fault *fault, uint32_t queue, uint64_t seqno)
{
	return atomic_load(&fault->victim_seqno) == seqno && seqno &&
	       atomic_load(&fault->victim_queue) == queue;
}

bool fault_wait_released(struct fault *fault, uint32_t ms)
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
