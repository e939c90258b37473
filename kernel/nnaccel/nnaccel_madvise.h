/* SPDX-License-Identifier: GPL-2.0-only */
/* BO_MADVISE: contents that are not needed. */
#ifndef _NNACCEL_MADVISE_H_
#define _NNACCEL_MADVISE_H_

#include <linux/types.h>

struct drm_device;
struct drm_file;
struct nnaccel_bo;

u32 nnaccel_bo_advice_flags(struct nnaccel_bo *bo);

int nnaccel_ioctl_bo_madvise(struct drm_device *drm, void *data, struct drm_file *file);

#endif
