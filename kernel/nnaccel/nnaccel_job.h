/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs: from drm_sched to the ring, and from the completion to the fence. */
#ifndef _NNACCEL_JOB_H_
#define _NNACCEL_JOB_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>

#include <drm/gpu_scheduler.h>

#include <nnaccel/nnaccel_ring.h>
#include <nnaccel/nnaccel_status.h>

#include "nnaccel_account.h"

struct dma_fence;
struct nnaccel_device;
struct nnaccel_fence;
struct nnaccel_mapping;
struct nnaccel_queue;

/**
 * enum nnaccel_job_state - what the card knows of a job
 *
 * Independent of whether the job's fence has signalled (struct nnaccel_sched_job.ended): a fence is
 * signalled when it is due, the memory is kept as long as the card may write it.
 *
 * Legal transitions; nnaccel_job_set_state() warns of all others:
 *
 *   WAITING -> READY     its in-fences have signalled and the ring has room for it
 *   WAITING -> DONE      its fence ended before that; drm_sched drops the job later
 *   READY   -> ON_CARD   put into the ring: its queue is ATTACHED
 *   READY   -> DONE      its fence ended
 *   ON_CARD -> READY     the card died before the job had begun: the next firmware gets it
 *   ON_CARD -> DONE      its fence ended, and the card has completed it or is dead
 */
enum nnaccel_job_state {
	/** @NNACCEL_JOB_WAITING: inside drm_sched, waits for fences or for room */
	NNACCEL_JOB_WAITING,
	/** @NNACCEL_JOB_READY: goes to the card as soon as its queue is ATTACHED */
	NNACCEL_JOB_READY,
	/** @NNACCEL_JOB_ON_CARD: the card may know it, and access its slots and buffers */
	NNACCEL_JOB_ON_CARD,
	/** @NNACCEL_JOB_DONE: fence ended, unknown to the card, not in nnaccel_queue.jobs */
	NNACCEL_JOB_DONE,
	/* private: */
	NNACCEL_JOB_NUM_STATES,
};

/**
 * struct nnaccel_job_bo - a BO that a job uses
 */
struct nnaccel_job_bo {
	/** @mapping: mapping of the BO, with a reference */
	struct nnaccel_mapping *mapping;
	/** @write: the job writes it */
	bool write;
};

/**
 * struct nnaccel_sched_job - a job
 *
 * drm_sched (until its free_job), nnaccel_queue.jobs and the SUBMIT that makes the job hold a
 * reference each. nnaccel_queue.lock protects the fields from @link on; those before do not change
 * after submission.
 */
struct nnaccel_sched_job {
	/** @base: base */
	struct drm_sched_job base;
	/** @ref: reference count */
	struct kref ref;
	/** @queue: with a reference */
	struct nnaccel_queue *queue;
	/** @fence: published fence, with a reference */
	struct nnaccel_fence *fence;
	/**
	 * @retired: signals to drm_sched that the card has released the job; with a reference
	 */
	struct nnaccel_fence *retired;
	/** @seqno: sequence number in the queue */
	u64 seqno;
	/** @queued_ns: CLOCK_MONOTONIC time of SUBMIT */
	u64 queued_ns;
	/** @deadline_ns: CLOCK_MONOTONIC, 0: none */
	u64 deadline_ns;
	/** @expire_ns: CLOCK_MONOTONIC time at which its fence signals at the latest */
	u64 expire_ns;
	/** @max_ns: limit of its time on the engine, 0: none */
	u64 max_ns;
	/** @resv: takes part in implicit sync */
	bool resv;
	/** @wire: the job as it goes into the ring */
	struct nnaccel_job wire;
	/** @args: arguments that follow it */
	struct nnaccel_arg *args;
	/** @num_args: entries of @args */
	u32 num_args;
	/** @num_bos: entries of @bos */
	u32 num_bos;
	/** @bos: BOs that it uses */
	struct nnaccel_job_bo *bos;
	/** @sync_bos: dma_sync copies for some BO */
	bool sync_bos;
	/** @deps: fences to wait for, with references: @num_in explicit ones, then implicit ones */
	struct dma_fence **deps;
	/** @num_deps: entries of @deps */
	u32 num_deps;
	/** @num_in: number of explicit ones, whose errors the job inherits */
	u32 num_in;
	/** @next_dep: first one that drm_sched does not know yet; used by prepare_job only */
	u32 next_dep;
	/** @scheduled: drm_sched_job_init() succeeded */
	bool scheduled;
	/** @charge: what its queue's client is charged until the job is freed */
	struct nnaccel_charge charge;
	/** @free_link: in nnaccel_queue.free_jobs, if the last reference was dropped there */
	struct llist_node free_link;

	/** @link: in nnaccel_queue.jobs, unless DONE */
	struct list_head link;
	/** @state: enum nnaccel_job_state */
	u32 state;
	/** @ended: @fence has signalled */
	bool ended;
	/** @ending: @verdict is final; @fence signals after the fences before it */
	bool ending;
	/** @direct: counts in nnaccel_queue.direct_slots instead of drm_sched's credits */
	bool direct;
	/**
	 * @verdict: status to end with unless the card ends it first; NNACCEL_STATUS_OK: none
	 */
	u32 verdict;
	/** @verdict_error: errno that goes with @verdict */
	int verdict_error;
	/** @end_ns: with a verdict: CLOCK_MONOTONIC time at which its fence signals */
	u64 end_ns;
	/** @fault_addr: with the verdict FAULT: address of the fault */
	u64 fault_addr;

	/* What the card reported of it; reset when the job is put back. */

	/** @generation: generation of the firmware that it was given to */
	u32 generation;
	/** @submit_ns: CLOCK_MONOTONIC time when it was given to the card */
	u64 submit_ns;
	/** @begun: the card has reported that it began */
	bool begun;
	/** @on_engine: it held an engine at the last check */
	bool on_engine;
	/** @begun_ns: time when @begun was set */
	u64 begun_ns;
	/** @look_ns: time of the last check */
	u64 look_ns;
	/** @run_ns: its time on the engine, limited to what is possible */
	u64 run_ns;
	/** @progress: progress counter at the last check */
	u64 progress;
	/** @stall_ns: time on the engine since @progress last changed */
	u64 stall_ns;
	/** @abort_ns: time when the abort was sent; 0: not sent */
	u64 abort_ns;
	/** @abort_acked: the card has acknowledged the abort */
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
void nnaccel_jobs_free_work(struct work_struct *work);

bool nnaccel_job_run_direct(struct nnaccel_sched_job *job, bool ring);

#endif
