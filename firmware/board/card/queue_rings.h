/* SPDX-License-Identifier: Apache-2.0 */
/* Queue rings. */
#ifndef NNBOARD_QUEUE_RINGS_H
#define NNBOARD_QUEUE_RINGS_H

#include "card/card.h"

void queues_init(struct card *card);
/** -EEXIST, -EINVAL, -ENOMEM. */
int queues_create(struct card *card, uint32_t queue, uint32_t context, uint64_t bus, uint64_t slots,
		  uint64_t priority);
/** All jobs, in the core or in the ring, get their completion first. -ENOENT. */
int queues_destroy(struct card *card, uint32_t queue);
/** Destroy the queues of a context. */
void queues_destroy_context(struct card *card, uint32_t context);
/** Take all jobs from the ring, then abort the job in the core. */
int queues_abort(struct card *card, uint32_t queue, uint64_t seqno);
/** Close all queues, without telling the core. */
void queues_close_all(struct card *card);
/** Handle a completion of the core. */
void queues_complete(struct card *card, const struct nnaccel_completion *c);
/** Before the threads of queues_run() start. 0 or -errno. */
int queues_watch(struct card *card);
/** Body of the CARD_RING_THREADS submit threads. */
void *queues_run(void *card) __attribute__((noreturn));

#endif
