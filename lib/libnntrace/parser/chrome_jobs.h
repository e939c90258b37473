/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of a card as trace events. */
#ifndef NNTP_CHROME_JOBS_H
#define NNTP_CHROME_JOBS_H

#include "chrome.h"
#include "device_jobs.h"

/**
 * Write the jobs of @d: their way through the driver, on the card, and arrows to and from
 * the thread that submitted them. @process_of: which process a thread is of.
 */
void chrome_jobs(struct chrome *c, const struct nntrace_device *d,
		 int32_t (*process_of)(void *ctx, int32_t tid), void *ctx);

#endif
