/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of jobs: deadline, running time, progress. */
#ifndef _NNACCEL_WATCH_H_
#define _NNACCEL_WATCH_H_

#include <linux/types.h>

struct nnaccel_queue;
struct work_struct;

void nnaccel_watch_work(struct work_struct *work);
void nnaccel_watch_kick(struct nnaccel_queue *queue);
void nnaccel_watch_deadline_locked(struct nnaccel_queue *queue, u64 deadline_ns);
void nnaccel_watch_head_locked(struct nnaccel_queue *queue);

#endif
