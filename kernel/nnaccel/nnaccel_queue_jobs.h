/* SPDX-License-Identifier: GPL-2.0-only */
/* The jobs of a queue: their states, verdicts, and the end of their fences, in order. */
#ifndef _NNACCEL_QUEUE_JOBS_H_
#define _NNACCEL_QUEUE_JOBS_H_

#include <linux/types.h>

struct nnaccel_completion;
struct nnaccel_queue;
struct nnaccel_sched_job;

/* Fences that signal in one section with interrupts disabled. */
#define NNACCEL_SETTLE_MAX	32

void nnaccel_job_set_state(struct nnaccel_sched_job *job, u32 state);
void nnaccel_job_given_locked(struct nnaccel_sched_job *job);
void nnaccel_job_set_verdict_locked(struct nnaccel_sched_job *job, u32 status, u64 grace_ns);
void nnaccel_job_signal_locked(struct nnaccel_sched_job *job, u32 status, int error,
			       const struct nnaccel_completion *completion);
void nnaccel_job_end_locked(struct nnaccel_sched_job *job, u32 status);
void nnaccel_job_cancel_locked(struct nnaccel_sched_job *job, u32 status);
void nnaccel_job_retire_locked(struct nnaccel_sched_job *job);
void nnaccel_job_put_back_locked(struct nnaccel_sched_job *job);

struct nnaccel_sched_job *nnaccel_queue_oldest_on_card_locked(struct nnaccel_queue *queue);
void nnaccel_queue_ring_locked(struct nnaccel_queue *queue);
void nnaccel_queue_set_hung_locked(struct nnaccel_queue *queue, bool hung);
bool nnaccel_queue_settle_before_locked(struct nnaccel_sched_job *job);
u32 nnaccel_queue_settle_locked(struct nnaccel_queue *queue);
u32 nnaccel_queue_ban_locked(struct nnaccel_queue *queue, u32 health);

#endif
