// SPDX-License-Identifier: GPL-2.0-only

#include <linux/hrtimer.h>
#include <linux/ktime.h>

#include "nnaccel_device.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"
#include "nnaccel_queue_jobs.h"
#include "nnaccel_trace.h"
#include "nnaccel_watch.h"

/**
 * DOC: The watch
 *
 * Each queue has one hrtimer and one work. The timer is set to the earliest of: a deadline, the
 * end of a fence by ``fence_max_ms``, the end of the wait for an absent card (``link_ms``), the
 * next check of the job on the card (250 ms; 10 ms once it has to end; the rest of ``max_ns``, but
 * never less than 1 ms). Time counts between two checks at which the job held an engine. Run times
 * are the card's, bounded by the kernel's clock and by the capacity of all engines.
 *
 * A job that has begun is aborted when it is over its time, past its deadline, or without progress
 * for ``no_progress_ms``; if the card does not end it within ``abort_ms``, the card is reset. A job
 * that has not begun ends at its deadline.
 *
 * The work also signals the fences that the interrupt handler leaves to it, 32 at a time.
 */

/* Period of checks of a job on the card, unless its limits require shorter ones. */
#define NNACCEL_WATCH_PERIOD_NS	(250ull * NSEC_PER_MSEC)
/* Period of checks of a job whose end is due. */
#define NNACCEL_WATCH_SOON_NS	(10ull * NSEC_PER_MSEC)
/* Minimum time between checks, whatever limits clients set. */
#define NNACCEL_WATCH_MIN_NS	(1ull * NSEC_PER_MSEC)
/* Time after its deadline at which an unbegun job ends if the card does not take the abort. */
#define NNACCEL_ABORT_ACK_NS	(20ull * NSEC_PER_MSEC)

static enum hrtimer_restart nnaccel_watch_timer(struct hrtimer *timer)
{
	struct nnaccel_queue *queue = container_of(timer, struct nnaccel_queue, watch_timer);

	queue_work(queue->ndev->watch_wq, &queue->watch_work);
	return HRTIMER_NORESTART;
}

/* Check at @at_ns, or earlier if the timer is already armed for that. */
static void nnaccel_watch_arm_locked(struct nnaccel_queue *queue, u64 at_ns)
{
	lockdep_assert_held(&queue->lock);

	if (queue->watch_ns <= at_ns)
		return;
	queue->watch_ns = at_ns;
	hrtimer_start(&queue->watch_timer, ns_to_ktime(at_ns), HRTIMER_MODE_ABS);
}

/* Time for an aborted job to end; slightly longer than the time until it is blamed. */
static u64 nnaccel_watch_grace_ns(void)
{
	return nnaccel_abort_ns() + 10 * NNACCEL_WATCH_SOON_NS;
}

/* When jobs that wait for an absent card end; U64_MAX: the card is not absent. */
static u64 nnaccel_watch_away_ns(struct nnaccel_sched_job *job)
{
	u64 since = READ_ONCE(job->queue->ndev->away_ns);

	return since ? max(since, job->queued_ns) + nnaccel_link_ms * (u64)NSEC_PER_MSEC : U64_MAX;
}

/*
 * When to abort a job so that it can end before its fence expires; most of the time is left to the
 * job.
 */
static u64 nnaccel_watch_expiring_ns(struct nnaccel_sched_job *job)
{
	return job->expire_ns - min((job->expire_ns - job->queued_ns) / 4, nnaccel_abort_ns());
}

/**
 * nnaccel_watch_queued_locked() - start to watch a job that was added to its queue's list
 * @job: job
 */
void nnaccel_watch_queued_locked(struct nnaccel_sched_job *job)
{
	u64 at = min(nnaccel_watch_expiring_ns(job), nnaccel_watch_away_ns(job));

	lockdep_assert_held(&job->queue->lock);
	if (job->deadline_ns)
		at = min(at, job->deadline_ns);
	nnaccel_watch_arm_locked(job->queue, at);
}

