// SPDX-License-Identifier: GPL-2.0-only

#include <linux/delay.h>
#include <linux/export.h>
#include <linux/ktime.h>

#include "nnaccel_bo.h"
#include "nnaccel_cq.h"
#include "nnaccel_device.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"
#include "nnaccel_queue_jobs.h"

/*
 * Fences, or answers to commands, that one section with interrupts disabled handles, about: a
 * completion ends up to %NNACCEL_SETTLE_MAX + 1 fences. The hard handler leaves more to the thread.
 */
#define NNACCEL_CQ_BUDGET	64

/**
 * nnaccel_cq_init() - set up; completions are ignored until nnaccel_cq_start()
 * @ndev: device
 *
 * Return: 0 or -ENOMEM.
 */
int nnaccel_cq_init(struct nnaccel_device *ndev)
{
	spin_lock_init(&ndev->cq.lock);
	return nnaccel_ring_alloc(ndev, &ndev->cq.ring, NNACCEL_CQ_SLOTS);
}

/**
 * nnaccel_cq_start() - handle completions, from an empty ring that the card does not use yet
 * @ndev: device
 */
void nnaccel_cq_start(struct nnaccel_device *ndev)
{
	spin_lock_irq(&ndev->cq.lock);
	nnaccel_ring_reset(&ndev->cq.ring);
	ndev->cq.live = true;
	spin_unlock_irq(&ndev->cq.lock);
}

static bool nnaccel_cq_is_threaded(struct nnaccel_device *ndev)
{
	bool threaded;

	spin_lock_irq(&ndev->cq.lock);
	threaded = ndev->cq.threaded;
	spin_unlock_irq(&ndev->cq.lock);
	return threaded;
}

/**
 * nnaccel_cq_stop() - handle no more completions; no handler is running on return
 * @ndev: device
 */
void nnaccel_cq_stop(struct nnaccel_device *ndev)
{
	spin_lock_irq(&ndev->cq.lock);
	ndev->cq.live = false;
	spin_unlock_irq(&ndev->cq.lock);
	ndev->hw->irq_sync(ndev);
	/* Besides the interrupt thread, nnaccel_cq_drain() may be copying data back. */
	while (nnaccel_cq_is_threaded(ndev))
		usleep_range(100, 1000);
}

/**
 * nnaccel_cq_add_queue() - give a queue an id on the device
 * @ndev: device
 * @queue: queue
 *
 * Return: 0 or -ENOSPC.
 */
int nnaccel_cq_add_queue(struct nnaccel_device *ndev, struct nnaccel_queue *queue)
{
	int ret = -ENOSPC;
	u32 i;

	spin_lock_irq(&ndev->cq.lock);
	for (i = 0; i < NNACCEL_MAX_QUEUES; i++) {
		if (ndev->cq.table[i])
			continue;
		ndev->cq.table[i] = queue;
		queue->hw_id = i;
		ret = 0;
		break;
	}
	spin_unlock_irq(&ndev->cq.lock);
	return ret;
}

void nnaccel_cq_remove_queue(struct nnaccel_device *ndev, struct nnaccel_queue *queue)
{
	spin_lock_irq(&ndev->cq.lock);
	if (ndev->cq.table[queue->hw_id] == queue)
		ndev->cq.table[queue->hw_id] = NULL;
	spin_unlock_irq(&ndev->cq.lock);
}

/**
 * nnaccel_cq_get_queue() - the queue that has an id on the device
 * @ndev: device
 * @id: id, less than %NNACCEL_MAX_QUEUES
 *
 * Return: the queue with a new reference, or NULL.
 */
struct nnaccel_queue *nnaccel_cq_get_queue(struct nnaccel_device *ndev, u32 id)
{
	struct nnaccel_queue *queue;

	spin_lock_irq(&ndev->cq.lock);
	queue = ndev->cq.table[id];
	if (queue)
		nnaccel_queue_get(queue);
	spin_unlock_irq(&ndev->cq.lock);
	return queue;
}

/* Handle the answer to a command. Return: the number of fences that have signalled; -EPROTO. */
static int nnaccel_cq_admin(struct nnaccel_device *ndev,
			    const struct nnaccel_completion *completion)
{
	struct nnaccel_admin_entry entry;
	int ret;

	if (le32_to_cpu(completion->status) >= NNACCEL_STATUS_FIRMWARE_COUNT)
		return -EPROTO;
	ret = nnaccel_admin_ack(ndev, completion, &entry);
	if (ret)
		return ret;

	if (entry.op == NNACCEL_ADMIN_ABORT && entry.queue < NNACCEL_MAX_QUEUES &&
	    ndev->cq.table[entry.queue])
		return nnaccel_job_abort_acked(ndev->cq.table[entry.queue], entry.seqno);
	return 0;
}

/* Sync what the card wrote to the CPU; cq.lock is dropped meanwhile. */
static void nnaccel_cq_sync(struct nnaccel_device *ndev, struct nnaccel_sched_job *job)
	__releases(&ndev->cq.lock) __acquires(&ndev->cq.lock)
{
	u32 i;

	ndev->cq.threaded = true;
	spin_unlock_irq(&ndev->cq.lock);
	for (i = 0; i < job->num_bos; i++)
		if (job->bos[i].write)
			nnaccel_bo_sync_for_cpu(job->bos[i].mapping->bo);
	spin_lock_irq(&ndev->cq.lock);
	ndev->cq.threaded = false;
}

