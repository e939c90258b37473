/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of queues that are ready, in the order of their turns. */
#ifndef NNFW_SCHEDULER_H
#define NNFW_SCHEDULER_H

#include "core.h"

/** Put a queue with work into the scheduler's lists, unless it is there or held. Under the lock. */
bool nnfw_sched_list(struct nnfw *fw, struct queue *q);
/** The same for a queue whose thread waits for its next turn. */
void nnfw_sched_list_suspended(struct nnfw *fw, struct queue *q);
/** Take it out. Under the lock. */
void nnfw_sched_remove(struct nnfw *fw, struct queue *q);
/** The queue whose turn it is, or NULL. It stays where it is. Under the lock. */
struct queue *nnfw_sched_next(struct nnfw *fw);
/** It gets its turn: out of the lists, its context behind the others. Under the lock. */
void nnfw_sched_take(struct nnfw *fw, struct queue *q);
/**
 * A job waits for what a loader loads: that is worth @priority now. True: the loader has another
 * place in the lists. Under the lock.
 */
bool nnfw_sched_raise(struct nnfw *fw, struct queue *loader, uint32_t priority);
/** Whether what runs should let others go first. Without the lock. */
bool nnfw_sched_preempt(struct nnfw *fw, const struct queue_progress *progress);

#endif
