/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffer objects in the DRM core: ioctls, names, advice, memory of users, the shrinker. */
#ifndef NNACCEL_GEM_H
#define NNACCEL_GEM_H

#include <linux/types.h>

struct dma_buf;
struct drm_device;
struct drm_file;
struct drm_gem_object;
struct nnaccel_bo;
struct nnaccel_device;
struct nnaccel_userptr;
struct seq_file;
struct sg_table;

/* nnaccel_gem.c: buffer objects as clients see them: handles, ioctls, imports and exports. */

int nnaccel_gem_init(void);
void nnaccel_gem_fini(void);

struct drm_gem_object *nnaccel_gem_create_object(struct drm_device *drm, size_t size);
struct drm_gem_object *nnaccel_gem_prime_import(struct drm_device *drm, struct dma_buf *dma_buf);

int nnaccel_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_bo_userptr(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_bo_mmap_offset(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_bo_wait(struct drm_device *drm, void *data, struct drm_file *file);

/* nnaccel_label.c: the list of all BOs, and their labels. */

void nnaccel_bo_list(struct nnaccel_bo *bo);
void nnaccel_bo_unlist(struct nnaccel_bo *bo);
void nnaccel_bos_show(struct nnaccel_device *ndev, struct seq_file *m);

int nnaccel_ioctl_bo_label(struct drm_device *drm, void *data, struct drm_file *file);

/* nnaccel_shrinker.c: the shrinker: reclaim drops contents that are not needed. */

int nnaccel_shrinker_init(struct nnaccel_device *ndev);
void nnaccel_shrinker_add(struct nnaccel_bo *bo);
bool nnaccel_shrinker_has(struct nnaccel_bo *bo);
void nnaccel_shrinker_remove(struct nnaccel_bo *bo);
void nnaccel_shrinker_forget(struct nnaccel_bo *bo);

/* nnaccel_userptr.c: BOs that consist of memory of a process. */

struct nnaccel_userptr *nnaccel_userptr_create(u64 addr, u64 size, bool write);
struct sg_table *nnaccel_userptr_table(struct nnaccel_bo *bo);
void nnaccel_userptr_free(struct nnaccel_userptr *userptr);

/* nnaccel_madvise.c: BO_MADVISE: contents that are not needed. */

u32 nnaccel_bo_advice_flags(struct nnaccel_bo *bo);

int nnaccel_ioctl_bo_madvise(struct drm_device *drm, void *data, struct drm_file *file);

#endif
