/* SPDX-License-Identifier: Apache-2.0 */
/* Posting completions. */
#ifndef NNBOARD_COMPLETION_H
#define NNBOARD_COMPLETION_H

#include "card/card.h"

/** Post a completion (host byte order); waits for room. Dropped when the ring is closed. */
void cq_post(struct card *card, const struct nnaccel_completion *c);
/** Acknowledge an admin command. */
void cq_post_admin(struct card *card, uint32_t id, uint32_t status, uint64_t value);
/** NONSENSE: publish a tail that no ring can have. */
void cq_break_tail(struct card *card);

#endif
