// SPDX-License-Identifier: GPL-2.0-only

#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>

#include <drm/drm_gem.h>

#include "nnaccel_account.h"
#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_gem.h"
#include "nnaccel_mmu.h"

/**
 * DOC: Contents that are not needed
 *
 * BO_MADVISE(DONTNEED) hands the mapping to the worker of the address space, which unmaps what
 * handles no longer need: entries cleared, TLB_INVALIDATE acknowledged, unmapped for DMA,
 * unpinned. The card may answer only when a job has ended, so the ioctl waits without a lock.
 * Meanwhile the buffer is REVOKING (``enum nnaccel_bo_advice``), and SUBMIT, mmap(2) and export
 * refuse it: nothing waits for the card with ``nnaccel_bo.lock`` held, because DRM core exports a
 * buffer with a lock of all clients held.
 *
 * If the client dies the worker finishes all the same. Only then the shrinker learns of the
 * buffer. WILLNEED takes it from the shrinker, pins its pages and restores the entries at the same
 * address; if that fails the buffer stays DONTNEED, and the next advice tries again.
 */

/**
 * nnaccel_bo_advice_flags() - the state of a BO's contents, for BO_INFO
 * @bo: buffer object
 *
 * Return: DRM_NNACCEL_BO_DONTNEED, also with DRM_NNACCEL_BO_PURGED, or 0.
 */
u32 nnaccel_bo_advice_flags(struct nnaccel_bo *bo)
{
	switch (READ_ONCE(bo->advice)) {
	case NNACCEL_BO_WILLNEED:
		return 0;
	case NNACCEL_BO_REVOKING:
	case NNACCEL_BO_DONTNEED:
		return DRM_NNACCEL_BO_DONTNEED;
	default:
		return DRM_NNACCEL_BO_DONTNEED | DRM_NNACCEL_BO_PURGED;
	}
}

/* The mapping, if the BO can be used by this file only. Otherwise an ERR_PTR. */
static struct nnaccel_mapping *nnaccel_bo_sole_mapping_locked(struct nnaccel_bo *bo,
							      struct nnaccel_vm *vm)
{
	struct nnaccel_mapping *mapping;

	lockdep_assert_held(&bo->lock);
	mapping = list_first_entry_or_null(&bo->mappings, struct nnaccel_mapping, link);
	/* Another thread has closed the handle. */
	if (!mapping)
		return ERR_PTR(-ENOENT);
	if (!list_is_singular(&bo->mappings) || mapping->vm != vm)
		return ERR_PTR(-EBUSY);
	return mapping;
}

/* Refuse all use of a BO from here on. Return: 0 or -EBUSY: it was exported. */
static int nnaccel_bo_begin_revoke_locked(struct nnaccel_bo *bo)
{
	bool exported;

	lockdep_assert_held(&bo->lock);

	spin_lock(&bo->export_lock);
	exported = bo->exported;
	if (!exported)
		WRITE_ONCE(bo->advice, NNACCEL_BO_REVOKING);
	spin_unlock(&bo->export_lock);
	return exported ? -EBUSY : 0;
}

/* The card does not use the BO any more, or does not confirm that. */
static void nnaccel_bo_revoked(struct nnaccel_mapping *mapping, int error)
{
	struct nnaccel_bo *bo = mapping->bo;

	mutex_lock(&bo->lock);
	if (error) {
		/*
		 * The tables are there: this allocates nothing. Without a device there is nothing
		 * to restore.
		 */
		if (bo->sgt && nnaccel_mapping_restore(mapping))
			drm_dbg(bo->base.base.dev, "a mapping was not restored\n");
		nnaccel_bo_set_advice_locked(bo, NNACCEL_BO_WILLNEED);
	} else {
		nnaccel_bo_unpin_locked(bo);
		nnaccel_bo_set_advice_locked(bo, NNACCEL_BO_DONTNEED);
		nnaccel_shrinker_add(bo);
	}
	mutex_unlock(&bo->lock);
	wake_up_all(&mapping->vm->ndev->state_wq);
}

/*
 * Return: 0; -EBUSY; -EINPROGRESS: it is being revoked; -EAGAIN: only jobs that have ended hold the
 * BO, which lasts until they are freed.
 */
static int nnaccel_bo_dontneed_locked(struct nnaccel_bo *bo, struct nnaccel_vm *vm)
{
	struct dma_resv *resv = bo->base.base.resv;
	struct nnaccel_mapping *mapping;
	unsigned int users;
	int ret;

	lockdep_assert_held(&bo->lock);

	if (bo->advice == NNACCEL_BO_REVOKING)
		return -EINPROGRESS;
	if (bo->advice == NNACCEL_BO_PURGED || nnaccel_shrinker_has(bo))
		return 0;
	mapping = nnaccel_bo_sole_mapping_locked(bo, vm);
	if (IS_ERR(mapping))
		return PTR_ERR(mapping);
	if (!dma_resv_test_signaled(resv, DMA_RESV_USAGE_BOOKKEEP))
		return -EBUSY;
	/*
	 * The handles have one reference. All others were taken under bo->lock, by jobs and by
	 * ioctls that are under way; a job keeps its own until the card has released it.
	 */
	if (kref_read(&mapping->ref) > 1)
		return -EAGAIN;
	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret)
		return ret;
	users = refcount_read(&bo->base.pages_use_count);
	dma_resv_unlock(resv);
	/* One is our pin. New ones wait for bo->lock, and are refused then. */
	if (users > 1)
		return -EBUSY;

	ret = nnaccel_bo_begin_revoke_locked(bo);
	if (ret)
		return ret;
	nnaccel_mapping_revoke(mapping, nnaccel_bo_revoked);
	return -EINPROGRESS;
}

