/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of a queue. */
#ifndef NNBOARD_QUEUE_REGS_H
#define NNBOARD_QUEUE_REGS_H

#include "card/card.h"

/** Clear the registers of a new queue. */
void queue_regs_clear(struct card *card, uint32_t queue);
/** A job begins, unless it has begun. */
void queue_regs_begin(struct card *card, uint32_t queue, uint64_t seqno);
/** A job takes an engine, or gives it up. */
void queue_regs_turn(struct card *card, uint32_t queue, uint64_t seqno, bool on);
/** Update the engine time of the running job. */
void queue_regs_touch(struct card *card, uint32_t queue);
/** Engine time of a job; 0 if it has not begun. */
uint64_t queue_regs_run_ns(const struct card *card, uint32_t queue, uint64_t seqno);

#endif
