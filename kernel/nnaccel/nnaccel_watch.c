// SPDX-License-Identifier: GPL-2.0-only

#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "nnaccel_device.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"
#include "nnaccel_reset.h"
#include "nnaccel_trace.h"
#include "nnaccel_watch.h"

/* How often a running job's progress is looked at, where its limits do not ask for more. */
#define NNACCEL_WATCH_PERIOD_NS	(250ull * NSEC_PER_MSEC)

/* Run the watch in @delay_ns, or earlier if that is already arranged. */
static void nnaccel_watch_arm_locked(struct nnaccel_queue *queue, u64 delay_ns)
{
	unsigned long at;

	lockdep_assert_held(&queue->lock);

	if (READ_ONCE(queue->ndev->gone))
		return;
	/* One jiffy more: the watch must not find that it is a little too early. */
	at = jiffies + (delay_ns ? nsecs_to_jiffies(delay_ns) + 1 : 0);
	if (delayed_work_pending(&queue->watch) && time_before_eq(queue->watch_at, at))
		return;
	queue->watch_at = at;
	mod_delayed_work(queue->ndev->watch_wq, &queue->watch, at - jiffies);
}

/**
 * nnaccel_watch_kick() - look at a queue's jobs now; any context
 * @queue: queue, locked or not
 */
void nnaccel_watch_kick(struct nnaccel_queue *queue)
{
	if (!READ_ONCE(queue->ndev->gone))
		mod_delayed_work(queue->ndev->watch_wq, &queue->watch, 0);
}

/**
 * nnaccel_watch_deadline_locked() - a job with a deadline was queued
 * @queue: its queue
 * @deadline_ns: its deadline
 */
void nnaccel_watch_deadline_locked(struct nnaccel_queue *queue, u64 deadline_ns)
{
	u64 now = ktime_get_ns();

	nnaccel_watch_arm_locked(queue, deadline_ns > now ? deadline_ns - now : 0);
}

static u64 nnaccel_watch_period(struct nnaccel_sched_job *job)
{
	u64 period = min(NNACCEL_WATCH_PERIOD_NS, nnaccel_no_progress_ms * (NSEC_PER_MSEC / 8));

	if (job->max_ns)
		period = min(period, job->max_ns / 8);
	return period;
}

/**
 * nnaccel_watch_head_locked() - a queue has jobs on the card and perhaps a new oldest one
 * @queue: queue
 */
void nnaccel_watch_head_locked(struct nnaccel_queue *queue)
{
	struct nnaccel_sched_job *job;

	job = list_first_entry_or_null(&queue->jobs, struct nnaccel_sched_job, link);
	if (job && job->state == NNACCEL_JOB_RUNNING)
		nnaccel_watch_arm_locked(queue, nnaccel_watch_period(job));
}

static void nnaccel_watch_judge(struct nnaccel_sched_job *job, u32 status)
{
	if (job->verdict)
		return;
	job->verdict = status;
	job->verdict_error = nnaccel_status_errno(status);
}

/* The oldest job on the card. Return: when to look again. */
static u64 nnaccel_watch_progress(struct nnaccel_sched_job *job, u64 now)
{
	u64 limit = nnaccel_no_progress_ms * (u64)NSEC_PER_MSEC, stall, progress;
	struct nnaccel_queue *queue = job->queue;
	struct nnaccel_device *ndev = queue->ndev;
	u64 next = now + nnaccel_watch_period(job);

	if (!job->head_ns)
		job->head_ns = now;

	if (nnaccel_read64(ndev, queue[queue->hw_id].seqno) != job->seqno) {
		/*
		 * Not begun: the card is busy with other queues, or one of their jobs hangs and
		 * will be aborted first. Only if the whole card does nothing for much longer is it
		 * our turn.
		 */
		stall = now - max(job->head_ns, READ_ONCE(ndev->activity_ns));
		if (stall >= 2 * limit + nnaccel_abort_ms * (u64)NSEC_PER_MSEC)
			nnaccel_watch_judge(job, NNACCEL_STATUS_NO_PROGRESS);
		return next;
	}

	progress = nnaccel_read64(ndev, queue[queue->hw_id].progress);
	if (!job->start_ns || progress != job->progress) {
		if (!job->start_ns)
			job->start_ns = now;
		job->progress = progress;
		job->progress_ns = now;
		WRITE_ONCE(ndev->activity_ns, now);
	}

	if (job->max_ns && now - job->start_ns >= job->max_ns)
		nnaccel_watch_judge(job, NNACCEL_STATUS_MAX_TIME);
	else if (now - job->progress_ns >= limit)
		nnaccel_watch_judge(job, NNACCEL_STATUS_NO_PROGRESS);
	return next;
}

