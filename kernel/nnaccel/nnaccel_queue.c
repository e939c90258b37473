// SPDX-License-Identifier: GPL-2.0-only

#include <linux/capability.h>
#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <drm/drm_drv.h>

#include "nnaccel_account.h"
#include "nnaccel_cq.h"
#include "nnaccel_device.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_pm.h"
#include "nnaccel_queue.h"
#include "nnaccel_queue_jobs.h"
#include "nnaccel_watch.h"

/**
 * DOC: Jobs of a queue
 *
 * Three facts have a state each: what the card may know (``enum nnaccel_job_state``, ``enum
 * nnaccel_queue_state``, with their legal transitions), whether SUBMIT accepts jobs
 * (``nnaccel_queue.health``, ``.dead``), and whether the fence has ended
 * (``nnaccel_sched_job.ended``).
 *
 * The published fence is ``nnaccel_fence``, not drm_sched's. So it can end while the job is still
 * inside drm_sched or on the card, and with the right errno. drm_sched_stop() and
 * drm_sched_start() are not needed, and no fence of drm_sched leaves the driver. Fences of one
 * queue share a context and signal in order (``nnaccel_queue_settle_locked()``); a job with a
 * deadline may be early and has a context of its own.
 *
 * When the card dies (``nnaccel_queue_card_dead_locked()``), jobs that had begun end, the others
 * are READY again and go into the next card's ring in the same order. They keep their slots, so
 * there is room for all of them.
 *
 * A queued job whose fence has ended stays inside drm_sched until its turn, and is dropped there:
 * a job behind it without dependencies may still wait for its in-fence. It stays charged.
 */

static struct nnaccel_status_page *nnaccel_status_page_alloc(void)
{
	struct nnaccel_status_page *status;

	status = kzalloc_obj(*status, GFP_KERNEL_ACCOUNT);
	if (!status)
		return NULL;
	status->entries = __vmalloc(NNACCEL_STATUS_BYTES,
				    GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!status->entries) {
		kfree(status);
		return NULL;
	}
	kref_init(&status->ref);
	return status;
}

static void nnaccel_status_page_release(struct kref *ref)
{
	struct nnaccel_status_page *status = container_of(ref, struct nnaccel_status_page, ref);

	vfree(status->entries);
	kfree(status);
}

static void nnaccel_status_page_put(struct nnaccel_status_page *status)
{
	kref_put(&status->ref, nnaccel_status_page_release);
}

/* Not from the work of a scheduler: drm_sched_fini() waits for that. */
static void nnaccel_queue_release_work(struct work_struct *work)
{
	struct nnaccel_queue *queue = container_of(work, struct nnaccel_queue, release_work);
	struct nnaccel_device *ndev = queue->ndev;

	nnaccel_watch_fini(queue);
	/* It finds no job: each had a reference. */
	cancel_delayed_work_sync(&queue->free_work);
	drm_sched_fini(&queue->sched);
	nnaccel_ring_free(ndev, &queue->ring);
	nnaccel_status_page_put(queue->status);
	mutex_destroy(&queue->submit_lock);
	nnaccel_vm_put(queue->vm);
	nnaccel_client_put(queue->client);
	kfree(queue);
	drm_dev_put(&ndev->drm);
}

/**
 * nnaccel_queue_lookup() - find a queue of a file
 * @nfile: file
 * @id: id of the queue
 *
 * Return: the queue with a new reference, or NULL.
 */
struct nnaccel_queue *nnaccel_queue_lookup(struct nnaccel_file *nfile, u32 id)
{
	struct nnaccel_queue *queue;

	xa_lock(&nfile->queues);
	queue = xa_load(&nfile->queues, id);
	if (queue)
		nnaccel_queue_get(queue);
	xa_unlock(&nfile->queues);
	return queue;
}

static struct nnaccel_queue *nnaccel_queue_alloc(struct nnaccel_file *nfile, u32 id, u32 priority)
{
	/* The driver ends jobs itself, so drm_sched needs no timeout. */
	struct drm_sched_init_args sched_args = {
		.ops = &nnaccel_sched_ops,
		.num_rqs = 1,
		.credit_limit = NNACCEL_SCHED_SLOTS,
		.timeout = MAX_SCHEDULE_TIMEOUT,
	};
	struct nnaccel_device *ndev = nfile->ndev;
	struct drm_gpu_scheduler *sched;
	struct nnaccel_queue *queue;
	int ret = -ENOMEM;

