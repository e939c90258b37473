/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refusals: a status and a message that tells the client what to change. A message is a buffer of
 * NNHAL_MESSAGE bytes.
 */
#ifndef NNHAL_REFUSAL_H
#define NNHAL_REFUSAL_H

#include "nnhal.h"

#define NNHAL_MESSAGE 256u
#define NNHAL_PRINTF(f, a) __attribute__((format(printf, f, a)))

void nnhal_message(char *message, const char *format, ...) NNHAL_PRINTF(2, 3);
/** Write the message and return @status. */
enum nnhal_status nnhal_refuse(char *message, enum nnhal_status status, const char *format, ...)
	NNHAL_PRINTF(3, 4);
/** The object belongs to the parent of this process: DEAD_OBJECT. @message may be NULL. */
enum nnhal_status nnhal_dead(char *message);

#endif