/*
 * Handle the completion of a job; cq.lock is held. Return: the number of fences that have
 * signalled; -EPROTO: invalid; -EAGAIN: not handled yet: without @hard, try again.
 */
static int nnaccel_cq_job(struct nnaccel_device *ndev, const struct nnaccel_completion *completion,
			  bool hard)
{
	u32 id = le32_to_cpu(completion->queue);
	struct nnaccel_sched_job *job;
	struct nnaccel_queue *queue;
	bool sync = false;
	int ret = 0;

	queue = id < NNACCEL_MAX_QUEUES ? ndev->cq.table[id] : NULL;
	if (!queue)
		return -EPROTO;

	spin_lock(&queue->lock);
	job = nnaccel_job_completed_locked(queue, completion);
	if (!job) {
		ret = -EPROTO;
	} else if (!nnaccel_queue_settle_before_locked(job) || (job->sync_bos && hard)) {
		ret = -EAGAIN;
	} else if (job->sync_bos) {
		sync = true;
		kref_get(&job->ref);
	} else {
		ret = nnaccel_job_complete_locked(job, completion);
	}
	spin_unlock(&queue->lock);

	if (sync) {
		nnaccel_cq_sync(ndev, job);
		nnaccel_job_complete(job, completion);
		nnaccel_job_put_atomic(job);
	}
	if (ret >= 0)
		WRITE_ONCE(ndev->activity_ns, ktime_get_ns());
	return ret;
}

/*
 * Return: true if work is left for the thread. Without @hard: process context, interrupts enabled.
 */
static bool nnaccel_cq_drain_ring(struct nnaccel_device *ndev, bool hard)
{
	struct nnaccel_completion completion;
	bool moved = false, more = false;
	int budget = NNACCEL_CQ_BUDGET;
	unsigned long flags;
	int ret = 0, filled;

	spin_lock_irqsave(&ndev->cq.lock, flags);
	if (ndev->cq.threaded) {
		/* The thread checks the ring again after its job. */
		spin_unlock_irqrestore(&ndev->cq.lock, flags);
		return hard;
	}

	while (ndev->cq.live) {
		filled = nnaccel_ring_filled(&ndev->cq.ring);
		if (filled <= 0) {
			ret = filled;
			break;
		}
		if (budget <= 0) {
			more = true;
			break;
		}

		nnaccel_ring_peek(&ndev->cq.ring, &completion);
		switch (le32_to_cpu(completion.kind)) {
		case NNACCEL_COMPLETION_JOB:
			ret = nnaccel_cq_job(ndev, &completion, hard);
			break;
		case NNACCEL_COMPLETION_ADMIN:
			ret = le32_to_cpu(completion.generation) == ndev->generation ?
			      nnaccel_cq_admin(ndev, &completion) : -EPROTO;
			break;
		default:
			ret = -EPROTO;
		}
		if (ret == -EAGAIN) {
			more = true;
			ret = 0;
			break;
		}
		/* Stopped while the lock was dropped: the ring may not be touched. */
		if (ret < 0 || !ndev->cq.live)
			break;
		budget -= max(ret, 1);
		nnaccel_ring_pop(&ndev->cq.ring);
		moved = true;
	}

	if (ret < 0) {
		/* Protocol error: ignore the ring until the card was reset. */
		ndev->cq.live = false;
		nnaccel_protocol_error(ndev, "invalid completion");
	} else if (moved) {
		/*
		 * Store our head, then load cq_stalled; the firmware does it in the opposite order.
		 */
		mb();
		if (nnaccel_state_reachable(ndev) && nnaccel_read32(ndev, cq_stalled))
			nnaccel_doorbell(ndev, NNACCEL_DOORBELL_CQ);
	}
	spin_unlock_irqrestore(&ndev->cq.lock, flags);
	return more;
}

/**
 * nnaccel_cq_drain() - handle all completions in the ring; process context
 * @ndev: device
 */
void nnaccel_cq_drain(struct nnaccel_device *ndev)
{
	bool cookie = dma_fence_begin_signalling();

	while (nnaccel_cq_drain_ring(ndev, false))
		cond_resched();
	dma_fence_end_signalling(cookie);
}
EXPORT_SYMBOL_GPL(nnaccel_cq_drain);

/**
 * nnaccel_cq_irq() - hard handler of the completion interrupt
 * @ndev: device
 *
 * Jobs end in the hard handler, which saves every waiter a thread switch. Long batches, and jobs
 * whose data has to be copied, are left to the thread.
 *
 * Return: IRQ_HANDLED or IRQ_WAKE_THREAD.
 */
irqreturn_t nnaccel_cq_irq(struct nnaccel_device *ndev)
{
	atomic64_inc(&ndev->counters.interrupts);
	return nnaccel_cq_drain_ring(ndev, true) ? IRQ_WAKE_THREAD : IRQ_HANDLED;
}

/**
 * nnaccel_cq_thread() - thread of the completion interrupt
 * @ndev: device
 *
 * Return: IRQ_HANDLED.
 */
irqreturn_t nnaccel_cq_thread(struct nnaccel_device *ndev)
{
	nnaccel_cq_drain(ndev);
	return IRQ_HANDLED;
}
