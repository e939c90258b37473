/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of jobs. */
#ifndef NNFW_QUEUE_H
#define NNFW_QUEUE_H

#include "core.h"

/** A new queue of @fw, in no table yet. Its memory is the caller's; nnfw_queue_fini() undoes it. */
void nnfw_queue_init(struct nnfw *fw, struct queue *q, struct context *ctx, uint32_t id,
		     uint32_t priority);
void nnfw_queue_fini(struct queue *q);
/** Under the lock: nothing new for @q, and what it has ends early. */
void nnfw_queue_stop(struct nnfw *fw, struct queue *q);
/** Under the lock: wait for the thread of a stopped queue, drain it, free it. The lock is dropped
 * meanwhile. */
void nnfw_queue_finish(struct nnfw *fw, struct queue *q);

#endif
