/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of all BOs, and their labels. */
#ifndef _NNACCEL_LABEL_H_
#define _NNACCEL_LABEL_H_

struct drm_device;
struct drm_file;
struct nnaccel_bo;
struct nnaccel_device;
struct seq_file;

void nnaccel_bo_list(struct nnaccel_bo *bo);
void nnaccel_bo_unlist(struct nnaccel_bo *bo);
void nnaccel_bos_show(struct nnaccel_device *ndev, struct seq_file *m);

int nnaccel_ioctl_bo_label(struct drm_device *drm, void *data, struct drm_file *file);

#endif
