// SPDX-License-Identifier: GPL-2.0-only
/* Buffer objects as the device sees them: pinned, mapped for DMA, synchronised, unmapped. */

#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
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

/**
 * nnaccel_bo_pin_locked() - pin the pages of a BO and map them for DMA, once
 * @bo: buffer object
 *
 * Return: 0 or a negative errno.
 */
int nnaccel_bo_pin_locked(struct nnaccel_bo *bo)
{
	struct drm_gem_object *obj = &bo->base.base;
	struct nnaccel_device *ndev = to_nnaccel_device(obj->dev);
	struct device *dev = obj->dev->dev;
	struct scatterlist *sg;
	struct sg_table *sgt;
	u64 bytes = 0;
	unsigned int i;

	lockdep_assert_held(&bo->lock);
	if (bo->sgt)
		return 0;

	sgt = bo->userptr ? nnaccel_userptr_map(bo) : drm_gem_shmem_get_pages_sgt(&bo->base);
	if (IS_ERR(sgt))
		return PTR_ERR(sgt);

	for_each_sgtable_dma_sg(sgt, sg, i)
		if (dma_need_sync(dev, sg_dma_address(sg)))
			bytes += sg_dma_len(sg);
	bo->sync_bytes = bytes;
	WRITE_ONCE(bo->sgt, sgt);
	scoped_guard(mutex, &ndev->dma.lock)
		list_add(&bo->device_link, &ndev->dma.bos);
	return 0;
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
	struct drm_gem_object *obj = &bo->base.base;
	struct nnaccel_device *ndev = to_nnaccel_device(obj->dev);

	lockdep_assert_held(&bo->lock);
	if (!bo->sgt)
		return;
	WRITE_ONCE(bo->sgt, NULL);

	if (bo->imported) {
		nnaccel_bo_detach_locked(bo);
	} else {
		dma_resv_lock(obj->resv, NULL);
		/*
		 * What jobs wrote was copied back when they ended. A bounce buffer may be older
		 * than what the CPU has written since.
		 */
		dma_unmap_sgtable(obj->dev->dev, bo->base.sgt, nnaccel_bo_dma_dir(bo),
				  DMA_ATTR_SKIP_CPU_SYNC);
		sg_free_table(bo->base.sgt);
		kfree(bo->base.sgt);
		/* drm_gem_shmem_free() or nnaccel_bo_unpin_locked() releases the pages. */
		bo->base.sgt = NULL;
		dma_resv_unlock(obj->resv);
	}
	/* Last: removal waits until it is not in the list. */
	scoped_guard(mutex, &ndev->dma.lock)
		list_del_init(&bo->device_link);
}

/**
 * nnaccel_bo_unmap_dma() - unmap a BO that is being freed
 * @bo: buffer object
 */
void nnaccel_bo_unmap_dma(struct nnaccel_bo *bo)
{
	guard(mutex)(&bo->lock);
	nnaccel_bo_unmap_dma_locked(bo);
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
	dma_resv_lock(bo->base.base.resv, NULL);
	/* The device may have written them, which no page table of a CPU knows. */
	bo->base.pages_mark_dirty_on_put = true;
	drm_gem_shmem_put_pages_locked(&bo->base);
	dma_resv_unlock(bo->base.base.resv);
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
			nnaccel_bo_unmap_dma(bo);
			mutex_unlock(&ndev->drm.object_name_lock);
			drm_gem_object_put(&bo->base.base);
		} else {
			/* It is being freed, and unmapped there. */
			usleep_range(100, 1000);
		}
	}
}

/*
 * The sg_table of an import belongs to the exporter: its pages may not be used, only the addresses
 * that it was mapped to for this device.
 */
static void nnaccel_bo_sync(struct nnaccel_bo *bo, struct sg_table *sgt, bool for_device)
{
	struct drm_gem_object *obj = &bo->base.base;
	struct device *dev = obj->dev->dev;
	struct scatterlist *sg;
	unsigned int i;

	if (bo->imported) {
		for_each_sgtable_dma_sg(sgt, sg, i) {
			dma_addr_t dma = sg_dma_address(sg);

			if (for_device)
				dma_sync_single_for_device(dev, dma, sg_dma_len(sg),
							   DMA_BIDIRECTIONAL);
			else
				dma_sync_single_for_cpu(dev, dma, sg_dma_len(sg),
							DMA_BIDIRECTIONAL);
		}
	} else if (for_device) {
		dma_sync_sgtable_for_device(dev, sgt, nnaccel_bo_dma_dir(bo));
	} else {
		dma_sync_sgtable_for_cpu(dev, sgt, nnaccel_bo_dma_dir(bo));
	}
	atomic64_add(bo->sync_bytes, &to_nnaccel_device(obj->dev)->counters.bytes_synced);
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
	struct sg_table *sgt = READ_ONCE(bo->sgt);

	if (bo->sync_bytes && sgt && !atomic_read(&bo->writers))
		nnaccel_bo_sync(bo, sgt, true);
}

/**
 * nnaccel_bo_sync_for_cpu() - hand a BO that a job wrote back to the CPU
 * @bo: buffer object
 */
void nnaccel_bo_sync_for_cpu(struct nnaccel_bo *bo)
{
	struct sg_table *sgt = READ_ONCE(bo->sgt);

	if (bo->sync_bytes && sgt)
		nnaccel_bo_sync(bo, sgt, false);
}