	queue = kzalloc_obj(*queue, GFP_KERNEL_ACCOUNT);
	if (!queue)
		return ERR_PTR(-ENOMEM);

	queue->status = nnaccel_status_page_alloc();
	if (!queue->status)
		goto err_free;
	ret = nnaccel_ring_alloc(ndev, &queue->ring, NNACCEL_QUEUE_SLOTS);
	if (ret)
		goto err_status;

	snprintf(queue->name, sizeof(queue->name), "nnaccel-%llu.%u", nfile->drm->client_id, id);
	sched_args.submit_wq = ndev->submit_wq;
	sched_args.name = queue->name;
	sched_args.dev = ndev->drm.dev;
	ret = drm_sched_init(&queue->sched, &sched_args);
	if (ret)
		goto err_ring;
	sched = &queue->sched;
	ret = drm_sched_entity_init(&queue->entity, 0, &sched, 1, NULL);
	if (ret)
		goto err_sched;

	kref_init(&queue->ref);
	queue->ndev = ndev;
	queue->vm = nnaccel_vm_get(nfile->vm);
	queue->client = nnaccel_client_get(nfile->client);
	queue->id = id;
	queue->priority = priority;
	queue->client_id = nfile->drm->client_id;
	queue->fence_context = dma_fence_context_alloc(1);
	queue->retire_context = dma_fence_context_alloc(1);
	mutex_init(&queue->submit_lock);
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->jobs);
	INIT_LIST_HEAD(&queue->link);
	queue->resets_before = nnaccel_device_resets(ndev);
	nnaccel_watch_init(queue);
	init_llist_head(&queue->free_jobs);
	INIT_DELAYED_WORK(&queue->free_work, nnaccel_jobs_free_work);
	INIT_WORK(&queue->release_work, nnaccel_queue_release_work);
	drm_dev_get(&ndev->drm);
	return queue;

err_sched:
	drm_sched_fini(&queue->sched);
err_ring:
	nnaccel_ring_free(ndev, &queue->ring);
err_status:
	nnaccel_status_page_put(queue->status);
err_free:
	kfree(queue);
	return ERR_PTR(ret);
}

static const u8 nnaccel_queue_next[NNACCEL_QUEUE_NUM_STATES] = {
	[NNACCEL_QUEUE_DETACHED] = BIT(NNACCEL_QUEUE_SHUT),
	[NNACCEL_QUEUE_SHUT] = BIT(NNACCEL_QUEUE_ATTACHED) | BIT(NNACCEL_QUEUE_DETACHED),
	[NNACCEL_QUEUE_ATTACHED] = BIT(NNACCEL_QUEUE_SHUT),
};

static void nnaccel_queue_set_state_locked(struct nnaccel_queue *queue, u32 state)
{
	lockdep_assert_held(&queue->ndev->topo_lock);
	lockdep_assert_held(&queue->lock);

	WARN_ON_ONCE(!(nnaccel_queue_next[queue->state] & BIT(state)));
	queue->state = state;
}

/* The same, with the queue's lock held, so that no job enters meanwhile. */
static void nnaccel_queue_set_state(struct nnaccel_queue *queue, u32 state)
{
	spin_lock_irq(&queue->lock);
	nnaccel_queue_set_state_locked(queue, state);
	spin_unlock_irq(&queue->lock);
}

/**
 * nnaccel_queue_shut_locked() - stop giving jobs to the card; topo_lock is held
 * @queue: queue
 */
void nnaccel_queue_shut_locked(struct nnaccel_queue *queue)
{
	lockdep_assert_held(&queue->ndev->topo_lock);
	if (queue->state == NNACCEL_QUEUE_ATTACHED)
		nnaccel_queue_set_state(queue, NNACCEL_QUEUE_SHUT);
}

/**
 * nnaccel_queue_refuse_locked() - mark a queue that the firmware refused; topo_lock is held
 * @queue: queue that is DETACHED
 */
void nnaccel_queue_refuse_locked(struct nnaccel_queue *queue)
{
	lockdep_assert_held(&queue->ndev->topo_lock);
	scoped_guard(spinlock_irq, &queue->lock)
		if (queue->health == DRM_NNACCEL_QUEUE_OK)
			queue->health = DRM_NNACCEL_QUEUE_REFUSED;
	nnaccel_queue_end_jobs(queue, NNACCEL_STATUS_INTERNAL, false);
}

