// SPDX-License-Identifier: GPL-2.0-only

#include <linux/capability.h>
#include <linux/dma-fence.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <drm/drm_drv.h>

#include "nnaccel_cq.h"
#include "nnaccel_device.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"
#include "nnaccel_reset.h"
#include "nnaccel_watch.h"

static struct nnaccel_status_page *nnaccel_status_page_alloc(void)
{
	struct nnaccel_status_page *status;

	status = kzalloc(sizeof(*status), GFP_KERNEL);
	if (!status)
		return NULL;
	status->entries = vmalloc_user(NNACCEL_STATUS_BYTES);
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

/* Out of every scheduler's own work, which drm_sched_fini() waits for. */
static void nnaccel_queue_release_work(struct work_struct *work)
{
	struct nnaccel_queue *queue = container_of(work, struct nnaccel_queue, release_work);
	struct nnaccel_device *ndev = queue->ndev;

	cancel_delayed_work_sync(&queue->watch);
	drm_sched_fini(&queue->sched);
	nnaccel_ring_free(ndev->drm.dev, &queue->ring);
	nnaccel_status_page_put(queue->status);
	mutex_destroy(&queue->submit_lock);
	nnaccel_vm_put(queue->vm);
	kfree(queue);
	drm_dev_put(&ndev->drm);
}

static void nnaccel_queue_release(struct kref *ref)
{
	struct nnaccel_queue *queue = container_of(ref, struct nnaccel_queue, ref);

	queue_work(nnaccel_free_wq, &queue->release_work);
}

/**
 * nnaccel_queue_put() - drop a reference; any context
 * @queue: queue
 */
void nnaccel_queue_put(struct nnaccel_queue *queue)
{
	kref_put(&queue->ref, nnaccel_queue_release);
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
	struct nnaccel_device *ndev = nfile->ndev;
	struct drm_gpu_scheduler *sched;
	struct nnaccel_queue *queue;
	int ret = -ENOMEM;

	queue = kzalloc(sizeof(*queue), GFP_KERNEL);
	if (!queue)
		return ERR_PTR(-ENOMEM);

	queue->status = nnaccel_status_page_alloc();
	if (!queue->status)
		goto err_free;
	ret = nnaccel_ring_alloc(ndev->drm.dev, &queue->ring, NNACCEL_QUEUE_SLOTS);
	if (ret)
		goto err_status;

	snprintf(queue->name, sizeof(queue->name), "nnaccel-%llu.%u", nfile->drm->client_id, id);
	ret = nnaccel_sched_init(&queue->sched, &nnaccel_sched_ops, ndev->submit_wq,
				 NNACCEL_SCHED_SLOTS, queue->name, ndev->drm.dev);
	if (ret)
		goto err_ring;
	sched = &queue->sched;
	ret = drm_sched_entity_init(&queue->entity, 0, &sched, 1, NULL);
	if (ret)
		goto err_sched;

	kref_init(&queue->ref);
	queue->ndev = ndev;
	queue->vm = nnaccel_vm_get(nfile->vm);
	queue->id = id;
	queue->priority = priority;
	queue->client_id = nfile->drm->client_id;
	queue->fence_context = dma_fence_context_alloc(1);
	mutex_init(&queue->submit_lock);
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->jobs);
	INIT_LIST_HEAD(&queue->link);
	INIT_DELAYED_WORK(&queue->watch, nnaccel_watch_work);
	INIT_WORK(&queue->release_work, nnaccel_queue_release_work);
	drm_dev_get(&ndev->drm);
	return queue;

err_sched:
	drm_sched_fini(&queue->sched);
err_ring:
	nnaccel_ring_free(ndev->drm.dev, &queue->ring);
err_status:
	nnaccel_status_page_put(queue->status);
err_free:
	kfree(queue);
	return ERR_PTR(ret);
}

/**
 * nnaccel_queue_pause_locked() - stop the scheduler; no job is handed to the card from here on
 * @queue: queue
 */
void nnaccel_queue_pause_locked(struct nnaccel_queue *queue)
{
	lockdep_assert_held(&queue->ndev->topo_lock);

	if (queue->paused)
		return;
	queue->paused = true;
	spin_lock_irq(&queue->lock);
	queue->direct = false;
	spin_unlock_irq(&queue->lock);
	drm_sched_wqueue_stop(&queue->sched);
}

/**
 * nnaccel_queue_resume_locked() - start the scheduler, if there is a card or will be none
 * @queue: queue
 */
