// SPDX-License-Identifier: GPL-2.0-only

#include <linux/dma-fence.h>
#include <linux/ktime.h>

#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_fence.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_pm.h"
#include "nnaccel_queue.h"
#include "nnaccel_queue_jobs.h"
#include "nnaccel_trace.h"
#include "nnaccel_watch.h"

static const u8 nnaccel_job_next[NNACCEL_JOB_NUM_STATES] = {
	[NNACCEL_JOB_WAITING] = BIT(NNACCEL_JOB_READY) | BIT(NNACCEL_JOB_DONE),
	[NNACCEL_JOB_READY] = BIT(NNACCEL_JOB_ON_CARD) | BIT(NNACCEL_JOB_DONE),
	[NNACCEL_JOB_ON_CARD] = BIT(NNACCEL_JOB_READY) | BIT(NNACCEL_JOB_DONE),
};

/**
 * nnaccel_job_set_state() - change the state of a job
 * @job: job, its queue locked
 * @state: enum nnaccel_job_state; warns if the transition is not legal
 */
void nnaccel_job_set_state(struct nnaccel_sched_job *job, u32 state)
{
	lockdep_assert_held(&job->queue->lock);

	WARN_ON_ONCE(!(nnaccel_job_next[job->state] & BIT(state)));
	if (job->state == NNACCEL_JOB_READY)
		job->queue->num_ready--;
	if (state == NNACCEL_JOB_READY)
		job->queue->num_ready++;
	job->state = state;
}

/**
 * nnaccel_queue_oldest_on_card_locked() - the only job that the card may complete
 * @queue: queue
 *
 * Return: the job or NULL.
 */
struct nnaccel_sched_job *nnaccel_queue_oldest_on_card_locked(struct nnaccel_queue *queue)
{
	struct nnaccel_sched_job *job;

	lockdep_assert_held(&queue->lock);

	list_for_each_entry(job, &queue->jobs, link) {
		if (job->state == NNACCEL_JOB_ON_CARD)
			return job;
		/* Skipped jobs only wait to signal; no job after a READY one is on the card. */
		if (!job->ending)
			break;
	}
	return NULL;
}

static void nnaccel_job_write_status(struct nnaccel_sched_job *job, u32 status, int error,
				     const struct nnaccel_completion *completion)
{
	struct drm_nnaccel_status_entry *entry =
		&job->queue->status->entries[job->seqno % NNACCEL_STATUS_ENTRIES];

	WRITE_ONCE(entry->seqno, 0);
	/* Readers check seqno before and after: invalidate it before the entry changes. */
	smp_wmb();
	entry->status = status;
	entry->error = error;
	entry->start_ns = completion ? le64_to_cpu(completion->start_ns) : 0;
	entry->end_ns = completion ? le64_to_cpu(completion->end_ns) : 0;
	entry->fault_addr = status == NNACCEL_STATUS_FAULT ? job->fault_addr : 0;
	entry->generation = job->generation;
	entry->submit_ns = job->submit_ns;
	entry->done_ns = ktime_get_ns();
	/* The whole entry, and what the job has written, before its number. */
	smp_store_release(&entry->seqno, job->seqno);
}

/* Whether a job's fence may signal before those of the jobs before it. */
static bool nnaccel_job_ends_alone(struct nnaccel_sched_job *job)
{
	return job->fence->base.context != job->queue->fence_context;
}

/**
 * nnaccel_job_signal_locked() - write the status entry of a job, then signal its fence
 * @job: job, which stays in the list; the fences before it have signalled
 * @status: enum nnaccel_status
 * @error: errno of the fence, or 0
 * @completion: private copy, or NULL: the card does not report the end
 */
void nnaccel_job_signal_locked(struct nnaccel_sched_job *job, u32 status, int error,
			       const struct nnaccel_completion *completion)
{
	struct nnaccel_queue *queue = job->queue;
	struct nnaccel_device *ndev = queue->ndev;

	lockdep_assert_held(&queue->lock);
	if (WARN_ON_ONCE(job->ended))
		return;

	nnaccel_job_write_status(job, status, error, completion);
	trace_nnaccel_job_done(job, status, error, completion);
	if (error) {
		atomic64_inc(&ndev->counters.jobs_failed);
		atomic64_inc(&queue->client->stats.failed);
		dma_fence_set_error(&job->fence->base, error);
	}
	if (status == NNACCEL_STATUS_INNOCENT || status == NNACCEL_STATUS_LINK_LOST) {
		queue->innocent++;
		atomic64_inc(&queue->client->stats.innocent);
	}
	queue->num_live--;
	if (job->ending && nnaccel_job_ends_alone(job))
		queue->num_alone--;
	if (!job->fence->bounded)
		queue->num_unbounded--;
	job->ended = true;
	/* Under the lock, so that fences of one context signal in order. */
	dma_fence_signal(&job->fence->base);
}

