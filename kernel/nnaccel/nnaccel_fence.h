/* SPDX-License-Identifier: GPL-2.0-only */
/* Fences of jobs. */
#ifndef _NNACCEL_FENCE_H_
#define _NNACCEL_FENCE_H_

#include <linux/dma-fence.h>
#include <linux/spinlock.h>

struct nnaccel_queue;

/**
 * struct nnaccel_fence - the fence of a job
 *
 * This fence is published, not drm_sched's finished fence: the driver decides when it signals and
 * with which error, also for a job that is still inside drm_sched. A job with a deadline may end
 * before its predecessors, so it has a fence context of its own.
 *
 * A job has a second fence that never leaves the driver: it tells drm_sched that the card has
 * released the job and its slots, which may be long after the first fence has signalled.
 */
struct nnaccel_fence {
	/** @base: base */
	struct dma_fence base;
	/** @lock: lock of @base */
	spinlock_t lock;
	/** @queue_context: nnaccel_queue.fence_context of its queue; @base.context may differ */
	u64 queue_context;
	/** @bounded: its limits end it soon: it may take part in implicit sync */
	bool bounded;
	/** @initialized: nnaccel_fence_init() was called: dma_fence_put() releases it */
	bool initialized;
};

struct nnaccel_fence *nnaccel_fence_alloc(struct nnaccel_queue *queue);
void nnaccel_fence_init(struct nnaccel_fence *fence, u64 context, u64 seqno);
void nnaccel_fence_put(struct nnaccel_fence *fence);
bool nnaccel_fence_is_queue(struct dma_fence *fence, struct nnaccel_queue *queue);
bool nnaccel_fence_is_bounded(struct dma_fence *fence);

#endif
