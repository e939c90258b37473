// SPDX-License-Identifier: GPL-2.0-only

#include <linux/dma-fence-chain.h>
#include <linux/dma-fence.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "nnaccel_device.h"
#include "nnaccel_gem.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"
#include "nnaccel_reset.h"
#include "nnaccel_trace.h"
#include "nnaccel_watch.h"

static const char *nnaccel_fence_driver_name(struct dma_fence *fence)
{
	return "nnaccel";
}

static const char *nnaccel_fence_timeline_name(struct dma_fence *fence)
{
	return "nnaccel-queue";
}

static void nnaccel_fence_free_rcu(struct rcu_head *rcu)
{
	struct dma_fence *fence = container_of(rcu, struct dma_fence, rcu);

	kfree(container_of(fence, struct nnaccel_fence, base));
	module_put(THIS_MODULE);
}

static void nnaccel_fence_release(struct dma_fence *fence)
{
	call_rcu(&fence->rcu, nnaccel_fence_free_rcu);
}

static const struct dma_fence_ops nnaccel_fence_ops = {
	.get_driver_name = nnaccel_fence_driver_name,
	.get_timeline_name = nnaccel_fence_timeline_name,
	.release = nnaccel_fence_release,
};

/**
 * nnaccel_fence_alloc() - allocate a job's fence, which nobody can see yet
 * @queue: queue of the job
 *
 * A fence may outlive the device, and its operations are in this module: it pins the module.
 *
 * Return: the fence or NULL. Freed by kfree() and module_put() before nnaccel_fence_init(), by
 * dma_fence_put() after.
 */
struct nnaccel_fence *nnaccel_fence_alloc(struct nnaccel_queue *queue)
{
	struct nnaccel_fence *fence;

	fence = kzalloc(sizeof(*fence), GFP_KERNEL);
	if (!fence)
		return NULL;

	__module_get(THIS_MODULE);
	spin_lock_init(&fence->lock);
	fence->queue_context = queue->fence_context;
	return fence;
}

void nnaccel_fence_init(struct nnaccel_fence *fence, u64 context, u64 seqno)
{
	dma_fence_init(&fence->base, &nnaccel_fence_ops, &fence->lock, context, seqno);
}

/* Whether a fence is that of a job of @queue. */
bool nnaccel_fence_is_queue(struct dma_fence *fence, struct nnaccel_queue *queue)
{
	return fence->ops == &nnaccel_fence_ops &&
	       container_of(fence, struct nnaccel_fence, base)->queue_context ==
	       queue->fence_context;
}

static void nnaccel_job_free(struct nnaccel_sched_job *job)
{
	struct nnaccel_queue *queue = job->queue;
	u32 i;

	for (i = 0; i < job->num_bos; i++)
		nnaccel_mapping_put(job->bos[i].mapping);
	for (i = 0; i < job->num_deps; i++)
		dma_fence_put(job->deps[i]);
	if (job->fence) {
		if (kref_read(&job->fence->base.refcount)) {
			dma_fence_put(&job->fence->base);
		} else {
			kfree(job->fence);
			module_put(THIS_MODULE);
		}
	}
	kvfree(job->deps);
	kvfree(job->bos);
	kvfree(job->args);
	kfree(job);
	nnaccel_queue_put(queue);
}

static void nnaccel_job_free_work(struct work_struct *work)
{
	nnaccel_job_free(container_of(work, struct nnaccel_sched_job, free_work));
}

static void nnaccel_job_release(struct kref *ref)
{
	nnaccel_job_free(container_of(ref, struct nnaccel_sched_job, ref));
}

static void nnaccel_job_release_atomic(struct kref *ref)
{
	struct nnaccel_sched_job *job = container_of(ref, struct nnaccel_sched_job, ref);

	queue_work(nnaccel_free_wq, &job->free_work);
}

/**
 * nnaccel_job_put() - drop a reference; process context
 * @job: job
 */
void nnaccel_job_put(struct nnaccel_sched_job *job)
{
	kref_put(&job->ref, nnaccel_job_release);
}

/**
 * nnaccel_job_put_atomic() - drop a reference; any context
 * @job: job
 */
void nnaccel_job_put_atomic(struct nnaccel_sched_job *job)
{
	kref_put(&job->ref, nnaccel_job_release_atomic);
}

/**
 * nnaccel_job_alloc() - allocate a job with one reference
 * @queue: its queue
 *
 * Return: the job or NULL.
 */
struct nnaccel_sched_job *nnaccel_job_alloc(struct nnaccel_queue *queue)
{
	struct nnaccel_sched_job *job;