/*
 * How long a job has held an engine: up to the last progress by the card's report, after that by
 * our own clock.
 */
static u64 nnaccel_watch_ran_ns(struct nnaccel_sched_job *job)
{
	return job->run_ns + job->stall_ns;
}

/* Time until a job on the card is checked again. */
static u64 nnaccel_watch_period(struct nnaccel_sched_job *job)
{
	u64 period = min(NNACCEL_WATCH_PERIOD_NS,
			 nnaccel_no_progress_ms * (u64)NSEC_PER_MSEC / 8);

	if (job->verdict)
		period = min(period, NNACCEL_WATCH_SOON_NS);
	else if (job->max_ns)
		period = min(period, job->max_ns - min(nnaccel_watch_ran_ns(job), job->max_ns));
	return max(period, NNACCEL_WATCH_MIN_NS);
}

/**
 * nnaccel_watch_head_locked() - watch a queue with jobs on the card, whose oldest may be new
 * @queue: queue
 */
void nnaccel_watch_head_locked(struct nnaccel_queue *queue)
{
	struct nnaccel_sched_job *job = nnaccel_queue_oldest_on_card_locked(queue);

	lockdep_assert_held(&queue->lock);
	/* On a card that was taken down there is nothing to look at. */
	if (job && queue->state == NNACCEL_QUEUE_ATTACHED)
		nnaccel_watch_arm_locked(queue, ktime_get_ns() + nnaccel_watch_period(job));
}

/**
 * nnaccel_watch_has_begun_locked() - whether the card may have accessed memory for a job
 * @job: job on the card
 *
 * Return: true if it has begun, or if the card cannot report it.
 */
bool nnaccel_watch_has_begun_locked(struct nnaccel_sched_job *job)
{
	struct nnaccel_queue *queue = job->queue;

	lockdep_assert_held(&queue->lock);

	if (!job->begun && queue->state == NNACCEL_QUEUE_ATTACHED &&
	    nnaccel_read64(queue->ndev, queue[queue->hw_id].seqno) < job->seqno)
		return false;
	return true;
}

/* Not each reader takes a mark: two of them would see the time between their readings. */
static void nnaccel_watch_mark_locked(struct nnaccel_device *ndev, u64 now)
{
	lockdep_assert_held(&ndev->engine.lock);

	/* The clock is read before the lock is taken. */
	if ((s64)(now - ndev->engine.marks[1].at_ns) < (s64)NSEC_PER_SEC)
		return;
	ndev->engine.marks[0] = ndev->engine.marks[1];
	ndev->engine.marks[1].at_ns = now;
	ndev->engine.marks[1].busy_ns = atomic64_read(&ndev->counters.busy_ns);
}

/**
 * nnaccel_watch_busy_percent() - part of the engines' time that jobs took lately
 * @ndev: device
 *
 * Of the last one to two seconds; of more if neither a job nor a reader came meanwhile.
 *
 * Return: 0 to 100.
 */
unsigned int nnaccel_watch_busy_percent(struct nnaccel_device *ndev)
{
	u64 now, busy, time;

	spin_lock_irq(&ndev->engine.lock);
	now = ktime_get_ns();
	nnaccel_watch_mark_locked(ndev, now);
	busy = atomic64_read(&ndev->counters.busy_ns) - ndev->engine.marks[0].busy_ns;
	time = (now - ndev->engine.marks[0].at_ns) * ndev->engine.count;
	spin_unlock_irq(&ndev->engine.lock);
	/* No engines: there was no card yet. A running job is accounted late. */
	return time ? min(div64_u64(busy * 100, time), 100) : 0;
}

/**
 * nnaccel_watch_account_locked() - account a job's time on the engine, as the card reports it
 * @job: job on the card
 * @run_ns: time reported, since the job began
 *
 * Limited by our own clock: at most the time since the job was given to the card, and for all jobs
 * together at most the time of all engines since the card came up.
 */
