// SPDX-License-Identifier: GPL-2.0-only
/* From drm_sched, or straight from SUBMIT, into the ring. */

#include <linux/dma-fence-chain.h>
#include <linux/dma-fence.h>

#include "nnaccel_device.h"
#include "nnaccel_fence.h"
#include "nnaccel_gem.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"
#include "nnaccel_reset.h"
#include "nnaccel_trace.h"
#include "nnaccel_watch.h"

static struct dma_fence *nnaccel_sched_prepare_job(struct drm_sched_job *sched_job,
						   struct drm_sched_entity *entity)
{
	struct nnaccel_sched_job *job = to_nnaccel_job(sched_job);

	while (job->next_dep < job->num_deps && READ_ONCE(job->state) != NNACCEL_JOB_DONE) {
		struct dma_fence *fence = job->deps[job->next_dep++];

		if (!dma_fence_is_signaled(fence))
			return dma_fence_get(fence);
	}
	return NULL;
}

/* Put a READY job into the ring; -EPROTO if the card's head is nonsense or leaves no room. */
static int nnaccel_job_push_locked(struct nnaccel_sched_job *job)
{
	struct nnaccel_queue *queue = job->queue;
	int room;
	u32 i;

	lockdep_assert_held(&queue->lock);

	room = nnaccel_ring_room(&queue->ring);
	/*
	 * drm_sched's credits and direct_slots are held until the card has let go of a job, which
	 * is after it has freed its slots.
	 */
	if (room < 0 || (u32)room < 1 + job->num_args)
		return -EPROTO;

	memcpy(nnaccel_ring_slot(&queue->ring, 0), &job->wire, NNACCEL_SLOT_SIZE);
	for (i = 0; i < job->num_args; i++)
		memcpy(nnaccel_ring_slot(&queue->ring, 1 + i), &job->args[i], NNACCEL_SLOT_SIZE);

	nnaccel_job_given_locked(job);
	nnaccel_ring_publish(&queue->ring, 1 + job->num_args);
	trace_nnaccel_job_started(job);
	return 0;
}

/*
 * Give the card one READY job. Return: 0, also if the job ended instead; else nothing can be
 * given now.
 */
static int nnaccel_queue_push_one_locked(struct nnaccel_sched_job *job, bool *ring)
{
	struct nnaccel_queue *queue = job->queue;

	if (job->deadline_ns && ktime_get_ns() >= job->deadline_ns) {
		/* It has a fence context of its own, so nobody else ends with it. */
		nnaccel_job_end_locked(job, NNACCEL_STATUS_DEADLINE);
		return 0;
	}
	if (nnaccel_job_push_locked(job)) {
		/* It stays ready, for the next card. */
		nnaccel_protocol_error(queue->ndev, "head of a queue ring");
		return -EPROTO;
	}
	*ring = true;
	return 0;
}

/**
 * nnaccel_queue_push_locked() - give the card what is ready, in order
 * @queue: queue
 * @job: job that may be the only one that is ready, which saves the search; or NULL
 *
 * Return: whether the doorbell has to be rung.
 */
bool nnaccel_queue_push_locked(struct nnaccel_queue *queue, struct nnaccel_sched_job *job)
{
	struct nnaccel_sched_job *each, *next;
	bool ring = false;

	lockdep_assert_held(&queue->lock);

	if (queue->state != NNACCEL_QUEUE_ATTACHED || !queue->num_ready)
		return false;

	if (queue->num_ready == 1 && job && job->state == NNACCEL_JOB_READY) {
		nnaccel_queue_push_one_locked(job, &ring);
	} else {
		list_for_each_entry_safe(each, next, &queue->jobs, link) {
			if (each->state == NNACCEL_JOB_ON_CARD || each->ending)
				continue;
			if (each->state != NNACCEL_JOB_READY ||
			    nnaccel_queue_push_one_locked(each, &ring))
				break;
		}
	}
	if (ring)
		nnaccel_watch_head_locked(queue);
	return ring;
}

/**
 * nnaccel_queue_ring_locked() - tell the card that a ring has a new tail
 * @queue: queue
 *
 * The register may only be touched while the queue is attached, which removal ends under the same
 * lock.
 */
void nnaccel_queue_ring_locked(struct nnaccel_queue *queue)
{
	lockdep_assert_held(&queue->lock);
	if (queue->state == NNACCEL_QUEUE_ATTACHED)
		nnaccel_doorbell(queue->ndev, NNACCEL_DOORBELL_SUBMIT);
}

/*
 * The error of the first in-fence that failed. Not under queue->lock, which the interrupt handler
 * takes: fences of others have locks of their own.
 */
static int nnaccel_job_input_error(struct nnaccel_sched_job *job)
{
	int error;
	u32 i;

	for (i = 0; i < job->num_in; i++) {
		/* A timeline point is a link of a chain, which does not take over the error. */
		error = dma_fence_get_status(dma_fence_chain_contained(job->deps[i]));
		if (error < 0)
			return error;
	}
	return 0;
}