/* A job on the card that has to end. Return: when to look again. */
static u64 nnaccel_watch_abort(struct nnaccel_sched_job *job, bool head, u64 now)
{
	struct nnaccel_queue *queue = job->queue;
	struct nnaccel_device *ndev = queue->ndev;
	struct nnaccel_admin_cmd cmd = {
		.op = cpu_to_le32(NNACCEL_ADMIN_ABORT),
		.context = cpu_to_le32(queue->vm->ctx),
		.queue = cpu_to_le32(queue->hw_id),
		.value = cpu_to_le64(job->seqno),
	};
	u64 due;

	if (!job->abort_ns) {
		/* No room or no card: later, or recovery does it. */
		if (nnaccel_admin_post(ndev, &cmd))
			return now + NNACCEL_WATCH_PERIOD_NS;
		job->abort_ns = now;
		atomic64_inc(&ndev->counters.aborts);
		trace_nnaccel_job_abort(job);
	}

	/* The card has to answer when the job is the oldest; before that, it only has to listen. */
	due = job->abort_ns;
	if (head)
		due = max(due, job->head_ns);
	else if (job->abort_acked)
		return U64_MAX;
	due += nnaccel_abort_ms * (u64)NSEC_PER_MSEC;
	if (now < due)
		return due;

	if (head)
		queue->hung = true;
	nnaccel_trouble(ndev, head ? NNACCEL_TROUBLE_HUNG : NNACCEL_TROUBLE_ADMIN);
	return now + NNACCEL_WATCH_PERIOD_NS;
}

/**
 * nnaccel_watch_work() - look at the jobs of a queue
 * @work: nnaccel_queue.watch
 *
 * Ends jobs whose deadline passed before they reached the card, has the others aborted, and calls
 * for recovery if that is in vain. Runs while there are jobs on the card or with a deadline.
 */
void nnaccel_watch_work(struct work_struct *work)
{
	struct nnaccel_queue *queue = container_of(work, struct nnaccel_queue, watch.work);
	u64 now = ktime_get_ns(), next = U64_MAX;
	struct nnaccel_sched_job *job, *tmp;
	bool cookie, first = true;

	cookie = dma_fence_begin_signalling();
	spin_lock_irq(&queue->lock);
	list_for_each_entry_safe(job, tmp, &queue->jobs, link) {
		bool head = first;

		first = false;
		if (job->deadline_ns && now < job->deadline_ns) {
			next = min(next, job->deadline_ns);
		} else if (job->deadline_ns && job->state == NNACCEL_JOB_QUEUED) {
			nnaccel_watch_judge(job, NNACCEL_STATUS_DEADLINE);
			nnaccel_job_end_locked(job, job->verdict, job->verdict_error);
			first = head;
			continue;
		} else if (job->deadline_ns) {
			nnaccel_watch_judge(job, NNACCEL_STATUS_DEADLINE);
		}

		if (job->state != NNACCEL_JOB_RUNNING)
			continue;
		if (head)
			next = min(next, nnaccel_watch_progress(job, now));
		if (job->verdict)
			next = min(next, nnaccel_watch_abort(job, head, now));
	}
	nnaccel_queue_settle_locked(queue);
	if (next != U64_MAX)
		nnaccel_watch_arm_locked(queue, next > now ? next - now : 0);
	spin_unlock_irq(&queue->lock);
	dma_fence_end_signalling(cookie);
}
