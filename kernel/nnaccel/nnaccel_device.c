// SPDX-License-Identifier: GPL-2.0-only

#include <linux/export.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "nnaccel_bo.h"
#include "nnaccel_report.h"
#include "nnaccel_cq.h"
#include "nnaccel_device.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"
#include "nnaccel_reset.h"
#include "nnaccel_gem.h"

static void nnaccel_device_destroy_wq(struct drm_device *drm, void *wq)
{
	destroy_workqueue(wq);
}

static int nnaccel_device_add_wq(struct nnaccel_device *ndev, struct workqueue_struct *wq)
{
	return wq ? drmm_add_action_or_reset(&ndev->drm, nnaccel_device_destroy_wq, wq) : -ENOMEM;
}

/* Fences depend on these three workqueues. */
static int nnaccel_device_alloc_wqs(struct nnaccel_device *ndev)
{
	const unsigned int flags = WQ_MEM_RECLAIM | WQ_HIGHPRI | WQ_UNBOUND;
	int ret;

	ndev->submit_wq = alloc_workqueue("nnaccel-submit", flags, 0);
	ret = nnaccel_device_add_wq(ndev, ndev->submit_wq);
	if (ret)
		return ret;
	ndev->watch_wq = alloc_workqueue("nnaccel-watch", flags, 0);
	ret = nnaccel_device_add_wq(ndev, ndev->watch_wq);
	if (ret)
		return ret;
	ndev->recover_wq = alloc_ordered_workqueue("nnaccel-recover", WQ_MEM_RECLAIM);
	return nnaccel_device_add_wq(ndev, ndev->recover_wq);
}

/* Free what the card can reach of the device itself: the card is dead, or never came up. */
static void nnaccel_device_free_shared(struct nnaccel_device *ndev)
{
	nnaccel_ring_free(ndev, &ndev->admin.ring);
	nnaccel_ring_free(ndev, &ndev->cq.ring);
	if (ndev->opset_shared)
		nnaccel_mem_free(ndev, NNACCEL_OPSET_MAX_SIZE, ndev->opset_shared,
				 ndev->opset_addr);
	ndev->opset_shared = NULL;
}

/* The last reference to the drm_device was dropped: no file, BO, queue or address space is left. */
static void nnaccel_device_release(struct drm_device *drm, void *unused)
{
	struct nnaccel_device *ndev = to_nnaccel_device(drm);

	if (!ndev->card_unsafe)
		nnaccel_device_free_shared(ndev);
	kvfree(ndev->opset);
	kvfree(ndev->opset_spare);
	xa_destroy(&ndev->ctx_ids);
	nnaccel_shared_put();
}

static void nnaccel_device_put_owner(struct drm_device *drm, void *owner)
{
	module_put(owner);
}

/**
 * nnaccel_device_alloc() - allocate a device; the backend fills in hw_priv and regs
 * @parent: device on the bus
 * @hw: backend
 *
 * Return: the device or an ERR_PTR.
 */
struct nnaccel_device *nnaccel_device_alloc(struct device *parent, const struct nnaccel_hw_ops *hw)
{
	struct nnaccel_device *ndev;
	int ret;

	ndev = devm_drm_dev_alloc(parent, &nnaccel_drm_driver, struct nnaccel_device, drm);
	if (IS_ERR(ndev))
		return ndev;
	if (!try_module_get(hw->owner))
		return ERR_PTR(-ENODEV);
	ret = drmm_add_action_or_reset(&ndev->drm, nnaccel_device_put_owner, hw->owner);
	if (ret)
		return ERR_PTR(ret);
	ndev->hw = hw;
	ndev->mem = hw->mem;
	ndev->vm_ops = hw->vm;
	ndev->stopped = hw->start;
	ndev->powered = true;
	return ndev;
}
EXPORT_SYMBOL_GPL(nnaccel_device_alloc);