/* Nothing keeps a job from the card any more, unless there is no card for it. */
static void nnaccel_job_make_ready_locked(struct nnaccel_sched_job *job, int input_error)
{
	struct nnaccel_device *ndev = job->queue->ndev;

	if (input_error) {
		/* The errno is not the status' own; a job that waits has no verdict yet. */
		job->verdict = NNACCEL_STATUS_INPUT_FAILED;
		job->verdict_error = input_error;
		nnaccel_job_end_locked(job, NNACCEL_STATUS_INPUT_FAILED);
	} else if (READ_ONCE(ndev->gone)) {
		nnaccel_job_end_locked(job, NNACCEL_STATUS_UNPLUGGED);
	} else if (READ_ONCE(ndev->state) == DRM_NNACCEL_DEVICE_FAILED) {
		nnaccel_job_end_locked(job, NNACCEL_STATUS_LINK_LOST);
	} else {
		nnaccel_job_set_state(job, NNACCEL_JOB_READY);
	}
}

/* Whether all that a job waits for has ended well. */
static bool nnaccel_job_inputs_done(struct nnaccel_sched_job *job)
{
	u32 i;

	for (i = 0; i < job->num_deps; i++)
		if (!dma_fence_is_signaled(job->deps[i]))
			return false;
	return !nnaccel_job_input_error(job);
}

/**
 * nnaccel_job_run_direct() - hand a job to the card without drm_sched, which costs a thread switch
 * @job: job whose fence is public; the caller holds drm_sched's reference
 *
 * Possible when there is nothing for drm_sched to do: no job of the queue before this one is still
 * inside it, no fence is left to wait for, and there is room. Everything else, and every error, is
 * left to the way through drm_sched.
 *
 * Return: whether it was done; the caller rings the doorbell.
 */
bool nnaccel_job_run_direct(struct nnaccel_sched_job *job)
{
	struct nnaccel_queue *queue = job->queue;
	bool cookie, direct = false;
	unsigned long flags;

	if (job->sync_bos || !nnaccel_job_inputs_done(job))
		return false;

	cookie = dma_fence_begin_signalling();
	spin_lock_irqsave(&queue->lock, flags);
	if (queue->state != NNACCEL_QUEUE_ATTACHED || job->state != NNACCEL_JOB_WAITING ||
	    job->ending ||
	    queue->direct_slots + 1 + job->num_args > NNACCEL_QUEUE_SLOTS - NNACCEL_SCHED_SLOTS)
		goto out;
	/* States move on in order: if the job before is on the card, so are all before it. */
	if (!list_is_first(&job->link, &queue->jobs) &&
	    list_prev_entry(job, link)->state != NNACCEL_JOB_ON_CARD)
		goto out;
	if (job->deadline_ns && ktime_get_ns() >= job->deadline_ns)
		goto out;

	direct = true;
	job->direct = true;
	queue->direct_slots += 1 + job->num_args;
	/* Even if the ring turns out to be broken: a ready job goes to the next card. */
	nnaccel_job_make_ready_locked(job, 0);
	nnaccel_queue_push_locked(queue, job);
out:
	nnaccel_queue_settle_locked(queue);
	spin_unlock_irqrestore(&queue->lock, flags);
	dma_fence_end_signalling(cookie);
	return direct;
}

static struct dma_fence *nnaccel_sched_run_job(struct drm_sched_job *sched_job)
{
	struct nnaccel_sched_job *job = to_nnaccel_job(sched_job);
	struct nnaccel_queue *queue = job->queue;
	struct dma_fence *fence = NULL;
	unsigned long flags;
	int input_error;
	bool cookie;
	u32 i;

	cookie = dma_fence_begin_signalling();
	trace_nnaccel_job_scheduled(job);

	input_error = nnaccel_job_input_error(job);
	if (job->sync_bos && READ_ONCE(job->state) == NNACCEL_JOB_WAITING)
		for (i = 0; i < job->num_bos; i++)
			nnaccel_bo_sync_for_device(job->bos[i].mapping->bo);

	spin_lock_irqsave(&queue->lock, flags);
	if (job->state == NNACCEL_JOB_WAITING && !job->ending)
		nnaccel_job_make_ready_locked(job, input_error);
	if (nnaccel_queue_push_locked(queue, job))
		nnaccel_queue_ring_locked(queue);
	nnaccel_queue_settle_locked(queue);
	/*
	 * drm_sched's own reference keeps the job until free_job. Its credits come back when the
	 * card has let go of the job. NULL: already over.
	 */
	if (job->state != NNACCEL_JOB_DONE)
		fence = dma_fence_get(&job->retired->base);
	spin_unlock_irqrestore(&queue->lock, flags);

	dma_fence_end_signalling(cookie);
	return fence;
}

static void nnaccel_sched_free_job(struct drm_sched_job *sched_job)
{
	struct nnaccel_sched_job *job = to_nnaccel_job(sched_job);

	drm_sched_job_cleanup(sched_job);
	nnaccel_job_put(job);
}

/* No timedout_job: the schedulers' timeout is infinite, limits are watched in nnaccel_watch.c. */
const struct drm_sched_backend_ops nnaccel_sched_ops = {
	.prepare_job = nnaccel_sched_prepare_job,
	.run_job = nnaccel_sched_run_job,
	.free_job = nnaccel_sched_free_job,
};
