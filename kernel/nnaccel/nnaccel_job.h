/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs: from drm_sched to the ring, and from the completion to the fence. */
#ifndef _NNACCEL_JOB_H_
#define _NNACCEL_JOB_H_

#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include <nnaccel/nnaccel_ring.h>
#include <nnaccel/nnaccel_status.h>

struct nnaccel_admin_entry;
struct nnaccel_device;
struct nnaccel_mapping;
struct nnaccel_queue;

/**
 * struct nnaccel_fence - what waiters of a job wait for
 *
 * This, and not drm_sched's finished fence, is what gets published: the driver signals it at the
 * moment and with the error that it decides on, also for a job that is still inside drm_sched. A
 * job with a deadline may end before its predecessors, so it has a fence context of its own.
 */
struct nnaccel_fence {
	struct dma_fence base;
	/** @lock: of @base */
	spinlock_t lock;
	/** @queue_context: nnaccel_queue.fence_context of its queue, whatever @base.context is */
	u64 queue_context;
};

/**
 * enum nnaccel_job_state - where a job is
 */
enum nnaccel_job_state {
	/** @NNACCEL_JOB_QUEUED: in drm_sched */
	NNACCEL_JOB_QUEUED,
	/** @NNACCEL_JOB_RUNNING: on the card */
	NNACCEL_JOB_RUNNING,
	/** @NNACCEL_JOB_SKIPPED: not to be run; ends, with its verdict, when it is the oldest */
	NNACCEL_JOB_SKIPPED,
	/** @NNACCEL_JOB_DRAINING: fence signalled; the card will complete it without running it */
	NNACCEL_JOB_DRAINING,
	/** @NNACCEL_JOB_ENDED: fence signalled, out of nnaccel_queue.jobs */
	NNACCEL_JOB_ENDED,
};

/**
 * struct nnaccel_job_bo - a BO that a job touches
 */
struct nnaccel_job_bo {
	/** @mapping: with a reference */
	struct nnaccel_mapping *mapping;
	/** @write: the job writes it */
	bool write;
};

/**
 * struct nnaccel_sched_job - a job
 *
 * A reference each is held by drm_sched, until its free_job, and by nnaccel_queue.jobs. Fields
 * after
 * @link are protected by nnaccel_queue.lock; those before do not change after submission.
 */
struct nnaccel_sched_job {
	struct drm_sched_job base;
	struct kref ref;
	/** @queue: with a reference */
	struct nnaccel_queue *queue;
	/** @fence: with a reference */
	struct nnaccel_fence *fence;
	/** @seqno: number in the queue */
	u64 seqno;
	/** @deadline_ns: CLOCK_MONOTONIC, 0: none */
	u64 deadline_ns;
	/** @max_ns: running time, 0: no limit */
	u64 max_ns;
	/** @resv: takes part in implicit sync */
	bool resv;
	/** @wire: as it goes into the ring */
	struct nnaccel_job wire;
	/** @args: arguments that follow it */
	struct nnaccel_arg *args;
	/** @num_args: their number */
	u32 num_args;
	/** @num_bos: entries of @bos */
	u32 num_bos;
	/** @bos: BOs it touches */
	struct nnaccel_job_bo *bos;
	/** @sync_bos: some BO needs copies by dma_sync */
	bool sync_bos;
	/** @deps: fences to wait for, with references: @num_in explicit ones, then implicit ones */
	struct dma_fence **deps;
	/** @num_deps: entries of @deps */
	u32 num_deps;
	/** @num_in: explicit ones: their errors are inherited */
	u32 num_in;
	/** @next_dep: first that drm_sched has not been told; only touched by prepare_job */
	u32 next_dep;
	/** @scheduled: drm_sched_job_init() succeeded */
	bool scheduled;
	/** @free_work: frees it where the last reference is dropped in atomic context */
	struct work_struct free_work;

	/** @link: in nnaccel_queue.jobs */
	struct list_head link;
	/** @state: enum nnaccel_job_state */
	u32 state;
	/** @direct: went to the card without drm_sched */
	bool direct;
	/**
	 * @verdict: status to end with if the card does not end it first; NNACCEL_STATUS_OK: none
	 */
	u32 verdict;
	/** @verdict_error: errno that goes with it */
	int verdict_error;
	/** @generation: firmware that it was given to */
	u32 generation;
	/** @submit_ns: CLOCK_MONOTONIC when it was given to the card */
	u64 submit_ns;
	/** @head_ns: when it was first seen as the oldest on the card; 0: not yet */
	u64 head_ns;
	/** @start_ns: when the card was first seen running it; 0: not yet */
	u64 start_ns;
	/** @progress: last progress seen */
	u64 progress;
	/** @progress_ns: when that was new */
	u64 progress_ns;
	/** @abort_ns: when the abort was sent or became due an answer; 0: none was sent */
	u64 abort_ns;
	/** @abort_acked: the card has taken the abort */
	bool abort_acked;
};

static inline struct nnaccel_sched_job *to_nnaccel_job(struct drm_sched_job *job)
{
	return container_of(job, struct nnaccel_sched_job, base);
}

extern const struct drm_sched_backend_ops nnaccel_sched_ops;

struct nnaccel_fence *nnaccel_fence_alloc(struct nnaccel_queue *queue);
void nnaccel_fence_init(struct nnaccel_fence *fence, u64 context, u64 seqno);
bool nnaccel_fence_is_queue(struct dma_fence *fence, struct nnaccel_queue *queue);

struct nnaccel_sched_job *nnaccel_job_alloc(struct nnaccel_queue *queue);
void nnaccel_job_put(struct nnaccel_sched_job *job);
void nnaccel_job_put_atomic(struct nnaccel_sched_job *job);

void nnaccel_job_end_locked(struct nnaccel_sched_job *job, u32 status, int error);
void nnaccel_queue_settle_locked(struct nnaccel_queue *queue);
void nnaccel_queue_end_jobs(struct nnaccel_queue *queue, u32 status);
void nnaccel_queue_ban_locked(struct nnaccel_queue *queue, u32 health);
void nnaccel_queue_lost(struct nnaccel_queue *queue, bool lost, bool guilty);
int nnaccel_job_complete(struct nnaccel_sched_job *job,
			 const struct nnaccel_completion *completion);
struct nnaccel_sched_job *nnaccel_job_completed_locked(struct nnaccel_queue *queue,
						       const struct nnaccel_completion *completion);
bool nnaccel_job_run_direct(struct nnaccel_sched_job *job);
void nnaccel_job_abort_acked(struct nnaccel_queue *queue, u64 seqno);

#endif
