/* SPDX-License-Identifier: Apache-2.0 */
/* Engines, and the threads that use them. */
#ifndef NNFW_ENGINE_H
#define NNFW_ENGINE_H

#include "core.h"

/** Put a queue with work into the lists; a worker runs it when there is an engine. Under the lock.
 */
void nnfw_engine_ready(struct nnfw *fw, struct queue *q);
/** nnfw_sched_raise(), and a worker runs the loader when it is its turn. Under the lock. */
void nnfw_engine_raise(struct nnfw *fw, struct queue *loader, uint32_t priority);
/** The first job of @q was cancelled: it need not wait for its turn. Under the lock. */
void nnfw_engine_end(struct nnfw *fw, struct queue *q);
/**
 * One turn of @q on this thread, if it is the next queue and there is an engine; false: it is not.
 * The caller looks for more work, or nnfw_engine_dispatch() does. Under the lock, which is dropped
 * meanwhile: @q may be gone afterwards.
 */
bool nnfw_engine_turn(struct nnfw *fw, struct queue *q);
/** Give free engines to the next queues. Under the lock. */
void nnfw_engine_dispatch(struct nnfw *fw);
/** A thread that is not a worker has run jobs, and leaves the rest to the workers. Under the lock.
 */
void nnfw_engine_leave(struct nnfw *fw);
/** Continue a suspended queue, which is in no list. Under the lock. */
void nnfw_engine_resume(struct queue *q, bool engine);
/**
 * Let other queues run first. The caller holds @q and runs its job; its stack is kept. Without the
 * lock.
 */
void nnfw_engine_suspend(struct nnfw *fw, struct queue *q);
/** Count progress of the running job. Returns whether the job was cancelled. */
bool nnfw_progress_note(struct queue_progress *progress);
/**
 * nnfw_progress.tick of a queue_progress: count progress, yield to other queues, and return
 * -ECANCELED if the job was cancelled.
 */
int nnfw_engine_tick(struct nnfw_progress *op);
/** Begin or end a turn of the first job of @q at @now. */
void nnfw_turn_begin(struct nnfw *fw, struct queue *q, uint64_t now);
void nnfw_turn_end(struct nnfw *fw, struct queue *q, uint64_t now);
/**
 * Start the workers. @serve runs one turn of a queue; it is called and returns with the lock held,
 * which it drops meanwhile. 0 or -errno.
 */
int nnfw_engine_start(struct nnfw *fw, void (*serve)(struct nnfw *fw, struct queue *q));
void nnfw_engine_stop(struct nnfw *fw);

#endif
