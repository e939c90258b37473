// SPDX-License-Identifier: GPL-2.0-only
/* What the card reports of jobs: their completion, and the answer to an abort. */

#include <linux/ktime.h>

#include "nnaccel_cq.h"
#include "nnaccel_device.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"
#include "nnaccel_queue_jobs.h"
#include "nnaccel_watch.h"

/**
 * nnaccel_job_completed_locked() - find the job of a completion
 * @queue: queue that it names
 * @completion: private copy
 *
 * Return: the job, or NULL if the completion is invalid.
 */
struct nnaccel_sched_job *nnaccel_job_completed_locked(struct nnaccel_queue *queue,
						       const struct nnaccel_completion *completion)
{
	struct nnaccel_sched_job *job = nnaccel_queue_oldest_on_card_locked(queue);

	lockdep_assert_held(&queue->lock);
	if (!job || job->seqno != le64_to_cpu(completion->seqno))
		return NULL;
	if (le32_to_cpu(completion->status) >= NNACCEL_STATUS_FIRMWARE_COUNT ||
	    le32_to_cpu(completion->generation) != job->generation ||
	    le64_to_cpu(completion->end_ns) < le64_to_cpu(completion->start_ns))
		return NULL;
	return job;
}

/**
 * nnaccel_job_complete_locked() - end a job as its completion says
 * @job: the job that nnaccel_job_completed_locked() found; may be freed on return
 * @completion: the same private copy
 *
 * Return: the number of fences that have signalled.
 */
u32 nnaccel_job_complete_locked(struct nnaccel_sched_job *job,
				const struct nnaccel_completion *completion)
{
	u64 run_ns = le64_to_cpu(completion->end_ns) - le64_to_cpu(completion->start_ns);
	u32 status = le32_to_cpu(completion->status);
	struct nnaccel_queue *queue = job->queue;
	int error = nnaccel_status_errno(status);
	u32 num = 1;

	lockdep_assert_held(&queue->lock);

	atomic64_inc(&queue->ndev->counters.jobs_completed);
	atomic64_inc(&queue->client->stats.completed);
	if (queue->ndev->caps & NNACCEL_CAP_QUEUE_TIME)
		run_ns = le64_to_cpu(completion->value);
	nnaccel_watch_account_locked(job, run_ns);

	/* An aborted job ends with the reason of the abort. */
	if (status == NNACCEL_STATUS_ABORTED && job->verdict) {
		status = job->verdict;
		error = job->verdict_error;
	}
	if (status == NNACCEL_STATUS_FAULT && !job->fault_addr)
		job->fault_addr = le64_to_cpu(completion->fault_addr);
	if (status == NNACCEL_STATUS_FAULT) {
		queue->fault_addr = job->fault_addr;
		if (queue->health == DRM_NNACCEL_QUEUE_OK)
			queue->guilty_seqno = job->seqno;
	}
	queue->progress_ns = ktime_get_ns();

	if (!job->ended)
		nnaccel_job_signal_locked(job, status, error, completion);
	nnaccel_job_retire_locked(job);
	nnaccel_queue_set_hung_locked(queue, false);

	if (status == NNACCEL_STATUS_FAULT)
		num += nnaccel_queue_ban_locked(queue, DRM_NNACCEL_QUEUE_BANNED_FAULT);
	else
		num += nnaccel_queue_settle_locked(queue);
	nnaccel_watch_head_locked(queue);
	return num;
}

/**
 * nnaccel_job_complete() - the same for a job that recovery may have ended meanwhile
 * @job: the job that nnaccel_job_completed_locked() found; the caller holds a reference
 * @completion: the same private copy
 */
void nnaccel_job_complete(struct nnaccel_sched_job *job,
			  const struct nnaccel_completion *completion)
{
	struct nnaccel_queue *queue = job->queue;
	unsigned long flags;

	spin_lock_irqsave(&queue->lock, flags);
	if (job->state == NNACCEL_JOB_ON_CARD)
		nnaccel_job_complete_locked(job, completion);
	spin_unlock_irqrestore(&queue->lock, flags);
}

/**
 * nnaccel_job_abort_acked() - handle the acknowledgment of an abort
 * @queue: queue of the job
 * @seqno: number of the job, which may have ended
 *
 * A job that had not begun when the card acknowledged the abort never will. Its fence need not wait
 * for earlier jobs, nor for other queues.
 *
 * Return: the number of fences that have signalled.
 */
u32 nnaccel_job_abort_acked(struct nnaccel_queue *queue, u64 seqno)
{
	struct nnaccel_sched_job *job;
	unsigned long flags;
	u32 num = 0;

	spin_lock_irqsave(&queue->lock, flags);
	list_for_each_entry(job, &queue->jobs, link) {
		if (job->seqno < seqno)
			continue;
		if (job->seqno != seqno || job->state != NNACCEL_JOB_ON_CARD || !job->abort_ns)
			break;
		job->abort_acked = true;
		if (!nnaccel_watch_has_begun_locked(job)) {
			nnaccel_job_end_locked(job, job->verdict);
			num = nnaccel_queue_settle_locked(queue);
		}
		break;
	}
	spin_unlock_irqrestore(&queue->lock, flags);
	return num;
}
