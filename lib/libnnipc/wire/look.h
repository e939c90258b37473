/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking for the peer's answer for a moment before sleeping. To wake a processor that sleeps takes
 * tens of microseconds, which is more than most calls take: who waits for a packet that is due at
 * once looks for it, where there is another processor for the peer. Who looked in vain looks less
 * often. Documentation/isolation.rst has the policy.
 */
#ifndef NNIPC_LOOK_H
#define NNIPC_LOOK_H

#include <stdbool.h>
#include <stdint.h>

/** Of one place where one thread at a time waits. Zeros: no wait is known yet. */
struct nnipc_look {
	int64_t began_ns, until_ns; /* this wait; until_ns is 0 without a look */
	bool quick; /* the last wait was short */
	bool lonely; /* this thread has one processor only */
	uint8_t misses; /* looks in vain since the last that was not, up to a limit */
	uint8_t skip; /* waits to come without a look */
};

/** A wait begins at @now_ns. @deadline_ns: its end; negative: none. Times are CLOCK_MONOTONIC's. */
void nnipc_look_begin(struct nnipc_look *look, int64_t now_ns, int64_t deadline_ns);
/** Whether to look once more, after a moment that was spent here. False: sleep. */
bool nnipc_look_on(const struct nnipc_look *look);
/** The wait is over. @seen: without sleeping. */
void nnipc_look_end(struct nnipc_look *look, int64_t now_ns, bool seen);

#endif
