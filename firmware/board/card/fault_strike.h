/* SPDX-License-Identifier: Apache-2.0 */
/* A fault mode strikes. */
#ifndef NNBOARD_FAULT_STRIKE_H
#define NNBOARD_FAULT_STRIKE_H

#include "card/card.h"

/**
 * On progress of the core; does not return if the job is made to hang. Returns the value for the
 * register.
 */
uint64_t fault_progress(struct card *card, uint32_t queue, uint64_t progress, uint64_t seqno);
/** On a completion of the core. True: the fault has posted it. */
bool fault_complete(struct card *card, struct nnaccel_completion *c);

#endif