	job = kzalloc(sizeof(*job), GFP_KERNEL);
	if (!job)
		return NULL;

	kref_init(&job->ref);
	INIT_LIST_HEAD(&job->link);
	INIT_WORK(&job->free_work, nnaccel_job_free_work);
	job->queue = nnaccel_queue_get(queue);
	return job;
}

static void nnaccel_job_write_status(struct nnaccel_sched_job *job, u32 status, int error,
				     const struct nnaccel_completion *completion)
{
	struct drm_nnaccel_status_entry *entry =
		&job->queue->status->entries[job->seqno % NNACCEL_STATUS_ENTRIES];

	WRITE_ONCE(entry->seqno, 0);
	/* Readers check seqno before and after: nothing of the new entry under the old number. */
	smp_wmb();
	entry->status = status;
	entry->error = error;
	entry->start_ns = completion ? le64_to_cpu(completion->start_ns) : 0;
	entry->end_ns = completion ? le64_to_cpu(completion->end_ns) : 0;
	entry->fault_addr = completion && status == NNACCEL_STATUS_FAULT ?
			    le64_to_cpu(completion->fault_addr) : 0;
	entry->generation = job->generation;
	entry->submit_ns = job->submit_ns;
	entry->done_ns = ktime_get_ns();
	/* The whole entry before its number. */
	smp_wmb();
	WRITE_ONCE(entry->seqno, job->seqno);
}

/* Store the status, then signal. The job stays in the list. */
static void nnaccel_job_signal_locked(struct nnaccel_sched_job *job, u32 status, int error,
				      const struct nnaccel_completion *completion)
{
	struct nnaccel_queue *queue = job->queue;
	struct nnaccel_device *ndev = queue->ndev;

	lockdep_assert_held(&queue->lock);

	nnaccel_job_write_status(job, status, error, completion);
	trace_nnaccel_job_done(job, status, error, completion);
	if (error) {
		atomic64_inc(&ndev->counters.jobs_failed);
		dma_fence_set_error(&job->fence->base, error);
	}
	if (status == NNACCEL_STATUS_INNOCENT || status == NNACCEL_STATUS_LINK_LOST)
		queue->innocent++;
	queue->num_jobs--;
	/* Under the lock, so that fences of one context signal in order. */
	dma_fence_signal(&job->fence->base);
}

/* Take a job whose fence has signalled out of the list. */
static void nnaccel_job_unlink_locked(struct nnaccel_sched_job *job)
{
	u32 i;

	lockdep_assert_held(&job->queue->lock);

	if (job->state == NNACCEL_JOB_RUNNING || job->state == NNACCEL_JOB_DRAINING)
		for (i = 0; i < job->num_bos; i++)
			if (job->bos[i].write)
				atomic_dec(&job->bos[i].mapping->bo->writers);
	if (job->direct)
		job->queue->direct_slots -= 1 + job->num_args;
	job->state = NNACCEL_JOB_ENDED;
	list_del_init(&job->link);
	nnaccel_job_put_atomic(job);
}

/**
 * nnaccel_job_end_locked() - end a job that the card cannot touch any more, or never got
 * @job: job in its queue's list; may be gone on return
 * @status: enum nnaccel_status
 * @error: errno for the fence
 */
void nnaccel_job_end_locked(struct nnaccel_sched_job *job, u32 status, int error)
{
	if (job->state != NNACCEL_JOB_DRAINING)
		nnaccel_job_signal_locked(job, status, error, NULL);
	nnaccel_job_unlink_locked(job);
}

/**
 * nnaccel_queue_settle_locked() - end jobs that only waited for their turn to end
 * @queue: queue
 */
void nnaccel_queue_settle_locked(struct nnaccel_queue *queue)
{
	struct nnaccel_sched_job *job;

	lockdep_assert_held(&queue->lock);

	while ((job = list_first_entry_or_null(&queue->jobs, struct nnaccel_sched_job, link)) &&
	       job->state == NNACCEL_JOB_SKIPPED)
		nnaccel_job_end_locked(job, job->verdict, job->verdict_error);
}

/**
 * nnaccel_queue_end_jobs() - end every job of a queue that the card does not know any more
 * @queue: queue
 * @status: enum nnaccel_status
 */
void nnaccel_queue_end_jobs(struct nnaccel_queue *queue, u32 status)
{
	struct nnaccel_sched_job *job, *next;
	unsigned long flags;

	spin_lock_irqsave(&queue->lock, flags);
	list_for_each_entry_safe(job, next, &queue->jobs, link) {
		if (job->verdict)
			nnaccel_job_end_locked(job, job->verdict, job->verdict_error);
		else
			nnaccel_job_end_locked(job, status, nnaccel_status_errno(status));
	}
	spin_unlock_irqrestore(&queue->lock, flags);
}