void nnaccel_watch_account_locked(struct nnaccel_sched_job *job, u64 run_ns)
{
	struct nnaccel_device *ndev = job->queue->ndev;
	u64 now = ktime_get_ns(), room, more;

	lockdep_assert_held(&job->queue->lock);

	run_ns = min(run_ns, now - job->submit_ns);
	if (run_ns <= job->run_ns)
		return;
	more = run_ns - job->run_ns;

	spin_lock(&ndev->engine.lock);
	room = (now - ndev->engine.since_ns) * ndev->engine.count;
	room -= min(room, ndev->engine.sum_ns);
	more = min(more, room);
	ndev->engine.sum_ns += more;
	nnaccel_watch_mark_locked(ndev, now);
	spin_unlock(&ndev->engine.lock);

	job->run_ns += more;
	atomic64_add(more, &job->queue->vm->busy_ns);
	atomic64_add(more, &ndev->counters.busy_ns);
}

/* Read from the card whether the oldest job holds an engine. Return: whether it does. */
static bool nnaccel_watch_read_time(struct nnaccel_sched_job *job, u64 now)
{
	struct nnaccel_queue *queue = job->queue;
	struct nnaccel_device *ndev = queue->ndev;
	u64 run_ns;

	/* Without preemption a job holds its engine from its beginning to its end. */
	if (!(ndev->caps & NNACCEL_CAP_QUEUE_TIME)) {
		nnaccel_watch_account_locked(job, now - job->begun_ns);
		return true;
	}
	run_ns = nnaccel_read64(ndev, queue_time[queue->hw_id].run_ns);
	/* The time is this job's unless another has begun; the card zeroes it before that. */
	if (nnaccel_read64(ndev, queue[queue->hw_id].seqno) == job->seqno)
		nnaccel_watch_account_locked(job, run_ns);
	return nnaccel_read32(ndev, queue_time[queue->hw_id].on_engine);
}

/*
 * The card has a job and is idle: a doorbell may have been lost, or the card is stuck.
 */
static void nnaccel_watch_idle(struct nnaccel_sched_job *job, u64 now)
{
	struct nnaccel_device *ndev = job->queue->ndev;
	u64 since = max(job->submit_ns, READ_ONCE(ndev->activity_ns));

	if (now < since + NNACCEL_WATCH_PERIOD_NS)
		return;
	if (now >= since + nnaccel_no_progress_ms * (u64)NSEC_PER_MSEC)
		nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_IDLE);
	else
		nnaccel_queue_ring_locked(job->queue);
}

/* The oldest job on the card. */
static void nnaccel_watch_progress(struct nnaccel_sched_job *job, u64 now)
{
	struct nnaccel_queue *queue = job->queue;
	struct nnaccel_device *ndev = queue->ndev;
	u64 progress, scheduled = 0;
	bool on_engine, moved;

	if (queue->state != NNACCEL_QUEUE_ATTACHED)
		return;
	if (!nnaccel_watch_has_begun_locked(job)) {
		nnaccel_watch_idle(job, now);
		return;
	}
	if (!job->begun) {
		job->begun = true;
		job->begun_ns = now;
		job->look_ns = now;
		queue->progress_ns = now;
	}

	on_engine = nnaccel_watch_read_time(job, now);
	/*
	 * Count only time between two checks at which it held an engine; a late check counts once.
	 */
	if (on_engine && job->on_engine)
		scheduled = min(now - job->look_ns, 2 * NNACCEL_WATCH_PERIOD_NS);
	job->on_engine = on_engine;
	job->look_ns = now;

	progress = nnaccel_read64(ndev, queue[queue->hw_id].progress);
	moved = progress != job->progress;
	job->progress = progress;
	if (moved)
		queue->progress_ns = now;
	job->stall_ns = moved ? 0 : job->stall_ns + scheduled;
	if (on_engine || moved)
		WRITE_ONCE(ndev->activity_ns, now);
	else
		nnaccel_watch_idle(job, now);
	if (job->abort_ns)
		job->defy_ns += scheduled;

	if (job->max_ns && nnaccel_watch_ran_ns(job) >= job->max_ns)
		nnaccel_job_set_verdict_locked(job, NNACCEL_STATUS_MAX_TIME,
					       nnaccel_watch_grace_ns());
	else if (job->stall_ns >= nnaccel_no_progress_ms * (u64)NSEC_PER_MSEC)
		nnaccel_job_set_verdict_locked(job, NNACCEL_STATUS_NO_PROGRESS,
					       nnaccel_watch_grace_ns());
}

