/* SPDX-License-Identifier: Apache-2.0 */
/* A fault mode strikes. */
#ifndef NNBOARD_FAULT_STRIKE_H
#define NNBOARD_FAULT_STRIKE_H

#include "card/card.h"

/**
 * The core reports progress; does not return when the job is made to hang. Value for the register.
 */
uint64_t fault_progress(struct card *card, uint32_t queue, uint64_t progress, uint64_t seqno);
/** The core completes a job; true when the fault posted what is to be posted. */
bool fault_complete(struct card *card, struct nnaccel_completion *c);

#endif
