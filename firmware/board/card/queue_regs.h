/* SPDX-License-Identifier: Apache-2.0 */
/* What the host may see of a queue. */
#ifndef NNBOARD_QUEUE_REGS_H
#define NNBOARD_QUEUE_REGS_H

#include "card/card.h"

/** A new queue: nothing has begun. */
void queue_regs_clear(struct card *card, uint32_t queue);
/** A job begins, unless it has. */
void queue_regs_begin(struct card *card, uint32_t queue, uint64_t seqno);
/** It takes an engine, or gives it up. */
void queue_regs_turn(struct card *card, uint32_t queue, uint64_t seqno, bool on);
/** Bring its time up to date. */
void queue_regs_touch(struct card *card, uint32_t queue);
/** Time that it has had; 0 if it has not begun. */
uint64_t queue_regs_run_ns(const struct card *card, uint32_t queue, uint64_t seqno);

#endif
