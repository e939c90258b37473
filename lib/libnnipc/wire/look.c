// SPDX-License-Identifier: Apache-2.0
/* How long to look for a packet before sleeping. */
#include "wire/look.h"

#include <sched.h>

#include "nnutil_clock.h"
#include "nnutil_pause.h"

/**
 * Longest look. More than a wake-up of the peer and a short call take, 80 us and more on virtual
 * machines: with less, two sides that both sleep would both look in vain, and go on sleeping.
 */
#define LOOK_NS 100000
/** A wait up to this could have ended within a look if this side had not slept. */
#define QUICK_NS 250000
/** After n looks in vain 2^n waits sleep at once, up to this n. */
#define MAX_MISSES 6
/** Turns of the processor's pause between two looks at the clock and at the packet. */
#define PAUSES 8

/* The peer could not run while this thread looks. */
static bool is_lonely(void)
{
	cpu_set_t cpus;

	/* an error: there are more than fit */
	return !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) < 2;
}

void nnipc_look_begin(struct nnipc_look *look, int64_t now_ns, int64_t deadline_ns)
{
	look->began_ns = now_ns;
	look->until_ns = 0;
	if (look->skip) {
		look->skip--;
		return;
	}
	if (!look->quick || look->lonely)
		return;
	look->until_ns = look->began_ns + LOOK_NS;
	if (deadline_ns >= 0 && deadline_ns < look->until_ns)
		look->until_ns = deadline_ns;
}

bool nnipc_look_on(const struct nnipc_look *look)
{
	if (!look->until_ns)
		return false;
	for (int i = 0; i < PAUSES; i++)
		nnutil_pause();
	/* to whom the peer has woken on this processor: it may be its engine, and have the job */
	sched_yield();
	return nnutil_monotonic_ns() < look->until_ns;
}

void nnipc_look_end(struct nnipc_look *look, int64_t now_ns, bool seen)
{
	bool quick = now_ns - look->began_ns < QUICK_NS;

	/* threads take turns, and may have been moved meanwhile */
	if (quick && (!look->quick || (look->until_ns && !seen)))
		look->lonely = is_lonely();
	look->quick = quick;
	if (!look->until_ns)
		return;
	if (seen) {
		look->misses = 0;
	} else {
		look->skip = (uint8_t)(1 << look->misses);
		if (look->misses < MAX_MISSES)
			look->misses++;
	}
}
