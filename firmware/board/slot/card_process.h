/* SPDX-License-Identifier: Apache-2.0 */
/* The process of the card. */
#ifndef NNBOARD_CARD_PROCESS_H
#define NNBOARD_CARD_PROCESS_H

#include "slot/slot.h"

/** Start the card when it may run and is due. Milliseconds until the next try, or -1. */
int card_process_start_if_due(struct slot *slot);
/** Kill the card if there is one and wait until it is gone; link is ABSENT on return. */
void card_process_kill(struct slot *slot);
/** The card died: reap it, plan the next start. */
void card_process_died(struct slot *slot);
/** The reset line was pulled (or doorbell 3 was rung without a new reset_req). */
void card_process_reset_line(struct slot *slot);

#endif
