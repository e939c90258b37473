/* SPDX-License-Identifier: Apache-2.0 */
/* Queue rings. */
#ifndef NNBOARD_QUEUE_RINGS_H
#define NNBOARD_QUEUE_RINGS_H

#include "card/card.h"

void queues_init(struct card *card);
/** -EEXIST, -EINVAL, -ENOMEM. */
int queues_create(struct card *card, uint32_t queue, uint32_t context, uint64_t bus, uint64_t slots,
		  uint64_t priority);
/** Each job that is left, in the core or in the ring, gets its completion first. -ENOENT. */
int queues_destroy(struct card *card, uint32_t queue);
/** Destroy the queues of a context. */
void queues_destroy_context(struct card *card, uint32_t context);
/** Take all that is in the ring, then abort in the core. */
int queues_abort(struct card *card, uint32_t queue, uint64_t seqno);
/** Close all without a word to the core. */
void queues_close_all(struct card *card);
/** The core's completion. */
void queues_complete(struct card *card, const struct nnaccel_completion *c);
/** Body of the submit thread. */
void *queues_run(void *card) __attribute__((noreturn));

#endif
