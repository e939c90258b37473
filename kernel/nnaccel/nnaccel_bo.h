/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffer objects, and what the device can reach of them. */
#ifndef _NNACCEL_BO_H_
#define _NNACCEL_BO_H_

#include <linux/atomic.h>
#include <linux/dma-direction.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include <drm/drm_gem_shmem_helper.h>

#include <drm/nnaccel_accel.h>

#include "nnaccel_account.h"

struct dma_buf;
struct nnaccel_device;
struct nnaccel_mapping;
struct nnaccel_userptr;
struct nnaccel_vm;

/**
 * enum nnaccel_bo_advice - the client's advice about a BO's contents
 *
 * Legal transitions, all under nnaccel_bo.lock:
 *
 *   WILLNEED -> REVOKING  BO_MADVISE: idle, in one address space, not exported
 *   REVOKING -> DONTNEED  the worker of the address space: the card has confirmed that it does not
 *                         use the memory any more
 *   REVOKING -> WILLNEED  the same: the card does not confirm
 *   DONTNEED -> WILLNEED  BO_MADVISE: pinned and mapped again
 *   DONTNEED -> PURGED    the shrinker
 */
enum nnaccel_bo_advice {
	/** @NNACCEL_BO_WILLNEED: may be used */
	NNACCEL_BO_WILLNEED,
	/** @NNACCEL_BO_REVOKING: refused; the card may still use the pages. No lock is held */
	NNACCEL_BO_REVOKING,
	/** @NNACCEL_BO_DONTNEED: refused; the pages are not pinned */
	NNACCEL_BO_DONTNEED,
	/** @NNACCEL_BO_PURGED: refused; there are no pages any more */
	NNACCEL_BO_PURGED,
};

/**
 * struct nnaccel_bo - a buffer object
 *
 * Its pages are pinned and mapped for DMA from its first handle until it is freed, so neither the
 * fence path nor reclaim has to allocate or free them. Only the pages of a BO that cannot be in use
 * (@advice) are reclaimed.
 */
struct nnaccel_bo {
	/** @base: base */
	struct drm_gem_shmem_object base;
	/** @flags: DRM_NNACCEL_BO_ bits */
	u32 flags;
	/**
	 * @export_lock: protects @exported, and writing of @advice. DRM core exports under a lock
	 * of all clients, so that one may not wait for @lock
	 */
	spinlock_t export_lock;
	/** @advice: enum nnaccel_bo_advice; read without lock for information */
	u32 advice;
	/** @imported: made of a dma-buf that is not ours; does not change */
	bool imported;
	/** @exported: there is, or was, a dma-buf of it */
	bool exported;
	/** @advised: it was in state DONTNEED at some time */
	bool advised;
	/** @shrink_link: in nnaccel_device.shrink.lru while its pages may be dropped */
	struct list_head shrink_link;
	/** @purging: reclaim is dropping its pages, or has not let go of it yet */
	bool purging;
	/** @userptr: pinned memory of a process that it consists of, or NULL; does not change */
	struct nnaccel_userptr *userptr;
	/** @all_link: in nnaccel_device.bos.list */
	struct list_head all_link;
	/** @label: NUL-terminated, or NULL; protected by nnaccel_device.bos.lock */
	char *label;
	/**
	 * @lock: protects @mappings, @pinned, @sgt, @client, @charge, @advice and @advised. Its
	 * holder may allocate memory, but does not wait for the card; dma_resv nests inside
	 */
	struct mutex lock;
	/** @mappings: nnaccel_mapping of each address space with a handle to it */
	struct list_head mappings;
	/**
	 * @pinned: its pages were pinned here, in @base. Those of a process, or of an import, are
	 * pinned elsewhere
	 */
	bool pinned;
	/**
	 * @sgt: pinned pages, mapped for the device; NULL before the first handle, and once
	 * unbound. That of an import belongs to the exporter: its pages may not be used, only the
	 * addresses that it was mapped to for this device
	 */
	struct sg_table *sgt;
	/**
	 * @detached: dma-buf of an import whose attachment has ended, with the reference that the
	 * attachment had; otherwise NULL
	 */
	struct dma_buf *detached;
	/** @device_link: in nnaccel_device.dma.bos while @sgt is set; protected by dma.lock */
	struct list_head device_link;
	/**
	 * @client: charged for it until it is freed, with a reference: creator or first importer
	 */
	struct nnaccel_client *client;
	/** @charge: what @client is charged */
	struct nnaccel_charge charge;
	/** @sync_bytes: bytes that each sync copies; 0: no sync is needed. Set when it is mapped */
	u64 sync_bytes;
	/**
	 * @writers: jobs on the card that write it; the device's copy is the newer one meanwhile
	 */
	atomic_t writers;
};

static inline struct nnaccel_bo *to_nnaccel_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct nnaccel_bo, base);
}

/* Read-only memory of a process is never copied back to: it may be a file. */
static inline enum dma_data_direction nnaccel_bo_dma_dir(struct nnaccel_bo *bo)
{
	return bo->userptr && bo->flags & DRM_NNACCEL_BO_DEVICE_READONLY ? DMA_TO_DEVICE :
									   DMA_BIDIRECTIONAL;
}

void nnaccel_bo_set_advice_locked(struct nnaccel_bo *bo, enum nnaccel_bo_advice advice);
struct nnaccel_mapping *nnaccel_bo_find_mapping_locked(struct nnaccel_bo *bo,
						       struct nnaccel_vm *vm);
struct nnaccel_mapping *nnaccel_bo_get_mapping(struct nnaccel_bo *bo, struct nnaccel_vm *vm);
struct nnaccel_mapping *nnaccel_bo_use_mapping(struct nnaccel_bo *bo, struct nnaccel_vm *vm);
int nnaccel_bo_pin(struct nnaccel_bo *bo);
int nnaccel_bo_pin_locked(struct nnaccel_bo *bo);
void nnaccel_bo_unpin_locked(struct nnaccel_bo *bo);
void nnaccel_bo_free_pages(struct nnaccel_bo *bo);
void nnaccel_bos_unmap_dma(struct nnaccel_device *ndev);
void nnaccel_bo_sync_for_device(struct nnaccel_bo *bo);
void nnaccel_bo_sync_for_cpu(struct nnaccel_bo *bo);

#endif