/**
 * nnaccel_queue_open_locked() - make a queue known to the card, and give it the READY jobs
 * @queue: queue in nnaccel_device.queues, DETACHED, its address space open
 *
 * Return: 0 or the error of the command. After -ENOLINK and -ETIMEDOUT the queue is SHUT and
 * recovery, which is under way, opens it again; after other errors it is DETACHED.
 */
int nnaccel_queue_open_locked(struct nnaccel_queue *queue)
{
	struct nnaccel_device *ndev = queue->ndev;
	struct nnaccel_admin_cmd cmd = {
		.op = cpu_to_le32(NNACCEL_ADMIN_QUEUE_CREATE),
		.context = cpu_to_le32(queue->vm->ctx),
		.queue = cpu_to_le32(queue->hw_id),
		.addr = cpu_to_le64(queue->ring.addr),
		.size = cpu_to_le64(queue->ring.num),
		.value = cpu_to_le64(queue->priority),
	};
	int ret;

	lockdep_assert_held(&ndev->topo_lock);

	nnaccel_queue_set_state(queue, NNACCEL_QUEUE_SHUT);
	nnaccel_ring_reset(&queue->ring);
	ret = nnaccel_admin_exec(ndev, &cmd, NULL);
	if (ret == -ENOLINK || ret == -ETIMEDOUT)
		return ret;
	if (ret) {
		nnaccel_queue_set_state(queue, NNACCEL_QUEUE_DETACHED);
		return ret;
	}

	scoped_guard(spinlock_irq, &queue->lock) {
		nnaccel_queue_set_state_locked(queue, NNACCEL_QUEUE_ATTACHED);
		if (nnaccel_queue_push_locked(queue, NULL))
			nnaccel_queue_ring_locked(queue);
		nnaccel_queue_settle_locked(queue);
	}
	return 0;
}

/* Remove a destroyed queue that the card does not know; it may be freed. */
static void nnaccel_queue_drop_locked(struct nnaccel_queue *queue)
{
	const struct nnaccel_charge charge = { .queues = 1 };

	lockdep_assert_held(&queue->ndev->topo_lock);
	WARN_ON_ONCE(queue->state != NNACCEL_QUEUE_DETACHED);

	nnaccel_cq_remove_queue(queue->ndev, queue);
	/*
	 * Free DMA memory with the device, not with the last job: it must not outlive the driver.
	 */
	nnaccel_ring_free(queue->ndev, &queue->ring);
	if (queue->charged)
		nnaccel_client_uncharge(queue->client, &charge);
	queue->charged = false;
	list_del_init(&queue->link);
	nnaccel_queue_put(queue);
}

/**
 * nnaccel_queues_free_rings() - free all rings: the card is dead and the driver is unbound
 * @ndev: device; no queue is ATTACHED, or can be again
 */
void nnaccel_queues_free_rings(struct nnaccel_device *ndev)
{
	struct nnaccel_queue *queue;

	guard(mutex)(&ndev->topo_lock);
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_ring_free(ndev, &queue->ring);
}

/**
 * nnaccel_queue_end_jobs() - end the fences of all jobs of a queue
 * @queue: queue
 * @status: enum nnaccel_status
 * @kill: abort the jobs on the card first; their fences wait for that for up to abort_ms
 *
 * Process context. Fences that need not wait have signalled on return.
 */
void nnaccel_queue_end_jobs(struct nnaccel_queue *queue, u32 status, bool kill)
{
	struct nnaccel_sched_job *job;
	u32 num;

	spin_lock_irq(&queue->lock);
	list_for_each_entry(job, &queue->jobs, link) {
		if (kill)
			nnaccel_job_cancel_locked(job, status);
		else
			nnaccel_job_end_locked(job, status);
	}
	for (;;) {
		num = nnaccel_queue_settle_locked(queue);
		if (num < NNACCEL_SETTLE_MAX)
			break;
		spin_unlock_irq(&queue->lock);
		cond_resched();
		spin_lock_irq(&queue->lock);
	}
	if (!list_empty(&queue->jobs))
		nnaccel_watch_kick(queue);
	spin_unlock_irq(&queue->lock);
}

/**
 * nnaccel_queues_end_jobs() - end the fences of all jobs of a device that is gone
 * @ndev: device; nnaccel_device.gone is set, so no job enters a queue any more
 * @status: enum nnaccel_status
 *
 * Takes no lock that is held while someone waits for the card: not topo_lock. A queue that is added
 * meanwhile never gets a job. Jobs on the card stay in the lists until the card is dead.
 */
