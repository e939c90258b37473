/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adaptive spinning: spin before sleeping; back off after a failed spin. Waking a processor that
 * sleeps takes tens of microseconds, more than most calls take: a thread that waits for a packet
 * that is due at once spins, if there is another processor for the peer.
 * Documentation/isolation.rst has the policy.
 */
#ifndef NNIPC_SPIN_H
#define NNIPC_SPIN_H

#include <stdbool.h>
#include <stdint.h>

/** Of one place where one thread at a time waits. Zeros: no wait is known yet. */
struct nnipc_spin {
	int64_t began_ns, until_ns; /* this wait; until_ns is 0 without a spin */
	bool quick; /* the last wait was short */
	bool single_cpu; /* this thread may use one processor only */
	uint8_t failed_spins; /* since the last spin that found a packet, up to a limit */
	uint8_t skip; /* waits to come without a spin */
};

/** A wait begins at @now_ns. @deadline_ns: its end; negative: none. Times are CLOCK_MONOTONIC's. */
void nnipc_spin_begin(struct nnipc_spin *spin, int64_t now_ns, int64_t deadline_ns);
/** Spend a moment of the spin. True: check for the packet, and call again; false: sleep. */
bool nnipc_spin_again(const struct nnipc_spin *spin);
/** The wait is over. @seen: without sleeping. */
void nnipc_spin_end(struct nnipc_spin *spin, int64_t now_ns, bool seen);

#endif
