/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of jobs: deadline, time on the engine, progress, and the end of every fence. */
#ifndef _NNACCEL_WATCH_H_
#define _NNACCEL_WATCH_H_

#include <linux/types.h>

#include "nnaccel_device.h"
#include "nnaccel_queue.h"

struct nnaccel_sched_job;
struct nnaccel_vm;

/**
 * nnaccel_watch_kick() - check a queue's jobs now; any context
 * @queue: queue, locked or not; the caller holds a reference
 */
static inline void nnaccel_watch_kick(struct nnaccel_queue *queue)
{
	queue_work(queue->ndev->watch_wq, &queue->watch_work);
}

void nnaccel_watch_init(struct nnaccel_queue *queue);
void nnaccel_watch_fini(struct nnaccel_queue *queue);
void nnaccel_watch_queued_locked(struct nnaccel_sched_job *job);
void nnaccel_watch_head_locked(struct nnaccel_queue *queue);
bool nnaccel_watch_has_begun_locked(struct nnaccel_sched_job *job);
void nnaccel_watch_account_locked(struct nnaccel_sched_job *job, u64 run_ns);
unsigned int nnaccel_watch_busy_percent(struct nnaccel_device *ndev);
bool nnaccel_watch_blame_unmap(struct nnaccel_vm *vm, u64 va, u64 since_ns);

#endif