/*
 * Abort a job on the card. Return: whether the job ignores the abort: only one that holds an engine
 * can.
 */
static bool nnaccel_watch_abort(struct nnaccel_sched_job *job, u64 now)
{
	struct nnaccel_queue *queue = job->queue;
	struct nnaccel_device *ndev = queue->ndev;
	struct nnaccel_admin_cmd cmd = {
		.op = cpu_to_le32(NNACCEL_ADMIN_ABORT),
		.context = cpu_to_le32(queue->vm->ctx),
		.queue = cpu_to_le32(queue->hw_id),
		.value = cpu_to_le64(job->seqno),
	};

	if (queue->state != NNACCEL_QUEUE_ATTACHED)
		return false;
	if (!job->abort_ns) {
		/* No room or no card: retried at the next check, or recovery ends the job. */
		if (nnaccel_admin_post(ndev, &cmd))
			return false;
		job->abort_ns = now;
		atomic64_inc(&ndev->counters.aborts);
		trace_nnaccel_job_abort(job);
		return false;
	}

	if (job->defy_ns >= nnaccel_abort_ns())
		return true;
	if (!job->abort_acked && now - job->abort_ns >= nnaccel_admin_ms * (u64)NSEC_PER_MSEC)
		nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_ADMIN);
	return false;
}

/* Ban a queue whose oldest job ignores its abort, before the fence of that job signals. */
static void nnaccel_watch_blame(struct nnaccel_queue *queue, struct nnaccel_sched_job *job)
{
	nnaccel_queue_set_hung_locked(queue, true);
	if (queue->health == DRM_NNACCEL_QUEUE_OK)
		queue->guilty_seqno = job->seqno;
	nnaccel_queue_ban_locked(queue, DRM_NNACCEL_QUEUE_BANNED_TIMEOUT);
	nnaccel_job_end_locked(job, job->verdict);
	nnaccel_schedule_recovery(queue->ndev, NNACCEL_TROUBLE_HUNG);
}

/* Apply a job's own limits. Return: when to check them again. */
static u64 nnaccel_watch_limits(struct nnaccel_sched_job *job, u64 now)
{
	bool on_card = job->state == NNACCEL_JOB_ON_CARD;
	u64 expiring = on_card ? nnaccel_watch_expiring_ns(job) : job->expire_ns;
	u64 grace = nnaccel_watch_grace_ns(), away = nnaccel_watch_away_ns(job);
	u64 next = expiring;

	if (job->deadline_ns && now >= job->deadline_ns) {
		if (on_card && !nnaccel_watch_has_begun_locked(job))
			grace = min(grace, NNACCEL_ABORT_ACK_NS);
		nnaccel_job_set_verdict_locked(job, NNACCEL_STATUS_DEADLINE, grace);
	} else if (job->deadline_ns) {
		next = min(next, job->deadline_ns);
	}
	if (now >= expiring)
		nnaccel_job_set_verdict_locked(job, NNACCEL_STATUS_EXPIRED, grace);
	/* Also jobs on a card that will not answer any more. */
	if (now >= away)
		nnaccel_job_set_verdict_locked(job, NNACCEL_STATUS_LINK_LOST, 0);
	else
		next = min(next, away);

	if (!job->verdict)
		return next;
	if (!on_card || now >= job->end_ns) {
		nnaccel_job_end_locked(job, job->verdict);
		return U64_MAX;
	}
	return job->end_ns;
}

/**
 * nnaccel_watch_work() - check the jobs of a queue
 * @work: nnaccel_queue.watch_work
 *
 * Ends fences that are due, aborts jobs, and schedules recovery if an abort has no effect. Runs
 * while there are jobs.
 */
