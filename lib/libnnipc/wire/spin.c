// SPDX-License-Identifier: Apache-2.0
/* Duration of a spin for a packet before sleeping. */
#include "wire/nnipc_wire.h"

#include <sched.h>

#include "nnutil_clock.h"

/**
 * Longest spin. More than a wake-up of the peer and a short call take, 80 us and more on virtual
 * machines: with less, the spins of two sides that both sleep would both fail, and both would go on
 * sleeping.
 */
#define SPIN_NS 100000
/** A wait up to this could have ended within a spin if this side had not slept. */
#define QUICK_NS 250000
/** After n failed spins 2^n waits sleep at once, up to this n. */
#define MAX_FAILED 6
/** Turns of the processor's pause between two checks of the clock and of the packet. */
#define PAUSES 8

/* The peer could not run while this thread spins. */
static bool has_single_cpu(void)
{
	cpu_set_t cpus;

	/* an error: there are more than fit */
	return !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) < 2;
}

void nnipc_spin_begin(struct nnipc_spin *spin, int64_t now_ns, int64_t deadline_ns)
{
	spin->began_ns = now_ns;
	spin->until_ns = 0;
	if (spin->skip) {
		spin->skip--;
		return;
	}
	if (!spin->quick || spin->single_cpu)
		return;
	spin->until_ns = spin->began_ns + SPIN_NS;
	if (deadline_ns >= 0 && deadline_ns < spin->until_ns)
		spin->until_ns = deadline_ns;
}

bool nnipc_spin_again(const struct nnipc_spin *spin)
{
	if (!spin->until_ns)
		return false;
	for (int i = 0; i < PAUSES; i++)
		nnutil_pause();
	/* to whom the peer has woken on this processor: it may be its engine, and have the job */
	sched_yield();
	return nnutil_monotonic_ns() < spin->until_ns;
}

void nnipc_spin_end(struct nnipc_spin *spin, int64_t now_ns, bool seen)
{
	bool quick = now_ns - spin->began_ns < QUICK_NS;

	/* threads take turns, and may have been moved meanwhile */
	if (quick && (!spin->quick || (spin->until_ns && !seen)))
		spin->single_cpu = has_single_cpu();
	spin->quick = quick;
	if (!spin->until_ns)
		return;
	if (seen) {
		spin->failed_spins = 0;
	} else {
		spin->skip = (uint8_t)(1 << spin->failed_spins);
		if (spin->failed_spins < MAX_FAILED)
			spin->failed_spins++;
	}
}
