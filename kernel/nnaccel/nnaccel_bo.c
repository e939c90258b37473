// SPDX-License-Identifier: GPL-2.0-only
/* Buffer objects as the device sees them: pinned, mapped for DMA, synchronised, unmapped. */

#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>

#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_mmu.h"
#include "nnaccel_gem.h"

/**
 * nnaccel_bo_set_advice_locked() - change the state of the contents; nnaccel_bo.lock is held
 * @bo: buffer object
 * @advice: see enum nnaccel_bo_advice
 */
void nnaccel_bo_set_advice_locked(struct nnaccel_bo *bo, enum nnaccel_bo_advice advice)
{
	lockdep_assert_held(&bo->lock);
	spin_lock(&bo->export_lock);
	WRITE_ONCE(bo->advice, advice);
	spin_unlock(&bo->export_lock);
}

/**
 * nnaccel_bo_find_mapping_locked() - find a BO's mapping; nnaccel_bo.lock is held
 * @bo: buffer object
 * @vm: address space
 *
 * Return: the mapping or NULL.
 */
struct nnaccel_mapping *nnaccel_bo_find_mapping_locked(struct nnaccel_bo *bo,
						       struct nnaccel_vm *vm)
{
	struct nnaccel_mapping *mapping;

	lockdep_assert_held(&bo->lock);
	list_for_each_entry(mapping, &bo->mappings, link)
		if (mapping->vm == vm)
			return mapping;
	return NULL;
}

/**
 * nnaccel_bo_get_mapping() - find a BO's mapping
 * @bo: buffer object
 * @vm: address space
 *
 * Return: the mapping with a new reference, or NULL if the address space has no handle to the BO.
 */
struct nnaccel_mapping *nnaccel_bo_get_mapping(struct nnaccel_bo *bo, struct nnaccel_vm *vm)
{
	struct nnaccel_mapping *mapping;

	mutex_lock(&bo->lock);
	mapping = nnaccel_bo_find_mapping_locked(bo, vm);
	if (mapping)
		kref_get(&mapping->ref);
	mutex_unlock(&bo->lock);
	return mapping;
}

/**
 * nnaccel_bo_use_mapping() - find a BO's mapping, to use the BO
 * @bo: buffer object
 * @vm: address space
 *
 * As long as the caller has the reference, the BO stays in state WILLNEED.
 *
 * Return: the mapping with a new reference, or an ERR_PTR: -ENOENT: the address space has no handle
 * to the BO; -ESTALE: its contents are, or may be, gone.
 */
struct nnaccel_mapping *nnaccel_bo_use_mapping(struct nnaccel_bo *bo, struct nnaccel_vm *vm)
{
	struct nnaccel_mapping *mapping;

	guard(mutex)(&bo->lock);
	mapping = nnaccel_bo_find_mapping_locked(bo, vm);
	if (!mapping)
		return ERR_PTR(-ENOENT);
	if (bo->advice != NNACCEL_BO_WILLNEED)
		return ERR_PTR(-ESTALE);
	kref_get(&mapping->ref);
	return mapping;
}

/* Keep the pages in memory. Those of a process, and of an import, are. */
static int nnaccel_bo_get_pages_locked(struct nnaccel_bo *bo)
{
	struct dma_resv *resv = bo->base.base.resv;
	int ret;

	lockdep_assert_held(&bo->lock);
	if (bo->pinned || bo->userptr || bo->imported)
		return 0;
	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret)
		return ret;
	ret = drm_gem_shmem_pin_locked(&bo->base);
	dma_resv_unlock(resv);
	bo->pinned = !ret;
	return ret;
}

/* @dirty: they may have been written, which no page table of a CPU knows. */
static void nnaccel_bo_put_pages_locked(struct nnaccel_bo *bo, bool dirty)
{
	lockdep_assert_held(&bo->lock);
	if (!bo->pinned)
		return;
	bo->pinned = false;
	dma_resv_lock(bo->base.base.resv, NULL);
	bo->base.pages_mark_dirty_on_put |= dirty;
	drm_gem_shmem_unpin_locked(&bo->base);
	dma_resv_unlock(bo->base.base.resv);
}

/* The table of the pages, which are pinned; that of an import is the exporter's, mapped for us. */
static struct sg_table *nnaccel_bo_get_table(struct nnaccel_bo *bo)
{
	if (bo->imported)
		return bo->base.sgt;
	return bo->userptr ? nnaccel_userptr_table(bo) : drm_gem_shmem_get_sg_table(&bo->base);
}

static void nnaccel_bo_put_table(struct nnaccel_bo *bo, struct sg_table *sgt)
{
	if (bo->imported)
		return;
	sg_free_table(sgt);
	kfree(sgt);
}

/**
 * nnaccel_bo_pin_locked() - pin the pages of a BO, and map them for the device, once
 * @bo: buffer object
 *
 * Return: 0 or a negative errno.
 */
int nnaccel_bo_pin_locked(struct nnaccel_bo *bo)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);
	struct sg_table *sgt;
	int ret;

	lockdep_assert_held(&bo->lock);
	if (bo->sgt)
		return 0;

	ret = nnaccel_bo_get_pages_locked(bo);
	if (ret)
		return ret;
	sgt = nnaccel_bo_get_table(bo);
	if (IS_ERR(sgt)) {
		ret = PTR_ERR(sgt);
		goto err_pages;
	}
	ret = ndev->mem->map ? ndev->mem->map(bo, sgt) : 0;
	if (ret)
		goto err_table;
	WRITE_ONCE(bo->sgt, sgt);
	scoped_guard(mutex, &ndev->dma.lock)
		list_add(&bo->device_link, &ndev->dma.bos);
	return 0;

