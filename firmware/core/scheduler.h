/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of ready queues, and their order. */
#ifndef NNFW_SCHEDULER_H
#define NNFW_SCHEDULER_H

#include "core.h"

/** Put a queue with work into the lists, unless it is in one or held. Under the lock. */
bool nnfw_sched_list(struct nnfw *fw, struct queue *q);
/** The same for a suspended queue. */
void nnfw_sched_list_suspended(struct nnfw *fw, struct queue *q);
/** Take a queue out of the lists. Under the lock. */
void nnfw_sched_remove(struct nnfw *fw, struct queue *q);
/** The next queue, or NULL; it stays in its list. Under the lock. */
struct queue *nnfw_sched_next(struct nnfw *fw);
/** Take the next queue out of the lists, and move its context to the end. Under the lock. */
void nnfw_sched_take(struct nnfw *fw, struct queue *q);
/**
 * Raise the level of a loader to the priority of a job that waits for it. True: the loader has
 * moved in the lists. Under the lock.
 */
bool nnfw_sched_raise(struct nnfw *fw, struct queue *loader, uint32_t priority);
/** Whether the running job should be preempted. Without the lock. */
bool nnfw_sched_preempt(struct nnfw *fw, const struct queue_progress *progress);

#endif
