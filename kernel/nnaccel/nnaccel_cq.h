/* SPDX-License-Identifier: GPL-2.0-only */
/* The completion ring. */
#ifndef NNACCEL_CQ_H
#define NNACCEL_CQ_H

#include <linux/irqreturn.h>
#include <linux/types.h>

struct nnaccel_completion;
struct nnaccel_device;
struct nnaccel_queue;
struct nnaccel_sched_job;

/* nnaccel_cq.c: the completion ring. */

int nnaccel_cq_init(struct nnaccel_device *ndev);
void nnaccel_cq_start(struct nnaccel_device *ndev);
void nnaccel_cq_stop(struct nnaccel_device *ndev);
void nnaccel_cq_drain(struct nnaccel_device *ndev);

irqreturn_t nnaccel_cq_irq(struct nnaccel_device *ndev);
irqreturn_t nnaccel_cq_thread(struct nnaccel_device *ndev);

int nnaccel_cq_add_queue(struct nnaccel_device *ndev, struct nnaccel_queue *queue);
void nnaccel_cq_remove_queue(struct nnaccel_device *ndev, struct nnaccel_queue *queue);
struct nnaccel_queue *nnaccel_cq_get_queue(struct nnaccel_device *ndev, u32 id);

/* nnaccel_complete.c */

u32 nnaccel_job_abort_acked(struct nnaccel_queue *queue, u64 seqno);
void nnaccel_job_complete(struct nnaccel_sched_job *job,
			  const struct nnaccel_completion *completion);
u32 nnaccel_job_complete_locked(struct nnaccel_sched_job *job,
				const struct nnaccel_completion *completion);
struct nnaccel_sched_job *nnaccel_job_completed_locked(struct nnaccel_queue *queue,
						       const struct nnaccel_completion *completion);

#endif