err_table:
	nnaccel_bo_put_table(bo, sgt);
err_pages:
	nnaccel_bo_put_pages_locked(bo, false);
	return ret;
}

/**
 * nnaccel_bo_pin() - nnaccel_bo_pin_locked() for an import: a new one, or an older one that another
 * driver passes on to us
 * @bo: buffer object
 *
 * Return: 0 or a negative errno.
 */
int nnaccel_bo_pin(struct nnaccel_bo *bo)
{
	/* DRM core holds locks of all clients: do not wait for that of a BO in use. */
	if (READ_ONCE(bo->sgt))
		return 0;
	guard(mutex)(&bo->lock);
	return nnaccel_bo_pin_locked(bo);
}

/*
 * End the attachment of an import: an exporter may keep it mapped until then. The dma-buf, whose
 * dma_resv the object uses, stays. DRM core exports an import again through the attachment, under
 * object_name_lock: a caller whose object others can find holds it.
 */
static void nnaccel_bo_detach_locked(struct nnaccel_bo *bo)
{
	struct drm_gem_object *obj = &bo->base.base;
	struct dma_buf_attachment *attach = obj->import_attach;
	struct sg_table *sgt = bo->base.sgt;

	lockdep_assert_held(&bo->lock);
	bo->detached = attach->dmabuf;
	obj->import_attach = NULL;
	bo->base.sgt = NULL;
	dma_buf_unmap_attachment_unlocked(attach, sgt, DMA_BIDIRECTIONAL);
	dma_buf_detach(bo->detached, attach);
}

/* The device cannot reach the BO: unmap it. Pages and CPU mappings stay. */
static void nnaccel_bo_unmap_dma_locked(struct nnaccel_bo *bo)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);
	struct sg_table *sgt = bo->sgt;

	lockdep_assert_held(&bo->lock);
	if (!sgt)
		return;
	WRITE_ONCE(bo->sgt, NULL);
	if (ndev->mem->unmap)
		ndev->mem->unmap(bo, sgt);
	if (bo->imported)
		nnaccel_bo_detach_locked(bo);
	nnaccel_bo_put_table(bo, sgt);
	/* Last: removal waits until it is not in the list. */
	scoped_guard(mutex, &ndev->dma.lock)
		list_del_init(&bo->device_link);
}

/**
 * nnaccel_bo_free_pages() - unmap a BO that is being freed, and let its pages go
 * @bo: buffer object
 */
void nnaccel_bo_free_pages(struct nnaccel_bo *bo)
{
	guard(mutex)(&bo->lock);
	nnaccel_bo_unmap_dma_locked(bo);
	nnaccel_bo_put_pages_locked(bo, false);
}

/**
 * nnaccel_bo_unpin_locked() - undo nnaccel_bo_pin_locked()
 * @bo: buffer object of our own memory, which neither the device nor a CPU has mapped
 *
 * The pages keep their contents; they may be swapped out.
 */
void nnaccel_bo_unpin_locked(struct nnaccel_bo *bo)
{
	lockdep_assert_held(&bo->lock);
	nnaccel_bo_unmap_dma_locked(bo);
	nnaccel_bo_put_pages_locked(bo, true);
}

/**
 * nnaccel_bos_unmap_dma() - unmap all BOs: the card is dead and the driver is unbound
 * @ndev: device; no BO is pinned any more
 */
void nnaccel_bos_unmap_dma(struct nnaccel_device *ndev)
{
	struct nnaccel_bo *bo;
	bool held;

	for (;;) {
		scoped_guard(mutex, &ndev->dma.lock) {
			bo = list_first_entry_or_null(&ndev->dma.bos, struct nnaccel_bo,
						      device_link);
			held = bo && kref_get_unless_zero(&bo->base.base.refcount);
		}
		if (!bo)
			return;
		if (held) {
			mutex_lock(&ndev->drm.object_name_lock);
			scoped_guard(mutex, &bo->lock)
				nnaccel_bo_unmap_dma_locked(bo);
			mutex_unlock(&ndev->drm.object_name_lock);
			drm_gem_object_put(&bo->base.base);
		} else {
			/* It is being freed, and unmapped there. */
			usleep_range(100, 1000);
		}
	}
}

/**
 * nnaccel_bo_sync_for_device() - hand a BO to the device before a job runs
 * @bo: buffer object
 *
 * May copy, never allocates. While a job that writes the BO is on the card, the CPU's copy is the
 * older one and is not copied to the device: the BO is the unit of coherence.
 *
 * A job, or a section, keeps it mapped. Removal waits for both before it unmaps.
 */
void nnaccel_bo_sync_for_device(struct nnaccel_bo *bo)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);
	struct sg_table *sgt = READ_ONCE(bo->sgt);

	if (bo->sync_bytes && sgt && !atomic_read(&bo->writers))
		ndev->mem->sync(bo, sgt, true);
}

/**
 * nnaccel_bo_sync_for_cpu() - hand a BO that a job wrote back to the CPU
 * @bo: buffer object
 */
void nnaccel_bo_sync_for_cpu(struct nnaccel_bo *bo)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);
	struct sg_table *sgt = READ_ONCE(bo->sgt);

	if (bo->sync_bytes && sgt)
		ndev->mem->sync(bo, sgt, false);
}
