// SPDX-License-Identifier: GPL-2.0-only
/* The life of a job: verdict, end of its fence, release by the card. */

#include <linux/dma-fence.h>
#include <linux/slab.h>

#include "nnaccel_device.h"
#include "nnaccel_fence.h"
#include "nnaccel_gem.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_pm.h"
#include "nnaccel_queue.h"
#include "nnaccel_trace.h"
#include "nnaccel_watch.h"

/* Jiffies until jobs that have ended are freed. */
#define NNACCEL_FREE_DELAY	1

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

static void nnaccel_job_free(struct nnaccel_sched_job *job)
{
	struct nnaccel_queue *queue = job->queue;
	u32 i;

	for (i = 0; i < job->num_bos; i++)
		nnaccel_mapping_put(job->bos[i].mapping);
	for (i = 0; i < job->num_deps; i++)
		dma_fence_put(job->deps[i]);
	nnaccel_fence_put(job->fence);
	nnaccel_fence_put(job->retired);
	kvfree(job->deps);
	kvfree(job->bos);
	kvfree(job->args);
	nnaccel_client_uncharge(queue->client, &job->charge);
	atomic_dec(&queue->allocated);
	kfree(job);
	nnaccel_queue_put(queue);
}

/* Free the jobs of a queue whose last reference was dropped in atomic context. */
static void nnaccel_jobs_free(struct nnaccel_queue *queue)
{
	struct llist_node *list = llist_del_all(&queue->free_jobs);
	struct nnaccel_sched_job *job, *next;

	llist_for_each_entry_safe(job, next, list, free_link)
		nnaccel_job_free(job);
}

/**
 * nnaccel_jobs_free_work() - free jobs that have ended
 * @work: nnaccel_queue.free_work
 */
void nnaccel_jobs_free_work(struct work_struct *work)
{
	struct nnaccel_queue *queue = container_of(to_delayed_work(work), struct nnaccel_queue,
						   free_work);

	nnaccel_jobs_free(queue);
}

static void nnaccel_job_release(struct kref *ref)
{
	nnaccel_job_free(container_of(ref, struct nnaccel_sched_job, ref));
}

/* Drop what others hold as well. Return: whether the job holds no BO alone. */
static bool nnaccel_job_put_bos_atomic(struct nnaccel_sched_job *job)
{
	while (job->num_bos &&
	       nnaccel_mapping_put_unless_last(job->bos[job->num_bos - 1].mapping))
		job->num_bos--;
	return !job->num_bos;
}

static void nnaccel_job_release_atomic(struct kref *ref)
{
	struct nnaccel_sched_job *job = container_of(ref, struct nnaccel_sched_job, ref);
	struct nnaccel_queue *queue = nnaccel_queue_get(job->queue);
	bool now = !nnaccel_job_put_bos_atomic(job);
	bool first = llist_add(&job->free_link, &queue->free_jobs);

	/*
	 * Jobs end in the interrupt handler, and the thread that waits for this one is about to
	 * run: a worker that was woken now would compete with it. Free many at a time, later. But
	 * BOs whose handles are closed do not wait: pages, addresses and charges go with them.
	 */
	if (now)
		mod_delayed_work(nnaccel_free_wq, &queue->free_work, 0);
	else if (first)
		queue_delayed_work(nnaccel_free_wq, &queue->free_work, NNACCEL_FREE_DELAY);
	nnaccel_queue_put(queue);
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
 * nnaccel_job_charge() - charge the client for more memory of a job, until the job is freed
 * @job: job
 * @bytes: bytes that the caller is going to allocate
 *
 * Return: 0, or -EBUSY if the client has to wait for jobs to end.
 */
int nnaccel_job_charge(struct nnaccel_sched_job *job, u64 bytes)
{
	struct nnaccel_charge more = { .job_bytes = bytes };
	struct nnaccel_queue *queue = job->queue;

	if (nnaccel_client_charge(queue->client, &more)) {
		/* Jobs of the queue that have ended are not held against the client. */
		flush_delayed_work(&queue->free_work);
		if (nnaccel_client_charge(queue->client, &more))
			return -EBUSY;
	}
	job->charge.job_bytes += bytes;
	return 0;
}

/* Charge for a job. Jobs of the queue that have ended are not held against the client. */
static int nnaccel_job_charge_new(struct nnaccel_queue *queue, const struct nnaccel_charge *charge)
{
	if (atomic_read(&queue->allocated) <= NNACCEL_LIMIT_ALLOCATED &&
	    !nnaccel_client_charge(queue->client, charge))
		return 0;
	flush_delayed_work(&queue->free_work);
	if (atomic_read(&queue->allocated) > NNACCEL_LIMIT_ALLOCATED)
		return -EBUSY;
	return nnaccel_client_charge(queue->client, charge);
}

/**
 * nnaccel_job_alloc() - allocate a job with one reference, and its fences
 * @queue: its queue
 *
 * Return: the job; -EBUSY: too many jobs are not freed yet; -ENOMEM.
 */
struct nnaccel_sched_job *nnaccel_job_alloc(struct nnaccel_queue *queue)
{
	struct nnaccel_charge charge = {
		.jobs = 1,
		.job_bytes = sizeof(struct nnaccel_sched_job) + 2 * sizeof(struct nnaccel_fence),
	};
	struct nnaccel_sched_job *job;
	int ret = -EBUSY;

	/* More than can be queued: some have ended. */
	if (atomic_inc_return(&queue->allocated) > NNACCEL_LIMIT_QUEUED)
		nnaccel_jobs_free(queue);
	if (nnaccel_job_charge_new(queue, &charge))
		goto err_count;

	ret = -ENOMEM;
	job = kzalloc_obj(*job, GFP_KERNEL_ACCOUNT);
	if (!job)
		goto err_charge;

	kref_init(&job->ref);
	INIT_LIST_HEAD(&job->link);
	job->queue = nnaccel_queue_get(queue);
	job->charge = charge;
	job->fence = nnaccel_fence_alloc(queue);
	job->retired = nnaccel_fence_alloc(queue);
	if (!job->fence || !job->retired) {
		nnaccel_job_put(job);
		return ERR_PTR(-ENOMEM);
	}
	return job;

err_charge:
	nnaccel_client_uncharge(queue->client, &charge);
err_count:
	atomic_dec(&queue->allocated);
	return ERR_PTR(ret);
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
	/* Write the whole entry before its number. */
	smp_wmb();
	WRITE_ONCE(entry->seqno, job->seqno);
}

/* Whether a job's fence may signal before those of the jobs before it. */
static bool nnaccel_job_ends_alone(struct nnaccel_sched_job *job)
{
	return job->fence->base.context != job->queue->fence_context;
}

/* Write the status entry, then signal. The job stays in the list. */
static void nnaccel_job_signal_locked(struct nnaccel_sched_job *job, u32 status, int error,
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
