/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of jobs. */
#ifndef NNFW_QUEUE_H
#define NNFW_QUEUE_H

#include "core.h"

/** Initialise a queue in the caller's memory; it is in no table yet. nnfw_queue_fini() undoes it.
 */
void nnfw_queue_init(struct nnfw *fw, struct queue *q, struct context *ctx, uint32_t id,
		     uint32_t priority);
void nnfw_queue_fini(struct queue *q);
/** Accept no more jobs for @q and end those it has early. Under the lock. */
void nnfw_queue_stop(struct nnfw *fw, struct queue *q);
/** Wait for the thread of a stopped queue, drain and free the queue. Under the lock, which is
 * dropped meanwhile. */
void nnfw_queue_finish(struct nnfw *fw, struct queue *q);

#endif