static void nnaccel_watch_work(struct work_struct *work)
{
	struct nnaccel_queue *queue = container_of(work, struct nnaccel_queue, watch_work);
	struct nnaccel_sched_job *job, *tmp, *head;
	bool cookie, defies = false;
	u64 now, next = U64_MAX;

	cookie = dma_fence_begin_signalling();
	spin_lock_irq(&queue->lock);
	now = ktime_get_ns();
	queue->watch_ns = U64_MAX;

	head = nnaccel_queue_oldest_on_card_locked(queue);
	if (head)
		nnaccel_watch_progress(head, now);
	list_for_each_entry_safe(job, tmp, &queue->jobs, link) {
		bool on_card = job->state == NNACCEL_JOB_ON_CARD;

		/* A job that is not on the card may be freed by this. */
		if (!job->ended && !job->ending)
			next = min(next, nnaccel_watch_limits(job, now));
		if (on_card && job->verdict)
			defies |= nnaccel_watch_abort(job, now);
	}
	if (defies && !queue->hung)
		nnaccel_watch_blame(queue, head);
	if (head && queue->state == NNACCEL_QUEUE_ATTACHED)
		next = min(next, now + nnaccel_watch_period(head));
	nnaccel_queue_settle_locked(queue);

	if (!list_empty(&queue->jobs) && next != U64_MAX)
		nnaccel_watch_arm_locked(queue, max(next, now + NNACCEL_WATCH_MIN_NS / 8));
	spin_unlock_irq(&queue->lock);
	dma_fence_end_signalling(cookie);
}

/*
 * Whether a queue's oldest job was on the card before addresses were unmapped. If so it has to end.
 */
static bool nnaccel_watch_blame_unmap_locked(struct nnaccel_queue *queue, u64 va, u64 since_ns)
{
	struct nnaccel_sched_job *job = nnaccel_queue_oldest_on_card_locked(queue);

	lockdep_assert_held(&queue->lock);
	if (!job || !job->begun || job->submit_ns > since_ns)
		return false;
	if (job->verdict || job->ended)
		return true;
	job->fault_addr = va;
	nnaccel_job_set_verdict_locked(job, NNACCEL_STATUS_FAULT, nnaccel_abort_ns());
	nnaccel_watch_kick(queue);
	return true;
}

/**
 * nnaccel_watch_blame_unmap() - end the job for which the card does not acknowledge an invalidation
 * @vm: address space
 * @va: first address
 * @since_ns: CLOCK_MONOTONIC time when the page table entries were cleared
 *
 * A job of the address space that was running then may use the addresses without listing their BO:
 * ends that job only.
 *
 * Return: whether there is such a job; otherwise the card does not answer.
 */
bool nnaccel_watch_blame_unmap(struct nnaccel_vm *vm, u64 va, u64 since_ns)
{
	struct nnaccel_device *ndev = vm->ndev;
	struct nnaccel_queue *queue;
	bool found = false;

	guard(mutex)(&ndev->topo_lock);

	list_for_each_entry(queue, &ndev->queues, link) {
		if (queue->vm != vm)
			continue;
		spin_lock_irq(&queue->lock);
		found |= nnaccel_watch_blame_unmap_locked(queue, va, since_ns);
		spin_unlock_irq(&queue->lock);
	}
	return found;
}

void nnaccel_watch_init(struct nnaccel_queue *queue)
{
	queue->watch_ns = U64_MAX;
	INIT_WORK(&queue->watch_work, nnaccel_watch_work);
	hrtimer_setup(&queue->watch_timer, nnaccel_watch_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS);
}

/**
 * nnaccel_watch_fini() - stop watching a queue that has no jobs and no references
 * @queue: queue
 */
void nnaccel_watch_fini(struct nnaccel_queue *queue)
{
	/* Work that is under way finds no job and does not arm the timer again. */
	hrtimer_cancel(&queue->watch_timer);
	cancel_work_sync(&queue->watch_work);
}
