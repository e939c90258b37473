/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_SUBMIT_H_
#define _NNACCEL_SUBMIT_H_

struct drm_device;
struct drm_file;

int nnaccel_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file);

#endif
