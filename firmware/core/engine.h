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
/** The first job of @q has been told to end: it need not wait for its turn. Under the lock. */
void nnfw_engine_end(struct nnfw *fw, struct queue *q);
/** Give free engines to whose turn it is. Under the lock. */
void nnfw_engine_dispatch(struct nnfw *fw);
/** A suspended queue, which is in no list, goes on. Under the lock. */
void nnfw_engine_resume(struct queue *q, bool engine);
/**
 * Let others go first, on the caller's stack, which holds @q and runs something of it. Without the
 * lock.
 */
void nnfw_engine_suspend(struct nnfw *fw, struct queue *q);
/** The running job does something; nothing else comes of it. Whether it was told to end. */
bool nnfw_progress_note(struct queue_progress *progress);
/** nnfw_progress.tick of a queue_progress: note progress, let others go first, and say whether to
 * end. */
int nnfw_engine_tick(struct nnfw_progress *op);
/** A turn of the first job of @q begins or ends, at @now. */
void nnfw_turn_begin(struct nnfw *fw, struct queue *q, uint64_t now);
void nnfw_turn_end(struct nnfw *fw, struct queue *q, uint64_t now);
/**
 * Start the workers. @serve does what a turn of a queue is for; it is called and returns with the
 * lock held, which it drops meanwhile. 0 or -errno.
 */
int nnfw_engine_start(struct nnfw *fw, void (*serve)(struct nnfw *fw, struct queue *q));
void nnfw_engine_stop(struct nnfw *fw);

#endif