void nnaccel_queues_end_jobs(struct nnaccel_device *ndev, u32 status)
{
	bool cookie = dma_fence_begin_signalling();
	struct nnaccel_queue *queue;
	u32 id;

	for (id = 0; id < NNACCEL_MAX_QUEUES; id++) {
		queue = nnaccel_cq_get_queue(ndev, id);
		if (!queue)
			continue;
		nnaccel_queue_end_jobs(queue, status, false);
		nnaccel_queue_put(queue);
	}
	dma_fence_end_signalling(cookie);
}

/*
 * Whether the card has begun a job. For a card that is dead or given up. @maybe: the result if the
 * registers do not outlive the firmware.
 */
static bool nnaccel_queue_had_begun_locked(struct nnaccel_sched_job *job, bool maybe)
{
	struct nnaccel_queue *queue = job->queue;
	struct nnaccel_device *ndev = queue->ndev;

	lockdep_assert_held(&job->queue->lock);
	if (job->begun)
		return true;
	if (READ_ONCE(ndev->gone) || !nnaccel_state_reachable(ndev) ||
	    !(ndev->caps & NNACCEL_CAP_QUEUE_TIME))
		return maybe;
	return nnaccel_read64(ndev, queue[queue->hw_id].seqno) >= job->seqno;
}

/**
 * nnaccel_queue_lost_locked() - handle that the card of a queue is taken down; topo_lock is held
 * @queue: queue that is not ATTACHED
 * @status: status of jobs that had begun; they are innocent
 *
 * A job that hung has already ended, and its queue is banned. Jobs that had not begun stay ON_CARD
 * until the card is known to be dead.
 */
void nnaccel_queue_lost_locked(struct nnaccel_queue *queue, u32 status)
{
	struct nnaccel_sched_job *job;

	lockdep_assert_held(&queue->ndev->topo_lock);

	spin_lock_irq(&queue->lock);
	job = nnaccel_queue_oldest_on_card_locked(queue);
	if (job && nnaccel_queue_had_begun_locked(job, true)) {
		job->begun = true;
		nnaccel_job_end_locked(job, status);
	}
	nnaccel_queue_set_hung_locked(queue, false);
	nnaccel_queue_settle_locked(queue);
	spin_unlock_irq(&queue->lock);
}

/**
 * nnaccel_queue_kept_locked() - handle removal while the card may still write; topo_lock is held
 * @queue: queue whose jobs that the card has will stay ON_CARD for ever, with their memory
 *
 * The device is the bus's again, which may power it down: that stops the card.
 */
void nnaccel_queue_kept_locked(struct nnaccel_queue *queue)
{
	struct nnaccel_sched_job *job;

	lockdep_assert_held(&queue->ndev->topo_lock);

	spin_lock_irq(&queue->lock);
	list_for_each_entry(job, &queue->jobs, link)
		if (job->state == NNACCEL_JOB_ON_CARD)
			nnaccel_pm_put(queue->ndev);
	spin_unlock_irq(&queue->lock);
}

/**
 * nnaccel_queue_card_dead_locked() - handle that the card of a queue is known to be dead; topo_lock
 * is held
 * @queue: queue in nnaccel_device.queues; if destroyed it is removed and may be freed on return
 * @status: status of jobs that had begun and have not ended yet
 */
void nnaccel_queue_card_dead_locked(struct nnaccel_queue *queue, u32 status)
{
	/* A card that was given up may have begun jobs after the oldest one since. */
	bool unsafe = queue->ndev->card_unsafe, oldest = true;
	struct nnaccel_sched_job *job, *next;

	lockdep_assert_held(&queue->ndev->topo_lock);
	if (WARN_ON_ONCE(queue->state == NNACCEL_QUEUE_ATTACHED))
		nnaccel_queue_shut_locked(queue);

	spin_lock_irq(&queue->lock);
	list_for_each_entry_safe(job, next, &queue->jobs, link) {
		if (job->state != NNACCEL_JOB_ON_CARD)
			continue;
		if (nnaccel_queue_had_begun_locked(job, oldest || unsafe))
			nnaccel_job_end_locked(job, status);
		oldest = false;
		/* Jobs with a verdict end in order, now that they are off the card. */
		nnaccel_job_put_back_locked(job);
	}
	nnaccel_queue_settle_locked(queue);
	if (queue->state == NNACCEL_QUEUE_SHUT)
		nnaccel_queue_set_state_locked(queue, NNACCEL_QUEUE_DETACHED);
	if (!list_empty(&queue->jobs))
		nnaccel_watch_kick(queue);
	spin_unlock_irq(&queue->lock);

	if (queue->dead)
		nnaccel_queue_drop_locked(queue);
}