static void nnaccel_job_judge_locked(struct nnaccel_sched_job *job, u32 status)
{
	lockdep_assert_held(&job->queue->lock);

	if (job->verdict)
		return;
	job->verdict = status;
	job->verdict_error = nnaccel_status_errno(status);
}

/**
 * nnaccel_queue_ban_locked() - let a queue take no more jobs and end those it has
 * @queue: queue
 * @health: why
 *
 * Jobs that wait end in order behind those on the card, which the watch aborts.
 */
void nnaccel_queue_ban_locked(struct nnaccel_queue *queue, u32 health)
{
	struct nnaccel_sched_job *job;

	lockdep_assert_held(&queue->lock);

	if (queue->health == DRM_NNACCEL_QUEUE_OK)
		queue->health = health;
	list_for_each_entry(job, &queue->jobs, link) {
		nnaccel_job_judge_locked(job, NNACCEL_STATUS_BANNED);
		if (job->state == NNACCEL_JOB_QUEUED)
			job->state = NNACCEL_JOB_SKIPPED;
	}
	nnaccel_queue_settle_locked(queue);
	nnaccel_watch_kick(queue);
}

/**
 * nnaccel_queue_lost() - the card that a queue was on is dead
 * @queue: queue, its scheduler paused
 * @lost: it died by itself; else it was reset
 * @guilty: because of this queue
 */
void nnaccel_queue_lost(struct nnaccel_queue *queue, bool lost, bool guilty)
{
	u32 status = lost ? NNACCEL_STATUS_LINK_LOST : NNACCEL_STATUS_INNOCENT;
	struct nnaccel_sched_job *job, *next;
	unsigned long flags;

	spin_lock_irqsave(&queue->lock, flags);
	queue->hung = false;
	if (guilty) {
		job = list_first_entry_or_null(&queue->jobs, struct nnaccel_sched_job, link);
		if (job && job->state == NNACCEL_JOB_RUNNING) {
			job->verdict = NNACCEL_STATUS_NO_PROGRESS;
			job->verdict_error = nnaccel_status_errno(NNACCEL_STATUS_NO_PROGRESS);
		}
		nnaccel_queue_ban_locked(queue, DRM_NNACCEL_QUEUE_BANNED_TIMEOUT);
	}
	list_for_each_entry_safe(job, next, &queue->jobs, link) {
		if (job->state != NNACCEL_JOB_RUNNING && job->state != NNACCEL_JOB_DRAINING)
			continue;
		nnaccel_job_judge_locked(job, queue->dead ? NNACCEL_STATUS_CANCELED : status);
		nnaccel_job_end_locked(job, job->verdict, job->verdict_error);
	}
	nnaccel_queue_settle_locked(queue);
	spin_unlock_irqrestore(&queue->lock, flags);
}

/**
 * nnaccel_job_completed_locked() - find the job that a completion is about
 * @queue: queue that it names
 * @completion: private copy
 *
 * Return: the job, or NULL if the completion is impossible.
 */
struct nnaccel_sched_job *nnaccel_job_completed_locked(struct nnaccel_queue *queue,
						       const struct nnaccel_completion *completion)
{
	struct nnaccel_sched_job *job;

	lockdep_assert_held(&queue->lock);

	job = list_first_entry_or_null(&queue->jobs, struct nnaccel_sched_job, link);
	if (!job || job->seqno != le64_to_cpu(completion->seqno) ||
	    (job->state != NNACCEL_JOB_RUNNING && job->state != NNACCEL_JOB_DRAINING))
		return NULL;
	if (le32_to_cpu(completion->status) >= NNACCEL_STATUS_FIRMWARE_COUNT ||
	    le32_to_cpu(completion->generation) != job->generation ||
	    le64_to_cpu(completion->end_ns) < le64_to_cpu(completion->start_ns))
		return NULL;
	return job;
}

/**
 * nnaccel_job_complete() - end a job as the card says
 * @job: the job that nnaccel_job_completed_locked() found; the caller holds a reference
 * @completion: the same private copy
 *
 * Return: 0, or -EAGAIN if recovery ended the job meanwhile.
 */
