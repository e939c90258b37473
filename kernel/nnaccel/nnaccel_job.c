// SPDX-License-Identifier: GPL-2.0-only
/* The memory of a job, and what it is charged. Its states are in nnaccel_queue_jobs.c. */

#include <linux/dma-fence.h>
#include <linux/slab.h>

#include "nnaccel_device.h"
#include "nnaccel_fence.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"

/* Jiffies until jobs that have ended are freed. */
#define NNACCEL_FREE_DELAY	1

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