/**
 * nnaccel_device_check_regs() - whether the register page is one of this contract
 * @ndev: device with regs set
 *
 * Return: 0 or -ENODEV.
 */
int nnaccel_device_check_regs(struct nnaccel_device *ndev)
{
	u32 version;

	if (nnaccel_read32(ndev, magic) != NNACCEL_MAGIC) {
		drm_err(&ndev->drm, "no register page: device ignored\n");
		return -ENODEV;
	}
	version = nnaccel_read32(ndev, layout_version);
	if (version >> 16 != NNACCEL_CONTRACT_MAJOR) {
		drm_err(&ndev->drm, "register layout %u.%u is not supported, this driver has %u.%u: device ignored\n",
			version >> 16, version & 0xffff, NNACCEL_CONTRACT_MAJOR,
			NNACCEL_CONTRACT_MINOR);
		return -ENODEV;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(nnaccel_device_check_regs);

static void nnaccel_device_free_entered(struct drm_device *drm, void *unused)
{
	cleanup_srcu_struct(&to_nnaccel_device(drm)->entered);
}

static int nnaccel_device_init_sw(struct nnaccel_device *ndev)
{
	struct drm_device *drm = &ndev->drm;
	int ret;

	ret = init_srcu_struct(&ndev->entered);
	if (ret)
		return ret;
	ret = drmm_add_action_or_reset(drm, nnaccel_device_free_entered, NULL);
	if (ret)
		return ret;
	ret = drmm_mutex_init(drm, &ndev->topo_lock);
	if (ret)
		return ret;
	ret = drmm_mutex_init(drm, &ndev->fw_lock);
	if (ret)
		return ret;
	ret = drmm_mutex_init(drm, &ndev->clock_lock);
	if (ret)
		return ret;
	ret = drmm_mutex_init(drm, &ndev->dma.lock);
	if (ret)
		return ret;

	init_waitqueue_head(&ndev->state_wq);
	spin_lock_init(&ndev->engine.lock);
	ndev->engine.marks[0].at_ns = ktime_get_ns();
	ndev->engine.marks[1].at_ns = ndev->engine.marks[0].at_ns;
	spin_lock_init(&ndev->account.lock);
	INIT_LIST_HEAD(&ndev->account.users);
	spin_lock_init(&ndev->bos.lock);
	INIT_LIST_HEAD(&ndev->bos.list);
	INIT_LIST_HEAD(&ndev->dma.bos);
	INIT_LIST_HEAD(&ndev->dma.vms);
	INIT_LIST_HEAD(&ndev->vms);
	INIT_LIST_HEAD(&ndev->queues);
	xa_init_flags(&ndev->ctx_ids, XA_FLAGS_ALLOC);
	nnaccel_recovery_init(ndev);
	nnaccel_uevent_init(ndev);

	/* Released after the workqueues: their work uses it. */
	nnaccel_shared_get();
	ret = drmm_add_action_or_reset(drm, nnaccel_device_release, NULL);
	if (ret)
		return ret;

	ret = nnaccel_shrinker_init(ndev);
	if (ret)
		return ret;

	ret = nnaccel_coredump_init(ndev);
	if (ret)
		return ret;
	return nnaccel_device_alloc_wqs(ndev);
}

static int nnaccel_device_init_mem(struct nnaccel_device *ndev)
{
	int ret;

	ret = ndev->mem->init ? ndev->mem->init(ndev) : 0;
	if (ret)
		return ret;

	ndev->opset = kvzalloc(NNACCEL_OPSET_MAX_SIZE, GFP_KERNEL);
	ndev->opset_spare = kvzalloc(NNACCEL_OPSET_MAX_SIZE, GFP_KERNEL);
	ndev->opset_shared = nnaccel_mem_alloc(ndev, NNACCEL_OPSET_MAX_SIZE, &ndev->opset_addr);
	if (!ndev->opset || !ndev->opset_spare || !ndev->opset_shared)
		return -ENOMEM;

	ret = nnaccel_admin_init(ndev);
	if (ret)
		return ret;
	return nnaccel_cq_init(ndev);
}

/* Tell lockdep that locks of the fence-signalling path are not held over an allocation. */
static void nnaccel_device_teach_lockdep(struct nnaccel_device *ndev)
{
	bool cookie = dma_fence_begin_signalling();

	mutex_lock(&ndev->topo_lock);
	mutex_lock(&ndev->fw_lock);
	mutex_unlock(&ndev->fw_lock);
	mutex_unlock(&ndev->topo_lock);
	dma_fence_end_signalling(cookie);

	/* And that this one is, so that none of the others is held when it is taken. */
	mutex_lock(&ndev->dma.lock);
	fs_reclaim_acquire(GFP_KERNEL);
	fs_reclaim_release(GFP_KERNEL);
	mutex_unlock(&ndev->dma.lock);
}

/*
 * The device is gone: end all fences, then the waits for the card, then what uses memory that is
 * mapped for DMA. Fences are first, and wait for nothing: other drivers may wait for them.
 */
static void nnaccel_device_end(struct nnaccel_device *ndev)
{
	WRITE_ONCE(ndev->gone, true);
	nnaccel_queues_end_jobs(ndev, NNACCEL_STATUS_UNPLUGGED);
	nnaccel_admin_stop(ndev);
	wake_up_all(&ndev->state_wq);
	/* run_job may be copying the BOs of a job that has just ended. Later it copies none. */
	flush_workqueue(ndev->submit_wq);
	synchronize_srcu(&ndev->entered);
}

/* Stop the card, then unmap what it could reach. No section uses the device any more. */
static void nnaccel_device_stop(struct nnaccel_device *ndev)
{
	nnaccel_recovery_fini(ndev);
	nnaccel_coredump_flush(ndev);
	ndev->hw->irq_release(ndev);
	if (ndev->card_unsafe)
		return;
	nnaccel_queues_free_rings(ndev);
	nnaccel_vms_destroy(ndev);
	nnaccel_bos_unmap_dma(ndev);
	nnaccel_device_free_shared(ndev);
}

/**
 * nnaccel_device_init() - start a device and make it public
 * @ndev: device with hw and regs set, magic and layout checked
 *
 * A missing or unusable card is not an error: jobs wait for it, or fail.
 *
 * Return: 0 or a negative errno.
 */
int nnaccel_device_init(struct nnaccel_device *ndev)
{
	int ret;

	ret = nnaccel_device_init_sw(ndev);
	if (ret)
		return ret;
	ret = nnaccel_device_init_mem(ndev);
	if (ret)
		return ret;
	nnaccel_device_teach_lockdep(ndev);

	ret = ndev->hw->irq_request(ndev);
	if (ret)
		return ret;
	nnaccel_recovery_start(ndev);

	nnaccel_debugfs_init(ndev);
	ret = drm_dev_register(&ndev->drm, 0);
	if (ret)
		goto err_stop;
	nnaccel_uevent_start(ndev);
	return 0;

err_stop:
	nnaccel_device_end(ndev);
	nnaccel_device_stop(ndev);
	return ret;
}
EXPORT_SYMBOL_GPL(nnaccel_device_init);

/**
 * nnaccel_device_fini() - the device is unplugged, or its driver is unbound
 * @ndev: device
 *
 * Fences signal -ENODEV, ioctls return -ENODEV, CPU mappings stay valid, clients may keep their
 * files open. On return nothing is mapped for DMA, except what the card can still write.
 */
void nnaccel_device_fini(struct nnaccel_device *ndev)
{
	nnaccel_device_end(ndev);
	nnaccel_uevent_stop(ndev);
	drm_dev_unplug(&ndev->drm);
	nnaccel_device_stop(ndev);
	/* The bus is done with it, before the last file is closed. */
	ndev->hw = NULL;
}
EXPORT_SYMBOL_GPL(nnaccel_device_fini);
