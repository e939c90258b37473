/* SPDX-License-Identifier: Apache-2.0 */
/* The queues of a device. The lock is taken last. Private to libnnhal. */
#ifndef NNHAL_QUEUE_POOL_H
#define NNHAL_QUEUE_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "transport/transport.h"

/** Shared by executions of one priority. */
struct nnhal_queue {
	struct nnhal_queue *next;
	struct nnhal_tqueue *tq;
	uint32_t priority;
	uint32_t inflight;
	bool banned; /* takes no further job; freed when inflight is 0 */
};

struct nnhal_queues {
	struct nnhal_transport *t;
	pthread_mutex_t lock; /* protects the members below, and those of the queues */
	struct nnhal_queue *list;
	uint32_t count;
};

/** @t outlives the pool. */
void nnhal_queues_init(struct nnhal_queues *queues, struct nnhal_transport *t);
void nnhal_queues_fini(struct nnhal_queues *queues);
/**
 * Submit a job to a queue with room for it. Banned queues that are met are dropped. 0; -EAGAIN: all
 * queues are full; -errno.
 */
int nnhal_queue_submit(struct nnhal_queues *queues, uint32_t priority,
		       const struct nnhal_tsubmit *submit, struct nnhal_queue **queue,
		       struct nnhal_tjob **job);
/** The job ended. @ban: never use this queue again. */
void nnhal_queue_put(struct nnhal_queues *queues, struct nnhal_queue *queue, bool ban);

#endif
