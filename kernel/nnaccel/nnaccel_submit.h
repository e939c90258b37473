/* SPDX-License-Identifier: GPL-2.0-only */
/* SUBMIT, and the fences of a job. */
#ifndef NNACCEL_SUBMIT_H
#define NNACCEL_SUBMIT_H

#include <linux/types.h>

struct dma_fence;
struct dma_fence_chain;
struct drm_device;
struct drm_file;
struct drm_nnaccel_sync;
struct drm_syncobj;

/* nnaccel_submit.c */

int nnaccel_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file);

/* nnaccel_sync.c: syncobjs of jobs, binary and timeline, to wait for and to signal. */

/**
 * struct nnaccel_sync_out - a syncobj to signal
 */
struct nnaccel_sync_out {
	/** @syncobj: syncobj, with a reference */
	struct drm_syncobj *syncobj;
	/** @chain: timeline: allocated chain link, NULL once used; binary: NULL */
	struct dma_fence_chain *chain;
	/** @point: timeline point; binary: 0 */
	u64 point;
	/** @handle: handle of userspace, to find waits for it in the same submission */
	u32 handle;
};

int nnaccel_sync_check(const struct drm_nnaccel_sync *sync);
int nnaccel_sync_get_in(struct drm_file *file, const struct drm_nnaccel_sync *sync,
			struct dma_fence **fence);
int nnaccel_sync_get_out(struct drm_file *file, const struct drm_nnaccel_sync *sync,
			 struct nnaccel_sync_out *out);
bool nnaccel_sync_covers(const struct nnaccel_sync_out *out, const struct drm_nnaccel_sync *sync);
void nnaccel_sync_attach(struct nnaccel_sync_out *out, struct dma_fence *fence);
void nnaccel_sync_put_out(struct nnaccel_sync_out *out);

#endif