/* Destroy a queue that was removed from its file's table. Consumes the table's reference. */
static void nnaccel_queue_kill(struct nnaccel_queue *queue)
{
	struct nnaccel_device *ndev = queue->ndev;
	struct nnaccel_admin_cmd cmd = {
		.op = cpu_to_le32(NNACCEL_ADMIN_QUEUE_DESTROY),
		.context = cpu_to_le32(queue->vm->ctx),
		.queue = cpu_to_le32(queue->hw_id),
	};
	int ret = 0;

	/* Wait for a SUBMIT that is under way; later ones are refused. */
	mutex_lock(&queue->submit_lock);
	scoped_guard(spinlock_irq, &queue->lock)
		queue->dead = true;
	mutex_unlock(&queue->submit_lock);

	/* Fences first: topo_lock may be held for long if the card does not answer. */
	nnaccel_queue_end_jobs(queue, NNACCEL_STATUS_CANCELED, true);

	/*
	 * End jobs inside drm_sched; its fences are not published. Stop the scheduler first: if it
	 * is popping a job it puts the entity back into its run queue, and then both it and
	 * drm_sched_entity_kill() take jobs from a list that allows one consumer.
	 */
	drm_sched_wqueue_stop(&queue->sched);
	drm_sched_entity_fini(&queue->entity);
	drm_sched_wqueue_start(&queue->sched);

	mutex_lock(&ndev->topo_lock);
	if (list_empty(&queue->link))
		goto out;
	/* No job may enter the ring after the command. */
	if (queue->state == NNACCEL_QUEUE_ATTACHED) {
		nnaccel_queue_shut_locked(queue);
		ret = nnaccel_admin_exec(ndev, &cmd, NULL);
		if (!ret)
			nnaccel_queue_card_dead_locked(queue, NNACCEL_STATUS_CANCELED);
		else if (ret != -ENOLINK && ret != -ETIMEDOUT)
			nnaccel_protocol_error(ndev, "QUEUE_DESTROY refused");
		/*
		 * On failure the card may use the ring: the device keeps the queue until recovery
		 * is over.
		 */
	} else if (queue->state == NNACCEL_QUEUE_DETACHED) {
		nnaccel_queue_drop_locked(queue);
	}
out:
	mutex_unlock(&ndev->topo_lock);
	/* Objects that ended jobs hold are released when the client closes the queue. */
	flush_delayed_work(&queue->free_work);
	nnaccel_queue_put(queue);
}

/* Return: whether the caller may create a queue of that priority. A refusal is audited. */
static bool nnaccel_priority_allowed(u32 priority)
{
	return priority != DRM_NNACCEL_PRIORITY_REALTIME || capable(CAP_SYS_NICE);
}

/* Add a new queue to the device and, if there is one, to the card. */
static int nnaccel_queue_attach(struct nnaccel_queue *queue)
{
	struct nnaccel_device *ndev = queue->ndev;
	int ret;

	ret = nnaccel_vm_assign_ctx(queue->vm);
	if (ret)
		return ret;

	/* Its holder may wait for the card. */
	ret = mutex_lock_interruptible(&ndev->topo_lock);
	if (ret)
		return ret;
	if (READ_ONCE(ndev->gone)) {
		ret = -ENODEV;
		goto out;
	}
	ret = nnaccel_cq_add_queue(ndev, queue);
	if (ret)
		goto out;

	nnaccel_queue_get(queue);
	list_add_tail(&queue->link, &ndev->queues);

	ret = nnaccel_vm_attach_locked(queue->vm);
	if (!ret && ndev->state == NNACCEL_STATE_ONLINE)
		ret = nnaccel_queue_open_locked(queue);
	/* No card, or it does not answer: the queue waits, and recovery opens it. */
	if (ret == -ENOLINK || ret == -ETIMEDOUT)
		ret = 0;
	if (ret)
		nnaccel_queue_drop_locked(queue);
out:
	mutex_unlock(&ndev->topo_lock);
	return ret == -ENOMEM ? -ENOSPC : ret;
}

