/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_COMPLETE_H_
#define _NNACCEL_COMPLETE_H_

#include <linux/types.h>

struct nnaccel_completion;
struct nnaccel_queue;
struct nnaccel_sched_job;

u32 nnaccel_job_abort_acked(struct nnaccel_queue *queue, u64 seqno);
void nnaccel_job_complete(struct nnaccel_sched_job *job,
			  const struct nnaccel_completion *completion);
u32 nnaccel_job_complete_locked(struct nnaccel_sched_job *job,
				const struct nnaccel_completion *completion);
struct nnaccel_sched_job *nnaccel_job_completed_locked(struct nnaccel_queue *queue,
						       const struct nnaccel_completion *completion);

#endif