int nnaccel_job_complete(struct nnaccel_sched_job *job,
			 const struct nnaccel_completion *completion)
{
	u64 run_ns = le64_to_cpu(completion->end_ns) - le64_to_cpu(completion->start_ns);
	u32 status = le32_to_cpu(completion->status);
	struct nnaccel_queue *queue = job->queue;
	unsigned long flags;
	int error;

	spin_lock_irqsave(&queue->lock, flags);
	if (job->state != NNACCEL_JOB_RUNNING && job->state != NNACCEL_JOB_DRAINING) {
		spin_unlock_irqrestore(&queue->lock, flags);
		return -EAGAIN;
	}

	atomic64_inc(&queue->ndev->counters.jobs_completed);
	/* The device's clock is only believed as far as ours agrees. */
	atomic64_add(min(run_ns, ktime_get_ns() - job->submit_ns), &queue->vm->busy_ns);

	error = nnaccel_status_errno(status);
	if (status == NNACCEL_STATUS_ABORTED && job->verdict) {
		status = job->verdict;
		error = job->verdict_error;
	}
	if (job->state == NNACCEL_JOB_RUNNING)
		nnaccel_job_signal_locked(job, status, error, completion);
	nnaccel_job_unlink_locked(job);

	if (status == NNACCEL_STATUS_FAULT) {
		queue->fault_addr = le64_to_cpu(completion->fault_addr);
		nnaccel_queue_ban_locked(queue, DRM_NNACCEL_QUEUE_BANNED_FAULT);
	} else {
		nnaccel_queue_settle_locked(queue);
	}
	if (!list_empty(&queue->jobs))
		nnaccel_watch_head_locked(queue);
	spin_unlock_irqrestore(&queue->lock, flags);
	return 0;
}

/**
 * nnaccel_job_abort_acked() - the card has taken an abort
 * @queue: queue of the job
 * @seqno: number of the job, which may have ended
 *
 * Completions come in order: a job that is not the oldest now had not begun when the card took the
 * abort, and never will. Its waiters need not wait for its predecessors.
 */
void nnaccel_job_abort_acked(struct nnaccel_queue *queue, u64 seqno)
{
	struct nnaccel_sched_job *job;
	unsigned long flags;

	spin_lock_irqsave(&queue->lock, flags);
	list_for_each_entry(job, &queue->jobs, link) {
		if (job->seqno < seqno)
			continue;
		if (job->seqno != seqno || job->state != NNACCEL_JOB_RUNNING || !job->abort_ns)
			break;
		job->abort_acked = true;
		if (!list_is_first(&job->link, &queue->jobs) &&
		    job->fence->base.context != queue->fence_context) {
			nnaccel_job_signal_locked(job, job->verdict, job->verdict_error, NULL);
			job->state = NNACCEL_JOB_DRAINING;
		}
		break;
	}
	spin_unlock_irqrestore(&queue->lock, flags);
}

static struct dma_fence *nnaccel_sched_prepare_job(struct drm_sched_job *sched_job,
						   struct drm_sched_entity *entity)
{
	struct nnaccel_sched_job *job = to_nnaccel_job(sched_job);

	while (job->next_dep < job->num_deps && READ_ONCE(job->state) != NNACCEL_JOB_ENDED) {
		struct dma_fence *fence = job->deps[job->next_dep++];

		if (!dma_fence_is_signaled(fence))
			return dma_fence_get(fence);
	}
	return NULL;
}

/* Put a job into the ring; -EPROTO if the card's head is nonsense or leaves no room. */
static int nnaccel_job_push_locked(struct nnaccel_sched_job *job)
{
	struct nnaccel_queue *queue = job->queue;
	int room;
	u32 i;

	lockdep_assert_held(&queue->lock);

	room = nnaccel_ring_room(&queue->ring);
	/*
	 * drm_sched's credits and direct_slots keep the jobs on the card within the ring, and the
	 * card frees the slots of a job before it completes it.
	 */
	if (room < 0 || (u32)room < 1 + job->num_args)
		return -EPROTO;

	memcpy(nnaccel_ring_slot(&queue->ring, 0), &job->wire, NNACCEL_SLOT_SIZE);
	for (i = 0; i < job->num_args; i++)
		memcpy(nnaccel_ring_slot(&queue->ring, 1 + i), &job->args[i], NNACCEL_SLOT_SIZE);

	job->generation = queue->ndev->generation;
	job->submit_ns = ktime_get_ns();
	job->state = NNACCEL_JOB_RUNNING;
	for (i = 0; i < job->num_bos; i++)
		if (job->bos[i].write)
			atomic_inc(&job->bos[i].mapping->bo->writers);
	nnaccel_ring_publish(&queue->ring, 1 + job->num_args);
	nnaccel_watch_head_locked(queue);
	return 0;
}