int nnaccel_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct nnaccel_charge charge = { .queues = 1 };
	struct nnaccel_device *ndev = to_nnaccel_device(drm);
	struct nnaccel_file *nfile = file->driver_priv;
	struct drm_nnaccel_queue_create *args = data;
	struct nnaccel_queue *queue;
	int ret, cookie;
	u32 id;

	if (args->flags || args->pad || args->priority > DRM_NNACCEL_PRIORITY_REALTIME)
		return -EINVAL;
	if (!nnaccel_priority_allowed(args->priority))
		return -EACCES;
	if (!nnaccel_device_enter(ndev, &cookie))
		return -ENODEV;

	/* Reserve the id first. */
	ret = xa_alloc(&nfile->queues, &id, NULL, XA_LIMIT(1, NNACCEL_LIMIT_QUEUES), GFP_KERNEL);
	if (ret) {
		ret = ret == -EBUSY ? -ENOSPC : ret;
		goto out;
	}

	/* Charge before memory is allocated; uncharged when the queue leaves the device. */
	ret = nnaccel_client_charge(nfile->client, &charge);
	if (ret)
		goto err_id;
	queue = nnaccel_queue_alloc(nfile, id, args->priority);
	if (IS_ERR(queue)) {
		ret = PTR_ERR(queue);
		goto err_charge;
	}
	ret = nnaccel_queue_attach(queue);
	if (ret)
		goto err_queue;

	args->queue_id = id;
	args->status_offset = NNACCEL_STATUS_OFFSET + id * NNACCEL_STATUS_STRIDE;
	args->status_size = NNACCEL_STATUS_BYTES;
	/* From here on other threads may use the queue, and destroy it. */
	queue->charged = true;
	xa_store(&nfile->queues, id, queue, GFP_KERNEL);
	goto out;

err_queue:
	drm_sched_entity_fini(&queue->entity);
	/* Not with the last reference, which may outlive the device. */
	nnaccel_ring_free(to_nnaccel_device(drm), &queue->ring);
	nnaccel_queue_put(queue);
err_charge:
	nnaccel_client_uncharge(nfile->client, &charge);
err_id:
	xa_erase(&nfile->queues, id);
out:
	nnaccel_device_exit(ndev, cookie);
	return ret;
}

int nnaccel_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nnaccel_file *nfile = file->driver_priv;
	struct drm_nnaccel_queue_destroy *args = data;
	struct nnaccel_queue *queue;

	if (args->pad)
		return -EINVAL;

	/* An id that is only reserved may not be freed. */
	xa_lock(&nfile->queues);
	queue = xa_load(&nfile->queues, args->queue_id);
	if (queue)
		__xa_erase(&nfile->queues, args->queue_id);
	xa_unlock(&nfile->queues);
	if (!queue)
		return -ENOENT;

	nnaccel_queue_kill(queue);
	return 0;
}

/**
 * nnaccel_queues_close() - destroy the queues of a file on close
 * @nfile: file
 */
void nnaccel_queues_close(struct nnaccel_file *nfile)
{
	struct nnaccel_queue *queue;
	unsigned long id;

	xa_for_each(&nfile->queues, id, queue) {
		xa_erase(&nfile->queues, id);
		nnaccel_queue_kill(queue);
	}
	xa_destroy(&nfile->queues);
}

static u32 nnaccel_queue_verdict_locked(struct nnaccel_queue *queue)
{
	lockdep_assert_held(&queue->lock);
	if (queue->guilty_seqno)
		return DRM_NNACCEL_VERDICT_GUILTY;
	return queue->innocent ? DRM_NNACCEL_VERDICT_INNOCENT : DRM_NNACCEL_VERDICT_NONE;
}

/* The last job that ended, and before which no other has yet to end. */
static u64 nnaccel_queue_ended_locked(struct nnaccel_queue *queue)
{
	struct nnaccel_sched_job *job;

	lockdep_assert_held(&queue->lock);
	list_for_each_entry(job, &queue->jobs, link)
		if (!job->ended)
			return job->seqno - 1;
	return READ_ONCE(queue->last_seqno);
}

/* What the card says now, which the watch may not have seen yet. */
static void nnaccel_queue_progress_locked(struct nnaccel_queue *queue,
					  struct drm_nnaccel_queue_state *args)
{
	struct nnaccel_sched_job *job = nnaccel_queue_oldest_on_card_locked(queue);
	u64 progress;

