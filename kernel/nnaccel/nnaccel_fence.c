// SPDX-License-Identifier: GPL-2.0-only

#include <linux/dma-fence-unwrap.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "nnaccel_fence.h"
#include "nnaccel_queue.h"

static const char *nnaccel_fence_driver_name(struct dma_fence *fence)
{
	return "nnaccel";
}

static const char *nnaccel_fence_timeline_name(struct dma_fence *fence)
{
	return "nnaccel-queue";
}

static void nnaccel_fence_free_rcu(struct rcu_head *rcu)
{
	struct dma_fence *fence = container_of(rcu, struct dma_fence, rcu);

	kfree(container_of(fence, struct nnaccel_fence, base));
	module_put(THIS_MODULE);
}

static void nnaccel_fence_release(struct dma_fence *fence)
{
	call_rcu(&fence->rcu, nnaccel_fence_free_rcu);
}

static const struct dma_fence_ops nnaccel_fence_ops = {
	.get_driver_name = nnaccel_fence_driver_name,
	.get_timeline_name = nnaccel_fence_timeline_name,
	.release = nnaccel_fence_release,
};

/**
 * nnaccel_fence_alloc() - allocate a fence that is not published yet
 * @queue: queue of the job
 *
 * A fence may outlive the device; its operations are in this module, so it holds a reference to the
 * module.
 *
 * Return: the fence or NULL. Released by nnaccel_fence_put().
 */
struct nnaccel_fence *nnaccel_fence_alloc(struct nnaccel_queue *queue)
{
	struct nnaccel_fence *fence;

	fence = kzalloc_obj(*fence, GFP_KERNEL_ACCOUNT);
	if (!fence)
		return NULL;

	__module_get(THIS_MODULE);
	spin_lock_init(&fence->lock);
	fence->queue_context = queue->fence_context;
	return fence;
}

void nnaccel_fence_init(struct nnaccel_fence *fence, u64 context, u64 seqno)
{
	dma_fence_init(&fence->base, &nnaccel_fence_ops, &fence->lock, context, seqno);
	fence->initialized = true;
}

/**
 * nnaccel_fence_put() - drop the allocating reference
 * @fence: fence, initialized or not, or NULL
 */
void nnaccel_fence_put(struct nnaccel_fence *fence)
{
	if (!fence)
		return;
	if (fence->initialized) {
		dma_fence_put(&fence->base);
		return;
	}
	kfree(fence);
	module_put(THIS_MODULE);
}

/* Whether the fence belongs to a job of @queue. */
bool nnaccel_fence_is_queue(struct dma_fence *fence, struct nnaccel_queue *queue)
{
	return fence->ops == &nnaccel_fence_ops &&
	       container_of(fence, struct nnaccel_fence, base)->queue_context ==
	       queue->fence_context;
}

/**
 * nnaccel_fence_is_bounded() - whether a job that waits for a fence may take part in implicit sync
 * @fence: any fence, also a container
 *
 * Fences of other drivers signal in bounded time, as dma_fences must. Ours carry a flag.
 *
 * Return: false if the fence is, or contains, one of ours without such a bound.
 */
bool nnaccel_fence_is_bounded(struct dma_fence *fence)
{
	struct dma_fence_unwrap cursor;
	struct dma_fence *each;
	bool bounded = true;

	dma_fence_unwrap_for_each(each, &cursor, fence)
		if (each->ops == &nnaccel_fence_ops && !dma_fence_is_signaled(each) &&
		    !container_of(each, struct nnaccel_fence, base)->bounded)
			bounded = false;
	return bounded;
}