/* Why a job must not be run, as a verdict. */
static void nnaccel_job_check_locked(struct nnaccel_sched_job *job)
{
	struct nnaccel_queue *queue = job->queue;
	int error;
	u32 i;

	lockdep_assert_held(&queue->lock);

	if (job->verdict)
		return;
	if (READ_ONCE(queue->ndev->gone)) {
		nnaccel_job_judge_locked(job, NNACCEL_STATUS_UNPLUGGED);
		return;
	}
	if (job->deadline_ns && ktime_get_ns() >= job->deadline_ns) {
		nnaccel_job_judge_locked(job, NNACCEL_STATUS_DEADLINE);
		return;
	}
	for (i = 0; i < job->num_in; i++) {
		/* A timeline point is a link of a chain, which does not take over the error. */
		error = dma_fence_get_status(dma_fence_chain_contained(job->deps[i]));
		if (error < 0) {
			job->verdict = NNACCEL_STATUS_INPUT_FAILED;
			job->verdict_error = error;
			return;
		}
	}
	/* The scheduler only runs without a card when there will be none. */
	if (!READ_ONCE(queue->on_card))
		nnaccel_job_judge_locked(job, NNACCEL_STATUS_LINK_LOST);
}

/* Whether all that a job waits for has ended well. */
static bool nnaccel_job_is_ready(struct nnaccel_sched_job *job)
{
	u32 i;

	for (i = 0; i < job->num_deps; i++) {
		struct dma_fence *fence = job->deps[i];

		if (!dma_fence_is_signaled(fence))
			return false;
		if (i < job->num_in && dma_fence_get_status(dma_fence_chain_contained(fence)) < 0)
			return false;
	}
	return true;
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
	struct nnaccel_sched_job *prev;
	bool cookie, direct = false;
	unsigned long flags;

	if (job->sync_bos || !nnaccel_job_is_ready(job))
		return false;

	cookie = dma_fence_begin_signalling();
	spin_lock_irqsave(&queue->lock, flags);
	if (!queue->direct || job->state != NNACCEL_JOB_QUEUED ||
	    queue->direct_slots + 1 + job->num_args > NNACCEL_QUEUE_SLOTS - NNACCEL_SCHED_SLOTS)
		goto out;
	/* States move on in order: if the job before is on the card, so are all before it. */
	if (!list_is_first(&job->link, &queue->jobs)) {
		prev = list_prev_entry(job, link);
		if (prev->state != NNACCEL_JOB_RUNNING && prev->state != NNACCEL_JOB_DRAINING)
			goto out;
	}
	nnaccel_job_check_locked(job);
	if (job->verdict || nnaccel_job_push_locked(job))
		goto out;
	job->direct = true;
	direct = true;
	queue->direct_slots += 1 + job->num_args;
	trace_nnaccel_job_started(job);
out:
	spin_unlock_irqrestore(&queue->lock, flags);
	dma_fence_end_signalling(cookie);
	return direct;
}

static struct dma_fence *nnaccel_sched_run_job(struct drm_sched_job *sched_job)
{
	struct nnaccel_sched_job *job = to_nnaccel_job(sched_job);
	struct nnaccel_queue *queue = job->queue;
	struct dma_fence *fence = NULL;
	bool ring = false, cookie;
	unsigned long flags;
	u32 i;

	cookie = dma_fence_begin_signalling();
	trace_nnaccel_job_scheduled(job);

	if (job->sync_bos && READ_ONCE(job->state) == NNACCEL_JOB_QUEUED)
		for (i = 0; i < job->num_bos; i++)
			nnaccel_bo_sync_for_device(job->bos[i].mapping->bo);

	spin_lock_irqsave(&queue->lock, flags);
	if (job->state == NNACCEL_JOB_QUEUED) {
		nnaccel_job_check_locked(job);
		if (!job->verdict && nnaccel_job_push_locked(job)) {
			nnaccel_nonsense(queue->ndev, "head of a queue ring");
			nnaccel_job_judge_locked(job, NNACCEL_STATUS_INNOCENT);
		}
		ring = job->state == NNACCEL_JOB_RUNNING;
		if (ring)
			trace_nnaccel_job_started(job);
		else
			job->state = NNACCEL_JOB_SKIPPED;
		/* Ends a skipped job at once if nothing of its queue is before it. */
		nnaccel_queue_settle_locked(queue);
	}
	/* drm_sched's own reference keeps the job until free_job. NULL: already over. */
	if (job->state != NNACCEL_JOB_ENDED)
		fence = dma_fence_get(&job->fence->base);
	spin_unlock_irqrestore(&queue->lock, flags);

	if (ring)
		nnaccel_doorbell(queue->ndev, NNACCEL_DOORBELL_SUBMIT);

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