	lockdep_assert_held(&queue->lock);
	args->progress_ns = queue->progress_ns;
	if (!job || queue->state != NNACCEL_QUEUE_ATTACHED || !nnaccel_watch_has_begun_locked(job))
		return;
	progress = nnaccel_read64(queue->ndev, queue[queue->hw_id].progress);
	/* If another job has begun, this one has ended, and the progress may be the other's. */
	if (nnaccel_read64(queue->ndev, queue[queue->hw_id].seqno) > job->seqno)
		return;
	args->running_seqno = job->seqno;
	args->progress = progress;
	if (!job->begun || args->progress != job->progress)
		args->progress_ns = ktime_get_ns();
}

int nnaccel_ioctl_queue_state(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nnaccel_queue_state *args = data;
	struct nnaccel_queue *queue;

	if (args->flags || args->pad)
		return -EINVAL;
	queue = nnaccel_queue_lookup(file->driver_priv, args->queue_id);
	if (!queue)
		return -ENOENT;

	spin_lock_irq(&queue->lock);
	args->health = queue->health;
	args->innocent = queue->innocent;
	args->queued = queue->num_live;
	args->fault_addr = queue->fault_addr;
	args->last_seqno = READ_ONCE(queue->last_seqno);
	args->verdict = nnaccel_queue_verdict_locked(queue);
	args->resets = nnaccel_device_resets(queue->ndev) - queue->resets_before;
	args->guilty_seqno = queue->guilty_seqno;
	args->ended_seqno = nnaccel_queue_ended_locked(queue);
	args->running_seqno = 0;
	args->progress = 0;
	nnaccel_queue_progress_locked(queue, args);
	spin_unlock_irq(&queue->lock);

	nnaccel_queue_put(queue);
	return 0;
}

static vm_fault_t nnaccel_status_fault(struct vm_fault *vmf)
{
	struct nnaccel_status_page *status = vmf->vma->vm_private_data;
	u64 offset = vmf->address - vmf->vma->vm_start;

	if (offset >= NNACCEL_STATUS_BYTES)
		return VM_FAULT_SIGBUS;
	vmf->page = vmalloc_to_page((u8 *)status->entries + offset);
	get_page(vmf->page);
	return 0;
}

static void nnaccel_status_vm_open(struct vm_area_struct *vma)
{
	struct nnaccel_status_page *status = vma->vm_private_data;

	kref_get(&status->ref);
}

static void nnaccel_status_vm_close(struct vm_area_struct *vma)
{
	nnaccel_status_page_put(vma->vm_private_data);
}

/* Splitting is refused: the second half would read the wrong entries. */
static int nnaccel_status_may_split(struct vm_area_struct *vma, unsigned long address)
{
	return -EINVAL;
}

static const struct vm_operations_struct nnaccel_status_vm_ops = {
	.fault = nnaccel_status_fault,
	.open = nnaccel_status_vm_open,
	.close = nnaccel_status_vm_close,
	.may_split = nnaccel_status_may_split,
};

/**
 * nnaccel_queue_mmap() - map a queue's status page
 * @nfile: file
 * @vma: destination; its offset is at least %NNACCEL_STATUS_OFFSET
 *
 * Pages are mapped on page faults, also after unplug has zapped all mappings of the device: the
 * mapping stays valid when the queue or the device is gone.
 *
 * Return: 0, -EINVAL, -EACCES for a writable mapping.
 */
int nnaccel_queue_mmap(struct nnaccel_file *nfile, struct vm_area_struct *vma)
{
	u64 offset = ((u64)vma->vm_pgoff << PAGE_SHIFT) - NNACCEL_STATUS_OFFSET;
	struct nnaccel_queue *queue;
	u64 id = offset / NNACCEL_STATUS_STRIDE;

	if (offset % NNACCEL_STATUS_STRIDE || id > NNACCEL_LIMIT_QUEUES ||
	    vma->vm_end - vma->vm_start > NNACCEL_STATUS_BYTES)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;

	queue = nnaccel_queue_lookup(nfile, id);
	if (!queue)
		return -EINVAL;

	kref_get(&queue->status->ref);
	vma->vm_private_data = queue->status;
	vma->vm_ops = &nnaccel_status_vm_ops;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
	nnaccel_queue_put(queue);
	return 0;
}
