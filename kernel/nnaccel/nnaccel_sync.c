// SPDX-License-Identifier: GPL-2.0-only

#include <linux/dma-fence-chain.h>

#include <drm/drm_syncobj.h>

#include <drm/nnaccel_accel.h>

#include "nnaccel_submit.h"

/**
 * nnaccel_sync_check() - check the fields of a struct drm_nnaccel_sync
 * @sync: copied from userspace
 *
 * Return: 0 or -EINVAL.
 */
int nnaccel_sync_check(const struct drm_nnaccel_sync *sync)
{
	u32 kind = sync->flags & DRM_NNACCEL_SYNC_HANDLE_MASK;

	if (sync->flags & ~(DRM_NNACCEL_SYNC_HANDLE_MASK | DRM_NNACCEL_SYNC_SIGNAL))
		return -EINVAL;
	if (kind != DRM_NNACCEL_SYNC_SYNCOBJ && kind != DRM_NNACCEL_SYNC_TIMELINE)
		return -EINVAL;
	return !sync->point == (kind == DRM_NNACCEL_SYNC_SYNCOBJ) ? 0 : -EINVAL;
}

/**
 * nnaccel_sync_get_in() - find the fence to wait for
 * @file: file of the syncobj
 * @sync: a wait
 * @fence: receives a reference
 *
 * Return: 0; -ENOENT: no such syncobj, or no fence in it.
 */
int nnaccel_sync_get_in(struct drm_file *file, const struct drm_nnaccel_sync *sync,
			struct dma_fence **fence)
{
	int ret = drm_syncobj_find_fence(file, sync->handle, sync->point, 0, fence);

	return ret == -EINVAL ? -ENOENT : ret;
}

/**
 * nnaccel_sync_get_out() - find a syncobj to signal, and allocate what signalling needs
 * @file: file of the syncobj
 * @sync: a signal
 * @out: filled in
 *
 * Return: 0, -ENOENT or -ENOMEM.
 */
int nnaccel_sync_get_out(struct drm_file *file, const struct drm_nnaccel_sync *sync,
			 struct nnaccel_sync_out *out)
{
	out->handle = sync->handle;
	out->point = sync->point;
	out->chain = NULL;
	out->syncobj = drm_syncobj_find(file, sync->handle);
	if (!out->syncobj)
		return -ENOENT;
	if (!out->point)
		return 0;

	out->chain = dma_fence_chain_alloc();
	if (!out->chain) {
		drm_syncobj_put(out->syncobj);
		out->syncobj = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* Whether a wait in the same submission waits for the fence that @out will get. */
bool nnaccel_sync_covers(const struct nnaccel_sync_out *out, const struct drm_nnaccel_sync *sync)
{
	return out->handle == sync->handle && !out->point == !sync->point &&
	       out->point >= sync->point;
}

/**
 * nnaccel_sync_attach() - put a fence into its syncobj; cannot fail
 * @out: the syncobj
 * @fence: fence of the job
 */
void nnaccel_sync_attach(struct nnaccel_sync_out *out, struct dma_fence *fence)
{
	if (out->chain) {
		drm_syncobj_add_point(out->syncobj, out->chain, fence, out->point);
		out->chain = NULL;
	} else {
		drm_syncobj_replace_fence(out->syncobj, fence);
	}
}

void nnaccel_sync_put_out(struct nnaccel_sync_out *out)
{
	dma_fence_chain_free(out->chain);
	if (out->syncobj)
		drm_syncobj_put(out->syncobj);
}