static void nnaccel_job_count_writers(struct nnaccel_sched_job *job, int add)
{
	u32 i;

	for (i = 0; i < job->num_bos; i++)
		if (job->bos[i].write)
			atomic_add(add, &job->bos[i].mapping->bo->writers);
}

/**
 * nnaccel_job_given_locked() - a job was put into its queue's ring
 * @job: job that was READY
 */
void nnaccel_job_given_locked(struct nnaccel_sched_job *job)
{
	lockdep_assert_held(&job->queue->lock);
	job->generation = job->queue->ndev->generation;
	job->submit_ns = ktime_get_ns();
	nnaccel_job_set_state(job, NNACCEL_JOB_ON_CARD);
	nnaccel_job_count_writers(job, 1);
}

/**
 * nnaccel_job_retire_locked() - remove a job that has ended and that the card does not know
 * @job: job in its queue's list; may be freed on return
 */
void nnaccel_job_retire_locked(struct nnaccel_sched_job *job)
{
	lockdep_assert_held(&job->queue->lock);
	WARN_ON_ONCE(!job->ended);

	if (job->state == NNACCEL_JOB_ON_CARD)
		nnaccel_job_count_writers(job, -1);
	if (job->direct)
		job->queue->direct_slots -= 1 + job->num_args;
	nnaccel_job_set_state(job, NNACCEL_JOB_DONE);
	list_del_init(&job->link);
	/* Only drm_sched may wait for this fence: its credits return. */
	if (!job->direct)
		dma_fence_signal(&job->retired->base);
	nnaccel_pm_put(job->queue->ndev);
	nnaccel_job_put_atomic(job);
}

static void nnaccel_job_finish_locked(struct nnaccel_sched_job *job)
{
	lockdep_assert_held(&job->queue->lock);
	nnaccel_job_signal_locked(job, job->verdict, job->verdict_error, NULL);
	if (job->state != NNACCEL_JOB_ON_CARD)
		nnaccel_job_retire_locked(job);
}

/**
 * nnaccel_job_set_verdict_locked() - decide that a job on the card has to end, and why
 * @job: job; only the first verdict counts
 * @status: enum nnaccel_status
 * @grace_ns: after this time its fence signals, even if the card has not ended it
 */
void nnaccel_job_set_verdict_locked(struct nnaccel_sched_job *job, u32 status, u64 grace_ns)
{
	lockdep_assert_held(&job->queue->lock);

	if (job->verdict || job->ended)
		return;
	job->verdict = status;
	job->verdict_error = nnaccel_status_errno(status);
	job->end_ns = min(ktime_get_ns() + grace_ns, job->expire_ns);
}

/**
 * nnaccel_job_end_locked() - end a job, independently of the card
 * @job: job in its queue's list
 * @status: enum nnaccel_status, used if there is no verdict yet
 *
 * Its fence signals when the caller, done with the list, calls nnaccel_queue_settle_locked().
 */
void nnaccel_job_end_locked(struct nnaccel_sched_job *job, u32 status)
{
	lockdep_assert_held(&job->queue->lock);

	if (job->ended || job->ending)
		return;
	nnaccel_job_set_verdict_locked(job, status, 0);
	job->ending = true;
	if (nnaccel_job_ends_alone(job))
		job->queue->num_alone++;
}

/**
 * nnaccel_job_cancel_locked() - end a job; a job on the card is aborted first
 * @job: job in its queue's list
 * @status: enum nnaccel_status, used if there is no verdict yet
 *
 * The caller settles the queue and kicks its watch.
 */
void nnaccel_job_cancel_locked(struct nnaccel_sched_job *job, u32 status)
{
	lockdep_assert_held(&job->queue->lock);
	if (job->state == NNACCEL_JOB_ON_CARD)
		nnaccel_job_set_verdict_locked(job, status, nnaccel_abort_ns());
	else
		nnaccel_job_end_locked(job, status);
}

/**
 * nnaccel_queue_settle_locked() - signal the fences of jobs that end
 * @queue: queue
 *
 * Those of the queue's context signal in order. Signals no more than %NNACCEL_SETTLE_MAX, because
 * interrupts are disabled; the watch goes on with the others.
 *
 * Return: the number of fences that it has signalled.
 */
