/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs: from drm_sched to the ring, and from the completion to the fence. */
#ifndef _NNACCEL_JOB_H_
#define _NNACCEL_JOB_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include <nnaccel/nnaccel_ring.h>
#include <nnaccel/nnaccel_status.h>

#include "nnaccel_account.h"

struct dma_fence;
struct nnaccel_completion;
struct nnaccel_device;
struct nnaccel_fence;
struct nnaccel_mapping;
struct nnaccel_queue;

/**
 * enum nnaccel_job_state - what the card knows of a job
 *
 * Whether the job's fence has ended is another matter (struct nnaccel_sched_job.ended): a fence is
 * signalled when it is due, the memory is kept for as long as the card may write it.
 *
 * Legal transitions, all others are warned of (nnaccel_job_set_state()):
 *
 *   WAITING -> READY     its in-fences have signalled and the ring has room for it
 *   WAITING -> DONE      its fence ended before that; drm_sched drops it when it comes to it
 *   READY   -> ON_CARD   put into the ring: its queue is ATTACHED
 *   READY   -> DONE      its fence ended
 *   ON_CARD -> READY     the card died before the job had begun: it is for the next card's ring
 *   ON_CARD -> DONE      its fence ended and the card has let go of it: by a completion, or dead
 */
enum nnaccel_job_state {
	/** @NNACCEL_JOB_WAITING: inside drm_sched, for fences or for room */
	NNACCEL_JOB_WAITING,
	/** @NNACCEL_JOB_READY: goes to the card as soon as its queue may be given jobs */
	NNACCEL_JOB_READY,
	/** @NNACCEL_JOB_ON_CARD: the card may know it: slots and buffers are the card's, too */
	NNACCEL_JOB_ON_CARD,
	/** @NNACCEL_JOB_DONE: fence ended, unknown to the card, out of nnaccel_queue.jobs */
	NNACCEL_JOB_DONE,
	/* private: */
	NNACCEL_JOB_NUM_STATES,
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
 * A reference each is held by drm_sched, until its free_job, by nnaccel_queue.jobs and by the
 * SUBMIT that makes it. Fields from @link on are protected by nnaccel_queue.lock; those before do
 * not change after submission.
 */
struct nnaccel_sched_job {
	/** @base: base */
	struct drm_sched_job base;
	/** @ref: reference count */
	struct kref ref;
	/** @queue: with a reference */
	struct nnaccel_queue *queue;
	/** @fence: what waiters wait for, with a reference */
	struct nnaccel_fence *fence;
	/**
	 * @retired: signals when the card has let go of the job; with a reference, for drm_sched
	 */
	struct nnaccel_fence *retired;
	/** @seqno: number in the queue */
	u64 seqno;
	/** @queued_ns: CLOCK_MONOTONIC of SUBMIT */
	u64 queued_ns;
	/** @deadline_ns: CLOCK_MONOTONIC, 0: none */
	u64 deadline_ns;
	/** @expire_ns: CLOCK_MONOTONIC by which its fence signals in any case */
	u64 expire_ns;
	/** @max_ns: time on the engine, 0: no limit */
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
	/** @charge: what its queue's client pays until it is freed */
	struct nnaccel_charge charge;
	/** @free_work: frees it where the last reference is dropped in atomic context */
	struct work_struct free_work;

	/** @link: in nnaccel_queue.jobs, but when DONE */
	struct list_head link;
	/** @state: enum nnaccel_job_state */
	u32 state;
	/** @ended: @fence has signalled */
	bool ended;
	/** @ending: @verdict holds for good; @fence signals as soon as those before it have */
	bool ending;
	/** @direct: holds slots of nnaccel_queue.direct_slots rather than of drm_sched */
	bool direct;
	/**
	 * @verdict: status to end with if the card does not end it first; NNACCEL_STATUS_OK: none
	 */
	u32 verdict;
	/** @verdict_error: errno that goes with it */
	int verdict_error;
	/** @end_ns: CLOCK_MONOTONIC by which its fence signals, once there is a verdict */
	u64 end_ns;
	/** @fault_addr: with the verdict FAULT */
	u64 fault_addr;

	/* What is known of it on the card; starts anew when it is put back. */

	/** @generation: firmware that it was given to */
	u32 generation;
	/** @submit_ns: CLOCK_MONOTONIC when it was given to the card */
	u64 submit_ns;
	/** @begun: the card was seen to have begun it */
	bool begun;
	/** @on_engine: it held an engine at the last look */
	bool on_engine;
	/** @begun_ns: when it was first seen to have begun */
	u64 begun_ns;
	/** @look_ns: when it was last looked at */
	u64 look_ns;
	/** @run_ns: its time on the engine, as far as it is believed */
	u64 run_ns;
	/** @progress: last progress seen */
	u64 progress;
	/** @stall_ns: time on the engine since that was new */
	u64 stall_ns;
	/** @abort_ns: when the abort was sent; 0: not sent */
	u64 abort_ns;
	/** @abort_acked: the card has taken the abort */
	bool abort_acked;
	/** @defy_ns: time on the engine since the abort was sent */
	u64 defy_ns;
};

static inline struct nnaccel_sched_job *to_nnaccel_job(struct drm_sched_job *job)
{
	return container_of(job, struct nnaccel_sched_job, base);
}

extern const struct drm_sched_backend_ops nnaccel_sched_ops;

struct nnaccel_sched_job *nnaccel_job_alloc(struct nnaccel_queue *queue);
int nnaccel_job_charge(struct nnaccel_sched_job *job, u64 bytes);
void nnaccel_job_put(struct nnaccel_sched_job *job);
void nnaccel_job_put_atomic(struct nnaccel_sched_job *job);

void nnaccel_job_set_state(struct nnaccel_sched_job *job, u32 state);
void nnaccel_job_given_locked(struct nnaccel_sched_job *job);
void nnaccel_job_set_verdict_locked(struct nnaccel_sched_job *job, u32 status, u64 grace_ns);
void nnaccel_job_end_locked(struct nnaccel_sched_job *job, u32 status);
void nnaccel_job_cancel_locked(struct nnaccel_sched_job *job, u32 status);
void nnaccel_job_retire_locked(struct nnaccel_sched_job *job);
void nnaccel_job_put_back_locked(struct nnaccel_sched_job *job);
void nnaccel_job_abort_acked(struct nnaccel_queue *queue, u64 seqno);
int nnaccel_job_complete(struct nnaccel_sched_job *job,
			 const struct nnaccel_completion *completion);
struct nnaccel_sched_job *nnaccel_job_completed_locked(struct nnaccel_queue *queue,
						       const struct nnaccel_completion *completion);
bool nnaccel_job_run_direct(struct nnaccel_sched_job *job);

#endif
