/* SPDX-License-Identifier: Apache-2.0 */
/* Trace event JSON, an event at a time. */
#ifndef NNTP_CHROME_H
#define NNTP_CHROME_H

#include <stdint.h>
#include <stdio.h>

struct chrome {
	FILE *out;
	uint64_t events;
};

/**
 * "{ph, pid, tid, ts": the caller adds fields, each with a comma before it, and then chrome_end().
 */
void chrome_begin(struct chrome *c, char ph, int32_t pid, int32_t tid, int64_t ns);
void chrome_end(struct chrome *c);
/** A name of a process (@tid -1) or a thread. */
void chrome_name(struct chrome *c, int32_t pid, int32_t tid, const char *name, size_t len);

/* Cards are processes whose ids no process has: PID_MAX_LIMIT is 2^22. */
#define CHROME_CARD_PID(device) (4194305 + (int32_t)((device)&0xffff))

#endif
