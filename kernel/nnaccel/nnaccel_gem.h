/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_GEM_H_
#define _NNACCEL_GEM_H_

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include <drm/drm_gem_shmem_helper.h>

#include "nnaccel_account.h"

struct drm_device;
struct drm_file;
struct nnaccel_device;
struct nnaccel_mapping;
struct nnaccel_vm;

/**
 * struct nnaccel_bo - a buffer object
 *
 * Its pages are pinned and mapped for DMA from its first handle until it is freed, so neither the
 * fence path nor reclaim has to allocate or free them.
 */
struct nnaccel_bo {
	/** @base: base */
	struct drm_gem_shmem_object base;
	/** @flags: DRM_NNACCEL_BO_ bits */
	u32 flags;
	/** @lock: protects @mappings, @sgt, @client and @charge; dma_resv nests inside */
	struct mutex lock;
	/** @mappings: nnaccel_mapping of each address space with a handle to it */
	struct list_head mappings;
	/** @sgt: pinned pages, owned by @base; NULL before the first handle, and once unbound */
	struct sg_table *sgt;
	/** @device_link: in nnaccel_device.dma.bos while @sgt is set; protected by dma.lock */
	struct list_head device_link;
	/**
	 * @client: charged for it until it is freed, with a reference: creator or first importer
	 */
	struct nnaccel_client *client;
	/** @charge: what @client is charged */
	struct nnaccel_charge charge;
	/** @sync_bytes: bytes that each dma_sync copies; 0: no sync is needed */
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

void nnaccel_gemfs_init(void);
void nnaccel_gemfs_fini(void);

void nnaccel_bos_unmap_dma(struct nnaccel_device *ndev);
struct drm_gem_object *nnaccel_gem_create_object(struct drm_device *drm, size_t size);
struct nnaccel_mapping *nnaccel_bo_get_mapping(struct nnaccel_bo *bo, struct nnaccel_vm *vm);
void nnaccel_bo_sync_for_device(struct nnaccel_bo *bo);
void nnaccel_bo_sync_for_cpu(struct nnaccel_bo *bo);

int nnaccel_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_bo_mmap_offset(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_bo_wait(struct drm_device *drm, void *data, struct drm_file *file);

#endif
