/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffer objects as clients see them: handles, ioctls, imports and exports. */
#ifndef _NNACCEL_GEM_H_
#define _NNACCEL_GEM_H_

#include <linux/types.h>

struct dma_buf;
struct drm_device;
struct drm_file;
struct drm_gem_object;

int nnaccel_gem_init(void);
void nnaccel_gem_fini(void);
bool nnaccel_gemfs_has_huge(void);

struct drm_gem_object *nnaccel_gem_create_object(struct drm_device *drm, size_t size);
struct drm_gem_object *nnaccel_gem_prime_import(struct drm_device *drm, struct dma_buf *dma_buf);

int nnaccel_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_bo_userptr(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_bo_mmap_offset(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_bo_wait(struct drm_device *drm, void *data, struct drm_file *file);

#endif