u32 nnaccel_queue_settle_locked(struct nnaccel_queue *queue)
{
	struct nnaccel_sched_job *job, *next;
	bool in_order = true;
	u32 num = 0;

	lockdep_assert_held(&queue->lock);

	list_for_each_entry_safe(job, next, &queue->jobs, link) {
		bool alone = nnaccel_job_ends_alone(job);

		if (job->ended)
			continue;
		in_order &= alone || job->ending;
		if (!in_order && !queue->num_alone)
			break;
		if (!job->ending || !(alone || in_order))
			continue;
		if (num == NNACCEL_SETTLE_MAX) {
			nnaccel_watch_kick(queue);
			break;
		}
		nnaccel_job_finish_locked(job);
		num++;
	}
	return num;
}

/**
 * nnaccel_queue_settle_before_locked() - settle a queue whose card has ended a job
 * @job: the oldest one on the card
 *
 * Return: whether the job's fence may signal now: none is left that has to signal before it.
 */
bool nnaccel_queue_settle_before_locked(struct nnaccel_sched_job *job)
{
	struct nnaccel_queue *queue = job->queue;
	struct nnaccel_sched_job *each;

	lockdep_assert_held(&queue->lock);

	if (list_is_first(&job->link, &queue->jobs) || nnaccel_job_ends_alone(job))
		return true;
	nnaccel_queue_settle_locked(queue);
	list_for_each_entry(each, &queue->jobs, link) {
		if (each == job)
			break;
		if (!each->ended && !nnaccel_job_ends_alone(each))
			return false;
	}
	return true;
}

/**
 * nnaccel_job_put_back_locked() - take a job back from a card that died before it began the job
 * @job: job on the card; may be freed on return
 *
 * The job becomes READY, or ends if it has a verdict; the caller settles the queue.
 */
void nnaccel_job_put_back_locked(struct nnaccel_sched_job *job)
{
	lockdep_assert_held(&job->queue->lock);
	nnaccel_job_count_writers(job, -1);
	nnaccel_job_set_state(job, NNACCEL_JOB_READY);
	job->begun = false;
	job->on_engine = false;
	job->begun_ns = 0;
	job->look_ns = 0;
	job->run_ns = 0;
	job->progress = 0;
	job->stall_ns = 0;
	job->abort_ns = 0;
	job->abort_acked = false;
	job->defy_ns = 0;
	job->submit_ns = 0;
	if (job->ended)
		nnaccel_job_retire_locked(job);
	else if (job->verdict)
		nnaccel_job_end_locked(job, job->verdict);
}

/**
 * nnaccel_queue_ban_locked() - refuse new jobs of a queue and end those it has
 * @queue: queue
 * @health: why
 *
 * The watch aborts jobs on the card; the others end after them, in order.
 *
 * Return: the number of fences that have signalled.
 */
u32 nnaccel_queue_ban_locked(struct nnaccel_queue *queue, u32 health)
{
	struct nnaccel_sched_job *job;

	lockdep_assert_held(&queue->lock);

	if (queue->health == DRM_NNACCEL_QUEUE_OK)
		queue->health = health;
	list_for_each_entry(job, &queue->jobs, link)
		nnaccel_job_cancel_locked(job, NNACCEL_STATUS_BANNED);
	nnaccel_watch_kick(queue);
	return nnaccel_queue_settle_locked(queue);
}

/**
 * nnaccel_queue_set_hung_locked() - record that a queue hangs or not; queue->lock is held
 * @queue: queue
 * @hung: its oldest job holds an engine and did not answer an abort
 */
void nnaccel_queue_set_hung_locked(struct nnaccel_queue *queue, bool hung)
{
	lockdep_assert_held(&queue->lock);
	if (hung == queue->hung)
		return;
	atomic_add((int)hung - (int)queue->hung, &queue->ndev->num_hung);
	queue->hung = hung;
}

/**
 * nnaccel_queue_ring_locked() - ring the doorbell of a queue
 * @queue: queue
 *
 * The register may be written only while the queue is ATTACHED; removal changes that under the same
 * lock.
 */
void nnaccel_queue_ring_locked(struct nnaccel_queue *queue)
{
	lockdep_assert_held(&queue->lock);
	if (queue->state == NNACCEL_QUEUE_ATTACHED)
		nnaccel_doorbell(queue->ndev, NNACCEL_DOORBELL_SUBMIT);
}
