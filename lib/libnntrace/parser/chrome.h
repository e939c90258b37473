/* SPDX-License-Identifier: Apache-2.0 */
/* Trace event JSON, an event at a time. */
#ifndef NNTP_CHROME_H
#define NNTP_CHROME_H

#include <stdint.h>
#include <stdio.h>

#include "device_jobs.h"

struct chrome {
	FILE *out;
	uint64_t events;
};

/**
 * Write "{ph, pid, tid, ts". The caller adds fields, each with a comma before it, and chrome_end().
 */
void chrome_begin(struct chrome *c, char ph, int32_t pid, int32_t tid, int64_t ns);
void chrome_end(struct chrome *c);
/** Name a process (@tid -1) or a thread. */
void chrome_name(struct chrome *c, int32_t pid, int32_t tid, const char *name, size_t len);

/* Process ids for cards, above those of processes: PID_MAX_LIMIT is 2^22. */
#define CHROME_CARD_PID(device) (4194305 + (int32_t)((device)&0xffff))

/**
 * Write the jobs of @d: their way through the driver, on the card, and arrows to and from
 * the thread that submitted them. @process_of: which process a thread is of.
 */
void chrome_jobs(struct chrome *c, const struct nntrace_device *d,
		 int32_t (*process_of)(void *ctx, int32_t tid), void *ctx);

#endif
