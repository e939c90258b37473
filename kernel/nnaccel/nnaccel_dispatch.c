// SPDX-License-Identifier: GPL-2.0-only
/* Dispatch: jobs go from drm_sched, or directly from SUBMIT, into the ring. */

#include <linux/dma-fence-chain.h>
#include <linux/dma-fence.h>

#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_fence.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"
#include "nnaccel_queue_jobs.h"
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

/* Put a READY job into the ring; -EPROTO if the card's head is invalid or leaves no room. */
static int nnaccel_job_push_locked(struct nnaccel_sched_job *job)
{
	struct nnaccel_queue *queue = job->queue;
	int room;
	u32 i;

	lockdep_assert_held(&queue->lock);

	room = nnaccel_ring_room(&queue->ring);
	/*
	 * drm_sched's credits and direct_slots are held until the card has released a job, which is
	 * after it has freed the job's slots.
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
 * Give the card one READY job. Return: 0, also if the job ended instead; otherwise no job can be
 * given now.
 */
static int nnaccel_queue_push_one_locked(struct nnaccel_sched_job *job, bool *ring)
{
	struct nnaccel_queue *queue = job->queue;

	lockdep_assert_held(&job->queue->lock);
	if (job->deadline_ns && ktime_get_ns() >= job->deadline_ns) {
		/* The job has its own fence context, so no other job ends with it. */
		nnaccel_job_end_locked(job, NNACCEL_STATUS_DEADLINE);
		return 0;
	}
	if (nnaccel_job_push_locked(job)) {
		/* The job stays READY for the next firmware. */
		nnaccel_protocol_error(queue->ndev, "invalid head of a queue ring");
		return -EPROTO;
	}
	*ring = true;
	return 0;
}

/**
 * nnaccel_queue_push_locked() - give the card the READY jobs, in order
 * @queue: queue
 * @job: job that is READY if any is, which saves the search; or NULL
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

/*
 * The error of the first in-fence that failed. Called without queue->lock, which the interrupt
 * handler takes: fences of other drivers have locks of their own.
 */
static int nnaccel_job_input_error(struct nnaccel_sched_job *job)
{
	int error;
	u32 i;

	for (i = 0; i < job->num_in; i++) {
		/* A timeline point is a dma_fence_chain, which does not inherit the error. */
		error = dma_fence_get_status(dma_fence_chain_contained(job->deps[i]));
		if (error < 0)
			return error;
	}
	return 0;
}

/* A job has nothing left to wait for, except a card. */
static void nnaccel_job_make_ready_locked(struct nnaccel_sched_job *job, int input_error)
{
	struct nnaccel_device *ndev = job->queue->ndev;

	lockdep_assert_held(&job->queue->lock);
	if (input_error) {
		/*
		 * The errno is that of the fence, not of the status; a WAITING job has no verdict
		 * yet.
		 */
		job->verdict = NNACCEL_STATUS_INPUT_FAILED;
		job->verdict_error = input_error;
		nnaccel_job_end_locked(job, NNACCEL_STATUS_INPUT_FAILED);
	} else if (READ_ONCE(ndev->gone)) {
		nnaccel_job_end_locked(job, NNACCEL_STATUS_UNPLUGGED);
	} else if (nnaccel_state_hopeless(ndev)) {
		nnaccel_job_end_locked(job, NNACCEL_STATUS_LINK_LOST);
	} else {
		nnaccel_job_set_state(job, NNACCEL_JOB_READY);
	}
}

/* Whether all fences that a job waits for have signalled without an error. */
static bool nnaccel_job_inputs_done(struct nnaccel_sched_job *job)
{
	u32 i;

	for (i = 0; i < job->num_deps; i++)
		if (!dma_fence_is_signaled(job->deps[i]))
			return false;
	return !nnaccel_job_input_error(job);
}

/**
 * nnaccel_job_run_direct() - give a job to the card without drm_sched, which costs a thread switch
 * @job: job whose fence is public; the caller holds drm_sched's reference
 * @ring: ring the doorbell as well
 *
 * Possible if drm_sched has nothing to do: it holds no earlier job of the queue, no fence is left
 * to wait for, and the ring has room. All other cases, and every error, go through drm_sched.
 *
 * Return: whether the job was given; then without @ring the caller rings the doorbell.
 */
bool nnaccel_job_run_direct(struct nnaccel_sched_job *job, bool ring)
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
	/* States advance in order: if the previous job is on the card, so are all before it. */
	if (!list_is_first(&job->link, &queue->jobs) &&
	    list_prev_entry(job, link)->state != NNACCEL_JOB_ON_CARD)
		goto out;
	if (job->deadline_ns && ktime_get_ns() >= job->deadline_ns)
		goto out;

	direct = true;
	job->direct = true;
	queue->direct_slots += 1 + job->num_args;
	/* Also if the ring turns out to be invalid: a READY job goes to the next firmware. */
	nnaccel_job_make_ready_locked(job, 0);
	nnaccel_queue_push_locked(queue, job);
	if (ring)
		nnaccel_queue_ring_locked(queue);
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
	 * drm_sched's reference keeps the job until free_job. Its credits return when the card has
	 * released the job. NULL: it has already.
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

/* No timedout_job: the scheduler's timeout is infinite; nnaccel_watch.c enforces limits. */
const struct drm_sched_backend_ops nnaccel_sched_ops = {
	.prepare_job = nnaccel_sched_prepare_job,
	.run_job = nnaccel_sched_run_job,
	.free_job = nnaccel_sched_free_job,
};