void nnaccel_queue_resume_locked(struct nnaccel_queue *queue)
{
	struct nnaccel_device *ndev = queue->ndev;

	lockdep_assert_held(&ndev->topo_lock);

	if (!queue->paused)
		return;
	if (!queue->dead && !ndev->gone && ndev->state != DRM_NNACCEL_DEVICE_FAILED &&
	    !(queue->on_card && ndev->state == DRM_NNACCEL_DEVICE_ONLINE))
		return;
	queue->paused = false;
	spin_lock_irq(&queue->lock);
	queue->direct = queue->on_card && !queue->dead;
	spin_unlock_irq(&queue->lock);
	drm_sched_wqueue_start(&queue->sched);
}

/**
 * nnaccel_queue_open_locked() - make a queue known to the card
 * @queue: queue in nnaccel_device.queues, paused, its address space open
 *
 * Return: 0 or the error of the command; after -ENOLINK and -ETIMEDOUT recovery opens it again.
 */
int nnaccel_queue_open_locked(struct nnaccel_queue *queue)
{
	struct nnaccel_device *ndev = queue->ndev;
	struct nnaccel_admin_cmd cmd = {
		.op = cpu_to_le32(NNACCEL_ADMIN_QUEUE_CREATE),
		.context = cpu_to_le32(queue->vm->ctx),
		.queue = cpu_to_le32(queue->hw_id),
		.addr = cpu_to_le64(queue->ring.dma),
		.size = cpu_to_le64(queue->ring.num),
		.value = cpu_to_le64(queue->priority),
	};
	int ret;

	lockdep_assert_held(&ndev->topo_lock);
	if (WARN_ON(!queue->paused) || queue->on_card)
		return 0;

	spin_lock_irq(&queue->lock);
	nnaccel_ring_reset(&queue->ring);
	spin_unlock_irq(&queue->lock);

	WRITE_ONCE(queue->on_card, true);
	ret = nnaccel_admin_exec(ndev, &cmd, NULL);
	if (ret && ret != -ENOLINK && ret != -ETIMEDOUT)
		WRITE_ONCE(queue->on_card, false);
	return ret;
}

static void nnaccel_queue_drop_locked(struct nnaccel_queue *queue)
{
	lockdep_assert_held(&queue->ndev->topo_lock);

	nnaccel_cq_remove_queue(queue->ndev, queue);
	list_del_init(&queue->link);
	nnaccel_queue_put(queue);
}

/**
 * nnaccel_queue_forget_locked() - the card does not know the queue any more
 * @queue: queue in nnaccel_device.queues; a destroyed one leaves it, which may be its end
 */
void nnaccel_queue_forget_locked(struct nnaccel_queue *queue)
{
	lockdep_assert_held(&queue->ndev->topo_lock);

	WRITE_ONCE(queue->on_card, false);
	if (!queue->dead || list_empty(&queue->link))
		return;
	nnaccel_queue_end_jobs(queue, NNACCEL_STATUS_CANCELED);
	nnaccel_queue_resume_locked(queue);
	nnaccel_queue_drop_locked(queue);
}

/* End a queue that is out of its file's table. Consumes the table's reference. */
static void nnaccel_queue_kill(struct nnaccel_queue *queue)
{
	struct nnaccel_device *ndev = queue->ndev;
	struct nnaccel_admin_cmd cmd = {
		.op = cpu_to_le32(NNACCEL_ADMIN_QUEUE_DESTROY),
		.context = cpu_to_le32(queue->vm->ctx),
		.queue = cpu_to_le32(queue->hw_id),
	};
	int ret = 0;

	/* A SUBMIT that is under way ends first; none comes after it. */
	mutex_lock(&queue->submit_lock);
	spin_lock_irq(&queue->lock);
	queue->dead = true;
	spin_unlock_irq(&queue->lock);
	mutex_unlock(&queue->submit_lock);

	mutex_lock(&ndev->topo_lock);
	/* Nothing may slip into the ring behind the command. */
	nnaccel_queue_pause_locked(queue);
	/*
	 * What is still inside drm_sched; its own fences are nobody else's business. While the
	 * scheduler is stopped: one that is popping a job puts the entity back into its run queue,
	 * and then it and drm_sched_entity_kill() take jobs from a list that allows one consumer.
	 */
	drm_sched_entity_fini(&queue->entity);
	if (queue->on_card)
		ret = nnaccel_admin_exec(ndev, &cmd, NULL);
	/* On failure the card, and so the device, keeps the queue until recovery is over. */
	if (!ret)
		nnaccel_queue_forget_locked(queue);
	else if (ret != -ENOLINK && ret != -ETIMEDOUT)
		nnaccel_nonsense(ndev, "QUEUE_DESTROY refused");
	mutex_unlock(&ndev->topo_lock);
	nnaccel_queue_put(queue);
}

