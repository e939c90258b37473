/* SPDX-License-Identifier: GPL-2.0-only */
/* BOs that consist of memory of a process. */
#ifndef _NNACCEL_USERPTR_H_
#define _NNACCEL_USERPTR_H_

struct drm_device;
struct drm_file;
struct nnaccel_bo;
struct nnaccel_userptr;
struct sg_table;

struct sg_table *nnaccel_userptr_map(struct nnaccel_bo *bo);
void nnaccel_userptr_free(struct nnaccel_userptr *userptr);

int nnaccel_ioctl_bo_userptr(struct drm_device *drm, void *data, struct drm_file *file);

#endif
