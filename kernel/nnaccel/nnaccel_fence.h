/* SPDX-License-Identifier: GPL-2.0-only */
/* Fences of jobs. */
#ifndef _NNACCEL_FENCE_H_
#define _NNACCEL_FENCE_H_

#include <linux/dma-fence.h>
#include <linux/spinlock.h>

struct nnaccel_queue;

/**
 * struct nnaccel_fence - what waiters of a job wait for
 *
 * This, and not drm_sched's finished fence, is what gets published: the driver signals it at the
 * moment and with the error that it decides on, also for a job that is still inside drm_sched. A
 * job with a deadline may end before its predecessors, so it has a fence context of its own.
 *
 * A job has a second one that never leaves the driver: it tells drm_sched that the card has let
 * go of the job, and so of its slots, which may be long after the fence has signalled.
 */
struct nnaccel_fence {
	/** @base: base */
	struct dma_fence base;
	/** @lock: of @base */
	spinlock_t lock;
	/** @queue_context: nnaccel_queue.fence_context of its queue, whatever @base.context is */
	u64 queue_context;
	/** @bounded: ends soon by its own limits: may be waited for implicitly */
	bool bounded;
	/** @initialized: nnaccel_fence_init() was called, so it is counted by dma_fence_put() */
	bool initialized;
};

struct nnaccel_fence *nnaccel_fence_alloc(struct nnaccel_queue *queue);
void nnaccel_fence_init(struct nnaccel_fence *fence, u64 context, u64 seqno);
void nnaccel_fence_put(struct nnaccel_fence *fence);
bool nnaccel_fence_is_queue(struct dma_fence *fence, struct nnaccel_queue *queue);
bool nnaccel_fence_is_bounded(struct dma_fence *fence);

#endif