u32 nnaccel_priorities_allowed(void)
{
	u32 mask = BIT(DRM_NNACCEL_PRIORITY_LOW) | BIT(DRM_NNACCEL_PRIORITY_MEDIUM) |
		   BIT(DRM_NNACCEL_PRIORITY_HIGH);

	if (capable(CAP_SYS_NICE))
		mask |= BIT(DRM_NNACCEL_PRIORITY_REALTIME);
	return mask;
}

/* Enter a new queue into the device and, if there is one, onto the card. */
static int nnaccel_queue_attach(struct nnaccel_queue *queue)
{
	struct nnaccel_device *ndev = queue->ndev;
	int ret;

	ret = nnaccel_vm_assign_ctx(queue->vm);
	if (ret)
		return ret;

	mutex_lock(&ndev->topo_lock);
	if (ndev->gone) {
		ret = -ENODEV;
		goto out;
	}
	ret = nnaccel_cq_add_queue(ndev, queue);
	if (ret)
		goto out;

	nnaccel_queue_pause_locked(queue);
	nnaccel_queue_get(queue);
	list_add_tail(&queue->link, &ndev->queues);

	ret = nnaccel_vm_attach_locked(queue->vm);
	if (!ret && ndev->state == DRM_NNACCEL_DEVICE_ONLINE)
		ret = nnaccel_queue_open_locked(queue);
	if (ret == -ENOLINK || ret == -ETIMEDOUT)
		ret = 0;
	if (ret)
		nnaccel_queue_drop_locked(queue);
	else
		nnaccel_queue_resume_locked(queue);
out:
	mutex_unlock(&ndev->topo_lock);
	return ret == -ENOMEM ? -ENOSPC : ret;
}

int nnaccel_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nnaccel_file *nfile = file->driver_priv;
	struct drm_nnaccel_queue_create *args = data;
	struct nnaccel_queue *queue;
	int ret, cookie;
	u32 id;

	if (args->flags || args->pad || args->priority > DRM_NNACCEL_PRIORITY_REALTIME)
		return -EINVAL;
	if (!(nnaccel_priorities_allowed() & BIT(args->priority)))
		return -EACCES;
	if (!drm_dev_enter(drm, &cookie))
		return -ENODEV;

	/* The id first, with nothing behind it yet. */
	ret = xa_alloc(&nfile->queues, &id, NULL, XA_LIMIT(1, NNACCEL_LIMIT_QUEUES), GFP_KERNEL);
	if (ret) {
		ret = ret == -EBUSY ? -ENOSPC : ret;
		goto out;
	}

	queue = nnaccel_queue_alloc(nfile, id, args->priority);
	if (IS_ERR(queue)) {
		ret = PTR_ERR(queue);
		goto err_id;
	}
	ret = nnaccel_queue_attach(queue);
	if (ret) {
		drm_sched_entity_fini(&queue->entity);
		nnaccel_queue_put(queue);
		goto err_id;
	}

	args->queue_id = id;
	args->status_offset = NNACCEL_STATUS_OFFSET + id * NNACCEL_STATUS_STRIDE;
	args->status_size = NNACCEL_STATUS_BYTES;
	/* From here on others may use, and destroy, it. */
	xa_store(&nfile->queues, id, queue, GFP_KERNEL);
	goto out;

err_id:
	xa_erase(&nfile->queues, id);
out:
	drm_dev_exit(cookie);
	return ret;
}

int nnaccel_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nnaccel_file *nfile = file->driver_priv;
	struct drm_nnaccel_queue_destroy *args = data;
	struct nnaccel_queue *queue;

	if (args->pad)
		return -EINVAL;

	/* A slot that is only reserved yet is not ours to free. */
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
 * nnaccel_queues_close() - destroy the queues of a file that is closed
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

int nnaccel_ioctl_queue_state(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nnaccel_queue_state *args = data;
	struct nnaccel_queue *queue;

	queue = nnaccel_queue_lookup(file->driver_priv, args->queue_id);
	if (!queue)
		return -ENOENT;

	spin_lock_irq(&queue->lock);
	args->health = queue->health;
	args->innocent = queue->innocent;
	args->queued = queue->num_jobs;
	args->fault_addr = queue->fault_addr;
	args->last_seqno = READ_ONCE(queue->last_seqno);
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

/* A mapping that was split would read the wrong entries. */
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
 * @vma: where to; an offset of at least %NNACCEL_STATUS_OFFSET
 *
 * Pages are mapped as they are touched, and again after unplug took all mappings of the device
 * away: the mapping stays valid when the queue, or the device, is gone.
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