/* Return: as nnaccel_bo_dontneed_locked(); -ENOMEM; -ENODEV. */
static int nnaccel_bo_willneed_locked(struct nnaccel_bo *bo, struct nnaccel_vm *vm)
{
	struct nnaccel_mapping *mapping;
	int ret;

	lockdep_assert_held(&bo->lock);

	if (bo->advice == NNACCEL_BO_REVOKING)
		return -EINPROGRESS;
	if (bo->advice != NNACCEL_BO_DONTNEED)
		return 0;
	mapping = nnaccel_bo_sole_mapping_locked(bo, vm);
	if (IS_ERR(mapping))
		return PTR_ERR(mapping);
	nnaccel_shrinker_remove(bo);
	ret = nnaccel_bo_pin_locked(bo);
	if (ret) {
		nnaccel_shrinker_add(bo);
		return ret;
	}
	/*
	 * If this fails the BO stays pinned and DONTNEED: the card may have read entries. The next
	 * advice, of either kind, tries again.
	 */
	ret = nnaccel_mapping_restore(mapping);
	if (!ret)
		nnaccel_bo_set_advice_locked(bo, NNACCEL_BO_WILLNEED);
	return ret;
}

/* One attempt; only here the device may not go away. */
static int nnaccel_bo_advise(struct nnaccel_bo *bo, struct nnaccel_vm *vm, u32 advice)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);
	int ret, cookie;

	if (!nnaccel_device_enter(ndev, &cookie))
		return -ENODEV;
	ret = mutex_lock_interruptible(&bo->lock);
	if (ret)
		goto out;
	ret = advice == DRM_NNACCEL_MADV_DONTNEED ? nnaccel_bo_dontneed_locked(bo, vm) :
						    nnaccel_bo_willneed_locked(bo, vm);
	mutex_unlock(&bo->lock);
out:
	nnaccel_device_exit(ndev, cookie);
	return ret;
}

/* Jobs that hold a BO have ended: they are freed a tick later. Rare enough to poll. */
static int nnaccel_bo_wait_freed(u64 end)
{
	if (ktime_get_ns() >= end)
		return -EBUSY;
	if (signal_pending(current))
		return -EINTR;
	schedule_timeout_interruptible(1);
	return 0;
}

/*
 * Wait for the worker, which ends whatever becomes of the card and of this process. Return: 0;
 * -EBUSY, -ENODEV: the BO was not revoked; -ERESTARTSYS.
 */
static int nnaccel_bo_wait_revoked(struct nnaccel_bo *bo)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);
	int ret;

	ret = wait_event_interruptible(ndev->state_wq,
				       READ_ONCE(bo->advice) != NNACCEL_BO_REVOKING);
	if (ret || READ_ONCE(bo->advice) != NNACCEL_BO_WILLNEED)
		return ret;
	return READ_ONCE(ndev->gone) ? -ENODEV : -EBUSY;
}

static int nnaccel_bo_madvise(struct nnaccel_bo *bo, struct nnaccel_vm *vm, u32 advice)
{
	u64 end = ktime_get_ns() + nnaccel_abort_ns();
	int ret;

	for (;;) {
		ret = nnaccel_bo_advise(bo, vm, advice);
		if (ret == -EAGAIN) {
			ret = nnaccel_bo_wait_freed(end);
			if (ret)
				return ret;
		} else if (ret == -EINPROGRESS) {
			ret = nnaccel_bo_wait_revoked(bo);
			/* Then WILLNEED has something to undo, or nothing. */
			if (advice == DRM_NNACCEL_MADV_DONTNEED || (ret && ret != -EBUSY))
				return ret;
		} else {
			return ret;
		}
	}
}

int nnaccel_ioctl_bo_madvise(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nnaccel_file *nfile = file->driver_priv;
	struct drm_nnaccel_bo_madvise *args = data;
	struct drm_gem_object *obj;
	struct nnaccel_bo *bo;
	int ret = -EOPNOTSUPP;

	if (args->pad || args->advice > DRM_NNACCEL_MADV_DONTNEED)
		return -EINVAL;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;
	bo = to_nnaccel_bo(obj);
	if (!bo->imported && !bo->userptr)
		ret = nnaccel_bo_madvise(bo, nfile->vm, args->advice);
	if (!ret)
		args->retained = READ_ONCE(bo->advice) != NNACCEL_BO_PURGED;
	drm_gem_object_put(obj);
	return ret;
}
